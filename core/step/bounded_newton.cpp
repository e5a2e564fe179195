#include "nsn/core/step/bounded_newton.h"

#include <algorithm>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_chain.h"

namespace nsn {
namespace {

/// An iterative solver gets a budget and a loose tolerance: iterations in place of a factorisation.
DualSystemOptions dual_options(const RealtimeOptions& options) {
  DualSystemOptions dual;
  dual.trust = true;  // the error of an iterate decides
  if (options.linear_iterations > 0) {
    dual.rtol = 1e-3;
    dual.max_iterations = options.linear_iterations;
    dual.max_gmres_iterations = options.linear_iterations;
    dual.single_precision = true;
  }
  return dual;
}

}  // namespace

BoundedNewton::BoundedNewton(const NewtonOptions& options, const SolverRegistry& registry,
                             StepMonitor& monitor)
    : policy_(options.realtime().policy),
      max_iterations_(options.max_iterations),
      monitor_(monitor),
      dual_(make_linear_chain(options.linear, registry), dual_options(options.realtime())) {
  const Capabilities& can = dual_.solver().capabilities();
  direct_ = can.direct;
  lagged_ = !can.direct && !can.handles_unsymmetric;
  dual_.obey(&monitor.work());
}

bool BoundedNewton::fits(std::span<const RowLaw> laws) const {
  return newton_ != nullptr && same_kinds(newton_->laws(), laws);
}

void BoundedNewton::analyze(StepReduction& reduction, std::span<const RowLaw> laws) {
  dual_.analyze(reduction.W());
  if (newton_ != nullptr) {
    newton_->refit(laws);
    sweeps_->refit(dual_.scaled(), newton_->problem().laws());
  } else {
    ProximalOptions proximal;
    proximal.max_factorizations = policy_.overtime * max_iterations_;
    proximal.lagged_coupling = lagged_;
    newton_ = std::make_unique<ProximalNewton>(dual_, laws, proximal);
    newton_->obey(&monitor_.work());
    sweeps_ = std::make_unique<ContactGaussSeidel>(dual_.scaled(), newton_->problem().laws());
    if (direct_) {
      admm_ = std::make_unique<AndersonAdmm>(*newton_);
    }
  }
  safe_.fit(*newton_, dual_);
  const std::size_t size = kBlock * laws.size();
  arena_.assign(2 * size, 0.0);
  x_ = Vector(arena_.data(), size);
  zero_ = Vector(arena_.data() + size, size);
}

void BoundedNewton::set_problem(StepReduction& reduction) {
  reduction_ = &reduction;
  dual_.set_values(reduction.W(), true);
  newton_->update(reduction.q());
  sweeps_fit_ = false;
}

void BoundedNewton::start(ConstVector r, double goal) {
  goal_ = goal;
  safe_.start(r);
  centre_on_safe();
}

void BoundedNewton::centre_on_safe() {
  newton_->start(zero_, newton_->options().alpha_between());
  newton_->set_scaled_centre(safe_.point());
}

bool BoundedNewton::drop_contact_impulses() {
  if (!safe_.drop_contact_impulses()) return false;
  newton_->set_scaled_centre(safe_.point());
  return true;
}

/// Gauss-Seidel on the present problem, which many steps do without.
void BoundedNewton::sweep(Vector x, int passes) {
  if (!sweeps_fit_) {
    if (reduction_->factor().extent(0) == 0) {
      sweeps_->refresh();
    } else {
      sweeps_->refresh(reduction_->rows().J, reduction_->factor(), newton_->scaling());
    }
    sweeps_fit_ = true;
  }
  const double operations =
      passes * sweep_operations(dual_.scaled().blocks(), newton_->problem().blocks());
  if (monitor_.work().limited() && !monitor_.work().fits(Work::kSweep, operations)) return;
  hear();
  const WorkClock::Unit unit(monitor_.work(), Work::kSweep, operations);
  sweeps_->sweep(newton_->scaled_q(), x, passes);
}

/// One factorisation, and iterations that cost little next to it. A wish to stop does not end it: it is part of the
/// first safe iterate.
bool BoundedNewton::may_start_admm() {
  return !monitor_.work().limited() || newton_->may_factorise();
}

/// No impulse is known: a cheap first guess.
void BoundedNewton::start_cold(NewtonResult& result) {
  copy(safe_.point(), x_);
  if (admm_ != nullptr && may_start_admm()) {
    const bool limited = monitor_.work().limited();
    const WorkClock::Unit unit(monitor_.work(), Work::kFactor,
                               limited ? newton_->factorization_flops() : 0.0);
    const auto go_on = [this] {
      hear();
      return false;
    };
    result.iterations += admm_->run(go_on).factorized ? 1 : 0;
    newton_->scaled_centre(x_);
    safe_.project(x_);
    safe_.offer(x_, 4);
  }
  sweep(x_, 2 * policy_.sweeps);
  safe_.offer(x_, 4);
  newton_->set_scaled_centre(x_);
}

void BoundedNewton::iterate(int budget, double alpha, NewtonResult& result) {
  int inner = 0;
  double phi_start = 0.0;
  // A few factorisations: failures are forgotten.
  ProximalSchedule schedule{.failure_decay = 0.0, .alpha = alpha};
  const auto restart = [&] {
    newton_->set_alpha(schedule.alpha);
    newton_->begin();
    inner = 0;
  };
  restart();
  while (result.iterations < budget && !reached_goal() && newton_->may_factorise()) {
    ProximalNewton::Residual at = newton_->measure();
    if (inner > 0 && newton_->solved_well(at)) {
      newton_->move_centre();
      schedule.on_accept(inner);
      restart();
      at = newton_->measure();
    } else if (schedule.runs_away(inner, at.phi, phi_start)) {
      schedule.on_reject(true);
      restart();
      at = newton_->measure();
    }
    if (inner <= 1) phi_start = std::max(inner == 0 ? 0.0 : phi_start, at.phi);
    const NewtonSolve solve = newton_->newton_step();
    ++inner;
    newton_->scaled_iterate(x_);
    if (!solve.ok || !all_finite(x_)) {
      schedule.on_breakdown();
      restart();
    } else {
      safe_.offer_projected(x_);
    }
    record(newton_->alpha(), solve, result);
  }
  newton_->scaled_iterate(x_);
}

/// Two proximal steps of weight alpha_warm from no impulse at all: the first problem has one solution,
/// close to the minimum-norm solution of the problem without weight, the second takes what error that
/// leaves. Impulses that only balance each other do not live on from step to step. What is solved is
/// the safe point.
bool BoundedNewton::solve_from_zero(int budget, NewtonResult& result) {
  newton_->start(zero_, newton_->options().alpha_warm);
  newton_->begin();
  newton_->set_scaled_iterate(safe_.point());
  ProximalNewton::Residual at = newton_->measure();
  bool solved = false;
  bool stepped = false;
  for (int centre = 0; centre < 2;) {
    if (newton_->solved_well(at)) {
      solved = true;
      newton_->scaled_iterate(x_);
      safe_.take_iterate(x_);
      if (++centre == 2 || reached_goal()) break;
      newton_->move_centre();
      at = newton_->measure();
    }
    if (result.iterations >= budget || !newton_->may_factorise()) break;
    const NewtonSolve solve = newton_->newton_step();
    newton_->scaled_iterate(x_);
    stepped = solve.ok && all_finite(x_);
    if (!stepped) break;
    record(newton_->alpha(), solve, result);
    at = newton_->measure();
  }
  if (!solved && stepped) safe_.offer_projected(x_);
  return solved;
}

void BoundedNewton::solve(int budget, bool cold, NewtonResult& result) {
  if (cold && !reached_goal()) start_cold(result);
  iterate(budget, newton_->options().alpha_between(), result);
  if (!reached_goal()) polish();
}

void BoundedNewton::solve_near(int budget, double goal, NewtonResult& result) {
  goal_ = goal;
  iterate(budget, newton_->options().alpha_warm, result);
  if (!reached_goal()) polish();
}

void BoundedNewton::solve_reduced(int budget, bool few, bool first, NewtonResult& result) {
  const int share = max_iterations_ - max_iterations_ / 3;
  const int most = std::min(budget, result.iterations + share);
  bool cold = false;
  if (few) {
    if (solve_from_zero(most, result)) return;
  } else {
    cold = first && drop_contact_impulses();
  }
  if (cold && !reached_goal()) start_cold(result);
  centre_on_safe();
  solve(most, false, result);
}

/// Gauss-Seidel from the Newton iterate and from the safe point.
void BoundedNewton::polish() {
  safe_.project(x_);
  const bool together = std::equal(x_.data(), x_.data() + x_.extent(0), safe_.point().data());
  for (const bool from_safe : {false, true}) {
    if (from_safe) copy(safe_.point(), x_);
    if (!all_finite(x_) || (together && !from_safe)) continue;
    sweep(x_, policy_.sweeps);
    safe_.offer(x_, 2);
  }
}

void BoundedNewton::record(double alpha, const NewtonSolve& solve, NewtonResult& result) {
  ++result.iterations;
  result.linear_iterations += solve.linear_iterations;
  NewtonIteration entry;
  entry.alpha = alpha;
  entry.factorizations = 1;
  entry.step_length = 1.0;
  entry.linear_iterations = solve.linear_iterations;
  entry.linear_status = solve.status;
  entry.linear_residual = solve.relative_residual;
  entry.error.total = safe_.error();
  monitor_.record(entry);
}

}  // namespace nsn
