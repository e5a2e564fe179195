#include "nsn/core/problems/friction_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/problems/first_sweeps.h"
#include "nsn/core/problems/global_solve.h"
#include "nsn/core/problems/staged_solve.h"

namespace nsn {
namespace {

/// Small problems stay on the calling thread: waiting for another costs more than it saves.
class OwnThread {
 public:
  explicit OwnThread(Index contacts) {
    if (contacts < 2 * kChunk) scope_.emplace();
  }

 private:
  std::optional<SerialScope> scope_;
};

/// Room for r and u of a result, zero, in one allocation.
void make_room(Index rows, FrictionResult& result) {
  const Vector both = zero_vector(2 * rows);
  const auto n = to_size(rows);
  result.r = Kokkos::subview(both, std::pair<std::size_t, std::size_t>{0, n});
  result.u = Kokkos::subview(both, std::pair<std::size_t, std::size_t>{n, 2 * n});
}

/// r0, or zeros, three per contact.
std::vector<double> padded_start(ConstVector r0, Index dimension, Index contacts) {
  std::vector<double> r(to_size(kBlock * contacts), 0.0);
  if (r0.extent(0) == 0) return r;
  NSN_THROW_UNLESS(size_of(r0) == dimension * contacts,
                   "the starting r has {} entries for {} contacts in {} dimensions", r0.extent(0),
                   contacts, dimension);
  NSN_THROW_UNLESS(all_finite(r0), "the starting r holds NaN or infinity");
  pad_contacts(r0, dimension, Vector(r.data(), r.size()));
  return r;
}

Vector scaled(double factor, ConstVector x) {
  Vector y = zero_vector(size_of(x));
  axpby(factor, x, 0.0, y);
  return y;
}

/// First sweeps from x = 0; measure_at(x) leaves the errors on the given data in the result.
template <class Measure>
bool solved_by_sweeps(const FrictionSolverOptions& options, const FrictionBlocks& blocks, Vector x,
                      const Measure& measure_at, FrictionResult& result) {
  const auto begin = Clock::now();
  const double goal = options.unit_free_factor * options.tolerance;
  const auto solved = [&] {
    measure_at(x);
    return within(result.error, options);
  };
  const FirstSweeps first =
      sweep_first(blocks.W, blocks.q, blocks.laws, options.first_sweeps.most_sweeps, goal, x,
                  solved, options.cancel);
  result.sweeps = first.sweeps;
  if (!first.solved) return false;
  result.status = FrictionStatus::kSolved;
  result.stages.push_back({"nsgs", "first sweeps", first.sweeps, 0, seconds_since(begin),
                           result.error.siconos, result.error.unit_free, true});
  return true;
}

/// The answer to factor times the load becomes that to the load.
void scale_back(double factor, FrictionResult& result) {
  for (const Vector* const x : {&result.r, &result.u, &result.v}) axpby(0.0, *x, 1.0 / factor, *x);
  result.error.min_normal_velocity /= factor;
  result.error.max_cone_violation /= factor;
  if (all_finite(result.r) && all_finite(result.u) && all_finite(result.v)) return;
  for (const Vector* const x : {&result.r, &result.u, &result.v}) fill(*x, 0.0);
  result.error.siconos = result.error.unit_free = kInfinity;
  result.status = FrictionStatus::kLinearFailure;
  result.stages.push_back({"range", "the answer is beyond the range of numbers"});
}

}  // namespace

FrictionSolver::FrictionSolver(const FrictionSolverOptions& options, const SolverRegistry& registry)
    : options_(options), registry_(registry) {
  NSN_THROW_UNLESS(options.tolerance > 0.0 && std::isfinite(options.tolerance),
                   "the tolerance is {}, it must be > 0", options.tolerance);
  NSN_THROW_UNLESS(options.unit_free_factor > 0.0 && options.max_factorizations >= 0 &&
                       options.max_iterations >= 0 && options.time_limit >= 0.0,
                   "unit_free_factor {}, max_factorizations {}, max_iterations {}, time_limit {}",
                   options.unit_free_factor, options.max_factorizations, options.max_iterations,
                   options.time_limit);
  NSN_THROW_UNLESS(options.attempt >= 1 && options.sweeps_worth >= 0.0,
                   "attempt {}, sweeps_worth {}", options.attempt, options.sweeps_worth);
  NSN_THROW_UNLESS(options.first_sweeps.most_contacts >= 0 && options.first_sweeps.most_sweeps >= 0,
                   "first_sweeps: most_contacts {}, most_sweeps {}",
                   options.first_sweeps.most_contacts, options.first_sweeps.most_sweeps);
  const RescueOptions& rescue = options.rescue;
  NSN_THROW_UNLESS(rescue.ask_after >= 0 && rescue.relaxation > 0.0 && rescue.relaxation <= 1.0 &&
                       rescue.alpha_from_point > 0.0 && rescue.from_point >= 1 &&
                       rescue.wander >= 1 && rescue.dip > 0.0 && rescue.dip < 1.0 &&
                       rescue.dip_sweeps >= 1 && rescue.from_dip >= 1,
                   "rescue: a field is out of its range (friction_solver.h)");
  static_cast<void>(registry_.make(options.linear));  // an unknown name is the caller's mistake
  static_cast<void>(registry_.make(options.mass));
}

FrictionResult FrictionSolver::solve(const FrictionProblem& problem, ConstVector r0) const {
  return solve_local(problem, problem.dimension, r0);
}
FrictionResult FrictionSolver::solve(const BlockFrictionProblem& problem, ConstVector r0) const {
  return solve_local(problem, kBlock, r0);
}

template <class Problem>
FrictionResult FrictionSolver::solve_local(const Problem& problem, Index dimension,
                                           ConstVector r0) const {
  if (const double factor = factor_for(norm_max(problem.q)); factor != 1.0) {
    Problem same = problem;
    same.q = scaled(factor, problem.q);
    FrictionResult result = solve(same, scaled(factor, r0));
    scale_back(factor, result);
    return result;
  }
  const auto start = Clock::now();
  const OwnThread own(problem.contacts());
  FrictionResult result;
  result.method = options_.method;
  FrictionBlocks blocks = to_friction_blocks(problem);
  result.asymmetry = blocks.asymmetry;
  const Index n = problem.contacts();
  std::vector<double> start_values = padded_start(r0, dimension, n);
  const Vector padded(start_values.data(), start_values.size());
  make_room(dimension * n, result);
  std::vector<double> rho_values(to_size(n));
  const Vector rho(rho_values.data(), rho_values.size());
  contact_rho(blocks.W, rho);
  const Vector r(result.r.data(), result.r.extent(0));  // not counted as owners from call to call
  const Vector u(result.u.data(), result.u.extent(0));
  const auto measure_at = [&](ConstVector x) {
    unpad_contacts(x, dimension, r);
    multiply(problem.W, r, u);
    axpby(1.0, problem.q, 1.0, u);
    result.error = friction_error(dimension, problem.mu, rho, norm2(problem.q), r, u);
  };
  if (options_.method == FrictionMethod::kAuto && r0.extent(0) == 0 &&
      n <= options_.first_sweeps.most_contacts) {
    if (solved_by_sweeps(options_, blocks, padded, measure_at, result)) {
      result.seconds = seconds_since(start);
      return result;
    }
    fill(padded, 0.0);
  }
  DualSystem system(registry_.make(options_.linear), {.entries_for_residuals = false});
  StagedSolve solve(options_, registry_, take(blocks, system), system, &system, result, start);
  const auto measure = [&] {
    solve.best(padded);
    measure_at(padded);
  };
  solve_and_check(solve, options_, padded, measure, result);
  result.seconds = seconds_since(start);
  return result;
}

FrictionResult FrictionSolver::solve(const GlobalFrictionProblem& problem, ConstVector r0) const {
  const double load = std::max(norm_max(problem.f), norm_max(problem.w));
  if (const double factor = factor_for(load); factor != 1.0) {
    GlobalFrictionProblem same = problem;
    same.f = scaled(factor, problem.f);
    same.w = scaled(factor, problem.w);
    FrictionResult result = solve(same, scaled(factor, r0));
    scale_back(factor, result);
    return result;
  }
  const auto start = Clock::now();
  const OwnThread own(problem.contacts());
  validate(problem);
  FrictionResult result;
  result.method = options_.method;
  const Index d = problem.dimension;
  const Index n = problem.contacts();
  make_room(d * n, result);
  result.v = zero_vector(problem.dofs());
  std::vector<double> start_values = padded_start(r0, d, n);
  const Vector padded(start_values.data(), start_values.size());
  MassMatrix mass(problem.M, registry_, options_.mass);
  result.asymmetry = mass.asymmetry();
  GlobalSolve solve(options_, registry_, problem, mass, result, start);
  if (!mass.ok()) {
    solve.refuse();
  } else if (const FormChoice choice = solve.choose(); choice.primal) {
    solve.run_primal(padded, choice.reason);
    if (!result.solved() && options_.form == FrictionForm::kAuto) {
      start_values = padded_start(r0, d, n);
      solve.run_dual(Vector(start_values.data(), start_values.size()),
                     "the primal form did not converge");
    }
  } else {
    solve.run_dual(padded, choice.reason);
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace nsn
