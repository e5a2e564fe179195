#include "nsn/backends/pcr.h"

#include "nsn/backends/krylov_backend.h"
#include "nsn/core/linear/pcr.h"

namespace nsn {
namespace {

Capabilities capabilities_of_pcr() {
  Capabilities can;
  can.handles_singular = true;
  return can;
}

class PcrBackend final : public KrylovBackend {
 public:
  PcrBackend(const Options& options, const SolverRegistry& registry)
      : KrylovBackend(capabilities_of_pcr(), options, registry, true),
        options_{.lift = options.flag("lift")} {}

  std::string_view name() const override { return "pcr"; }

 private:
  void allocate(Index n, bool diagonal) override { pcr_.allocate(n, diagonal); }
  void iterate(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
               const LinearControl& control, const Monitor& monitor,
               LinearReport& report) override {
    pcr_.solve(A, P, b, x, control, options_, monitor, report);
  }
  double workspace_bytes() const override { return pcr_.bytes_held(); }

  PcrOptions options_;
  Pcr pcr_;
};

}  // namespace

SolverInfo pcr_backend() {
  SolverInfo info;
  info.name = "pcr";
  info.summary = "preconditioned conjugate residuals: the residual never rises, singular systems";
  info.capabilities = capabilities_of_pcr();
  info.options = krylov_options(kDefiniteShift);
  info.options.push_back(OptionSpec::flag(
      "lift", false, "inconsistent systems: return the least-squares solution of least norm"));
  info.make = make_solver<PcrBackend>;
  return info;
}

}  // namespace nsn
