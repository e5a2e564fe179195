// Tendons, and armature of their lengths; sums too long for a row are cut.
#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/robots/build_parts.h"
#include "nsn/models/rows/tendon_rows.h"

namespace nsn::robots {
namespace {

/// The sides of a sum, its offset where coordinates count from their references, and what it is
/// at the start.
struct BuiltLength {
  std::vector<Tendon::Side> sides;
  double offset = 0.0;
  double start = 0.0;
};

BuiltLength built(RobotBuild& build, const TendonLength& length, const std::string& name) {
  BuiltLength sum;
  for (const auto& [joint, weight] : length.joints) {
    const RobotDof& dof = build.robot.at(build.robot.dof(joint));
    NSN_THROW_UNLESS(dof.joint >= 0, "tendon '{}': '{}' is neither hinge nor slide", name, joint);
    sum.sides.push_back({build.world.joint(dof.joint), dof.axis, weight * dof.sign});
    sum.offset -= weight * dof.reference;
    sum.start += weight * *build.start_of(dof);
  }
  for (const TendonSegment& segment : length.segments) {
    const int a = build.body_of(segment.link_a);
    const int b = build.body_of(segment.link_b);
    const double distance =
        segment.weight * norm(build.world_point(segment.link_a, segment.point_a) -
                              build.world_point(segment.link_b, segment.point_b));
    sum.start += distance;
    if (a == b) {  // always the same
      sum.offset -= distance;
      continue;
    }
    const Vec3 point_a = build.frame_of(segment.link_a).point(segment.point_a);
    const Vec3 point_b = build.frame_of(segment.link_b).point(segment.point_b);
    sum.sides.push_back(
        {distance_range_joint(a, point_a, b, point_b, 0.0, kInfinity), 0, segment.weight});
  }
  return sum;
}

Tendon tendon_of(RobotBuild& build, const RobotTendon& source) {
  const BuiltLength length = built(build, source.length, source.name);
  Tendon tendon;
  tendon.name = source.name;
  tendon.sides = length.sides;
  tendon.offset = length.offset;
  tendon.held = source.held;
  tendon.limit = source.limit;
  tendon.spring = source.spring;
  tendon.slack = source.slack;
  tendon.friction = source.friction;
  if (source.leader) {
    const BuiltLength leader = built(build, source.leader->length, source.name);
    tendon.leader = leader.sides;
    tendon.leader_offset = leader.offset + source.leader->start;
    tendon.polynomial = source.leader->coefficients;
  }
  for (const RobotActuator& servo : source.servos) {
    if (servo.kind == ActuatorKind::kMotor) continue;
    JointDrive drive;
    set_servo(servo, 1.0, drive);
    drive.target = length.start;
    tendon.drives.push_back(drive);
  }
  return tendon;
}

/// Of a tendon of one segment: that of the distance.
void add_armature(RobotBuild& build, const RobotTendon& source, const Tendon& tendon) {
  if (tendon.sides.empty()) return;  // its length is always the same
  const Tendon::Side& side = tendon.sides.front();
  Joint joint = side.joint;
  joint.name = source.name;
  joint.axes[0].limit = {};
  joint.axes[0].armature = source.armature * side.weight * side.weight;
  joint.collide = true;
  build.world.add_joint(std::move(joint));
}

/// So light that what it adds to the inertia of any coordinate is of no account.
double relay_mass(const RobotBuild& build, const std::vector<Tendon::Side>& sides) {
  constexpr double kShare = 1e-2;  // of the lightest body's own; below 1e-3 steps become hard
  double least = kInfinity;
  for (const Tendon::Side& side : sides) {
    const bool turns = side.joint.axes[to_size(side.axis)].coordinate.angular();
    for (const int b : {side.joint.body_a, side.joint.body_b}) {
      const ConstBodyRef body = build.world.body(b);
      if (!body.dynamic() || side.weight == 0.0) continue;
      const Vec3 moments = symmetric_eigen(body.inertia).values;
      const double own = turns ? std::min({moments[0], moments[1], moments[2]}) : body.mass;
      least = std::min(least, own / (side.weight * side.weight));
    }
  }
  return kShare * least;
}

/// Parts of a sum that has too many bodies for a row go to particles, each with what is before it.
void cut_long_sum(RobotBuild& build, const RobotTendon& source, Tendon& tendon,
                  TendonRowSet& rows) {
  if (!source.length.segments.empty() || source.leader) return;
  const double mass = relay_mass(build, tendon.sides);
  std::vector<std::pair<int, double>> sum;
  auto next = source.length.joints.begin();
  while (TendonRowSet::count_nodes(tendon.sides) + (sum.empty() ? 0 : 1) > kMaxNodesPerBlock) {
    Tendon part;
    part.name = tendon.name;
    part.held = 0.0;
    part.relays = tendon.relays;
    while (true) {
      part.sides.push_back(tendon.sides.front());
      const auto used = static_cast<int>(part.relays.size()) + 1;
      if (TendonRowSet::count_nodes(part.sides) + used > kMaxNodesPerBlock) break;
      sum.emplace_back(build.robot.dof(next->first), next->second);
      tendon.sides.erase(tendon.sides.begin());
      ++next;
    }
    part.sides.pop_back();
    Particle particle;
    particle.mass = mass;
    particle.force = -mass * build.world.gravity;
    build.robot.relays.push_back({build.world.add_particle(particle), sum});
    part.relays.push_back({build.robot.relays.back().particle, -1.0});
    rows.add(part);
    tendon.relays = {{build.robot.relays.back().particle, 1.0}};
  }
}

}  // namespace

void add_tendons(RobotBuild& build) {
  auto rows = std::make_unique<TendonRowSet>();
  for (const RobotTendon& source : build.d.tendons) {
    try {
      Tendon tendon = tendon_of(build, source);
      cut_long_sum(build, source, tendon, *rows);
      rows->add(tendon);
      if (source.armature > 0.0) add_armature(build, source, tendon);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", to_string(source.source), error.what()));
    }
  }
  if (rows->size() > 0) build.world.add_rows(std::move(rows));
}

}  // namespace nsn::robots
