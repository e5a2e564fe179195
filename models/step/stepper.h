/// What works behind a Simulation (models/step/simulation.h): the stages of a step and what they keep.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton.h"
#include "nsn/models/rows/resistance_rows.h"
#include "nsn/models/step/contact_finder.h"
#include "nsn/models/step/island_equations.h"
#include "nsn/models/step/islands.h"
#include "nsn/models/step/simulation.h"
#include "nsn/models/step/soft_contact_finder.h"
#include "nsn/models/step/solver_pool.h"
#include "nsn/models/world/world.h"
#include "nsn/precond/complementarity.h"

namespace nsn {

class Stepper {
 public:
  /// Throws std::invalid_argument for options out of range and unknown solvers.
  Stepper(World world, SimulationOptions options, SolverRegistry registry);
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Advances by h. Valid until the next call.
  const StepReport& step();

  const World& world() const { return world_; }
  World& world() { return world_; }
  const SimulationOptions& options() const { return options_; }
  const StepReport& report() const { return report_; }

  /// Rows of the last step's contacts, of rigid and of deformable bodies.
  const ContactRowSet& contacts() const { return contacts_; }
  const SoftContactRowSet& soft_contacts() const { return soft_contacts_; }
  /// Made when they are first asked for after a step.
  const std::vector<ContactInfo>& contact_infos() const;
  /// Of the last step (models/rows/joint_rows.h); the world's joints must not be added to since.
  JointReaction joint_reaction(int j) const;
  double drive_effort(int j, int axis) const;
  double joint_position(int j, int axis) const;
  double joint_speed(int j, int axis) const;
  /// Iterations of island i in the last step; none where a device solved many islands in one launch.
  const std::vector<NewtonIteration>& history(int island) const;
  const NewtonResult& result(int island) const;

  /// models/step/saved_state.cpp
  std::string state() const;
  void set_state(std::string_view bytes);

  /// Forgets the impulses of the last step: the next one starts cold.
  void forget_impulses() { impulses_.clear(); }
  /// Called for every island once it is solved, before the bodies move, from this thread.
  using Inspector = Simulation::Inspector;
  void inspect(Inspector inspector) { inspector_ = std::move(inspector); }
  /// Sees every Newton matrix of the next steps; the first argument is the island.
  void observe(std::function<void(int, const NewtonSystemView&)> observer);

 private:
  struct Slot;  // one island's state, and its equations and solver if it shares none
  bool detect();
  void gather_rows();
  void find_islands();
  void solve_islands();
  void solve_islands_together();
  bool device_failed();
  const StepReport& stay(const std::string& why);
  double island_deadline(const System& system);
  void divide_time(double seconds);
  void solve_island(Slot& slot);
  void show(int island, NewtonSystemView view) const;
  void assemble(Slot& slot, IslandEquations& equations);
  void take_known_impulses(Slot& slot, const System& system) const;
  void find_resistances(Slot& slot, IslandEquations& equations);
  NewtonSolver& own_solver(Slot& slot) const;
  IslandEquations& own_equations(Slot& slot) const;
  void solve(Slot& slot, IslandEquations& equations, NewtonSolver& newton);
  bool update_resistances(Slot& slot);
  void move_bodies();
  void move_particles();
  void say_not_finite(const std::string& what);
  void keep_impulses();
  void name_squeezed(int i);
  void summarise();
  void locate_error(int island);
  void add_info(const Vec3& impulse, ContactInfo info) const;
  void forget_steps();
  /// next: where the impulse of the block after the last one found is, most often.
  const Vec3* known_impulse(std::uint64_t id, std::size_t& next) const;

  World world_;
  SimulationOptions options_;
  SolverRegistry registry_;
  StepReport report_;
  class RememberedTurns;
  std::vector<double> turns_before_;  // of the step under way
  ContactFinder finder_;
  ContactRowSet contacts_;
  ResistanceRowSet resistances_;
  SoftContactFinder soft_finder_;
  SoftContactRowSet soft_contacts_;
  std::vector<const RowSet*> sets_;
  IslandFinder island_finder_;
  IslandWorkspace shared_;
  std::unique_ptr<SolverPool> solvers_;
  std::vector<std::unique_ptr<Slot>> slots_;
  int num_islands_ = 0;
  bool on_threads_ = true;                                // islands may be solved side by side
  bool batches_ = false;                                  // by one solver in one call
  std::vector<Index> contact_row_;                        // of each contact in its island
  std::vector<std::vector<Vec3>> impulse_;                // per set and block, world axes
  std::vector<std::pair<std::uint64_t, Vec3>> impulses_;  // sorted by id
  std::vector<std::pair<std::uint64_t, Vec3>> next_impulses_;
  std::function<void(int, const NewtonSystemView&)> observer_;
  Inspector inspector_;
  int world_version_ = 0;            // shapes that the finders know
  WorkClock clock_;                  // of the whole step
  std::atomic<int> blocks_left_{0};  // row blocks of islands that are not solved yet
  int workers_ = 1;                  // islands solved at a time, at most
  mutable std::vector<ContactInfo> contact_infos_;
  mutable bool infos_made_ = false;  // of the last step
};

}  // namespace nsn
