#include "bench/report/scene_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::report {
namespace {

constexpr double kColourPerGrowth = 2.0;  // full colour at half or one and a half times the volume

render::Mesh shape_mesh(const World& world, const PlacedShape& placed) {
  const ConstBodyRef body = world.body(placed.body);
  render::Mesh mesh;
  if (const auto* const ball = dynamic_cast<const Sphere*>(placed.shape.get())) {
    mesh = render::sphere_mesh(ball->radius());  // finer than its surface
  } else {
    const SurfaceMesh surface = placed.shape->surface();
    for (const Vec3& point : surface.points) mesh.vertex.push_back({point[0], point[1], point[2]});
    for (const auto& polygon : surface.polygons) {
      for (std::size_t k = 2; k < polygon.size(); ++k) {
        mesh.triangle.push_back({polygon[0], polygon[k - 1], polygon[k]});
      }
    }
  }
  const Mat3 turn = rotation_matrix(placed.rotation);
  for (render::Vec3& point : mesh.vertex) {
    const Vec3 p = body.to_world(placed.offset + turn * Vec3{point[0], point[1], point[2]});
    point = {p[0], p[1], p[2]};
  }
  mesh.smooth = placed.shape->type() == Sphere::kType;
  mesh.colour = render::body_colour(placed.body);
  if (placed.shape->type() == Plane::kType) {
    mesh.colour = {0.55, 0.57, 0.6};
    mesh.casts_shadow = false;
  }
  return mesh;
}

/// Boundary of a deformable body in its own colour, towards blue where the volume shrinks and red
/// where it grows (det F).
render::Mesh deformable_mesh(const World& world, const Deformable& body, int number) {
  render::Mesh mesh;
  const render::Colour own = render::body_colour(world.num_bodies() + number);
  const std::vector<Vec3> x = positions(world, body);
  std::vector<double> volume(body.mesh.node.size(), 0.0);
  std::vector<double> rest(body.mesh.node.size(), 0.0);
  for (Index t = 0; t < body.mesh.num_tets(); ++t) {
    const double V = body.elements->rest_volume()(t);
    const double J = determinant(body.elements->deformation_gradient(t, flat(x)));
    for (const Index n : body.mesh.tet[static_cast<std::size_t>(t)]) {
      volume[static_cast<std::size_t>(n)] += V * J;
      rest[static_cast<std::size_t>(n)] += V;
    }
  }
  for (Index v = 0; v < body.boundary.num_vertices(); ++v) {
    const auto n = static_cast<std::size_t>(body.boundary.node[static_cast<std::size_t>(v)]);
    const Vec3& p = x[n];
    mesh.vertex.push_back({p[0], p[1], p[2]});
    const double growth = volume[n] / rest[n] - 1.0;
    const render::Colour full = render::diverging_colour(growth > 0.0 ? 1.0 : 0.0);
    const double share = std::min(kColourPerGrowth * std::abs(growth), 1.0);
    render::Colour mixed;
    for (std::size_t i = 0; i < 3; ++i) mixed[i] = (1.0 - share) * own[i] + share * full[i];
    mesh.vertex_colour.push_back(mixed);
  }
  for (const auto& t : body.boundary.triangle) mesh.triangle.push_back({t[0], t[1], t[2]});
  return mesh;
}

/// Centre and radius of a box around all bodies that cast shadows.
struct Extent {
  Vec3 centre;
  double radius = 1.0;
};

Extent extent_of(const std::vector<render::Mesh>& meshes) {
  Vec3 low{1e300, 1e300, 1e300};
  Vec3 high{-1e300, -1e300, -1e300};
  for (const render::Mesh& mesh : meshes) {
    if (!mesh.casts_shadow) continue;
    for (const render::Vec3& p : mesh.vertex) {
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], p[static_cast<std::size_t>(k)]);
        high[k] = std::max(high[k], p[static_cast<std::size_t>(k)]);
      }
    }
  }
  if (low[0] > high[0]) return {};
  return {0.5 * (low + high), std::max(0.5 * norm(high - low), 1e-3)};
}

