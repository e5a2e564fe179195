#include "backends/pcr.h"

#include <utility>

#include "backends/krylov_options.h"
#include "core/pcr.h"

namespace nsn {
namespace {

Capabilities capabilities_of_pcr() {
  Capabilities can;
  can.handles_singular = true;
  return can;
}

class PcrBackend final : public LinearSolver {
 public:
  PcrBackend(const Options& options, const SolverRegistry& registry)
      : P_(registry.make_preconditioner(options.text("precond"))),
        max_iterations_(static_cast<int>(options.integer("max_iterations"))),
        options_{.lift = options.flag("lift")} {
    capabilities_.needs_entries = P_->needs_entries();
  }

  std::string_view name() const override { return "pcr"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    P_->analyze(op);
    pcr_.allocate(op.rows(), P_->diagonal().extent(0) > 0);
  }

  Preparation do_factorize(const LinearOperator& op) override {
    P_->factorize(op);
    return {};
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    pcr_.solve(op, *P_, b, x, with_limit(control, max_iterations_), options_, monitor, report);
    explain(control, *P_, report);
  }

  double bytes_held() const override { return pcr_.bytes_held() + P_->bytes_held(); }

  Capabilities capabilities_ = capabilities_of_pcr();
  std::unique_ptr<Preconditioner> P_;
  int max_iterations_;
  PcrOptions options_;
  Pcr pcr_;
};

}  // namespace

SolverInfo pcr_backend() {
  SolverInfo info;
  info.name = "pcr";
  info.summary = "preconditioned conjugate residuals: the residual never rises, singular systems";
  info.capabilities = capabilities_of_pcr();
  info.options = krylov_options();
  info.options.push_back(OptionSpec::flag(
      "lift", false, "inconsistent systems: return the least-squares solution of least norm"));
  info.make = [](const Options& options, const SolverRegistry& registry) {
    return std::make_unique<PcrBackend>(options, registry);
  };
  return info;
}

}  // namespace nsn
