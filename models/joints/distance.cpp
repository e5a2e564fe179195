#include "nsn/models/joints/distance.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/models/joints/hold.h"

namespace nsn {

namespace {

Joint link(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b) {
  Joint joint = make_joint("distance", body_a, body_b);
  joint.frame_a.origin = point_a;
  joint.frame_b.origin = point_b;
  return joint;
}

}  // namespace

Joint distance_joint(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b,
                     double length, double compliance) {
  NSN_THROW_UNLESS(length > 0.0 && std::isfinite(length),
                   "distance joint of bodies {} and {}: length {} is not positive", body_a, body_b,
                   length);
  Joint joint = link(body_a, point_a, body_b, point_b);
  joint.rows.push_back({coordinate(JointCoordinate::Kind::kDistance), length, compliance, 0.0});
  return joint;
}

Joint distance_range_joint(int body_a, const Vec3& point_a, int body_b, const Vec3& point_b,
                           double shortest, double longest) {
  Joint joint = link(body_a, point_a, body_b, point_b);
  joint.axes.push_back(
      {coordinate(JointCoordinate::Kind::kDistance), {shortest, longest}, {}, 0.0});
  return joint;
}

}  // namespace nsn
