#include "nsn/models/robots/robot_description.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/robots/joint_triad.h"

namespace nsn {
namespace {

constexpr double kPi = std::numbers::pi;

template <class... Arguments>
[[noreturn]] void fail(const SourceLine& source, fmt::format_string<Arguments...> text,
                       Arguments&&... values) {
  throw InputError(to_string(source) + ": " +
                   fmt::format(text, std::forward<Arguments>(values)...));
}

/// Pyramids from `apex` over the triangles.
Solid pyramids(const TriangleSurface& surface, const Vec3& apex, bool all_positive) {
  Solid sum;
  Mat3 second;  // integral of x x^T about the apex
  for (const auto& t : surface.triangle) {
    const Vec3 a = surface.vertex[to_size(t[0])] - apex;
    const Vec3 b = surface.vertex[to_size(t[1])] - apex;
    const Vec3 c = surface.vertex[to_size(t[2])] - apex;
    double volume = dot(a, cross(b, c)) / 6.0;
    if (all_positive) volume = std::abs(volume);
    const Vec3 corners = a + b + c;
    sum.volume += volume;
    sum.centre += (0.25 * volume) * corners;
    second += (volume / 20.0) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(corners, corners));
  }
  if (!(sum.volume > 0.0)) return sum;
  sum.centre *= 1.0 / sum.volume;
  second -= sum.volume * outer(sum.centre, sum.centre);
  sum.inertia = trace(second) * identity<3>() - second;
  sum.centre += apex;
  return sum;
}

Vec3 area_centre(const TriangleSurface& surface) {
  Vec3 sum;
  double area = 0.0;
  for (const auto& t : surface.triangle) {
    const Vec3& a = surface.vertex[to_size(t[0])];
    const Vec3& b = surface.vertex[to_size(t[1])];
    const Vec3& c = surface.vertex[to_size(t[2])];
    const double size = norm(cross(b - a, c - a));
    area += size;
    sum += (size / 3.0) * (a + b + c);
  }
  return area > 0.0 ? (1.0 / area) * sum : sum;
}

}  // namespace

TriangleSurface hull_surface(const TriangleSurface& surface) {
  const SurfaceMesh hull = ConvexHull::of_points(surface.vertex).surface();
  TriangleSurface out;
  out.vertex = hull.points;
  for (const auto& polygon : hull.polygons) {
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      out.triangle.push_back({polygon[0], polygon[k - 1], polygon[k]});
    }
  }
  return out;
}

namespace {

Mat3 ellipsoid_inertia(double mass, const Vec3& s) {
  const double x = s[0] * s[0];
  const double y = s[1] * s[1];
  const double z = s[2] * s[2];
  return (mass / 5.0) * diagonal(Vec3{y + z, x + z, x + y});
}

void check_unique(const std::string& name, const SourceLine& source, const char* what,
                  std::set<std::string>& seen) {
  if (name.empty()) return;
  if (!seen.insert(name).second) fail(source, "a second {} called '{}'", what, name);
}

void check_joint(const RobotJoint& joint, const RobotDescription& robot) {
  if (!(joint.limit.lower <= joint.limit.upper)) {
    fail(joint.source, "joint '{}': limits [{}, {}] are crossed", joint.name, joint.limit.lower,
         joint.limit.upper);
  }
  for (const double value : {joint.effort, joint.spring.stiffness, joint.spring.damping,
                             joint.friction, joint.armature}) {
    if (!(value >= 0.0)) {
      fail(joint.source,
           "joint '{}': effort, stiffness, damping, friction or armature {} is negative",
           joint.name, value);
    }
  }
  if (joint.mimic && robot.find_joint(joint.mimic->joint).first < 0) {
    fail(joint.source, "joint '{}' mimics '{}', which does not exist", joint.name,
         joint.mimic->joint);
  }
}

/// A joint that follows itself, at once or over others, has no position.
void check_mimics(const RobotDescription& robot) {
  std::set<const RobotJoint*> settled;  // these lead to a joint that follows none
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) {
      std::set<const RobotJoint*> followed;
      const RobotJoint* at = &joint;
      while (at->mimic && settled.count(at) == 0) {
        if (!followed.insert(at).second) {
          fail(at->source, "joint '{}' mimics itself, through '{}'", at->name, at->mimic->joint);
        }
        const auto [k, j] = robot.find_joint(at->mimic->joint);
        at = &robot.link(k).joints[to_size(j)];
      }
      settled.merge(followed);
    }
  }
}

