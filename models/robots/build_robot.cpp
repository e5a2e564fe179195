#include "nsn/models/robots/build_robot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "nsn/core/base/error.h"
#include "nsn/models/joints/hold.h"
#include "nsn/models/joints/joint_coordinate.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/robots/joint_triad.h"
#include "nsn/models/rows/drag_rows.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/rows/mimic_rows.h"
#include "nsn/models/rows/tendon_rows.h"

namespace nsn {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

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

class Builder {
 public:
  Builder(World& world, std::shared_ptr<const RobotDescription> description,
          const RobotBuildOptions& options)
      : world_(world),
        d_(*description),
        options_(options),
        shapes_(options.shape_pool ? options.shape_pool : std::make_shared<RobotShapes>()) {
    robot_.description = std::move(description);
    robot_.base = options.base;
  }

  Robot build() {
    find_groups();
    q_ = options_.q.empty() ? reference_coordinates(d_) : options_.q;
    frames_ = forward_kinematics(d_, q_, options_.base);
    add_bodies();
    for (int k = 0; k < d_.num_links(); ++k) add_joint(k);
    if (options_.shapes) add_shapes();
    filter();
    add_actuators();
    add_mimics();
    add_tendons();
    for (const RobotHold& hold : d_.holds) add_hold(hold);
    add_drag();
    carry_weight();
    set_state(world_, robot_, q_, options_.v);
    return std::move(robot_);
  }

 private:
  /// Which links share a body, and where they are in the first of them.
  void find_groups() {
    group_.resize(index(d_.num_links()));
    in_group_.resize(index(d_.num_links()));
    for (int k = 0; k < d_.num_links(); ++k) {
      const RobotLink& link = d_.link(k);
      if (own_body(k)) {
        group_[index(k)] = k;
        continue;
      }
      group_[index(k)] = link.parent < 0 ? -1 : group_[index(link.parent)];
      in_group_[index(k)] =
          link.parent < 0 ? link.frame : in_group_[index(link.parent)] * link.frame;
    }
  }

  bool own_body(int k) const {
    const RobotLink& link = d_.link(k);
    if (!link.fixed()) return true;
    if (d_.moving_link(k) < 0 && options_.base_body < 0) return false;
    const bool heavy = robot_inertial(link).mass > 0.0;
    return heavy && (link.parent < 0 || group_[index(link.parent)] < 0 || !options_.merge_fixed);
  }

  void add_bodies() {
    robot_.body_of_link.assign(index(d_.num_links()), -1);
    robot_.link_in_body.resize(index(d_.num_links()));
    add_base();
    for (int k = 0; k < d_.num_links(); ++k) {
      const int g = group_[index(k)];
      if (g == k) add_body(k);
      robot_.body_of_link[index(k)] = g < 0 ? robot_.base_body : robot_.body_of_link[index(g)];
      robot_.link_in_body[index(k)] =
          g < 0 ? base_in_body_ * in_group_[index(k)]
                : robot_.link_in_body[index(g)] * (g == k ? RigidFrame{} : in_group_[index(k)]);
    }
  }

  /// A tendon or a hold ends at the world.
  bool world_is_held() const {
    bool held = false;
    const auto look = [&](const TendonLength& length) {
      for (const TendonSegment& s : length.segments) held = held || s.link_a < 0 || s.link_b < 0;
    };
    for (const RobotTendon& tendon : d_.tendons) {
      look(tendon.length);
      if (tendon.leader) look(tendon.leader->length);
    }
    for (const RobotHold& hold : d_.holds) held = held || hold.link_a < 0 || hold.link_b < 0;
    return held;
  }

  void add_base() {
    robot_.base_body = options_.base_body;
    if (options_.base_body >= 0) {
      const ConstBodyRef body = world_.body(options_.base_body);
      base_in_body_ = inverse(RigidFrame{body.position, body.orientation}) * options_.base;
      return;
    }
    bool needed = (options_.world_shapes && !d_.world_geometry.empty()) || world_is_held();
    for (int k = 0; k < d_.num_links(); ++k) {
      const RobotLink& link = d_.link(k);
      const bool free = !link.fixed() && link.joints[0].kind == RobotJointKind::kFree;
      needed = needed || group_[index(k)] < 0 || (link.parent < 0 && !free);
    }
    if (!needed) return;
    Body body;
    body.name = d_.name.empty() ? "robot" : d_.name;
    body.kind = BodyKind::kStatic;
    body.position = options_.base.position;
    body.orientation = options_.base.rotation;
    robot_.base_body = world_.add_body(body);
  }

