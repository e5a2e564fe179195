#include "nsn/models/step/soft_contact_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/types.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/feature_distance.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {
namespace {

constexpr double kLeastRadius = 1e-6;  // m: a vertex of a surface without thickness
constexpr double kInsideEdge = 0.05;   // crossings closer to an end of an edge are the vertex's
constexpr double kMinCosine = 1e-3;    // of a direction against the outward normal

/// Kinds of features in ids, apart from those of rigid pairs (manifold.h).
enum class SoftFeature : std::uint64_t { kVertex = 11, kCore, kEdge, kVertexTriangle, kEdges };

std::uint64_t feature(SoftFeature kind, int a, int b) {
  return mix_bits(
      mix_bits(mix_bits(static_cast<std::uint64_t>(kind)) ^ static_cast<std::uint64_t>(a)) ^
      static_cast<std::uint64_t>(b));
}

void include(Aabb& box, const Vec3& p) {
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = std::min(box.lower[i], p[i]);
    box.upper[i] = std::max(box.upper[i], p[i]);
  }
}

Aabb empty_box() {
  const double big = std::numeric_limits<double>::max();
  return {{big, big, big}, {-big, -big, -big}, true};
}

Aabb grown(Aabb box, double margin) {
  const Vec3 grow{margin, margin, margin};
  box.lower -= grow;
  box.upper += grow;
  return box;
}

bool holds(const Aabb& box, const Vec3& p) {
  if (!box.bounded) return true;
  for (int i = 0; i < 3; ++i) {
    if (p[i] < box.lower[i] || p[i] > box.upper[i]) return false;
  }
  return true;
}

/// Rotation whose z axis is the unit vector d.
Mat3 frame_along(const Vec3& d) {
  const TangentFrame t = tangent_frame(d);
  return {t.t1[0], t.t2[0], d[0], t.t1[1], t.t2[1], d[1], t.t1[2], t.t2[2], d[2]};
}

Vec3 outward_normal(const std::vector<Vec3>& x, const std::array<Index, 3>& t) {
  const Vec3 a = x[to_size(t[0])];
  const Vec3 n = cross(x[to_size(t[1])] - a, x[to_size(t[2])] - a);
  const double size = norm(n);
  return size > 0.0 ? (1.0 / size) * n : Vec3{};
}

/// Direction from a triangle to a point near it and the signed distance; false: behind it in a way
/// that has no direction.
struct Direction {
  Vec3 normal;
  double gap = 0.0;
  bool ok = false;
};
Direction from_triangle(const Vec3& p, const OnTriangle& near, const Vec3& outward) {
  const Vec3 between = p - near.point;
  const double height = dot(outward, between);
  const double distance = std::sqrt(near.distance_squared);
  if (near.part == TrianglePart::kFace) return {outward, height, dot(outward, outward) > 0.5};
  if (!(distance > 0.0) || height < kMinCosine * distance) return {};
  return {(1.0 / distance) * between, distance, true};
}

struct NearTriangle {
  std::size_t triangle = 0;
  OnTriangle place{};
  Direction direction{};
};

double mean_friction(double a, double b) {
  return a == b ? a : std::sqrt(a * b);
}

double speed_of(const ConstBodyRef& body, const Aabb& box) {
  if (body.kind == BodyKind::kStatic) return 0.0;
  const double reach = box.bounded ? 0.5 * norm(box.upper - box.lower) : 0.0;
  return norm(body.velocity) + reach * norm(body.angular_velocity);
}

ContactSide triangle_side(const Deformable& body, const std::array<Index, 3>& t, const Vec3& w,
                          double radius) {
  ContactSide side;
  side.count = 3;
  side.radius = radius;
  for (int k = 0; k < 3; ++k) {
    side.particle[to_size(k)] = body.boundary_particle(t[to_size(k)]);
    side.weight[to_size(k)] = w[k];
  }
  return side;
}

/// Points of a rigid shape that are examined against the triangles of a deformable, as balls; null:
/// none.
struct Core {
  const std::vector<Vec3>* points = nullptr;
  double radius = 0.0;
};
Core core_of(const World& world, const Shape& shape) {
  if (const auto* convex = dynamic_cast<const ConvexShape*>(&shape)) {
    return {&convex->core().vertices, convex->radius()};
  }
  if (!world.mesh_features() || shape.type() != TriangleMesh::kType) return {};
  return {&dynamic_cast<const TriangleMesh&>(shape).points(), 0.0};
}

