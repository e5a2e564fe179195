#include "nsn/models/collision/convex_manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory_resource>
#include <utility>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {
namespace {

/// Lines are numbered: edge k of the incident body is k, of the reference -1 - k.
using Line = int;

/// Corner of the clipped outline and the two lines that meet in it, or the incident body's vertex.
struct Corner {
  Vec3 point;
  Line before = 0;
  Line after = 0;
  int vertex = -1;
};
using Outline = std::pmr::vector<Corner>;

/// The half-space n . x <= offset beside an edge of the reference face.
struct Side {
  Vec3 n;
  double offset;
  Line line;
};

/// Keeps what lies in the half-space (+ tolerance). Closed outlines; a segment has two corners and
/// an open end.
void clip(const Outline& in, const Side& side, double tolerance, Outline& out) {
  out.clear();
  const std::size_t spans = in.size() > 2 ? in.size() : in.size() - 1;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Corner& p = in[k];
    const double d_p = dot(side.n, p.point) - side.offset;
    const bool in_p = d_p <= tolerance;
    if (in_p) out.push_back(p);
    if (k >= spans) continue;
    const Corner& q = in[(k + 1) % in.size()];
    const double d_q = dot(side.n, q.point) - side.offset;
    const bool in_q = d_q <= tolerance;
    if (in_p == in_q) continue;
    // Of two ends beyond the plane one may be within the tolerance: what is kept ends at that one.
    const double share = std::clamp(d_p / (d_p - d_q), 0.0, 1.0);
    const Vec3 crossing = p.point + share * (q.point - p.point);
    out.push_back(in_p ? Corner{crossing, p.after, side.line, -1}
                       : Corner{crossing, side.line, p.after, -1});
  }
}

int shared_vertex(const Polytope::Edge& e, const Polytope::Edge& f) {
  if (e.a == f.a || e.a == f.b) return e.a;
  return e.b == f.a || e.b == f.b ? e.b : -1;
}

/// Names a corner by what meets in it.
class Naming {
 public:
  Naming(const Polytope& reference, const Polytope& incident, bool reference_is_a)
      : reference_(reference), incident_(incident), reference_is_a_(reference_is_a) {}

  std::uint64_t name(const Corner& corner) const {
    if (corner.vertex >= 0) return vertex_of(false, corner.vertex);
    if (corner.before < 0 && corner.after < 0) return name_reference_vertex(corner);
    const Line i = std::max(corner.before, corner.after);
    const Line r = -1 - std::min(corner.before, corner.after);
    const auto of_incident = number(incident_.edge(i));
    const auto of_reference = number(reference_.edge(r));
    return reference_is_a_ ? feature_id(FeatureKind::kEdges, of_reference, of_incident)
                           : feature_id(FeatureKind::kEdges, of_incident, of_reference);
  }

 private:
  static std::uint64_t number(const Polytope::Edge& edge) { return edge_number(edge.a, edge.b); }

  std::uint64_t name_reference_vertex(const Corner& corner) const {
    const int i = -1 - corner.before;
    const int j = -1 - corner.after;
    const int vertex = shared_vertex(reference_.edge(i), reference_.edge(j));
    if (vertex >= 0) return vertex_of(true, vertex);
    return feature_id(FeatureKind::kNearest, static_cast<std::uint64_t>(i),
                      static_cast<std::uint64_t>(j));
  }

  std::uint64_t vertex_of(bool of_reference, int vertex) const {
    const auto k = static_cast<std::uint64_t>(vertex);
    return of_reference == reference_is_a_ ? feature_id(FeatureKind::kVertexOfA, k, 0)
                                           : feature_id(FeatureKind::kVertexOfB, 0, k);
  }

  const Polytope& reference_;
  const Polytope& incident_;
  bool reference_is_a_;
};

/// Of the faces around the vertex furthest against n, the one that looks most against n.
int incident_face(const PlacedPolytope& I, const Vec3& n) {
  const Polytope& P = I.polytope();
  const int vertex = I.support_vertex(-n);
  int best = -1;
  double most = 2.0;
  for (int f = 0; f < P.num_faces(); ++f) {
    const auto begin = P.loop.begin() + P.face(f).begin;
    const auto end = P.loop.begin() + P.face(f).end;
    const double along = dot(I.normal(f), n);
    if (along >= most - 1e-9 || std::find(begin, end, vertex) == end) continue;
    most = along;
    best = f;
  }
  return best;
}

