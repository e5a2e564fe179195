// PCR, PCG and GMRES against dense algebra, and the invariants that hold whatever the matrix.
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bench/support/generated_systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/linear/gmres.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

/// F F^T with `rank` columns, rows scaled over a decade so that Jacobi has work to do.
Dense semidefinite(Index n, Index rank, unsigned seed) {
  Dense F = random_matrix(n, rank, seed);
  for (Index i = 0; i < n; ++i) F.row(i) *= std::pow(10.0, static_cast<double>(i) / n);
  return F * F.transpose();
}

Dense definite(Index n, unsigned seed) {
  return semidefinite(n, n, seed) + 0.1 * Dense::Identity(n, n);
}

struct Solved {
  LinearReport report;
  DenseVector x;
  std::vector<IterationInfo> history;
};

Solved solve(const std::string& spec, const LinearOperator& op, const Vector& b,
             const LinearControl& control = {}) {
  const auto solver = standard_backends().make(spec);
  solver->prepare(op);
  const Vector x("x", b.extent(0));
  Solved solved;
  solved.report = solver->solve(b, x, control,
                                [&](const IterationInfo& info) { solved.history.push_back(info); });
  solved.x = dense(x);
  return solved;
}

Solved solve(const std::string& spec, const Dense& A, const DenseVector& b,
             const LinearControl& control = {}) {
  const CsrOperator op(sparse(A));
  return solve(spec, op, view(b), control);
}

/// Least |b - A x| over the Krylov space of A and b of k dimensions: what MINRES and conjugate
/// residuals do in exact arithmetic.
double dense_minimum_residual(const Dense& A, const DenseVector& b, Index k) {
  Dense K(b.size(), k);
  DenseVector v = b.normalized();
  for (Index j = 0; j < k; ++j) {
    K.col(j) = v;
    v = A * v;
    for (int pass = 0; pass < 2; ++pass) {
      v -= K.leftCols(j + 1) * (K.leftCols(j + 1).transpose() * v);
    }
    v.normalize();
  }
  const Dense AK = A * K;
  return (b - AK * AK.colPivHouseholderQr().solve(b)).norm();
}

void expect_never_rising(const Solved& solved) {
  double last = HUGE_VAL;
  for (const IterationInfo& info : solved.history) {
    if (info.preconditioned == 0.0) break;  // least squares go on without the preconditioner
    // Rounding of a sum of squares.
    EXPECT_LE(info.preconditioned, last * (1.0 + 1e-12)) << "at iteration " << info.iteration;
    last = info.preconditioned;
  }
}

TEST(Pcr, PNormNeverRisesOnRandomSystems) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const char* spec : {"pcr:precond=none", "pcr", "pcr:precond=block-jacobi"}) {
      expect_never_rising(solve(spec, definite(30, seed), random_vector(30, seed + 100)));
      const Dense A = semidefinite(30, 12, seed);
      expect_never_rising(solve(spec, A, A * random_vector(30, seed + 200)));
      expect_never_rising(solve(spec, A, random_vector(30, seed + 300)));
    }
  }
}

TEST(Pcr, PNormNeverRisesOnContactSystems) {
  const GeneratedSystem systems[] = {sphere_pile({.contacts = 300}), chain(100), heavy_stack(8),
                                     tetrahedral_bar(1)};
  for (const GeneratedSystem& system : systems) {
    const SchurOperator op(system.J, system.H_inverse, system.C);
    for (const char* spec : {"pcr", "pcr:precond=block-jacobi"}) {
      const Solved solved = solve(spec, op, system.b, {.rtol = 1e-8});
      EXPECT_TRUE(solved.report.ok()) << system.name << ": " << solved.report.detail;
      expect_never_rising(solved);
    }
  }
}

TEST(Pcr, AgreesWithDenseMinresIterationByIteration) {
  const Dense A = definite(24, 7);
  const DenseVector b = random_vector(24, 8);

  const Solved solved = solve("pcr:precond=none", A, b);

  // Short recurrences lose orthogonality slowly: after ten steps eight digits are left.
  for (Index k = 1; k <= 10; ++k) {
    const double expected = dense_minimum_residual(A, b, k);
    EXPECT_NEAR(solved.history[static_cast<std::size_t>(k)].residual, expected, 1e-8 * b.norm());
  }
}

TEST(Pcr, PreconditionedEqualsMinresOnTheScaledSystem) {
  const Dense A = definite(24, 9);
  const DenseVector b = random_vector(24, 10);
  const Dense D = A.diagonal().cwiseInverse().cwiseSqrt().asDiagonal();  // P^1/2

  const Solved solved = solve("pcr", A, b);

  for (Index k = 1; k <= 10; ++k) {
    const double expected = dense_minimum_residual(D * A * D, D * b, k);
    EXPECT_NEAR(solved.history[static_cast<std::size_t>(k)].preconditioned, expected,
                1e-8 * (D * b).norm());
  }
}

