#include "nsn/models/collision/cylinder_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "nsn/models/collision/convex_manifold.h"
#include "nsn/models/collision/convex_shape.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/feature_distance.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {
namespace {

/// Within this sine of a flat end's normal (of the side's normals) a contact is with the flat end
/// (the side), else with the rim.
constexpr double kEndSine = 0.1;
constexpr double kSideSine = 0.02;

/// The best direction so far, from b to a.
struct Best {
  const SupportMap& A;
  const SupportMap& B;
  Vec3 normal{0, 0, 1};
  double gap = -1e300;

  double gap_along(const Vec3& n) const { return dot(n, A.support(-n).x - B.support(n).x); }
  /// A direction found by iteration must be better by more than rounding.
  void offer(const Vec3& direction, double better_by = 0.0) {
    const double size = norm(direction);
    if (!(size > 1e-12)) return;
    const Vec3 n = (1.0 / size) * direction;
    const double here = gap_along(n);
    if (here <= gap + better_by) return;
    gap = here;
    normal = n;
  }
  void offer_both(const Vec3& direction) {
    offer(direction);
    offer(-direction);
  }
};

/// Directions m perpendicular to a unit e at which m . q - reach(m) is largest, m pointing away
/// from the cylinder: sign changes of the derivative m' . (q - support(m)) from + to - around the
/// circle.
/// The support point runs fast where m comes near the axis: samples are dense there.
template <class Take>
void for_maxima_about(const Vec3& e, const Vec3& q, const PlacedCylinder& cylinder,
                      const Take& take) {
  static constexpr double kOffset[] = {0.0, 0.004, 0.012, 0.03, 0.06, 0.12,
                                       0.2, 0.32,  0.5,   0.75, 1.0,  1.3};
  constexpr int kCount = 12;
  constexpr double kQuarter = 0.5 * std::numbers::pi;
  const Vec3 towards_axis = cylinder.axis - dot(cylinder.axis, e) * e;
  const double slant = norm(towards_axis);
  const Vec3 t1 = slant > 1e-9 ? (1.0 / slant) * towards_axis : tangent_frame(e).t1;
  const Vec3 t2 = cross(e, t1);
  const auto direction = [&](double t) { return std::cos(t) * t1 + std::sin(t) * t2; };
  const auto slope = [&](double t) {
    const Vec3 turned = std::cos(t) * t2 - std::sin(t) * t1;
    return dot(turned, q - (cylinder.support(direction(t)).x - cylinder.centre));
  };
  // Sample k of quarter j, going up from an axis direction or down to the next one.
  const auto angle = [&](int k) {
    const int quarter = k / kCount;
    const int i = k % kCount;
    return quarter % 2 == 0 ? quarter * kQuarter + kOffset[i]
                            : (quarter + 1) * kQuarter - (i == 0 ? kQuarter : kOffset[kCount - i]);
  };
  double at_before = angle(0);
  const double first = slope(at_before);
  double before = first;
  for (int k = 1; k <= 4 * kCount; ++k) {
    const bool around = k == 4 * kCount;  // the first sample again, with the same rounding
    const double at_after = around ? 4.0 * kQuarter : angle(k);
    const double after = around ? first : slope(at_after);
    if (before > 0.0 && after <= 0.0) {
      double low = at_before;
      double high = at_after;
      for (int i = 0; i < 52; ++i) {
        const double middle = 0.5 * (low + high);
        (slope(middle) > 0.0 ? low : high) = middle;
      }
      take(direction(0.5 * (low + high)));
    }
    before = after;
    at_before = at_after;
  }
}

/// Candidates of a rounded polytope A against a cylinder B. `near`: only edges and vertices that
/// touch one of these vertices of A are examined (null: all).
class PolytopeSearch {
 public:
  PolytopeSearch(const PlacedPolytope& A, const PlacedCylinder& B) : A_(A), B_(B), best_{A, B} {}