ContactSide edge_side(const Deformable& body, const std::array<Index, 2>& e, double t,
                      double radius) {
  ContactSide side;
  side.count = 2;
  side.radius = radius;
  side.particle = {body.boundary_particle(e[0]), body.boundary_particle(e[1]), 0};
  side.weight = {1.0 - t, t, 0.0};
  return side;
}

}  // namespace

void SoftContactFinder::place(const World& world, double h) {
  placed_.resize(world.deformables().size());
  for (std::size_t d = 0; d < placed_.size(); ++d) {
    const Deformable& body = world.deformables()[d];
    Placed& placed = placed_[d];
    placed.box = empty_box();
    placed.vertex.resize(body.boundary.vertex.size());
    double speed = 0.0;
    for (std::size_t v = 0; v < placed.vertex.size(); ++v) {
      const ConstParticleRef p = world.particle(body.boundary_particle(static_cast<Index>(v)));
      placed.vertex[v] = p.position;
      speed = std::max(speed, norm(p.velocity));
      include(placed.box, p.position);
    }
    placed.radius = std::max(body.surface.thickness, kLeastRadius);
    placed.margin = 0.5 * world.margin + h * speed;
    placed.box = grown(placed.box, placed.margin + placed.radius);
  }
}

void SoftContactFinder::add_rigid(const World& world, int d, int s, const ContactSide& side,
                                  const Vec3& on_shape, double shape_radius, const Vec3& normal,
                                  std::uint64_t what) {
  const Deformable& body = world.deformable(d);
  const PlacedShape& shape = world.shapes()[to_size(s)];
  const ConstBodyRef rigid = world.body(shape.body);
  const Vec3 core = on_shape - shape_radius * normal;
  SoftContact contact;
  contact.a = side;
  contact.b = ContactSide::of_body(
      shape.body, transpose_times(rotation_matrix(rigid.orientation), core - rigid.position),
      shape_radius);
  contact.normal = normal;
  contact.thickness = shape.surface.thickness;
  contact.mu = mean_friction(body.surface.mu, shape.surface.mu);
  contact.compliance = body.surface.compliance + shape.surface.compliance;
  contact.deformable_a = d;
  contact.shape_b = s;
  contact.id =
      mix_bits(mix_bits(what ^ static_cast<std::uint64_t>(d)) ^ static_cast<std::uint64_t>(s));
  out_->push_back(contact);
}

void SoftContactFinder::vertices_with_shape(const World& world, int d, int s, const Pose& pose,
                                            double margin) {
  const Deformable& body = world.deformable(d);
  Placed& placed = placed_[to_size(d)];
  const Shape& shape = *world.shapes()[to_size(s)].shape;
  const PairTable::Entry entry = world.pairs().find(Sphere::kType, shape.type());
  if (entry.collide == nullptr) return;
  const Sphere ball(placed.radius);
  const Aabb box = grown(shape.bounds(pose), margin + placed.radius);
  for (std::size_t v = 0; v < placed.vertex.size(); ++v) {
    if (!holds(box, placed.vertex[v])) continue;
    const Pose at_vertex{placed.vertex[v], identity<3>()};
    manifold_.clear();
    if (entry.swapped) {
      entry.collide(shape, pose, ball, at_vertex, margin, manifold_);
    } else {
      entry.collide(ball, at_vertex, shape, pose, margin, manifold_);
    }
    const auto vertex = static_cast<Index>(v);
    int count = 0;
    for (const ContactPoint& point : manifold_) {
      placed.touches[v] = 1;
      add_rigid(
          world, d, s, ContactSide::of_particle(body.boundary_particle(vertex), placed.radius),
          entry.swapped ? point.on_a : point.on_b, entry.swapped ? point.radius_a : point.radius_b,
          entry.swapped ? -point.normal : point.normal,
          feature(SoftFeature::kVertex, vertex, count++));
      if (!world.mesh_features()) break;
    }
  }
}

