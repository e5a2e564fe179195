/// How a surface behaves in contact, of a shape or of a deformable body.
#pragma once

namespace nsn {

struct Surface {
  double mu = 0.5;          ///< friction; two surfaces combine by geometric mean, or see below
  double compliance = 0.0;  ///< normal compliance, m/N; two surfaces add
  double thickness = 0.0;   ///< the surface lies this far outside the shape, m; two surfaces add
  /// e in [0, 1] of impacts faster than World::restitution_threshold; the larger of two counts.
  double restitution = 0.0;
  double rolling = 0.0;   ///< rolling resistance as a length, m; the larger of two counts
  double spinning = 0.0;  ///< resistance to spinning about the normal, m; the larger of two counts
  /// How friction combines with that of a surface that says the same: the one of higher priority
  /// decides; of two of one priority the larger counts, or none where both are slick.
  enum class Combine { kMean, kLarger } combine = Combine::kMean;
  int priority = 0;
  bool slick = false;
};

}  // namespace nsn
