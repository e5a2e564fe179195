// Many worlds of one kind, stepped together: their state as arrays with the world as first index.
#include "simulation.h"

#include <exception>
#include <mutex>

#include "nsn/core/base/tasks.h"
#include "nsn/models/robots/build_robot.h"

namespace nsn::python {

/// The arrays are what a step starts from, and are written by it.
class BatchHandle {
 public:
  BatchHandle(std::vector<std::shared_ptr<SimulationHandle>> simulations,
              std::vector<std::shared_ptr<RobotHandle>> robots);

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
  void push_one(int i);
  void pull_one(int i);
  void drive(int i);

  std::vector<std::shared_ptr<SimulationHandle>> simulations_;
  std::vector<std::shared_ptr<RobotHandle>> robots_;
  std::vector<int> dofs_;  // hinges and slides of the robot
};

BatchHandle::BatchHandle(std::vector<std::shared_ptr<SimulationHandle>> simulations,
                         std::vector<std::shared_ptr<RobotHandle>> robots)
    : simulations_(std::move(simulations)), robots_(std::move(robots)) {
  NSN_THROW_UNLESS(!simulations_.empty(), "n: a batch of no worlds");
  NSN_THROW_UNLESS(robots_.empty() || robots_.size() == simulations_.size(),
                   "{} robots for {} worlds: one each", robots_.size(), simulations_.size());
  bodies = static_cast<std::size_t>(world(0).num_bodies());
  for (int i = 0; i < size(); ++i) {
    NSN_THROW_UNLESS(static_cast<std::size_t>(world(i).num_bodies()) == bodies,
                     "world {} has {} bodies, world 0 has {}: a batch needs worlds of one kind", i,
                     world(i).num_bodies(), bodies);
  }
  if (!robots_.empty()) {
    const Robot& robot = robots_[0]->robot;
    for (int d = 0; d < static_cast<int>(robot.dofs.size()); ++d) {
      if (robot.at(d).joint < 0) continue;
      dofs_.push_back(d);
      joints.push_back(robot.at(d).name);
    }
  }
  const std::size_t n = simulations_.size();
  for (auto* const v : {&arrays->position, &arrays->velocity, &arrays->angular_velocity,
                        &arrays->force, &arrays->torque}) {
    v->resize(n * bodies * 3);
  }
  arrays->orientation.resize(n * bodies * 4);
  for (auto* const v : {&arrays->joint_position, &arrays->joint_speed, &arrays->joint_effort,
                        &arrays->joint_target}) {
    v->resize(n * dofs_.size());
  }
  arrays->energy.resize(n);
  arrays->error.resize(n);
  for (int i = 0; i < size(); ++i) pull_one(i);
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
  const std::size_t m = dofs_.size();
  for (std::size_t k = 0; k < m; ++k) {
    const Robot& robot = robots_[to_size(i)]->robot;
    arrays->joint_position[to_size(i) * m + k] = position(world(i), robot, dofs_[k]);
    arrays->joint_speed[to_size(i) * m + k] = speed(world(i), robot, dofs_[k]);
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
  const std::size_t m = dofs_.size();
  for (std::size_t k = 0; k < m; ++k) {
    const Robot& robot = robots_[to_size(i)]->robot;
    const double effort = arrays->joint_effort[to_size(i) * m + k];
    const double target = arrays->joint_target[to_size(i) * m + k];
    NSN_THROW_UNLESS(std::isfinite(effort) && std::isfinite(target),
                     "joint '{}': effort {}, target {}", joints[k], effort, target);
    if (effort != 0.0) add_effort(world(i), robot, dofs_[k], effort);
    set_target(world(i), robot, dofs_[k], target);
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
  const nb::gil_scoped_release free;
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
      .def(nb::init<std::vector<std::shared_ptr<SimulationHandle>>, std::vector<std::shared_ptr<RobotHandle>>>(),
           "simulations"_a, "robots"_a)
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
      .def_prop_ro("energy", [](BatchHandle& b) { return live(b.arrays->energy.data(), {to_size(b.size())}, b.arrays); })
      .def_prop_ro("error", [](BatchHandle& b) { return live(b.arrays->error.data(), {to_size(b.size())}, b.arrays); });
}

}  // namespace nsn::python
