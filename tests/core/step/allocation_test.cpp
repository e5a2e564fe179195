// solve() allocates nothing: neither from the heap nor through Kokkos.
#include <memory>

#include <gtest/gtest.h>

#include "bench/support/generated_systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"
#include "tests/support/count_allocations.h"

namespace nsn {
namespace {

using testing_support::allocations;

class NoAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(NoAllocation, InASecondSolve) {
  const GeneratedSystem system = sphere_pile({.contacts = 2000});
  Delassus delassus;
  delassus.analyze(system.J);
  delassus.assemble(system.J, system.H_inverse, system.C.value);
  const BlockOperator op(delassus.matrix());
  const auto solver = standard_backends().make(GetParam());
  solver->prepare(op);
  const Vector x("x", system.b.extent(0));
  // Lean, as the solves of a time step are: others may be told what was done to their factors.
  const LinearControl control{.rtol = 1e-3, .iteration_budget = 20, .lean = true};
  ASSERT_TRUE(solver->solve(system.b, x, control).ok());
  Kokkos::deep_copy(x, 0.0);

  const long before = allocations();
  const LinearReport report = solver->solve(system.b, x, control);
  const long after = allocations();

  EXPECT_TRUE(report.ok());
  EXPECT_GT(report.iterations, 0);
  EXPECT_EQ(after - before, 0);
}

INSTANTIATE_TEST_SUITE_P(OwnBackends, NoAllocation,
                         ::testing::Values("jacobi", "gauss-seidel", "gauss-seidel:sweep=symmetric",
                                           "pcg", "pcg:precond=block-jacobi", "pcr",
                                           "pcr:precond=none", "pcr:precond=block-jacobi", "gmres",
                                           "gmres:precond=block-jacobi",
                                           "gmres:precond=block-ilu"));

TEST(SchurForms, RefreshAllocatesNothing) {
  const GeneratedSystem system = sphere_pile({.contacts = 2000});
  Delassus delassus;
  delassus.analyze(system.J);
  SchurOperator op(system.J, system.H_inverse, system.C);

  const long before = allocations();
  delassus.assemble(system.J, system.H_inverse, system.C.value);
  op.values_changed();

  EXPECT_EQ(allocations() - before, 0);
}

TEST(AllocationCount, SeesTheHeapAndViews) {
  const long before = allocations();
  const auto number = std::make_unique<int>(1);
  const Vector v("v", 10);

  EXPECT_GE(allocations() - before, 2) << *number << v.extent(0);
}

}  // namespace
}  // namespace nsn
