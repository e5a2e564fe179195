#include "nsn/models/robots/build_robot.h"

#include "nsn/core/base/error.h"
#include "nsn/models/joints/joint_coordinate.h"
#include "nsn/models/robots/build_parts.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn {
namespace robots {

int RobotBuild::add_joint(Joint joint, const RigidFrame& in_a, const RigidFrame& in_b) const {
  joint.frame_a = {in_a.position, in_a.rotation};
  joint.frame_b = {in_b.position, in_b.rotation};
  joint.collide = true;
  return world.add_joint(std::move(joint));
}

void RobotBuild::carry(int body, double mass) {
  robot.carried.emplace_back(body, -mass * world.gravity);
  world.body(body).force += robot.carried.back().second;
}

}  // namespace robots

namespace {

const RobotDof& driven(const Robot& robot, int dof) {
  const int count = static_cast<int>(robot.dofs.size());
  NSN_THROW_UNLESS(dof >= 0 && dof < count, "no degree of freedom {} (there are {})", dof, count);
  NSN_THROW_UNLESS(robot.at(dof).joint >= 0, "joint '{}' is neither hinge nor slide",
                   robot.at(dof).name);
  return robot.at(dof);
}

JointAxis& axis_of(World& world, const RobotDof& dof) {
  return world.joint(dof.joint).axes[to_size(dof.axis)];
}

}  // namespace

Robot build_robot(World& world, std::shared_ptr<const RobotDescription> description,
                  const RobotBuildOptions& options) {
  NSN_THROW_UNLESS(description != nullptr, "build_robot: no description");
  NSN_THROW_UNLESS(options.base_body < world.num_bodies(), "build_robot: no body {} (there are {})",
                   options.base_body, world.num_bodies());
  robots::RobotBuild build{world, *description, options};
  build.robot.description = description;
  build.robot.base = options.base;
  build.q = options.q.empty() ? reference_coordinates(*description) : options.q;
  build.frames = forward_kinematics(*description, build.q, options.base);
  find_groups(build);
  add_bodies(build);
  add_joints(build);
  add_shapes(build);
  filter(build);
  add_servos(build);
  add_mimics(build);
  add_tendons(build);
  add_holds(build);
  add_drag(build);
  carry_weight(build);
  set_state(world, build.robot, build.q, options.v);
  return std::move(build.robot);
}

int Robot::dof(const std::string& joint) const {
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    if (dofs[d].name == joint) return static_cast<int>(d);
  }
  throw std::invalid_argument(
      fmt::format("robot '{}' has no joint '{}'", description->name, joint));
}

void set_state(World& world, const Robot& robot, std::span<const double> q,
               std::span<const double> v) {
  const RobotDescription& d = *robot.description;
  NSN_THROW_UNLESS(v.empty() || static_cast<int>(v.size()) == d.num_dofs(),
                   "{} velocities given, robot '{}' has {}", v.size(), d.name, d.num_dofs());
  const auto frames = forward_kinematics(d, q, robot.base);
  std::vector<DofMotion> motions;
  if (!v.empty()) motions = dof_motions(d, q, robot.base);
  std::vector<char> done(to_size(world.num_bodies()), 0);
  if (robot.base_body >= 0) done[to_size(robot.base_body)] = 1;
  for (int k = 0; k < d.num_links(); ++k) {
    const int b = robot.body_of_link[to_size(k)];
    if (b < 0 || done[to_size(b)] != 0) continue;
    done[to_size(b)] = 1;
    const BodyRef body = world.body(b);
    const RigidFrame where = frames[to_size(k)] * inverse(robot.link_in_body[to_size(k)]);
    body.position = where.position;
    body.orientation = where.rotation;
    body.velocity = body.angular_velocity = {};
    for (std::size_t i = 0; i < motions.size(); ++i) {
      if (!descends(d, k, motions[i].link)) continue;
      body.velocity += v[i] * velocity_at(motions[i], where.position);
      if (motions[i].turns) body.angular_velocity += v[i] * motions[i].axis;
    }
  }
  for (const RobotDof& dof : robot.dofs) {
    const double value = dof.sign * (q[to_size(dof.coordinate)] - dof.reference);
    if (dof.joint >= 0) world.joints().set_turn(dof.joint, dof.axis, value);
  }
  for (const RobotRelay& relay : robot.relays) {
    const ParticleRef particle = world.particle(relay.particle);
    particle.position = particle.velocity = {};
    for (const auto& [i, weight] : relay.sum) {
      particle.position[0] += weight * (q[to_size(robot.at(i).coordinate)] - robot.at(i).reference);
      if (!v.empty()) particle.velocity[0] += weight * v[to_size(i)];
    }
  }
}

