#include "nsn/models/scenes/workpieces.h"

#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

/// One side of the socket, above the channel: a wall along x from 0 to `depth` at z = `half` and in
/// front of it the slope of a funnel, in one convex piece, so that nothing catches in the mouth.
ConvexHull socket_side(double depth, double half) {
  const double wall = 0.02;
  const double lip = 0.04;
  const double slope = 0.25;  // rad
  const double width = half + lip;
  const double front = -lip * std::cos(slope);
  const double outline[5][2] = {{front, half + lip * std::sin(slope)},
                                {0.0, half},
                                {depth, half},
                                {depth, half + wall},
                                {front, half + wall}};
  SurfaceMesh mesh;
  for (const double y : {-width, width}) {
    for (const auto& p : outline) mesh.points.push_back({p[0], y, p[1]});
  }
  mesh.polygons = {{0, 1, 2, 3, 4}, {9, 8, 7, 6, 5}};
  for (int k = 0; k < 5; ++k) mesh.polygons.push_back({k, k + 5, (k + 1) % 5 + 5, (k + 1) % 5});
  return ConvexHull::of_faces(mesh);
}

}  // namespace

void add_scale(World& world, int ground, const Vec3& position, double stiffness, double mu) {
  const double crank = 0.03;
  const double rod = 0.06;
  const double mass = 0.1;
  const Vec3 size{0.14, 0.14, 0.01};
  const int plate = add_box(world, size, mass, position, mu);
  world.body(plate).name = "plate";
  Joint guide = prismatic_joint(plate, ground);
  guide.name = "scale spring";
  // The spring carries the plate's own weight where it is placed; its damper is near critical.
  const double sag = mass * norm(world.gravity) / stiffness;
  guide.axes[0].drive = position_drive(sag, stiffness, 2.0 * std::sqrt(stiffness * 3.0 * mass));
  world.add_joint(guide, {.point = position, .axis = {0, 0, 1}});

  const Vec3 edge = position - Vec3{0.0, 0.5 * size[1], 0.0};
  const Vec3 crank_end = edge - Vec3{0.0, 0.0, rod};
  const Vec3 axle = crank_end - Vec3{crank, 0.0, 0.0};
  Body body;
  body.name = "needle";
  body.mass = 0.001;
  body.inertia = box_inertia(body.mass, {0.004, 0.002, 0.08});
  body.position = axle;
  const int needle = world.add_body(body);
  const int shape = world.add_shape(needle, std::make_shared<Box>(Vec3{0.004, 0.002, 0.08}), {},
                                    {0.0, -0.01, 0.03});
  world.set_filter(shape, {.category = 0, .mask = 0});
  Joint hinge = revolute_joint(needle, ground);
  hinge.name = "needle";
  world.add_joint(hinge, {.point = axle, .axis = {0, 1, 0}});
  Joint link = distance_joint(plate, edge - position, needle, crank_end - axle, rod);
  link.name = "rod";
  world.add_joint(link);
}

std::vector<int> add_beam(World& world, const Options& options, const RigidFrame& nose) {
  const double bending = 1.0 / options.real("stiffness");
  WeldCompliance flexible;
  flexible.angular = {bending, bending, bending};
  flexible.angular_damping = options.real("damping") * Vec3{1, 1, 1};
  std::vector<int> pieces;
  for (int k = 0; k < static_cast<int>(options.integer("pieces")); ++k) {
    const double x = -(k + 0.5) * kBeamPiece;
    const int piece = add_box(world, {kBeamPiece, kBeamWidth, kBeamWidth}, options.real("mass"),
                              nose.point({x, 0, 0}), options.real("mu"), nose.rotation);
    if (k > 0) {
      world.add_joint(
          weld_joint(piece, pieces.back(), flexible),
          {.point = nose.point({x + 0.5 * kBeamPiece, 0, 0}), .axis = nose.direction({1, 0, 0})});
    }
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<OptionSpec> beam_options() {
  return {OptionSpec::integer("pieces", 16, 1, 200, "number of pieces, 40 x 20 x 20 mm"),
          OptionSpec::real("mass", 0.003, 1e-6, 10.0, "of a piece, kg"),
          OptionSpec::real("stiffness", 250.0, 1e-3, 1e9, "bending, N m/rad at each joint"),
          OptionSpec::real("damping", 0.02, 0.0, 1e3, "bending, N m s/rad at each joint"),
          OptionSpec::real("clearance", 1e-3, 0.0, 1e-2,
                           "width of the socket less that of the beam, m"),
          OptionSpec::real("mu", 0.2, 0.0, 10.0, "friction coefficient")};
}

int add_socket(World& world, const Options& options, const RigidFrame& mouth, double depth) {
  const double half = 0.5 * kBeamWidth + 0.5 * options.real("clearance");
  const double mu = options.real("mu");
  Body body;
  body.name = "socket";
  body.kind = BodyKind::kStatic;
  body.position = mouth.position;
  body.orientation = mouth.rotation;
  const int socket = world.add_body(body);
  const auto side = std::make_shared<ConvexHull>(socket_side(depth, half));
  for (int k = 0; k < 4; ++k) {
    world.add_shape(socket, side, {.mu = mu}, {},
                    rotation_about({1, 0, 0}, 0.5 * std::numbers::pi * k));
  }
  const double wall = 0.01;
  world.add_shape(socket, std::make_shared<Box>(Vec3{wall, 2.0 * half, 2.0 * half}), {.mu = mu},
                  {depth + 0.5 * wall, 0, 0});
  return socket;
}

}  // namespace nsn
