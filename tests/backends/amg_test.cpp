// What is particular to algebraic multigrid; what all backends share is in the contract suite.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/support/generated_systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/reductions/delassus.h"
#include "nsn/tests/contract/contract_systems.h"

namespace nsn {
namespace {

// 5-point Laplacian on a grid of side x side: what multigrid was made for.
Csr grid(Index side, double scale = 1.0) {
  std::vector<Triplet> t;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      const Index k = i * side + j;
      t.push_back({k, k, 4.0 * scale});
      if (i > 0) t.push_back({k, k - side, -scale});
      if (j > 0) t.push_back({k, k - 1, -scale});
      if (i + 1 < side) t.push_back({k, k + side, -scale});
      if (j + 1 < side) t.push_back({k, k + 1, -scale});
    }
  }
  return csr_from_triplets(side * side, side * side, t);
}

Vector waves(Index n) {
  Vector b("b", static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) b(i) = std::sin(0.7 * i);
  return b;
}

class Amg : public ::testing::Test {
 protected:
  void SetUp() override {
    const SolverInfo& info = registry_.info("amg");
    if (!info.available()) GTEST_SKIP() << info.reason;
  }
  LinearReport solve(const std::string& spec, const LinearOperator& op, ConstVector b,
                     double rtol = 1e-10) {
    solver_ = registry_.make(spec);
    solver_->prepare(op);
    x_ = Vector("x", b.extent(0));
    return solver_->solve(b, x_, {.rtol = rtol});
  }

  SolverRegistry registry_ = standard_backends();
  std::unique_ptr<LinearSolver> solver_;
  Vector x_;
};

TEST_F(Amg, EveryCoarseningWithEverySmootherSolvesAGrid) {
  const CsrOperator op(grid(40));
  const Vector b = waves(1600);

  for (const char* coarsening : {"smoothed-aggregation", "aggregation", "ruge-stuben"}) {
    for (const char* smoother : {"chebyshev", "spai0", "damped-jacobi", "gauss-seidel", "ilu0"}) {
      const std::string spec =
          std::string("amg:coarse_enough=50,coarsening=") + coarsening + ",smoother=" + smoother;
      const LinearReport report = solve(spec, op, b);

      EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << spec << ": " << report.detail;
      EXPECT_EQ(report.detail, "") << spec;
      // PCR with Jacobi takes about 120 iterations here; plain aggregation is the slowest of these.
      EXPECT_LE(report.iterations, 40) << spec;
    }
  }
}

TEST_F(Amg, IterationsHardlyGrowWithTheGrid) {
  const LinearReport small = solve("amg", CsrOperator(grid(40)), waves(1600));
  const CsrOperator op(grid(120));
  const LinearReport large = solve("amg", op, waves(14400));

  EXPECT_TRUE(large.ok());
  // Nine times the unknowns; the count of PCR with Jacobi grows with the side, three times.
  EXPECT_LE(large.iterations, 2 * small.iterations);
}

TEST_F(Amg, PreconditionsEveryKrylovSolver) {
  const CsrOperator op(grid(40));
  const Vector b = waves(1600);

  for (const std::string krylov : {"pcg", "pcr", "gmres"}) {
    const LinearReport plain = solve(krylov + ":precond=jacobi", op, b);
    const LinearReport amg = solve(krylov + ":precond=amg", op, b);

    EXPECT_TRUE(amg.ok()) << amg.detail;
    EXPECT_LE(4 * amg.iterations, plain.iterations) << krylov;
  }
}

TEST_F(Amg, CyclesAloneSolveAGrid) {
  const CsrOperator op(grid(40));

  const LinearReport report = solve("amg:krylov=none,coarse_enough=50", op, waves(1600));

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << report.detail;
}

TEST_F(Amg, KeepsTheTransferOperatorsForNewValues) {
  const Csr A = grid(40);
  CsrOperator op(A);
  const Vector b = waves(1600);
  const LinearReport first = solve("amg:coarse_enough=50", op, b);

  Kokkos::deep_copy(A.value, grid(40, 7.0).value);
  op.values_changed();
  solver_->prepare(op);
  Kokkos::deep_copy(x_, 0.0);
  const LinearReport second = solver_->solve(b, x_);

  // A multiple of the matrix has the same hierarchy: the same iterations.
  EXPECT_TRUE(second.ok());
  EXPECT_EQ(second.iterations, first.iterations);
  EXPECT_EQ(second.analyze_seconds, first.analyze_seconds);
}

TEST_F(Amg, BuildsKeptTransferOperatorsAnewWhereTheyServeNoLonger) {
  // Strong couplings along the rows of the grid first, along its columns then.
  const Index side = 96;
  const auto stretched = [side](double along, double across) {
    Csr A = grid(side);
    for (Index i = 0; i < A.rows; ++i) {
      for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
        const Index distance = std::abs(A.column(k) - i);
        A.value(k) = distance == 0 ? 2.0 * (along + across) : distance == 1 ? -along : -across;
      }
    }
    return A;
  };
  const Csr A = stretched(1.0, 1e-4);
  CsrOperator op(A);
  const Vector b = waves(side * side);
  ASSERT_TRUE(solve("amg:coarse_enough=20,krylov=none", op, b).ok());

  // Smooth down the columns, alternating along the rows: nearly the kernel of the new matrix, and
  // nothing that aggregates along the rows can represent.
  const Vector slow("b", static_cast<std::size_t>(side * side));
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      slow(i * side + j) = std::sin(M_PI * (i + 1) / (side + 1)) * (j % 2 == 0 ? 1.0 : -1.0);
    }
  }
  Kokkos::deep_copy(A.value, stretched(1e-4, 1.0).value);
  op.values_changed();
  solver_->prepare(op);
  Kokkos::deep_copy(x_, 0.0);
  const LinearReport report = solver_->solve(slow, x_);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << report.detail;
  EXPECT_NE(report.detail.find("formed again after 20 iterations"), std::string::npos)
      << report.detail;
}

