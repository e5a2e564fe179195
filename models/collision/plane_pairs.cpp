#include "models/collision/plane_pairs.h"

#include "models/collision/box.h"
#include "models/collision/sphere.h"

namespace nsn {
namespace {

Vec3 plane_normal(const Pose& pose) {
  return {pose.R(0, 2), pose.R(1, 2), pose.R(2, 2)};
}

}  // namespace

void collide_sphere_plane(const Shape& sphere, const Pose& pose_a, const Shape&, const Pose& pose_b,
                          double margin, Manifold& out) {
  const double radius = static_cast<const Sphere&>(sphere).radius();
  const Vec3 n = plane_normal(pose_b);
  const double height = dot(n, pose_a.x - pose_b.x);
  if (height - radius > margin) return;
  out.push_back({pose_a.x - radius * n, pose_a.x - height * n, n, 0, radius, 0.0});
}

void collide_box_plane(const Shape& box, const Pose& pose_a, const Shape&, const Pose& pose_b,
                       double margin, Manifold& out) {
  const Vec3 n = plane_normal(pose_b);
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = pose_a.apply(static_cast<const Box&>(box).corner(k));
    const double gap = dot(n, corner - pose_b.x);
    if (gap > margin) continue;
    out.push_back({corner, corner - gap * n, n, static_cast<std::uint64_t>(k), 0.0, 0.0});
  }
}

}  // namespace nsn
