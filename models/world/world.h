/// Everything a scene consists of: bodies, particles, shapes, contacts and links given by hand,
/// gravity.
///
///   nsn::World world;
///   const int ground = world.add_body({.kind = nsn::BodyKind::kStatic});
///   world.add_shape(ground, std::make_shared<nsn::Plane>(), {.mu = 0.5});
///   const int box = world.add_body({.density = 600.0});
///   world.add_shape(box, std::make_shared<nsn::Box>(nsn::Vec3{1, 1, 1}), {.mu = 0.5});   // 600 kg
///
/// Units: kg, m, s, or any consistent set.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/shape.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/joints/joint.h"
#include "nsn/models/world/body_arrays.h"
#include "nsn/models/world/particle.h"
#include "nsn/models/world/surface.h"

namespace nsn {

class JointRowSet;  // models/rows/joint_rows.h
class PairTable;    // models/collision/pair_table.h
class RowSet;       // models/rows/row_set.h

/// Which shapes meet: two of them do if each one's mask has a bit of the other's category; if one
/// of them says `either`, one of the two masks is enough (contype and conaffinity of MJCF). Shapes
/// of two groups other than 0 never meet: copies of a robot that share a floor.
struct CollisionFilter {
  std::uint32_t category = 1;
  std::uint32_t mask = ~std::uint32_t{0};
  bool either = false;
  int group = 0;
};
inline bool may_collide(const CollisionFilter& a, const CollisionFilter& b) {
  if (a.group != b.group && a.group != 0 && b.group != 0) return false;
  const bool first = (a.mask & b.category) != 0;
  const bool second = (b.mask & a.category) != 0;
  return a.either || b.either ? first || second : first && second;
}

/// A shape on a body; a body may carry several (a table is a board and four legs).
struct PlacedShape {
  int body = 0;
  std::shared_ptr<const Shape> shape{};
  Surface surface{};
  Vec3 offset{};          ///< of the shape's origin in body axes, m
  Quaternion rotation{};  ///< from shape to body axes
  CollisionFilter filter{};
};

/// What two surfaces have in common, where the geometric mean is not wanted.
struct PairSurface {
  int shape_a = 0;
  int shape_b = 0;
  double mu = 0.5;
};

/// A contact given by hand: a point of body a that may not pass a plane of body b. It exists in
/// every step, whatever its gap.
struct PointOnPlane {
  int body_a = 0;
  int body_b = 0;
  Vec3 point{};          ///< body axes of a
  Vec3 origin{};         ///< a point of the plane, body axes of b
  Vec3 normal{0, 0, 1};  ///< unit, body axes of b; a lies on its positive side
  double mu = 0.5;
  double compliance = 0.0;  ///< m/N
  double thickness = 0.0;   ///< m
};

class World {
 public:
  World();
  ~World();
  /// A world of its own. Throws std::invalid_argument for row sets of a kind that cannot be copied, and
  /// for a control that remembers something (control_state), which both worlds would share.
  World(const World& other);
  World& operator=(const World& other);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Returns the body's index. Throws std::invalid_argument for unusable data.
  int add_body(Body body);
  /// Particles at the nodes of a mesh, elements between them, a surface around them. Returns the
  /// deformable's index. Throws std::invalid_argument for a mesh, material or option out of range.
  int add_deformable(const TetMesh& mesh, const DeformableOptions& options);
  /// Returns the particle's index.
  int add_particle(const Particle& particle);
  /// Returns the shape's index. A dynamic body that was not told its mass or inertia takes them from all
  /// of its shapes; then a shape without volume is refused.
  int add_shape(int body, std::shared_ptr<const Shape> shape, const Surface& surface = {},
                const Vec3& offset = {}, const Quaternion& rotation = {});
  /// Another surface for a shape. Throws std::invalid_argument naming the shape.
  void set_surface(int shape, const Surface& surface);
  void add_contact(const PointOnPlane& contact);
  /// Rows of a kind of their own; they exist in every step.
  void add_rows(std::unique_ptr<RowSet> rows);
  /// Returns the joint's index. The joint's own frames are kept, or set where the bodies are now.
  /// Shapes of its two bodies do not touch unless joint.collide. Throws std::invalid_argument
  /// naming the joint (models/joints/joint.h).
  int add_joint(Joint joint);
  int add_joint(Joint joint, const JointPlacement& where);
  /// Shapes collide as the triangle meshes of their surfaces from now on, and every pair of features
  /// within the margin is a contact, as in [Macklin19], instead of a manifold of few points. Planes,
  /// rounded hulls and contacts given by hand stay as they are.
  void use_mesh_features();
  bool mesh_features() const { return mesh_features_; }
  /// Sets friction of one pair of shapes.
  void set_pair(const PairSurface& pair);
  /// Sets which shapes the given one meets; throws std::invalid_argument for an unknown shape.
  void set_filter(int shape, const CollisionFilter& filter);
  /// The shapes of these two bodies never touch (neighbours in a mechanism, contacts given by
  /// hand).
  void ignore_pair(int body_a, int body_b);

