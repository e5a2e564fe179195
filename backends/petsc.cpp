#include "nsn/backends/petsc.h"

#if defined(NSN_WITH_PETSC)
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "nsn/backends/petsc_session.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/operator_entries.h"
#endif

namespace nsn {
namespace {

bool one_of(const std::string& word, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* other) { return word == other; });
}

Capabilities capabilities_of_petsc(const Options& options) {
  const std::string& ksp = options.text("ksp");
  const std::string& pc = options.text("pc");
  Capabilities can;
  can.direct = ksp == "preonly";
  can.needs_entries = !one_of(pc, {"none", "jacobi"}) || options.text("matrix") != "auto";
  can.handles_singular = !can.direct;
  const bool general = one_of(ksp, {"gmres", "fgmres", "lgmres", "dgmres", "gcr", "bcgs", "bcgsl",
                                    "ibcgs", "fbcgs", "tfqmr", "cgs", "richardson"});
  can.handles_unsymmetric =
      (general && !one_of(pc, {"icc", "cholesky"})) || (can.direct && pc == "lu");
  can.handles_indefinite = can.handles_unsymmetric || one_of(ksp, {"minres", "symmlq"});
  return can;
}

std::vector<OptionSpec> options_of_petsc() {
  return {OptionSpec::choice("ksp", "cg", {},
                             "Krylov method (KSPType); preonly: the pc alone, a direct solver"),
          OptionSpec::choice("pc", "icc", {}, "preconditioner (PCType)"),
          OptionSpec::choice("matrix", "auto", {"auto", "aij", "baij", "sbaij"},
                             "storage; auto: sbaij for icc on symmetric blocks, aij otherwise"),
          OptionSpec::choice("options", "", {}, "raw options of PETSc, separated by blanks"),
          OptionSpec::integer("confirm", 3, 0, 100,
                              "restarts while |b - S x| misses the tolerance the method claims")};
}

#if defined(NSN_WITH_PETSC)

using petsc::check;
using petsc::raw_options;
using petsc::status_of;

class Petsc final : public LinearSolver {
 public:
  explicit Petsc(const Options& options)
      : ksp_name_(options.text("ksp")),
        pc_name_(options.text("pc")),
        matrix_name_(options.text("matrix")),
        raw_(raw_options(options.text("options"))),
        confirm_(static_cast<int>(options.integer("confirm"))),
        capabilities_(capabilities_of_petsc(options)) {
    static int count = 0;
    const std::lock_guard guard(petsc::lock());
    prefix_ = fmt::format("nsn{}_", count++);
  }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
  ~Petsc() override {
    const std::lock_guard guard(petsc::lock());
    if (ksp_ == nullptr || !petsc::alive()) return;
    destroy();
    for (const auto& [key, value] : raw_) {
      PetscOptionsClearValue(nullptr, fmt::format("-{}{}", prefix_, key).c_str());
    }
  }

  std::string_view name() const override { return "petsc"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void destroy() {
    if (symmetric_ != nullptr) MatDestroy(&symmetric_);
    if (ksp_ != nullptr) KSPDestroy(&ksp_);
    if (A_ != nullptr) MatDestroy(&A_);
    if (x_ != nullptr) VecDestroy(&x_);
    if (b_ != nullptr) VecDestroy(&b_);
  }
  /// After an error of PETSc its objects are left to the process.
  void abandon(const petsc::Failure& failure) {
    ksp_ = nullptr;
    A_ = symmetric_ = nullptr;
    x_ = b_ = nullptr;
    failed_ = failure.text;
  }

  static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
    void* context = nullptr;
    MatShellGetContext(A, &context);
    const auto& op = *static_cast<const LinearOperator*>(context);
    const double* from = nullptr;
    double* to = nullptr;
    VecGetArrayRead(x, &from);
    VecGetArray(y, &to);
    const auto n = static_cast<std::size_t>(op.rows());
    op.apply(ConstVector(from, n), Vector(to, n));
    VecRestoreArray(y, &to);
    VecRestoreArrayRead(x, &from);
    return 0;
  }

  static PetscErrorCode diagonal_of(Mat A, Vec d) {
    void* context = nullptr;
    MatShellGetContext(A, &context);
    const auto& op = *static_cast<const LinearOperator*>(context);
    double* to = nullptr;
    VecGetArray(d, &to);
    op.diagonal(Vector(to, static_cast<std::size_t>(op.rows())));
    VecRestoreArray(d, &to);
    return 0;
  }

  static PetscErrorCode watch(KSP /*ksp*/, PetscInt iteration, PetscReal norm, void* self) {
    const auto& me = *static_cast<const Petsc*>(self);
    if (iteration > 0 || me.before_ == 0) {
      (*me.monitor_)({static_cast<int>(iteration) + me.before_, norm, 0.0, 0.0});
    }
    return 0;
  }

