#include "nsn/models/collision/mesh_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/models/collision/convex_shape.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/cylinder_pairs.h"
#include "nsn/models/collision/face_sides.h"
#include "nsn/models/collision/feature_contacts.h"
#include "nsn/models/collision/feature_distance.h"
#include "nsn/models/collision/mesh_fetch.h"
#include "nsn/models/collision/near_features.h"
#include "nsn/models/collision/near_triangles.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {
namespace {

/// A shape's place about a common origin.
Pose about(const Pose& pose, const Vec3& origin) {
  return {pose.x - origin, pose.R};
}

/// A box around a shape given in world axes, in the axes of another pose.
Aabb in_axes(const Aabb& box, const Pose& pose, double margin) {
  const Vec3 middle = pose.inverse_apply(0.5 * (box.lower + box.upper));
  const Vec3 half = 0.5 * (box.upper - box.lower);
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    reach[i] = margin + std::abs(pose.R(0, i)) * half[0] + std::abs(pose.R(1, i)) * half[1] +
               std::abs(pose.R(2, i)) * half[2];
  }
  return {middle - reach, middle + reach};
}

bool contains(const Aabb& box, const Vec3& p) {
  return overlap(box, {p, p});
}

/// Buffers of a thread, so that detection does not allocate; their contents do not outlive a call.
struct Buffers {
  FeatureSet A;
  FeatureSet B;
  NearTriangles near;
  NearFeatures features;
  MeshPart part;
  std::vector<int> triangles_a;
  std::vector<int> triangles_b;
  std::vector<Vec3> placed;  // corners of a face
};
Buffers& buffers() {
  thread_local Buffers own;
  return own;
}

void set_features(const TriangleMesh& mesh, const Pose& world, const Vec3& origin,
                  const std::vector<int>& triangles, const Region& region, const Vec3& up,
                  FeatureSet& set) {
  MeshPart& part = buffers().part;
  part.list(mesh, triangles, region);
  place_features(mesh, about(world, origin), part, set);
  set.index(up);
}

/// What of the mesh lies near a box in world axes.
void set_features_near(const TriangleMesh& mesh, const Pose& world, const Vec3& origin,
                       const Aabb& box, double margin, FeatureSet& set) {
  std::vector<int>& triangles = buffers().triangles_a;
  const Aabb near = in_axes(box, world, margin);
  mesh.find(near, triangles);
  set_features(mesh, world, origin, triangles, {near, {}, 0.0}, {}, set);
}

void set_features(const ConvexShape& shape, const Pose& world, const Vec3& origin,
                  FeatureSet& set) {
  const Pose pose = about(world, origin);
  const Polytope& core = shape.core();
  set.clear();
  set.axes = pose.R;
  set.radius = shape.radius();
  set.size = core.size;
  set.two_sided = core.num_faces() == 0;
  set.convex = true;
  set.depth = core.size;
  std::vector<Vec3>& placed = buffers().placed;
  for (int f = 0; f < core.num_faces(); ++f) {
    const Polytope::Face& face = core.face(f);
    const Vec3 n = pose.R * face.normal;
    placed.clear();
    for (int k = face.begin; k < face.end; ++k) {
      placed.push_back(pose.apply(core.vertex(core.loop[to_size(k)])));
    }
    add_face(
        n, face.offset + dot(n, pose.x), f, face.end - face.begin,
        [&](int k) -> const Vec3& { return placed[to_size(k)]; }, set);
  }
  for (const Vec3& x : core.vertices)
    set.body_middle += (1.0 / core.num_vertices()) * pose.apply(x);
  std::vector<Vec3>& directions = set.own_directions;
  for (int v = 0; v < core.num_vertices(); ++v) {
    FeatureSet::Vertex vertex{pose.apply(core.vertex(v)), v, static_cast<int>(directions.size()),
                              0};
    for (const Polytope::Edge& edge : core.edges) {
      if (edge.a != v && edge.b != v) continue;
      const Vec3 along = core.vertex(edge.a == v ? edge.b : edge.a) - core.vertex(v);
      if (norm(along) == 0.0) continue;
      directions.push_back(normalized(along));
      ++vertex.count;
    }
    set.vertices.add() = vertex;
  }
  for (const Polytope::Edge& edge : core.edges) {
    const Vec3 along = core.vertex(edge.b) - core.vertex(edge.a);
    FeatureSet::Edge feature;
    feature.a = pose.apply(core.vertex(edge.a));
    feature.along = pose.apply(core.vertex(edge.b)) - feature.a;
    feature.number = edge_number(edge.a, edge.b);
    feature.first = static_cast<int>(directions.size());
    if (edge.left >= 0) {
      const Vec3& left = core.face(edge.left).normal;
      const Vec3& right = core.face(edge.right).normal;
      directions.push_back(normalized(cross(left, along)));
      directions.push_back(normalized(cross(along, right)));
      feature.count = 2;
      feature.outward = left + right;
    }
    set.edges.add() = feature;
  }
  set.vertex_directions = set.edge_directions = directions;
  set.index({});
}

