// The direct solver of a device with a stand-in for its library (Eigen on the host's side of the
// memory): the contract, in a memory of its own and in the host's, and as a solver of Newton's method.
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include "nsn/backends/cuda/direct_solver.h"
#include "nsn/core/device/device_solvers.h"
#include "nsn/core/device/uploaded_solver.h"
#include "nsn/tests/contract/linear_solver_contract.h"
#include "tests/support/guarded_space.h"

namespace nsn {
namespace {

/// Lets the host read the device's memory as long as it lives.
#if defined(NSN_HAS_GUARDED)
using Door = guarded::Opened;
#else
struct Door {
  Door() {}
};
#endif

using Columns = Eigen::Map<Eigen::MatrixXd>;
using Numbers = Eigen::Map<Eigen::VectorXd>;
using ConstNumbers = Eigen::Map<const Eigen::VectorXd>;

class DenseStandIn final : public DeviceCholesky {
 public:
  DenseStandIn(int n, double* A) : n_(n), A_(A) {}
  std::string_view library() const override { return "Eigen"; }
  int factorize() override {
    const Door open;
    factor_.compute(Columns(A_, n_, n_));
    return factor_.info() == Eigen::Success && factor_.matrixL().toDenseMatrix().allFinite() ? 0
                                                                                             : 1;
  }
  void solve(const double* b, double* x) override {
    const Door open;
    Numbers(x, n_) = factor_.solve(ConstNumbers(b, n_));
  }

 private:
  int n_;
  double* A_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

class SparseStandIn final : public DeviceCholesky {
 public:
  explicit SparseStandIn(const DeviceCsr& A) : A_(A) {}
  std::string_view library() const override { return "Eigen"; }
  int factorize() override {
    const Door open;
    factor_.compute(Eigen::Map<const Eigen::SparseMatrix<double>>(
        A_.rows, A_.rows, A_.nonzeros, A_.row_begin, A_.column, A_.value));
    return factor_.info() == Eigen::Success ? 0 : 1;
  }
  void solve(const double* b, double* x) override {
    const Door open;
    Numbers(x, A_.rows) = factor_.solve(ConstNumbers(b, A_.rows));
  }

 private:
  DeviceCsr A_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor_;
};

class StandIn final : public CholeskyLibrary {
 public:
  /// The last row first: an order that a wrong mapping would not survive.
  std::vector<int> order(int rows, const int*, const int*) override {
    std::vector<int> order;
    for (int i = rows; i-- > 0;) order.push_back(i);
    return order;
  }
  std::unique_ptr<DeviceCholesky> dense(int n, double* A) override {
    return std::make_unique<DenseStandIn>(n, A);
  }
  std::unique_ptr<DeviceCholesky> sparse(const DeviceCsr& A) override {
    return std::make_unique<SparseStandIn>(A);
  }
};

/// A library whose device is lost.
class Lost final : public CholeskyLibrary {
 public:
  std::vector<int> order(int, const int*, const int*) override { return {}; }
  std::unique_ptr<DeviceCholesky> dense(int, double*) override {
    throw std::runtime_error("the device fell off the bus");
  }
  std::unique_ptr<DeviceCholesky> sparse(const DeviceCsr&) override {
    throw std::runtime_error("the device fell off the bus");
  }
};

template <class D, class Library>
std::unique_ptr<DeviceSolver<D, double>> make(const std::string& name, int dense_limit) {
  DirectSolverOptions options;
  options.dense_limit = dense_limit;
  return std::make_unique<DirectSolver<D>>(name, options,
                                           [](Queue<D>&) { return std::make_unique<Library>(); });
}

template <class D, class Library = StandIn>
SolverRegistry registry_with(const std::string& name, int dense_limit) {
  SolverInfo info;
  info.name = name;
  info.capabilities = make<D, Library>(name, dense_limit)->capabilities();
  info.on_device = MakeOnDevice<D, double>(
      [name, dense_limit](const Options&) { return make<D, Library>(name, dense_limit); });
  info.make = [name, dense_limit](const Options&,
                                  const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<UploadedSolver<D>>(make<D, Library>(name, dense_limit));
  };
  SolverRegistry registry;
  registry.add(std::move(info));
  return registry;
}

template <class D>
void expect_contract(int dense_limit, bool large) {
  const SolverRegistry registry = registry_with<D>("direct", dense_limit);
  for (const auto& one : contract::linear_solver_contract_cases()) {
    if (!large && one.name == "spd-large") continue;
    SCOPED_TRACE(one.name);
    for (const auto& failure : contract::run_linear_solver_case(registry, "direct", one.name)) {
      ADD_FAILURE() << failure.solver << ": " << failure.text;
    }
  }
}

TEST(DirectSolver, FollowsTheContractInTheHostsMemory) {
  expect_contract<SerialDevice>(1024, true);
  expect_contract<SerialDevice>(1, true);
}

TEST(DirectSolver, IsTheDevicesOwnWhereABackendOffersIt) {
  const SolverRegistry registry = registry_with<SerialDevice>("direct", 1024);
  EXPECT_EQ((make_device_solver<SerialDevice, double>({"direct"}, registry)->runs_on()), "device");
  EXPECT_EQ((make_device_solver<SerialDevice, float>({"direct"}, registry)->runs_on()),
            "host (mirrored)");
}

TEST(DirectSolver, ALostDeviceIsAStatusWithItsWords) {
  const SolverRegistry registry = registry_with<SerialDevice, Lost>("direct", 1024);
  const auto solver = registry.make("direct");
  const BlockTriplet one{0, 0, {2, 0, 0, 0, 2, 0, 0, 0, 2}};
  const BlockOperator op(block_csr_from_triplets(1, 1, {&one, 1}));
  solver->prepare(op);
  const Vector b("b", 3);
  b(0) = 1.0;
  const LinearReport report = solver->solve(b, Vector("x", 3));
  EXPECT_EQ(report.status, LinearStatus::kBackendError);
  EXPECT_NE(report.detail.find("fell off the bus"), std::string::npos) << report.detail;
}

#if defined(NSN_HAS_GUARDED)

TEST(DirectSolver, FollowsTheContractInAMemoryOfItsOwn) {
  guarded::install();
  expect_contract<guarded::Device>(1024, false);
  expect_contract<guarded::Device>(1, false);
}

#endif

}  // namespace
}  // namespace nsn