TEST_F(Amg, HandsOverWhereTwentyIterationsHardlyHelp) {
  // Cycles alone on J J^T of half rank and with a poor smoother: no use, and said so.
  const auto system = contract::redundant_contacts(240, 120, 3);
  const CsrOperator op(system.S);
  Vector b("b", 240);
  for (std::size_t i = 0; i < 240; ++i) b(i) = system.b[i];

  const LinearReport report =
      solve("amg:krylov=none,smoother=damped-jacobi,coarse_enough=10", op, b);

  EXPECT_EQ(report.status, LinearStatus::kConvergedRelative) << report.detail;
  EXPECT_NE(report.detail.find("continued by PCR with Jacobi"), std::string::npos) << report.detail;
  EXPECT_GT(report.iterations, 0);
}

/// H + J^T C^-1 J of a bar of 15552 degrees of freedom, as stiff as `factor` of its own.
class Stiffness {
 public:
  explicit Stiffness(double factor) : bar_(tetrahedral_bar(8)) {
    const Vector C_inverse("C^-1", bar_.C.value.extent(0));
    for (Index k = 0; k < size_of(bar_.C.value); ++k) bar_.C.value(k) /= factor;
    invert_blocks(bar_.C.value, C_inverse);
    const Vector H("H", bar_.H_inverse.extent(0));
    invert_blocks(bar_.H_inverse, H);
    const BlockTranspose Jt = transpose(bar_.J);
    K_.analyze(Jt.matrix);
    K_.assemble(Jt.matrix, C_inverse, H);
  }
  BlockOperator op() const { return BlockOperator(K_.matrix()); }
  ConstVector positions() const { return bar_.positions; }

 private:
  GeneratedSystem bar_;
  Delassus K_;
};

TEST_F(Amg, KeepsRigidMotionsWhereTheOperatorKnowsPositions) {
  const Stiffness stiff(1e4);
  BlockOperator op = stiff.op();
  const Vector b = waves(op.rows());

  const LinearReport blind = solve("amg", op, b, 1e-8);
  op = stiff.op();
  op.set_positions(stiff.positions());
  const LinearReport rigid = solve("amg", op, b, 1e-8);

  EXPECT_TRUE(blind.ok() && rigid.ok()) << blind.detail << rigid.detail;
  EXPECT_LE(rigid.iterations, 60) << "without: " << blind.iterations;
  EXPECT_LE(2 * rigid.iterations, blind.iterations);
}

TEST_F(Amg, RowsOfElementsAreTakenAsScalarsFromTheStart) {
  const GeneratedSystem bar = tetrahedral_bar(3);
  Delassus S;  // couples within its blocks and hardly between them: no factors of blocks
  S.analyze(bar.J);
  S.assemble(bar.J, bar.H_inverse, bar.C.value);
  const BlockOperator op(S.matrix());

  const LinearReport report = solve("amg", op, bar.b, 1e-8);
  const LinearReport blocks = solve("amg:smoother=ilu0", op, bar.b, 1e-8);

  EXPECT_TRUE(report.ok()) << report.detail;
  EXPECT_EQ(report.detail, "");
  EXPECT_LE(2 * report.iterations, blocks.iterations);
}

TEST_F(Amg, RigidMotionsNeedPositions) {
  const BlockOperator op = Stiffness(1.0).op();
  const auto solver = registry_.make("amg:nullspace=rigid");

  try {
    solver->prepare(op);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'amg': nullspace=rigid needs an operator that knows positions (nodes.mtx of an "
                 "imported system), and a coarsening by aggregation");
  }
}

TEST_F(Amg, DiagonalMatricesAndLonelyRowsDoNotThrow) {
  std::vector<Triplet> t;
  for (Index i = 0; i < 1000; ++i) t.push_back({i, i, 1.0 + i});
  const CsrOperator diagonal(csr_from_triplets(1000, 1000, t));
  t.push_back({3, 4, -1.0});
  t.push_back({4, 3, -1.0});
  const CsrOperator one_pair(csr_from_triplets(1000, 1000, t));
  t.erase(t.begin() + 500, t.begin() + 520);  // twenty rows without entries
  const CsrOperator gaps(csr_from_triplets(1000, 1000, t));
  Vector b = waves(1000);
  for (Index i = 500; i < 520; ++i) b(i) = 0.0;

  for (const char* smoother : {"chebyshev", "spai0", "damped-jacobi", "gauss-seidel", "ilu0"}) {
    for (const char* coarsening : {"smoothed-aggregation", "aggregation", "ruge-stuben"}) {
      for (const CsrOperator* op : {&diagonal, &one_pair, &gaps}) {
        const std::string spec =
            std::string("amg:coarse_enough=5,smoother=") + smoother + ",coarsening=" + coarsening;
        EXPECT_TRUE(solve(spec, *op, b).ok()) << spec;
      }
    }
  }
}

}  // namespace
}  // namespace nsn