  void add_body(int g) {
    std::vector<RobotInertial> parts;
    for (int k = g; k < d_.num_links(); ++k) {
      if (group_[index(k)] != g) continue;
      RobotInertial part = robot_inertial(d_.link(k));
      part.frame = in_group_[index(k)] * part.frame;
      if (part.mass > 0.0) parts.push_back(part);
    }
    const double added = add_free_armature(g, parts);
    const RobotInertial total = combined(parts);
    Body body;
    body.name = d_.link(g).name;
    body.mass = total.mass;
    body.inertia = total.inertia;
    body.position = frames_[index(g)].point(total.frame.position);
    body.orientation = frames_[index(g)].rotation;
    robot_.body_of_link[index(g)] = world_.add_body(body);
    robot_.link_in_body[index(g)] = {-total.frame.position, {}};
    robot_.bodies.push_back(robot_.body_of_link[index(g)]);
    if (added > 0.0) carry(robot_.body_of_link[index(g)], added);
  }

  /// Armature of a free joint: inertia of the frame of its link, without weight. Returns it, or 0.
  double add_free_armature(int g, std::vector<RobotInertial>& parts) {
    const RobotLink& link = d_.link(g);
    if (link.fixed() || link.joints[0].kind != RobotJointKind::kFree) return 0.0;
    const double armature = link.joints[0].armature;
    if (armature == 0.0) return 0.0;
    const bool weighs = norm(world_.gravity) > 0.0;
    if (weighs && norm(combined(parts).frame.position) > 1e-9) {
      robot_.notes.push_back(fmt::format(
          "{}: armature of the free joint '{}' is left out: its frame is beside the centre of mass",
          to_string(link.joints[0].source), link.joints[0].name));
      return 0.0;
    }
    parts.push_back({armature, {}, armature * identity<3>()});
    return armature;
  }

  /// A force against the weight of so much mass.
  void carry(int body, double mass) {
    robot_.carried.emplace_back(body, -mass * world_.gravity);
    world_.body(body).force += robot_.carried.back().second;
  }

  int parent_body(const RobotLink& link) const {
    return link.parent < 0 ? robot_.base_body : robot_.body_of_link[index(link.parent)];
  }
  RigidFrame parent_in_body(const RobotLink& link) const {
    return link.parent < 0 ? base_in_body_ : robot_.link_in_body[index(link.parent)];
  }

  void add_joint(int k) {
    const RobotLink& link = d_.link(k);
    if (group_[index(k)] != k) return;
    const int body = robot_.body_of_link[index(k)];
    if (link.fixed()) {
      Joint joint = fixed_joint(body, parent_body(link));
      joint.name = link.name;
      place_joint(std::move(joint), k, {});
      return;
    }
    const RobotJoint& first = link.joints[0];
    if (first.kind == RobotJointKind::kFree) return add_free_dofs(k, first);
    if (first.kind == RobotJointKind::kBall) {
      ball_of_link_[k] = place_joint(ball(first, body, parent_body(link)), k, {first.anchor, {}});
      return add_free_dofs(k, first);
    }
    add_triad(k);
  }

