#include "backends/pcg.h"

#include <utility>

#include "backends/krylov_options.h"
#include "core/pcg.h"

namespace nsn {
namespace {

Capabilities capabilities_of_pcg() {
  Capabilities can;
  can.handles_singular = true;
  return can;
}

class PcgBackend final : public LinearSolver {
 public:
  PcgBackend(const Options& options, const SolverRegistry& registry)
      : P_(registry.make_preconditioner(options.text("precond"))),
        max_iterations_(static_cast<int>(options.integer("max_iterations"))) {
    capabilities_.needs_entries = P_->needs_entries();
  }

  std::string_view name() const override { return "pcg"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    P_->analyze(op);
    pcg_.allocate(op.rows(), P_->diagonal().extent(0) > 0);
  }

  Preparation do_factorize(const LinearOperator& op) override {
    P_->factorize(op);
    return {};
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    pcg_.solve(op, *P_, b, x, with_limit(control, max_iterations_), monitor, report);
    explain(control, *P_, report);
  }

  double bytes_held() const override { return pcg_.bytes_held() + P_->bytes_held(); }

  Capabilities capabilities_ = capabilities_of_pcg();
  std::unique_ptr<Preconditioner> P_;
  int max_iterations_;
  Pcg pcg_;
};

}  // namespace

SolverInfo pcg_backend() {
  SolverInfo info;
  info.name = "pcg";
  info.summary = "preconditioned conjugate gradients";
  info.capabilities = capabilities_of_pcg();
  info.options = krylov_options();
  info.make = [](const Options& options, const SolverRegistry& registry) {
    return std::make_unique<PcgBackend>(options, registry);
  };
  return info;
}

}  // namespace nsn