/// An endless plane as a chequered patch below the bodies.
void spread_ground(render::Mesh& plane, const Extent& extent) {
  const auto corner = [&](std::size_t k) {
    return Vec3{plane.vertex[k][0], plane.vertex[k][1], plane.vertex[k][2]};
  };
  const Vec3 right = normalized(corner(1) - corner(0));
  const Vec3 normal = normalized(cross(right, corner(2) - corner(0)));
  const Vec3 forward = cross(normal, right);
  const Vec3 below = extent.centre - dot(normal, extent.centre - corner(0)) * normal;
  plane = render::ground_mesh(12.0 * extent.radius, 0.25 * extent.radius);
  for (render::Vec3& p : plane.vertex) {
    const Vec3 at = below + p[0] * right + p[1] * forward;
    p = {at[0], at[1], at[2]};
  }
}

/// Lines of at most a third of the picture's extent, towards the body that is pushed.
std::vector<render::Line> force_lines(const std::vector<ForceArrow>& forces, double radius) {
  double largest = 0.0;
  for (const ForceArrow& arrow : forces) largest = std::max(largest, norm(arrow.force));
  std::vector<render::Line> lines;
  for (const ForceArrow& arrow : forces) {
    if (!(norm(arrow.force) > 1e-3 * largest)) continue;
    const Vec3 end = arrow.point + (radius / (3.0 * largest)) * arrow.force;
    render::Line line;
    line.from = {arrow.point[0], arrow.point[1], arrow.point[2]};
    line.to = {end[0], end[1], end[2]};
    lines.push_back(line);
  }
  return lines;
}

/// The frames of every joint, x, y and z in red, green and blue; a joint that holds two points
/// apart is a grey line between them.
void add_joint_lines(const World& world, double radius, std::vector<render::Line>& lines) {
  constexpr double kAxis = 0.08;  // of the picture's extent, and at most ...
  constexpr double kReach = 0.4;  // ... of the way from the joint to its second body's centre
  const auto add = [&](const Vec3& from, const Vec3& to, const render::Colour& colour) {
    lines.push_back({{from[0], from[1], from[2]}, {to[0], to[1], to[2]}, colour, 2.0});
  };
  for (int j = 0; j < world.joints().num_joints(); ++j) {
    const Joint& joint = world.joint(j);
    const ConstBodyRef a = world.body(joint.body_a);
    const ConstBodyRef b = world.body(joint.body_b);
    const Vec3 at = a.to_world(joint.frame_a.origin);
    const Mat3 axes = rotation_matrix(a.orientation) * rotation_matrix(joint.frame_a.rotation);
    const double reach = norm(joint.frame_b.origin);
    const double length = reach > 0.0 ? std::min(kAxis * radius, kReach * reach) : kAxis * radius;
    for (int k = 0; k < 3; ++k) {
      render::Colour colour{0.05, 0.05, 0.05};
      colour[static_cast<std::size_t>(k)] = 0.7;
      const Vec3 along = length * column(axes, k);
      add(k == 2 ? at - along : at, at + along, colour);  // the joint's own axis: both ways
    }
    add(at, b.to_world(joint.frame_b.origin), {0.3, 0.3, 0.3});
  }
}

Vec3 point_of(const render::Vec3& p) {
  return {p[0], p[1], p[2]};
}

/// The segment passes through a triangle of the mesh.
bool passes_through(const render::Mesh& mesh, const Vec3& from, const Vec3& to) {
  const auto side = [](const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
    return dot(cross(q - p, r - p), s - p) > 0.0;
  };
  return std::any_of(mesh.triangle.begin(), mesh.triangle.end(), [&](const auto& t) {
    const Vec3 a = point_of(mesh.vertex[static_cast<std::size_t>(t[0])]);
    const Vec3 b = point_of(mesh.vertex[static_cast<std::size_t>(t[1])]);
    const Vec3 c = point_of(mesh.vertex[static_cast<std::size_t>(t[2])]);
    if (side(a, b, c, from) == side(a, b, c, to)) return false;
    const bool first = side(from, to, a, b);
    return side(from, to, b, c) == first && side(from, to, c, a) == first;
  });
}

