#include "nsn/core/step/swept_step.h"

#include <numeric>
#include <span>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/law_map.h"

namespace nsn {
namespace {

// Costs in operations: a pair of rows that share a node (memory touched for the first time included), a
// block of J in a sweep, a block of rows in it.
constexpr double kFormPair = 600.0;
constexpr double kSweepEntry = 100.0;
constexpr double kSweepRow = 400.0;
constexpr double kGainRounding = 1e-9;  // of the kinetic energies: what rounding makes of no gain
constexpr int kPasses =
    8;  // sweeps between two measurements of the error, each about as long as one
constexpr int kPatience = 50;  // guard: measurements in which the error must be halved

}  // namespace

double pairs_of_rows(const System& system) {
  std::vector<double> rows(to_size(system.nodes()), 0.0);
  for (std::size_t k = 0; k < system.column.extent(0); ++k) ++rows[to_size(system.column(k))];
  double pairs = 0.0;
  for (const double count : rows) pairs += count * count;
  return pairs;
}

double forming_operations(const System& system) {
  return kFormPair * pairs_of_rows(system);
}

double SweptStep::operations(int passes) const {
  return passes * (kSweepEntry * rows_.J.blocks() + kSweepRow * rows_.J.rows);
}

/// v = value + J (u - u_start), u = u_free + M^-1 J^T r.
void SweptStep::linearise(StepEquations& equations) {
  const System& system = equations.system();
  rows_.fit(system);
  at_.fit(system);
  rows_.evaluate(equations, system.u_start);
  const BlockCsr& J = rows_.J;
  laws_.assign(system.laws.begin(), system.laws.end());
  all_.resize(laws_.size());
  std::iota(all_.begin(), all_.end(), 0);
  factor_.resize(to_size(kBlockSize * J.blocks()));
  diagonal_.assign(kBlockSize * laws_.size(), 0.0);
  for (Index i = 0; i < J.rows; ++i) {
    Mat3 D = load9(&rows_.E(kBlockSize * i));
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Mat3 J_k = load9(&J.value(kBlockSize * k));
      const Mat3 Y = J_k * load9(&system.M_inverse(kBlockSize * J.column(k)));
      store9(&factor_[to_size(kBlockSize * k)], Y);
      D = D + Y * transpose(J_k);
    }
    store9(&diagonal_[to_size(kBlockSize * i)], D);
  }
  begin_.resize(laws_.size() + 1);
  std::iota(begin_.begin(), begin_.end(), 0);
  W_.rows = W_.columns = J.rows;
  W_.row_begin = IndexVector(begin_.data(), begin_.size());
  W_.column = IndexVector(all_.data(), all_.size());
  W_.value = Vector(diagonal_.data(), diagonal_.size());
  const auto rows = static_cast<std::size_t>(system.rows());
  x_ = Vector("x", rows);
  q_ = Vector("q", rows);
  ones_ = Vector("1", rows);
  fill(ones_, 1.0);
  u_ = Vector("u", static_cast<std::size_t>(system.dofs()));
  push_ = Vector("push", u_.extent(0));
  copy(system.u_free, u_);
  axpby(-1.0, system.u_start, 1.0, u_);
  rows_.apply(u_, q_);
  axpby(1.0, rows_.value, 1.0, q_);
  sweeps_ = std::make_unique<ContactGaussSeidel>(W_, laws_);
  sweeps_->use_factors(J, ConstVector(factor_.data(), factor_.size()), ones_);
}

void SweptStep::sweep(StepEquations& equations, int passes) {
  const System& system = equations.system();
  const WorkClock::Unit unit(clock_, Work::kSweep, operations(passes + 1));
  sweeps_->sweep(q_, x_, passes);
  State state{u_, duplicate(x_)};
  rows_.apply_transposed(state.r, push_);
  multiply_blocks(system.M_inverse, duplicate(push_), push_);
  const GuardedStep guarded{
      .motion = system.u_free, .J = &rows_.J, .q = q_, .kept = std::span<const Index>(all_)};
  EnergyGuard::limit(system, guarded, state.r, push_);
  copy(system.u_free, u_);
  axpby(1.0, push_, 1.0, u_);
  at_.evaluate(equations, u_);
  best_.offer(state, at_.error(system, u_, state.r));
}

void SweptStep::start(StepEquations& equations, ConstVector r) {
  linearise(equations);
  best_.reset(equations.system());
  copy(r, x_);
  for (Index i = 0; i < rows_.J.rows; ++i) clip(laws_[to_size(i)], &x_(kBlock * i));
  sweep(equations, 1);
  idle_ = 0;
  halved_ = error().total;
}

bool SweptStep::gains_energy(StepEquations& equations, const State& state) {
  const System& system = equations.system();
  at_.fit(system);
  at_.evaluate(equations, state.u);
  std::vector<double> room(to_size(system.rows()));
  const Vector v(room.data(), room.size());
  multiply_blocks(at_.E, state.r, v);
  axpby(1.0, at_.value, 1.0, v);
  const double size = inner(system.M, state.u, state.u) +
                      inner(system.M, system.u_start, system.u_start) +
                      inner(system.M, system.weight, system.weight);
  return EnergyGuard::gain(system, at_.J, v, state) > kGainRounding * size;
}

bool SweptStep::go_on(StepEquations& equations) {
  const int passes = clock_.fits(Work::kSweep, operations(kPasses + 1)) ? kPasses : 1;
  if (idle_ > kPatience || !clock_.fits(Work::kSweep, operations(passes + 1))) return false;
  sweep(equations, passes);
  ++idle_;
  if (error().total < 0.5 * halved_) {
    halved_ = error().total;
    idle_ = 0;
  }
  return true;
}

}  // namespace nsn
