/// Steps a world through time: detect contacts, assemble islands, solve each, move the bodies.
///
///   nsn::Simulation simulation(std::move(world), options, nsn::standard_backends());
///   for (int k = 0; k < 100; ++k) {
///     const nsn::StepReport& report = simulation.step();
///     if (!report.converged()) ...                       // the best iterate was taken
///   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton.h"
#include "nsn/models/rows/resistance_rows.h"
#include "nsn/models/step/contact_finder.h"
#include "nsn/models/step/island_equations.h"
#include "nsn/models/step/islands.h"
#include "nsn/models/step/soft_contact_finder.h"
#include "nsn/models/step/solver_pool.h"
#include "nsn/models/world/world.h"
#include "nsn/precond/complementarity.h"

namespace nsn {

struct SimulationOptions {
  double h = 1.0 / 120.0;                  ///< time step, s, > 0
  NewtonOptions newton{};                  ///< accurate by default
  ComplementarityOptions complementarity;  ///< of the paper's method alone
  /// Directions of joint impulses (models/rows/joint_rows.h).
  ForceDirections joint_directions = ForceDirections::kEndOfStep;
  bool islands = true;  ///< solve islands apart; false: all in one system
  /// Shapes collide as triangle meshes, every pair of features within the margin is a contact.
  bool mesh_features = false;
};

/// What one step did.
struct StepReport {
  int contacts = 0;            ///< of rigid and of deformable bodies
  int soft_contacts = 0;       ///< those that touch a deformable body
  int contacts_of_island = 0;  ///< most of one island
  int row_blocks = 0;
  int islands = 0;
  int newton_iterations = 0;                       ///< largest of the islands
  int factorizations = 0;                          ///< sum over the islands
  int linear_iterations = 0;                       ///< sum over the islands
  NewtonStatus status = NewtonStatus::kConverged;  ///< the worst of the islands
  /// Of the worst island, m/s; its parts are the largest of all islands.
  StepError error;
  int worst_island = -1;
  int worst_row = -1;  ///< row block of the step (contacts in their order first)
  bool handed_over = false;
  bool restarted = false;
  /// paper: where the islands' rows were evaluated and their linear systems solved, and what crossed
  /// and was launched, in the step and in its Newton iterations alone.
  std::string evaluate_on, solve_on;
  Traffic traffic, iteration_traffic;
  std::string detail;          ///< of a device's failure; the world is where it was
  double penetration = 0.0;    ///< largest at the end of the step, m, >= 0
  JointDrift drift;            ///< of the joints at the end of the step
  double energy = 0.0;         ///< kinetic and potential at the end, J
  double work_external = 0.0;  ///< by forces, torques, kinematic bodies and drives in the step, J
  double speed = 0.0;          ///< largest of a body's centre at the end, m/s
  double detect_seconds = 0.0;
  /// Islands are assembled and solved one by one, on several threads at a time: the wall time of
  /// all of them is divided between the two as the islands' own times are. Rows and islands are
  /// found before; that is assembly too.
  double assemble_seconds = 0.0;
  double solve_seconds = 0.0;

  bool converged() const { return status == NewtonStatus::kConverged; }
};

class Simulation {
 public:
  /// Throws std::invalid_argument for options out of range and unknown solvers.
  Simulation(World world, SimulationOptions options, SolverRegistry registry);
  Simulation(Simulation&&) = default;
  ~Simulation();

  /// Advances by h. Valid until the next call.
  const StepReport& step();

  const World& world() const { return world_; }
  World& world() { return world_; }
  const SimulationOptions& options() const { return options_; }
  const StepReport& report() const { return report_; }

  /// Contacts of the last step and their impulses (world axes, on body a), kg m/s.
  const ContactRowSet& contacts() const { return contacts_; }
  Vec3 contact_impulse(int k) const;
  /// Gap of contact k at the end of the last step, m.
  double contact_gap(int k) const { return contacts_.gap(k, shared_.configuration); }
  Vec3 contact_point(int k) const { return contacts_.point(k, shared_.configuration); }
  /// The same of contacts that touch deformable bodies.
  const SoftContactRowSet& soft_contacts() const { return soft_contacts_; }
  Vec3 soft_contact_impulse(int k) const;
  double soft_contact_gap(int k) const { return soft_contacts_.gap(k, shared_.configuration); }
  Vec3 soft_contact_point(int k) const { return soft_contacts_.point(k, shared_.configuration); }
  /// Of the last step (models/rows/joint_rows.h); the world's joints must not be added to since.
  JointReaction joint_reaction(int j) const;
  double drive_effort(int j, int axis) const;
  double joint_position(int j, int axis) const;
  double joint_speed(int j, int axis) const;
  /// Iterations of island i in the last step; none where a device solved many islands in one launch.
  const std::vector<NewtonIteration>& history(int island) const;
  const NewtonResult& result(int island) const;

  /// Forgets the impulses of the last step: the next one starts cold.
  void forget_impulses() { impulses_.clear(); }
  /// Called for every island once it is solved, before the bodies move, from this thread.
  using Inspector = std::function<void(int island, StepEquations&, const NewtonResult&)>;
  void inspect(Inspector inspector) { inspector_ = std::move(inspector); }
  /// Sees every Newton matrix of the next steps; the first argument is the island.
  void observe(std::function<void(int, const NewtonSystemView&)> observer);

 private:
  struct Slot;  // one island's state, and its equations and solver if it shares none
  void detect();
  void gather_rows();
  void find_islands();
  void solve_islands();
  void solve_islands_together();
  bool device_failed();
  void divide_time(double seconds);
  void solve_island(Slot& slot);
  void assemble(Slot& slot, IslandEquations& equations);
  void take_known_impulses(Slot& slot, const System& system) const;
  void find_resistances(Slot& slot, IslandEquations& equations);
  NewtonSolver& own_solver(Slot& slot) const;
  IslandEquations& own_equations(Slot& slot) const;
  void solve(Slot& slot, IslandEquations& equations, NewtonSolver& newton);
  bool update_resistances(Slot& slot);
  void move_bodies();
  void move_particles();
  void keep_impulses();
  void summarise();
  /// next: where the impulse of the block after the last one found is, most often.
  const Vec3* known_impulse(std::uint64_t id, std::size_t& next) const;

  World world_;
  SimulationOptions options_;
  SolverRegistry registry_;
  StepReport report_;
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
};

}  // namespace nsn
