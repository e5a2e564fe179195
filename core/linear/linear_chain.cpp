#include "nsn/core/linear/linear_chain.h"

#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

/// A direct answer with half of the digits that were asked for. Systems whose factorisation leaves
/// that are ill-conditioned, and the next solver of the list spends hundreds of iterations on them.
bool good_enough(const LinearReport& report, const LinearControl& control) {
  return report.status == LinearStatus::kInaccurate &&
         report.relative_residual() <= std::sqrt(control.rtol);
}

class LinearChain final : public LinearSolver {
 public:
  explicit LinearChain(std::vector<std::unique_ptr<LinearSolver>> solvers)
      : solvers_(std::move(solvers)) {}

  std::string_view name() const override { return solvers_[last_]->name(); }
  const Capabilities& capabilities() const override { return solvers_[0]->capabilities(); }
  double factorization_flops() const override { return solvers_[0]->factorization_flops(); }

 private:
  void do_analyze(const LinearOperator& op) override { solvers_[0]->analyze(op); }
  Preparation do_factorize(const LinearOperator& op) override {
    solvers_[0]->prepare(op);
    return {};
  }
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    for (std::size_t k = 0; k < solvers_.size(); ++k) {
      LinearSolver& solver = *solvers_[k];
      if (k > 0 && !op.symmetric() && !solver.capabilities().handles_unsymmetric) continue;
      if (k > 0) solver.prepare(op);
      const LinearReport one = solver.solve(b, x, control, monitor);
      last_ = k;
      report.status = one.status;
      report.iterations += one.iterations;
      report.recurrence_residual = one.recurrence_residual;
      report.bytes_moved += one.bytes_moved;
      report.detail = one.detail;
      if (one.ok() || good_enough(one, control)) return;
    }
  }
  double bytes_held() const override { return 0.0; }

  std::vector<std::unique_ptr<LinearSolver>> solvers_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<LinearSolver> make_linear_chain(const std::vector<std::string>& specs,
                                                const SolverRegistry& registry) {
  NSN_THROW_UNLESS(!specs.empty(), "newton: no linear solver is named");
  std::vector<std::unique_ptr<LinearSolver>> solvers;
  solvers.reserve(specs.size());
  for (const std::string& spec : specs) solvers.push_back(registry.make(spec));
  if (solvers.size() == 1) return std::move(solvers[0]);
  return std::make_unique<LinearChain>(std::move(solvers));
}

}  // namespace nsn
