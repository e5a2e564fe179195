#include "backends/gmres.h"

#include <utility>

#include "backends/krylov_options.h"
#include "core/gmres.h"

namespace nsn {
namespace {

Capabilities capabilities_of_gmres() {
  Capabilities can;
  can.handles_singular = true;
  can.handles_indefinite = true;
  can.handles_unsymmetric = true;
  return can;
}

class GmresBackend final : public LinearSolver {
 public:
  GmresBackend(const Options& options, const SolverRegistry& registry)
      : P_(registry.make_preconditioner(options.text("precond"))),
        max_iterations_(static_cast<int>(options.integer("max_iterations"))),
        directions_(static_cast<int>(options.integer("directions"))) {
    capabilities_.needs_entries = P_->needs_entries();
  }

  std::string_view name() const override { return "gmres"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    P_->analyze(op);
    gmres_.allocate(op.rows(), directions_);
  }

  Preparation do_factorize(const LinearOperator& op) override {
    P_->factorize(op);
    return {};
  }

  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    // Lambdas of one pointer: a std::function holds them without allocating.
    const LinearMap A = [&op](ConstVector v, Vector y) { op.apply(v, y); };
    const LinearMap P = [p = P_.get()](ConstVector v, Vector y) { p->apply(v, y); };
    gmres_.solve(A, P, GmresSide::kRight, b, x, with_limit(control, max_iterations_), monitor,
                 report);
    report.bytes_moved = static_cast<double>(gmres_.products()) * op.bytes_per_apply() +
                         static_cast<double>(gmres_.preconditions()) * P_->bytes_per_apply() +
                         gmres_.vector_bytes();
    explain(control, *P_, report);
  }

  double bytes_held() const override { return gmres_.bytes_held() + P_->bytes_held(); }

  Capabilities capabilities_ = capabilities_of_gmres();
  std::unique_ptr<Preconditioner> P_;
  int max_iterations_;
  int directions_;
  Gmres gmres_;
};

}  // namespace

SolverInfo gmres_backend() {
  SolverInfo info;
  info.name = "gmres";
  info.summary = "GMRES: unsymmetric and indefinite systems";
  info.capabilities = capabilities_of_gmres();
  info.options = krylov_options();
  info.options.push_back(OptionSpec::integer(
      "directions", 200, 1, 1e6, "directions kept; the iteration restarts when they are used up"));
  info.make = [](const Options& options, const SolverRegistry& registry) {
    return std::make_unique<GmresBackend>(options, registry);
  };
  return info;
}

}  // namespace nsn