  Best run(const GjkResult* near) {
    best_.offer_both(B_.axis);
    for (int f = 0; f < A_.polytope().num_faces(); ++f) best_.offer(-A_.normal(f));
    for (const Polytope::Edge& edge : A_.polytope().edges) {
      if (touches(near, edge.a) || touches(near, edge.b)) offer_edge(edge);
    }
    for (int k = 0; k < A_.polytope().num_vertices(); ++k) {
      if (touches(near, k)) offer_vertex(A_.vertex(k));
    }
    return best_;
  }

 private:
  static bool touches(const GjkResult* near, int vertex) {
    if (near == nullptr) return true;
    const auto end = near->vertex_a.begin() + near->corners;
    return std::find(near->vertex_a.begin(), end, vertex) != end;
  }

  void offer_edge(const Polytope::Edge& edge) {
    const Vec3 p = A_.vertex(edge.a);
    const Vec3 along = A_.vertex(edge.b) - p;
    const double length = norm(along);
    if (length <= 0.0) return;
    const Vec3 e = (1.0 / length) * along;
    best_.offer_both(cross(e, B_.axis));
    const double rounding = 1e-14 * (A_.size() + B_.size());
    for_maxima_about(e, p - B_.centre, B_, [&](const Vec3& m) { best_.offer(m, rounding); });
  }

  void offer_vertex(const Vec3& v) {
    const Vec3 out = B_.across(v - B_.centre);
    // On the axis every radial direction is as good as any other.
    best_.offer(norm(out) > 1e-12 * B_.radius ? out : tangent_frame(B_.axis).t1);
    best_.offer(v - B_.nearest(v));
  }