  static Joint ball(const RobotJoint& source, int body_a, int body_b) {
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

  void add_free_dofs(int k, const RobotJoint& joint) {
    for (int i = 0; i < joint.num_dofs(); ++i)
      robot_.dofs.push_back({joint.name, k, -1, 0, 1.0, 0.0});
  }

  int place_joint(Joint joint, int k, const RigidFrame& in_link) {
    const RobotLink& link = d_.link(k);
    const RigidFrame a = robot_.link_in_body[index(k)] * in_link;
    const RigidFrame b = parent_in_body(link) * link.frame * in_link;
    joint.frame_a = {a.position, a.rotation};
    joint.frame_b = {b.position, b.rotation};
    joint.collide = true;  // filter() decides
    return world_.add_joint(std::move(joint));
  }

  void add_triad(int k) {
    const RobotLink& link = d_.link(k);
    const auto triad = joint_triad(link, link.joints.size());
    NSN_THROW_UNLESS(triad.has_value(), "the joints of link '{}' cannot act on one body",
                     link.name);
    Joint joint = triad_joint(*triad, robot_.body_of_link[index(k)], parent_body(link));
    joint.name = link.joints[0].name;
    std::size_t slide = 0;
    std::size_t hinge = 0;
    std::vector<RobotDof> dofs;
    for (std::size_t j = 0; j < link.joints.size(); ++j) {
      const RobotJoint& source = link.joints[j];
      const bool slides = source.kind == RobotJointKind::kSlide;
      const TriadAxis& in_triad = slides ? triad->slide[slide++] : triad->hinge[hinge++];
      const RobotDof dof{source.name, k, 0, static_cast<int>(j), in_triad.sign, source.reference};
      fill_axis(source, dof, joint.axes[j]);
      dofs.push_back(dof);
    }
    const int added = place_joint(std::move(joint), k, triad->frame);
    for (RobotDof& dof : dofs) {
      dof.joint = added;
      robot_.dofs.push_back(dof);
    }
  }

  /// Slides first, then hinges: axes in the order of the link's joints.
  static Joint triad_joint(const JointTriad& triad, int body_a, int body_b) {
    using Kind = JointCoordinate::Kind;
    Joint joint = make_joint("robot", body_a, body_b);
    bool slides[3] = {false, false, false};
    for (const TriadAxis& slide : triad.slide) {
      slides[slide.axis] = true;
      JointAxis axis;
      axis.coordinate = coordinate(Kind::kAlong, slide.axis);
      joint.axes.push_back(axis);
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
      JointAxis axis;
      axis.coordinate = coordinate(Kind::kTwist);
      joint.axes.push_back(axis);
    }
    if (triad.hinge.size() == 2) turn_about_two(joint);
    if (triad.hinge.size() == 3) turn_about_three(joint);
    return joint;
  }

  static void fill_axis(const RobotJoint& source, const RobotDof& dof, JointAxis& axis) {
    double lower = source.limit.lower - source.reference;
    double upper = source.limit.upper - source.reference;
    if (dof.sign < 0.0) {
      std::swap(lower, upper);
      lower = -lower;
      upper = -upper;
    }
    axis.limit = {lower, upper};
    axis.spring = source.spring;
    axis.spring.rest = dof.sign * (source.spring.rest - source.reference);
    axis.armature = source.armature;
    axis.friction = source.friction;
    axis.drive.max_effort = source.effort;
  }

  // ---- shapes ----

  void add_shapes() {
    if (options_.world_shapes) {
      for (const RobotGeometry& g : d_.world_geometry)
        add_shape(g, robot_.base_body, base_in_body_);
    }
    for (int k = 0; k < d_.num_links(); ++k) {
      for (const RobotGeometry& g : d_.link(k).geometry) {
        add_shape(g, robot_.body_of_link[index(k)], robot_.link_in_body[index(k)]);
      }
    }
  }

  void add_shape(const RobotGeometry& g, int body, const RigidFrame& link) {
    if (!g.collides || body < 0) return;
    auto shape = shapes_->shape(g, {options_.hulls, options_.hull_points}, robot_.notes);
    const RigidFrame at = link * g.frame;
    Surface surface = g.surface;
    if (options_.mu) surface = {.mu = *options_.mu};
    const int added = world_.add_shape(body, std::move(shape), surface, at.position, at.rotation);
    world_.set_filter(added, {g.contype, g.conaffinity, true, options_.group});
  }

  // ---- who touches whom ----

  /// The moving link above, links between joints passed over; -1: the world.
  int parent_group(int moving) const {
    int up = d_.moving_link(d_.link(moving).parent);
    while (up >= 0 && d_.link(up).between_joints) up = d_.moving_link(d_.link(up).parent);
    return up;
  }

  void filter() {
    struct Part {
      int body;
      int moving;
    };
    std::vector<Part> parts;
    if (robot_.base_body >= 0) parts.push_back({robot_.base_body, -1});
    for (int k = 0; k < d_.num_links(); ++k) {
      if (group_[index(k)] == k)
        parts.push_back({robot_.body_of_link[index(k)], d_.moving_link(k)});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (apart(parts[i].moving, parts[j].moving))
          world_.ignore_pair(parts[i].body, parts[j].body);
      }
    }
    for (const auto& [a, b] : d_.excluded) {
      const int body_a = a < 0 ? robot_.base_body : robot_.body_of_link[index(a)];
      const int body_b = b < 0 ? robot_.base_body : robot_.body_of_link[index(b)];
      if (body_a >= 0 && body_b >= 0 && body_a != body_b) world_.ignore_pair(body_a, body_b);
    }
  }

