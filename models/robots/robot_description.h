/// A robot as a file describes it, whatever the format: a tree of links, the joints that move each
/// link against its parent, inertia, shapes, actuators and filters.
///
///   nsn::RobotDescription robot = nsn::read_robot("hand.xml");      // models/robots/read_robot.h
///   nsn::Robot hand = nsn::build_robot(world, robot, {...});        // models/robots/build_robot.h
///
/// Conventions. Links are sorted so that a parent comes before its children; parent -1 is the
/// world. A link's frame is the one its file uses, not its centre of mass. With all coordinates at
/// their reference the link sits at `frame` in its parent. Its joints move it from there one after
/// the other, each about or along an axis that the earlier ones have moved:
///
///   X = frame  then for each joint  slide: X <- X trans((q - ref) axis)
///                                   hinge: X <- X trans(anchor) exp(axis (q - ref)) trans(-anchor)
///
/// Units: m, kg, s, rad, whatever the file used.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nsn/models/collision/solid.h"
#include "nsn/models/deformable/tet_mesh.h"
#include "nsn/models/joints/joint.h"
#include "nsn/models/robots/rigid_frame.h"
#include "nsn/models/world/surface.h"

namespace nsn {

/// Where something stands in its file, for messages.
struct SourceLine {
  std::string file;
  int line = 0;
};
/// "file:line".
std::string to_string(const SourceLine& source);

struct RobotInertial {
  double mass = 0.0;  ///< kg
  RigidFrame frame;   ///< of the centre of mass and of the axes of `inertia`, in the link
  Mat3 inertia;       ///< about the centre of mass, kg m^2
};

enum class GeometryKind { kPlane, kSphere, kCapsule, kCylinder, kBox, kEllipsoid, kMesh };
const char* to_string(GeometryKind kind);

/// How a mesh becomes a solid: by its convex hull; as it is (closed, oriented); or by pyramids over
/// its triangles that all count as positive, which is what MuJoCo does unless told otherwise, and
/// what a mesh with holes in it needs.
enum class MeshInertia { kConvex, kExact, kPyramids };

/// A mesh file with its scale; shapes share it.
struct RobotMesh {
  std::string name;
  std::string path;
  TriangleSurface surface;  ///< scaled, m
  MeshInertia inertia = MeshInertia::kPyramids;
  bool terrain = false;  ///< collides as its triangles, never as a hull
};

struct RobotGeometry {
  std::string name;
  GeometryKind kind = GeometryKind::kSphere;
  /// sphere: radius; capsule, cylinder: radius, half length (axis z); box, ellipsoid: half sizes.
  Vec3 size;
  RigidFrame frame;  ///< in the link
  std::shared_ptr<const RobotMesh> mesh;
  bool collides = true;  ///< false: for pictures and mass only
  Surface surface{.mu = 1.0};
  unsigned contype =
      1;  ///< two geometries meet where a contype has a bit of the other's conaffinity
  unsigned conaffinity = 1;
  double density = 1000.0;     ///< kg/m^3, where the link has no inertial
  std::optional<double> mass;  ///< kg, in place of the density
  SourceLine source;
};

enum class RobotJointKind { kHinge, kSlide, kBall, kFree };
const char* to_string(RobotJointKind kind);

/// value = offset + multiplier x (value of the other joint).
struct JointMimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// One joint; a link without any is fixed to its parent. Coordinates: hinge and slide 1, ball 4
/// (unit quaternion w x y z), free 7 (position of the link's frame, quaternion). Velocities: 1, 3
/// (angular, link axes), 6 (linear in world axes, angular in link axes).
struct RobotJoint {
  std::string name;
  RobotJointKind kind = RobotJointKind::kHinge;
  Vec3 anchor;             ///< in the link's frame, m
  Vec3 axis{0, 0, 1};      ///< unit, link axes
  double reference = 0.0;  ///< coordinate at which the link is at its frame
  JointLimit limit;        ///< of the coordinate
  double effort = std::numeric_limits<double>::infinity();  ///< largest of a drive, N or N m
  double velocity =
      std::numeric_limits<double>::infinity();  ///< largest the file states; not enforced
  JointSpring spring;  ///< of a free joint its damping alone: of the link's frame and of its spin
  double friction = 0.0;
  double armature = 0.0;
  std::optional<JointMimic> mimic;
  SourceLine source;

  int num_coordinates() const;
  int num_dofs() const;
};

enum class ActuatorKind { kMotor, kPosition, kVelocity };
const char* to_string(ActuatorKind kind);

/// effort = gear clip(gain (scale control + offset) - k gear q - d gear v); control and effort within
/// their ranges.
struct RobotActuator {
  std::string name;
  ActuatorKind kind = ActuatorKind::kMotor;
  std::string joint;
  double gear = 1.0;
  double gain = 1.0;     ///< motor: effort per control; position: k; velocity: d
  double damping = 0.0;  ///< position: d beside k
  double scale = 1.0;    ///< position: coordinate per control
  double offset = 0.0;   ///< position: coordinate at control 0
  int axis = 0;          ///< of a ball joint: the component of its rotation vector
  JointLimit control;    ///< range of the control
  JointLimit effort;     ///< range of the effort before the gear
  SourceLine source;
};

/// A tendon runs straight between two points of links and adds weight times their distance to L.
struct TendonSegment {
  int link_a = -1;  ///< -1: the world
  Vec3 point_a;     ///< in its link, m
  int link_b = -1;
  Vec3 point_b;
  double weight = 1.0;
};

/// L: a weighted sum of coordinates of hinges and slides, and of lengths of segments.
struct TendonLength {
  std::vector<std::pair<std::string, double>> joints;  ///< name, weight
  std::vector<TendonSegment> segments;