void start_outline(const PlacedPolytope& I, const Vec3& n, Outline& out) {
  const Polytope& P = I.polytope();
  if (P.num_faces() == 0) {
    for (int k = 0; k < P.num_vertices(); ++k) out.push_back({I.vertex(k), 0, 0, k});
    return;
  }
  const Polytope::Face& face = P.face(incident_face(I, n));
  for (int k = face.begin; k < face.end; ++k) {
    const int previous = k > face.begin ? k - 1 : face.end - 1;
    const int vertex = P.loop[to_size(k)];
    out.push_back(
        {I.vertex(vertex), P.loop_edge[to_size(previous)], P.loop_edge[to_size(k)], vertex});
  }
}

/// Appends a point of the incident core, `depth` along n above the reference core.
void push_over_face(const PlacedPolytope& R, const PlacedPolytope& I, const Vec3& n, double height,
                    const Vec3& corner, bool reference_is_a, std::uint64_t feature, Manifold& out) {
  const Vec3 on_reference = corner - (height - R.radius()) * n;
  const Vec3 on_incident = corner - I.radius() * n;
  if (reference_is_a) {
    out.push_back({on_reference, on_incident, -n, feature, R.radius(), I.radius()});
  } else {
    out.push_back({on_incident, on_reference, n, feature, I.radius(), R.radius()});
  }
}

/// Keeps the deepest point of out[begin, end) and those that span the largest area with it.
void reduce(Manifold& out, std::size_t begin) {
  if (out.size() - begin <= kMaxManifold) return;
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto deeper = [](const ContactPoint& p, const ContactPoint& q) { return gap(p) < gap(q); };
  std::iter_swap(first, std::min_element(first, out.end(), deeper));
  for (std::size_t chosen = begin + 1; chosen < begin + kMaxManifold; ++chosen) {
    std::size_t furthest = chosen;
    double most = -1.0;
    for (std::size_t k = chosen; k < out.size(); ++k) {
      double nearest = 1e300;
      for (std::size_t c = begin; c < chosen; ++c) {
        const Vec3 d = out[k].on_a - out[c].on_a;
        nearest = std::min(nearest, dot(d, d));
      }
      if (nearest <= most) continue;
      most = nearest;
      furthest = k;
    }
    std::swap(out[chosen], out[furthest]);
  }
  out.resize(begin + kMaxManifold);
}

void face_contacts(const PlacedPolytope& R, int face, const PlacedPolytope& I, bool reference_is_a,
                   double margin, Manifold& out) {
  std::array<std::byte, 8192> buffer;  // both outlines, up to about 60 corners each
  std::pmr::monotonic_buffer_resource memory(buffer.data(), buffer.size());
  Outline outline(&memory);
  Outline clipped(&memory);
  const Polytope& P = R.polytope();
  const Polytope::Face& f = P.face(face);
  const Vec3 n = R.normal(face);
  outline.reserve(24);
  clipped.reserve(24);
  start_outline(I, n, outline);
  const double tolerance = 1e-6 * R.size();
  for (int k = f.begin; k < f.end && !outline.empty(); ++k) {
    const Vec3 p = R.vertex(P.loop[to_size(k)]);
    const Vec3 q = R.vertex(P.loop[to_size(k + 1 < f.end ? k + 1 : f.begin)]);
    const Vec3 outward = normalized(cross(q - p, n));
    clip(outline, {outward, dot(outward, p), -1 - P.loop_edge[to_size(k)]}, tolerance, clipped);
    std::swap(outline, clipped);
  }
  const Naming naming(P, I.polytope(), reference_is_a);
  const std::size_t begin = out.size();
  const double offset = R.offset(face);
  const double reach = margin + R.radius() + I.radius();
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Corner& corner = outline[k];
    const double height = dot(n, corner.point) - offset;
    if (height > reach) continue;
    push_over_face(R, I, n, height, corner.point, reference_is_a, naming.name(corner), out);
  }
  reduce(out, begin);
}

/// Appends two points of the cores, `gap` along n less the radii.
void push_pair(const PlacedPolytope& A, const PlacedPolytope& B, const Vec3& n, const Vec3& core_a,
               const Vec3& core_b, std::uint64_t feature, double margin, Manifold& out) {
  const double height = dot(n, core_a - core_b) - A.radius() - B.radius();
  if (height > margin) return;
  out.push_back(
      {core_a - A.radius() * n, core_b + B.radius() * n, n, feature, A.radius(), B.radius()});
}

/// The edge at the nearest feature of a core that is most nearly perpendicular to n; -1: none.
int nearest_edge(const PlacedPolytope& P, const std::array<int, 4>& vertex, int count,
                 const Vec3& n) {
  const auto touched = [&](int v) {
    return std::find(vertex.begin(), vertex.begin() + count, v) != vertex.begin() + count;
  };
  int best = -1;
  double least = kSideBySide;
  for (int k = 0; k < P.polytope().num_edges(); ++k) {
    const Polytope::Edge& edge = P.polytope().edge(k);
    if (!touched(edge.a) && !touched(edge.b)) continue;
    const Vec3 along = P.vertex(edge.b) - P.vertex(edge.a);
    const double slope = std::abs(dot(along, n)) / norm(along);
    if (!(slope < least)) continue;
    least = slope;
    best = k;
  }
  return best;
}

