// S x = b over nodes: the same answer as over rows, and what it refuses.
#include "nsn/core/step/reductions/primal_solver.h"

#include <string>

#include <gtest/gtest.h>

#include "bench/support/generated_systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

LinearReport solve(LinearSolver& solver, const LinearOperator& op, ConstVector b, Vector x,
                   const LinearControl& control = {.rtol = 1e-9}) {
  solver.prepare(op);
  return solver.solve(b, x, control);
}

Vector zeros_like(ConstVector v) {
  return Vector("x", v.extent(0));
}

/// |x - y| / |y|
double difference(ConstVector x, ConstVector y) {
  const Vector d = zeros_like(x);
  copy(x, d);
  axpby(-1.0, y, 1.0, d);
  return norm2(d) / norm2(y);
}

TEST(PrimalSolver, GivesTheAnswerOfTheRows) {
  const GeneratedSystem bar = tetrahedral_bar(2);
  const SchurOperator op(bar.J, bar.H_inverse, bar.C);
  ASSERT_TRUE(has_primal_form(op));
  const Vector over_rows = zeros_like(bar.b);
  const auto pcg = standard_backends().make("pcg:precond=block-jacobi");
  ASSERT_TRUE(solve(*pcg, op, bar.b, over_rows, {.rtol = 1e-12}).ok());

  for (const char* name : {"contact-lu", "pcg", "auto"}) {
    PrimalSolver primal(standard_backends().make(name));
    const Vector x = zeros_like(bar.b);
    const LinearReport report = solve(primal, op, bar.b, x);

    EXPECT_TRUE(report.ok()) << name << ": " << report.detail;
    EXPECT_LE(report.relative_residual(), 1e-9) << name;
    EXPECT_LE(difference(x, over_rows), 1e-7) << name;
    EXPECT_TRUE(report.iterations == 0 || !primal.capabilities().direct) << name;
  }
}

TEST(PrimalSolver, DigitsThatAStiffCTakesComeBack) {
  GeneratedSystem bar = tetrahedral_bar(2);
  for (Index k = 0; k < size_of(bar.C.value); ++k) bar.C.value(k) *= 1e-4;
  const SchurOperator op(bar.J, bar.H_inverse, bar.C);
  PrimalSolver primal(standard_backends().make("contact-lu"));
  const Vector x = zeros_like(bar.b);

  const LinearReport report = solve(primal, op, bar.b, x);

  EXPECT_TRUE(report.ok()) << report.detail;
  EXPECT_LE(report.relative_residual(), 1e-9);
}

TEST(PrimalSolver, StartsFromTheGuessAndKeepsToABudget) {
  const GeneratedSystem bar = tetrahedral_bar(2);
  const SchurOperator op(bar.J, bar.H_inverse, bar.C);
  PrimalSolver primal(standard_backends().make("pcg"));
  const Vector x = zeros_like(bar.b);

  const LinearReport few = solve(primal, op, bar.b, x, {.rtol = 1e-12, .iteration_budget = 5});
  EXPECT_EQ(few.status, LinearStatus::kBudgetReached) << few.detail;
  EXPECT_EQ(few.iterations, 5);

  ASSERT_TRUE(solve(primal, op, bar.b, x).ok());
  EXPECT_EQ(solve(primal, op, bar.b, x).iterations, 0);
}

TEST(PrimalSolver, NeedsARegularC) {
  GeneratedSystem bar = tetrahedral_bar(1);
  for (Index k = 0; k < kBlockSize; ++k) bar.C.value(kBlockSize + k) = 0.0;
  const SchurOperator op(bar.J, bar.H_inverse, bar.C);
  PrimalSolver primal(standard_backends().make("contact-lu"));
  const Vector x = zeros_like(bar.b);

  const LinearReport report = solve(primal, op, bar.b, x);

  EXPECT_FALSE(has_primal_form(op));
  EXPECT_EQ(report.status, LinearStatus::kSingularPivot);
  EXPECT_EQ(report.detail, "the primal form needs a regular C: block 2 is singular");
}

TEST(PrimalSolver, NeedsFactors) {
  const BlockOperator op(to_blocks(csr_from_triplets(3, 3, std::vector<Triplet>{{0, 0, 1.0}})));
  PrimalSolver primal(standard_backends().make("contact-lu"));

  EXPECT_THROW(primal.prepare(op), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