/// Mass and inertia of everything that moves with link k.
RobotInertial moving_inertial(const RobotDescription& robot, int k) {
  std::vector<RobotInertial> parts;
  std::vector<RigidFrame> in_moving(to_size(robot.num_links()));
  for (int i = k; i < robot.num_links(); ++i) {
    if (robot.moving_link(i) != k) continue;
    if (i != k)
      in_moving[to_size(i)] = in_moving[to_size(robot.link(i).parent)] * robot.link(i).frame;
    RobotInertial part = robot_inertial(robot.link(i));
    part.frame = in_moving[to_size(i)] * part.frame;
    if (part.mass > 0.0) parts.push_back(part);
  }
  return combined(parts);
}

/// Of a link that moves.
void check_shapes(const RobotLink& link) {
  for (const RobotGeometry& g : link.geometry) {
    if (g.kind == GeometryKind::kPlane) fail(g.source, "a plane on a body that moves");
    if (g.mesh && g.mesh->terrain) fail(g.source, "a height field on a body that moves");
  }
}

void check_inertia(const RobotDescription& robot, int k) {
  const RobotLink& link = robot.link(k);
  if (link.inertial && !(link.inertial->mass >= 0.0)) {
    fail(link.source, "link '{}' has the mass {} kg", link.name, link.inertial->mass);
  }
  if (robot.moving_link(k) != k) return;
  const RobotInertial total = moving_inertial(robot, k);
  if (!(total.mass > 0.0)) {
    fail(link.source, "link '{}' moves, but has no mass (no inertial, no geometry with a density)",
         link.name);
  }
  if (!all_finite(total.inertia) || !positive_definite(total.inertia)) {
    fail(link.source, "link '{}': the inertia of what moves with it is not positive definite",
         link.name);
  }
}

}  // namespace

Vec3 turn_between(const Quaternion& a, const Quaternion& b) {
  Quaternion d = b * conjugate(a);
  if (d.w < 0.0) d = {-d.w, -d.x, -d.y, -d.z};
  const Vec3 v{d.x, d.y, d.z};
  const double sine = norm(v);
  const double angle = 2.0 * std::atan2(sine, d.w);
  return sine > 1e-12 ? (angle / sine) * v : 2.0 * v;
}

Quaternion quaternion_of(const Mat3& R) {
  const double t = trace(R);
  Quaternion q;
  if (t > 0.0) {
    const double s = 2.0 * std::sqrt(1.0 + t);
    q = {0.25 * s, (R(2, 1) - R(1, 2)) / s, (R(0, 2) - R(2, 0)) / s, (R(1, 0) - R(0, 1)) / s};
  } else {
    const int i = R(0, 0) > R(1, 1) ? (R(0, 0) > R(2, 2) ? 0 : 2) : (R(1, 1) > R(2, 2) ? 1 : 2);
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const double s = 2.0 * std::sqrt(1.0 + R(i, i) - R(j, j) - R(k, k));
    Vec3 v;
    v[i] = 0.25 * s;
    v[j] = (R(j, i) + R(i, j)) / s;
    v[k] = (R(k, i) + R(i, k)) / s;
    q = {(R(k, j) - R(j, k)) / s, v[0], v[1], v[2]};
  }
  return normalized(q);
}

std::string to_string(const SourceLine& source) {
  return fmt::format("{}:{}", source.file, source.line);
}

const char* to_string(GeometryKind kind) {
  constexpr const char* kNames[] = {"plane", "sphere",    "capsule", "cylinder",
                                    "box",   "ellipsoid", "mesh"};
  return kNames[static_cast<int>(kind)];
}
const char* to_string(RobotJointKind kind) {
  constexpr const char* kNames[] = {"hinge", "slide", "ball", "free"};
  return kNames[static_cast<int>(kind)];
}
const char* to_string(ActuatorKind kind) {
  constexpr const char* kNames[] = {"motor", "position", "velocity"};
  return kNames[static_cast<int>(kind)];
}