/// Two edges side by side.
struct SideBySide {
  const PlacedPolytope& A;
  const PlacedPolytope& B;
  Polytope::Edge a;
  Polytope::Edge b;

  /// Appends the ends of the common stretch; false if there is none to speak of.
  bool add(const Vec3& n, double margin, Manifold& out) const {
    const Vec3 a0 = A.vertex(a.a);
    const Vec3 b0 = B.vertex(b.a);
    const Vec3 along_a = A.vertex(a.b) - a0;
    const Vec3 along_b = B.vertex(b.b) - b0;
    const double length = norm(along_a);
    const Vec3 e = (1.0 / length) * along_a;
    const double speed = dot(along_b, e);  // of b's parameter along e
    if (norm(cross(along_b, e)) > kSideBySide * norm(along_b)) return false;
    // b's ends as coordinates along a.
    const double start = dot(b0 - a0, e);
    const double low_b = std::min(start, start + speed);
    const double high_b = std::max(start, start + speed);
    const double low = std::max(0.0, low_b);
    const double high = std::min(length, high_b);
    if (high - low <= 1e-6 * length) return false;
    for (const double end : {low, high}) {
      const Vec3 on_a = a0 + end * e;
      const Vec3 on_b = b0 + ((end - start) / speed) * along_b;
      const bool of_a = end == low ? low_b <= 0.0 : high_b >= length;
      const int vertex =
          of_a ? (end == low ? a.a : a.b) : ((end == low) == (speed > 0.0) ? b.a : b.b);
      const auto k = static_cast<std::uint64_t>(vertex);
      push_pair(A, B, n, on_a, on_b,
                of_a ? feature_id(FeatureKind::kVertexOfA, k, 0)
                     : feature_id(FeatureKind::kVertexOfB, 0, k),
                margin, out);
    }
    return true;
  }
};

/// Vertex or edge that a core's nearest point lies on, as a number.
std::uint64_t feature_number(const std::array<int, 4>& vertex, int count) {
  int low = vertex[0];
  int high = vertex[0];
  for (int k = 1; k < count; ++k) {
    low = std::min(low, vertex[to_size(k)]);
    high = std::max(high, vertex[to_size(k)]);
  }
  return edge_number(low, high);
}

}  // namespace

void add_face_contacts(const PlacedPolytope& A, const PlacedPolytope& B, const Axis& axis,
                       double margin, Manifold& out) {
  if (axis.kind == Axis::Kind::kFaceA) {
    face_contacts(A, axis.face, B, true, margin, out);
  } else {
    face_contacts(B, axis.face, A, false, margin, out);
  }
}

void add_edge_contact(const PlacedPolytope& A, const PlacedPolytope& B, const Axis& axis,
                      double margin, Manifold& out) {
  // Nearest points p + s a, q + t b of the two lines.
  const Vec3 p = A.vertex(axis.edge_a[0]);
  const Vec3 q = B.vertex(axis.edge_b[0]);
  const Vec3 a = A.vertex(axis.edge_a[1]) - p;
  const Vec3 b = B.vertex(axis.edge_b[1]) - q;
  const Vec3 m = cross(a, b);
  const double square = dot(m, m);
  const double s = std::clamp(dot(cross(q - p, b), m) / square, 0.0, 1.0);
  const double t = std::clamp(dot(cross(q - p, a), m) / square, 0.0, 1.0);
  push_pair(A, B, axis.normal, p + s * a, q + t * b,
            feature_id(FeatureKind::kEdges, edge_number(axis.edge_a[0], axis.edge_a[1]),
                       edge_number(axis.edge_b[0], axis.edge_b[1])),
            margin, out);
}

void add_nearest_contacts(const PlacedPolytope& A, const PlacedPolytope& B, const GjkResult& near,
                          double margin, Manifold& out) {
  const int edge_a = nearest_edge(A, near.vertex_a, near.corners, near.normal);
  const int edge_b = nearest_edge(B, near.vertex_b, near.corners, near.normal);
  if (edge_a >= 0 && edge_b >= 0) {
    const SideBySide edges{A, B, A.polytope().edge(edge_a), B.polytope().edge(edge_b)};
    if (edges.add(near.normal, margin, out)) return;
  }
  push_pair(A, B, near.normal, near.on_a, near.on_b,
            feature_id(FeatureKind::kNearest, feature_number(near.vertex_a, near.corners),
                       feature_number(near.vertex_b, near.corners)),
            margin, out);
}

}  // namespace nsn
