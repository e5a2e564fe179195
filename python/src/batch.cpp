// Many worlds of one kind, stepped together: their state as arrays with the world as first index.
#include <exception>
#include <mutex>
#include <set>

#include "nsn/core/base/tasks.h"
#include "nsn/models/robots/build_robot.h"
#include "simulation.h"

namespace nsn::python {

/// The arrays are what a step starts from, and are written by it.
class BatchHandle {
 public:
  /// robot: of the first world, or null; those of the others were built alike.
  BatchHandle(std::vector<std::shared_ptr<SimulationHandle>> simulations,
              const std::shared_ptr<RobotHandle>& robot);

  void step(int steps);
  /// The arrays of these worlds, from the worlds.
  void pull(const std::vector<int>& worlds);
  int size() const { return static_cast<int>(simulations_.size()); }

  struct Arrays {
    std::vector<double> position, orientation, velocity, angular_velocity, force, torque;
    std::vector<double> joint_position, joint_speed, joint_effort, joint_target;
    std::vector<double> energy, error;
  };
  std::shared_ptr<Arrays> arrays = std::make_shared<Arrays>();
  std::vector<std::string> joints;
  std::size_t bodies = 0;

 private:
  World& world(int i) { return simulations_[to_size(i)]->simulation_->world(); }
  template <class Row>
  static void copy_rows(const std::vector<Row>& from, std::vector<double>& to, int i);
  template <class Row>
  static void copy_rows(const std::vector<double>& from, std::vector<Row>& to, int i);
  void find_joints(const Robot* robot);
  void push_one(int i);
  void pull_one(int i);
  void drive(int i);