TEST(Pcr, LiftedLeastSquaresEqualThePseudoInverse) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Dense A = semidefinite(20, 9, seed);
    const DenseVector b = random_vector(20, seed + 50);
    const DenseVector expected = A.completeOrthogonalDecomposition().pseudoInverse() * b;
    for (const char* spec : {"pcr:precond=none,lift=true", "pcr:lift=true"}) {
      const Solved solved = solve(spec, A, b, {.rtol = 1e-8});

      EXPECT_EQ(solved.report.status, LinearStatus::kConvergedLeastSquares) << spec;
      // |A r| <= 1e-8 |A| |r| bounds the error in the range by 1e-8 times the condition there
      // (below 1e4).
      EXPECT_LE((solved.x - expected).norm(), 1e-4 * expected.norm()) << spec;
    }
  }
}

TEST(Pcr, LeastSquaresMeansThePlainNorm) {
  const Dense A = semidefinite(20, 9, 3);
  const DenseVector b = random_vector(20, 4);
  const DenseVector residual = b - A * (A.completeOrthogonalDecomposition().pseudoInverse() * b);

  for (const char* spec : {"pcr:precond=none", "pcr", "pcr:precond=block-jacobi"}) {
    const Solved solved = solve(spec, A, b);

    EXPECT_EQ(solved.report.status, LinearStatus::kConvergedLeastSquares) << spec;
    EXPECT_NEAR(solved.report.true_residual, residual.norm(), 1e-10 * b.norm()) << spec;
  }
}

TEST(Pcr, SingularConsistentIsNoSpecialCase) {
  const Dense A = semidefinite(30, 10, 5);

  const Solved solved = solve("pcr", A, A * random_vector(30, 6));

  EXPECT_EQ(solved.report.status, LinearStatus::kConvergedRelative);
  EXPECT_LE(solved.report.iterations, 15);  // the rank is 10, some iterations for rounding
}

TEST(Pcr, NegativeCurvatureIsAStatus) {
  Dense A = definite(12, 5);
  A(3, 3) = -100.0;

  const Solved solved = solve("pcr", A, random_vector(12, 6));

  EXPECT_EQ(solved.report.status, LinearStatus::kIndefinite);
  EXPECT_NE(solved.report.detail.find("rows without a positive diagonal entry: 1"),
            std::string::npos)
      << solved.report.detail;
}

TEST(Pcr, ReportsTheResidualThatXHas) {
  const Dense A = definite(40, 11);
  const DenseVector b = random_vector(40, 12);

  const Solved solved = solve("pcr", A, b, {.rtol = 1e-13});

  EXPECT_TRUE(solved.report.ok()) << solved.report.detail;
  EXPECT_LE((b - A * solved.x).norm(), 1.01e-13 * b.norm());
}

TEST(Pcr, AToleranceBelowRoundingEndsInStagnation) {
  const Dense A = definite(40, 13);

  const Solved solved = solve("pcr", A, random_vector(40, 14), {.rtol = 1e-20});

  EXPECT_FALSE(solved.report.ok());
  EXPECT_LE(solved.report.relative_residual(), 1e-12);
}

TEST(Pcg, MinimisesTheErrorInTheEnergyNorm) {
  const Dense A = definite(20, 15);
  const DenseVector exact = random_vector(20, 16);
  double last = HUGE_VAL;
  for (int k = 1; k <= 10; ++k) {
    const Solved solved = solve("pcg", A, A * exact, {.rtol = 0.0, .iteration_budget = k});
    const DenseVector e = solved.x - exact;
    const double error = std::sqrt(e.dot(A * e));

    EXPECT_EQ(solved.report.status, LinearStatus::kBudgetReached);
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST(Gmres, AgreesWithDenseLu) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Dense A = random_matrix(30, 30, seed) + 3.0 * Dense::Identity(30, 30);
    const DenseVector b = random_vector(30, seed + 10);
    const CsrOperator op(sparse(A), false);
    for (const char* spec :
         {"gmres", "gmres:precond=none", "gmres:precond=block-jacobi", "gmres:precond=block-ilu"}) {
      const Solved solved = solve(spec, op, view(b), {.rtol = 1e-12});

      EXPECT_TRUE(solved.report.ok()) << solved.report.detail;
      EXPECT_LE(solved.report.iterations, 31);  // the dimension, one more for rounding
      // |x - x*| <= cond(A) 1e-12 |x|, cond below 1e3 here
      EXPECT_LE((solved.x - A.partialPivLu().solve(b)).norm(), 1e-9 * solved.x.norm());
    }
  }
}