/// Corners of a box, the centre of a ball: against every triangle whose face they are above, and
/// behind the surface against the nearest one. The nearest one alone would change from step to step
/// where a ball rests on two.
void SoftContactFinder::core_with_triangles(const World& world, int d, int s, const Pose& pose,
                                            double margin) {
  const Core core = core_of(world, *world.shapes()[to_size(s)].shape);
  if (core.points == nullptr) return;
  const Deformable& body = world.deformable(d);
  const Placed& placed = placed_[to_size(d)];
  const double reach = core.radius + placed.radius + margin;
  const Aabb near_box = grown(placed.box, reach);
  const auto add = [&](std::size_t c, const Vec3& p, const NearTriangle& near) {
    const auto& tri = body.boundary.triangle[near.triangle];
    add_rigid(world, d, s, triangle_side(body, tri, near.place.weights, placed.radius),
              p - core.radius * near.direction.normal, core.radius, -near.direction.normal,
              feature(SoftFeature::kCore, static_cast<int>(c), static_cast<int>(near.triangle)));
  };
  for (std::size_t c = 0; c < core.points->size(); ++c) {
    const Vec3 p = pose.apply((*core.points)[c]);
    if (!holds(near_box, p)) continue;
    double least = reach * reach;
    NearTriangle behind;
    for (std::size_t t = 0; t < body.boundary.triangle.size(); ++t) {
      const auto& tri = body.boundary.triangle[t];
      const OnTriangle place =
          closest_on_triangle(p, placed.vertex[to_size(tri[0])], placed.vertex[to_size(tri[1])],
                              placed.vertex[to_size(tri[2])]);
      if (place.distance_squared >= reach * reach) continue;
      const bool nearest = place.distance_squared < least;
      if (nearest) {
        least = place.distance_squared;
        behind = {};
      }
      if (place.part != TrianglePart::kFace) continue;  // vertices have their own
      const Direction direction = from_triangle(p, place, outward_normal(placed.vertex, tri));
      if (!direction.ok || direction.gap < -margin) continue;
      const NearTriangle near{t, place, direction};
      if (direction.gap > 0.0) {
        add(c, p, near);
      } else if (nearest) {
        behind = near;
      }
    }
    if (behind.direction.ok) add(c, p, behind);
  }
}

void SoftContactFinder::edges_with_shape(const World& world, int d, int s, const Pose& pose,
                                         double margin) {
  const Shape& shape = *world.shapes()[to_size(s)].shape;
  if (core_of(world, shape).points == nullptr || shape.type() == Sphere::kType) return;
  const Deformable& body = world.deformable(d);
  const Placed& placed = placed_[to_size(d)];
  const PairTable::Entry entry = world.pairs().find(Capsule::kType, shape.type());
  if (entry.collide == nullptr) return;
  const bool every = world.mesh_features();
  const Aabb box = grown(shape.bounds(pose), margin + placed.radius);
  for (std::size_t e = 0; e < body.edges.size(); ++e) {
    const auto& edge = body.edges[e];
    const bool touches =
        placed.touches[to_size(edge[0])] != 0 || placed.touches[to_size(edge[1])] != 0;
    if (touches && !every) continue;
    const Vec3 p = placed.vertex[to_size(edge[0])];
    const Vec3 q = placed.vertex[to_size(edge[1])];
    Aabb own = empty_box();
    include(own, p);
    include(own, q);
    const double length = norm(q - p);
    if (!(length > 0.0) || !overlap(own, box)) continue;
    const Vec3 along = (1.0 / length) * (q - p);
    const Pose middle{0.5 * (p + q), frame_along(along)};
    const Capsule capsule(placed.radius, length);
    manifold_.clear();
    if (entry.swapped) {
      entry.collide(shape, pose, capsule, middle, margin, manifold_);
    } else {
      entry.collide(capsule, middle, shape, pose, margin, manifold_);
    }
    int count = 0;
    for (const ContactPoint& point : manifold_) {
      const Vec3 normal = entry.swapped ? -point.normal : point.normal;
      const Vec3 on_edge = entry.swapped ? point.on_b : point.on_a;
      const double t = dot(along, on_edge - p) / length;
      if (t < kInsideEdge || t > 1.0 - kInsideEdge) continue;
      add_rigid(world, d, s, edge_side(body, edge, t, placed.radius),
                entry.swapped ? point.on_a : point.on_b,
                entry.swapped ? point.radius_a : point.radius_b, normal,
                feature(SoftFeature::kEdge, static_cast<int>(e), count++));
      if (!every) break;
    }
  }
}

