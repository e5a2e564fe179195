#include "nsn/models/step/simulation.h"

#include <utility>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/models/step/stepper.h"

namespace nsn {
namespace {

// Bodies, joints and deformables are numbered apart: a number of the wrong kind must not pass.
void require_index(const char* what, int index, int count) {
  NSN_THROW_UNLESS(index >= 0 && index < count, "no {} {} (there are {})", what, index, count);
}
void require_axis(const World& world, int joint, int axis) {
  require_index("joint", joint, world.num_joints());
  const int axes = static_cast<int>(world.joint(joint).axes.size());
  NSN_THROW_UNLESS(axis >= 0 && axis < axes, "joint {}: no axis {} (there are {})", joint, axis,
                   axes);
}

}  // namespace

Simulation::Simulation(World world, SimulationOptions options)
    : Simulation(std::move(world), std::move(options), standard_backends()) {}
Simulation::Simulation(World world, SimulationOptions options, const SolverRegistry& registry)
    : stepper_(std::make_unique<Stepper>(std::move(world), std::move(options), registry)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const StepReport& Simulation::step() {
  if (before_) before_(*this);
  stepper_->step();
  if (after_) after_(*this);
  return stepper_->report();
}
void Simulation::before_step(StepCallback callback) {
  before_ = std::move(callback);
}
void Simulation::after_step(StepCallback callback) {
  after_ = std::move(callback);
}
World& Simulation::world() {
  return stepper_->world();
}
const World& Simulation::world() const {
  return std::as_const(*stepper_).world();
}
const SimulationOptions& Simulation::options() const {
  return stepper_->options();
}
const StepReport& Simulation::report() const {
  return stepper_->report();
}

const std::vector<ContactInfo>& Simulation::contacts() const {
  return stepper_->contact_infos();
}
Vec3 Simulation::contact_force(int body) const {
  require_index("body", body, world().num_bodies());
  Vec3 sum{};
  for (const ContactInfo& c : contacts()) {
    if (c.body_a == body) sum += c.force;
    if (c.body_b == body) sum -= c.force;
  }
  return sum;
}
Vec3 Simulation::contact_force(int body, int by) const {
  require_index("body", body, world().num_bodies());
  require_index("body", by, world().num_bodies());
  Vec3 sum{};
  for (const ContactInfo& c : contacts()) {
    if (c.body_a == body && c.body_b == by) sum += c.force;
    if (c.body_b == body && c.body_a == by) sum -= c.force;
  }
  return sum;
}
Vec3 Simulation::contact_force_on_deformable(int deformable) const {
  require_index("deformable", deformable, static_cast<int>(world().deformables().size()));
  Vec3 sum{};
  for (const ContactInfo& c : contacts()) {
    if (c.deformable_a == deformable) sum += c.force;
    if (c.deformable_b == deformable) sum -= c.force;
  }
  return sum;
}
Vec3 Simulation::contact_force_on_deformable(int deformable, int by) const {
  require_index("deformable", deformable, static_cast<int>(world().deformables().size()));
  require_index("body", by, world().num_bodies());
  Vec3 sum{};
  for (const ContactInfo& c : contacts()) {
    if (c.deformable_a == deformable && c.body_b == by) sum += c.force;
    if (c.deformable_b == deformable && c.body_a == by) sum -= c.force;
  }
  return sum;
}

JointReaction Simulation::joint_reaction(int j) const {
  require_index("joint", j, world().num_joints());
  return stepper_->joint_reaction(j);
}
double Simulation::drive_effort(int j, int axis) const {
  require_axis(world(), j, axis);
  return stepper_->drive_effort(j, axis);
}
double Simulation::joint_position(int j, int axis) const {
  require_axis(world(), j, axis);
  return stepper_->joint_position(j, axis);
}
double Simulation::joint_speed(int j, int axis) const {
  require_axis(world(), j, axis);
  return stepper_->joint_speed(j, axis);
}

const std::vector<NewtonIteration>& Simulation::history(int island) const {
  return stepper_->history(island);
}
const NewtonResult& Simulation::result(int island) const {
  return stepper_->result(island);
}
std::string Simulation::state() const {
  return stepper_->state();
}
void Simulation::set_state(std::string_view bytes) {
  stepper_->set_state(bytes);
}
void Simulation::forget_impulses() {
  stepper_->forget_impulses();
}
void Simulation::inspect(Inspector inspector) {
  stepper_->inspect(std::move(inspector));
}
void Simulation::observe(std::function<void(int, const NewtonSystemView&)> observer) {
  stepper_->observe(std::move(observer));
}

}  // namespace nsn
