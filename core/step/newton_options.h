/// The choices of the Newton driver (core/step/newton.h): what all methods share, and one struct per
/// method with the fields that this method reads.
///
///   NewtonOptions options = newton_preset("paper");    // or NewtonOptions(PaperOptions{})
///   options.max_iterations = 20;                       // shared
///   options.paper().friction = FrictionKind::kSmoothed;  // of the method
///
/// A preset is a method with its defaults:
///
///              tolerance  max_iterations  warm_start  linear
///   accurate   1e-9       3000            true        contact-lu, gmres
///   realtime   1e-7       6               true        contact-lu, gmres
///   paper      0          6               false       pcr
///
///   accurate (default)  proximal full-step Newton, linearised again at every accepted step
///   realtime            a bounded number of factorisations; cones respected, no energy gained
///   paper               the iteration of [Macklin19] with its setting: Fischer-Burmeister,
///                       alpha-scaled, cold start, t = 0.75, six iterations of 20 PCR iterations,
///                       absolute regularisation 1e-6
///
/// Options by name, as on the command line: core/step/named_options.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "nsn/core/base/index.h"
#include "nsn/core/step/newton_result.h"
#include "nsn/core/step/policy.h"
#include "nsn/ncp/fischer_burmeister.h"

namespace nsn {

/// NCP function of the normal rows.
enum class NcpKind { kMinimumMap, kFischerBurmeister };

/// Friction law of the paper's method.
enum class FrictionKind {
  kPaper,                  ///< the fixed point v + W x = 0 of the paper
  kSmoothed,               ///< the same with W = sqrt(v^2 + v_s^2) / F: creeps below the speed v_s
  kAlartCurnier,           ///< exact derivative; needs a solver for unsymmetric matrices
  kAlartCurnierSymmetric,  ///< the friction bound is held during an iteration
};

/// How the normal row is made symmetric.
enum class NcpForm {
  kRowScaled,    ///< divided by alpha = d phi / d a, alpha >= 1e-4: unscaled J everywhere
  kAlphaScaled,  ///< alpha J in the row and in the momentum balance, as in the paper
};

enum class Damping {
  kConstant,    ///< u += t du
  kAdaptive,    ///< t *= 1.5 up to 1 while the error falls, t *= 0.6 down to 0.4 when it rises
  kLineSearch,  ///< back-tracking on the L2 merit
  kWatchdog,    ///< full steps; a line search if the merit does not fall within four of them
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

/// What H is, besides the mass M.
enum class GeometricStiffness {
  kNone,
  kDiagonal,     ///< paper: from the difference of two iterates (quasi-Newton), particles only
  kDiagonalAll,  ///< paper: the same for rigid bodies too
  kExact,  ///< the rows' own second derivative, positive part: 3x3 blocks on the diagonal of H
  kFull,   ///< the same with the coupling of nodes: a sparse H (paper: kStiffness only)
};

/// Rows that can leave the unknowns: those of elastic elements (RowLaw::elastic,
/// core/step/reductions/elastic_mass.h), and in realtime the rows without bounds of joints
/// (core/step/reductions/jointed_mass.h). They become stiffness in a sparse H, the same answer to rounding.
enum class Elimination {
  kAuto,  ///< by the operations of the two factorisations
  kAlways,
  kNever,
};

/// How a matrix-free linear solver gets S = J H^-1 J^T + C.
enum class OperatorForm {
  kAuto,       ///< the one that moves fewer bytes per product; assembled for an observer
  kAssembled,  ///< its blocks
  kFactored,   ///< J, H^-1 and C, core/linear/schur_operator.h
};

/// Of the accurate method (core/step/accurate_step.h).
struct AccurateOptions {
  NcpKind ncp = NcpKind::kMinimumMap;                        ///< of the normal rows
  GeometricStiffness stiffness = GeometricStiffness::kFull;  ///< H: none, exact or full
  Elimination elimination = Elimination::kAuto;              ///< of elastic rows
  int restart_after = 300;  ///< factorisations before a restart (warm: half of them), >= 1
  AccuratePolicy policy;
};

/// Of the realtime method (core/step/realtime_step.h). Its iterations are factorisations; a hard
/// step may take policy.overtime times max_iterations.
struct RealtimeOptions {
  /// Of islands with elastic elements, and of steps that are handed over: the accurate method's.
  NcpKind ncp = NcpKind::kMinimumMap;
  Elimination elimination = Elimination::kAuto;  ///< of rows of joints and elastic elements
  /// > 0: budget of an iterative solver per factorisation, with a relative tolerance of 1e-3 in
  /// single precision; 0: none.
  int linear_iterations = 40;
  bool hand_over = false;  ///< the accurate method finishes steps above policy.hand_over_error
  RealtimePolicy policy;
};

/// Scalars that the paper's method stores and computes in.
enum class Precision { kDouble, kSingle };

/// Where the host's own methods run, and the paper's unless another device is asked for.
#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr std::string_view kHostDevice = "openmp";
#else
inline constexpr std::string_view kHostDevice = "serial";
#endif

/// Of the paper's method (core/step/paper/device_step.h).
struct PaperOptions {
  FrictionKind friction = FrictionKind::kPaper;
  NcpKind ncp = NcpKind::kFischerBurmeister;    ///< of rows with one bound, and of W in kPaper
  ncp::Origin origin = ncp::Origin::kInactive;  ///< derivative of Fischer-Burmeister at (0, 0)
  NcpForm form = NcpForm::kAlphaScaled;
  Formulation formulation = Formulation::kCompliance;
  GeometricStiffness stiffness = GeometricStiffness::kDiagonal;  ///< H
  OperatorForm operator_form = OperatorForm::kAuto;              ///< of kCompliance
  StartingIterate start = StartingIterate::kZero;                ///< u_0
  Damping damping = Damping::kConstant;
  double step_length = 0.75;      ///< t of kConstant, first t of kAdaptive; (0, 1]
  bool final_projection = false;  ///< ours: u = u_free + M^-1 J^T r at the end, in two passes
  bool best_iterate = false;      ///< return the iterate of least error, not the last
  double regularization = 1e-6;   ///< added to the diagonal of S, >= 0
  bool relative_regularization = false;  ///< times diag(S) (dimensionless), else absolute (1/kg)
  double linear_tolerance = 1e-10;       ///< |b - S x| <= linear_tolerance |b|, >= 0
  int linear_iterations = 20;     ///< budget of an iterative solver per Newton iteration; 0: none
  bool eisenstat_walker = false;  ///< linear tolerance from the fall of the merit instead
  double smoothing = 1e-4;        ///< v_s of kSmoothed, m/s, > 0
  Precision precision = Precision::kDouble;  ///< of iterates, rows, matrices and Krylov vectors
};

struct NewtonOptions {
  /// A method, and what the others share with the defaults of this method. Assigning to `method`
  /// alone keeps the shared fields.
  NewtonOptions() : NewtonOptions(AccurateOptions{}) {}
  explicit NewtonOptions(AccurateOptions of_method);
  explicit NewtonOptions(RealtimeOptions of_method);
  explicit NewtonOptions(PaperOptions of_method);