void SoftContactFinder::with_shape(const World& world, int d, int s, double h) {
  const PlacedShape& shape = world.shapes()[to_size(s)];
  const Deformable& body = world.deformable(d);
  if (!may_collide(shape.filter, CollisionFilter{})) return;
  if (std::find(body.ignored_bodies.begin(), body.ignored_bodies.end(), shape.body) !=
      body.ignored_bodies.end()) {
    return;
  }
  const ConstBodyRef rigid = world.body(shape.body);
  const Mat3 R = rotation_matrix(rigid.orientation);
  const Pose pose{rigid.position + R * shape.offset, R * rotation_matrix(shape.rotation)};
  const Aabb box = shape.shape->bounds(pose);
  const double margin = placed_[to_size(d)].margin + 0.5 * world.margin + shape.surface.thickness +
                        h * speed_of(rigid, box);
  if (!overlap(grown(box, margin), placed_[to_size(d)].box)) return;
  placed_[to_size(d)].touches.assign(placed_[to_size(d)].vertex.size(), 0);
  vertices_with_shape(world, d, s, pose, margin);
  core_with_triangles(world, d, s, pose, margin);
  edges_with_shape(world, d, s, pose, margin);
}

bool SoftContactFinder::far_apart_at_rest(const World& world, int d, const ContactSide& a,
                                          const ContactSide& b) const {
  const Deformable& body = world.deformable(d);
  const auto rest = [&](const ContactSide& side) {
    Vec3 x{};
    for (int k = 0; k < side.count; ++k) {
      x += side.weight[to_size(k)] *
           body.mesh.node[to_size(side.particle[to_size(k)] - body.first_particle)];
    }
    return x;
  };
  const Placed& placed = placed_[to_size(d)];
  return norm(rest(a) - rest(b)) > 3.0 * (2.0 * placed.radius + 2.0 * placed.margin);
}

void SoftContactFinder::add_soft(const World& world, int d, int e, const ContactSide& a,
                                 const ContactSide& b, const Vec3& normal, std::uint64_t what) {
  if (d == e && !far_apart_at_rest(world, d, a, b)) return;
  const Surface& one = world.deformable(d).surface;
  const Surface& two = world.deformable(e).surface;
  SoftContact contact;
  contact.a = a;
  contact.b = b;
  contact.normal = normal;
  contact.mu = mean_friction(one.mu, two.mu);
  contact.compliance = one.compliance + two.compliance;
  contact.deformable_a = d;
  contact.deformable_b = e;
  contact.id = mix_bits(mix_bits(what ^ static_cast<std::uint64_t>(d)) ^
                        (static_cast<std::uint64_t>(e) + 0x10000U));
  out_->push_back(contact);
}

/// candidates: (vertex of d, triangle of e), sorted.
void SoftContactFinder::vertex_with_triangles(const World& world, int d, int e,
                                              const std::vector<std::pair<int, int>>& candidates) {
  const Deformable& one = world.deformable(d);
  const Deformable& two = world.deformable(e);
  const Placed& from = placed_[to_size(d)];
  const Placed& to = placed_[to_size(e)];
  const double reach = from.radius + to.radius + from.margin + to.margin;
  for (std::size_t k = 0; k < candidates.size();) {
    const int v = candidates[k].first;
    const Vec3& p = from.vertex[to_size(v)];
    double best = reach * reach;
    int triangle = -1;
    OnTriangle nearest;
    for (; k < candidates.size() && candidates[k].first == v; ++k) {
      const auto& t = two.boundary.triangle[to_size(candidates[k].second)];
      if (d == e && (t[0] == v || t[1] == v || t[2] == v)) continue;
      const OnTriangle found = closest_on_triangle(
          p, to.vertex[to_size(t[0])], to.vertex[to_size(t[1])], to.vertex[to_size(t[2])]);
      if (found.distance_squared >= best) continue;
      best = found.distance_squared;
      triangle = candidates[k].second;
      nearest = found;
    }
    if (triangle < 0) continue;
    const auto& t = two.boundary.triangle[to_size(triangle)];
    const Direction direction = from_triangle(p, nearest, outward_normal(to.vertex, t));
    if (!direction.ok) continue;
    placed_[to_size(d)].touches[to_size(v)] = 1;
    add_soft(world, d, e, ContactSide::of_particle(one.boundary_particle(v), from.radius),
             triangle_side(two, t, nearest.weights, to.radius), direction.normal,
             feature(SoftFeature::kVertexTriangle, v, 0));
  }
}