/// A ball around the mesh, for a quick no.
Extent ball_around(const render::Mesh& mesh) {
  Extent ball{{}, 0.0};
  for (const render::Vec3& p : mesh.vertex) ball.centre += point_of(p);
  ball.centre =
      (1.0 / static_cast<double>(std::max<std::size_t>(mesh.vertex.size(), 1))) * ball.centre;
  for (const render::Vec3& p : mesh.vertex) {
    ball.radius = std::max(ball.radius, norm(point_of(p) - ball.centre));
  }
  return ball;
}

bool passes_through(const Extent& ball, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  const double along = dot(ball.centre - from, way) / std::max(dot(way, way), 1e-300);
  const Vec3 nearest = from + std::clamp(along, 0.0, 1.0) * way;
  return norm(ball.centre - nearest) <= ball.radius;
}

/// A shape that does not move and stands before a third of the bodies that do.
bool in_the_way(const World& world, const PlacedShape& placed, const render::Mesh& mesh,
                const Vec3& eye) {
  if (world.body(placed.body).dynamic() || placed.shape->type() == Plane::kType) return false;
  const Extent ball = ball_around(mesh);
  int moving = 0;
  int hidden = 0;
  for (const ConstBodyRef body : world.bodies()) {
    if (!body.dynamic()) continue;
    ++moving;
    const bool near = passes_through(ball, eye, body.position);
    hidden += near && passes_through(mesh, eye, body.position) ? 1 : 0;
  }
  return 3 * hidden >= moving && hidden > 0;
}

/// Edges in place of faces.
void draw_outline(const PlacedShape& placed, render::Mesh& mesh, std::vector<render::Line>& lines) {
  const render::Colour colour = mesh.colour;
  for (const auto& polygon : placed.shape->surface().polygons) {
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const auto a = static_cast<std::size_t>(polygon[k]);
      const auto b = static_cast<std::size_t>(polygon[(k + 1) % polygon.size()]);
      lines.push_back({mesh.vertex[a], mesh.vertex[b], colour, 1.0});
    }
  }
  mesh.triangle.clear();
}

}  // namespace

std::vector<ForceArrow> contact_forces(const Simulation& simulation) {
  std::vector<ForceArrow> forces;
  for (const ContactInfo& c : simulation.contacts()) forces.push_back({c.point, c.force});
  return forces;
}

