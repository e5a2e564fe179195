#include "nsn/backends/bicgstab.h"

#include "nsn/backends/krylov_backend.h"
#include "nsn/core/linear/bicgstab.h"

namespace nsn {
namespace {

Capabilities capabilities_of_bicgstab() {
  Capabilities can;
  can.handles_singular = true;
  can.handles_unsymmetric = true;
  return can;
}

class BiCgStabBackend final : public KrylovBackend {
 public:
  BiCgStabBackend(const Options& options, const SolverRegistry& registry)
      : KrylovBackend(capabilities_of_bicgstab(), options, registry, false) {}

  std::string_view name() const override { return "bicgstab"; }

 private:
  void allocate(Index n, bool) override { bicgstab_.allocate(n); }
  void iterate(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
               const LinearControl& control, const Monitor& monitor,
               LinearReport& report) override {
    bicgstab_.solve(A, P, b, x, control, monitor, report);
  }
  double workspace_bytes() const override { return bicgstab_.bytes_held(); }

  BiCgStab bicgstab_;
};

}  // namespace

SolverInfo bicgstab_backend() {
  SolverInfo info;
  info.name = "bicgstab";
  info.summary = "BiCGStab: unsymmetric systems in little memory";
  info.capabilities = capabilities_of_bicgstab();
  info.capabilities_with = [](const Options& options) {
    return krylov_capabilities(capabilities_of_bicgstab(), options);
  };
  info.options = krylov_options(0.0);
  info.make = make_solver<BiCgStabBackend>;
  return info;
}

}  // namespace nsn
