#include "nsn/models/collision/separating_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "nsn/core/base/types.h"

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

/// No axis whose gap is less than this below the best one can become the best: rounding is far less.
double rounding(const PlacedPolytope& A, const PlacedPolytope& B) {
  return 1e-12 * (A.size() + B.size());
}

/// A point of the other body for each face: none of it is nearer to the face's plane, or near enough to
/// tell that the face does not decide.
using Witnesses = std::vector<Vec3>;

/// Edges of P that can decide, against the partner I. On the normal cone of an edge, an arc from one
/// face normal to the other, the gap is at most that of any point p of I,
///
///   gap(m) <= m . (p - e),     m outwards, e on the edge,
///
/// and a sine along an arc that is negative at both ends is largest at one of them.
void add_deciding_edges(const PlacedPolytope& P, const PlacedPolytope& I, const Witnesses& of_faces,
                        double face_gap, std::vector<PlacedEdge>& out) {
  const Aabb box = box_around(I);
  const double depth = std::max(0.0, -face_gap) + 1e-9 * (P.size() + I.size());
  const double hopeless = face_gap - rounding(P, I);
  for (const Polytope::Edge& edge : P.polytope().edges) {
    const PlacedEdge placed(P, edge);
    if (!near_box(placed, box, depth)) continue;
    if (edge.left >= 0 && edge.right >= 0) {
      const Vec3 left = P.normal(edge.left);
      const Vec3 right = P.normal(edge.right);
      const auto most = [&](const Vec3& p) {
        return std::max(dot(left, p - placed.from), dot(right, p - placed.from));
      };
      const double bound =
          std::min(most(of_faces[to_size(edge.left)]), most(of_faces[to_size(edge.right)]));
      if (bound < 0.0 && bound < hopeless) continue;
    }
    out.push_back(placed);
  }
}

double gap_over_face(const PlacedPolytope& R, int face, const Vec3& n, const Vec3& x) {
  return dot(n, x) - R.offset(face);
}

double gap_over_face(const PlacedPolytope& R, int face, const Vec3& n, const PlacedPolytope& I) {
  return gap_over_face(R, face, n, I.vertex(I.support_vertex(-n)));
}

/// The face of R with the largest gap, where one has more than `least`; its witnesses.
Axis best_face_of(const PlacedPolytope& R, const PlacedPolytope& I, bool is_a, double least,
                  Witnesses& witness) {
  Axis best;
  std::array<Vec3, 4> found;  // nearest to the last faces, and near to the next ones
  std::size_t count = 0;
  const double slack = rounding(R, I);
  for (int f = 0; f < R.polytope().num_faces(); ++f) {
    const Vec3 n = R.normal(f);
    const double needed = std::max(best.gap, least) - slack;
    const Vec3* hopeless = nullptr;
    for (std::size_t k = 0; k < std::min(count, found.size()) && hopeless == nullptr; ++k) {
      if (gap_over_face(R, f, n, found[k]) < needed) hopeless = &found[k];
    }
    if (hopeless != nullptr) {
      witness.push_back(*hopeless);
      continue;
    }
    const Vec3 x = I.vertex(I.support_vertex(-n));
    witness.push_back(x);
    found[count++ % found.size()] = x;
    const double gap = gap_over_face(R, f, n, x);
    if (gap <= best.gap) continue;
    best = {is_a ? Axis::Kind::kFaceA : Axis::Kind::kFaceB, f, {}, {}, is_a ? -n : n, gap};
  }
  return best;
}

Axis best_edges(const std::vector<PlacedEdge>& of_a, const std::vector<PlacedEdge>& of_b) {
  Axis best;
  for (const PlacedEdge& a : of_a) {
    for (const PlacedEdge& b : of_b) offer_edges(a, b, best);
  }
  return best;
}

}  // namespace

Axes separating_axes(const PlacedPolytope& A, const PlacedPolytope& B, double tolerance) {
  // No allocation once they have grown.
  thread_local Witnesses of_a;
  thread_local Witnesses of_b;
  thread_local std::vector<PlacedEdge> edges_a;
  thread_local std::vector<PlacedEdge> edges_b;
  of_a.clear();
  of_b.clear();
  edges_a.clear();
  edges_b.clear();
  Axes axes;
  axes.tolerance = 1e-13 * (A.size() + B.size());
  axes.face = best_face_of(A, B, true, -1e300, of_a);
  const Axis face_b = best_face_of(B, A, false, axes.face.gap, of_b);
  const double bias = axes.face.face >= 0 ? tolerance : 0.0;
  if (face_b.gap > axes.face.gap + bias) axes.face = face_b;
  add_deciding_edges(A, B, of_a, axes.face.gap, edges_a);
  add_deciding_edges(B, A, of_b, axes.face.gap, edges_b);
  axes.edge = best_edges(edges_a, edges_b);
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