RigidFrame link_frame(const World& world, const Robot& robot, int link) {
  const int b = robot.body_of_link[to_size(link)];
  if (b < 0) return robot.base * robot.link_in_body[to_size(link)];
  const ConstBodyRef body = world.body(b);
  return RigidFrame{body.position, body.orientation} * robot.link_in_body[to_size(link)];
}

double position(const World& world, const Robot& robot, int dof) {
  const RobotDof& r = driven(robot, dof);
  return r.reference + r.sign * world.joints().position(r.joint, r.axis, world.bodies());
}

double speed(const World& world, const Robot& robot, int dof) {
  const RobotDof& r = driven(robot, dof);
  return r.sign * world.joints().speed(r.joint, r.axis, world.bodies());
}

std::vector<double> coordinates(const World& world, const Robot& robot) {
  std::vector<double> q;
  int dof = 0;
  const RobotDescription& d = *robot.description;
  for (int k = 0; k < d.num_links(); ++k) {
    for (const RobotJoint& joint : d.link(k).joints) {
      if (joint.num_dofs() == 1) {
        q.push_back(position(world, robot, dof));
      } else {
        const bool free = joint.kind == RobotJointKind::kFree;
        const int parent = d.link(k).parent;
        const RigidFrame above = free || parent < 0 ? robot.base : link_frame(world, robot, parent);
        const RigidFrame start = free ? above : above * d.link(k).frame;
        const RigidFrame now = inverse(start) * link_frame(world, robot, k);
        if (free) q.insert(q.end(), {now.position[0], now.position[1], now.position[2]});
        q.insert(q.end(), {now.rotation.w, now.rotation.x, now.rotation.y, now.rotation.z});
      }
      dof += joint.num_dofs();
    }
  }
  return q;
}

void set_gains(World& world, const Robot& robot, int dof, double stiffness, double damping,
               std::optional<double> max_effort) {
  const RobotDof& r = driven(robot, dof);
  JointDrive& drive = axis_of(world, r).drive;
  drive.stiffness = stiffness;
  drive.damping = damping;
  if (max_effort) drive.max_effort = *max_effort;
}

void set_target(World& world, const Robot& robot, int dof, double target, double rate) {
  const RobotDof& r = driven(robot, dof);
  JointDrive& drive = axis_of(world, r).drive;
  drive.target = r.sign * (target - r.reference);
  drive.speed = r.sign * rate;
}

void add_effort(World& world, const Robot& robot, int dof, double effort) {
  const RobotDof& r = driven(robot, dof);
  const Joint& joint = world.joint(r.joint);
  const BodyRef a = world.body(joint.body_a);
  const BodyRef b = world.body(joint.body_b);
  const auto state = [](const ConstBodyRef& body) {
    return BodyState{body.position,  rotation_matrix(body.orientation),
                     body.velocity,  body.angular_velocity,
                     body.dynamic(), body.orientation};
  };
  const CoordinateGradient g =
      coordinate_gradient(joint.axes[to_size(r.axis)].coordinate,
                          place_frames(state(a), joint.frame_a, state(b), joint.frame_b));
  const double along = r.sign * effort;
  a.force += along * g.linear;
  a.torque += along * g.angular_a;
  b.force -= along * g.linear;
  b.torque += along * g.angular_b;
}

void clear_efforts(World& world, const Robot& robot) {
  for (const int b : robot.bodies) world.body(b).force = world.body(b).torque = {};
  if (robot.base_body >= 0) {
    world.body(robot.base_body).force = world.body(robot.base_body).torque = {};
  }
  for (const auto& [body, force] : robot.carried) world.body(body).force += force;
}

}  // namespace nsn
