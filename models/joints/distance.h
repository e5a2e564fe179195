/// Distance: two points at a given distance, or within a range (a rope, a strut with a stop).
///
/// One row, abs(d) = length; or none, and axes[0], abs(d), with limits.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

/// A rod between two points in body axes. length > 0, m; compliance >= 0, m/N.
/// Throws std::invalid_argument for a length that is not positive.
Joint distance_joint(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b,
                     double length, double compliance = 0.0);
/// shortest <= abs(d) <= longest, m.
Joint distance_range_joint(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b,
                           double shortest, double longest);

}  // namespace nsn
