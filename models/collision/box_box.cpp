#include "models/collision/box_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "models/collision/box.h"

namespace nsn {
namespace {

/// A box in world axes.
struct Placed {
  Vec3 centre;
  std::array<Vec3, 3> axis;
  Vec3 half;

  Placed(const Box& box, const Pose& pose)
      : centre(pose.x),
        axis{column(pose.R, 0), column(pose.R, 1), column(pose.R, 2)},
        half(box.half()) {}
  const Vec3& e(int k) const { return axis[static_cast<std::size_t>(k)]; }
  /// Half length of the shadow on a direction.
  double reach(const Vec3& d) const {
    return half[0] * std::abs(dot(axis[0], d)) + half[1] * std::abs(dot(axis[1], d)) +
           half[2] * std::abs(dot(axis[2], d));
  }
  double size() const { return 2.0 * std::max({half[0], half[1], half[2]}); }

 private:
  static Vec3 column(const Mat3& R, int k) { return {R(0, k), R(1, k), R(2, k)}; }
};

/// The separating direction of largest gap.
struct Axis {
  enum class Kind { kFaceA, kFaceB, kEdges };
  Kind kind = Kind::kFaceA;
  int i = 0;    ///< axis of A
  int j = 0;    ///< axis of B
  Vec3 normal;  ///< from B to A
  double gap = -1e300;
};

/// Gap along direction d, with d turned to point from B to A.
double gap_along(const Placed& A, const Placed& B, Vec3& d) {
  const double distance = dot(d, A.centre - B.centre);
  if (distance < 0.0) d = -d;
  return std::abs(distance) - A.reach(d) - B.reach(d);
}

/// Faces are preferred over edges, A's faces over B's, unless the other gap is clearly larger: the
/// choice must not flicker with rounding.
Axis best_axis(const Placed& A, const Placed& B) {
  const double tolerance = 1e-6 * (A.size() + B.size());
  Axis best;
  const auto offer = [&](Axis::Kind kind, int i, int j, Vec3 d, double bias) {
    const double gap = gap_along(A, B, d);
    if (gap > best.gap + bias) best = {kind, i, j, d, gap};
  };
  for (int i = 0; i < 3; ++i) offer(Axis::Kind::kFaceA, i, 0, A.e(i), 0.0);
  for (int j = 0; j < 3; ++j) offer(Axis::Kind::kFaceB, 0, j, B.e(j), tolerance);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vec3 d = cross(A.e(i), B.e(j));
      const double sine = norm(d);
      if (sine < 1e-4) continue;  // parallel edges: a face axis says the same
      offer(Axis::Kind::kEdges, i, j, (1.0 / sine) * d, 1e3 * tolerance);
    }
  }
  return best;
}

/// Corner of the clipped outline: a point and the two lines that meet in it (0-3 edges of the
/// incident face, 4-7 edges of the reference face).
struct Corner {
  Vec3 point;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

struct Outline {
  std::array<Corner, 16> corner;
  std::size_t count = 0;
  void push(const Corner& c) {
    if (count < corner.size()) corner[count++] = c;
  }
};

/// Keeps the part with n . x <= offset (+ tolerance).
Outline clip(const Outline& in, const Vec3& n, double offset, double tolerance,
             std::uint32_t line) {
  Outline out;
  for (std::size_t k = 0; k < in.count; ++k) {
    const Corner& p = in.corner[k];
    const Corner& q = in.corner[(k + 1) % in.count];
    const double d_p = dot(n, p.point) - offset;
    const double d_q = dot(n, q.point) - offset;
    const bool in_p = d_p <= tolerance;
    const bool in_q = d_q <= tolerance;
    const auto crossing = [&] { return p.point + (d_p / (d_p - d_q)) * (q.point - p.point); };
    if (in_p) out.push(p);
    if (in_p && !in_q) out.push({crossing(), p.after, line});
    if (!in_p && in_q) out.push({crossing(), line, p.after});
  }
  return out;
}

/// The face of `box` that looks most against n.
Outline incident_face(const Placed& box, const Vec3& n, std::uint32_t& face) {
  int k = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(dot(box.e(i), n)) > std::abs(dot(box.e(k), n)) + 1e-9) k = i;
  }
  const double side = dot(box.e(k), n) > 0.0 ? -1.0 : 1.0;
  face = static_cast<std::uint32_t>(2 * k + (side > 0.0 ? 1 : 0));
  const Vec3 centre = box.centre + side * box.half[k] * box.e(k);
  const Vec3 u = box.half[(k + 1) % 3] * box.e((k + 1) % 3);
  const Vec3 v = box.half[(k + 2) % 3] * box.e((k + 2) % 3);
  Outline out;
  const std::array<Vec3, 4> points{centre - u - v, centre + u - v, centre + u + v, centre - u + v};
  for (std::uint32_t c = 0; c < 4; ++c) out.push({points[c], (c + 3) % 4, c});
  return out;
}

