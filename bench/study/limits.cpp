#include "bench/study/limits.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/step/spin_arm.h"
#include "nsn/core/step/step_error.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::study {
namespace {

Mat3 magnitudes(const Mat3& A) {
  Mat3 out;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out(i, j) = std::abs(A(i, j));
  }
  return out;
}
Vec3 magnitudes(const Vec3& a) {
  return {std::abs(a[0]), std::abs(a[1]), std::abs(a[2])};
}

/// k |A| |x| of the rows: value, J u and E r, and the positions behind a gap. m/s
std::vector<Vec3> of_rows(const System& system, const StepEvaluation& at, const State& state,
                          double extent) {
  std::vector<Vec3> out;
  const double position = extent / system.h;
  for (Index i = 0; i < system.blocks(); ++i) {
    Vec3 sum = magnitudes(load3(&at.value(kBlock * i))) +
               magnitudes(load9(&at.E(kBlockSize * i))) * magnitudes(load3(&state.r(kBlock * i))) +
               Vec3{position, position, position};
    int terms = 2;
    for (Index e = at.J.row_begin(i); e < at.J.row_begin(i + 1); ++e, terms += 3) {
      sum += magnitudes(load9(&at.J.value(kBlockSize * e))) *
             magnitudes(load3(&state.u(kBlock * at.J.column(e))));
    }
    out.push_back(static_cast<double>(terms) * sum);
  }
  return out;
}

/// The same of the momentum, divided by the masses: u, u_free and M^-1 J^T r. m/s, rad/s
std::vector<Vec3> of_momentum(const System& system, const StepEvaluation& at, const State& state) {
  std::vector<Vec3> impulse(static_cast<std::size_t>(system.nodes()));
  std::vector<int> terms(impulse.size(), 2);
  for (Index i = 0; i < system.blocks(); ++i) {
    for (Index e = at.J.row_begin(i); e < at.J.row_begin(i + 1); ++e) {
      const auto n = static_cast<std::size_t>(at.J.column(e));
      impulse[n] += transpose_times(magnitudes(load9(&at.J.value(kBlockSize * e))),
                                    magnitudes(load3(&state.r(kBlock * i))));
      terms[n] += 3;
    }
  }
  for (Index n = 0; n < system.nodes(); ++n) {
    Vec3& own = impulse[static_cast<std::size_t>(n)];
    own = magnitudes(load9(&system.M_inverse(kBlockSize * n))) * own +
          magnitudes(load3(&state.u(kBlock * n))) + magnitudes(load3(&system.u_free(kBlock * n)));
    own = static_cast<double>(terms[static_cast<std::size_t>(n)]) * own;
  }
  return impulse;
}

/// Largest component in m/s.
double largest_of(const System& system, const std::vector<Vec3>& nodes) {
  double largest = 0.0;
  for (Index n = 0; n < system.nodes(); ++n) {
    for (const double a : nodes[static_cast<std::size_t>(n)].a) {
      largest = std::max(largest, spin_arm(system, n) * std::abs(a));
    }
  }
  return largest;
}

/// |H^-1 J^T S^-1| nu: what errors nu of the rows move, column by column.
std::vector<Vec3> moved_by(const NewtonSystemView& view, const std::vector<Vec3>& nu) {
  const BlockCsr& J = *view.J;
  const Vector inverse("H^-1", view.H.extent(0));
  static_cast<void>(invert_blocks(view.H, inverse));
  const BlockOperator op(*view.S);
  const auto solver = standard_backends().make("contact-lu");
  solver->prepare(op);
  const auto rows = static_cast<std::size_t>(op.rows());
  const Vector unit("unit", rows);
  const Vector x("x", rows);
  const Vector impulse("J^T x", static_cast<std::size_t>(kBlock * J.columns));
  std::vector<Vec3> out(static_cast<std::size_t>(J.columns));
  for (std::size_t j = 0; j < rows; ++j) {
    Kokkos::deep_copy(unit, 0.0);
    Kokkos::deep_copy(x, 0.0);
    Kokkos::deep_copy(impulse, 0.0);
    unit(j) = 1.0;
    if (!std::isfinite(solver->solve(unit, x, {.rtol = 1e-6}).true_residual)) continue;
    add_transposed(J, 1.0, x, impulse);
    const double size = nu[j / 3][static_cast<int>(j % 3)];
    for (std::size_t n = 0; n < out.size(); ++n) {
      const auto first = static_cast<Index>(n);
      out[n] +=
          size * magnitudes(load9(&inverse(kBlockSize * first)) * load3(&impulse(kBlock * first)));
    }
  }
  return out;
}

Limits at_solution(StepEquations& equations, const NewtonSystemView& view, const State& state,
                   double extent) {
  const System& system = equations.system();
  StepEvaluation at;
  at.fit(system);
  at.evaluate(equations, state.u);
  const std::vector<Vec3> rows = of_rows(system, at, state, extent);
  const std::vector<Vec3> momentum = of_momentum(system, at, state);
  Limits out;
  for (const Vec3& v : rows) out.residual = std::max({out.residual, v[0], v[1], v[2]});
  out.residual = std::max(out.residual, largest_of(system, momentum));
  std::vector<Vec3> step = moved_by(view, rows);
  for (std::size_t n = 0; n < step.size(); ++n) step[n] += momentum[n];
  out.step = largest_of(system, step);
  return out;
}

}  // namespace

Limits unit_limits(StepEquations& equations, double extent) {
  constexpr int kIterations = 60;  // t = 0.75 leaves 4^-60 of the error at best
  const NewtonOptions options = paper_iteration(kIterations);
  const State solution = try_method(equations, options).state;
  Limits out;
  const auto last = [&](const NewtonSystemView& view) {
    if (view.iteration == kIterations - 1) out = at_solution(equations, view, solution, extent);
  };
  static_cast<void>(try_method(equations, options, {}, last));
  return out;
}

std::vector<report::ReferenceLine> limit_lines(double unit) {
  if (!(unit > 0.0) || !std::isfinite(unit)) return {};
  return {{kSingle * unit, "limit of 32 bits"}, {kDouble * unit, "limit of 64 bits"}};
}

double extent_of(const FrozenScene& scene) {
  const World world = make_scene(scene.name, scene.parameters);
  double most = 0.0;
  for (const ConstBodyRef body : world.bodies()) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(body.position[k]));
  }
  for (const ConstParticleRef p : world.particles()) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(p.position[k]));
  }
  return most;
}

}  // namespace nsn::study
