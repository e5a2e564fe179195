#include "nsn/models/collision/plane_pairs.h"

#include "nsn/models/collision/convex_shape.h"

namespace nsn {

void collide_convex_plane(const Shape& convex, const Pose& pose_a, const Shape&, const Pose& pose_b,
                          double margin, Manifold& out) {
  const auto& shape = static_cast<const ConvexShape&>(convex);
  const Vec3 n = column(pose_b.R, 2);
  const double radius = shape.radius();
  const Vec3 down = -transpose_times(pose_a.R, n);
  const double lowest = dot(n, pose_a.x - pose_b.x) - greatest_along(shape.core_box(), down);
  if (lowest - radius > margin) return;
  for (int k = 0; k < shape.core().num_vertices(); ++k) {
    const Vec3 corner = pose_a.apply(shape.core().vertex(k));
    const double height = dot(n, corner - pose_b.x);
    if (height - radius > margin) continue;
    const auto feature = feature_id(FeatureKind::kVertexOfA, static_cast<std::uint64_t>(k), 0);
    out.push_back({corner - radius * n, corner - height * n, n, feature, radius, 0.0});
  }
}

}  // namespace nsn
