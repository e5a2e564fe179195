// solve() allocates nothing: neither from the heap nor through Kokkos.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "backends/standard_backends.h"
#include "bench/support/generated_systems.h"
#include "core/schur_complement.h"
#include "core/schur_operator.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
// NOLINTEND(misc-new-delete-overloads)

namespace nsn {
namespace {

class NoAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(NoAllocation, InASecondSolve) {
  const GeneratedSystem system = sphere_pile({.contacts = 2000});
  SchurComplement schur(system.J, system.C);
  schur.refresh(system.J, system.H_inverse, system.C);
  const BlockOperator op(schur.matrix());
  const auto solver = standard_backends().make(GetParam());
  solver->prepare(op);
  const Vector x("x", system.b.extent(0));
  const LinearControl control{.rtol = 1e-3, .iteration_budget = 20};
  ASSERT_TRUE(solver->solve(system.b, x, control).ok());
  Kokkos::deep_copy(x, 0.0);

  const long before = allocations.load();
  const LinearReport report = solver->solve(system.b, x, control);
  const long after = allocations.load();

  EXPECT_TRUE(report.ok());
  EXPECT_GT(report.iterations, 0);
  EXPECT_EQ(after - before, 0);
}

INSTANTIATE_TEST_SUITE_P(OwnBackends, NoAllocation,
                         ::testing::Values("jacobi", "gauss-seidel", "gauss-seidel:sweep=symmetric",
                                           "pcg", "pcg:precond=block-jacobi", "pcr",
                                           "pcr:precond=none", "pcr:precond=block-jacobi", "gmres",
                                           "gmres:precond=block-jacobi"));

TEST(SchurForms, RefreshAllocatesNothing) {
  const GeneratedSystem system = sphere_pile({.contacts = 2000});
  SchurComplement schur(system.J, system.C);
  SchurOperator op(system.J, system.H_inverse, system.C);

  const long before = allocations.load();
  schur.refresh(system.J, system.H_inverse, system.C);
  op.values_changed();

  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace nsn