  /// Two moving groups whose shapes never meet. What is fixed to the world (a floor) meets the
  /// links that move against it in MJCF; in URDF it is a neighbour like any other.
  bool apart(int a, int b) const {
    if (a == b) return true;
    const bool neighbours = (a >= 0 && parent_group(a) == b) || (b >= 0 && parent_group(b) == a);
    const bool with_world = a < 0 || b < 0;
    if (neighbours && !(with_world && d_.format == "MJCF" && options_.base_body < 0)) return true;
    return !options_.self_collision && !with_world;
  }

  // ---- drives ----

  void add_actuators() {
    for (const RobotActuator& actuator : d_.actuators) {
      const int d = robot_.dof(actuator.joint);
      const RobotDof& dof = robot_.at(d);
      if (actuator.kind == ActuatorKind::kMotor) continue;
      const auto ball = ball_of_link_.find(dof.link);
      if (dof.joint < 0 && ball != ball_of_link_.end()) {  // its first axis is the whole turn
        set_ball_servo(actuator, coordinate_of(d),
                       world_.joint(ball->second).axes[index(1 + actuator.axis)].drive);
      }
      if (dof.joint < 0) continue;
      JointDrive& drive = world_.joint(dof.joint).axes[index(dof.axis)].drive;
      set_servo(actuator, dof.sign, drive);
      drive.target = dof.sign * (q_[index(coordinate_of(d))] - dof.reference);
    }
  }

  /// Holds the rotation vector that it starts with; `place`: of its quaternion.
  void set_ball_servo(const RobotActuator& actuator, int place, JointDrive& drive) const {
    const double* const q = q_.data() + place;
    set_servo(actuator, 1.0, drive);
    drive.target = turn_between({}, {q[0], q[1], q[2], q[3]})[actuator.axis];
  }

  /// Gains and bounds of a position or velocity servo; sign: of the coordinate that it moves.
  static void set_servo(const RobotActuator& actuator, double sign, JointDrive& drive) {
    const double square = actuator.gear * actuator.gear;
    const bool position = actuator.kind == ActuatorKind::kPosition;
    drive.stiffness = position ? actuator.gain * square : 0.0;
    drive.damping = (position ? actuator.damping : actuator.gain) * square;
    // Both ends of the effort in the world's coordinate; a negative factor swaps them.
    const double factor = actuator.gear * sign;
    const double one = factor * actuator.effort.lower;
    const double other = factor * actuator.effort.upper;
    drive.effort = {std::min(one, other), std::max(one, other)};
  }

  /// Place among the coordinates of degree of freedom d.
  int coordinate_of(int d) const {
    int place = 0;
    int dof = 0;
    for (const RobotLink& link : d_.links) {
      for (const RobotJoint& joint : link.joints) {
        if (d < dof + joint.num_dofs()) return place;
        dof += joint.num_dofs();
        place += joint.num_coordinates();
      }
    }
    return place;
  }

