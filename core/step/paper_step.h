/// Newton's method on the NCP functions of the rows, with the friction law of the paper (W) or of
/// Alart and Curnier.
///
/// In velocities u and impulses r, with the row blocks of core/step/system.h:
///
///   [ H  -J^T R^T ] [ du ]     [ g ]      g = M (u - u_free) - J^T F(r)
///   [ L J    C    ] [ x  ] = - [ h ]      h, L, C, R: what each block asks for (stage `scale`)
///
///   compliance form   (L W R^T + C) x = L J H^-1 g - h,            W = J H^-1 J^T,
///                     du = H^-1 (J^T R^T x - g)
///   stiffness form    (H + J^T R^T C^-1 L J) du = -g - J^T R^T C^-1 h,
///                     x = -C^-1 (h + L J du)
///
/// and r += t U^T x. L = R and C symmetric make the matrix symmetric: all laws but the full
/// Alart-Curnier one. The parts: laws of the rows in core/step/paper_laws.h, the linear system in
/// core/step/paper_system.h; here merit, damping and the loop.
///
/// Differs from the paper: friction is switched off if mu r_N <= 0 (it prints >= 0), and unknowns
/// are impulses. What else is ours is off by default: the final projection of momentum, warm and
/// other starts, the best iterate, other damping and forms.
#pragma once

#include <vector>

#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/paper_laws.h"
#include "nsn/core/step/paper_system.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class PaperStep final : public StepMethod {
 public:
  PaperStep(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;

 private:
  void fit(const System& system);
  void start(const System& system, State& state, bool warm);
  double merit(const System& system, ConstVector u);
  double step_length(StepEquations& equations, const State& state, const NewtonIteration& last);
  double line_search(StepEquations& equations, const State& state);
  double watchdog(StepEquations& equations, const State& state);
  bool measure(StepEquations& equations, State& state, NewtonIteration& record,
               NewtonResult& result);
  void set_forcing();
  void update(StepEquations& equations, State& state, double t);
  void finish(StepEquations& equations, State& state, NewtonResult& result);
  double trial_merit(StepEquations& equations, const State& state, double t);
  void advance(const State& state, double t);
  void project_momentum(StepEquations& equations, State& state);
  void update_quasi_newton(const System& system);

  /// What the damping remembers of the step.
  struct Search {
    double t = 1.0;            // step length of kAdaptive
    double watch_merit = 0.0;  // smallest so far
    int watched = 0;           // full steps since
  };

  NewtonOptions options_;
  PaperOptions own_;
  StepMonitor& monitor_;
  PaperLaws laws_;
  PaperSystem linear_system_;
  std::uint64_t pattern_id_ = 0;
  StepEvaluation at_;
  Vector g_, du_, scratch_, old_u_, u_try_, impulse_old_, quasi_;  // 3 per node
  Vector dr_, row_scratch_, r_try_;                                // 3 per row block
  Search search_;
  double forcing_ = 0.1;
  double merit_ = 0.0;
  BestIterate best_;
};

}  // namespace nsn
