// The contract suite of all linear solvers over the CUDA backends, run through the harness.
#include <cctype>

#include <gtest/gtest.h>

#include "nsn/backends/cuda/cuda_direct.h"
#include "nsn/backends/cuda/cuda_pcr.h"
#include "nsn/backends/cuda/harness/host_device.h"
#include "nsn/tests/contract/linear_solver_contract.h"

namespace nsn::cuda {
namespace {

const std::vector<std::string> kSpecs = {
    "cuda-pcr",
    "cuda-pcr:loop=block,islands=false,matrix=blocks,precond=block-jacobi",
    "cuda-pcr:loop=grid,matrix=csr",
    "cuda-pcr:loop=grid,matrix=blocks,storage=float",
    "cuda-pcr:loop=graph,matrix=csr,poll=4",
    "cuda-pcr:loop=graph,matrix=blocks,precond=block-jacobi",
    "cuda-pcr:loop=graph,matrix=csr,storage=float",
    "cuda-direct",
    "cuda-direct:storage=float",
    "cuda-direct:method=sparse",
    "cuda-direct:method=sparse,storage=float",
};

SolverRegistry harness_registry() {
  const DeviceFactory open = [] { return std::make_unique<harness::HostDevice>(); };
  SolverRegistry registry;
  registry.add(cuda_pcr(open));
  registry.add(cuda_direct(open));
  return registry;
}

struct Run {
  std::string spec;
  std::string case_name;
};

void PrintTo(const Run& run, std::ostream* out) {
  *out << run.spec << " " << run.case_name;
}

// Thousands of rows are seconds in the harness: once.
std::vector<Run> runs() {
  std::vector<Run> result;
  for (const std::string& spec : kSpecs) {
    for (const auto& c : contract::linear_solver_contract_cases()) {
      const bool large = c.name == "spd-large";
      if (!large || spec == "cuda-pcr" || spec == "cuda-direct") result.push_back({spec, c.name});
    }
  }
  return result;
}

class CudaContract : public ::testing::TestWithParam<Run> {};

TEST_P(CudaContract, HoldsThroughTheHarness) {
  const auto failures =
      contract::run_linear_solver_case(harness_registry(), GetParam().spec, GetParam().case_name);

  for (const auto& failure : failures) ADD_FAILURE() << failure.solver << ": " << failure.text;
}

std::string test_name(const ::testing::TestParamInfo<Run>& run) {
  std::string name = run.param.spec + "__" + run.param.case_name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(, CudaContract, ::testing::ValuesIn(runs()), test_name);

}  // namespace
}  // namespace nsn::cuda
