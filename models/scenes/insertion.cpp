// A flexible beam of rigid pieces is pushed into a narrow socket.
#include <cmath>
#include <memory>
#include <numbers>

#include "models/collision/box.h"
#include "models/collision/convex_hull.h"
#include "models/joints/joints.h"
#include "models/scenes/parts.h"
#include "models/scenes/scene.h"

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

/// The channel along x from 0 to `depth`: four sides and a bottom.
void add_socket(World& world, double depth, double half, double mu) {
  Body body;
  body.name = "socket";
  body.kind = BodyKind::kStatic;
  const int socket = world.add_body(body);
  const auto side = std::make_shared<ConvexHull>(socket_side(depth, half));
  for (int k = 0; k < 4; ++k) {
    world.add_shape(socket, side, {.mu = mu}, {},
                    rotation_about({1, 0, 0}, 0.5 * std::numbers::pi * k));
  }
  const double wall = 0.01;
  world.add_shape(socket, std::make_shared<Box>(Vec3{wall, 2.0 * half, 2.0 * half}), {.mu = mu},
                  {depth + 0.5 * wall, 0, 0});
}

/// Body 0 is the socket, bodies 1 ... n the pieces, the first one ahead; the last body is the
/// carriage, on a driven slide.
World beam_insertion(const Options& options) {
  World world;
  world.margin = 1e-3;
  const auto pieces = static_cast<int>(options.integer("pieces"));
  const double length = 0.04;
  const double width = 0.02;
  const double mu = options.real("mu");
  const double depth = pieces * length + 0.5 * length;  // the nose stays off the bottom
  add_socket(world, depth, 0.5 * width + 0.5 * options.real("clearance"), mu);
  const double start = -0.02;
  const double offset = options.real("offset");
  const double bending = 1.0 / options.real("stiffness");
  WeldCompliance flexible;
  flexible.angular = {bending, bending, bending};
  flexible.angular_damping = options.real("damping") * Vec3{1, 1, 1};
  int last = -1;
  for (int k = 0; k < pieces; ++k) {
    const double x = start - (k + 0.5) * length;
    const int piece =
        add_box(world, {length, width, width}, options.real("mass"), {x, offset, 0.7 * offset}, mu);
    if (last >= 0) {
      world.add_joint(weld_joint(piece, last, flexible),
                      {.point = {x + 0.5 * length, offset, 0.7 * offset}, .axis = {1, 0, 0}});
    }
    last = piece;
  }
  const double tail = start - pieces * length;
  const Vec3 grip{tail, offset, 0.7 * offset};
  const int carriage = add_box(world, {0.04, 0.04, 0.04}, 0.1, grip + Vec3{-0.02, 0, 0}, mu);
  for (int body = 0; body < carriage; ++body) world.ignore_pair(body, carriage);
  WeldCompliance hold;
  const double yield = options.real("grip");
  hold.linear = {yield, yield, 0.0};  // joint axes: z is the beam's
  hold.linear_damping = {1.0, 1.0, 0.0};
  hold.angular = 100.0 * Vec3{yield, yield, yield};
  hold.angular_damping = 0.01 * Vec3{1, 1, 1};
  world.add_joint(weld_joint(last, carriage, hold), {.point = grip, .axis = {1, 0, 0}});
  Joint slide = prismatic_joint(carriage, 0);
  slide.name = "slide";
  slide.axes[0].limit.upper = pieces * length - start;  // the tail is flush with the mouth
  slide.axes[0].drive = velocity_drive(options.real("speed"), 100.0);
  slide.axes[0].drive.max_effort = options.real("effort");
  world.add_joint(slide, {.point = grip, .axis = {1, 0, 0}});
  set_contact_compliance(world, options.real("compliance"));
  return world;
}

}  // namespace

std::vector<SceneInfo> insertion_scenes() {
  return {
      {"beam-insertion",
       "a beam of 16 pieces of 3 g is pushed into a socket: stiff joints, redundant contacts",
       {OptionSpec::integer("pieces", 16, 1, 200, "number of pieces, 40 x 20 x 20 mm"),
        OptionSpec::real("mass", 0.003, 1e-6, 10.0, "of a piece, kg"),
        OptionSpec::real("stiffness", 250.0, 1e-3, 1e9, "bending, N m/rad at each joint"),
        OptionSpec::real("damping", 0.02, 0.0, 1e3, "bending, N m s/rad at each joint"),
        OptionSpec::real("clearance", 1e-3, 0.0, 1e-2,
                         "width of the socket less that of the beam, m"),
        OptionSpec::real("offset", 1e-3, -5e-3, 5e-3, "of the beam from the socket's axis, m"),
        OptionSpec::real("grip", 1e-3, 0.0, 1.0, "sideways compliance of the grip, m/N"),
        OptionSpec::real("speed", 0.4, 0.0, 10.0, "of the drive, m/s"),
        OptionSpec::real("effort", 10.0, 0.0, 1e4, "largest of the drive, N"),
        contact_compliance_option(1e-8),
        OptionSpec::real("mu", 0.2, 0.0, 10.0, "friction coefficient")},
       240,
       beam_insertion},
  };
}

}  // namespace nsn
