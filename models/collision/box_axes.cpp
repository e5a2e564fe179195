#include "nsn/models/collision/box_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nsn {
namespace {

struct PlacedBox {
  std::array<Vec3, 3> axis;
  Vec3 half;

  PlacedBox(const Box& box, const Mat3& R)
      : axis{column(R, 0), column(R, 1), column(R, 2)}, half(box.half()) {}
  const Vec3& e(int k) const { return axis[static_cast<std::size_t>(k)]; }
  /// Half length of the shadow on a direction.
  double reach(const Vec3& d) const {
    return half[0] * std::abs(dot(axis[0], d)) + half[1] * std::abs(dot(axis[1], d)) +
           half[2] * std::abs(dot(axis[2], d));
  }
};

/// Vertices of the edge along axis k that reaches furthest along d.
void support_edge(const PlacedBox& box, int k, const Vec3& d, int (&edge)[2]) {
  edge[0] = 0;
  for (int s = 1; s <= 2; ++s) {
    const int i = (k + s) % 3;
    if (dot(box.e(i), d) > 0.0) edge[0] |= 1 << i;
  }
  edge[1] = edge[0] | 1 << k;
}

}  // namespace

Axes box_axes(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double cutoff) {
  const PlacedBox A(a, pose_a.R);
  const PlacedBox B(b, pose_b.R);
  const Vec3 between = pose_a.x - pose_b.x;
  const double tolerance = 1e-6 * (a.core().size + b.core().size);
  Axes axes;
  axes.tolerance = 1e-7 * tolerance;
  for (int f = 0; f < 6; ++f) {
    const bool of_a = f < 3;
    const int k = f % 3;
    const Vec3& d = of_a ? A.e(k) : B.e(k);
    const double distance = dot(d, between);
    const double reach_a = of_a ? A.half[k] : A.reach(d);
    const double reach_b = of_a ? B.reach(d) : B.half[k];
    const double gap = std::abs(distance) - reach_a - reach_b;
    const double bias = of_a || axes.face.kind == Axis::Kind::kFaceB ? 0.0 : tolerance;
    if (gap <= axes.face.gap + bias) continue;
    const bool forward = distance >= 0.0;  // d points from B to A
    const int side = of_a == forward ? 0 : 1;
    axes.face = {of_a ? Axis::Kind::kFaceA : Axis::Kind::kFaceB,
                 2 * k + side,
                 {},
                 {},
                 forward ? d : -d,
                 gap};
    if (gap > cutoff) return axes;
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vec3 m = cross(A.e(i), B.e(j));
      const double sine = norm(m);
      if (sine < 1e-9) continue;  // parallel edges: a face says the same
      Vec3 d = (1.0 / sine) * m;
      const double distance = dot(d, between);
      if (distance < 0.0) d = -d;
      const double gap = std::abs(distance) - A.reach(d) - B.reach(d);
      if (gap <= axes.edge.gap) continue;
      axes.edge.kind = Axis::Kind::kEdges;
      axes.edge.normal = d;
      axes.edge.gap = gap;
      support_edge(A, i, -d, axes.edge.edge_a);
      support_edge(B, j, d, axes.edge.edge_b);
      if (gap > cutoff) return axes;
    }
  }
  return axes;
}

}  // namespace nsn
