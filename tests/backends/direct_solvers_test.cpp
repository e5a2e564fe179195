// What is particular to the direct backends; what all backends share is in the contract suite.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

Vector vector(const std::vector<double>& values) {
  Vector v("v", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) v(i) = values[i];
  return v;
}

Csr dense(Index n, const std::vector<double>& values) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double value = values[static_cast<std::size_t>(i * n + j)];
      if (value != 0.0) triplets.push_back({i, j, value});
    }
  }
  return csr_from_triplets(n, n, triplets);
}

// 5-point Laplacian on a grid of side x side, shifted: enough fill for dense panels.
Csr grid(Index side, double shift) {
  std::vector<Triplet> t;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      const Index k = i * side + j;
      t.push_back({k, k, 4.0 + shift});
      if (i > 0) t.push_back({k, k - side, -1.0});
      if (j > 0) t.push_back({k, k - 1, -1.0});
      if (i + 1 < side) t.push_back({k, k + side, -1.0});
      if (j + 1 < side) t.push_back({k, k + 1, -1.0});
    }
  }
  return csr_from_triplets(side * side, side * side, t);
}

class Direct : public ::testing::Test {
 protected:
  LinearReport solve(std::string_view spec, const LinearOperator& op, ConstVector b, Vector x) {
    solver_ = registry_.make(spec);
    solver_->prepare(op);
    return solver_->solve(b, x);
  }
  bool lacks(std::string_view name) const { return !registry_.info(name).available(); }

  SolverRegistry registry_ = standard_backends();
  std::unique_ptr<LinearSolver> solver_;
};

class CholmodMethod : public Direct, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (lacks("cholmod")) GTEST_SKIP() << registry_.info("cholmod").reason;
    const auto& choices = registry_.info("cholmod").options.front().choices;
    if (std::find(choices.begin(), choices.end(), GetParam()) == choices.end()) {
      GTEST_SKIP() << "built without the GPL modules of CHOLMOD";
    }
    spec_ = std::string("cholmod:method=") + GetParam();
  }
  std::string spec_;
};

INSTANTIATE_TEST_SUITE_P(, CholmodMethod, ::testing::Values("simplicial", "supernodal", "auto"),
                         [](const auto& method) { return std::string(method.param); });

TEST_P(CholmodMethod, SolvesAGridToRounding) {
  const CsrOperator op(grid(30, 0.0));
  Vector x("x", 900);
  Vector b("b", 900);
  for (Index i = 0; i < 900; ++i) b(i) = std::sin(i);

  const LinearReport report = solve(spec_, op, b, x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative);
  // The condition number is about 400: 1e-13 leaves three digits for rounding.
  EXPECT_LE(report.relative_residual(), 1e-13);
  EXPECT_GT(report.bytes_held, 12.0 * op.scalars()->nonzeros());
  EXPECT_GT(report.bytes_moved, 12.0 * op.scalars()->nonzeros());
}

TEST_P(CholmodMethod, NamesTheRowOfASingularPivot) {
  // Rows 1 and 3 are alike: eliminating one leaves zero of the other.
  const CsrOperator op(dense(4, {4, 1, 0, 1,  //
                                 1, 5, 2, 5,  //
                                 0, 2, 6, 2,  //
                                 1, 5, 2, 5}));
  Vector x("x", 4);

  const LinearReport report = solve(spec_, op, vector({1, 2, 3, 4}), x);

  EXPECT_EQ(report.status, LinearStatus::kSingularPivot) << report.detail;
  EXPECT_TRUE(report.detail.find("row 1") != std::string::npos ||
              report.detail.find("row 3") != std::string::npos)
      << report.detail;
}

