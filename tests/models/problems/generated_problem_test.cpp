// Generated problems are what their description says: the planted solution solves, the squeezed ones have a
// certificate that holds on the data as given, the others are solved or left with their true error.
#include "nsn/models/problems/generated_problem.h"

#include <cmath>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn {
namespace {

FrictionResult solve(const GeneratedProblem& made, const FrictionSolverOptions& options = {}) {
  const FrictionSolver solver(options, standard_backends());
  return std::visit([&](const auto& problem) { return solver.solve(problem); }, made.problem);
}

std::vector<double> numbers_of(const GeneratedProblem& made) {
  std::vector<double> out;
  const auto add = [&](const Vector& v) {
    out.insert(out.end(), v.data(), v.data() + v.extent(0));
  };
  if (const auto* const local = std::get_if<FrictionProblem>(&made.problem)) {
    add(local->W.value);
    add(local->q);
    add(local->mu);
  } else {
    const auto& global = std::get<GlobalFrictionProblem>(made.problem);
    for (const Vector& v : {global.M.value, global.H.value, global.f, global.w, global.mu}) add(v);
  }
  return out;
}

TEST(GeneratedProblem, OneSeedGivesOneProblemAndAnotherAnother) {
  for (const std::string& kind : generated_kinds()) {
    GeneratorOptions options{.kind = kind, .contacts = 40, .seed = 5};
    const auto first = numbers_of(generate_problem(options));
    EXPECT_FALSE(first.empty()) << kind;
    for (const double x : first) ASSERT_TRUE(std::isfinite(x)) << kind;
    EXPECT_EQ(first, numbers_of(generate_problem(options))) << kind;
    options.seed = 6;
    EXPECT_NE(first, numbers_of(generate_problem(options))) << kind;
  }
}

TEST(GeneratedProblem, HasAboutAsManyContactsAsWereAskedFor) {
  for (const std::string& kind : generated_kinds()) {
    for (const Index contacts : {40, 300}) {
      const GeneratedProblem made = generate_problem({.kind = kind, .contacts = contacts});
      const Index n = std::visit([](const auto& p) { return p.contacts(); }, made.problem);
      EXPECT_GT(n, contacts / 2) << kind;
      EXPECT_LT(n, 2 * contacts) << kind;
    }
  }
}

TEST(GeneratedProblem, WhatHasASolutionIsSolved) {
  for (const std::string& kind : generated_kinds()) {
    const GeneratedProblem made = generate_problem({.kind = kind, .contacts = 60, .seed = 2});
    if (made.existence == Existence::kInfeasible) continue;
    const FrictionResult result = solve(made);
    EXPECT_TRUE(result.solved()) << kind << ": " << to_string(result.status) << ", "
                                 << result.error.unit_free;
    EXPECT_NE(result.status, FrictionStatus::kNoSolution) << kind;
  }
}

/// z . W_NN z and q_N . z from H, M and f alone, body by body: W = H^T M^-1 H, q = H^T M^-1 f + w.
void expect_certificate(const GlobalFrictionProblem& problem, const Vector& z, double need) {
  std::vector<double> push(to_size(problem.dofs()), 0.0);  // H_N z
  double qz = 0.0;
  double qq = 0.0;
  std::vector<double> qN(to_size(problem.contacts()), 0.0);
  std::vector<double> wN(to_size(problem.contacts()),
                         0.0);  // of W's diagonal block, an upper bound of its norm
  for (Index i = 0; i < problem.dofs(); ++i) {
    const double mass = problem.M.value(i);
    for (Index k = problem.H.row_begin(i); k < problem.H.row_begin(i + 1); ++k) {
      const Index column = problem.H.column(k);
      const double h = problem.H.value(k);
      wN[to_size(column / 3)] += h * h / mass;
      if (column % 3 != 0) continue;
      push[to_size(i)] += h * z(column / 3);
      qN[to_size(column / 3)] += h * problem.f(i) / mass;
    }
  }
  double zWz = 0.0;
  for (Index i = 0; i < problem.dofs(); ++i) {
    zWz += push[to_size(i)] * push[to_size(i)] / problem.M.value(i);
  }
  for (Index c = 0; c < problem.contacts(); ++c) {
    EXPECT_GE(z(c), 0.0);
    const double q = qN[to_size(c)] + problem.w(3 * c);
    qz += q * z(c);
    qq += q * q / (wN[to_size(c)] / 3.0);  // |q_N| of scaled variables, or more
  }
  EXPECT_LT(qz, 0.0);
  // Rounding of z . W z, relative to its terms, hides larger needs.
  EXPECT_GE(-qz / std::sqrt(qq * zWz), std::min(0.1 * need, 1e4));
}

TEST(GeneratedProblem, SqueezedOnesHaveACertificateThatHoldsOnTheDataAsGiven) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index contacts = 10 + 10 * static_cast<Index>(seed);
    const GeneratedProblem made = generate_problem({.kind = "squeeze",
                                                    .contacts = contacts,
                                                    .mu = 0.1 * static_cast<double>(seed),
                                                    .seed = seed});
    const FrictionResult result = solve(made);
    ASSERT_EQ(result.status, FrictionStatus::kNoSolution) << seed;
    EXPECT_GE(result.certificate.need, NoSolutionOptions{}.need);
    expect_certificate(std::get<GlobalFrictionProblem>(made.problem), result.certificate.z,
                       result.certificate.need);
  }
}

