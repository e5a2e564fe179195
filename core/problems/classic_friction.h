/// The methods that the proximal iteration replaces, on the same problems and the same linear
/// algebra, so that they can be compared: Newton steps without a proximal term.
///
///     paper            normal rows by an NCP function, friction by the fixed point u_T + w x_T = 0
///                      (ncp/friction.h)
///     alart-curnier    exact derivative of the natural map (ncp/natural_map.h), or symmetric: with
///                      the friction bound held
#pragma once

#include <functional>

#include "nsn/core/contact/proximal_newton.h"

namespace nsn {

enum class ClassicFriction { kPaperMinimum, kPaperFb, kAlartCurnier, kAlartCurnierSymmetric };

struct ClassicFrictionOptions {
  ClassicFriction method = ClassicFriction::kPaperFb;
  int max_iterations = 1000;
  double damping = 1.0;  ///< t in (0, 1]: x += t d
  /// Added to the diagonal of the scaled W, whose blocks have norm 1.
  double regularisation = 1e-12;
};

struct ClassicFrictionReport {
  bool solved = false;
  bool linear_failure = false;
  int iterations = 0;
  int linear_iterations = 0;
};

/// Starts at the centre of `newton`, whose system and scaled problem it works on; every iterate is
/// offered to it.
[[nodiscard]] ClassicFrictionReport classic_friction(ProximalNewton& newton,
                                                     const ClassicFrictionOptions& options,
                                                     const std::function<bool()>& stop = {});

}  // namespace nsn
