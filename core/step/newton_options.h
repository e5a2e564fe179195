/// The choices of the Newton driver (core/step/newton.h); presets: models/step/presets.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/step/policy.h"
#include "nsn/ncp/fischer_burmeister.h"

namespace nsn {

/// NCP function of the normal rows.
enum class NcpKind { kMinimumMap, kFischerBurmeister };

/// How friction, and with it the whole step, is treated.
enum class FrictionKind {
  kProximal,      ///< proximal full-step Newton, re-linearised at every accepted step (accurate)
  kSafeguarded,   ///< a bounded number of factorisations, cones and energy guarded (realtime)
  kPaper,         ///< the fixed point v + W x = 0 of the paper
  kSmoothed,      ///< the same with W = sqrt(v^2 + v_s^2) / F: creeps below the speed v_s
  kAlartCurnier,  ///< symmetric: the friction bound is held during an iteration
  kFullAlartCurnier,  ///< exact derivative; needs a solver for unsymmetric matrices
};

/// How the normal row is made symmetric (methods kPaper and kAlartCurnier).
enum class NcpForm {
  kRowScaled,    ///< divided by alpha = d phi / d a, alpha >= 1e-4: unscaled J everywhere
  kAlphaScaled,  ///< alpha J in the row and in the momentum balance, as in the paper
};

enum class Damping {
  kConstant,    ///< u += t du
  kAdaptive,    ///< t *= 1.5 up to 1 while the error falls, t *= 0.6 down to 0.4 when it rises
  kLineSearch,  ///< back-tracking on the L2 merit
  kWatchdog,    ///< full steps; a line search where the merit does not fall within four of them
};

enum class StartingIterate {
  kZero,       ///< u = 0
  kPrevious,   ///< u of the last step
  kPredicted,  ///< u_free
};

enum class Formulation {
  kCompliance,  ///< (J H^-1 J^T + C) x = J H^-1 g - h: one unknown per row
  kStiffness,   ///< (H + J^T C^-1 J) du = -g - J^T C^-1 h: one unknown per degree of freedom
};

enum class GeometricStiffness {
  kNone,
  kDiagonal,     ///< from the difference of two iterates (quasi-Newton), particles only
  kDiagonalAll,  ///< the same for rigid bodies too
  kExact,  ///< the rows' own second derivative, positive part: 3x3 blocks on the diagonal of H
  kFull,   ///< the same with the coupling of nodes: a sparse H
};

/// Rows of elastic elements (RowLaw::elastic): unknowns, or stiffness in a sparse H
/// (core/step/elastic_mass.h), the same answer to rounding; and with kSafeguarded the rows without
/// bounds of joints (core/step/jointed_mass.h).
enum class Elimination {
  kAuto,  ///< by the operations of the two factorisations
  kAlways,
  kNever,
};

/// How a matrix-free linear solver gets S = J H^-1 J^T + C (methods kPaper and kAlartCurnier).
enum class OperatorForm {
  kAuto,       ///< the one that moves fewer bytes a product
  kAssembled,  ///< its blocks
  kFactored,   ///< J, H^-1 and C, core/linear/schur_operator.h
};

struct NewtonOptions {
  FrictionKind friction = FrictionKind::kProximal;
  NcpKind ncp = NcpKind::kMinimumMap;
  ncp::Origin origin = ncp::Origin::kActive;  ///< Fischer-Burmeister at (0, 0)
  NcpForm form = NcpForm::kRowScaled;
  Formulation formulation = Formulation::kCompliance;
  GeometricStiffness stiffness = GeometricStiffness::kExact;
  Elimination elimination = Elimination::kAuto;
  OperatorForm operator_form = OperatorForm::kAuto;

  int max_iterations = 400;  ///< Newton iterations = factorisations of a step, >= 1
  double tolerance = 1e-9;   ///< relative error (core/step/step_error.h) at which a step is solved
  int restart_after = 300;   ///< kProximal: factorisations before a restart (warm: half of them)
  StartingIterate start = StartingIterate::kPrevious;
  bool warm_start = true;  ///< impulses of the last step by contact id

  Damping damping = Damping::kConstant;
  double step_length = 1.0;      ///< t, in (0, 1]
  bool final_projection = true;  ///< u = u_free + M^-1 J^T r at the end, in two passes
  bool best_iterate = true;      ///< return the iterate of least error, not the last

  double regularization = 1e-9;         ///< added to the diagonal of S
  bool relative_regularization = true;  ///< times diag(S) (dimensionless), else absolute (1/kg)

  std::vector<std::string> linear;  ///< solver by name, then what to fall back to; not empty
  double linear_tolerance = 1e-10;  ///< |b - S x| <= linear_tolerance |b|
  int linear_iterations = 0;        ///< > 0: budget of an iterative solver per Newton iteration
  bool eisenstat_walker = false;    ///< forcing term from the fall of the merit

  double smoothing = 1e-4;  ///< kSmoothed: v_s, m/s, > 0

  bool hand_over =
      false;  ///< kSafeguarded: go on with kProximal where the error stays above 1e-2 m/s

  AccuratePolicy accurate;
  RealtimePolicy realtime;

  double time_budget = 0.0;      ///< s of wall clock per step; 0: none
  std::function<bool()> cancel;  ///< asked between iterations; true ends the step
};

/// Throws std::invalid_argument naming the first option out of range.
void validate(const NewtonOptions& options);

std::string_view to_string(FrictionKind kind);
FrictionKind friction_kind_from(std::string_view name);
std::string_view to_string(NcpKind kind);
NcpKind ncp_kind_from(std::string_view name);
std::string_view to_string(Damping damping);
Damping damping_from(std::string_view name);
std::string_view to_string(GeometricStiffness stiffness);
GeometricStiffness geometric_stiffness_from(std::string_view name);
Elimination elimination_from(std::string_view name);
OperatorForm operator_form_from(std::string_view name);

}  // namespace nsn
