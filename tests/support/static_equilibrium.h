/// Static equilibrium of force laws by a damped Newton method: f(x) + load = 0 on the free
/// unknowns; and the lowest frequency of small vibrations about it.
///
/// Independent of the time-stepping driver: it uses energy, force and stiffness of a law alone.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/models/deformable/generalised_compliance.h"

namespace nsn::test {

struct StaticResult {
  int iterations = 0;
  double residual = 0.0;  ///< |f + load| over free unknowns, N
  bool converged = false;
};

class StaticEquilibrium {
 public:
  /// fixed[k] != 0: unknown k keeps its value.
  StaticEquilibrium(GeneralisedCompliance& law, std::vector<char> fixed)
      : law_(law), fixed_(std::move(fixed)), A_(law.stiffness_pattern()), op_(A_) {
    work_ = Vector("work", fixed_.size());
    const SolverRegistry registry = standard_backends();
    const bool direct = registry.info("cholmod").available();
    solver_ = registry.make(direct ? "cholmod" : "pcg:precond=block-jacobi");
  }

  /// Moves x to equilibrium with the load (N, per unknown). shift: added to the diagonal, as a
  /// share of its mean, where rigid motions are free.
  StaticResult solve(Vector x, ConstVector load, double tolerance, int max_iterations = 100,
                     double shift = 0.0) {
    StaticResult result;
    Vector g("g", x.extent(0));
    Vector step("step", x.extent(0));
    Vector trial("trial", x.extent(0));
    for (; result.iterations < max_iterations; ++result.iterations) {
      if (law_.evaluate(x, 1.0) >= 0) return result;
      residual(load, g);
      result.residual = norm(g);
      result.converged = result.residual <= tolerance;
      if (result.converged) return result;
      assemble(shift);
      Kokkos::deep_copy(step, 0.0);
      solver_->prepare(op_);
      if (!solver_->solve(g, step, {.rtol = 1e-6, .max_iterations = 20000}).ok()) return result;
      if (!search(x, load, g, step, trial)) return result;
    }
    return result;
  }

  /// Lowest w of K y = w^2 M y at x, rad/s, by inverse iteration from `y`; mass: of each node, kg.
  double lowest_frequency(ConstVector x, ConstVector mass, Vector y) {
    EXPECT_EQ(law_.evaluate(x, 1.0), -1);
    assemble(0.0);
    solver_->prepare(op_);
    Vector b("b", y.extent(0));
    double w = 0.0;
    for (int k = 0; k < 10; ++k) {  // the next frequency of a bar is six times higher: 1e-15
      double before = 0.0;
      double after = 0.0;
      for (std::size_t i = 0; i < y.extent(0); ++i) {
        b(i) = fixed_[i] != 0 ? 0.0 : mass(i / 3) * y(i);
        before += b(i) * y(i);
      }
      EXPECT_TRUE(solver_->solve(b, y, {.rtol = 1e-6, .max_iterations = 20000}).ok());
      for (std::size_t i = 0; i < y.extent(0); ++i) after += b(i) * y(i);
      w = std::sqrt(before / after);
      for (std::size_t i = 0; i < y.extent(0); ++i) y(i) *= w * w;
    }
    return w;
  }

 private:
  static double norm(ConstVector v) {
    double sum = 0.0;
    for (std::size_t k = 0; k < v.extent(0); ++k) sum += v(k) * v(k);
    return std::sqrt(sum);
  }

  void residual(ConstVector load, Vector g) const {
    Kokkos::deep_copy(g, load);
    law_.add_force(g);
    for (std::size_t k = 0; k < fixed_.size(); ++k) {
      if (fixed_[k] != 0) g(k) = 0.0;
    }
  }

  double potential(ConstVector x, ConstVector load) const {
    double sum = law_.energy(x);
    for (std::size_t k = 0; k < x.extent(0); ++k) sum -= load(k) * x(k);
    return sum;
  }

  void assemble(double shift) {
    Kokkos::deep_copy(A_.value, 0.0);
    law_.add_stiffness(StiffnessPart::kTotal, 1.0, A_);
    double trace = 0.0;
    for_diagonal([&](std::size_t, double& a) { trace += a; });
    const double mean = trace / static_cast<double>(fixed_.size());
    for (Index i = 0; i < A_.rows; ++i) {
      for (Index k = A_.row_begin(i); k < A_.row_begin(i + 1); ++k) {
        for (Index e = 0; e < 9; ++e) {
          const auto row = static_cast<std::size_t>(3 * i + e / 3);
          const auto column = static_cast<std::size_t>(3 * A_.column(k) + e % 3);
          if (fixed_[row] != 0 || fixed_[column] != 0) A_.value(9 * k + e) = 0.0;
        }
      }
    }
    for_diagonal([&](std::size_t k, double& a) { a = fixed_[k] != 0 ? mean : a + shift * mean; });
    op_.values_changed();
  }

  template <class Body>
  void for_diagonal(const Body& body) {
    for (Index i = 0; i < A_.rows; ++i) {
      for (Index k = A_.row_begin(i); k < A_.row_begin(i + 1); ++k) {
        if (A_.column(k) != i) continue;
        for (Index e = 0; e < 3; ++e)
          body(static_cast<std::size_t>(3 * i + e), A_.value(9 * k + 4 * e));
      }
    }
  }

  // Near the solution energies differ by rounding only: the force decides.
  bool reduces(ConstVector trial, ConstVector load, ConstVector g) {
    if (law_.evaluate(trial, 1.0) >= 0) return false;
    residual(load, work_);
    return norm(work_) < 0.5 * norm(g);
  }

  // Halves the step until the potential or the residual falls.
  bool search(Vector x, ConstVector load, ConstVector g, ConstVector step, Vector trial) {
    double slope = 0.0;
    for (std::size_t k = 0; k < x.extent(0); ++k) slope -= g(k) * step(k);
    const double before = potential(x, load);
    for (double t = 1.0; t > 1e-10; t *= 0.5) {
      for (std::size_t k = 0; k < x.extent(0); ++k) trial(k) = x(k) + t * step(k);
      if (potential(trial, load) > before + 1e-4 * t * slope && !reduces(trial, load, g)) continue;
      Kokkos::deep_copy(x, trial);
      return true;
    }
    return false;
  }

  GeneralisedCompliance& law_;
  std::vector<char> fixed_;
  BlockCsr A_;
  BlockOperator op_;
  std::unique_ptr<LinearSolver> solver_;
  Vector work_;
};

}  // namespace nsn::test
