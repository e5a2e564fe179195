#include "bench/compare/contestant.h"

#include <chrono>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/primal_solver.h"

namespace nsn::bench {
namespace {

/// Blocks move 76 bytes per 3x3, CSR 12 per entry: worth it from 76 / 12 = 6.3 entries per block.
constexpr double kEntriesPerBlock = 76.0 / 12.0;

/// Seconds on the clock and of the processor since it was made.
class Stopwatch {
 public:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double cpu() const { return processor() - cpu_begin_; }

 private:
  static double processor() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double cpu_begin_ = processor();
};

/// H^-1 from its diagonal blocks; false if one is singular.
bool inverse_blocks(const Csr& H, Vector out) {
  diagonal_blocks(to_blocks(H), out);
  return invert_blocks(out, out) < 0;
}

/// |S x - A x| / |A x| for a random x: whether two operators are the same.
double difference(const LinearOperator& S, const Csr& A) {
  const Vector x = random_solution(A.rows, 1);
  const Vector Ax("Ax", x.extent(0));
  const Vector Sx("Sx", x.extent(0));
  multiply(A, x, Ax);
  S.apply(x, Sx);
  const double size = norm2(Ax);
  axpby(-1.0, Ax, 1.0, Sx);
  return size > 0.0 ? norm2(Sx) / size : norm2(Sx);
}

class LocalContestant final : public Contestant {
 public:
  LocalContestant(const SolverRegistry& registry, std::string spec, SystemForm form,
                  const LinearOperator& op, const LinearSystem& system,
                  const LinearControl& control, OnPhase on_phase)
      : registry_(registry),
        spec_(std::move(spec)),
        form_(form),
        op_(op),
        system_(system),
        control_(control),
        on_phase_(std::move(on_phase)),
        x_("x", static_cast<std::size_t>(op.rows())) {}

  TimedRun time() override {
    TimedRun run;
    guarded(run, [&](LinearSolver& solver) {
      announce("solve");
      const Stopwatch watch;
      run.report = solver.solve(system_.b, x_, control_);
      run.time.solve = watch.wall();
      run.time.solve_cpu = watch.cpu();
    });
    return run;
  }

  History observe() override {
    TimedRun run;
    History history;
    guarded(run, [&](LinearSolver& solver) {
      announce("observed solve");
      run.report = solver.solve(system_.b, x_, control_, [&](const IterationInfo& info) {
        history.iteration.push_back(info.iteration);
        history.residual.push_back(info.residual);
        history.preconditioned.push_back(info.preconditioned);
        history.normal.push_back(info.normal_residual);
      });
    });
    return history;
  }

 private:
  void announce(const char* phase) const {
    if (on_phase_) on_phase_(phase);
  }

  template <class Run>
  void guarded(TimedRun& run, const Run& solve) {
    try {
      Kokkos::deep_copy(x_, 0.0);
      auto solver = registry_.make(spec_);
      if (form_ == SystemForm::kPrimal) solver = std::make_unique<PrimalSolver>(std::move(solver));
      run.direct = solver->capabilities().direct;
      announce("set-up");
      const Stopwatch watch;
      solver->prepare(op_);
      run.time.setup = watch.wall();
      run.time.setup_cpu = watch.cpu();
      solve(*solver);
    } catch (const std::invalid_argument& error) {
      run.refusal = error.what();  // the solver says what it cannot take
    }
  }

  const SolverRegistry& registry_;
  std::string spec_;
  SystemForm form_;
  const LinearOperator& op_;
  const LinearSystem& system_;
  LinearControl control_;
  OnPhase on_phase_;
  Vector x_;
};

}  // namespace

Variant assembled_variant(const LinearSystem& system) {
  if (system.A.rows % kBlock == 0 && system.A.rows > 0) {
    BlockCsr blocks = to_blocks(system.A);
    if (system.A.nonzeros() >= kEntriesPerBlock * blocks.blocks()) {
      auto op = std::make_unique<BlockOperator>(std::move(blocks), system.symmetric);
      if (system.positions) op->set_positions(*system.positions);
      return {std::move(op), "3x3 blocks"};
    }
  }
  auto op = std::make_unique<CsrOperator>(system.A, system.symmetric);
  if (system.positions) op->set_positions(*system.positions);
  return {std::move(op), "csr"};
}

std::unique_ptr<LinearOperator> factored_variant(const LinearSystem& system, std::string& note) {
  constexpr double kSame = 1e-8;  // rounding of files and of H^-1, far below any modelling change
  const SystemFactors& factors = *system.factors;
  if (system.A.rows % kBlock != 0) {
    note = "No factored operator: the number of rows is not a multiple of three.";
    return nullptr;
  }
  const BlockCsr J = to_blocks(factors.J);
  const Vector H_inverse("H_inverse", static_cast<std::size_t>(J.columns) * kBlockSize);
  if (!inverse_blocks(factors.H, H_inverse)) {
    note = "No factored operator: H has a singular block.";
    return nullptr;
  }
  const BlockCsr C =
      factors.C ? to_blocks(*factors.C) : block_csr_from_triplets(J.rows, J.rows, {});
  auto op = std::make_unique<SchurOperator>(J, H_inverse, C);
  if (factors.positions) op->set_node_positions(*factors.positions);
  const double off = difference(*op, system.A);
  if (off <= kSame) return op;
  note = fmt::format("No factored operator: J H^-1 J^T + C differs from A by {:.1e}.", off);
  return nullptr;
}

bool worth_primal_form(const LinearOperator& factored, const Csr& A) {
  const SchurOperator& S = *factored.factors();
  return has_primal_form(S) && 2 * kBlockSize * primal_blocks(S) <= A.nonzeros();
}

std::unique_ptr<Contestant> local_contestant(const SolverRegistry& registry, std::string spec,
                                             SystemForm form, const LinearOperator& op,
                                             const LinearSystem& system,
                                             const LinearControl& control, OnPhase on_phase) {
  return std::make_unique<LocalContestant>(registry, std::move(spec), form, op, system, control,
                                           std::move(on_phase));
}

}  // namespace nsn::bench