void SoftContactFinder::edges_with_edges(const World& world, int d, int e,
                                         const std::vector<std::pair<int, int>>& candidates) {
  const Deformable& one = world.deformable(d);
  const Deformable& two = world.deformable(e);
  const Placed& from = placed_[to_size(d)];
  const Placed& to = placed_[to_size(e)];
  const double reach = from.radius + to.radius + from.margin + to.margin;
  for (const auto& [i, j] : candidates) {
    const auto& p = one.edges[to_size(i)];
    const auto& q = two.edges[to_size(j)];
    if (from.touches[to_size(p[0])] != 0 || from.touches[to_size(p[1])] != 0 ||
        to.touches[to_size(q[0])] != 0 || to.touches[to_size(q[1])] != 0) {
      continue;
    }
    if (d == e && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1])) continue;
    const BetweenSegments near =
        closest_between_segments(from.vertex[to_size(p[0])], from.vertex[to_size(p[1])],
                                 to.vertex[to_size(q[0])], to.vertex[to_size(q[1])]);
    const double distance = std::sqrt(near.distance_squared);
    if (!near.crossing || distance > reach || !(distance > 0.0)) continue;
    add_soft(world, d, e, edge_side(one, p, near.s, from.radius),
             edge_side(two, q, near.t, to.radius), (1.0 / distance) * (near.on_p - near.on_q),
             feature(SoftFeature::kEdges, i, j));
  }
}

void SoftContactFinder::with_deformable(const World& world, int d, int e) {
  if (!overlap(placed_[to_size(d)].box, placed_[to_size(e)].box)) return;
  if (d == e && !world.deformable(d).self_contact) return;
  // Boxes of the triangles of d, then of e.
  boxes_.clear();
  const auto add_boxes = [&](int b) {
    const Placed& placed = placed_[to_size(b)];
    for (const auto& t : world.deformable(b).boundary.triangle) {
      Aabb box = empty_box();
      for (const Index v : t) include(box, placed.vertex[to_size(v)]);
      boxes_.push_back(grown(box, placed.margin + placed.radius));
    }
  };
  add_boxes(d);
  const auto first = static_cast<int>(boxes_.size());
  if (d != e) add_boxes(e);
  const auto& one = world.deformable(d);
  const auto& two = world.deformable(e);
  std::vector<std::pair<int, int>> back;
  vertex_pairs_.clear();
  edge_pairs_.clear();
  const auto edge_number_of = [](const Deformable& body, Index a, Index b) {
    const std::array<Index, 2> key{std::min(a, b), std::max(a, b)};
    return static_cast<int>(std::lower_bound(body.edges.begin(), body.edges.end(), key) -
                            body.edges.begin());
  };
  for (const auto& [s, t] : broad_phase_.find(boxes_)) {
    const bool crosses = s < first && t >= first;
    if (d != e && !crosses) continue;
    const int other = d != e ? t - first : t;
    const auto& mine = one.boundary.triangle[to_size(s)];
    const auto& theirs = two.boundary.triangle[to_size(other)];
    for (const Index v : mine) vertex_pairs_.emplace_back(v, other);
    for (const Index v : theirs) (d != e ? back : vertex_pairs_).emplace_back(v, s);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        edge_pairs_.emplace_back(edge_number_of(one, mine[i], mine[(i + 1) % 3]),
                                 edge_number_of(two, theirs[j], theirs[(j + 1) % 3]));
        if (d == e && edge_pairs_.back().first > edge_pairs_.back().second) {
          std::swap(edge_pairs_.back().first, edge_pairs_.back().second);
        }
      }
    }
  }
  for (auto* list : {&vertex_pairs_, &edge_pairs_, &back}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (const int b : {d, e})
    placed_[to_size(b)].touches.assign(placed_[to_size(b)].vertex.size(), 0);
  vertex_with_triangles(world, d, e, vertex_pairs_);
  if (d != e) vertex_with_triangles(world, e, d, back);
  edges_with_edges(world, d, e, edge_pairs_);
}

bool SoftContactFinder::find(const World& world, double h, SoftContactRowSet& out,
                             const std::function<bool()>& stop) {
  out_ = &out.contacts();
  out_->clear();
  const auto finish = [&](bool all) {
    out.finish();
    return all;
  };
  if (world.deformables().empty()) return finish(true);
  place(world, h);
  const auto deformables = static_cast<int>(world.deformables().size());
  for (int d = 0; d < deformables; ++d) {
    for (int s = 0; s < static_cast<int>(world.shapes().size()); ++s) {
      with_shape(world, d, s, h);
      if (stop && stop()) return finish(false);
    }
    for (int e = d; e < deformables; ++e) {
      with_deformable(world, d, e);
      if (stop && stop()) return finish(false);
    }
  }
  return finish(true);
}

}  // namespace nsn
