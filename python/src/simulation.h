/// A simulation as Python holds it.
#pragma once

#include "core.h"
#include "record.h"

namespace nsn::python {

/// What Python wants to be asked in a call of step(); none: nullopt-like None. They are not kept.
struct Callbacks {
  nb::object before, after, observer;
};

class SimulationHandle {
 public:
  SimulationHandle(SharedWorld world, const SimulationOptions& options,
                   const SolverRegistry& registry)
      : world_(std::move(world)), simulation_(world_->give(options, registry)) {}

  const SharedWorld& world() const { return world_; }
  /// Throws RuntimeError while another thread steps it.
  Simulation& get() {
    static_cast<void>(world_->get());
    return *simulation_;
  }

  /// Steps; an exception leaves the state of the last whole step.
  void step(int steps, const Callbacks& callbacks);
  std::string state() { return get().state(); }
  void set_state(std::string_view bytes);
  /// What follows is seen by a run as long as somebody holds it.
  std::shared_ptr<RunHandle> record(RecordOptions options, bool trace);
  /// The joints that the last step knew.
  int joints_of_step() const { return joints_of_step_; }

 private:
  friend class BatchHandle;
  void one_step();

  SharedWorld world_;
  std::shared_ptr<Simulation> simulation_;
  std::vector<std::weak_ptr<RunHandle>> runs_;
  double seconds_ = 1.0;  // of the last step
  bool controlled_ = false;
  int joints_of_step_ = 0;
};

}  // namespace nsn::python