  void add_mimics() {
    auto rows = std::make_unique<MimicRowSet>();
    for (const RobotLink& link : d_.links) {
      for (const RobotJoint& joint : link.joints) {
        if (!joint.mimic) continue;
        const RobotDof& follower = robot_.at(robot_.dof(joint.name));
        const RobotDof& leader = robot_.at(robot_.dof(joint.mimic->joint));
        NSN_THROW_UNLESS(follower.joint >= 0 && leader.joint >= 0,
                         "mimic of joint '{}': only hinges and slides can follow", joint.name);
        const double m = joint.mimic->multiplier;
        rows->add({world_.joint(follower.joint), follower.axis, follower.sign},
                  {world_.joint(leader.joint), leader.axis, -m * leader.sign},
                  joint.mimic->offset + m * leader.reference - follower.reference);
      }
    }
    if (rows->size() > 0) world_.add_rows(std::move(rows));
  }

  /// The sides of a sum, its offset where coordinates count from their references, and what it is
  /// at the start.
  struct BuiltLength {
    std::vector<Tendon::Side> sides;
    double offset = 0.0;
    double start = 0.0;
  };

  BuiltLength built(const TendonLength& length, const std::string& name) {
    BuiltLength sum;
    for (const auto& [joint, weight] : length.joints) {
      const int d = robot_.dof(joint);
      const RobotDof& dof = robot_.at(d);
      NSN_THROW_UNLESS(dof.joint >= 0, "tendon '{}': '{}' is neither hinge nor slide", name, joint);
      sum.sides.push_back({world_.joint(dof.joint), dof.axis, weight * dof.sign});
      sum.offset -= weight * dof.reference;
      sum.start += weight * q_[index(coordinate_of(d))];
    }
    for (const TendonSegment& segment : length.segments) {
      const int a = body_of(segment.link_a);
      const int b = body_of(segment.link_b);
      const double distance = segment.weight * norm(world_point(segment.link_a, segment.point_a) -
                                                    world_point(segment.link_b, segment.point_b));
      sum.start += distance;
      if (a == b) {  // always the same
        sum.offset -= distance;
        continue;
      }
      const Vec3 point_a = frame_of(segment.link_a).point(segment.point_a);
      const Vec3 point_b = frame_of(segment.link_b).point(segment.point_b);
      sum.sides.push_back(
          {distance_range_joint(a, point_a, b, point_b, 0.0, kInfinity), 0, segment.weight});
    }
    return sum;
  }

  /// -1: the world.
  int body_of(int link) const {
    return link < 0 ? robot_.base_body : robot_.body_of_link[index(link)];
  }
  RigidFrame frame_of(int link) const {
    return link < 0 ? base_in_body_ : robot_.link_in_body[index(link)];
  }
  Vec3 world_point(int link, const Vec3& point) const {
    return (link < 0 ? options_.base : frames_[index(link)]).point(point);
  }

  void add_tendons() {
    auto rows = std::make_unique<TendonRowSet>();
    for (const RobotTendon& source : d_.tendons) {
      try {
        Tendon tendon = tendon_of(source);
        cut_long_sum(source, tendon, *rows);
        rows->add(tendon);
        if (source.armature > 0.0) add_armature(source, tendon);
      } catch (const std::invalid_argument& error) {
        throw InputError(fmt::format("{}: {}", to_string(source.source), error.what()));
      }
    }
    if (rows->size() > 0) world_.add_rows(std::move(rows));
  }

  Tendon tendon_of(const RobotTendon& source) {
    const BuiltLength length = built(source.length, source.name);
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
      const BuiltLength leader = built(source.leader->length, source.name);
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
  void add_armature(const RobotTendon& source, const Tendon& tendon) {
    if (tendon.sides.empty()) return;  // its length is always the same
    const Tendon::Side& side = tendon.sides.front();
    Joint joint = side.joint;
    joint.name = source.name;
    joint.axes[0].limit = {};
    joint.axes[0].armature = source.armature * side.weight * side.weight;
    joint.collide = true;
    world_.add_joint(std::move(joint));
  }

  /// Parts of a sum that has too many bodies for a row go to particles, each with what is before it.
  void cut_long_sum(const RobotTendon& source, Tendon& tendon, TendonRowSet& rows) {
    if (!source.length.segments.empty() || source.leader) return;
    const double mass = relay_mass(tendon.sides);
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
        sum.emplace_back(robot_.dof(next->first), next->second);
        tendon.sides.erase(tendon.sides.begin());
        ++next;
      }
      part.sides.pop_back();
      Particle particle;
      particle.mass = mass;
      particle.force = -mass * world_.gravity;
      robot_.relays.push_back({world_.add_particle(particle), sum});
      part.relays.push_back({robot_.relays.back().particle, -1.0});
      rows.add(part);
      tendon.relays = {{robot_.relays.back().particle, 1.0}};
    }
  }

