/// Newton's method on the NCP functions of the rows, with the friction law of the paper (W) or of
/// Alart and Curnier, on a device D in the scalar Real.
///
/// In velocities u and impulses r, with the row blocks of core/step/system.h:
///
///   [ H  -J^T R^T ] [ du ]     [ g ]      g = M (u - u_free) - J^T F(r)
///   [ L J    C    ] [ x  ] = - [ h ]      h, L, C, R: what each block asks for (stage `scale`)
///
///   compliance form   (L J H^-1 J^T R^T + C) x = L J H^-1 g - h,    du = H^-1 (J^T R^T x - g)
///   stiffness form    (H + J^T R^T C^-1 L J) du = -g - J^T R^T C^-1 h,
///                     x = -C^-1 (h + L J du)
///
/// and r += t U^T x. L = R and C symmetric make the matrix symmetric: all laws but the full
/// Alart-Curnier one. The parts: laws of the rows in core/step/paper/paper_rows.h, bodies in
/// core/step/paper/paper_bodies.h, the linear system in core/step/paper/linear_stage.h; here merit, damping and
/// the loop. No loop over rows or nodes runs on the host.
///
/// The host reads one StepStatus an iteration. A fixed number of iterations (tolerance 0, constant
/// damping) on a device whose memory it cannot read is launched without a question; the flags that
/// end a step early then live on the device, so that the iterates are the same.
///
/// Differs from the paper: friction is switched off if mu r_N <= 0 (it prints >= 0), and unknowns
/// are impulses. What else is ours is off by default: the final projection of momentum, warm and
/// other starts, the best iterate, other damping and forms.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "nsn/core/step/paper/linear_stage.h"
#include "nsn/core/step/paper/rows_on_device.h"
#include "nsn/core/step/paper/step_batch.h"

namespace nsn {

template <class D, class Real>
class DeviceStep final : public StepMethod {
 public:
  DeviceStep(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor)
      : options_(options),
        own_(options.paper()),
        monitor_(monitor),
        linear_(own_, options.linear, registry, monitor) {
    monitor_.reserve_history(options.max_iterations + 1);
    if constexpr (!kHostReads<D>) {
      if (batch_takes(options, registry)) {
        batch_ = std::make_unique<StepBatch<D, Real>>(options, registry);
      }
    }
  }

  const Traffic& traffic() const { return queue_.traffic; }

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  /// Where the memory is the device's own, small islands of the same form in one launch.
  void solve_all(std::span<IslandStep> islands) override;

  // ---- stages; public because of their lambdas

  void start_iterate(const State& state, bool warm);
  void sum_rows(Span<D, Real> u, Span<D, Real> r, bool scales);
  void measure(int k);
  void offer_best();
  double trial_merit(double t);
  void check_change();
  void advance(double t);
  void update_quasi_newton();
  void accept();
  void project_momentum();
  void finish();

 private:
  using Status = paper::StepStatus;
  /// What the damping remembers of the step.
  struct Search {
    double t = 1.0;            // step length of kAdaptive
    double watch_merit = 0.0;  // smallest so far
    int watched = 0;           // full steps since
  };

  void evaluate(Span<D, Real> u) {
    const paper::StepBodies<D, Real>& s = memory_.bodies;
    rows_->evaluate(queue_, u, s.value, s.J, s.E);
  }
  Status read_status(int k) {
    Status host;  // a view of such would be initialised by a kernel: islands are solved inside one
    queue_.copy(HostSpan<Status>(&host, 1),
                Kokkos::subview(memory_.history, Kokkos::make_pair(Index{k}, Index{k + 1})));
    return host;
  }
  /// The host must know how an iteration went before the next one is launched.
  bool asks() const {
    return kHostReads<D> || options_.tolerance > 0.0 || own_.damping != Damping::kConstant ||
           own_.eisenstat_walker || linear_.solver().runs_on() != "device";
  }
  NewtonIteration record_of(const Status& status, int k) const;
  KrylovGoal linear_goal();
  double step_length(const Status& last);
  double line_search();
  double watchdog();
  bool ends(int k, NewtonResult& result);
  void iterate(StepEquations& equations);
  void conclude(State& state, NewtonResult& result);
  NewtonResult solve_step(StepEquations& equations, State& state, bool warm);

  NewtonOptions options_;
  PaperOptions own_;
  StepMonitor& monitor_;
  Queue<D> queue_;
  paper::StepMemory<D, Real> memory_;
  paper::LinearStage<D, Real> linear_;
  DeviceRows<D, Real> known_rows_;
  DeviceEquations<D, Real>* rows_ = nullptr;  ///< of the present step
  HostCopy<D, Real> u_host_, r_host_;
  Uploaded<D, Real> r_start_;
  Index row_chunks_ = 0;
  Index node_chunks_ = 0;
  Search search_;
  Status last_;          ///< read last
  double last_t_ = 1.0;  ///< step length of the iteration before
  double forcing_ = 0.1;
  std::unique_ptr<StepBatch<D, Real>> batch_;  ///< null: these options have none
};

}  // namespace nsn
