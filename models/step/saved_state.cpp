// What decides the future of a simulation, as bytes: "nsn state", a version, the sizes of the world, then
// the world, joints, force laws, control, impulses and what is known of resting pairs, and a checksum.
#include <algorithm>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/step/stepper.h"
#include "nsn/models/world/state_bytes.h"

namespace nsn {
namespace {

constexpr std::string_view kMagic = "nsn state";
constexpr std::uint64_t kVersion = 1;

void write(const World& world, StateWriter& out) {
  out.number(world.time);
  out.vector(world.gravity);
  for (const ConstBodyRef b : world.bodies()) {
    out.number(static_cast<std::uint64_t>(b.kind));
    out.number(b.mass);
    out.matrix(b.inertia);
    out.vector(b.position);
    out.quaternion(b.orientation);
    for (const Vec3& v : {b.velocity, b.angular_velocity, b.force, b.torque}) out.vector(v);
  }
  for (const ConstParticleRef p : world.particles()) {
    out.number(static_cast<std::uint64_t>(p.kind));
    out.number(p.mass);
    for (const Vec3& v : {p.position, p.velocity, p.force}) out.vector(v);
  }
}

BodyKind kind_from(std::uint64_t value) {
  NSN_THROW_UNLESS(value <= static_cast<std::uint64_t>(BodyKind::kKinematic),
                   "state: {} is not a kind of body", value);
  return static_cast<BodyKind>(value);
}

void read(StateReader& in, World& world) {
  world.time = in.number();
  world.gravity = in.vector();
  for (const BodyRef b : world.bodies()) {
    b.kind = kind_from(in.integer());
    b.mass = in.number();
    b.inertia = in.matrix();
    b.position = in.vector();
    b.orientation = in.quaternion();
    for (Vec3* const v : {&b.velocity, &b.angular_velocity, &b.force, &b.torque}) *v = in.vector();
  }
  for (const ParticleRef p : world.particles()) {
    p.kind = kind_from(in.integer());
    p.mass = in.number();
    for (Vec3* const v : {&p.position, &p.velocity, &p.force}) *v = in.vector();
  }
}

/// What a control may change of a joint.
std::vector<double*> numbers_of(Joint& joint) {
  std::vector<double*> all;
  for (JointRow& row : joint.rows) {
    all.insert(all.end(), {&row.target, &row.compliance, &row.damping});
  }
  for (JointAxis& axis : joint.axes) {
    JointDrive& d = axis.drive;
    all.insert(all.end(),
               {&axis.limit.lower, &axis.limit.upper, &axis.friction, &axis.spring.stiffness,
                &axis.spring.damping, &axis.spring.rest, &axis.armature, &d.stiffness, &d.damping,
                &d.target, &d.speed, &d.max_effort, &d.effort.lower, &d.effort.upper});
  }
  return all;
}

/// Sizes that two worlds must share for a state of one to be one of the other.
struct Sizes {
  const char* what;
  std::size_t count;
};
std::vector<Sizes> sizes_of(const World& world) {
  std::size_t axes = 0;
  std::size_t tets = 0;
  std::size_t shapes = 0;
  for (int j = 0; j < world.num_joints(); ++j) axes += world.joint(j).axes.size();
  for (std::size_t s = 0; s < world.shapes().size(); ++s) {
    shapes += world.has_shape(static_cast<int>(s)) ? 1 : 0;
  }
  for (const Deformable& body : world.deformables()) tets += body.mesh.tet.size();
  return {{"bodies", world.bodies().size()},
          {"particles", world.particles().size()},
          {"shapes", shapes},
          {"joints", static_cast<std::size_t>(world.num_joints())},
          {"axes of joints", axes},
          {"tetrahedra", tets}};
}

/// The body of a state without its head and checksum.
std::string_view checked(std::string_view bytes, const World& world) {
  NSN_THROW_UNLESS(bytes.substr(0, kMagic.size()) == kMagic,
                   "state: these bytes come from something else, none of nsn's states");
  NSN_THROW_UNLESS(bytes.size() >= kMagic.size() + 16, "state: ends after {} bytes", bytes.size());
  const std::string_view all = bytes.substr(0, bytes.size() - 8);
  StateReader head(all.substr(kMagic.size()));
  const std::uint64_t version = head.integer();
  NSN_THROW_UNLESS(version == kVersion, "state: version {}, this nsn reads version {}", version,
                   kVersion);
  StateReader tail(bytes.substr(bytes.size() - 8));
  NSN_THROW_UNLESS(tail.integer() == checksum(all), "state: damaged or cut off ({} bytes)",
                   bytes.size());
  for (const Sizes& size : sizes_of(world)) {
    const std::uint64_t count = head.integer();
    NSN_THROW_UNLESS(count == size.count, "state: of another world: {} {}, here {}", count,
                     size.what, size.count);
  }
  return all.substr(kMagic.size() + 8 * (1 + sizes_of(world).size()));
}

}  // namespace

std::string Stepper::state() const {
  StateWriter out;
  out.number(kVersion);
  for (const Sizes& size : sizes_of(world_)) out.number(std::uint64_t{size.count});
  write(world_, out);
  for (int j = 0; j < world_.num_joints(); ++j) {
    Joint joint = world_.joint(j);
    for (const double* const x : numbers_of(joint)) out.number(*x);
  }
  for (const double turn : world_.joints().turns()) out.number(turn);
  for (const Deformable& body : world_.deformables()) {
    for (Index t = 0; t < body.elements->num_tets(); ++t) out.number(body.elements->activation(t));
  }
  out.text(world_.control_state.save ? world_.control_state.save() : std::string());
  out.number(std::uint64_t{impulses_.size()});
  for (const auto& [id, impulse] : impulses_) {
    out.number(id);
    out.vector(impulse);
  }
  finder_.write_memory(out);
  std::string bytes = std::string(kMagic) + out.bytes();
  StateWriter tail;
  tail.number(checksum(bytes));
  return bytes + tail.bytes();
}

void Stepper::set_state(std::string_view bytes) {
  StateReader in(checked(bytes, world_));
  read(in, world_);
  for (int j = 0; j < world_.num_joints(); ++j) {
    for (double* const x : numbers_of(world_.joint(j))) *x = in.number();
  }
  for (double& turn : world_.joints().turns()) turn = in.number();
  for (const Deformable& body : world_.deformables()) {
    for (Index t = 0; t < body.elements->num_tets(); ++t) {
      body.elements->set_activation(t, in.number());
    }
  }
  const std::string control = in.text();
  if (world_.control_state.load) world_.control_state.load(control);
  impulses_.resize(in.count(32));
  for (auto& [id, impulse] : impulses_) {
    id = in.integer();
    impulse = in.vector();
  }
  forget_steps();
  finder_.read_memory(in, world_);
}

}  // namespace nsn
