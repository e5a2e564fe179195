#include "bench/distributed/distributed.h"

#include <cstdlib>

#include "nsn/backends/petsc.h"
#include "nsn/core/base/error.h"

#if defined(NSN_WITH_PETSC)
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <random>
#include <thread>

#include <nlohmann/json.hpp>

#include "nsn/backends/petsc_session.h"
#include "nsn/core/io/exported_system.h"
#include "nsn/core/io/petsc_binary.h"
#include "nsn/core/io/text_file.h"
#endif

namespace nsn::bench {
namespace {

int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* name : variables) {
    if (const char* const text = std::getenv(name); text != nullptr) return std::atoi(text);
  }
  return otherwise;
}

/// Options of the backend, and the form.
Options options_of(const std::string& spec) {
  const NamedOptions named = parse_named_options(spec);
  NSN_THROW_UNLESS(named.name == "petsc",
                   "--distributed takes solvers of PETSc, petsc:KEY=VALUE,..., and '{}' is none",
                   spec);
  std::vector<OptionSpec> all = petsc_backend().options;
  all.push_back(OptionSpec::choice("form", "assembled", {"assembled", "factored"},
                                   "A as it is, or J H^-1 J^T + C"));
  return Options(all, named.assignments, "'petsc'");
}

}  // namespace

int processes_started() {
  return std::max(1, number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1));
}

int process_number() {
  return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
}

void check_distributed(const DistributedOptions& options) {
  for (const std::string& spec : options.solvers) static_cast<void>(options_of(spec));
  const SolverInfo info = petsc_backend();
  NSN_THROW_UNLESS(info.built, "--distributed: {}", info.reason);
}

#if !defined(NSN_WITH_PETSC)

SystemOutcome solve_distributed(const SystemSource&, const DistributedOptions&) {
  throw std::invalid_argument("--distributed: " + petsc_backend().reason);
}

#else

namespace {

namespace fs = std::filesystem;
using petsc::check;

MPI_Comm world() {
  return PETSC_COMM_WORLD;
}

int ranks() {
  int count = 1;
  MPI_Comm_size(world(), &count);
  return count;
}

double over_ranks(double mine, MPI_Op op) {
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, world());
  return all;
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// An error of PETSc on all processes is a row; on some of them the others wait for those in another
/// call, and nothing but the end of all is left.
void agree_on_failure() {
  constexpr int kTries = 1000;
  constexpr auto kPause = std::chrono::milliseconds(10);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world(), &request);
  for (int k = 0; k < kTries; ++k) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(kPause);
  }
  MPI_Abort(world(), 1);
}

