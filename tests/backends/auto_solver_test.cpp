// The solver "auto": what it chooses, and what it does where that fails.
#include <string>

#include <gtest/gtest.h>

#include "bench/support/generated_systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

struct Answer {
  LinearReport report;
  DenseVector x;
};

Answer solve(const LinearOperator& op, ConstVector b, const LinearControl& control = {}) {
  const auto solver = standard_backends().make("auto");
  solver->prepare(op);
  const Vector x("x", static_cast<std::size_t>(op.rows()));
  Answer answer;
  answer.report = solver->solve(b, x, control);
  answer.x = dense(x);
  return answer;
}

/// J H^-1 J^T + C
class Assembled {
 public:
  explicit Assembled(const GeneratedSystem& system) {
    S_.analyze(system.J);
    S_.assemble(system.J, system.H_inverse, system.C.value);
  }
  BlockOperator op() const { return BlockOperator(S_.matrix()); }

 private:
  Delassus S_;
};

/// F F^T of full rank: every block is there.
Dense dense_matrix(Index n) {
  const Dense F = random_matrix(n, n, 3);
  return F * F.transpose() + Dense::Identity(n, n);
}

TEST(AutoSolver, ADenseMatrixGoesToFactors) {
  const Dense A = dense_matrix(60);
  const BlockOperator op(to_blocks(sparse(A)));
  const DenseVector b = random_vector(60, 4);

  const Answer answer = solve(op, view(b), {.rtol = 1e-8});

  EXPECT_TRUE(answer.report.ok()) << answer.report.detail;
  EXPECT_LE((A * answer.x - b).norm(), 1e-8 * b.norm());
  EXPECT_EQ(answer.report.iterations, 0);
  EXPECT_EQ(answer.report.detail, "contact-lu: a small system");
}

TEST(AutoSolver, ALargePileGoesToIncompleteFactors) {
  const GeneratedSystem system = sphere_pile({.contacts = 2500});
  const Assembled S(system);
  const BlockOperator op = S.op();

  const Answer answer = solve(op, system.b, {.rtol = 1e-8});

  EXPECT_TRUE(answer.report.ok()) << answer.report.detail;
  EXPECT_GT(answer.report.iterations, 0) << answer.report.detail;
  EXPECT_EQ(answer.report.detail.find("pcg:precond=block-ilu: predicted"), 0U)
      << answer.report.detail;
}

TEST(AutoSolver, WithoutEntriesItIterates) {
  const GeneratedSystem system = heavy_stack(4);
  const SchurOperator op(system.J, system.H_inverse, system.C);

  const Answer answer = solve(op, system.b, {.rtol = 1e-8});

  EXPECT_TRUE(answer.report.ok()) << answer.report.detail;
  EXPECT_EQ(answer.report.detail, "pcr: the matrix is not formed");
}

TEST(AutoSolver, FactorsOfElasticRowsAreSolvedOverNodes) {
  const GeneratedSystem bar = tetrahedral_bar(3);
  const SchurOperator op(bar.J, bar.H_inverse, bar.C);

  const Answer answer = solve(op, bar.b, {.rtol = 1e-8});

  EXPECT_TRUE(answer.report.ok()) << answer.report.detail;
  EXPECT_LE(answer.report.relative_residual(), 1e-8);
  EXPECT_EQ(answer.report.iterations, 0);
  EXPECT_EQ(answer.report.detail.find("primal contact-lu: predicted"), 0U) << answer.report.detail;
}

TEST(AutoSolver, WhatFailedIsSaidAndTheNextIsTaken) {
  Dense A = dense_matrix(60);  // dense, but for a contact without a mass to move: a zero pivot
  A.bottomRows(3).setZero();
  A.rightCols(3).setZero();
  Csr full = sparse(dense_matrix(60));
  for (Index i = 0; i < 60; ++i) {
    for (Index k = full.row_begin(i); k < full.row_begin(i + 1); ++k) {
      full.value(k) = A(i, full.column(k));
    }
  }
  const BlockOperator op(to_blocks(full));
  const DenseVector b = A * random_vector(60, 1);

  const Answer answer = solve(op, view(b), {.rtol = 1e-8});

  EXPECT_TRUE(answer.report.ok()) << answer.report.detail;
  EXPECT_LE((A * answer.x - b).norm(), 1e-8 * b.norm());
  EXPECT_NE(answer.report.detail.find("ended with"), std::string::npos) << answer.report.detail;
}

TEST(AutoSolver, ABudgetIsABudget) {
  const GeneratedSystem system = sphere_pile({.contacts = 2500});
  const Assembled S(system);
  const BlockOperator op = S.op();

  const Answer answer = solve(op, system.b, {.rtol = 1e-12, .iteration_budget = 3});

  EXPECT_EQ(answer.report.status, LinearStatus::kBudgetReached);
  EXPECT_EQ(answer.report.iterations, 3);
}

}  // namespace
}  // namespace nsn
