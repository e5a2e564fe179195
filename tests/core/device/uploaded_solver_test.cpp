// The template solvers of a device for operators of the host: the contract of every linear solver,
// and what crosses.
#include "nsn/core/device/uploaded_solver.h"

#include <gtest/gtest.h>

#include "nsn/core/device/krylov_solver.h"
#include "nsn/tests/contract/linear_solver_contract.h"
#include "tests/support/guarded_space.h"

namespace nsn {
namespace {

template <class D>
SolverInfo info_of(const std::string& name, DeviceMethod method) {
  DeviceKrylovOptions options;
  options.method = method;
  const auto make = [name, options] {
    return std::make_unique<UploadedSolver<D>>(
        std::make_unique<KrylovSolver<D, double>>(name, options));
  };
  SolverInfo info;
  info.name = name;
  info.capabilities = make()->capabilities();
  info.make = [make](const Options&, const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    return make();
  };
  return info;
}

template <class D>
void expect_contract(const std::string& name, DeviceMethod method, bool large = true) {
  SolverRegistry registry;
  registry.add(info_of<D>(name, method));
  for (const auto& one : contract::linear_solver_contract_cases()) {
    if (!large && one.name == "spd-large") continue;
    SCOPED_TRACE(one.name);
    for (const auto& failure : contract::run_linear_solver_case(registry, name, one.name)) {
      ADD_FAILURE() << failure.solver << ": " << failure.text;
    }
  }
}

TEST(UploadedSolver, FollowsTheContractOnTheHost) {
  expect_contract<SerialDevice>("serial-pcr", DeviceMethod::kPcr);
  expect_contract<SerialDevice>("serial-pcg", DeviceMethod::kPcg);
}

#if defined(NSN_HAS_GUARDED)

TEST(UploadedSolver, FollowsTheContractInAMemoryOfItsOwn) {
  guarded::install();
  expect_contract<guarded::Device>("guarded-pcr", DeviceMethod::kPcr, false);
}

#endif

}  // namespace
}  // namespace nsn