PetscViewer open(const fs::path& file, PetscFileMode mode) {
  PetscViewer viewer = nullptr;
  check(PetscViewerCreate(world(), &viewer));
  check(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  check(PetscViewerBinarySetUseMPIIO(viewer, PETSC_TRUE));
  check(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  check(PetscViewerFileSetMode(viewer, mode));
  check(PetscViewerFileSetName(viewer, file.c_str()));
  return viewer;
}

/// Of FILE.info, 1 without one.
PetscInt block_size(const fs::path& file) {
  std::ifstream info(file.string() + ".info");
  std::string word;
  PetscInt size = 1;
  while (info >> word) {
    if (word == "-matload_block_size") info >> size;
  }
  return size;
}

Mat load_matrix(const fs::path& file, const char* type) {
  Mat A = nullptr;
  PetscViewer viewer = open(file, FILE_MODE_READ);
  check(MatCreate(world(), &A));
  check(MatSetType(A, type));
  check(MatSetBlockSize(A, block_size(file)));
  check(MatLoad(A, viewer));
  check(PetscViewerDestroy(&viewer));
  return A;
}

/// Split as the rows of A.
Vec load_vector(const fs::path& file, Mat A) {
  Vec v = nullptr;
  PetscViewer viewer = open(file, FILE_MODE_READ);
  check(MatCreateVecs(A, nullptr, &v));
  check(VecLoad(v, viewer));
  check(PetscViewerDestroy(&viewer));
  return v;
}

/// A x*, x* as in random_solution() (bench/compare/systems.h), of which each process makes its part.
Vec made_rhs(Mat A, std::uint64_t seed) {
  Vec x = nullptr;
  Vec b = nullptr;
  check(MatCreateVecs(A, &x, &b));
  PetscInt first = 0;
  PetscInt last = 0;
  check(VecGetOwnershipRange(x, &first, &last));
  std::mt19937_64 random(seed);
  random.discard(static_cast<unsigned long long>(first));
  double* to = nullptr;
  check(VecGetArray(x, &to));
  for (PetscInt i = 0; i < last - first; ++i) {
    to[i] = static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0;
  }
  check(VecRestoreArray(x, &to));
  check(MatMult(A, x, b));
  check(VecDestroy(&x));
  return b;
}

/// Parts of a system on disk.
struct Files {
  fs::path A, b, nodes;
  fs::path J, H, C;  // empty: not there
  bool symmetric = true;
  bool told = false;  // system.json says whether it is symmetric
};

fs::path if_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

void expect_rows(const fs::path& file, Index found, Index wanted, const fs::path& of) {
  if (found == wanted) return;
  throw InputError(fmt::format("{}: has {} rows, {} asks for {}", file.string(), found,
                               of.filename().string(), wanted));
}

/// Heads of all files fit together; throws InputError.
void check_heads(const Files& files) {
  const PetscHead A = read_petsc_matrix_head(files.A);
  if (A.rows != A.columns) {
    throw InputError(
        fmt::format("{}: is {} x {}, a system is square", files.A.string(), A.rows, A.columns));
  }
  if (!files.b.empty()) expect_rows(files.b, read_petsc_vector_head(files.b), A.rows, files.A);
  if (files.J.empty()) {
    if (!files.nodes.empty()) {
      expect_rows(files.nodes, read_petsc_vector_head(files.nodes), A.rows, files.A);
    }
    return;
  }
  const PetscHead J = read_petsc_matrix_head(files.J);
  expect_rows(files.J, J.rows, A.rows, files.A);
  const PetscHead H = read_petsc_matrix_head(files.H);
  expect_rows(files.H, H.rows, J.columns, files.J);
  expect_rows(files.H, H.columns, J.columns, files.J);
  const PetscHead C = read_petsc_matrix_head(files.C);
  expect_rows(files.C, C.rows, A.rows, files.A);
  expect_rows(files.C, C.columns, A.rows, files.A);
}

Files files_of(const SystemSource& source) {
  if (!source.refusal.empty()) {
    throw InputError(fmt::format("{}: {}", source.path.string(), source.refusal));
  }
  Files files;
  files.A = source.exported ? matrix_of(source.path) : source.path;
  if (files.A.extension() != ".petsc") {
    throw InputError(
        fmt::format("{}: --distributed reads PETSc files; 'nsn convert {} --to petsc' makes them",
                    files.A.string(), source.path.string()));
  }
  if (source.exported) {
    files.b = if_there(source.path / "b.petsc");
    files.nodes = if_there(source.path / "nodes.petsc");
    files.J = if_there(source.path / "J.petsc");
    files.H = if_there(source.path / "H.petsc");
    files.C = if_there(source.path / "C.petsc");
    bool proximal = false;
    if (const fs::path file = if_there(source.path / "system.json"); !file.empty()) {
      const auto json = nlohmann::json::parse(read_text_file(file), nullptr, false);
      if (!json.is_object()) throw InputError(file.string() + ": is not a JSON object");
      files.told = json.contains("symmetric") && json["symmetric"].is_boolean();
      if (files.told) files.symmetric = json["symmetric"].get<bool>();
      proximal = json.contains("form") && json["form"] == "proximal";
    }
    if (files.H.empty() || files.C.empty() || proximal) files.J.clear();
  } else if (source.rhs) {
    files.b = *source.rhs;
  }
  check_heads(files);
  return files;
}

/// The operator, and what preconditioners see of it.
struct Operators {
  Mat A = nullptr;
  Mat P = nullptr;
};

/// J H^-1 J^T + C as a Schur complement of [H J^T; -J C].
Operators factored(const Files& files) {
  const Mat J = load_matrix(files.J, MATAIJ);
  const Mat H = load_matrix(files.H, MATAIJ);
  const Mat C = load_matrix(files.C, MATAIJ);
  Mat Jt = nullptr;
  Mat minus_J = nullptr;
  check(MatTranspose(J, MAT_INITIAL_MATRIX, &Jt));
  check(MatDuplicate(J, MAT_COPY_VALUES, &minus_J));
  check(MatScale(minus_J, -1.0));
  Operators out;
  check(MatCreateSchurComplement(H, H, Jt, minus_J, C, &out.A));
  KSP inner = nullptr;
  PC pc = nullptr;
  check(MatSchurComplementGetKSP(out.A, &inner));
  check(KSPSetType(inner, KSPPREONLY));
  check(KSPGetPC(inner, &pc));
  check(PCSetType(pc, PCPBJACOBI));
  check(MatSchurComplementSetAinvType(out.A, MAT_SCHUR_COMPLEMENT_AINV_BLOCK_DIAG));
  check(MatSchurComplementGetPmat(out.A, MAT_INITIAL_MATRIX, &out.P));
  check(MatSetBlockSizes(out.P, kBlock, kBlock));
  for (Mat part : {J, H, C, Jt, minus_J}) check(MatDestroy(&part));
  return out;
}

Operators assembled(const Files& files, const std::string& storage) {
  const bool blocks = storage == "baij" && block_size(files.A) > 1;
  Operators out;
  out.A = load_matrix(files.A, blocks ? MATBAIJ : MATAIJ);
  out.P = out.A;
  check(PetscObjectReference(reinterpret_cast<PetscObject>(out.P)));
  if (files.J.empty() && !files.nodes.empty()) {
    Vec points = load_vector(files.nodes, out.A);
    check(VecSetBlockSize(points, kBlock));
    MatNullSpace modes = nullptr;
    check(MatNullSpaceCreateRigidBody(points, &modes));
    check(MatSetNearNullSpace(out.A, modes));
    check(MatNullSpaceDestroy(&modes));
    check(VecDestroy(&points));
  }
  return out;
}

/// One solver on one system, over all its runs.
class DistributedSolver {
 public:
  DistributedSolver(const Options& given, std::string prefix, const DistributedOptions& options,
                    bool symmetric)
      : ksp_(given.text("ksp")),
        pc_(given.text("pc")),
        prefix_(std::move(prefix)),
        raw_(petsc::raw_options(given.text("options"))),
        confirm_(static_cast<int>(given.integer("confirm"))),
        options_(options),
        symmetric_(symmetric) {
    const bool factors = pc_ == "cholesky" || pc_ == "lu";
    const bool library = std::any_of(raw_.begin(), raw_.end(), [](const auto& option) {
      return option.first == "pc_factor_mat_solver_type";
    });
    if (ranks() == 1 || (!factors && pc_ != "icc" && pc_ != "ilu") || library) return;
    raw_.emplace_back("sub_pc_type", pc_);
    note_ = fmt::format("{} in overlapping parts (asm), one of each process", pc_);
    pc_ = "asm";
  }
  DistributedSolver(const DistributedSolver&) = delete;
  DistributedSolver& operator=(const DistributedSolver&) = delete;
  ~DistributedSolver() {
    for (const auto& [key, value] : raw_) {
      PetscOptionsClearValue(nullptr, fmt::format("-{}{}", prefix_, key).c_str());
    }
  }

  void run(const Operators& S, Vec b, Vec x, SolverOutcome& outcome) {
    KSP ksp = make(S);
    check(VecSet(x, 0.0));
    MPI_Barrier(world());
    const double cpu = cpu_seconds();
    const double start = MPI_Wtime();
    check(KSPSetUp(ksp));
    check(KSPSetUpOnBlocks(ksp));
    double mine = MPI_Wtime() - start;
    RunTime time;
    time.setup = over_ranks(mine, MPI_MAX);
    const double cpu_between = cpu_seconds();
    time.setup_cpu = over_ranks(cpu_between - cpu, MPI_SUM);
    const double begin = MPI_Wtime();
    LinearReport report;
    iterate(ksp, S, b, x, report);
    mine += MPI_Wtime() - begin;
    time.solve = over_ranks(MPI_Wtime() - begin, MPI_MAX);
    time.solve_cpu = over_ranks(cpu_seconds() - cpu_between, MPI_SUM);
    report.solve_seconds = time.solve;
    if (outcome.runs.empty() || time.total() < outcome.least(false).total()) {
      outcome.report = report;
      outcome.imbalance = over_ranks(mine, MPI_MAX) / over_ranks(mine, MPI_MIN);
    }
    if (outcome.runs.empty()) outcome.cold = time;
    outcome.runs.push_back(time);
    refuse_unread_options();
    check(KSPDestroy(&ksp));
  }

 private:
  KSP make(const Operators& S) {
    KSP ksp = nullptr;
    check(KSPCreate(world(), &ksp));
    check(KSPSetOptionsPrefix(ksp, prefix_.c_str()));
    check(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
    check(KSPSetType(ksp, ksp_.c_str()));
    PC pc = nullptr;
    check(KSPGetPC(ksp, &pc));
    check(PCSetType(pc, pc_.c_str()));
    for (const auto& [key, value] : raw_) {
      check(PetscOptionsSetValue(nullptr, fmt::format("-{}{}", prefix_, key).c_str(),
                                 value.empty() ? nullptr : value.c_str()));
    }
    check(KSPSetFromOptions(ksp));
    petsc::use_true_residual(ksp);
    if (symmetric_) check(MatSetOption(S.P, MAT_SYMMETRIC, PETSC_TRUE));
    check(KSPSetOperators(ksp, S.A, S.P));
    return ksp;
  }

  /// Rounds from the x so far while |b - S x| misses what the method claims.
  void iterate(KSP ksp, const Operators& S, Vec b, Vec x, LinearReport& report) const {
    const LinearControl& control = options_.control;
    Vec r = nullptr;
    check(VecDuplicate(b, &r));
    check(VecNorm(b, NORM_2, &report.rhs_norm));
    report.initial_residual = report.rhs_norm;
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    const bool direct = ksp_ == "preonly";
    double rtol = control.rtol;
    for (int round = 0;; ++round) {
      constexpr double kNever = 1e100;
      constexpr double kSharper = 0.3;
      check(KSPSetInitialGuessNonzero(ksp, !direct && round > 0 ? PETSC_TRUE : PETSC_FALSE));
      check(KSPSetTolerances(ksp, rtol, std::numeric_limits<double>::min(), kNever,
                             std::max(1, control.max_iterations - report.iterations)));
      check(KSPSolve(ksp, b, x));
      KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
      PetscInt iterations = 0;
      check(KSPGetConvergedReason(ksp, &reason));
      check(KSPGetIterationNumber(ksp, &iterations));
      report.iterations += direct ? 0 : static_cast<int>(iterations);
      check(MatMult(S.A, x, r));
      check(VecAYPX(r, -1.0, b));
      check(VecNorm(r, NORM_2, &report.true_residual));
      report.recurrence_residual = report.true_residual;
      if (report.true_residual <= target) {
        report.status = LinearStatus::kConvergedRelative;
        break;
      }
      report.status = direct && reason > 0 ? LinearStatus::kInaccurate : petsc::status_of(reason);
      report.detail = fmt::format("PETSc: {}, residual {:.1e} |b|", KSPConvergedReasons[reason],
                                  report.relative_residual());
      rtol *= kSharper * target / report.true_residual;
      if (direct || reason < 0 || round >= confirm_ || !(rtol > 1e-16)) break;
    }
    check(VecDestroy(&r));
    if (report.detail.empty()) report.detail = note_;
  }

  void refuse_unread_options() const {
    for (const auto& [key, value] : raw_) {
      PetscBool used = PETSC_TRUE;
      PetscOptionsUsed(nullptr, (prefix_ + key).c_str(), &used);
      NSN_THROW_UNLESS(used == PETSC_TRUE, "'petsc': nothing in PETSc read the option '-{}'", key);
    }
  }

  std::string ksp_, pc_, prefix_;
  std::vector<std::pair<std::string, std::string>> raw_;
  int confirm_;
  const DistributedOptions& options_;
  bool symmetric_;
  std::string note_;
};

void write_solution(const fs::path& folder, const std::string& system, std::size_t solver, Vec x) {
  std::string name = system;
  std::replace(name.begin(), name.end(), '/', '_');
  const fs::path file = folder / fmt::format("{}-{}.petsc", name, solver + 1);
  std::error_code absent;
  if (process_number() == 0) fs::remove(file, absent);  // a longer one of before is not cut by MPI
  MPI_Barrier(world());
  PetscViewer viewer = open(file, FILE_MODE_WRITE);
  check(VecView(x, viewer));
  check(PetscViewerDestroy(&viewer));
}

void describe(const SystemSource& source, const Files& files, SystemOutcome& out) {
  const PetscHead head = read_petsc_matrix_head(files.A);
  out.name = source.name;
  out.path = source.path.string();
  out.rows = head.rows;
  out.nonzeros = head.entries;
  out.storage = fmt::format("rows on {} processes", ranks());
  out.rhs = files.b.empty() ? "A x*" : files.b.filename().string();
}

/// The outcome of one solver; x is left for who wants it.
void solve_one(const Files& files, const Options& given, std::size_t number,
               const DistributedOptions& options, SystemOutcome& system, SolverOutcome& outcome) {
  const bool by_factors = given.text("form") == "factored";
  outcome.form = by_factors ? SystemForm::kFactored : SystemForm::kAssembled;
  outcome.direct = given.text("ksp") == "preonly";
  outcome.ranks = ranks();
  if (by_factors && files.J.empty()) {
    outcome.refusal = "form=factored needs J.petsc, H.petsc and C.petsc, the factors of A";
    return;
  }
  Operators S = by_factors ? factored(files) : assembled(files, given.text("matrix"));
  Vec b = files.b.empty() ? made_rhs(S.A, options.seed) : load_vector(files.b, S.P);
  Vec x = nullptr;
  check(VecDuplicate(b, &x));
  check(VecNorm(b, NORM_2, &system.rhs_norm));
  {
    const std::string prefix = fmt::format("nsnd{}_", number);
    DistributedSolver solver(given, prefix, options, system.symmetric);
    for (int k = 0; k < options.repeats; ++k) solver.run(S, b, x, outcome);
  }
  if (!options.solutions.empty()) write_solution(options.solutions, system.name, number, x);
  check(VecDestroy(&x));
  check(VecDestroy(&b));
  check(MatDestroy(&S.P));
  check(MatDestroy(&S.A));
}

bool is_symmetric(const Files& files) {
  if (files.told) return files.symmetric;
  constexpr double kRounding = 1e-12;
  Mat A = load_matrix(files.A, MATAIJ);
  PetscReal size = 0.0;
  PetscBool symmetric = PETSC_FALSE;
  check(MatNorm(A, NORM_INFINITY, &size));
  check(MatIsSymmetric(A, kRounding * size, &symmetric));
  check(MatDestroy(&A));
  return symmetric == PETSC_TRUE;
}

}  // namespace

SystemOutcome solve_distributed(const SystemSource& source, const DistributedOptions& options) {
  const Files files = files_of(source);
  petsc::start();
  const std::lock_guard guard(petsc::lock());
  SystemOutcome out;
  describe(source, files, out);
  const SolverInfo info = petsc_backend();
  try {
    out.symmetric = is_symmetric(files);
  } catch (const petsc::Failure& failure) {
    agree_on_failure();
    throw InputError(fmt::format("{}: {}", files.A.string(), failure.text));
  }
  for (std::size_t k = 0; k < options.solvers.size(); ++k) {
    const Options given = options_of(options.solvers[k]);
    SolverOutcome outcome;
    outcome.label = options.solvers[k];
    outcome.style = k;
    if (!out.symmetric && !info.capabilities_with(given).handles_unsymmetric) {
      outcome.refusal = "solves symmetric systems only, and this one is not symmetric";
    } else {
      try {
        solve_one(files, given, k, options, out, outcome);
      } catch (const petsc::Failure& failure) {
        agree_on_failure();
        outcome.runs.assign(1, {});
        outcome.report.status = LinearStatus::kBackendError;
        outcome.report.detail = failure.text;
      }
    }
    out.solvers.push_back(std::move(outcome));
  }
  return out;
}

#endif  // NSN_WITH_PETSC

}  // namespace nsn::bench