  const PlacedPolytope& A_;
  const PlacedCylinder& B_;
  Best best_;
};

/// Where Newton's method for a stationary gap(n) of two cylinders on the sphere goes from n, while
/// both touch with their rims: gap = n . G, G = support of A - support of B, and
/// Hess = -sum r t t^T / |n across|. Uphill where that is no maximum; zero: at a flat end.
Vec3 rim_step(const PlacedCylinder& A, const PlacedCylinder& B, const Vec3& n) {
  const Vec3 G = A.support(-n).x - B.support(n).x;
  Mat3 H = -dot(n, G) * identity<3>();
  for (const PlacedCylinder* c : {&A, &B}) {
    const Vec3 out = c->across(n);
    const double size = norm(out);
    if (size < 1e-9) return {};
    const Vec3 t = (1.0 / size) * cross(c->axis, out);
    H = H - (c->radius / size) * outer(t, t);
  }
  const TangentFrame f = tangent_frame(n);  // in the plane across n
  const double a = dot(f.t1, H * f.t1);
  const double b = dot(f.t1, H * f.t2);
  const double d = dot(f.t2, H * f.t2);
  const double det = a * d - b * b;
  const double g1 = dot(f.t1, G);
  const double g2 = dot(f.t2, G);
  const double uphill = 1.0 / (A.radius + B.radius);
  if (!(det > 0.0) || !(a < 0.0)) return uphill * (g1 * f.t1 + g2 * f.t2);
  return (-(d * g1 - b * g2) / det) * f.t1 + (-(a * g2 - b * g1) / det) * f.t2;
}

Vec3 polish_rims(const PlacedCylinder& A, const PlacedCylinder& B, Vec3 n) {
  const Best gap{A, B};
  double here = gap.gap_along(n);
  for (int k = 0; k < 40; ++k) {
    Vec3 step = rim_step(A, B, n);
    const double size = norm(step);
    if (size < 1e-12) return normalized(n + step);
    step *= std::min(1.0, 0.3 / size);
    bool better = false;
    for (int halving = 0; halving < 12 && !better; ++halving) {
      const Vec3 trial = normalized(n + step);
      const double there = gap.gap_along(trial);
      better = there > here || (size < 1e-7 && there > here - 1e-15 * A.size());
      if (better) {
        here = there;
        n = trial;
      }
      step *= 0.5;
    }
    if (!better) break;
  }
  return n;
}

Best search_cylinders(const PlacedCylinder& A, const PlacedCylinder& B, const GjkResult* near) {
  Best best{A, B};
  const Vec3 between = A.centre - B.centre;
  best.offer_both(A.axis);
  best.offer_both(B.axis);
  best.offer_both(cross(A.axis, B.axis));
  best.offer(B.across(between));
  const double rounding = 1e-14 * (A.size() + B.size());
  // The side of one against the rim of the other.
  for_maxima_about(A.axis, between, B, [&](const Vec3& m) { best.offer(m, rounding); });
  for_maxima_about(B.axis, -between, A, [&](const Vec3& m) { best.offer(-m, rounding); });
  if (near != nullptr) {
    best.offer(polish_rims(A, B, near->normal), rounding);
    best.offer(near->normal, 1e3 * rounding);
    return best;
  }
  // The best of many directions, evenly on the sphere and around the flat ends, where the support
  // points run fast.
  constexpr int kEven = 150;
  constexpr int kAround = 16;
  std::array<std::pair<double, Vec3>, kEven + 4 * kAround> seeds;
  std::size_t count = 0;
  const auto add_seed = [&](const Vec3& n) { seeds[count++] = {best.gap_along(n), n}; };
  for (int k = 0; k < kEven; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kEven;
    const double angle = std::numbers::pi * (1.0 + std::sqrt(5.0)) * k;
    const double r = std::sqrt(1.0 - z * z);
    add_seed({r * std::cos(angle), r * std::sin(angle), z});
  }
  for (const Vec3& axis : {A.axis, -A.axis, B.axis, -B.axis}) {
    const TangentFrame f = tangent_frame(axis);
    for (int k = 0; k < kAround; ++k) {
      const double angle = 0.25 * std::numbers::pi * k;
      const double sine = k < 8 ? 0.03 : 0.12;
      add_seed(normalized(axis + sine * (std::cos(angle) * f.t1 + std::sin(angle) * f.t2)));
    }
  }
  constexpr int kKeep = 24;
  std::partial_sort(seeds.begin(), seeds.begin() + kKeep, seeds.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  for (std::size_t k = 0; k < kKeep; ++k) {
    best.offer(polish_rims(A, B, seeds[k].second), rounding);
  }
  return best;
}

/// How a cylinder meets direction n.
enum class Part { kEnd, kSide, kRim };
Part part_of(const PlacedCylinder& c, const Vec3& n) {
  if (std::abs(dot(n, c.axis)) < kSideSine) return Part::kSide;
  return norm(c.across(n)) < kEndSine ? Part::kEnd : Part::kRim;
}

/// Corners of a flat part that reaches furthest along d: one, two, or a polygon.
std::vector<Vec3> furthest_corners(const PlacedPolytope& P, const Vec3& d) {
  const double furthest = dot(d, P.support(d).x);
  const double tolerance = 1e-10 * (P.size() + 1e-300);
  std::vector<Vec3> corners;
  for (int f = 0; f < P.polytope().num_faces() && corners.empty(); ++f) {
    if (dot(P.normal(f), d) < 1.0 - 1e-12) continue;
    const Polytope::Face& face = P.polytope().face(f);
    for (int k = face.begin; k < face.end; ++k) {
      corners.push_back(P.vertex(P.polytope().loop[static_cast<std::size_t>(k)]));
    }
  }
  for (int k = 0; k < P.polytope().num_vertices() && corners.size() < 3; ++k) {
    if (dot(d, P.vertex(k)) >= furthest - tolerance) corners.push_back(P.vertex(k));
  }
  return corners;
}

/// The point of a convex outline nearest to p, in the plane across n.
Vec3 nearest_on_outline(const std::vector<Vec3>& corners, const Vec3& p) {
  Vec3 best = corners[0];
  double least = 1e300;
  const auto offer = [&](const Vec3& x) {
    const double d = dot(x - p, x - p);
    if (d >= least) return;
    least = d;
    best = x;
  };
  if (corners.size() == 2) offer(closest_on_segment(p, corners[0], corners[1]).point);
  for (std::size_t k = 2; k < corners.size(); ++k) {
    offer(closest_on_triangle(p, corners[0], corners[k - 1], corners[k]).point);
  }
  offer(corners[0]);
  return best;
}

/// A point of an outline (moved along n) and a segment that have the same shadow.
Vec3 meeting_point(const std::vector<Vec3>& corners, const Vec3& p, const Vec3& q) {
  Vec3 best = corners[0];
  double least = 1e300;
  const auto offer = [&](const Vec3& x, const Vec3& y) {
    const double d = dot(x - y, x - y);
    if (d >= least) return;
    least = d;
    best = x;
  };
  for (const Vec3& end : {p, q}) offer(nearest_on_outline(corners, end), end);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto near = closest_between_segments(corners[k], corners[(k + 1) % corners.size()], p, q);
    offer(near.on_p, near.on_q);
  }
  return best;
}

/// The segment of a cylinder's side that faces n, and the middle of the end that does.
std::array<Vec3, 2> side_segment(const PlacedCylinder& c, const Vec3& n) {
  const Vec3 out = (c.radius / norm(c.across(n))) * c.across(n);
  return {c.centre + out - c.half * c.axis, c.centre + out + c.half * c.axis};
}
Vec3 end_centre(const PlacedCylinder& c, const Vec3& n) {
  return c.centre + (dot(n, c.axis) < 0.0 ? -c.half : c.half) * c.axis;
}

/// Two points, on the cores, at the distance best.gap along the normal.
Closest witness(const PlacedPolytope& A, const PlacedCylinder& B, const Best& best) {
  const Vec3& n = best.normal;
  Closest closest{best.gap, {}, {}, n};
  std::vector<Vec3> corners = furthest_corners(A, -n);
  const bool side = std::abs(dot(n, B.axis)) < 1e-12;
  const bool end = norm(B.across(n)) < 1e-12;
  if (corners.size() == 1) {
    closest.on_a = corners[0];
    closest.on_b = closest.on_a - best.gap * n;
    return closest;
  }
  for (Vec3& c : corners) c -= best.gap * n;
  if (side) {
    const auto segment = side_segment(B, n);
    closest.on_b = meeting_point(corners, segment[0], segment[1]);
  } else if (end) {
    closest.on_b = nearest_on_outline(corners, end_centre(B, n));
  } else {
    closest.on_b = B.support(n).x;
  }
  closest.on_a = closest.on_b + best.gap * n;
  return closest;
}

Closest witness(const PlacedCylinder& A, const PlacedCylinder& B, const Best& best) {
  const Vec3& n = best.normal;
  Closest closest{best.gap, {}, {}, n};
  const auto unique = [&](const PlacedCylinder& c) {
    return std::abs(dot(n, c.axis)) > 1e-12 && norm(c.across(n)) > 1e-12;
  };
  const auto is_side = [&](const PlacedCylinder& c) { return std::abs(dot(n, c.axis)) <= 1e-12; };
  const Vec3 lift = best.gap * n;
  if (unique(A)) {
    closest.on_a = A.support(-n).x;
    closest.on_b = closest.on_a - lift;
    return closest;
  }
  if (unique(B)) {
    closest.on_b = B.support(n).x;
  } else if (is_side(A)) {
    const auto a = side_segment(A, -n);
    if (is_side(B)) {
      const auto b = side_segment(B, n);
      closest.on_b = closest_between_segments(a[0] - lift, a[1] - lift, b[0], b[1]).on_q;
    } else {
      closest.on_b = closest_on_segment(end_centre(B, n), a[0] - lift, a[1] - lift).point;
    }
  } else if (is_side(B)) {
    const auto b = side_segment(B, n);
    closest.on_b = closest_on_segment(end_centre(A, -n) - lift, b[0], b[1]).point;
  } else {  // two flat ends
    const Vec3 a = end_centre(A, -n) - lift;
    const Vec3 b = end_centre(B, n);
    const double apart = norm(a - b);
    closest.on_b = apart > B.radius ? b + (B.radius / apart) * (a - b) : a;
  }
  closest.on_a = closest.on_b + lift;
  return closest;
}

/// The side's points lie on the surface, their cores on the axis: n turned from the axis by a sine
/// of kSideSine at most.
void settle_side(const PlacedCylinder& c, bool is_a, Manifold& out, std::size_t begin) {
  for (std::size_t k = begin; k < out.size(); ++k) {
    ContactPoint& point = out[k];
    const Vec3 n = is_a ? -point.normal : point.normal;  // away from the cylinder
    const Vec3 across = c.across(n);
    const double sine = norm(across);
    Vec3& on = is_a ? point.on_a : point.on_b;
    double& radius = is_a ? point.radius_a : point.radius_b;
    const Vec3 shift = (c.radius / sine) * across - radius * n;
    // Both points move together, across n: the gap stays.
    const Vec3 sideways = shift - dot(shift, n) * n;
    on += sideways;
    (is_a ? point.on_b : point.on_a) += sideways;
    radius = c.radius / sine;
  }
}

void push_witness(const Closest& closest, double radius_a, Manifold& out) {
  out.push_back({closest.on_a - radius_a * closest.normal, closest.on_b, closest.normal,
                 feature_id(FeatureKind::kNearest, 0, 0), radius_a, 0.0});
}

double smallest_gap(const Manifold& out, std::size_t begin) {
  double smallest = 1e300;
  for (std::size_t k = begin; k < out.size(); ++k) smallest = std::min(smallest, gap(out[k]));
  return smallest;
}

void shift(Manifold& out, std::size_t begin, const Vec3& origin) {
  for (std::size_t k = begin; k < out.size(); ++k) {
    out[k].on_a += origin;
    out[k].on_b += origin;
  }
}

/// What a cylinder is to a manifold along n: its axis with a radius, or a prism.
PlacedPolytope stand_in(const Cylinder& cylinder, const PlacedCylinder& c, const Mat3& R, Part part,
                        const Vec3& n) {
  if (part == Part::kSide) return {cylinder.spine(), c.radius * norm(c.across(n)), R, c.centre};
  return {cylinder.prism(), 0.0, R, c.centre};
}

/// Points over a face along n, if one faces that way.
void add_stand_in_contacts(const PlacedPolytope& A, const PlacedPolytope& B, const Best& best,
                           double core_gap, double margin, Manifold& out) {
  const double bias = 1e-3 * (A.size() + B.size());
  const Axis face = facing_axis(A, B, best.normal, core_gap - bias);
  if (face.kind != Axis::Kind::kNone) add_face_contacts(A, B, face, margin, out);
}

Best search(const PlacedPolytope& A, const PlacedCylinder& B, double cutoff, bool& beyond) {
  const GjkResult near = gjk(A, B, A.centre() - B.centre, cutoff);
  beyond = near.status == GjkResult::Status::kBeyond;
  if (beyond) return {A, B};
  if (near.status == GjkResult::Status::kApart) {
    const Best best = PolytopeSearch(A, B).run(&near);
    // GJK's features explain its distance, or it was misled by rounding.
    const double rounding = 1e-11 * (A.size() + B.size());
    if (std::abs(best.gap - near.distance) <= rounding) return best;
  }
  return PolytopeSearch(A, B).run(nullptr);
}

Best search(const PlacedCylinder& A, const PlacedCylinder& B, double cutoff, bool& beyond) {
  const GjkResult near = gjk(A, B, A.centre - B.centre, cutoff);
  beyond = near.status == GjkResult::Status::kBeyond;
  if (beyond) return {A, B};
  return search_cylinders(A, B, near.status == GjkResult::Status::kApart ? &near : nullptr);
}

PlacedPolytope place(const Shape& shape, const Pose& pose, const Vec3& origin) {
  const auto& convex = static_cast<const ConvexShape&>(shape);
  return {convex.core(), convex.radius(), pose.R, pose.x - origin};
}

/// Points along a direction that is known.
void add_polytope_contacts(const PlacedPolytope& A, const Cylinder& shape, const PlacedCylinder& B,
                           const Mat3& R, const Best& best, double margin, Manifold& out) {
  const std::size_t before = out.size();
  const Part part = part_of(B, best.normal);
  if (part != Part::kRim) {
    const PlacedPolytope S = stand_in(shape, B, R, part, best.normal);
    add_stand_in_contacts(A, S, best, best.gap + S.radius(), margin, out);
    if (part == Part::kSide) settle_side(B, false, out, before);
  }
  const double exact = best.gap - A.radius();
  if (smallest_gap(out, before) > exact + 1e-10 * (A.size() + B.size())) {
    push_witness(witness(A, B, best), A.radius(), out);
  }
}

/// Does m, from a point of triangle t, point out of the mesh there?
bool belongs(const TriangleMesh& mesh, int t, const Pose& pose, const Vec3& point, const Vec3& m) {
  const auto& corner = mesh.triangles()[static_cast<std::size_t>(t)];
  const auto vertex = [&](std::size_t k) {
    return pose.apply(mesh.points()[static_cast<std::size_t>(corner[k])]);
  };
  const OnTriangle near = closest_on_triangle(point, vertex(0), vertex(1), vertex(2));
  for (std::size_t k = 0; k < 3; ++k) {  // at corner k: along both edges there
    if (near.weights[static_cast<int>(k)] < 1.0 - 1e-9) continue;
    const Vec3 p = vertex(k);
    return mesh.vertex_active(corner[k]) && dot(m, normalized(vertex((k + 1) % 3) - p)) <= 1e-6 &&
           dot(m, normalized(vertex((k + 2) % 3) - p)) <= 1e-6;
  }
  for (std::size_t k = 0; k < 3; ++k) {  // on the edge from corner k to the next: across it
    if (near.weights[static_cast<int>((k + 2) % 3)] > 1e-9) continue;
    const auto& edge = mesh.edges()[static_cast<std::size_t>(mesh.triangle_edges(t)[k])];
    if (!edge.active) return false;
    for (int f = 0; f < edge.faces; ++f) {
      if (dot(m, pose.R * mesh.into_face(edge, f)) > 1e-6) return false;
    }
  }
  return true;
}

}  // namespace