TEST_P(CholmodMethod, NamesTheRowOfANegativePivot) {
  const CsrOperator op(dense(3, {2, 0, 0,   //
                                 0, -3, 0,  //
                                 0, 0, 1}));
  Vector x("x", 3);

  const LinearReport report = solve(spec_, op, vector({1, 2, 3}), x);

  EXPECT_EQ(report.status, LinearStatus::kIndefinite);
  EXPECT_NE(report.detail.find("-3.000e+00 at row 1"), std::string::npos) << report.detail;
}

TEST_P(CholmodMethod, FindsTheFirstNegativePivotInAGrid) {
  // Smallest eigenvalue 8 sin^2(pi/62) = 0.0205: a shift of -0.03 makes exactly one negative.
  const CsrOperator op(grid(30, -0.03));
  Vector x("x", 900);
  Vector b("b", 900);
  Kokkos::deep_copy(b, 1.0);

  const LinearReport report = solve(spec_, op, b, x);

  EXPECT_EQ(report.status, LinearStatus::kIndefinite) << report.detail;
}

TEST_P(CholmodMethod, RegularisationWithRefinementSolvesAConsistentSingularSystem) {
  // A chain of springs without a support: null vector (1, 1, ..., 1), b orthogonal to it.
  const CsrOperator op(dense(4, {1, -1, 0, 0,   //
                                 -1, 2, -1, 0,  //
                                 0, -1, 2, -1,  //
                                 0, 0, -1, 1}));
  Vector x("x", 4);

  const LinearReport report =
      solve(spec_ + ",regularisation=1e-8,refine=5", op, vector({1, 0, 0, -1}), x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << report.detail;
  EXPECT_NEAR(x(0) - x(3), 3.0, 1e-9);  // rtol 1e-10, and |S^+| is about 2
}

TEST_P(CholmodMethod, RegularisationReachesAMissingDiagonal) {
  const CsrOperator op(dense(2, {3, 0, 0, 0}));
  Vector x("x", 2);

  const LinearReport report = solve(spec_ + ",regularisation=1e-6", op, vector({3, 0}), x);

  EXPECT_TRUE(report.ok()) << report.detail;
  EXPECT_NEAR(x(0), 1.0, 1e-10);
  EXPECT_EQ(x(1), 0.0);
}

TEST_P(CholmodMethod, RecoversAfterAFailureOnTheSamePattern) {
  const Csr A = grid(20, -1.0);
  CsrOperator op(A);
  Vector x("x", 400);
  Vector b("b", 400);
  Kokkos::deep_copy(b, 1.0);
  EXPECT_EQ(solve(spec_, op, b, x).status, LinearStatus::kIndefinite);

  Kokkos::deep_copy(A.value, grid(20, 1.0).value);
  op.values_changed();
  solver_->prepare(op);

  EXPECT_EQ(solver_->solve(b, x).status, LinearStatus::kConvergedRelative);
}

TEST_F(Direct, CholmodListsOnlyMethodsOfItsLicence) {
  if (lacks("cholmod")) GTEST_SKIP() << registry_.info("cholmod").reason;
  const SolverInfo& info = registry_.info("cholmod");
  const auto& choices = info.options.front().choices;
  const bool supernodal = std::find(choices.begin(), choices.end(), "supernodal") != choices.end();

  EXPECT_NE(info.licence.find("LGPL-2.1+"), std::string::npos);
  EXPECT_EQ(info.licence.find("GPL-2+ (CHOLMOD Supernodal)") != std::string::npos, supernodal);
}

TEST_F(Direct, EigenLdltNamesTheRowOfASingularPivot) {
  if (lacks("eigen-ldlt")) GTEST_SKIP() << registry_.info("eigen-ldlt").reason;
  for (const char* spec : {"eigen-ldlt", "eigen-ldlt:ordering=natural"}) {
    // Row 2 is zero; an arrow, so that the ordering moves rows about.
    const CsrOperator op(dense(5, {9, 1, 0, 1, 1,  //
                                   1, 5, 0, 0, 0,  //
                                   0, 0, 0, 0, 0,  //
                                   1, 0, 0, 6, 0,  //
                                   1, 0, 0, 0, 7}));
    Vector x("x", 5);

    const LinearReport report = solve(spec, op, vector({1, 2, 3, 4, 5}), x);

    EXPECT_EQ(report.status, LinearStatus::kSingularPivot);
    EXPECT_NE(report.detail.find("row 2,"), std::string::npos) << report.detail;
  }
}

TEST_F(Direct, EigenLdltSolvesAnIndefiniteMatrixWhosePivotsDoNotVanish) {
  if (lacks("eigen-ldlt")) GTEST_SKIP() << registry_.info("eigen-ldlt").reason;
  // Quasi-definite, [[D, B], [B^T, -D]]: every order of elimination has nonzero pivots.
  const CsrOperator op(dense(4, {2, 0, 1, 1,   //
                                 0, 3, 0, 1,   //
                                 1, 0, -2, 0,  //
                                 1, 1, 0, -3}));
  Vector x("x", 4);
  Vector b("b", 4);
  op.apply(vector({1, 2, 3, 4}), b);

  const LinearReport report = solve("eigen-ldlt", op, b, x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative);
  EXPECT_NEAR(x(3), 4.0, 1e-12);  // condition number below 10
}

TEST_F(Direct, EigenLdltFailsHonestlyWhereItWouldHaveToPivot) {
  if (lacks("eigen-ldlt")) GTEST_SKIP() << registry_.info("eigen-ldlt").reason;
  const CsrOperator op(dense(2, {0, 1, 1, 0}));
  Vector x("x", 2);

  const LinearReport report = solve("eigen-ldlt", op, vector({1, 2}), x);

  EXPECT_EQ(report.status, LinearStatus::kSingularPivot) << report.detail;
}

TEST_F(Direct, KluSolvesUnsymmetricSystems) {
  if (lacks("klu")) GTEST_SKIP() << registry_.info("klu").reason;
  // A permuted cycle with one shortcut: no diagonal entry at all.
  const CsrOperator op(dense(3, {0, 2, 0,  //
                                 0, 1, 4,  //
                                 5, 0, 0}),
                       false);
  Vector x("x", 3);

  const LinearReport report = solve("klu", op, vector({2, 9, 10}), x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << report.detail;
  EXPECT_DOUBLE_EQ(x(0), 2.0);
  EXPECT_DOUBLE_EQ(x(1), 1.0);
  EXPECT_DOUBLE_EQ(x(2), 2.0);
}

TEST_F(Direct, KluChoosesPivotsAnewWhenTheOldOnesTurnPoor) {
  if (lacks("klu")) GTEST_SKIP() << registry_.info("klu").reason;
  // The diagonal serves as pivot in the first matrix and is next to nothing in the second.
  const Csr A = dense(2, {1, 2, 3, 1});
  CsrOperator op(A, false);
  Vector x("x", 2);
  EXPECT_TRUE(solve("klu", op, vector({3, 4}), x).ok());
  A.value(0) = 1e-14;
  A.value(3) = 1e-14;
  op.values_changed();
  Kokkos::deep_copy(x, 0.0);

  solver_->prepare(op);
  const LinearReport report = solver_->solve(vector({2, 3}), x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative);
  EXPECT_NE(report.detail.find("new ones were chosen"), std::string::npos) << report.detail;
  EXPECT_NEAR(x(0), 1.0, 1e-13);
  EXPECT_NEAR(x(1), 1.0, 1e-13);
}

TEST_F(Direct, KluRefactorisesQuietlyWhenTheOldPivotsServe) {
  if (lacks("klu")) GTEST_SKIP() << registry_.info("klu").reason;
  const Csr A = grid(20, 0.0);
  CsrOperator op(A);
  Vector x("x", 400);
  Vector b("b", 400);
  Kokkos::deep_copy(b, 1.0);
  EXPECT_TRUE(solve("klu", op, b, x).ok());

  Kokkos::deep_copy(A.value, grid(20, 0.5).value);
  op.values_changed();
  solver_->prepare(op);
  const LinearReport report = solver_->solve(b, x);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative);
  EXPECT_EQ(report.detail, "");
}

TEST_F(Direct, KluNamesTheRowOfASingularPivot) {
  if (lacks("klu")) GTEST_SKIP() << registry_.info("klu").reason;
  // Row 2 is the sum of rows 0 and 1.
  const CsrOperator op(dense(3, {1, 2, 0,  //
                                 0, 3, 1,  //
                                 1, 5, 1}),
                       false);
  Vector x("x", 3);

  const LinearReport report = solve("klu", op, vector({1, 1, 3}), x);

  EXPECT_EQ(report.status, LinearStatus::kSingularPivot);
  EXPECT_NE(report.detail.find("row "), std::string::npos) << report.detail;
}

TEST_F(Direct, KluDoesNotTakeBadScalingForSingularity) {
  if (lacks("klu")) GTEST_SKIP() << registry_.info("klu").reason;
  // diag(1e-12, 1, 1e12) A diag(1e9, 1, 1e-9) with a well-conditioned A.
  const double rows[3] = {1e-12, 1.0, 1e12};
  const double columns[3] = {1e9, 1.0, 1e-9};
  std::vector<double> values = {4, 1, 0, 2, 5, 1, 0, 3, 6};
  for (std::size_t i = 0; i < 9; ++i) values[i] *= rows[i / 3] * columns[i % 3];
  const CsrOperator op(dense(3, values), false);
  Vector x("x", 3);
  Vector b("b", 3);
  op.apply(vector({1e-9, 1.0, 1e9}), b);

  const LinearReport report = solve("klu", op, b, x);

  EXPECT_TRUE(report.ok()) << report.detail;
  EXPECT_NEAR(x(1), 1.0, 1e-12);
}

// Every tenth row is coupled, in a grid of them; the others have a diagonal entry alone.
TEST_F(Direct, ContactLuLeavesUncoupledRowsOutWhateverTheirDiagonalIs) {
  const Csr coupled = grid(6, 1.0);
  const Index n = 10 * coupled.rows;
  std::vector<Triplet> entries;
  for (Index i = 0; i < coupled.rows; ++i) {
    for (Index k = coupled.row_begin(i); k < coupled.row_begin(i + 1); ++k) {
      entries.push_back({10 * i, 10 * coupled.column(k), coupled.value(k)});
    }
  }
  for (Index i = 0; i < n; ++i) {
    if (i % 10 != 0) entries.push_back({i, i, 0.5 + i});
    if (i + 3 < n) entries.push_back({i, i + 3, 0.0});  // stored, and zero
    if (i + 3 < n) entries.push_back({i + 3, i, 0.0});
  }
  const CsrOperator op(csr_from_triplets(n, n, entries), true);
  const CsrOperator small(coupled, true);
  const Vector b("b", to_size(n));
  const Vector b_small("b", to_size(coupled.rows));
  for (Index i = 0; i < n; ++i) b(i) = 1.0 + i % 7;
  for (Index i = 0; i < coupled.rows; ++i) b_small(i) = b(10 * i);
  const Vector x("x", to_size(n));
  const Vector x_small("x", to_size(coupled.rows));

  const LinearReport report = solve("contact-lu", op, b, x);
  ASSERT_TRUE(report.ok()) << report.detail;
  ASSERT_TRUE(solve("contact-lu", small, b_small, x_small).ok());

  for (Index i = 0; i < n; ++i) {
    const double expected = i % 10 == 0 ? x_small(i / 10) : b(i) / (0.5 + i);
    EXPECT_NEAR(x(i), expected, 1e-14 * std::abs(expected)) << i;
  }
}

}  // namespace
}  // namespace nsn
