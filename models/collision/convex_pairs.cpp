#include "nsn/models/collision/convex_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/box_axes.h"
#include "nsn/models/collision/convex_manifold.h"
#include "nsn/models/collision/convex_shape.h"
#include "nsn/models/collision/feature_distance.h"

namespace nsn {
namespace {

/// Two cores about a common origin between them.
struct PlacedPair {
  Vec3 origin;
  PlacedPolytope A;
  PlacedPolytope B;

  PlacedPair(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b)
      : origin(0.5 * (pose_a.x + pose_b.x)),
        A(place(a, pose_a, origin)),
        B(place(b, pose_b, origin)) {}

  static PlacedPolytope place(const Shape& shape, const Pose& pose, const Vec3& origin) {
    const auto& convex = static_cast<const ConvexShape&>(shape);
    return {convex.core(), convex.radius(), pose.R, pose.x - origin};
  }
  double size() const { return A.size() + B.size(); }
  double radii() const { return A.radius() + B.radius(); }
};

bool is_line(const PlacedPolytope& P) {
  return P.polytope().num_vertices() <= 2;
}

/// The number and the vertices of the feature at parameter t of a point or segment.
int line_feature(const PlacedPolytope& P, double t, std::array<int, 4>& vertex) {
  const int last = P.polytope().num_vertices() - 1;
  vertex = {t < 1.0 ? 0 : last, last, 0, 0};
  return t > 0.0 && t < 1.0 && last > 0 ? 2 : 1;
}

/// A direction for lines that cross: perpendicular to both, from B to A as far as that can be said.
Vec3 crossing_normal(const Vec3& d, const Vec3& e, const Vec3& towards_a) {
  Vec3 n = cross(d, e);
  if (norm(n) <= 1e-9 * norm(d) * norm(e)) {
    const Vec3& along = norm(d) > norm(e) ? d : e;
    const double length = norm(along);
    n = length > 0.0 ? tangent_frame((1.0 / length) * along).t1 : Vec3{0, 0, 1};
  }
  n = normalized(n);
  return dot(n, towards_a) < 0.0 ? -n : n;
}

/// Points and segments have a closed form.
GjkResult nearest_lines(const PlacedPolytope& A, const PlacedPolytope& B, double cutoff) {
  const int last_a = A.polytope().num_vertices() - 1;
  const int last_b = B.polytope().num_vertices() - 1;
  const Vec3 a0 = A.vertex(0);
  const Vec3 a1 = A.vertex(last_a);
  const Vec3 b0 = B.vertex(0);
  const Vec3 b1 = B.vertex(last_b);
  const BetweenSegments near = closest_between_segments(a0, a1, b0, b1);
  GjkResult result;
  result.distance = std::sqrt(near.distance_squared);
  result.status = result.distance > cutoff ? GjkResult::Status::kBeyond : GjkResult::Status::kApart;
  if (result.status == GjkResult::Status::kBeyond) return result;
  result.on_a = near.on_p;
  result.on_b = near.on_q;
  const Vec3 between = near.on_p - near.on_q;
  const double tiny = 1e-14 * (A.size() + B.size() + A.radius() + B.radius());
  result.normal = result.distance > tiny ? (1.0 / result.distance) * between
                                         : crossing_normal(a1 - a0, b1 - b0, a0 + a1 - b0 - b1);
  const int count_a = line_feature(A, near.s, result.vertex_a);
  const int count_b = line_feature(B, near.t, result.vertex_b);
  result.corners = std::max(count_a, count_b);
  if (count_a == 1) result.vertex_a[1] = result.vertex_a[0];
  if (count_b == 1) result.vertex_b[1] = result.vertex_b[0];
  return result;
}

GjkResult nearest(const PlacedPair& pair, double cutoff) {
  if (is_line(pair.A) && is_line(pair.B)) return nearest_lines(pair.A, pair.B, cutoff);
  return gjk(pair.A, pair.B, pair.A.centre() - pair.B.centre(), cutoff);
}

/// Deeper than this, or nearer, cores are treated as touching: the direction between two points so
/// near is lost in rounding, that of a face or of two edges is not.
double touching(const PlacedPair& pair) {
  return 1e-6 * pair.size();
}

/// How much larger than a face's gap that of two edges must be to be preferred, m.
double face_bias(const PlacedPair& pair) {
  return 1e-3 * pair.size();
}

/// The axis whose manifold is wanted.
const Axis& preferred(const PlacedPair& pair, const Axes& axes) {
  const bool alike = dot(axes.edge.normal, axes.face.normal) > kFaceAlong;
  const double bias = alike ? face_bias(pair) : 0.0;
  return axes.edge.gap > axes.face.gap + bias ? axes.edge : axes.face;
}

void add_axis_contacts(const PlacedPair& pair, const Axis& axis, double margin, Manifold& out) {
  switch (axis.kind) {
    case Axis::Kind::kFaceA:
    case Axis::Kind::kFaceB:
      return add_face_contacts(pair.A, pair.B, axis, margin, out);
    case Axis::Kind::kEdges:
      return add_edge_contact(pair.A, pair.B, axis, margin, out);
    case Axis::Kind::kNone:
      return;
  }
}

double smallest_gap(const Manifold& out, std::size_t begin) {
  double smallest = 1e300;
  for (std::size_t k = begin; k < out.size(); ++k) smallest = std::min(smallest, gap(out[k]));
  return smallest;
}

double smallest_distance(const Manifold& out, std::size_t begin) {
  double smallest = 1e300;
  for (std::size_t k = begin; k < out.size(); ++k) {
    smallest = std::min(smallest, norm(out[k].on_a - out[k].on_b));
  }
  return smallest;
}

/// Points of cores that touch or overlap. A preferred face may look past the other body, or past
/// its nearest point: then also the edges it was preferred to.
void add_overlap_contacts(const PlacedPair& pair, const Axes& axes, double margin, Manifold& out) {
  const std::size_t before = out.size();
  const Axis& chosen = preferred(pair, axes);
  add_axis_contacts(pair, chosen, margin, out);
  if (chosen.kind == Axis::Kind::kEdges || axes.edge.gap <= axes.face.gap) return;
  const double exact = axes.edge.gap - pair.radii();
  if (smallest_gap(out, before) > exact + 1e-10 * pair.size()) {
    const std::size_t faces = out.size();
    add_axis_contacts(pair, axes.edge, margin, out);
    // A point of the faces again would come and go with the rounding of two that lie on each other.
    if (out.size() > faces && repeats(out, before, faces, out[faces], 1e-3 * pair.size())) {
      out.resize(faces);
    }
    // The outlines may cross in the same two edges, with the face's normal.
    for (std::size_t k = faces; k < out.size(); ++k) out[k].feature = mix_bits(out[k].feature);
  }
}

void shift(Manifold& out, std::size_t begin, const Vec3& origin) {
  for (std::size_t k = begin; k < out.size(); ++k) {
    out[k].on_a += origin;
    out[k].on_b += origin;
  }
}

/// Points of cores that are apart.
void add_apart_contacts(const PlacedPair& pair, const GjkResult& near, double margin,
                        Manifold& out) {
  const double enough = near.distance - face_bias(pair);
  const Axis face = facing_axis(pair.A, pair.B, near.normal, enough);
  const std::size_t before = out.size();
  if (face.kind != Axis::Kind::kNone) add_face_contacts(pair.A, pair.B, face, margin, out);
  const double exact = near.distance - pair.radii();
  if (smallest_gap(out, before) > exact + 1e-10 * pair.size()) {
    add_nearest_contacts(pair.A, pair.B, near, margin, out);
  }
}

/// The two points of an axis, on the cores.
Closest closest_on_axis(const PlacedPair& pair, const Axis& axis) {
  Manifold points;
  add_axis_contacts(pair, axis, 1e300, points);
  if (points.empty()) {  // the face looks past the other core: it is not the nearest axis
    const Vec3 on_a = pair.A.support(-axis.normal).x;
    return {axis.gap, on_a, on_a - axis.gap * axis.normal, axis.normal};
  }
  const auto deeper = [](const ContactPoint& p, const ContactPoint& q) { return gap(p) < gap(q); };
  const ContactPoint& deepest = *std::min_element(points.begin(), points.end(), deeper);
  return {axis.gap, deepest.on_a + pair.A.radius() * axis.normal,
          deepest.on_b - pair.B.radius() * axis.normal, axis.normal};
}

}  // namespace

void collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    double margin, Manifold& out) {
  const PlacedPair pair(a, pose_a, b, pose_b);
  const std::size_t before = out.size();
  const GjkResult near = nearest(pair, margin + pair.radii());
  if (near.status == GjkResult::Status::kBeyond) return;
  const bool lines = is_line(pair.A) && is_line(pair.B);
  if (lines) {
    add_nearest_contacts(pair.A, pair.B, near, margin, out);
  } else if (near.status == GjkResult::Status::kOverlap || near.distance < touching(pair)) {
    add_overlap_contacts(pair, separating_axes(pair.A, pair.B, touching(pair)), margin, out);
  } else {
    add_apart_contacts(pair, near, margin, out);
  }
  shift(out, before, pair.origin);
}