namespace {

/// What a picture shows of a world, in the order of shapes, then of deformables.
std::vector<render::Mesh> meshes_of(const World& world) {
  std::vector<render::Mesh> meshes;
  for (const PlacedShape& placed : world.shapes()) meshes.push_back(shape_mesh(world, placed));
  for (std::size_t d = 0; d < world.deformables().size(); ++d) {
    meshes.push_back(deformable_mesh(world, world.deformables()[d], static_cast<int>(d)));
  }
  return meshes;
}

bool within(const Extent& inner, const Extent& outer) {
  return norm(inner.centre - outer.centre) + inner.radius <= outer.radius;
}

/// Meshes of what moves and of what is fixed no further away than it reaches; without any, all of them.
std::vector<render::Mesh> subject_of(const World& world, const std::vector<render::Mesh>& meshes) {
  std::vector<render::Mesh> moving;
  for (std::size_t s = 0; s < meshes.size(); ++s) {
    const bool soft = s >= world.shapes().size();
    if (soft || world.body(world.shapes()[s].body).dynamic()) moving.push_back(meshes[s]);
  }
  if (moving.empty()) return meshes;
  const Extent extent = extent_of(moving);
  for (std::size_t s = 0; s < world.shapes().size(); ++s) {
    if (world.body(world.shapes()[s].body).dynamic() || !meshes[s].casts_shadow) continue;
    constexpr double kNear = 1.25;  // radii of what moves
    if (within(ball_around(meshes[s]), {extent.centre, kNear * extent.radius})) {
      moving.push_back(meshes[s]);
    }
  }
  return moving;
}

/// Towards the eye. A row of kMany or more, kLong times as long as wide, is seen along itself: across, it would
/// be a line of specks. A row of few would hide behind the first of them.
render::Vec3 direction_of(const std::vector<render::Mesh>& subject) {
  constexpr double kLong = 3.5;
  constexpr std::ptrdiff_t kMany = 8;
  double low[2] = {1e300, 1e300};
  double high[2] = {-1e300, -1e300};
  double top = 0.0;
  double bottom = 1e300;
  for (const render::Mesh& mesh : subject) {
    if (!mesh.casts_shadow) continue;
    for (const render::Vec3& p : mesh.vertex) {
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], p[k]);
        high[k] = std::max(high[k], p[k]);
      }
      top = bottom > 1e299 ? p[2] : std::max(top, p[2]);
      bottom = std::min(bottom, p[2]);
    }
  }
  const double x = high[0] - low[0];
  const double y = high[1] - low[1];
  const auto drawn = std::count_if(subject.begin(), subject.end(),
                                   [](const render::Mesh& mesh) { return mesh.casts_shadow; });
  if (drawn < kMany) return {0.6, -1.0, 0.45};
  if (x > kLong * std::max(y, top - bottom)) return {0.9, -0.42, 0.35};
  if (y > kLong * std::max(x, top - bottom)) return {0.42, -0.9, 0.35};
  return {0.6, -1.0, 0.45};
}

/// A floor at that height, far enough to end nowhere.
render::Mesh floor_at(double height, const Extent& extent) {
  render::Mesh floor;
  floor.vertex = {{0, 0, height}, {1, 0, height}, {1, 1, height}};
  floor.colour = {0.55, 0.57, 0.6};
  floor.casts_shadow = false;
  spread_ground(floor, extent);
  return floor;
}

}  // namespace

Framing framing_of(const World& world, double aspect) {
  const std::vector<render::Mesh> meshes = meshes_of(world);
  const std::vector<render::Mesh> subject = subject_of(world, meshes);
  Framing framing;
  framing.camera = render::frame_all(subject, direction_of(subject), aspect);
  framing.extent = extent_of(subject).radius;
  const bool has_plane = std::any_of(meshes.begin(), meshes.end(),
                                     [](const render::Mesh& mesh) { return !mesh.casts_shadow; });
  if (has_plane || meshes.empty()) return framing;
  double lowest = 1e300;
  for (const render::Mesh& mesh : subject) {
    for (const render::Vec3& p : mesh.vertex) lowest = std::min(lowest, p[2]);
  }
  framing.floor = lowest - 0.02 * framing.extent;
  return framing;
}

render::Image picture_of(const World& world, const std::vector<ForceArrow>& forces, int width,
                         int height, const std::optional<Framing>& given) {
  const Framing framing =
      given ? *given : framing_of(world, static_cast<double>(width) / std::max(height, 1));
  render::Picture picture;
  picture.meshes = meshes_of(world);
  const Extent extent{extent_of(picture.meshes).centre, framing.extent};
  for (render::Mesh& mesh : picture.meshes) {
    if (!mesh.casts_shadow) spread_ground(mesh, extent);
  }
  if (framing.floor) picture.meshes.push_back(floor_at(*framing.floor, extent));
  picture.lines = force_lines(forces, extent.radius);
  add_joint_lines(world, extent.radius, picture.lines);
  picture.camera = framing.camera;
  for (std::size_t s = 0; s < world.shapes().size(); ++s) {
    const PlacedShape& placed = world.shapes()[s];
    render::Mesh& mesh = picture.meshes[s];
    if (!in_the_way(world, placed, mesh, point_of(picture.camera.eye))) continue;
    draw_outline(placed, mesh, picture.lines);
  }
  return render::render(picture, width, height);
}

}  // namespace nsn::report