void collide_cylinder_triangle(const Cylinder& cylinder, const Pose& pose_a,
                               const TriangleMesh& mesh, int t, const Pose& pose_b, double margin,
                               Manifold& out) {
  const auto& corner = mesh.triangles()[static_cast<std::size_t>(t)];
  const auto vertex = [&](std::size_t k) {
    return mesh.points()[static_cast<std::size_t>(corner[k])];
  };
  const Vec3 origin = pose_a.x;
  Polytope triangle;
  set_triangle(vertex(0), vertex(1), vertex(2), triangle);
  const Pose pose{pose_b.x - origin, pose_b.R};
  const PlacedPolytope A(triangle, 0.0, pose.R, pose.x);
  const PlacedCylinder B(cylinder, pose_a, origin);
  bool beyond = false;
  Best best = search(A, B, margin, beyond);
  if (beyond) return;
  const Vec3 normal = pose.R * mesh.normals()[static_cast<std::size_t>(t)];
  const bool behind = !mesh.two_sided() && dot(best.normal, normal) > 0.0;
  const bool along = std::abs(dot(best.normal, normal)) > 1.0 - 1e-9;
  const auto fits = [&] {
    return along || belongs(mesh, t, pose, witness(A, B, best).on_a, -best.normal);
  };
  if (behind || !fits()) {
    if (best.gap > 0.0) return;
    best.normal = -normal;
    best.gap = best.gap_along(best.normal);
    if (best.gap < -mesh.depth()) return;
  }
  if (best.gap > margin) return;
  Manifold found;
  add_polytope_contacts(A, cylinder, B, pose_a.R, best, margin, found);
  for (const ContactPoint& p : found) {
    out.push_back({p.on_b + origin, p.on_a + origin, -p.normal,
                   mix_bits(p.feature ^ static_cast<std::uint64_t>(t)), p.radius_b, p.radius_a});
  }
}

