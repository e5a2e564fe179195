#include "nsn/models/collision/separating_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nsn {
namespace {

/// Sines of edges below this count as parallel: a face says the same.
constexpr double kParallel = 1e-9;

/// An edge with the directions into its two faces; n is normal to the polytope along the edge if it
/// points into neither.
struct PlacedEdge {
  int a = 0;
  int b = 0;
  Vec3 from;
  Vec3 along;
  Vec3 into_left;
  Vec3 into_right;

  PlacedEdge() = default;
  PlacedEdge(const PlacedPolytope& P, const Polytope::Edge& edge)
      : a(edge.a), b(edge.b), from(P.vertex(edge.a)), along(P.vertex(edge.b) - from) {
    if (edge.left >= 0) into_left = cross(P.normal(edge.left), along);
    if (edge.right >= 0) into_right = cross(along, P.normal(edge.right));
  }
  bool is_normal(const Vec3& n) const {
    return dot(n, into_left) <= 0.0 && dot(n, into_right) <= 0.0;
  }
};

Aabb box_around(const PlacedPolytope& P) {
  Aabb box{P.vertex(0), P.vertex(0)};
  for (int k = 1; k < P.polytope().num_vertices(); ++k) {
    const Vec3 v = P.vertex(k);
    for (int i = 0; i < 3; ++i) {
      box.lower[i] = std::min(box.lower[i], v[i]);
      box.upper[i] = std::max(box.upper[i], v[i]);
    }
  }
  return box;
}

/// Edges that can decide must come within the known depth of the other body.
bool near_box(const PlacedEdge& edge, const Aabb& box, double depth) {
  for (int i = 0; i < 3; ++i) {
    const double low = edge.from[i] + std::min(0.0, edge.along[i]);
    const double high = edge.from[i] + std::max(0.0, edge.along[i]);
    if (low > box.upper[i] + depth || high < box.lower[i] - depth) return false;
  }
  return true;
}

void offer_edges(const PlacedEdge& a, const PlacedEdge& b, Axis& best) {
  const Vec3 m = cross(a.along, b.along);
  const double size = norm(m);
  if (size * size <= kParallel * kParallel * dot(a.along, a.along) * dot(b.along, b.along)) return;
  for (const double sign : {1.0 / size, -1.0 / size}) {
    const Vec3 n = sign * m;
    if (!b.is_normal(n) || !a.is_normal(-n)) continue;
    const double gap = dot(n, a.from - b.from);
    if (gap <= best.gap) continue;
    best = {Axis::Kind::kEdges, -1, {a.a, a.b}, {b.a, b.b}, n, gap};
  }
}

Axis best_edges(const PlacedPolytope& A, const PlacedPolytope& B, double face_gap) {
  Axis best;
  const Aabb box_a = box_around(A);
  const Aabb box_b = box_around(B);
  const double depth = std::max(0.0, -face_gap) + 1e-9 * (A.size() + B.size());
  std::array<PlacedEdge, 32> chunk;  // of B's edges: no memory is asked for
  const auto run = [&](std::size_t count) {
    for (const Polytope::Edge& edge : A.polytope().edges) {
      const PlacedEdge a(A, edge);
      if (!near_box(a, box_b, depth)) continue;
      for (std::size_t k = 0; k < count; ++k) offer_edges(a, chunk[k], best);
    }
  };
  std::size_t count = 0;
  for (const Polytope::Edge& edge : B.polytope().edges) {
    chunk[count] = PlacedEdge(B, edge);
    if (near_box(chunk[count], box_a, depth)) ++count;
    if (count < chunk.size()) continue;
    run(count);
    count = 0;
  }
  run(count);
  return best;
}

double gap_over_face(const PlacedPolytope& R, int face, const Vec3& n, const PlacedPolytope& I) {
  return dot(n, I.vertex(I.support_vertex(-n))) - R.offset(face);
}

Axis best_face(const PlacedPolytope& A, const PlacedPolytope& B, double tolerance) {
  Axis best;
  for (int f = 0; f < A.polytope().num_faces(); ++f) {
    const Vec3 n = A.normal(f);
    const double gap = gap_over_face(A, f, n, B);
    if (gap > best.gap) best = {Axis::Kind::kFaceA, f, {}, {}, -n, gap};
  }
  Axis of_b;
  for (int f = 0; f < B.polytope().num_faces(); ++f) {
    const Vec3 n = B.normal(f);
    const double gap = gap_over_face(B, f, n, A);
    if (gap > of_b.gap) of_b = {Axis::Kind::kFaceB, f, {}, {}, n, gap};
  }
  return of_b.gap > best.gap + (best.face >= 0 ? tolerance : 0.0) ? of_b : best;
}

}  // namespace

Axes separating_axes(const PlacedPolytope& A, const PlacedPolytope& B, double tolerance) {
  Axes axes;
  axes.tolerance = 1e-13 * (A.size() + B.size());
  axes.face = best_face(A, B, tolerance);
  axes.edge = best_edges(A, B, axes.face.gap);
  return axes;
}

Axis facing_axis(const PlacedPolytope& A, const PlacedPolytope& B, const Vec3& n, double gap) {
  const double tolerance = 1e-6 * (A.size() + B.size());
  Axis best;
  for (int f = 0; f < A.polytope().num_faces(); ++f) {
    const Vec3 m = A.normal(f);
    if (-dot(m, n) < kFaceAlong) continue;
    const double here = gap_over_face(A, f, m, B);
    if (here >= gap && here > best.gap) best = {Axis::Kind::kFaceA, f, {}, {}, -m, here};
  }
  for (int f = 0; f < B.polytope().num_faces(); ++f) {
    const Vec3 m = B.normal(f);
    if (dot(m, n) < kFaceAlong) continue;
    const double here = gap_over_face(B, f, m, A);
    const double bias = best.kind == Axis::Kind::kFaceA ? tolerance : 0.0;
    if (here >= gap && here > best.gap + bias) best = {Axis::Kind::kFaceB, f, {}, {}, m, here};
  }
  return best;
}

}  // namespace nsn
