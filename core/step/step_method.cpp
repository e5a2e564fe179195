#include "nsn/core/step/step_method.h"

#include <algorithm>
#include <utility>

namespace nsn {

std::string_view to_string(NewtonStatus status) {
  switch (status) {
    case NewtonStatus::kConverged:
      return "converged";
    case NewtonStatus::kOnTarget:
      return "on target";
    case NewtonStatus::kBudgetReached:
      return "budget reached";
    case NewtonStatus::kStalled:
      return "stalled";
    case NewtonStatus::kLinearFailure:
      return "linear solver failed";
    case NewtonStatus::kNonFinite:
      return "not finite";
    case NewtonStatus::kCancelled:
      return "cancelled";
    case NewtonStatus::kDeviceFailure:
      return "device failed";
  }
  return "?";
}

std::string_view to_string(Promise promise) {
  switch (promise) {
    case Promise::kReached:
      return "reached";
    case Promise::kMissed:
      return "missed";
    case Promise::kFailed:
      return "failed";
  }
  return "?";
}

void StepMonitor::begin() {
  history_.clear();
  shown_ = 0;
  if (time_budget_ > 0.0) started_ = std::chrono::steady_clock::now();
}

bool StepMonitor::out_of_time() const {
  if (cancel_ && cancel_()) return true;
  if (time_budget_ <= 0.0) return false;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  return spent.count() > time_budget_;
}

void StepMonitor::reserve_history(int iterations) {
  constexpr int kLongestHistory = 400;  // one solver per island: memory
  history_.reserve(static_cast<std::size_t>(std::min(iterations, kLongestHistory)));
}

void StepMonitor::record(const NewtonIteration& iteration) {
  if (history_.size() < history_.capacity()) history_.push_back(iteration);
}

void StepMonitor::show(NewtonSystemView view) {
  view.iteration = shown_++;
  observer_(view);
}

void BestIterate::reset(const System& system) {
  u_.assign(system.u_free.data(), system.u_free.data() + system.u_free.extent(0));
  r_.assign(static_cast<std::size_t>(system.rows()), 0.0);
  error_ = {};
  error_.total = std::numeric_limits<double>::infinity();
}

void BestIterate::offer(const State& state, const StepError& error) {
  if (error.total < error_.total) take(state, error);
}

void BestIterate::take(const State& state, const StepError& error) {
  u_.assign(state.u.data(), state.u.data() + state.u.extent(0));
  r_.assign(state.r.data(), state.r.data() + state.r.extent(0));
  error_ = error;
}

void BestIterate::restore(State& state) const {
  std::copy(u_.begin(), u_.end(), state.u.data());
  std::copy(r_.begin(), r_.end(), state.r.data());
}

}  // namespace nsn