  /// The options of the method; throw std::invalid_argument if it is another one.
  const AccurateOptions& accurate() const;
  const RealtimeOptions& realtime() const;
  const PaperOptions& paper() const;
  AccurateOptions& accurate();
  RealtimeOptions& realtime();
  PaperOptions& paper();

  double tolerance = 0.0;  ///< relative error (core/step/step_error.h) of a solved step, >= 0
  int max_iterations = 1;  ///< Newton iterations = factorisations of a step, >= 1
  bool warm_start = true;  ///< start from the impulses of the last step, by contact id
  std::vector<std::string> linear;  ///< solver by name, then what to fall back to; not empty
  /// m/s and rad/s, > 0: what overlaps, and limits that are exceeded, come apart no faster than this.
  /// Infinite, as in the paper: within the step.
  double recovery_speed = 1.0;
  /// s of wall clock per step of the simulation, >= 0; 0: none. Finding the contacts and a first safe
  /// iterate come first; after that no unit of work starts that would not end in time, by its
  /// operations at the speed measured so far (docs/choosing.md#deadlines).
  double time_budget = 0.0;
  /// Asked between units of work, also while contacts are found, from any thread; true ends the step with
  /// the best iterate. It may throw: the step has moved nothing then, and what it throws arrives at the
  /// caller.
  std::function<bool()> cancel;
  std::function<double()> clock;  ///< s, of time_budget; empty: the wall clock
  /// Where a step is solved (core/step/devices.h); accurate and realtime: the host's threads only.
  std::string device = std::string(kHostDevice);
  std::variant<AccurateOptions, RealtimeOptions, PaperOptions> method;
};

/// Whether a step that ended so keeps what the method promises: kReached, and of realtime kMissed.
bool holds(Promise promise, const NewtonOptions& options);

/// "accurate", "realtime", "paper".
const std::vector<std::string>& preset_names();
/// The method with its defaults. Throws std::invalid_argument with the nearest names if unknown.
NewtonOptions newton_preset(std::string_view name);
/// The name of the method.
std::string_view method_name(const NewtonOptions& options);

/// Throws std::invalid_argument naming the first option out of range, and its value.
void validate(const NewtonOptions& options);

/// The values of an enumeration with their names: "minimum-map", "fischer-burmeister".
template <class Kind>
using Choices = std::vector<std::pair<Kind, std::string_view>>;
template <class Kind>
const Choices<Kind>& choices();
template <>
const Choices<FrictionKind>& choices();
template <>
const Choices<NcpKind>& choices();
template <>
const Choices<ncp::Origin>& choices();
template <>
const Choices<NcpForm>& choices();
template <>
const Choices<Damping>& choices();
template <>
const Choices<StartingIterate>& choices();
template <>
const Choices<Formulation>& choices();
template <>
const Choices<GeometricStiffness>& choices();
template <>
const Choices<Elimination>& choices();
template <>
const Choices<OperatorForm>& choices();
template <>
const Choices<Precision>& choices();

std::string_view to_string(FrictionKind kind);
std::string_view to_string(NcpKind kind);
std::string_view to_string(Damping damping);
std::string_view to_string(GeometricStiffness stiffness);

}  // namespace nsn