/// The convex problem: x in K, u in K*, x . u = 0, with u itself and not u + mu |u_T| e_N.
TEST(Associated, SolvesTheConvexProblem) {
  for (const double mu : {0.0, 0.4, 2.0}) {
    const GeneratedProblem made =
        generate_problem({.kind = "closed-box", .contacts = 60, .mu = mu});
    FrictionSolverOptions options;
    options.method = FrictionMethod::kAssociated;
    options.form = FrictionForm::kDual;
    const FrictionResult result = solve(made, options);
    const double speed = norm_max(result.u);
    const double impulse = norm_max(result.r);
    ASSERT_GT(impulse, 0.0);
    double product = 0.0;
    for (Index i = 0; i < size_of(result.r) / 3; ++i) {
      const double* const r = &result.r(3 * i);
      const double* const u = &result.u(3 * i);
      EXPECT_LE(std::hypot(r[1], r[2]), mu * r[0] + 1e-12 * impulse) << i;
      EXPECT_GE(u[0], mu * std::hypot(u[1], u[2]) - 1e-6 * speed) << i;
      product += r[0] * u[0] + r[1] * u[1] + r[2] * u[2];
    }
    EXPECT_LE(std::abs(product), 1e-6 * impulse * speed) << mu;
    if (mu == 0.0) {
      EXPECT_TRUE(result.solved());  // it is Coulomb's problem then
    }
  }
}

TEST(ShiftMap, SolvesPackingsThatProximalNewtonAloneDoesNot) {
  const GeneratedProblem made =
      generate_problem({.kind = "closed-box", .contacts = 200, .mu = 0.8, .seed = 102});
  FrictionSolverOptions options;
  options.form = FrictionForm::kDual;
  options.method = FrictionMethod::kShiftMap;
  options.max_factorizations = 8000;
  EXPECT_TRUE(solve(made, options).solved());
}

TEST(GeneratedProblem, RefusesWhatCannotBe) {
  EXPECT_THROW(generate_problem({.kind = "closed-bax"}), std::invalid_argument);
  EXPECT_THROW(generate_problem({.kind = "wall", .contacts = 3}), std::invalid_argument);
  EXPECT_THROW(generate_problem({.kind = "stack", .contacts = 2'000'000}), std::invalid_argument);
  EXPECT_THROW(generate_problem({.mu = -0.1}), std::invalid_argument);
  EXPECT_THROW(generate_problem({.kind = "random-delassus", .rank = 0.0}), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