void collide_box_box(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     double margin, Manifold& out) {
  const Axes axes =
      box_axes(static_cast<const Box&>(a), pose_a, static_cast<const Box&>(b), pose_b, margin);
  if (axes.best().gap > margin) return;
  const PlacedPair pair(a, pose_a, b, pose_b);
  const std::size_t before = out.size();
  add_overlap_contacts(pair, axes, margin, out);
  // The largest gap of any axis bounds the distance from below; points that are no further apart
  // prove that it is the distance.
  const bool apart = axes.best().gap > touching(pair) &&
                     smallest_distance(out, before) > axes.best().gap + 1e-10 * pair.size();
  if (apart) {
    out.resize(before);
    const GjkResult near = nearest(pair, margin);
    if (near.status == GjkResult::Status::kApart) add_apart_contacts(pair, near, margin, out);
  }
  shift(out, before, pair.origin);
}

Closest closest_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const PlacedPair pair(a, pose_a, b, pose_b);
  const GjkResult near = nearest(pair, 1e300);
  Closest closest{near.distance, near.on_a, near.on_b, near.normal};
  const bool lines = is_line(pair.A) && is_line(pair.B);
  if (!lines && (near.status == GjkResult::Status::kOverlap || near.distance < touching(pair))) {
    const Axis axis = separating_axes(pair.A, pair.B, 1e-13 * pair.size()).best();
    if (axis.gap >= near.distance - 1e-12 * pair.size() || near.distance == 0.0) {
      closest = closest_on_axis(pair, axis);
    }
  }
  closest.distance -= pair.radii();
  closest.on_a += pair.origin - pair.A.radius() * closest.normal;
  closest.on_b += pair.origin + pair.B.radius() * closest.normal;
  return closest;
}

}  // namespace nsn