void shift(Manifold& out, std::size_t begin, const Vec3& origin) {
  for (std::size_t k = begin; k < out.size(); ++k) {
    out[k].on_a += origin;
    out[k].on_b += origin;
  }
}

/// Everything that a body consists of, for the last resort.
struct Points {
  std::span<const Vec3> local;
  Pose pose;
  double radius = 0.0;

  /// The one furthest along n.
  Vec3 support(const Vec3& n) const {
    const Vec3 along = transpose_times(pose.R, n);
    const auto less = [&](const Vec3& p, const Vec3& q) { return dot(along, p) < dot(along, q); };
    return pose.apply(*std::max_element(local.begin(), local.end(), less)) + radius * n;
  }
};

/// Bodies that are so deep in each other that no features explain it: one contact along the axis of
/// either body, or the line of their centres, on which they overlap least.
void add_overlap_contact(const Points& A, const Points& B, Manifold& out) {
  ContactPoint best;
  double largest = -1e300;
  const auto offer = [&](const Vec3& n) {
    const Vec3 on_a = A.support(-n);
    const double height = dot(n, on_a - B.support(n));
    if (height <= largest) return;
    largest = height;
    const auto id = ~std::uint64_t{0};
    best = {on_a, on_a - height * n, n, feature_id(FeatureKind::kNearest, id, id), A.radius, 0.0};
  };
  for (int k = 0; k < 3; ++k) {
    for (const Mat3& R : {A.pose.R, B.pose.R}) {
      offer(column(R, k));
      offer(-column(R, k));
    }
  }
  const Vec3 between = A.pose.x - B.pose.x;
  if (norm(between) > 0.0) offer(normalized(between));
  if (largest < 0.0) out.push_back(best);
}

/// Some point touches or penetrates, to 1e-6 of the sizes.
bool any_touches(const Manifold& out, std::size_t begin, const FeatureSet& A, const FeatureSet& B) {
  const double touching = 1e-6 * (A.size + B.size);
  return std::any_of(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                     [&](const ContactPoint& p) { return gap(p) <= touching; });
}

/// One surface passes through the other, or a closed one holds a vertex of the other.
bool overlapping(const FeatureSet& A, const FeatureSet& B) {
  if (piercing(A, B, nullptr, 0.0) != Piercing::kNone ||
      piercing(B, A, nullptr, 0.0) != Piercing::kNone) {
    return true;
  }
  const auto holds = [](const FeatureSet& S, const FeatureSet& other) {
    return !other.vertices.empty() && !S.faces.empty() && is_inside(S, other.vertices[0].x);
  };
  return holds(B, A) || holds(A, B);
}

bool inside(const Aabb& inner, const Aabb& outer) {
  return contains(outer, inner.lower) && contains(outer, inner.upper);
}

Vec3 common_origin(const Pose& pose_a, const Pose& pose_b) {
  return 0.5 * (pose_a.x + pose_b.x);
}