int RobotJoint::num_coordinates() const {
  constexpr int kCount[] = {1, 1, 4, 7};
  return kCount[static_cast<int>(kind)];
}
int RobotJoint::num_dofs() const {
  constexpr int kCount[] = {1, 1, 3, 6};
  return kCount[static_cast<int>(kind)];
}

bool RobotTendon::acts() const {
  const bool limited = limit.lower > -kInfinity || limit.upper < kInfinity;
  return held || limited || spring.stiffness > 0.0 || spring.damping > 0.0 || friction > 0.0 ||
         armature > 0.0 || !servos.empty();
}

int RobotDescription::moving_link(int k) const {
  while (k >= 0 && link(k).fixed()) k = link(k).parent;
  return k;
}

int RobotDescription::find_link(const std::string& link_name) const {
  for (int k = 0; k < num_links(); ++k) {
    if (link(k).name == link_name) return k;
  }
  return -1;
}

std::pair<int, int> RobotDescription::find_joint(const std::string& joint_name) const {
  for (int k = 0; k < num_links(); ++k) {
    const auto& joints = link(k).joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].name == joint_name) return {k, static_cast<int>(j)};
    }
  }
  return {-1, -1};
}

int RobotDescription::num_coordinates() const {
  int n = 0;
  for (const RobotLink& link : links) {
    for (const RobotJoint& joint : link.joints) n += joint.num_coordinates();
  }
  return n;
}

int RobotDescription::num_dofs() const {
  int n = 0;
  for (const RobotLink& link : links) {
    for (const RobotJoint& joint : link.joints) n += joint.num_dofs();
  }
  return n;
}

Solid mesh_solid(const TriangleSurface& surface, MeshInertia how) {
  NSN_THROW_UNLESS(surface.num_triangles() > 0, "a mesh without triangles has no mass");
  Solid mass;
  if (how == MeshInertia::kPyramids) {
    const Vec3 apex = pyramids(surface, area_centre(surface), true).centre;
    mass = pyramids(surface, apex, true);
    mass.inertia =
        shifted_inertia(mass.inertia, mass.volume, mass.centre - apex);  // about the apex
    mass.centre = apex;
  } else {
    const TriangleSurface solid = how == MeshInertia::kConvex ? hull_surface(surface) : surface;
    mass = pyramids(solid, area_centre(solid), false);
  }
  NSN_THROW_UNLESS(mass.volume > 0.0, "the mesh encloses no volume ({} m^3)", mass.volume);
  return mass;
}

Solid geometry_solid(const RobotGeometry& g) {
  const Vec3& s = g.size;
  switch (g.kind) {
    case GeometryKind::kSphere:
      return sphere_solid(s[0]);
    case GeometryKind::kCapsule:
      return capsule_solid(s[0], 2.0 * s[1]);
    case GeometryKind::kCylinder:
      return cylinder_solid(s[0], 2.0 * s[1]);
    case GeometryKind::kBox:
      return box_solid(2.0 * s);
    case GeometryKind::kEllipsoid: {
      const double v = 4.0 / 3.0 * kPi * s[0] * s[1] * s[2];
      return {v, {}, ellipsoid_inertia(v, s)};
    }
    case GeometryKind::kMesh:
      return mesh_solid(g.mesh->surface, g.mesh->inertia);
    case GeometryKind::kPlane:
      break;
  }
  throw std::invalid_argument("a plane has no mass");
}

RobotInertial combined(const std::vector<RobotInertial>& parts) {
  RobotInertial sum;
  for (const RobotInertial& part : parts) {
    sum.mass += part.mass;
    sum.frame.position += part.mass * part.frame.position;
  }
  if (!(sum.mass > 0.0)) return {};
  sum.frame.position *= 1.0 / sum.mass;
  for (const RobotInertial& part : parts) {
    const Mat3 R = rotation_matrix(part.frame.rotation);
    sum.inertia += shifted_inertia(R * part.inertia * transpose(R), part.mass,
                                   part.frame.position - sum.frame.position);
  }
  return sum;
}