  /// So light that what it adds to the inertia of any coordinate is of no account.
  double relay_mass(const std::vector<Tendon::Side>& sides) const {
    constexpr double kShare = 1e-2;  // of the lightest body's own; below 1e-3 steps become hard
    double least = kInfinity;
    for (const Tendon::Side& side : sides) {
      const bool turns = side.joint.axes[index(side.axis)].coordinate.angular();
      for (const int b : {side.joint.body_a, side.joint.body_b}) {
        const ConstBodyRef body = world_.body(b);
        if (!body.dynamic() || side.weight == 0.0) continue;
        const Vec3 moments = symmetric_eigen(body.inertia).values;
        const double own = turns ? std::min({moments[0], moments[1], moments[2]}) : body.mass;
        least = std::min(least, own / (side.weight * side.weight));
      }
    }
    return kShare * least;
  }

  /// What the file holds together beside the tree of joints.
  void add_hold(const RobotHold& hold) {
    const int a = body_of(hold.link_a);
    const int b = body_of(hold.link_b);
    if (a == b || (!world_.body(a).dynamic() && !world_.body(b).dynamic())) return;
    Joint joint = hold.weld ? fixed_joint(a, b) : spherical_joint(a, b);
    joint.name = hold.name;
    const RigidFrame in_a = frame_of(hold.link_a) * hold.frame_a;
    const RigidFrame in_b = frame_of(hold.link_b) * hold.frame_b;
    joint.frame_a = {in_a.position, in_a.rotation};
    joint.frame_b = {in_b.position, in_b.rotation};
    joint.collide = true;
    world_.add_joint(std::move(joint));
  }

  void add_drag() {
    auto rows = std::make_unique<DragRowSet>();
    for (int k = 0; k < d_.num_links(); ++k) {
      const RobotLink& link = d_.link(k);
      const RobotInertial inertial = robot_inertial(link);
      const int body = robot_.body_of_link[index(k)];
      if (body < 0 || !world_.body(body).dynamic()) continue;
      const bool fluid = d_.fluid.density > 0.0 || d_.fluid.viscosity > 0.0;
      if (fluid && inertial.mass > 0.0 && !link.between_joints) {
        Drag drag = box_drag(d_.fluid, inertial);
        const RigidFrame at = robot_.link_in_body[index(k)] * inertial.frame;
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
      drag.point = robot_.link_in_body[index(k)].position;
      drag.linear = drag.turn_linear = {damping, damping, damping};
      drag.mass = world_.body(body).mass;
      drag.inertia = trace(world_.body(body).inertia) / 3.0;
      rows->add(drag);
    }
    if (rows->size() > 0) world_.add_rows(std::move(rows));
  }

  /// A force at the centre of mass against gravity. Links of one body share it by their masses.
  void carry_weight() {
    for (int g = 0; g < d_.num_links(); ++g) {
      if (group_[index(g)] != g) continue;
      double carried = 0.0;
      bool even = true;
      for (int k = g; k < d_.num_links(); ++k) {
        if (group_[index(k)] != g) continue;
        const double mass = robot_inertial(d_.link(k)).mass;
        carried += mass * d_.link(k).carried;
        even = even && (mass == 0.0 || d_.link(k).carried == d_.link(g).carried);
      }
      if (carried == 0.0) continue;
      if (!even) {
        throw InputError(fmt::format("{}: links fixed to '{}' have other shares of gravcomp",
                                     to_string(d_.link(g).source), d_.link(g).name));
      }
      carry(robot_.body_of_link[index(g)], carried);
    }
  }

  World& world_;
  const RobotDescription& d_;
  const RobotBuildOptions& options_;
  Robot robot_;
  RigidFrame base_in_body_;
  std::vector<double> q_;
  std::vector<RigidFrame> frames_;
  std::vector<int> group_;
  std::vector<RigidFrame> in_group_;
  std::map<int, int> ball_of_link_;  // the joint in the world
  std::shared_ptr<RobotShapes> shapes_;
};

const RobotDof& driven(const Robot& robot, int dof) {
  const int count = static_cast<int>(robot.dofs.size());
  NSN_THROW_UNLESS(dof >= 0 && dof < count, "no degree of freedom {} (there are {})", dof, count);
  NSN_THROW_UNLESS(robot.at(dof).joint >= 0, "joint '{}' is neither hinge nor slide",
                   robot.at(dof).name);
  return robot.at(dof);
}

JointAxis& axis_of(World& world, const RobotDof& dof) {
  return world.joint(dof.joint).axes[index(dof.axis)];
}

}  // namespace