/// Places the features in own.A and own.B, as deep as the margin.
void place_near(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                const Pose& pose_b, double margin, const NearFeatures& near) {
  Buffers& own = buffers();
  const Vec3 origin = common_origin(pose_a, pose_b);
  fetch(a, near.a);
  fetch(b, near.b);
  place_features(a, about(pose_a, origin), near.a, own.A);
  place_features(b, about(pose_b, origin), near.b, own.B);
  own.A.depth = std::min(own.A.depth, margin);
  own.B.depth = std::min(own.B.depth, margin);
}

/// What lies within the margin and the slack before and behind the surfaces; places it.
void find_near_features(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                        const Pose& pose_b, double margin, const Slack& slack, NearFeatures& near) {
  Buffers& own = buffers();
  own.near.find(a, b, seen_from(pose_a, pose_b), margin + slack.distance,
                slack.distance > 0.0 ? 1 : NearTriangles::kFewPairs);
  near.a.list(a, own.near.of_a(), own.near.region_a());
  near.b.list(b, own.near.of_b(), own.near.region_b());
  place_near(a, pose_a, b, pose_b, margin, near);
  if (near.empty()) return;
  const Vec3 up = pose_a.R * own.near.up();
  own.A.index(up);
  own.B.index(up);
  // Surfaces of two sides, and those that a direction keeps apart by more than rounding.
  const double rounding = 1e-5 * (own.A.size + own.B.size);
  near.apart = a.two_sided() || b.two_sided() || own.near.gap() > rounding + slack.distance;
  near.listed = slack.distance > 0.0;
  if (!near.listed) return;
  find_feature_pairs(own.A, own.B, margin, slack, near.pairs);
  if (near.apart) return;
  find_crossings(own.A, own.B, slack.distance, near.through_b);
  find_crossings(own.B, own.A, slack.distance, near.through_a);
}

/// Contacts within the margin before and behind the surfaces, of features that are placed. False:
/// something lies deeper, or may.
bool add_near_contacts(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, const NearFeatures& near, Manifold& out) {
  if (!near.empty()) {
    const FeatureSet& A = buffers().A;
    const FeatureSet& B = buffers().B;
    const std::size_t before = out.size();
    add_feature_contacts(A, B, near.listed ? &near.pairs : nullptr, margin, out);
    shift(out, before, common_origin(pose_a, pose_b));
    if (!near.apart) {
      const Piercing worst =
          std::max(piercing(A, B, near.listed ? &near.through_b : nullptr, 0.5 * margin),
                   piercing(B, A, near.listed ? &near.through_a : nullptr, 0.5 * margin));
      if (worst == Piercing::kDeep) return false;
      if (worst == Piercing::kShallow) return any_touches(out, before, A, B);
    }
    if (out.size() > before) return true;
  }
  const Aabb box_a = a.bounds(pose_a);
  const Aabb box_b = b.bounds(pose_b);
  return !inside(box_a, box_b) && !inside(box_b, box_a);
}

/// Those of the triangles given whose boxes meet the part (mesh axes).
void find_common(const TriangleMesh& mesh, const std::vector<int>& triangles, const Aabb& part,
                 std::vector<int>& out) {
  out.clear();
  for (const int t : triangles) {
    if (meet(part, mesh.box(t))) out.push_back(t);
  }
}

Region common(Region region, const Aabb& box) {
  for (int k = 0; k < 3; ++k) {
    region.box.lower[k] = std::max(region.box.lower[k], box.lower[k]);
    region.box.upper[k] = std::min(region.box.upper[k], box.upper[k]);
  }
  return region;
}