TEST(Gmres, LeftPreconditionedByANeighbourNeedsFewIterations) {
  const Index n = 40;
  const Dense As = definite(n, 21);
  const Dense B = 0.05 * random_matrix(n, n, 22);
  const DenseVector b = random_vector(n, 23);
  const Eigen::LLT<Dense> factor(As);
  const LinearMap product = [&](ConstVector v, Vector y) {
    Eigen::Map<DenseVector>(y.data(), n) = (As + B) * Eigen::Map<const DenseVector>(v.data(), n);
  };
  const LinearMap inverse = [&](ConstVector v, Vector y) {
    Eigen::Map<DenseVector>(y.data(), n) = factor.solve(Eigen::Map<const DenseVector>(v.data(), n));
  };
  Gmres gmres;
  gmres.allocate(n, 100);
  const Vector x("x", n);
  LinearReport report;

  gmres.solve(product, inverse, GmresSide::kLeft, view(b), x, {.rtol = 1e-8}, {}, report);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative);
  const DenseVector preconditioned = factor.solve(b - (As + B) * dense(x));
  EXPECT_LE(preconditioned.norm(), 1.01e-8 * factor.solve(b).norm());
  EXPECT_EQ(gmres.products(), report.iterations + 2);  // the residual before and after
}

TEST(Gmres, RestartsKeepTheTolerance) {
  const Dense A = random_matrix(60, 60, 31) + 8.0 * Dense::Identity(60, 60);
  const CsrOperator op(sparse(A), false);

  const Solved solved = solve("gmres:directions=5", op, view(random_vector(60, 32)));

  EXPECT_TRUE(solved.report.ok()) << solved.report.detail;
  EXPECT_GT(solved.report.iterations, 5);
}

TEST(Krylov, SameBitsAgainAndOnOneThread) {
  const GeneratedSystem system = sphere_pile({.contacts = 4000});
  const SchurOperator op(system.J, system.H_inverse, system.C);
  for (const char* spec : {"pcr", "pcg", "gmres:directions=30", "jacobi"}) {
    const LinearControl control{.rtol = 1e-6, .iteration_budget = 30};
    const Solved first = solve(spec, op, system.b, control);
    const Solved again = solve(spec, op, system.b, control);
    const SerialScope scope;
    const Solved alone = solve(spec, op, system.b, control);

    EXPECT_EQ(first.x, again.x) << spec;
    EXPECT_EQ(first.x, alone.x) << spec;
  }
}

TEST(Krylov, TwoThreadsSolveLargeSystemsAtOnce) {
  const GeneratedSystem system = sphere_pile({.contacts = 6000});
  const LinearControl control{.rtol = 1e-6, .iteration_budget = 10};
  struct Side {
    SchurOperator op;
    std::unique_ptr<LinearSolver> solver;
    Vector x;
    void solve(const GeneratedSystem& of, const LinearControl& how) {
      solver->prepare(op);
      EXPECT_TRUE(solver->solve(of.b, x, how).ok());
    }
  };
  for (const char* spec : {"pcr", "pcg", "gmres:directions=10", "jacobi"}) {
    const auto make = [&] {
      auto side = std::make_unique<Side>(Side{SchurOperator(system.J, system.H_inverse, system.C),
                                              standard_backends().make(spec),
                                              Vector("x", system.b.extent(0))});
      return side;
    };
    const auto expected = make();
    const auto first = make();
    const auto second = make();
    expected->solve(system, control);

    std::thread a([&] { first->solve(system, control); });
    std::thread b([&] { second->solve(system, control); });
    a.join();
    b.join();

    EXPECT_EQ(dense(first->x), dense(expected->x)) << spec;
    EXPECT_EQ(dense(second->x), dense(expected->x)) << spec;
  }
}

TEST(Krylov, FormedAndFactoredSystemsHaveOneAnswer) {
  const GeneratedSystem system = sphere_pile({.contacts = 600});
  const SchurOperator factored(system.J, system.H_inverse, system.C);
  Delassus delassus;
  delassus.analyze(system.J);
  delassus.assemble(system.J, system.H_inverse, system.C.value);
  const BlockOperator formed(delassus.matrix());

  const Solved a = solve("pcr", factored, system.b);
  const Solved b = solve("pcr", formed, system.b);

  ASSERT_TRUE(a.report.ok() && b.report.ok());
  // Singular: x may differ in the null space, the motion J^T x it makes may not.
  const Dense J = dense(system.J);
  EXPECT_LE((J.transpose() * (a.x - b.x)).norm(), 1e-6 * (J.transpose() * a.x).norm());
}

TEST(Jacobi, ConvergesWhereThePlainIterationDiverges) {
  // All off-diagonal entries 0.9: the largest eigenvalue of D^-1 A is 18.1, far above 2.
  const Dense A = 0.9 * Dense::Ones(20, 20) + 0.1 * Dense::Identity(20, 20);

  EXPECT_TRUE(solve("jacobi", A, random_vector(20, 1)).report.ok());
}

TEST(GaussSeidel, ConvergesOnSingularDiagonalBlocks) {
  const Dense A = semidefinite(9, 2, 1);  // every 3x3 block has rank 2

  for (const char* spec : {"gauss-seidel", "gauss-seidel:sweep=symmetric"}) {
    EXPECT_TRUE(solve(spec, A, A * random_vector(9, 2), {.rtol = 1e-8}).report.ok()) << spec;
  }
}

}  // namespace
}  // namespace nsn