/// Face k of R (outward normal n) against I; `flip`: R is shape b, so normals point from R to I.
void face_contact(const Placed& R, int k, const Vec3& n, const Placed& I, bool reference_is_a,
                  double margin, Manifold& out) {
  std::uint32_t incident = 0;
  Outline outline = incident_face(I, n, incident);
  const double tolerance = 1e-6 * R.size();
  for (int s = 1; s <= 2; ++s) {
    const int side = (k + s) % 3;
    const Vec3& e = R.e(side);
    const double middle = dot(e, R.centre);
    const auto line = static_cast<std::uint32_t>(2 + 2 * s);
    outline = clip(outline, e, middle + R.half[side], tolerance, line);
    outline = clip(outline, -e, -middle + R.half[side], tolerance, line + 1);
  }
  const double level = dot(n, R.centre) + R.half[k];
  const auto face = static_cast<std::uint32_t>(2 * k + (dot(n, R.e(k)) > 0.0 ? 1 : 0));
  for (std::size_t c = 0; c < outline.count; ++c) {
    const Corner& corner = outline.corner[c];
    const double gap = dot(n, corner.point) - level;
    if (gap > margin) continue;
    const Vec3 on_reference = corner.point - gap * n;
    const std::uint32_t feature = (reference_is_a ? 1U : 2U) | face << 2 | incident << 5 |
                                  corner.before << 8 | corner.after << 11;
    if (reference_is_a) {
      out.push_back({on_reference, corner.point, -n, feature, 0.0, 0.0});
    } else {
      out.push_back({corner.point, on_reference, n, feature, 0.0, 0.0});
    }
  }
}

/// Middle of the edge along axis k that reaches furthest along d, and which of the four it is.
Vec3 support_edge(const Placed& box, int k, const Vec3& d, std::uint32_t& which) {
  Vec3 middle = box.centre;
  which = static_cast<std::uint32_t>(k);
  for (int s = 1; s <= 2; ++s) {
    const int i = (k + s) % 3;
    const double side = dot(box.e(i), d) > 0.0 ? 1.0 : -1.0;
    middle += side * box.half[i] * box.e(i);
    which = which << 1 | (side > 0.0 ? 1U : 0U);
  }
  return middle;
}

void edge_contact(const Placed& A, const Placed& B, const Axis& axis, double margin,
                  Manifold& out) {
  if (axis.gap > margin) return;
  std::uint32_t edge_a = 0;
  std::uint32_t edge_b = 0;
  const Vec3 p = support_edge(A, axis.i, -axis.normal, edge_a);
  const Vec3 q = support_edge(B, axis.j, axis.normal, edge_b);
  // Nearest points p + s a, q + t b of the two lines.
  const Vec3& a = A.e(axis.i);
  const Vec3& b = B.e(axis.j);
  const Vec3 w = q - p;
  const double c = dot(a, b);
  const double s = (dot(w, a) - c * dot(w, b)) / (1.0 - c * c);
  const double t = (c * dot(w, a) - dot(w, b)) / (1.0 - c * c);
  out.push_back({p + s * a, q + t * b, axis.normal, 3U | edge_a << 2 | edge_b << 8, 0.0, 0.0});
}

}  // namespace

void collide_box_box(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     double margin, Manifold& out) {
  const Placed A(static_cast<const Box&>(a), pose_a);
  const Placed B(static_cast<const Box&>(b), pose_b);
  const Axis axis = best_axis(A, B);
  if (axis.gap > margin) return;
  switch (axis.kind) {
    case Axis::Kind::kFaceA:
      return face_contact(A, axis.i, -axis.normal, B, true, margin, out);
    case Axis::Kind::kFaceB:
      return face_contact(B, axis.j, axis.normal, A, false, margin, out);
    case Axis::Kind::kEdges:
      return edge_contact(A, B, axis, margin, out);
  }
}

}  // namespace nsn
