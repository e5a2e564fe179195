// Joints: those of the tree and their servos, those that follow others, and what is held together beside the tree.
#include "nsn/core/base/error.h"
#include "nsn/models/joints/hold.h"
#include "nsn/models/joints/joint_coordinate.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/robots/build_parts.h"
#include "nsn/models/robots/joint_triad.h"
#include "nsn/models/rows/mimic_rows.h"

namespace nsn::robots {
namespace {

Joint ball(const RobotJoint& source, int body_a, int body_b) {
  Joint joint = ball_joint(body_a, body_b);
  joint.name = source.name;
  joint.axes[0].limit = source.limit;
  for (std::size_t i = 1; i < joint.axes.size(); ++i) {
    joint.axes[i].spring = source.spring;
    joint.axes[i].armature = source.armature;
    joint.axes[i].friction = source.friction;
  }
  return joint;
}

void add_free_dofs(RobotBuild& build, int k, const RobotJoint& joint) {
  for (int i = 0; i < joint.num_dofs(); ++i) {
    build.robot.dofs.push_back({joint.name, k, -1, 0, 1.0, 0.0, build.coordinates});
  }
  build.coordinates += joint.num_coordinates();
}

int place_joint(RobotBuild& build, Joint joint, int k, const RigidFrame& in_link) {
  const RobotLink& link = build.d.link(k);
  const RigidFrame a = build.frame_of(k) * in_link;
  const RigidFrame b = build.frame_of(link.parent) * link.frame * in_link;
  return build.add_joint(std::move(joint), a, b);
}

void fill_axis(const RobotJoint& source, const RobotDof& dof, JointAxis& axis) {
  axis.limit = scaled(
      {source.limit.lower - source.reference, source.limit.upper - source.reference}, dof.sign);
  axis.spring = source.spring;
  axis.spring.rest = dof.sign * (source.spring.rest - source.reference);
  axis.armature = source.armature;
  axis.friction = source.friction;
  axis.drive.max_effort = source.effort;
}

/// Slides first, then hinges: axes in the order of the link's joints.
Joint triad_joint(const JointTriad& triad, int body_a, int body_b) {
  using Kind = JointCoordinate::Kind;
  Joint joint = make_joint("robot", body_a, body_b);
  bool slides[3] = {false, false, false};
  for (const TriadAxis& slide : triad.slide) {
    slides[slide.axis] = true;
    joint.axes.emplace_back().coordinate = coordinate(Kind::kAlong, slide.axis);
  }
  if (triad.slide.empty()) {
    hold_point(joint);
  } else {
    for (int i = 0; i < 3; ++i) {
      if (!slides[i]) joint.rows.push_back({coordinate(Kind::kAlong, i)});
    }
  }
  if (triad.hinge.empty()) hold_turn(joint);
  if (triad.hinge.size() == 1) {
    hold_axis(joint);
    joint.axes.emplace_back().coordinate = coordinate(Kind::kTwist);
  }
  if (triad.hinge.size() == 2) turn_about_two(joint);
  if (triad.hinge.size() == 3) turn_about_three(joint);
  return joint;
}

void add_triad(RobotBuild& build, int k) {
  const RobotLink& link = build.d.link(k);
  const auto triad = joint_triad(link, link.joints.size());
  NSN_THROW_UNLESS(triad.has_value(), "the joints of link '{}' cannot act on one body", link.name);
  Joint joint = triad_joint(*triad, build.body_of(k), build.body_of(link.parent));
  joint.name = link.joints[0].name;
  std::size_t slide = 0;
  std::size_t hinge = 0;
  std::vector<RobotDof> dofs;
  for (std::size_t j = 0; j < link.joints.size(); ++j) {
    const RobotJoint& source = link.joints[j];
    const bool slides = source.kind == RobotJointKind::kSlide;
    const TriadAxis& in_triad = slides ? triad->slide[slide++] : triad->hinge[hinge++];
    const RobotDof dof{
        source.name,        k, 0, static_cast<int>(j), in_triad.sign, source.reference,
        build.coordinates++};
    fill_axis(source, dof, joint.axes[j]);
    dofs.push_back(dof);
  }
  const int added = place_joint(build, std::move(joint), k, triad->frame);
  for (RobotDof& dof : dofs) {
    dof.joint = added;
    build.robot.dofs.push_back(dof);
  }
}

void add_joint(RobotBuild& build, int k) {
  const RobotLink& link = build.d.link(k);
  if (build.group[to_size(k)] != k) return;
  const int body = build.body_of(k);
  if (link.fixed()) {
    Joint joint = fixed_joint(body, build.body_of(link.parent));
    joint.name = link.name;
    place_joint(build, std::move(joint), k, {});
    return;
  }
  const RobotJoint& first = link.joints[0];
  if (first.kind == RobotJointKind::kFree) return add_free_dofs(build, k, first);
  if (first.kind == RobotJointKind::kBall) {
    build.ball_of_link[k] =
        place_joint(build, ball(first, body, build.body_of(link.parent)), k, {first.anchor, {}});
    return add_free_dofs(build, k, first);
  }
  add_triad(build, k);
}

}  // namespace

void add_joints(RobotBuild& build) {
  for (int k = 0; k < build.d.num_links(); ++k) add_joint(build, k);
}

void add_mimics(RobotBuild& build) {
  auto rows = std::make_unique<MimicRowSet>();
  for (const RobotLink& link : build.d.links) {
    for (const RobotJoint& joint : link.joints) {
      if (!joint.mimic) continue;
      const RobotDof& follower = build.robot.at(build.robot.dof(joint.name));
      const RobotDof& leader = build.robot.at(build.robot.dof(joint.mimic->joint));
      NSN_THROW_UNLESS(follower.joint >= 0 && leader.joint >= 0,
                       "mimic of joint '{}': only hinges and slides can follow", joint.name);
      const double m = joint.mimic->multiplier;
      rows->add({build.world.joint(follower.joint), follower.axis, follower.sign},
                {build.world.joint(leader.joint), leader.axis, -m * leader.sign},
                joint.mimic->offset + m * leader.reference - follower.reference);
    }
  }
  if (rows->size() > 0) build.world.add_rows(std::move(rows));
}

void add_holds(RobotBuild& build) {
  for (const RobotHold& hold : build.d.holds) {
    const int a = build.body_of(hold.link_a);
    const int b = build.body_of(hold.link_b);
    if (a == b || (!build.world.body(a).dynamic() && !build.world.body(b).dynamic())) continue;
    Joint joint = hold.weld ? fixed_joint(a, b) : spherical_joint(a, b);
    joint.name = hold.name;
    build.add_joint(std::move(joint), build.frame_of(hold.link_a) * hold.frame_a,
                    build.frame_of(hold.link_b) * hold.frame_b);
  }
}

void set_servo(const RobotActuator& actuator, double sign, JointDrive& drive) {
  const double square = actuator.gear * actuator.gear;
  const bool position = actuator.kind == ActuatorKind::kPosition;
  drive.stiffness = position ? actuator.gain * square : 0.0;
  drive.damping = (position ? actuator.damping : actuator.gain) * square;
  drive.effort = scaled(actuator.effort, actuator.gear * sign);
}

void add_servos(RobotBuild& build) {
  for (const RobotActuator& actuator : build.d.actuators) {
    const RobotDof& dof = build.robot.at(build.robot.dof(actuator.joint));
    if (actuator.kind == ActuatorKind::kMotor) continue;
    const auto ball = build.ball_of_link.find(dof.link);
    if (dof.joint < 0 && ball != build.ball_of_link.end()) {  // its first axis is the whole turn
      JointDrive& drive = build.world.joint(ball->second).axes[to_size(1 + actuator.axis)].drive;
      const double* const q = build.start_of(dof);
      set_servo(actuator, 1.0, drive);  // which holds the rotation vector that it starts with
      drive.target = turn_between({}, {q[0], q[1], q[2], q[3]})[actuator.axis];
    }
    if (dof.joint < 0) continue;
    JointDrive& drive = build.world.joint(dof.joint).axes[to_size(dof.axis)].drive;
    set_servo(actuator, dof.sign, drive);
    drive.target = dof.sign * (*build.start_of(dof) - dof.reference);
  }
}

}  // namespace nsn::robots