/// Contacts as deep as the meshes allow, between what lies within the margin of the other's box.
void add_deep_contacts(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, Manifold& out) {
  Buffers& own = buffers();
  const Vec3 origin = common_origin(pose_a, pose_b);
  Aabb part_a = in_axes(b.bounds(pose_b), pose_a, margin);
  Aabb part_b = in_axes(a.bounds(pose_a), pose_b, margin);
  own.near.find(a, b, seen_from(pose_a, pose_b), std::max({margin, a.depth(), b.depth()}));
  find_common(a, own.near.of_a(), part_a, own.triangles_a);
  find_common(b, own.near.of_b(), part_b, own.triangles_b);
  if (own.triangles_a.empty() || own.triangles_b.empty()) {
    a.find(part_a, own.triangles_a);
    b.find(part_b, own.triangles_b);
    if (own.triangles_a.empty() || own.triangles_b.empty()) {  // one may hold the other
      part_a = in_axes(a.bounds(pose_a), pose_a, margin);
      part_b = in_axes(b.bounds(pose_b), pose_b, margin);
    }
    find_common(a, own.near.of_a(), part_a, own.triangles_a);
    find_common(b, own.near.of_b(), part_b, own.triangles_b);
  }
  const Vec3 up = pose_a.R * own.near.up();
  set_features(a, pose_a, origin, own.triangles_a, common(own.near.region_a(), part_a), up, own.A);
  set_features(b, pose_b, origin, own.triangles_b, common(own.near.region_b(), part_b), up, own.B);
  const std::size_t before = out.size();
  add_feature_contacts(own.A, own.B, nullptr, margin, out);
  shift(out, before, origin);
  if (any_touches(out, before, own.A, own.B) || !a.closed() || !b.closed()) return;
  a.find(part_a, own.triangles_a);
  b.find(part_b, own.triangles_b);
  set_features(a, pose_a, origin, own.triangles_a, {part_a, {}, 0.0}, {}, own.A);
  set_features(b, pose_b, origin, own.triangles_b, {part_b, {}, 0.0}, {}, own.B);
  if (!overlapping(own.A, own.B)) return;
  out.resize(before);
  add_overlap_contact({a.points(), pose_a, 0.0}, {b.points(), pose_b, 0.0}, out);
}

/// All contacts of two meshes whose near features are placed.
void add_contacts_among(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                        const Pose& pose_b, double margin, const NearFeatures& near,
                        Manifold& out) {
  const std::size_t before = out.size();
  if (add_near_contacts(a, pose_a, b, pose_b, margin, near, out)) return;
  out.resize(before);
  add_deep_contacts(a, pose_a, b, pose_b, margin, out);
}

constexpr double kSamePoint = 1e-6;  // of the sizes

/// Takes away points from `known` on that are among out[begin, known): along an edge that two
/// triangles share each of them has its own.
void drop_repeated(Manifold& out, std::size_t begin, std::size_t known, double near) {
  const auto again = [&](const ContactPoint& point) {
    return repeats(out, begin, known, point, near);
  };
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(known), out.end(), again),
            out.end());
}

}  // namespace

void collide_mesh_plane(const Shape& mesh, const Pose& pose_a, const Shape&, const Pose& pose_b,
                        double margin, Manifold& out) {
  const auto& shape = static_cast<const TriangleMesh&>(mesh);
  const Vec3 n = column(pose_b.R, 2);
  const Vec3 down = -transpose_times(pose_a.R, n);
  const double middle = dot(n, pose_a.x - pose_b.x);
  if (middle - greatest_along(shape.box(), down) > margin) return;
  // Most vertices are too high by more than rounding.
  const double most = margin + 1e-9 * (norm(pose_a.x) + norm(pose_b.x) + norm(shape.box().lower) +
                                       norm(shape.box().upper));
  for (int v = 0; v < static_cast<int>(shape.points().size()); ++v) {
    if (middle - dot(down, shape.points()[to_size(v)]) > most || !shape.vertex_active(v)) continue;
    const Vec3 p = pose_a.apply(shape.points()[to_size(v)]);
    const double height = dot(n, p - pose_b.x);
    if (height > margin) continue;
    const auto feature = feature_id(FeatureKind::kVertexOfA, static_cast<std::uint64_t>(v), 0);
    out.push_back({p, p - height * n, n, feature, 0.0, 0.0});
  }
}