  std::vector<std::shared_ptr<SimulationHandle>> simulations_;
  Robot drives_;  // only its degrees of freedom: those of a robot first, then of the other joints
};

BatchHandle::BatchHandle(std::vector<std::shared_ptr<SimulationHandle>> simulations,
                         const std::shared_ptr<RobotHandle>& robot)
    : simulations_(std::move(simulations)) {
  NSN_THROW_UNLESS(!simulations_.empty(), "n: a batch of no worlds");
  bodies = static_cast<std::size_t>(world(0).num_bodies());
  for (int i = 0; i < size(); ++i) {
    NSN_THROW_UNLESS(static_cast<std::size_t>(world(i).num_bodies()) == bodies,
                     "world {} has {} bodies, world 0 has {}: a batch needs worlds of one kind", i,
                     world(i).num_bodies(), bodies);
    NSN_THROW_UNLESS(world(i).num_joints() == world(0).num_joints(),
                     "world {} has {} joints, world 0 has {}: a batch needs worlds of one kind", i,
                     world(i).num_joints(), world(0).num_joints());
    for (int j = 0; j < world(0).num_joints(); ++j) {
      NSN_THROW_UNLESS(world(i).joint(j).type == world(0).joint(j).type,
                       "joint {} is {} in world {}, {} in world 0", j, world(i).joint(j).type, i,
                       world(0).joint(j).type);
    }
  }
  find_joints(robot ? &robot->robot : nullptr);
  const std::size_t n = simulations_.size();
  for (auto* const v : {&arrays->position, &arrays->velocity, &arrays->angular_velocity,
                        &arrays->force, &arrays->torque}) {
    v->resize(n * bodies * 3);
  }
  arrays->orientation.resize(n * bodies * 4);
  for (auto* const v : {&arrays->joint_position, &arrays->joint_speed, &arrays->joint_effort,
                        &arrays->joint_target}) {
    v->resize(n * joints.size());
  }
  arrays->energy.resize(n);
  arrays->error.resize(n);
  for (int i = 0; i < size(); ++i) pull_one(i);
}

void BatchHandle::find_joints(const Robot* robot) {
  std::set<std::pair<int, int>> known;
  if (robot != nullptr) {
    for (const RobotDof& dof : robot->dofs) {
      if (dof.joint < 0) continue;
      drives_.dofs.push_back(dof);
      known.emplace(dof.joint, dof.axis);
    }
  }
  for (int j = 0; j < world(0).num_joints(); ++j) {
    const Joint& joint = world(0).joint(j);
    for (int axis = 0; axis < static_cast<int>(joint.axes.size()); ++axis) {
      if (known.contains({j, axis})) continue;
      RobotDof dof;
      dof.name = joint.name.empty() ? fmt::format("joint {}", j) : joint.name;
      if (joint.axes.size() > 1) dof.name += fmt::format(" {}", axis);
      dof.joint = j;
      dof.axis = axis;
      drives_.dofs.push_back(dof);
    }
  }
  for (const RobotDof& dof : drives_.dofs) joints.push_back(dof.name);
}

template <class Row>
void BatchHandle::copy_rows(const std::vector<Row>& from, std::vector<double>& to, int i) {
  const std::size_t count = from.size() * sizeof(Row) / sizeof(double);
  const auto* const data = reinterpret_cast<const double*>(from.data());
  std::copy_n(data, count, to.data() + to_size(i) * count);
}
template <class Row>
void BatchHandle::copy_rows(const std::vector<double>& from, std::vector<Row>& to, int i) {
  const std::size_t count = to.size() * sizeof(Row) / sizeof(double);
  std::copy_n(from.data() + to_size(i) * count, count, reinterpret_cast<double*>(to.data()));
}

void BatchHandle::push_one(int i) {
  const auto block = world(i).bodies().share();
  copy_rows(arrays->position, block->position, i);
  copy_rows(arrays->orientation, block->orientation, i);
  copy_rows(arrays->velocity, block->velocity, i);
  copy_rows(arrays->angular_velocity, block->angular_velocity, i);
}

void BatchHandle::pull_one(int i) {
  const auto block = world(i).bodies().share();
  copy_rows(block->position, arrays->position, i);
  copy_rows(block->orientation, arrays->orientation, i);
  copy_rows(block->velocity, arrays->velocity, i);
  copy_rows(block->angular_velocity, arrays->angular_velocity, i);
  const std::size_t m = joints.size();
  for (std::size_t k = 0; k < m; ++k) {
    const auto d = static_cast<int>(k);
    const RobotDof& dof = drives_.at(d);
    const JointDrive& drive = world(i).joint(dof.joint).axes[to_size(dof.axis)].drive;
    arrays->joint_position[to_size(i) * m + k] = nsn::position(world(i), drives_, d);
    arrays->joint_speed[to_size(i) * m + k] = speed(world(i), drives_, d);
    arrays->joint_target[to_size(i) * m + k] = dof.reference + dof.sign * drive.target;
  }
  const StepReport& report = simulations_[to_size(i)]->simulation_->report();
  arrays->energy[to_size(i)] = report.energy;
  arrays->error[to_size(i)] = report.error.relative;
}

/// Forces, efforts and targets of a step.
void BatchHandle::drive(int i) {
  const auto block = world(i).bodies().share();
  copy_rows(arrays->force, block->force, i);
  copy_rows(arrays->torque, block->torque, i);
  const std::size_t m = joints.size();
  for (std::size_t k = 0; k < m; ++k) {
    const double effort = arrays->joint_effort[to_size(i) * m + k];
    const double target = arrays->joint_target[to_size(i) * m + k];
    NSN_THROW_UNLESS(std::isfinite(effort) && std::isfinite(target),
                     "joint '{}': effort {}, target {}", joints[k], effort, target);
    if (effort != 0.0) add_effort(world(i), drives_, static_cast<int>(k), effort);
    set_target(world(i), drives_, static_cast<int>(k), target);
  }
}

void BatchHandle::step(int steps) {
  NSN_THROW_UNLESS(steps >= 0, "n: {} steps", steps);
  std::vector<std::unique_ptr<WorldHandle::Stepping>> stepping;
  for (const auto& one : simulations_) {
    stepping.push_back(std::make_unique<WorldHandle::Stepping>(*one->world()));
  }
  std::mutex mutex;
  int failed = size();
  std::exception_ptr error;
  const Interruptible scope;
  const Unlocked unlocked;
  for_each_task(size(), [&](int i) {
    const SerialScope serial;
    try {
      push_one(i);
      for (int k = 0; k < steps; ++k) {
        drive(i);
        simulations_[to_size(i)]->one_step();
        Interruptible::poll();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (i < failed) error = std::current_exception(), failed = i;
    }
    pull_one(i);
  });
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const std::invalid_argument& refused) {
    throw std::invalid_argument(fmt::format("world {}: {}", failed, refused.what()));
  }
}

void BatchHandle::pull(const std::vector<int>& worlds) {
  for (const int i : worlds) {
    check_index("world", i, size());
    pull_one(i);
  }
}

namespace {

/// (n, bodies, width)
auto body_rows(std::vector<double> BatchHandle::Arrays::*member, std::size_t width) {
  return [member, width](BatchHandle& b) {
    return live(((*b.arrays).*member).data(), {to_size(b.size()), b.bodies, width}, b.arrays);
  };
}
/// (n, joints)
auto joint_rows(std::vector<double> BatchHandle::Arrays::*member) {
  return [member](BatchHandle& b) {
    return live(((*b.arrays).*member).data(), {to_size(b.size()), b.joints.size()}, b.arrays);
  };
}

}  // namespace

void bind_batch(nb::module_& m) {
  using A = BatchHandle::Arrays;
  nb::class_<BatchHandle>(m, "Batch")
      .def(nb::init<std::vector<std::shared_ptr<SimulationHandle>>,
                    const std::shared_ptr<RobotHandle>&>(),
           "simulations"_a, "robot"_a.none())
      .def("step", &BatchHandle::step, "n"_a)
      .def("pull", &BatchHandle::pull, "worlds"_a)
      .def_ro("joints", &BatchHandle::joints)
      .def_prop_ro("position", body_rows(&A::position, 3))
      .def_prop_ro("orientation", body_rows(&A::orientation, 4))
      .def_prop_ro("velocity", body_rows(&A::velocity, 3))
      .def_prop_ro("angular_velocity", body_rows(&A::angular_velocity, 3))
      .def_prop_ro("force", body_rows(&A::force, 3))
      .def_prop_ro("torque", body_rows(&A::torque, 3))
      .def_prop_ro("joint_position", joint_rows(&A::joint_position))
      .def_prop_ro("joint_speed", joint_rows(&A::joint_speed))
      .def_prop_ro("joint_effort", joint_rows(&A::joint_effort))
      .def_prop_ro("joint_target", joint_rows(&A::joint_target))
      .def_prop_ro("energy",
                   [](BatchHandle& b) {
                     return live(b.arrays->energy.data(), {to_size(b.size())}, b.arrays);
                   })
      .def_prop_ro("error", [](BatchHandle& b) {
        return live(b.arrays->error.data(), {to_size(b.size())}, b.arrays);
      });
}

}  // namespace nsn::python
