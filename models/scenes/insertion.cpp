// A flexible beam of rigid pieces is pushed into a narrow socket.
#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/scenes/workpieces.h"

namespace nsn {
namespace {

/// Body 0 is the socket, bodies 1 ... n the pieces, the first one ahead; the last body is the
/// carriage, on a driven slide.
World beam_insertion(const Options& options) {
  World world;
  world.margin = 1e-3;
  const auto pieces = static_cast<int>(options.integer("pieces"));
  const double mu = options.real("mu");
  // The nose stays off the bottom.
  add_socket(world, options, {}, pieces * kBeamPiece + 0.5 * kBeamPiece);
  const double start = -0.02;
  const double offset = options.real("offset");
  const int last = add_beam(world, options, {{start, offset, 0.7 * offset}, {}}).back();
  const double tail = start - pieces * kBeamPiece;
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
  slide.axes[0].limit.upper = pieces * kBeamPiece - start;  // the tail is flush with the mouth
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
       joined(
           beam_options(),
           {OptionSpec::real("offset", 1e-3, -5e-3, 5e-3, "of the beam from the socket's axis, m"),
            OptionSpec::real("grip", 1e-3, 0.0, 1.0, "sideways compliance of the grip, m/N"),
            OptionSpec::real("speed", 0.4, 0.0, 10.0, "of the drive, m/s"),
            OptionSpec::real("effort", 10.0, 0.0, 1e4, "largest of the drive, N"),
            contact_compliance_option(1e-8)}),
       240, beam_insertion},
  };
}

}  // namespace nsn