int Robot::dof(const std::string& joint) const {
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    if (dofs[d].name == joint) return static_cast<int>(d);
  }
  throw std::invalid_argument(
      fmt::format("robot '{}' has no joint '{}'", description->name, joint));
}

Robot build_robot(World& world, std::shared_ptr<const RobotDescription> description,
                  const RobotBuildOptions& options) {
  NSN_THROW_UNLESS(description != nullptr, "build_robot: no description");
  NSN_THROW_UNLESS(options.base_body < world.num_bodies(), "build_robot: no body {} (there are {})",
                   options.base_body, world.num_bodies());
  return Builder(world, std::move(description), options).build();
}

void set_state(World& world, const Robot& robot, std::span<const double> q,
               std::span<const double> v) {
  const RobotDescription& d = *robot.description;
  NSN_THROW_UNLESS(v.empty() || static_cast<int>(v.size()) == d.num_dofs(),
                   "{} velocities given, robot '{}' has {}", v.size(), d.name, d.num_dofs());
  const auto frames = forward_kinematics(d, q, robot.base);
  std::vector<DofMotion> motions;
  if (!v.empty()) motions = dof_motions(d, q, robot.base);
  std::vector<char> done(index(world.num_bodies()), 0);
  if (robot.base_body >= 0) done[index(robot.base_body)] = 1;
  for (int k = 0; k < d.num_links(); ++k) {
    const int b = robot.body_of_link[index(k)];
    if (b < 0 || done[index(b)] != 0) continue;
    done[index(b)] = 1;
    const BodyRef body = world.body(b);
    const RigidFrame where = frames[index(k)] * inverse(robot.link_in_body[index(k)]);
    body.position = where.position;
    body.orientation = where.rotation;
    body.velocity = body.angular_velocity = {};
    for (std::size_t i = 0; i < motions.size(); ++i) {
      if (!descends(d, k, motions[i].link)) continue;
      body.velocity += v[i] * velocity_at(motions[i], where.position);
      if (motions[i].turns) body.angular_velocity += v[i] * motions[i].axis;
    }
  }
  std::size_t place = 0;
  std::size_t dof = 0;
  std::vector<std::size_t> place_of(robot.dofs.size());
  for (const RobotLink& link : d.links) {
    for (const RobotJoint& joint : link.joints) {
      const RobotDof& r = robot.dofs[dof];
      if (r.joint >= 0) {
        world.joints().set_turn(r.joint, r.axis, r.sign * (q[place] - r.reference));
      }
      place_of[dof] = place;
      place += index(joint.num_coordinates());
      dof += index(joint.num_dofs());
    }
  }
  for (const RobotRelay& relay : robot.relays) {
    const ParticleRef particle = world.particle(relay.particle);
    particle.position = particle.velocity = {};
    for (const auto& [i, weight] : relay.sum) {
      particle.position[0] += weight * (q[place_of[index(i)]] - robot.at(i).reference);
      if (!v.empty()) particle.velocity[0] += weight * v[index(i)];
    }
  }
}

RigidFrame link_frame(const World& world, const Robot& robot, int link) {
  const int b = robot.body_of_link[index(link)];
  if (b < 0) return robot.base * robot.link_in_body[index(link)];
  const ConstBodyRef body = world.body(b);
  return RigidFrame{body.position, body.orientation} * robot.link_in_body[index(link)];
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
      coordinate_gradient(joint.axes[index(r.axis)].coordinate,
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
