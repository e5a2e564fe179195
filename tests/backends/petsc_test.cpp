// PETSc as a backend: options nobody reads, words of errors, many factorisations, threads.
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

Dense definite(Index n, unsigned seed) {
  const Dense F = random_matrix(n, n, seed);
  return F * F.transpose() + Dense::Identity(n, n);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0.0;
  double resident = 0.0;
  file >> total >> resident;
  return 4096.0 * resident;
}

double error_of(LinearSolver& solver, const Dense& A, const BlockOperator& op) {
  const DenseVector exact = random_vector(op.rows(), 5);
  solver.prepare(op);
  const Vector x("x", static_cast<std::size_t>(op.rows()));
  const LinearReport report = solver.solve(view(DenseVector(A * exact)), x, {.rtol = 1e-10});
  EXPECT_TRUE(report.ok()) << report.detail;
  return (dense(x) - exact).norm() / exact.norm();
}

TEST(Petsc, AnOptionThatNobodyReadIsAnError) {
  const Dense A = definite(12, 1);
  const BlockOperator op(to_blocks(sparse(A)));
  const auto solver = standard_backends().make("petsc:options=-pc_factor_levles 1");
  solver->prepare(op);
  const Vector x("x", 12);
  try {
    static_cast<void>(solver->solve(view(random_vector(12, 2)), x));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'petsc': nothing in PETSc read the option '-pc_factor_levles'");
  }
  const auto good = standard_backends().make("petsc:options=-pc_factor_levels 1");
  EXPECT_LE(error_of(*good, A, op), 1e-8);
}

TEST(Petsc, AnUnknownMethodIsTheWordsOfPetsc) {
  const Dense A = definite(12, 1);
  const BlockOperator op(to_blocks(sparse(A)));
  const auto solver = standard_backends().make("petsc:ksp=nothing");
  solver->prepare(op);
  const Vector x("x", 12);

  const LinearReport report = solver->solve(view(random_vector(12, 2)), x);

  EXPECT_EQ(report.status, LinearStatus::kBackendError);
  EXPECT_NE(report.detail.find("PETSc: "), std::string::npos);
  EXPECT_NE(report.detail.find("nothing"), std::string::npos) << report.detail;
}

TEST(Petsc, ManyFactorisationsOnOnePatternHoldNoMoreMemory) {
  Dense A = definite(60, 3);
  BlockCsr S = to_blocks(sparse(A));
  BlockOperator op(S);
  const auto solver = standard_backends().make("petsc");
  double after_some = 0.0;
  for (int k = 0; k < 100; ++k) {
    A *= 1.01;
    for (Index i = 0; i < size_of(S.value); ++i) S.value(i) *= 1.01;
    op.values_changed();
    ASSERT_LE(error_of(*solver, A, op), 1e-8);
    if (k == 20) after_some = resident_bytes();
  }
  EXPECT_LE(resident_bytes(), after_some + 4e6);
}

TEST(Petsc, AFailureLeavesOtherSolversAlone) {
  const BlockOperator zero(to_blocks(csr_from_triplets(6, 6, std::vector<Triplet>{{0, 0, 0.0}})));
  const auto bad = standard_backends().make("petsc:pc=gamg,matrix=aij");
  bad->prepare(zero);
  const Vector x("x", 6);
  EXPECT_FALSE(bad->solve(view(random_vector(6, 1)), x).ok());

  const Dense A = definite(12, 1);
  const BlockOperator op(to_blocks(sparse(A)));
  EXPECT_LE(error_of(*standard_backends().make("petsc"), A, op), 1e-8);
}

TEST(Petsc, ThreadsTakeTurns) {
  const Dense A = definite(30, 4);
  double errors[2] = {1.0, 1.0};
  const auto work = [&](double& error) {
    const BlockOperator op(to_blocks(sparse(A)));
    const auto solver = standard_backends().make("petsc");
    for (int k = 0; k < 20; ++k) error = error_of(*solver, A, op);
  };
  std::thread other(work, std::ref(errors[0]));
  work(errors[1]);
  other.join();
  EXPECT_LE(errors[0], 1e-8);
  EXPECT_EQ(errors[0], errors[1]);
}

}  // namespace
}  // namespace nsn