  bool empty() const { return joints.empty() && segments.empty(); }
};

/// The length kept is  c_0 + c_1 x + c_2 x^2 + c_3 x^3 + c_4 x^4,  x = L of the leader - start.
struct TendonLeader {
  TendonLength length;
  double start = 0.0;
  std::array<double, 5> coefficients{};
};

/// A tendon: its length L is held, limited, sprung or driven (models/rows/tendon_rows.h).
struct RobotTendon {
  std::string name;
  TendonLength length;
  std::optional<double> held;          ///< L is kept at this, and at what the leader adds
  std::optional<TendonLeader> leader;  ///< of more than first order
  JointLimit limit;                    ///< of L
  JointSpring spring;
  double slack = 0.0;  ///< no force of the spring between its rest and this much more
  double friction = 0.0;
  double armature = 0.0;              ///< inertia that moves with L alone; one segment, or 0
  std::vector<RobotActuator> servos;  ///< their joints are empty
  SourceLine source;

  /// Nothing depends on a tendon that does none of this.
  bool acts() const;
};

/// Two links, the world among them, that a point holds together (four-bar linkages), or a weld.
struct RobotHold {
  std::string name;
  int link_a = -1;     ///< -1: the world
  RigidFrame frame_a;  ///< in its link
  int link_b = -1;
  RigidFrame frame_b;
  bool weld = false;  ///< the frames stay parallel as well
  SourceLine source;
};

struct RobotLink {
  std::string name;
  int parent = -1;
  RigidFrame frame;
  std::vector<RobotJoint> joints;
  std::optional<RobotInertial> inertial;  ///< as given; robot_inertial() has it in every case
  std::vector<RobotGeometry> geometry;
  double carried = 0.0;  ///< share of its weight that something outside the model carries
  SourceLine source;

  bool between_joints = false;  ///< made by split_joint_chains: no shape, little mass

  bool fixed() const { return joints.empty(); }
};

/// A named place on a link, to which tendons and holds refer.
struct RobotSite {
  std::string name;
  int link = -1;     ///< -1: the world
  RigidFrame frame;  ///< in the link
};

/// What all links move in: it drags on each as on the box of its mass and inertia.
struct RobotFluid {
  double density = 0.0;    ///< kg/m^3
  double viscosity = 0.0;  ///< Pa s
};

/// Something a file uses that has no counterpart here.
struct UnsupportedFeature {
  std::string name;  ///< "geom solref"
  int count = 0;
  SourceLine first;
};

struct RobotDescription {
  std::string name;
  std::string format;  ///< "URDF" or "MJCF"
  std::string file;
  std::vector<RobotLink> links;
  std::vector<RobotGeometry> world_geometry;  ///< fixed to the world
  Vec3 gravity{0.0, 0.0, -9.81};              ///< m/s^2
  RobotFluid fluid;
  std::vector<RobotActuator> actuators;  ///< of joints
  std::vector<RobotTendon> tendons;      ///< those that act
  std::vector<RobotHold> holds;          ///< what the tree of joints does not hold
  std::vector<RobotSite> sites;
  std::vector<std::pair<int, int>> excluded;  ///< pairs of links that never touch; -1: the world
  std::vector<UnsupportedFeature> unsupported;
  std::vector<std::string> warnings;

  int num_links() const { return static_cast<int>(links.size()); }
  const RobotLink& link(int k) const { return links[static_cast<std::size_t>(k)]; }
  /// The link that this one is fixed to, directly or through others; -1: the world.
  int moving_link(int k) const;
  /// -1: none of that name.
  int find_link(const std::string& link_name) const;
  /// Link and place in its list; {-1, -1}: none.
  std::pair<int, int> find_joint(const std::string& joint_name) const;
  int num_coordinates() const;
  int num_dofs() const;
};

/// In the frame of the geometry. Throws std::invalid_argument if there is no volume (planes, flat
/// meshes).
Solid geometry_solid(const RobotGeometry& geometry);
/// The convex hull of its vertices. Throws std::invalid_argument if they lie in a plane.
TriangleSurface hull_surface(const TriangleSurface& surface);
Solid mesh_solid(const TriangleSurface& surface, MeshInertia how);

/// The link's inertial: as given, or from its geometry and density. Mass 0 where there is neither.
RobotInertial robot_inertial(const RobotLink& link);
/// Sum of several in one frame.
RobotInertial combined(const std::vector<RobotInertial>& parts);

/// Range of factor x, x in the range: a negative factor swaps the ends.
JointLimit scaled(const JointLimit& range, double factor);

void for_each_segment(RobotTendon& tendon, const std::function<void(TendonSegment&)>& visit);

/// Throws InputError with file and line where the robot cannot be simulated: a link that moves
/// without mass or with an inertia that is not positive definite, crossed limits, two joints or two
/// links of one name, an actuator or mimic of an unknown joint.
void validate(const RobotDescription& robot);

/// Puts light links between joints that cannot act on one link here (models/robots/build_robot.h),
/// and says so in the warnings.
void split_joint_chains(RobotDescription& robot);

}  // namespace nsn