void collide_cylinder_plane(const Shape& cylinder, const Pose& pose_a, const Shape&,
                            const Pose& pose_b, double margin, Manifold& out) {
  const auto& shape = static_cast<const Cylinder&>(cylinder);
  const PlacedCylinder c(shape, pose_a, {});
  const Vec3 n = column(pose_b.R, 2);
  const Vec3 across = c.across(-n);
  const double sine = norm(across);
  const auto push = [&](const Vec3& on_a, double radius, std::uint64_t number) {
    const double height = dot(n, on_a - pose_b.x);
    if (height > margin) return;
    out.push_back(
        {on_a, on_a - height * n, n, feature_id(FeatureKind::kVertexOfA, number, 0), radius, 0.0});
  };
  if (sine > 1e-9) {  // the lowest point of each rim
    const Vec3 lowest = (c.radius / sine) * across;
    const double radius = sine > 0.5 ? c.radius / sine : 0.0;
    push(c.centre - c.half * c.axis + lowest, radius, 1000);
    push(c.centre + c.half * c.axis + lowest, radius, 1001);
  }
  if (sine > 0.5) return;
  for (int k = 0; k < shape.prism().num_vertices(); ++k) {
    push(pose_a.apply(shape.prism().vertex(k)), 0.0, static_cast<std::uint64_t>(k));
  }
}

