// Bodies: which links share one, its inertia, its shapes, what it touches, and what carries its weight.
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/models/robots/build_parts.h"

namespace nsn::robots {
namespace {

bool own_body(const RobotBuild& build, int k) {
  const RobotLink& link = build.d.link(k);
  if (!link.fixed()) return true;
  if (build.d.moving_link(k) < 0 && build.options.base_body < 0) return false;
  const bool heavy = robot_inertial(link).mass > 0.0;
  return heavy &&
         (link.parent < 0 || build.group[to_size(link.parent)] < 0 || !build.options.merge_fixed);
}

/// A tendon or a hold ends at the world.
bool world_is_held(const RobotBuild& build) {
  bool held = false;
  const auto look = [&](const TendonLength& length) {
    for (const TendonSegment& s : length.segments) held = held || s.link_a < 0 || s.link_b < 0;
  };
  for (const RobotTendon& tendon : build.d.tendons) {
    look(tendon.length);
    if (tendon.leader) look(tendon.leader->length);
  }
  for (const RobotHold& hold : build.d.holds) held = held || hold.link_a < 0 || hold.link_b < 0;
  return held;
}

void add_base(RobotBuild& build) {
  build.robot.base_body = build.options.base_body;
  if (build.options.base_body >= 0) {
    const ConstBodyRef body = build.world.body(build.options.base_body);
    build.base_in_body = inverse(RigidFrame{body.position, body.orientation}) * build.options.base;
    return;
  }
  bool needed =
      (build.options.world_shapes && !build.d.world_geometry.empty()) || world_is_held(build);
  for (int k = 0; k < build.d.num_links(); ++k) {
    const RobotLink& link = build.d.link(k);
    const bool free = !link.fixed() && link.joints[0].kind == RobotJointKind::kFree;
    needed = needed || build.group[to_size(k)] < 0 || (link.parent < 0 && !free);
  }
  if (!needed) return;
  Body body;
  body.name = build.d.name.empty() ? "robot" : build.d.name;
  body.kind = BodyKind::kStatic;
  body.position = build.options.base.position;
  body.orientation = build.options.base.rotation;
  build.robot.base_body = build.world.add_body(body);
}

/// Armature of a free joint: inertia of the frame of its link, without weight. Returns it, or 0.
double add_free_armature(RobotBuild& build, int g, std::vector<RobotInertial>& parts) {
  const RobotLink& link = build.d.link(g);
  if (link.fixed() || link.joints[0].kind != RobotJointKind::kFree) return 0.0;
  const double armature = link.joints[0].armature;
  if (armature == 0.0) return 0.0;
  const bool weighs = norm(build.world.gravity) > 0.0;
  if (weighs && norm(combined(parts).frame.position) > 1e-9) {
    build.robot.notes.push_back(fmt::format(
        "{}: armature of the free joint '{}' is left out: its frame is beside the centre of mass",
        to_string(link.joints[0].source), link.joints[0].name));
    return 0.0;
  }
  parts.push_back({armature, {}, armature * identity<3>()});
  return armature;
}

void add_body(RobotBuild& build, int g) {
  std::vector<RobotInertial> parts;
  for (int k = g; k < build.d.num_links(); ++k) {
    if (build.group[to_size(k)] != g) continue;
    RobotInertial part = robot_inertial(build.d.link(k));
    part.frame = build.in_group[to_size(k)] * part.frame;
    if (part.mass > 0.0) parts.push_back(part);
  }
  const double added = add_free_armature(build, g, parts);
  const RobotInertial total = combined(parts);
  Body body;
  body.name = build.d.link(g).name;
  body.mass = total.mass;
  body.inertia = total.inertia;
  body.position = build.frames[to_size(g)].point(total.frame.position);
  body.orientation = build.frames[to_size(g)].rotation;
  build.robot.body_of_link[to_size(g)] = build.world.add_body(body);
  build.robot.link_in_body[to_size(g)] = {-total.frame.position, {}};
  build.robot.bodies.push_back(build.body_of(g));
  if (added > 0.0) build.carry(build.body_of(g), added);
}

void add_shape(RobotBuild& build, RobotShapes& shapes, const RobotGeometry& g, int body,
               const RigidFrame& link) {
  if (!g.collides || body < 0) return;
  auto shape = shapes.shape(g, {build.options.hulls, build.options.hull_points}, build.robot.notes);
  const RigidFrame at = link * g.frame;
  Surface surface = g.surface;
  if (build.options.mu) surface = {.mu = *build.options.mu};
  const int added =
      build.world.add_shape(body, std::move(shape), surface, at.position, at.rotation);
  build.world.set_filter(added, {g.contype, g.conaffinity, true, build.options.group});
}

/// The moving link above, links between joints passed over; -1: the world.
int parent_group(const RobotBuild& build, int moving) {
  int up = build.d.moving_link(build.d.link(moving).parent);
  while (up >= 0 && build.d.link(up).between_joints)
    up = build.d.moving_link(build.d.link(up).parent);
  return up;
}

/// Two moving groups whose shapes never meet. What is fixed to the world (a floor) meets the
/// links that move against it in MJCF; in URDF it is a neighbour like any other.
bool apart(const RobotBuild& build, int a, int b) {
  if (a == b) return true;
  const bool neighbours =
      (a >= 0 && parent_group(build, a) == b) || (b >= 0 && parent_group(build, b) == a);
  const bool with_world = a < 0 || b < 0;
  if (neighbours && !(with_world && build.d.format == "MJCF" && build.options.base_body < 0))
    return true;
  return !build.options.self_collision && !with_world;
}

}  // namespace

void find_groups(RobotBuild& build) {
  build.group.resize(to_size(build.d.num_links()));
  build.in_group.resize(to_size(build.d.num_links()));
  for (int k = 0; k < build.d.num_links(); ++k) {
    const RobotLink& link = build.d.link(k);
    if (own_body(build, k)) {
      build.group[to_size(k)] = k;
      continue;
    }
    build.group[to_size(k)] = link.parent < 0 ? -1 : build.group[to_size(link.parent)];
    build.in_group[to_size(k)] =
        link.parent < 0 ? link.frame : build.in_group[to_size(link.parent)] * link.frame;
  }
}

void add_bodies(RobotBuild& build) {
  build.robot.body_of_link.assign(to_size(build.d.num_links()), -1);
  build.robot.link_in_body.resize(to_size(build.d.num_links()));
  add_base(build);
  for (int k = 0; k < build.d.num_links(); ++k) {
    const int g = build.group[to_size(k)];
    if (g == k) add_body(build, k);
    build.robot.body_of_link[to_size(k)] = build.body_of(g);
    build.robot.link_in_body[to_size(k)] =
        build.frame_of(g) * (g == k ? RigidFrame{} : build.in_group[to_size(k)]);
  }
}

void carry_weight(RobotBuild& build) {
  for (int g = 0; g < build.d.num_links(); ++g) {
    if (build.group[to_size(g)] != g) continue;
    double carried = 0.0;
    bool even = true;
    for (int k = g; k < build.d.num_links(); ++k) {
      if (build.group[to_size(k)] != g) continue;
      const double mass = robot_inertial(build.d.link(k)).mass;
      carried += mass * build.d.link(k).carried;
      even = even && (mass == 0.0 || build.d.link(k).carried == build.d.link(g).carried);
    }
    if (carried == 0.0) continue;
    if (!even) {
      throw InputError(fmt::format("{}: links fixed to '{}' have other shares of gravcomp",
                                   to_string(build.d.link(g).source), build.d.link(g).name));
    }
    build.carry(build.body_of(g), carried);
  }
}

void add_shapes(RobotBuild& build) {
  if (!build.options.shapes) return;
  const auto shapes =
      build.options.shape_pool ? build.options.shape_pool : std::make_shared<RobotShapes>();
  if (build.options.world_shapes) {
    for (const RobotGeometry& g : build.d.world_geometry)
      add_shape(build, *shapes, g, build.robot.base_body, build.base_in_body);
  }
  for (int k = 0; k < build.d.num_links(); ++k) {
    for (const RobotGeometry& g : build.d.link(k).geometry) {
      add_shape(build, *shapes, g, build.body_of(k), build.frame_of(k));
    }
  }
}

void filter(RobotBuild& build) {
  std::vector<std::pair<int, int>> parts;  // body, moving link
  if (build.robot.base_body >= 0) parts.emplace_back(build.robot.base_body, -1);
  for (int k = 0; k < build.d.num_links(); ++k) {
    if (build.group[to_size(k)] == k) parts.emplace_back(build.body_of(k), build.d.moving_link(k));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (apart(build, parts[i].second, parts[j].second))
        build.world.ignore_pair(parts[i].first, parts[j].first);
    }
  }
  for (const auto& [a, b] : build.d.excluded) {
    const int body_a = build.body_of(a);
    const int body_b = build.body_of(b);
    if (body_a >= 0 && body_b >= 0 && body_a != body_b) build.world.ignore_pair(body_a, body_b);
  }
}

}  // namespace nsn::robots
