// Drag of a fluid, and damping of free joints.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsn/models/robots/build_parts.h"
#include "nsn/models/rows/drag_rows.h"

namespace nsn::robots {
namespace {

/// On the box of the same mass and inertia, by the formulas of MuJoCo's inertia model (the viscous part
/// is that of a sphere of its mean side). Axes: those of the box, in the frame of the inertial.
Drag box_drag(const RobotFluid& fluid, const RobotInertial& inertial) {
  constexpr double kPi = std::numbers::pi;
  const SymmetricEigen principal = symmetric_eigen(inertial.inertia);
  const double sum = principal.values[0] + principal.values[1] + principal.values[2];
  Vec3 side;
  for (int i = 0; i < 3; ++i) {
    side[i] = std::sqrt(std::max(0.0, sum - 2.0 * principal.values[i]) * 6.0 / inertial.mass);
  }
  const double mean = (side[0] + side[1] + side[2]) / 3.0;
  Drag drag;
  drag.axes = principal.vectors;
  drag.mass = inertial.mass;
  drag.inertia = sum / 3.0;
  for (int i = 0; i < 3; ++i) {
    const double one = side[(i + 1) % 3];
    const double other = side[(i + 2) % 3];
    drag.linear[i] = 3.0 * kPi * mean * fluid.viscosity;
    drag.turn_linear[i] = kPi * mean * mean * mean * fluid.viscosity;
    drag.quadratic[i] = 0.5 * fluid.density * one * other;
    drag.turn_quadratic[i] =
        fluid.density * side[i] * (std::pow(one, 4) + std::pow(other, 4)) / 64.0;
  }
  return drag;
}

}  // namespace

void add_drag(RobotBuild& build) {
  auto rows = std::make_unique<DragRowSet>();
  for (int k = 0; k < build.d.num_links(); ++k) {
    const RobotLink& link = build.d.link(k);
    const RobotInertial inertial = robot_inertial(link);
    const int body = build.body_of(k);
    if (body < 0 || !build.world.body(body).dynamic()) continue;
    const bool fluid = build.d.fluid.density > 0.0 || build.d.fluid.viscosity > 0.0;
    if (fluid && inertial.mass > 0.0 && !link.between_joints) {
      Drag drag = box_drag(build.d.fluid, inertial);
      const RigidFrame at = build.frame_of(k) * inertial.frame;
      drag.body = body;
      drag.point = at.position;
      drag.axes = rotation_matrix(at.rotation) * drag.axes;
      rows->add(drag);
    }
    if (link.fixed() || link.joints[0].kind != RobotJointKind::kFree) continue;
    const double damping = link.joints[0].spring.damping;
    if (damping == 0.0) continue;
    Drag drag;
    drag.body = body;
    drag.point = build.frame_of(k).position;
    drag.linear = drag.turn_linear = {damping, damping, damping};
    drag.mass = build.world.body(body).mass;
    drag.inertia = trace(build.world.body(body).inertia) / 3.0;
    rows->add(drag);
  }
  if (rows->size() > 0) build.world.add_rows(std::move(rows));
}

}  // namespace nsn::robots