  /// Removal, between steps: indices of what stays keep their meaning, and the place of a body or shape
  /// is given to the next one that is added. What is removed has no rows, shapes or motion any more.
  /// Throws std::invalid_argument naming what still needs it, and changes nothing then.
  void remove_body(int body);  ///< with its shapes
  void remove_shape(int shape);
  void remove_joint(int joint);
  void remove_deformable(int deformable);  ///< with its particles
  void remove_particle(int particle);
  bool has_body(int b) const { return !removed_bodies_.contains(b); }
  bool has_shape(int s) const { return !removed_shapes_.contains(s); }
  bool has_joint(int j) const { return !removed_joints_.contains(j); }
  bool has_deformable(int d) const { return !removed_deformables_.contains(d); }
  /// Throws std::invalid_argument naming a body whose mass is that of its shapes if it has none, or if
  /// their centre of mass is not the body's origin. A step begins with it.
  void check_masses();
  /// Changes with every addition and removal of shapes.
  int version() const { return version_; }

  /// As arrays, or one as references.
  Bodies& bodies() { return bodies_; }
  const Bodies& bodies() const { return bodies_; }
  BodyRef body(int b) { return bodies_[static_cast<std::size_t>(b)]; }
  ConstBodyRef body(int b) const { return bodies_[static_cast<std::size_t>(b)]; }
  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  Particles& particles() { return particles_; }
  const Particles& particles() const { return particles_; }
  ParticleRef particle(int p) { return particles_[static_cast<std::size_t>(p)]; }
  ConstParticleRef particle(int p) const { return particles_[static_cast<std::size_t>(p)]; }
  int num_particles() const { return static_cast<int>(particles_.size()); }
  const std::vector<Deformable>& deformables() const { return deformables_; }
  const Deformable& deformable(int d) const { return deformables_[static_cast<std::size_t>(d)]; }
  Deformable& deformable(int d) { return deformables_[static_cast<std::size_t>(d)]; }
  const std::vector<PlacedShape>& shapes() const { return shapes_; }
  const std::vector<PointOnPlane>& contacts() const { return contacts_; }
  const std::vector<std::unique_ptr<RowSet>>& rows() const { return rows_; }
  JointRowSet& joints() { return *joints_; }
  const JointRowSet& joints() const { return *joints_; }
  Joint& joint(int j);
  const Joint& joint(int j) const;
  int num_joints() const;

  PairTable& pairs() { return *pairs_; }
  const PairTable& pairs() const { return *pairs_; }
  /// Friction of two shapes: as set, or as their surfaces combine.
  double friction(int shape_a, int shape_b) const;
  bool ignored(int body_a, int body_b) const;

  Vec3 gravity{0.0, 0.0, -9.81};  ///< m/s^2
  double margin = 0.005;  ///< contacts are found up to this gap, m, and what speed adds to it
  double restitution_threshold = 0.05;  ///< slower impacts do not rebound, m/s
  double time = 0.0;                    ///< s
  std::vector<std::string> notes;       ///< what was left out where it was made, a sentence each
  /// Called before every step with its length (s): drives, pressures, prescribed motion.
  std::function<void(World&, double)> control;
  /// Of a control that remembers something: what a saved state keeps of it.
  struct ControlState {
    std::function<std::string()> save;
    std::function<void(std::string_view)> load;
  };
  ControlState control_state;

 private:
  /// A dynamic body whose mass or inertia comes from its shapes.
  struct MassOfShapes {
    double mass = 0.0;  // as told; 0: not
    double density = 0.0;
    bool inertia_told = false;
    std::vector<int> shapes;
    Vec3 centre;  // of mass, body axes
  };
  void take_mass_of_shapes(int body);
  /// What still needs a node of a body or particle; empty: nothing.
  std::string user_of(const std::function<bool(int node)>& is_it) const;

  Bodies bodies_;
  Particles particles_;
  std::vector<Deformable> deformables_;
  std::vector<PlacedShape> shapes_;
  std::vector<PointOnPlane> contacts_;
  std::vector<std::unique_ptr<RowSet>> rows_;
  std::unique_ptr<JointRowSet> joints_;
  std::vector<PairSurface> pair_surfaces_;    // sorted
  std::vector<std::pair<int, int>> ignored_;  // sorted
  std::unique_ptr<PairTable> pairs_;
  bool mesh_features_ = false;
  std::set<int> removed_bodies_, removed_shapes_, removed_joints_, removed_deformables_;
  int version_ = 0;
  std::map<int, MassOfShapes> mass_of_shapes_;  // by body
  bool masses_changed_ = false;
};

/// Kinetic, potential (against the origin's height) and elastic energy, J.
double energy(const World& world);

}  // namespace nsn