RobotInertial robot_inertial(const RobotLink& link) {
  if (link.inertial) return *link.inertial;
  std::vector<RobotInertial> parts;
  for (const RobotGeometry& g : link.geometry) {
    if (g.kind == GeometryKind::kPlane || (g.kind == GeometryKind::kMesh && !g.mesh)) continue;
    if (g.mass ? *g.mass == 0.0 : g.density == 0.0) continue;
    Solid solid;
    try {
      solid = geometry_solid(g);
    } catch (const std::invalid_argument& error) {
      fail(g.source, "geometry of link '{}': {}", link.name, error.what());
    }
    const double density = g.mass ? *g.mass / solid.volume : g.density;
    RobotInertial part{density * solid.volume, g.frame, density * solid.inertia};
    part.frame.position = g.frame.point(solid.centre);
    parts.push_back(part);
  }
  return combined(parts);
}

void validate(const RobotDescription& robot) {
  std::set<std::string> links;
  std::set<std::string> joints;
  for (int k = 0; k < robot.num_links(); ++k) {
    const RobotLink& link = robot.link(k);
    check_unique(link.name, link.source, "link", links);
    for (const RobotJoint& joint : link.joints) {
      check_unique(joint.name, joint.source, "joint", joints);
      check_joint(joint, robot);
    }
    check_inertia(robot, k);
    if (robot.moving_link(k) >= 0) check_shapes(link);
  }
  check_mimics(robot);
  for (const RobotActuator& actuator : robot.actuators) {
    if (robot.find_joint(actuator.joint).first < 0) {
      fail(actuator.source, "actuator '{}': there is no joint '{}'", actuator.name, actuator.joint);
    }
  }
}

JointLimit scaled(const JointLimit& range, double factor) {
  if (factor < 0.0) return {factor * range.upper, factor * range.lower};
  return {factor * range.lower, factor * range.upper};
}

void for_each_segment(RobotTendon& tendon, const std::function<void(TendonSegment&)>& visit) {
  for (TendonSegment& segment : tendon.length.segments) visit(segment);
  if (!tendon.leader) return;
  for (TendonSegment& segment : tendon.leader->length.segments) visit(segment);
}

void split_joint_chains(RobotDescription& robot) {
  constexpr double kShare = 0.01;  // of the link's mass that goes to a link between two joints
  for (int k = 0; k < robot.num_links(); ++k) {
    RobotLink& link = robot.links[to_size(k)];
    if (link.joints.size() < 2 || joint_triad(link, link.joints.size())) continue;
    std::size_t count = link.joints.size() - 1;
    while (count > 1 && !joint_triad(link, count)) --count;  // one alone always fits
    RobotLink between;
    between.name = link.name + "/" + link.joints[count - 1].name;
    between.parent = link.parent;
    between.frame = link.frame;
    between.source = link.source;
    between.between_joints = true;
    between.carried = link.carried;
    between.joints.assign(link.joints.begin(), link.joints.begin() + static_cast<long>(count));
    link.joints.erase(link.joints.begin(), link.joints.begin() + static_cast<long>(count));
    RobotInertial whole = robot_inertial(link);
    between.inertial = whole;
    between.inertial->mass *= kShare;
    between.inertial->inertia *= kShare;
    whole.mass *= 1.0 - kShare;
    whole.inertia *= 1.0 - kShare;
    link.inertial = whole;
    link.frame = {};
    robot.warnings.push_back(fmt::format(
        "{}: the joints of '{}' share no point or no right-angled axes: a link between them takes "
        "{} % of its mass",
        to_string(link.source), link.name, 100.0 * kShare));
    robot.links.insert(robot.links.begin() + k, between);
    for (int i = k + 1; i < robot.num_links(); ++i) {
      int& parent = robot.links[to_size(i)].parent;
      if (parent >= k) ++parent;
    }
    robot.links[to_size(k + 1)].parent = k;
    const auto shift = [k](int& other) { other += other >= k ? 1 : 0; };
    for (auto& [a, b] : robot.excluded) {
      shift(a);
      shift(b);
    }
    for (RobotHold& hold : robot.holds) {
      shift(hold.link_a);
      shift(hold.link_b);
    }
    for (RobotSite& site : robot.sites) shift(site.link);
    for (RobotTendon& tendon : robot.tendons) {
      for_each_segment(tendon, [&](TendonSegment& segment) {
        shift(segment.link_a);
        shift(segment.link_b);
      });
    }
  }
}

}  // namespace nsn
