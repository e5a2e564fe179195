/// Steps a world through time: detect contacts, assemble islands, solve each, move the bodies.
///
///   nsn::Simulation simulation(std::move(world));
///   for (int k = 0; k < 100; ++k) {
///     const nsn::StepReport& report = simulation.step();
///     if (!report.promise_held) ...                      // the best iterate was taken
///   }
///
/// What works behind it is models/step/stepper.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/newton_result.h"
#include "nsn/models/joints/joint_reaction.h"
#include "nsn/models/world/world.h"
#include "nsn/precond/complementarity_options.h"

namespace nsn {

class SolverRegistry;     // core/linear/solver_registry.h
class StepEquations;      // core/step/system.h
class Stepper;            // models/step/stepper.h
struct NewtonSystemView;  // core/step/step_method.h

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
  /// Pairs that close by more than the size of one of them in the step: met as a ball, in one point
  /// (models/collision/fast_pair.h). A smaller step resolves them.
  int fast_pairs = 0;
  int row_blocks = 0;
  int islands = 0;
  int newton_iterations = 0;                       ///< largest of the islands
  int factorizations = 0;                          ///< sum over the islands
  int linear_iterations = 0;                       ///< sum over the islands
  NewtonStatus status = NewtonStatus::kConverged;  ///< the worst of the islands
  /// What became of the method's promise: of the worst island, and whether that keeps it
  /// (holds(), core/step/newton_options.h).
  Promise promise = Promise::kReached;
  bool promise_held = true;
  int islands_reached = 0;  ///< of each outcome
  int islands_missed = 0;
  int islands_failed = 0;
  /// Of the island of the largest error: what it is judged by, m/s.
  double target_error = 0.0;
  double target = 0.0;
  /// Of the worst island, m/s; its parts are the largest of all islands.
  StepError error;
  int worst_island = -1;
  int worst_row = -1;  ///< row block of the step (contacts in their order first)
  /// What that row touches: bodies (-1: none, or a deformable one), and where it is of a contact, its
  /// place in contacts() (-1: it is none).
  int worst_body_a = -1;
  int worst_body_b = -1;
  int worst_contact = -1;
  /// accurate: the certificate that the linearised step of an island has no solution, how much of a velocity change
  /// every admissible motion needs (core/contact/no_solution.h), and the bodies that are squeezed, each once. The step
  /// then is the safe one.
  double no_solution = 0.0;
  std::vector<int> squeezed_bodies;
  bool handed_over = false;
  bool restarted = false;
  /// paper: where the islands' rows were evaluated and their linear systems solved, and what crossed
  /// and was launched, in the step and in its Newton iterations alone.
  std::string evaluate_on, solve_on;
  Traffic traffic, iteration_traffic;
  /// What there is to say: of a device's failure (the world is where it was then), of numbers out of
  /// range.
  std::string detail;
  double penetration = 0.0;    ///< largest at the end of the step, m, >= 0
  JointDrift drift;            ///< of the joints at the end of the step
  double energy = 0.0;         ///< kinetic and potential at the end, J
  double work_external = 0.0;  ///< by forces, torques, kinematic bodies and drives in the step, J
  double speed = 0.0;          ///< largest of a body's centre at the end, m/s
  double detect_seconds = 0.0;
  /// With a time budget: of it, first safe iterates of all islands; what is not bounded by the budget.
  double safe_seconds = 0.0;
  /// Islands are assembled and solved one by one, on several threads at a time: the wall time of
  /// all of them is divided between the two as the islands' own times are. Rows and islands are
  /// found before; that is assembly too.
  double assemble_seconds = 0.0;
  double solve_seconds = 0.0;

  /// Every island's error is at most the tolerance, or of realtime the target.
  bool converged() const { return status <= NewtonStatus::kOnTarget; }
};

enum class ContactState { kOpen, kStick, kSlip };

/// One contact point at the end of a step.
struct ContactInfo {
  int body_a = -1;  ///< -1: a deformable body
  int body_b = -1;
  int shape_a = -1;  ///< of the world; -1: a deformable body, or a contact given by hand
  int shape_b = -1;
  int deformable_a = -1;  ///< -1: a rigid body
  int deformable_b = -1;
  std::uint64_t id = 0;  ///< the same as long as the same features meet
  Vec3 point{};          ///< on b's surface, m
  Vec3 normal{};         ///< unit, from b to a
  Vec3 impulse{};        ///< on a over the step, kg m/s; b feels the opposite
  Vec3 force{};          ///< the same as a force: impulse / h, N
  double gap = 0.0;      ///< m; < 0: they overlap
  double mu = 0.0;
  /// Open: no force. Slip: the force is on the edge of its cone, |f_T| >= (1 - 1e-6) mu f_N.
  ContactState state = ContactState::kOpen;
};

class Simulation {
 public:
  /// With the standard linear solvers. Throws std::invalid_argument for options out of range.
  explicit Simulation(World world, SimulationOptions options = {});
  /// With these; throws for unknown ones as well.
  Simulation(World world, SimulationOptions options, const SolverRegistry& registry);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Advances by h. Valid until the next call.
  const StepReport& step();
  /// Called at the start of every step: set drives, forces, velocities here, add and remove bodies. If
  /// it throws, the step does not happen. Not part of state(); an empty function ends it.
  using StepCallback = std::function<void(Simulation&)>;
  void before_step(StepCallback callback);
  /// Called at the end of every step, when world, report and contacts are those of its end.
  void after_step(StepCallback callback);

  World& world();
  const World& world() const;
  const SimulationOptions& options() const;
  const StepReport& report() const;

  /// Contacts of the last step, those of rigid bodies first.
  const std::vector<ContactInfo>& contacts() const;
  /// Sum of the contact forces on a body in the last step, N.
  Vec3 contact_force(int body) const;
  /// On body, by body `by`.
  Vec3 contact_force(int body, int by) const;
  Vec3 contact_force_on_deformable(int deformable) const;
  /// On the deformable body, by a rigid one.
  Vec3 contact_force_on_deformable(int deformable, int by) const;

  /// Of the last step; the world's joints must not have been added to since.
  JointReaction joint_reaction(int j) const;
  double drive_effort(int j, int axis) const;
  double joint_position(int j, int axis) const;
  double joint_speed(int j, int axis) const;

  /// Iterations of island i in the last step; none where a device solved many islands in one launch.
  const std::vector<NewtonIteration>& history(int island) const;
  const NewtonResult& result(int island) const;

  /// Everything that decides the future, as bytes that mean the same on every machine: a run that goes
  /// on from it, here or in another process, is the uninterrupted one bit by bit.
  std::string state() const;
  /// The world must be built as that of the state was. Throws std::invalid_argument for bytes that
  /// are damaged, of another version or of another world; nothing has changed then.
  void set_state(std::string_view bytes);

  /// Forgets the impulses of the last step: the next one starts cold.
  void forget_impulses();
  /// Called for every island once it is solved, before the bodies move, from this thread.
  using Inspector = std::function<void(int island, StepEquations&, const NewtonResult&)>;
  void inspect(Inspector inspector);
  /// Sees every Newton matrix of the next steps; the first argument is the island.
  void observe(std::function<void(int, const NewtonSystemView&)> observer);

  /// The rows of the last step, for tools of nsn itself (not installed).
  const Stepper& stepper() const { return *stepper_; }

 private:
  std::unique_ptr<Stepper> stepper_;
  StepCallback before_, after_;
};

}  // namespace nsn
