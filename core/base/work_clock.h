/// What may still be done in the time that is left: a deadline, a wish to stop, and how fast work has
/// gone so far.
///
///   WorkClock clock(now, cancel);                  // now: s; empty: the wall clock
///   clock.set_deadline(clock.now() + 0.01);
///   if (clock.fits(Work::kFactor, flops)) {
///     const WorkClock::Unit unit(clock, Work::kFactor, flops);
///     ...                                          // measured at the end of its life
///   }
///
/// A unit of work is predicted from its operations, at the speed of the units of its kind before it.
/// That speed is the lowest seen, rising by at most a quarter per unit: one unit that is interrupted,
/// or has less to do than was counted, does not decide what the next one is trusted with.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

namespace nsn {

/// Kinds of work that go at different speeds.
enum class Work {
  kSweep,      ///< Gauss-Seidel sweeps, and products with a matrix
  kForm,       ///< evaluating rows, forming matrices from them, ordering
  kFactor,     ///< factorisations
  kIteration,  ///< whole iterations of a method, one operation each
};

class WorkClock {
 public:
  explicit WorkClock(std::function<double()> now = {}, std::function<bool()> cancel = {})
      : now_(std::move(now)), cancel_(std::move(cancel)) {}

  /// s, from an arbitrary start.
  double now() const {
    if (now_) return now_();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// In the time of now(); infinity: none.
  void set_deadline(double deadline) { deadline_ = deadline; }
  double deadline() const { return deadline_; }
  bool limited() const { return deadline_ < std::numeric_limits<double>::infinity(); }
  /// The caller wants to stop, or the deadline has passed.
  bool out_of_time() const { return cancelled() || (limited() && now() > deadline_); }
  bool cancelled() const { return cancel_ && cancel_(); }

  /// This many operations are expected to end before the deadline; true for what was never measured.
  bool fits(Work kind, double operations) const {
    if (cancelled()) return false;
    return !limited() || operations <= operations_left(kind);
  }
  /// That fit; infinite if nothing was measured.
  double operations_left(Work kind) const {
    const double left = deadline_ - now();
    return left > 0.0 ? left * speed(kind) : 0.0;
  }
  /// Operations per s.
  double speed(Work kind) const {
    const double known = speed_[static_cast<std::size_t>(kind)];
    if (known > 0.0) return known;
    const double sweep = speed_[static_cast<std::size_t>(Work::kSweep)];
    const bool iteration = kind == Work::kIteration;
    if (iteration || !(sweep > 0.0)) return std::numeric_limits<double>::infinity();
    return (kind == Work::kFactor ? kFactorOverSweep : 1.0) * sweep;
  }

  class Unit {
   public:
    Unit(WorkClock& clock, Work kind, double operations)
        : clock_(clock),
          kind_(kind),
          operations_(operations),
          start_(clock.limited() ? clock.now() : 0.0) {}
    ~Unit() {
      if (clock_.limited()) clock_.take(kind_, operations_, clock_.now() - start_);
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

   private:
    WorkClock& clock_;
    Work kind_;
    double operations_;
    double start_;
  };

 private:
  /// A factorisation uses a number many times once it is fetched, a sweep once. Nothing but the first
  /// factorisation depends on it.
  static constexpr double kFactorOverSweep = 4.0;
  static constexpr double kRise = 1.25;

  void take(Work kind, double operations, double seconds) {
    if (!(operations > 0.0) || !(seconds > 0.0)) return;
    double& speed = speed_[static_cast<std::size_t>(kind)];
    const double measured = operations / seconds;
    speed = speed > 0.0 ? std::min(measured, kRise * speed) : measured;
  }

  std::function<double()> now_;
  std::function<bool()> cancel_;
  double deadline_ = std::numeric_limits<double>::infinity();
  std::array<double, 4> speed_{};  // 0: unknown
};

}  // namespace nsn