  void create_blocks(const BlockCsr& S) {
    begin_.assign(S.row_begin.data(), S.row_begin.data() + S.row_begin.extent(0));
    column_.assign(S.column.data(), S.column.data() + S.column.extent(0));
    value_.assign(S.value.extent(0), 0.0);
    check(MatCreate(PETSC_COMM_SELF, &A_));
    check(MatSetSizes(A_, 3 * S.rows, 3 * S.columns, 3 * S.rows, 3 * S.columns));
    check(MatSetType(A_, MATSEQBAIJ));
    check(MatSeqBAIJSetPreallocationCSR(A_, 3, begin_.data(), column_.data(), nullptr));
  }

  void create_scalars(const LinearOperator& op) {
    entries_.analyze(op);
    const Csr& S = entries_.matrix();
    begin_.assign(S.row_begin.data(), S.row_begin.data() + S.row_begin.extent(0));
    column_.assign(S.column.data(), S.column.data() + S.column.extent(0));
    value_.assign(S.value.extent(0), 0.0);
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, S.rows, S.columns, begin_.data(),
                                    column_.data(), value_.data(), &A_));
    if (op.rows() % kBlock == 0 && op.blocks() != nullptr) check(MatSetBlockSize(A_, kBlock));
  }

  void create_matrix(const LinearOperator& op) {
    std::string storage = matrix_name_;
    if (storage == "auto") {
      storage = pc_name_ == "icc" && op.blocks() != nullptr && op.symmetric() ? "sbaij" : "aij";
    }
    blocked_ = op.blocks() != nullptr && storage != "aij";
    triangle_ = storage == "sbaij";
    shell_ = !op.has_entries();
    if (shell_) {
      const PetscInt n = op.rows();
      check(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, const_cast<LinearOperator*>(&op), &A_));
      check(MatShellSetOperation(A_, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
      check(
          MatShellSetOperation(A_, MATOP_GET_DIAGONAL, reinterpret_cast<void (*)()>(diagonal_of)));
    } else if (blocked_) {
      create_blocks(*op.blocks());
    } else {
      create_scalars(op);
    }
    if (!op.symmetric()) return;
    check(MatSetOption(A_, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(A_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }

  /// The rigid motions of the points whose displacements the rows are.
  void set_near_null_space(const LinearOperator& op) {
    if (op.positions().extent(0) == 0) return;
    Vec points = nullptr;
    check(VecCreateSeq(PETSC_COMM_SELF, op.rows(), &points));
    check(VecSetBlockSize(points, kBlock));
    double* to = nullptr;
    check(VecGetArray(points, &to));
    std::copy_n(op.positions().data(), op.rows(), to);
    check(VecRestoreArray(points, &to));
    MatNullSpace modes = nullptr;
    check(MatNullSpaceCreateRigidBody(points, &modes));
    check(MatSetNearNullSpace(A_, modes));
    check(MatNullSpaceDestroy(&modes));
    check(VecDestroy(&points));
  }

  void create(const LinearOperator& op) {
    create_matrix(op);
    set_near_null_space(op);
    const PetscInt n = op.rows();
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, nullptr, &x_));
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, nullptr, &b_));
    check(KSPCreate(PETSC_COMM_SELF, &ksp_));
    check(KSPSetOptionsPrefix(ksp_, prefix_.c_str()));
    check(KSPSetErrorIfNotConverged(ksp_, PETSC_FALSE));
    check(KSPSetType(ksp_, ksp_name_.c_str()));
    PC pc = nullptr;
    check(KSPGetPC(ksp_, &pc));
    check(PCSetType(pc, pc_name_.c_str()));
    for (const auto& [key, value] : raw_) {
      check(PetscOptionsSetValue(nullptr, fmt::format("-{}{}", prefix_, key).c_str(),
                                 value.empty() ? nullptr : value.c_str()));
    }
    check(KSPSetFromOptions(ksp_));
    petsc::use_true_residual(ksp_);
    if (!capabilities_.direct) check(KSPSetInitialGuessNonzero(ksp_, PETSC_TRUE));
    options_checked_ = false;
  }

  void do_analyze(const LinearOperator& op) override {
    petsc::start();
    const std::lock_guard guard(petsc::lock());
    destroy();
    failed_.clear();
    try {
      create(op);
    } catch (const petsc::Failure& failure) {
      abandon(failure);
    }
  }

  /// BAIJ holds a block by columns.
  void copy_blocks(const BlockCsr& S) {
    double* to = nullptr;
    check(MatSeqBAIJGetArray(A_, &to));
    const double* from = S.value.data();
    for (Index k = 0; k < S.blocks(); ++k, from += kBlockSize, to += kBlockSize) {
      for (int i = 0; i < kBlock; ++i) {
        for (int j = 0; j < kBlock; ++j) to[kBlock * j + i] = from[kBlock * i + j];
      }
    }
    to -= static_cast<std::ptrdiff_t>(value_.size());
    check(MatSeqBAIJRestoreArray(A_, &to));
  }

  void take_values(const LinearOperator& op) {
    if (shell_) {
      check(MatShellSetContext(A_, const_cast<LinearOperator*>(&op)));
    } else if (blocked_) {
      copy_blocks(*op.blocks());
    } else {
      const Csr& S = entries_.update(op);
      std::copy_n(S.value.data(), value_.size(), value_.data());
    }
    check(MatAssemblyBegin(A_, MAT_FINAL_ASSEMBLY));  // tells PETSc of new numbers
    check(MatAssemblyEnd(A_, MAT_FINAL_ASSEMBLY));
    if (triangle_ && !shell_) {
      if (symmetric_ != nullptr) check(MatDestroy(&symmetric_));
      check(MatConvert(A_, MATSBAIJ, MAT_INITIAL_MATRIX, &symmetric_));
    }
    Mat used = symmetric_ != nullptr ? symmetric_ : A_;
    check(KSPSetOperators(ksp_, used, used));
    check(KSPSetUp(ksp_));
    check(KSPSetUpOnBlocks(ksp_));
  }

  Preparation do_factorize(const LinearOperator& op) override {
    const std::lock_guard guard(petsc::lock());
    if (ksp_ == nullptr) do_analyze(op);  // abandoned before: all from the start
    if (!failed_.empty()) return {false, LinearStatus::kBackendError, failed_};
    const bool finite = op.blocks() != nullptr    ? all_finite(op.blocks()->value)
                        : op.scalars() != nullptr ? all_finite(op.scalars()->value)
                                                  : true;
    if (!finite) return {false, LinearStatus::kNonFinite, "the matrix holds NaN or infinity"};
    try {
      take_values(op);
      PC pc = nullptr;
      check(KSPGetPC(ksp_, &pc));
      PCFailedReason reason = PC_NOERROR;
      check(PCGetFailedReason(pc, &reason));
      if (reason == PC_NOERROR) return {};
      const bool memory = reason == PC_FACTOR_OUTMEMORY;
      return {false, memory ? LinearStatus::kBackendError : LinearStatus::kSingularPivot,
              fmt::format("PETSc: the preconditioner failed: {}", PCFailedReasons[reason])};
    } catch (const petsc::Failure& failure) {
      abandon(failure);
      return {false, LinearStatus::kBackendError, failed_};
    }
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    const std::lock_guard guard(petsc::lock());
    r_ = r_.extent(0) == x.extent(0) ? r_ : Vector("r", x.extent(0));
    try {
      monitor_ = &monitor;
      check(KSPMonitorCancel(ksp_));
      if (monitor) check(KSPMonitorSet(ksp_, watch, this, nullptr));
      if (capabilities_.direct) {
        solve_directly(op, b, x, control, report);
      } else {
        iterate(op, b, x, control, report);
      }
    } catch (const petsc::Failure& failure) {
      abandon(failure);
      report.status = LinearStatus::kBackendError;
      report.detail = failed_;
      return;
    }
    refuse_unread_options();
  }

  KSPConvergedReason solve_once(ConstVector b, const Vector& x) {
    check(VecPlaceArray(x_, x.data()));
    check(VecPlaceArray(b_, b.data()));
    check(KSPSolve(ksp_, b_, x_));
    check(VecResetArray(x_));
    check(VecResetArray(b_));
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    check(KSPGetConvergedReason(ksp_, &reason));
    return reason;
  }

  double residual(const LinearOperator& op, ConstVector b, ConstVector x) const {
    op.apply(x, r_);
    return residual_norm(b, r_, r_);
  }

  void solve_directly(const LinearOperator& op, ConstVector b, const Vector& x,
                      const LinearControl& control, LinearReport& report) {
    constexpr int kRefinements = 2;
    const KSPConvergedReason reason = solve_once(b, x);
    report.iterations = 0;
    report.bytes_moved = bytes_held();
    if (reason < 0) {
      report.status = LinearStatus::kSingularPivot;
      report.detail = fmt::format("PETSc: {}", KSPConvergedReasons[reason]);
      return;
    }
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    double now = residual(op, b, x);
    const Vector kept("kept", x.extent(0));
    const Vector step("step", x.extent(0));
    for (int k = 0; k < kRefinements && now > target && std::isfinite(now); ++k) {
      copy(x, kept);
      fill(step, 0.0);
      static_cast<void>(solve_once(r_, step));
      axpby(1.0, step, 1.0, x);
      const double next = residual(op, b, x);
      if (!(next < now)) {
        copy(kept, x);
        break;
      }
      now = next;
    }
    report.recurrence_residual = now;
    if (!std::isfinite(now)) {
      report.status = LinearStatus::kSingularPivot;
      report.detail = "PETSc: the answer is not finite";
    }
  }

  void iterate(const LinearOperator& op, ConstVector b, const Vector& x,
               const LinearControl& control, LinearReport& report) {
    const bool budget = control.iteration_budget > 0;
    const int most = budget ? std::min(control.iteration_budget, control.max_iterations)
                            : control.max_iterations;
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    double rtol = control.rtol;
    double atol = control.atol;
    double best = std::numeric_limits<double>::max();
    before_ = 0;
    for (int round = 0;; ++round) {
      constexpr double kNever = 1e100;
      check(KSPSetTolerances(ksp_, rtol, std::max(atol, std::numeric_limits<double>::min()), kNever,
                             most - before_));
      const KSPConvergedReason reason = solve_once(b, x);
      PetscInt iterations = 0;
      check(KSPGetIterationNumber(ksp_, &iterations));
      before_ += static_cast<int>(iterations);
      report.iterations = before_;
      report.bytes_moved = (before_ + 1.0) * 2.0 * op.bytes_per_apply();
      const double now = residual(op, b, x);
      report.recurrence_residual = now;
      if (now <= target) {
        const bool relative = now <= control.rtol * report.rhs_norm;
        report.status =
            relative ? LinearStatus::kConvergedRelative : LinearStatus::kConvergedAbsolute;
        return;
      }
      const bool spent = before_ >= most;
      constexpr double kGain = 0.9;
      constexpr double kSharper = 0.3;
      if (reason > 0 && !spent && round < confirm_ && now < kGain * best && std::isfinite(now)) {
        best = now;
        rtol *= kSharper * target / now;
        atol *= kSharper * target / now;
        if (rtol > std::numeric_limits<double>::epsilon()) continue;
      }
      report.status =
          spent && reason >= KSP_DIVERGED_ITS ? LinearStatus::kMaxIterations : status_of(reason);
      if (report.status == LinearStatus::kMaxIterations && budget) {
        report.status = LinearStatus::kBudgetReached;
        return;
      }
      report.detail = fmt::format("PETSc: {}, residual {:.1e} |b|", KSPConvergedReasons[reason],
                                  now / report.rhs_norm);
      return;
    }
  }

  /// Options are read by the first set-up and solve.
  void refuse_unread_options() {
    if (options_checked_ || raw_.empty()) return;
    options_checked_ = true;
    for (const auto& [key, value] : raw_) {
      PetscBool used = PETSC_TRUE;
      PetscOptionsUsed(nullptr, (prefix_ + key).c_str(), &used);
      NSN_THROW_UNLESS(used == PETSC_TRUE, "'petsc': nothing in PETSc read the option '-{}'", key);
    }
  }

  double bytes_held() const override {
    return 16.0 * static_cast<double>(value_.size()) + 8.0 * static_cast<double>(begin_.size());
  }

  std::string ksp_name_, pc_name_, matrix_name_;
  std::vector<std::pair<std::string, std::string>> raw_;
  int confirm_;
  Capabilities capabilities_;
  std::string prefix_;  // of this solver's options in PETSc's table
  std::string failed_;  // PETSc's words; not empty: there are no objects
  KSP ksp_ = nullptr;
  Mat A_ = nullptr;
  Mat symmetric_ = nullptr;  // a copy of A in sbaij
  Vec x_ = nullptr;
  Vec b_ = nullptr;
  bool blocked_ = false;
  bool triangle_ = false;
  bool shell_ = false;
  bool options_checked_ = false;
  ScalarEntries entries_{ScalarEntries::Diagonal::kComplete};
  std::vector<PetscInt> begin_, column_;
  std::vector<double> value_;
  Vector r_;
  const Monitor* monitor_ = nullptr;
  int before_ = 0;  // iterations of the rounds before
};

#endif  // NSN_WITH_PETSC

}  // namespace

SolverInfo petsc_backend() {
  SolverInfo info;
  info.name = "petsc";
  info.summary = "any Krylov method and preconditioner of PETSc";
  info.licence = "BSD-2-Clause (PETSc), and what this PETSc was built with";
  info.options = options_of_petsc();
  info.capabilities_with = capabilities_of_petsc;
  info.capabilities = capabilities_of_petsc(Options(info.options, {}, "'petsc'"));
#if defined(NSN_WITH_PETSC)
  info.make = make_solver<Petsc>;
#else
  info.built = false;
  info.reason =
      "built without PETSC: install petsc-dev and openmpi-bin, configure with -DNSN_WITH_PETSC=ON";
#endif
  return info;
}

}  // namespace nsn
