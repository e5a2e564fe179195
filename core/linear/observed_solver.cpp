#include "nsn/core/linear/observed_solver.h"

#include <utility>

namespace nsn {
namespace {

class ObservedSolver final : public LinearSolver {
 public:
  ObservedSolver(std::unique_ptr<LinearSolver> solver, LinearObserver observer)
      : solver_(std::move(solver)), observer_(std::move(observer)) {}

  std::string_view name() const override { return solver_->name(); }
  const Capabilities& capabilities() const override { return solver_->capabilities(); }
  double factorization_flops() const override { return solver_->factorization_flops(); }

 private:
  void do_analyze(const LinearOperator& op) override { solver_->analyze(op); }
  Preparation do_factorize(const LinearOperator& op) override {
    solver_->prepare(op);
    return {};
  }
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    observer_(op, b);
    const LinearReport inner = solver_->solve(b, x, control, monitor);
    report.status = inner.status;
    report.iterations = inner.iterations;
    report.recurrence_residual = inner.recurrence_residual;
    report.bytes_moved = inner.bytes_moved;
    report.detail = inner.detail;
  }
  double bytes_held() const override { return 0.0; }

  std::unique_ptr<LinearSolver> solver_;
  LinearObserver observer_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_observed_solver(std::unique_ptr<LinearSolver> solver,
                                                   LinearObserver observer) {
  return std::make_unique<ObservedSolver>(std::move(solver), std::move(observer));
}

}  // namespace nsn
