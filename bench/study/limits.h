/// What rounding leaves of Newton's convergence, after [Tisseur01], for arithmetic of unit roundoff d.
///
///   residual   |F(x)| stays near  nu = d k |A| |x|        A: Jacobian at the solution x
///   step       |dx|   stays near  |A^-1| nu + d |x|
///
/// Row by row and with magnitudes of entries, not with products of norms: the friction row of a
/// contact that carries next to nothing has W = |v_T| / F without bound, but its W |x| is |v_T|, and
/// |A| |x| with norms would multiply that W by the impulse of another contact. k: terms of the row.
/// The step is that of the velocities: impulses may drift along null vectors of S, which move
/// nothing.
#pragma once

#include <vector>

#include "bench/report/svg_chart.h"
#include "bench/study/frozen_step.h"
#include "nsn/core/step/system.h"

namespace nsn::study {

inline constexpr double kSingle = 0x1p-24;  ///< unit roundoffs
inline constexpr double kDouble = 0x1p-53;

struct Limits {
  double residual = 0.0;  ///< of StepError::total, m/s
  double step = 0.0;      ///< largest change of a velocity, m/s
};

/// Both are proportional to the unit roundoff; these are for d = 1, at the solution that the paper's
/// iteration finds with a direct solver. extent: of the positions, m, which rows at velocity level
/// divide by h.
Limits unit_limits(StepEquations& equations, double extent);

/// Dashed lines for arithmetic in 32 and in 64 bits, from a limit for d = 1; none where there is no
/// limit.
std::vector<report::ReferenceLine> limit_lines(double unit);

/// Largest coordinate of a body or particle where the scene starts, m.
double extent_of(const FrozenScene& scene);

}  // namespace nsn::study