void collide_convex_cylinder(const Shape& convex, const Pose& pose_a, const Shape& cylinder,
                             const Pose& pose_b, double margin, Manifold& out) {
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const PlacedPolytope A = place(convex, pose_a, origin);
  const auto& shape = static_cast<const Cylinder&>(cylinder);
  const PlacedCylinder B(shape, pose_b, origin);
  bool beyond = false;
  const Best best = search(A, B, margin + A.radius(), beyond);
  if (beyond || best.gap - A.radius() > margin) return;
  const std::size_t before = out.size();
  add_polytope_contacts(A, shape, B, pose_b.R, best, margin, out);
  shift(out, before, origin);
}

void collide_cylinder_cylinder(const Shape& a, const Pose& pose_a, const Shape& b,
                               const Pose& pose_b, double margin, Manifold& out) {
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const auto& shape_a = static_cast<const Cylinder&>(a);
  const auto& shape_b = static_cast<const Cylinder&>(b);
  const PlacedCylinder A(shape_a, pose_a, origin);
  const PlacedCylinder B(shape_b, pose_b, origin);
  bool beyond = false;
  const Best best = search(A, B, margin, beyond);
  if (beyond || best.gap > margin) return;
  const std::size_t before = out.size();
  const Part part_a = part_of(A, best.normal);
  const Part part_b = part_of(B, best.normal);
  if (part_a != Part::kRim && part_b != Part::kRim) {
    const PlacedPolytope S = stand_in(shape_a, A, pose_a.R, part_a, best.normal);
    const PlacedPolytope T = stand_in(shape_b, B, pose_b.R, part_b, best.normal);
    if (part_a == Part::kSide && part_b == Part::kSide) {
      GjkResult near;
      near.normal = best.normal;
      near.corners = 2;
      near.vertex_a = near.vertex_b = {0, 1, 0, 0};
      const Closest exact = witness(A, B, best);
      near.on_a = exact.on_a + S.radius() * best.normal;
      near.on_b = exact.on_b - T.radius() * best.normal;
      add_nearest_contacts(S, T, near, margin, out);
    } else {
      add_stand_in_contacts(S, T, best, best.gap + S.radius() + T.radius(), margin, out);
    }
    if (part_a == Part::kSide) settle_side(A, true, out, before);
    if (part_b == Part::kSide) settle_side(B, false, out, before);
  }
  if (smallest_gap(out, before) > best.gap + 1e-10 * (A.size() + B.size())) {
    push_witness(witness(A, B, best), 0.0, out);
  }
  shift(out, before, origin);
}

Closest closest_convex_cylinder(const Shape& convex, const Pose& pose_a, const Shape& cylinder,
                                const Pose& pose_b) {
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const PlacedPolytope A = place(convex, pose_a, origin);
  const PlacedCylinder B(static_cast<const Cylinder&>(cylinder), pose_b, origin);
  bool beyond = false;
  Closest closest = witness(A, B, search(A, B, 1e300, beyond));
  closest.distance -= A.radius();
  closest.on_a += origin - A.radius() * closest.normal;
  closest.on_b += origin;
  return closest;
}

Closest closest_cylinders(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const PlacedCylinder A(static_cast<const Cylinder&>(a), pose_a, origin);
  const PlacedCylinder B(static_cast<const Cylinder&>(b), pose_b, origin);
  bool beyond = false;
  Closest closest = witness(A, B, search(A, B, 1e300, beyond));
  closest.on_a += origin;
  closest.on_b += origin;
  return closest;
}

}  // namespace nsn