void collide_convex_mesh(const Shape& convex, const Pose& pose_a, const Shape& mesh,
                         const Pose& pose_b, double margin, Manifold& out) {
  const auto& shape = static_cast<const ConvexShape&>(convex);
  const auto& triangles = static_cast<const TriangleMesh&>(mesh);
  const Vec3 origin = pose_a.x;
  const Aabb bounds = shape.bounds(pose_a);
  Buffers& own = buffers();
  set_features_near(triangles, pose_b, origin, bounds, margin, own.B);
  const std::size_t before = out.size();
  if (!own.B.faces.empty()) {
    set_features(shape, pose_a, origin, own.A);
    add_feature_contacts(own.A, own.B, nullptr, margin, out);
    shift(out, before, origin);
  }
  if (!triangles.closed() || triangles.two_sided() || any_touches(out, before, own.A, own.B))
    return;
  // Nothing touches: apart, or deeper than the features tell.
  const bool swallowed = inside(bounds, triangles.bounds(pose_b));
  if (own.B.faces.empty() && !swallowed) return;
  if (swallowed) {  // the nearest triangle decides, wherever it is
    set_features(shape, pose_a, origin, own.A);
    set_features_near(triangles, pose_b, origin, triangles.bounds(pose_b), margin, own.B);
  }
  if (!overlapping(own.A, own.B)) return;
  out.resize(before);
  add_overlap_contact({shape.core().vertices, pose_a, shape.radius()},
                      {triangles.points(), pose_b, 0.0}, out);
}

void collide_mesh_mesh(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, const Slack& slack, NearFeatures& near,
                       Manifold& out) {
  find_near_features(a, pose_a, b, pose_b, margin, slack, near);
  add_contacts_among(a, pose_a, b, pose_b, margin, near, out);
}

void collide_mesh_mesh(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, const NearFeatures& near, Manifold& out) {
  place_near(a, pose_a, b, pose_b, margin, near);
  add_contacts_among(a, pose_a, b, pose_b, margin, near, out);
}

void collide_mesh_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                       double margin, Manifold& out) {
  collide_mesh_mesh(static_cast<const TriangleMesh&>(a), pose_a,
                    static_cast<const TriangleMesh&>(b), pose_b, margin, {}, buffers().features,
                    out);
}

void collide_cylinder_mesh(const Shape& cylinder, const Pose& pose_a, const Shape& mesh,
                           const Pose& pose_b, double margin, Manifold& out) {
  const auto& shape = static_cast<const TriangleMesh&>(mesh);
  const auto& solid = static_cast<const Cylinder&>(cylinder);
  const std::size_t before = out.size();
  std::vector<int>& triangles = buffers().triangles_a;
  shape.find(in_axes(cylinder.bounds(pose_a), pose_b, margin), triangles);
  for (const int t : triangles) {
    const std::size_t known = out.size();
    collide_cylinder_triangle(solid, pose_a, shape, t, pose_b, margin, out);
    drop_repeated(out, before, known, kSamePoint * (solid.radius() + solid.height()));
  }
  if (out.size() > before || !shape.closed() || shape.two_sided()) return;
  FeatureSet& B = buffers().B;
  set_features_near(shape, pose_b, pose_a.x, shape.bounds(pose_b), margin, B);
  const std::vector<Vec3>& rims = solid.prism().vertices;
  const Pose pose = about(pose_a, pose_a.x);
  const bool held = is_inside(B, {}) || std::any_of(rims.begin(), rims.end(), [&](const Vec3& p) {
                      return is_inside(B, pose.apply(p));
                    });
  const auto in_cylinder = [&](const Vec3& p) {
    const Vec3 local = pose_a.inverse_apply(pose_b.apply(p));
    return std::hypot(local[0], local[1]) < solid.radius() &&
           std::abs(local[2]) < 0.5 * solid.height();
  };
  if (!held && std::none_of(shape.points().begin(), shape.points().end(), in_cylinder)) return;
  add_overlap_contact({rims, pose_a, 0.0}, {shape.points(), pose_b, 0.0}, out);
}

}  // namespace nsn
