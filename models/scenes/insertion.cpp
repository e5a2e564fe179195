// A flexible beam of rigid pieces is pushed into a narrow socket.
#include <memory>
#include <numbers>

#include "models/collision/box.h"
#include "models/joints/joints.h"
#include "models/scenes/parts.h"
#include "models/scenes/scene.h"

namespace nsn {
namespace {

/// The channel along x from 0 to `depth`: four walls, a funnel in front, a bottom.
void add_socket(World& world, double depth, double half, double mu) {
  Body body;
  body.name = "socket";
  body.kind = BodyKind::kStatic;
  const int socket = world.add_body(body);
  const double wall = 0.01;
  const double slope = 0.25;  // rad, of the funnel
  const double lip = 0.04;
  for (int side = 0; side < 4; ++side) {
    const Quaternion turn = rotation_about({1, 0, 0}, 0.5 * std::numbers::pi * side);
    const auto place = [&](const Vec3& size, const Vec3& at, double tilt) {
      world.add_shape(socket, std::make_shared<Box>(size), {.mu = mu}, rotation_matrix(turn) * at,
                      turn * rotation_about({0, 1, 0}, tilt));
    };
    place({depth, 2.0 * (half + wall), wall}, {0.5 * depth, 0, half + 0.5 * wall}, 0.0);
    const Vec3 back{-0.5 * lip, 0, 0.5 * wall};  // of the funnel's edge at the mouth
    place({lip, 2.0 * (half + lip), wall},
          Vec3{0, 0, half} + rotation_matrix(rotation_about({0, 1, 0}, slope)) * back, slope);
  }
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
  hold.linear = {0.0, yield, yield};
  hold.linear_damping = {0.0, 1.0, 1.0};
  hold.angular = 100.0 * Vec3{yield, yield, yield};
  hold.angular_damping = 0.01 * Vec3{1, 1, 1};
  world.add_joint(weld_joint(last, carriage, hold), {.point = grip, .axis = {1, 0, 0}});
  Joint slide = prismatic_joint(carriage, 0);
  slide.name = "slide";
  slide.axes[0].limit.upper = pieces * length - start;  // the tail is flush with the mouth
  slide.axes[0].drive = velocity_drive(options.real("speed"), 100.0);
  slide.axes[0].drive.max_effort = options.real("effort");
  world.add_joint(slide, {.point = grip, .axis = {1, 0, 0}});
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
        OptionSpec::real("mu", 0.2, 0.0, 10.0, "friction coefficient")},
       240,
       beam_insertion},
  };
}

}  // namespace nsn
