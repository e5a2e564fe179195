#include "nsn/models/step/stepper.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>

#include <fmt/ranges.h>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/tasks.h"
#include "nsn/core/base/types.h"
#include "nsn/core/step/devices.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/step/restitution.h"

namespace nsn {
namespace {

/// Row blocks below which a step takes less time than spreading it over threads.
constexpr int kParallelBlocks = 200;
/// Rolling and spinning resistance: rounds of a step, and the relative change that ends them.
constexpr int kMaxRounds = 30;
constexpr double kSameImpulse = 1e-9;

/// Row sets of contacts, before those of the world.
constexpr std::size_t kOwnSets = 2;

/// body(i) for i = 0 ... n - 1, each confined to its thread; an exception is thrown again here.
template <class Body>
void for_each_island(int n, bool parallel, const Body& body) {
  std::exception_ptr error;
  std::mutex mutex;
  const auto guarded = [&](const int i) {
    const SerialScope serial;
    try {
      body(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      error = std::current_exception();
    }
  };
  if (parallel) {
    for_each_task(n, guarded);
  } else {
    for (int i = 0; i < n; ++i) guarded(i);
  }
  if (error) std::rethrow_exception(error);
}

/// |a|, whose square may be beyond the range of numbers.
double length(const Vec3& a) {
  const double plain = norm(a);
  return std::isfinite(plain) ? plain : std::hypot(a[0], a[1], a[2]);
}

void take_largest_parts(const StepError& from, StepError& into) {
  into.normal = std::max(into.normal, from.normal);
  into.friction = std::max(into.friction, from.friction);
  into.box = std::max(into.box, from.box);
  into.momentum = std::max(into.momentum, from.momentum);
}

/// Contacts are the first two row sets (gather_rows).
int contacts_of(const Island& island) {
  return static_cast<int>(std::count_if(island.rows.begin(), island.rows.end(),
                                        [](const RowRef& row) { return row.set < 2; }));
}

}  // namespace

struct Stepper::Slot {
  const Island* island = nullptr;
  bool shares = true;  // equations and solver, unless it turns out that it cannot
  std::unique_ptr<IslandEquations> equations;  // its own, where it does not, or is inspected
  std::unique_ptr<NewtonSolver> newton;        // the same
  std::vector<NewtonIteration> history;        // where it shares a solver
  std::vector<double> unknowns;                // what state views
  State state;
  bool warm = false;
  NewtonResult result;
  struct Resistance {
    int block;     // of the set of resistances
    Index normal;  // row of the contact's normal impulse
  };
  std::vector<Resistance> resistances;
  double assemble_seconds = 0.0;
  double solve_seconds = 0.0;
};

Stepper::Stepper(World world, SimulationOptions options, SolverRegistry registry)
    : world_(std::move(world)),
      options_(std::move(options)),
      registry_(std::move(registry)),
      solvers_(std::make_unique<SolverPool>(options_.newton, registry_)),
      clock_(options_.newton.clock, options_.newton.cancel) {
  NSN_THROW_UNLESS(options_.h > 0.0 && std::isfinite(options_.h), "time step {} is not positive",
                   options_.h);
  NSN_THROW_UNLESS(all_finite(world_.gravity), "gravity is not finite");
  NSN_THROW_UNLESS(options_.complementarity.is_default() ||
                       std::holds_alternative<PaperOptions>(options_.newton.method),
                   "complementarity scaling is not an option of {}; it is one of paper",
                   method_name(options_.newton));
  NSN_THROW_UNLESS(options_.joint_directions == ForceDirections::kEndOfStep ||
                       !std::holds_alternative<RealtimeOptions>(options_.newton.method),
                   "joint directions at the start of the step are not an option of realtime, where "
                   "they would gain energy");
  if (options_.mesh_features) world_.use_mesh_features();
  slots_.push_back(std::make_unique<Slot>());
  static_cast<void>(SolverPool::Loan(*solvers_));  // options that are out of range throw here
  const DeviceInfo device = find_device(options_.newton.device, registry_);
  on_threads_ = device.host;
  batches_ = device.batches;
}

Stepper::~Stepper() = default;

/// What joints remember of their angles is brought up to date as a step begins, and put back unless it ends.
class Stepper::RememberedTurns {
 public:
  explicit RememberedTurns(Stepper& stepper) : stepper_(stepper) {
    const auto turns = stepper.world_.joints().turns();
    stepper.turns_before_.assign(turns.begin(), turns.end());
  }
  ~RememberedTurns() {
    if (!ended_)
      std::ranges::copy(stepper_.turns_before_, stepper_.world_.joints().turns().begin());
  }
  RememberedTurns(const RememberedTurns&) = delete;
  RememberedTurns& operator=(const RememberedTurns&) = delete;
  void end() { ended_ = true; }

 private:
  Stepper& stepper_;
  bool ended_ = false;
};

const StepReport& Stepper::step() {
  infos_made_ = false;
  const double budget = options_.newton.time_budget;
  clock_.set_deadline(budget > 0.0 ? clock_.now() + budget : kInfinity);
  if (world_.control) world_.control(world_, options_.h);
  NSN_THROW_UNLESS(world_.margin >= 0.0 && std::isfinite(world_.margin),
                   "the world's contact margin {} is negative or not finite", world_.margin);
  NSN_THROW_UNLESS(all_finite(world_.gravity), "gravity is not finite");
  world_.check_masses();
  for (int b = 0; b < world_.num_bodies(); ++b) validate(world_.body(b), b);
  for (int p = 0; p < world_.num_particles(); ++p) validate(world_.particle(p), p);
  report_ = {};
  RememberedTurns turns(*this);
  auto start = Clock::now();
  const bool detected = detect();
  report_.detect_seconds = seconds_since(start);
  if (!detected) return stay("cancelled while contacts were found; the world has not moved");
  start = Clock::now();
  gather_rows();
  find_islands();
  report_.assemble_seconds = seconds_since(start);
  solve_islands();
  for (int i = 0; inspector_ && i < num_islands_; ++i) {
    inspector_(i, *slots_[to_size(i)]->equations, slots_[to_size(i)]->result);
  }
  if (device_failed()) return report_;
  turns.end();
  move_bodies();
  keep_impulses();
  summarise();
  world_.time += options_.h;
  return report_;
}

/// No step: the world stays where it is, and nothing is known of its contacts.
const StepReport& Stepper::stay(const std::string& why) {
  finder_ = {};
  contacts_.contacts().clear();
  soft_contacts_.contacts().clear();
  report_.contacts = report_.soft_contacts = 0;
  report_.status = NewtonStatus::kCancelled;
  report_.promise = Promise::kFailed;
  report_.promise_held = false;
  report_.detail = why;
  report_.energy = nsn::energy(world_);
  return report_;
}

/// The world then stays where it is.
bool Stepper::device_failed() {
  for (int i = 0; i < num_islands_; ++i) {
    const NewtonResult& result = slots_[to_size(i)]->result;
    if (result.status != NewtonStatus::kDeviceFailure) continue;
    report_.status = result.status;
    report_.promise = Promise::kFailed;
    report_.promise_held = false;
    report_.detail = result.detail;
    return true;
  }
  return false;
}

/// Returns false if the caller wished to stop: there are no contacts then.
bool Stepper::detect() {
  if (world_version_ != world_.version()) {  // what was known of pairs may be of other shapes
    finder_ = {};
    world_version_ = world_.version();
  }
  const std::function<bool()>& cancel = options_.newton.cancel;
  try {
    if (!finder_.find(world_, options_.h, contacts_, cancel)) return false;
  } catch (...) {
    finder_ = {};  // what it remembers is of half a search
    throw;
  }
  apply_restitution(world_, options_.h, contacts_);
  if (!soft_finder_.find(world_, options_.h, soft_contacts_, cancel)) return false;
  report_.fast_pairs = finder_.fast_pairs();
  report_.soft_contacts = soft_contacts_.size();
  report_.contacts = contacts_.size() + report_.soft_contacts;
  return true;
}

void Stepper::gather_rows() {
  resistances_.build(world_, contacts_);
  sets_.assign({&contacts_, &soft_contacts_});
  for (const auto& rows : world_.rows()) sets_.push_back(rows.get());
  sets_.push_back(&resistances_);
  world_.joints().start_step(world_.bodies(), options_.h, options_.joint_directions);
  sets_.push_back(&world_.joints());
  impulse_.resize(sets_.size());
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    impulse_[s].assign(to_size(sets_[s]->size()), Vec3{});
    report_.row_blocks += sets_[s]->size();
  }
}

const Vec3* Stepper::known_impulse(std::uint64_t id, std::size_t& next) const {
  if (next >= impulses_.size() || impulses_[next].first != id) {
    const auto found =
        std::lower_bound(impulses_.begin(), impulses_.end(), id,
                         [](const auto& entry, std::uint64_t key) { return entry.first < key; });
    if (found == impulses_.end() || found->first != id) return nullptr;
    next = static_cast<std::size_t>(found - impulses_.begin());
  }
  return &impulses_[next++].second;
}

void Stepper::find_islands() {
  shared_.start(world_, options_.h);
  shared_.recovery_speed = options_.newton.recovery_speed;
  island_finder_.find(world_, sets_, options_.islands);
  num_islands_ = report_.islands = island_finder_.count();
  while (static_cast<int>(slots_.size()) < num_islands_) {
    slots_.push_back(std::make_unique<Slot>());
  }
  contact_row_.resize(resistances_.size() > 0 ? to_size(contacts_.size()) : 0);
}

/// An island is solved as soon as it is assembled, while a thread has it in its cache.
void Stepper::solve_islands() {
  for (int i = 0; i < num_islands_; ++i) {
    if (!observer_) break;
    own_solver(*slots_[to_size(i)]).observe([this, i](const auto& view) { show(i, view); });
  }
  const auto one = [&](int i) {
    Slot& slot = *slots_[to_size(i)];
    slot.island = &island_finder_.island(i);
    slot.assemble_seconds = 0.0;
    solve_island(slot);
  };
  blocks_left_ = report_.row_blocks;
  workers_ = 1;
  const auto start = Clock::now();
  // One island may spread its kernels over the threads; several are spread themselves.
  if (num_islands_ == 1) {
    one(0);
  } else if (batches_ && !observer_) {
    solve_islands_together();
  } else {
    const bool parallel = report_.row_blocks >= kParallelBlocks && !observer_ && on_threads_;
    if (parallel) workers_ = std::min(num_islands_, concurrency());
    for_each_island(num_islands_, parallel, one);
  }
  divide_time(seconds_since(start));
}

/// To the observer, with the points that nodes are where all of them are particles.
void Stepper::show(int i, NewtonSystemView view) const {
  const Island& island = island_finder_.island(i);
  std::vector<double> points;
  if (island.bodies.empty()) {
    for (const int p : island.particles) {
      const Vec3 x = world_.particle(p).position;
      points.insert(points.end(), x.a, x.a + kBlock);
    }
  }
  view.positions = ConstVector(points.data(), points.size());
  observer_(i, view);
}

/// By one solver, which takes small islands of a device in one launch. Those with rolling resistance
/// are solved in rounds, each apart.
void Stepper::solve_islands_together() {
  std::vector<IslandStep> islands;
  std::vector<Slot*> of;
  const SolverPool::Loan work(*solvers_);
  for (int i = 0; i < num_islands_; ++i) {
    Slot& slot = *slots_[to_size(i)];
    slot.island = &island_finder_.island(i);
    slot.assemble_seconds = slot.solve_seconds = 0.0;
    slot.newton.reset();
    slot.history.clear();
    IslandEquations& equations = own_equations(slot);
    assemble(slot, equations);
    if (slot.resistances.empty()) {
      islands.push_back({&equations, &slot.state, slot.warm, {}});
      of.push_back(&slot);
    } else {
      solve(slot, equations, work->newton);
    }
  }
  const auto start = Clock::now();
  work->newton.solve_all(islands);
  const double share =
      seconds_since(start) / static_cast<double>(std::max<std::size_t>(1, of.size()));
  for (std::size_t k = 0; k < of.size(); ++k) {
    of[k]->result = islands[k].result;
    of[k]->solve_seconds = share;
  }
}

/// The time of all islands between assembly and solve, as the islands' own times are divided.
void Stepper::divide_time(double seconds) {
  double assembly = 0.0;
  double solve = 0.0;
  for (int i = 0; i < num_islands_; ++i) {
    assembly += slots_[to_size(i)]->assemble_seconds;
    solve += slots_[to_size(i)]->solve_seconds;
  }
  const double share = assembly + solve > 0.0 ? assembly / (assembly + solve) : 0.0;
  report_.assemble_seconds += share * seconds;
  report_.solve_seconds = seconds - share * seconds;
}

/// A small island takes its turn with what it shares with others; another, or one that is looked
/// at, has its own.
void Stepper::solve_island(Slot& slot) {
  const bool many = num_islands_ > 1 && !observer_;
  if (many && slot.shares) {
    const SolverPool::Loan work(*solvers_);
    if (!inspector_) slot.equations.reset();
    IslandEquations& equations = inspector_ ? own_equations(slot) : work->equations;
    assemble(slot, equations);
    slot.shares = work->newton.shareable(equations.system());
    if (slot.shares) {
      slot.newton.reset();
      solve(slot, equations, work->newton);
      slot.history = work->newton.history();
      return;
    }
  }
  IslandEquations& equations = own_equations(slot);
  NewtonSolver& newton = own_solver(slot);
  assemble(slot, equations);
  slot.shares = many && newton.shareable(equations.system());  // from the next step on
  solve(slot, equations, newton);
}

void Stepper::assemble(Slot& slot, IslandEquations& equations) {
  const auto start = Clock::now();
  equations.assemble(world_, *slot.island, sets_, options_.complementarity, shared_);
  take_known_impulses(slot, equations.system());
  find_resistances(slot, equations);
  slot.assemble_seconds += seconds_since(start);
}

/// The island's first guess: impulses of the last step by id.
void Stepper::take_known_impulses(Slot& slot, const System& system) const {
  slot.unknowns.resize(to_size(system.dofs()) + to_size(system.rows()));
  slot.state.u = Vector(slot.unknowns.data(), to_size(system.dofs()));
  slot.state.r = Vector(slot.unknowns.data() + system.dofs(), to_size(system.rows()));
  slot.warm = false;
  std::size_t next = 0;
  for (Index row = 0; row < system.blocks(); ++row) {
    const RowRef ref = slot.island->rows[to_size(row)];
    const RowSet& set = *sets_[to_size(ref.set)];
    const Vec3* known = options_.newton.warm_start ? known_impulse(set.id(ref.k), next) : nullptr;
    slot.warm = slot.warm || known != nullptr;
    store3(&slot.state.r(kBlock * row), known != nullptr ? set.from_world(ref.k, *known) : Vec3{});
  }
}

/// Resistances of the island and the contacts that bound them, with last step's impulses. A contact
/// is in the island of its resistance: islands write and read entries of contact_row_ apart.
void Stepper::find_resistances(Slot& slot, IslandEquations& equations) {
  slot.resistances.clear();
  if (resistances_.size() == 0) return;
  const auto& rows = slot.island->rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].set == 0) contact_row_[to_size(rows[i].k)] = static_cast<Index>(i);
  }
  for (const RowRef& ref : rows) {
    if (sets_[to_size(ref.set)] != &resistances_) continue;
    const Index contact = contact_row_[to_size(resistances_.contact(ref.k))];
    slot.resistances.push_back({ref.k, kBlock * contact});
    resistances_.set_normal_impulse(ref.k, std::max(0.0, slot.state.r(kBlock * contact)));
  }
  equations.update_laws();
}

/// True where a normal impulse has changed since the island was solved with it.
bool Stepper::update_resistances(Slot& slot) {
  double largest = 0.0;
  double change = 0.0;
  for (const auto& resistance : slot.resistances) {
    const double impulse = std::max(0.0, slot.state.r(resistance.normal));
    largest = std::max(largest, impulse);
    change = std::max(change, std::abs(impulse - resistances_.normal_impulse(resistance.block)));
    resistances_.set_normal_impulse(resistance.block, impulse);
  }
  return change > kSameImpulse * largest;
}

NewtonSolver& Stepper::own_solver(Slot& slot) const {
  if (slot.newton == nullptr) {
    slot.newton = std::make_unique<NewtonSolver>(options_.newton, registry_);
  }
  return *slot.newton;
}

IslandEquations& Stepper::own_equations(Slot& slot) const {
  if (slot.equations == nullptr) slot.equations = std::make_unique<IslandEquations>();
  return *slot.equations;
}

/// An island may take its share, by row blocks, of what is left of the step.
double Stepper::island_deadline(const System& system) {
  if (!clock_.limited()) return kInfinity;
  const double now = clock_.now();
  const double share =
      static_cast<double>(workers_) * system.blocks() / std::max(1, blocks_left_.load());
  return now + std::min(1.0, share) * std::max(0.0, clock_.deadline() - now);
}

void Stepper::solve(Slot& slot, IslandEquations& equations, NewtonSolver& newton) {
  const auto start = Clock::now();
  const double deadline = island_deadline(equations.system());
  newton.set_deadline(deadline);
  slot.result = newton.solve(equations, slot.state, slot.warm);
  for (int round = 0; !slot.resistances.empty() && update_resistances(slot); ++round) {
    if (round == kMaxRounds || clock_.now() > deadline) {
      slot.result.status = std::max(slot.result.status, NewtonStatus::kStalled);
      break;
    }
    const NewtonResult before = slot.result;
    equations.update_laws();
    slot.result = newton.solve(equations, slot.state, true);
    slot.result.iterations += before.iterations;
    slot.result.linear_iterations += before.linear_iterations;
  }
  blocks_left_ -= equations.system().blocks();
  slot.solve_seconds = seconds_since(start);
}

void Stepper::move_bodies() {
  const double h = options_.h;
  for (int i = 0; i < num_islands_; ++i) {
    const Slot& slot = *slots_[to_size(i)];
    Index n = 0;
    for (const int b : slot.island->bodies) {
      world_.body(b).velocity = load3(&slot.state.u(kBlock * n));
      world_.body(b).angular_velocity = load3(&slot.state.u(kBlock * (n + 1)));
      n += 2;
    }
    for (const int p : slot.island->particles) {
      world_.particle(p).velocity = load3(&slot.state.u(kBlock * n));
      ++n;
    }
  }
  for (int b = 0; b < world_.num_bodies(); ++b) {
    const BodyRef body = world_.body(b);
    if (body.kind == BodyKind::kStatic) continue;
    if (body.dynamic() && shared_.position[to_size(b)] < 0) {  // no row touches it
      const Vec3 v = body.velocity + h * (world_.gravity + (1.0 / body.mass) * body.force);
      const Mat3 inertia = world_inertia(body);
      const Vec3 w = gyroscopic_update(inertia, body.angular_velocity, h) +
                     h * (inverse(inertia) * body.torque);
      if (all_finite(v) && all_finite(w)) {
        body.velocity = v;
        body.angular_velocity = w;
      } else {
        say_not_finite(fmt::format("body {}", b));
      }
    }
    const Quaternion turned =
        normalized(rotation_exp(h * body.angular_velocity) * body.orientation);
    if (!all_finite(body.position + h * body.velocity) || !std::isfinite(turned.w)) {
      say_not_finite(fmt::format("body {}", b));
      continue;
    }
    shared_.configuration.move(body, b, body.velocity, body.angular_velocity);
    report_.work_external +=
        h * (dot(body.force, body.velocity) + dot(body.torque, body.angular_velocity));
    body.position += h * body.velocity;
    body.orientation = turned;
    report_.speed = std::max(report_.speed, length(body.velocity));
  }
  move_particles();
}

/// What would leave the range of numbers stays as it is.
void Stepper::say_not_finite(const std::string& what) {
  report_.status = NewtonStatus::kNonFinite;
  report_.promise = Promise::kFailed;
  if (report_.detail.empty())
    report_.detail = fmt::format("{}: its motion is beyond the range of numbers", what);
}

void Stepper::move_particles() {
  const double h = options_.h;
  for (int p = 0; p < world_.num_particles(); ++p) {
    const ParticleRef particle = world_.particle(p);
    if (particle.kind == BodyKind::kStatic) continue;
    if (particle.dynamic() && shared_.particle_position[to_size(p)] < 0) {  // no row touches it
      const Vec3 v =
          particle.velocity + h * (world_.gravity + (1.0 / particle.mass) * particle.force);
      if (all_finite(v)) {
        particle.velocity = v;
      } else {
        say_not_finite(fmt::format("particle {}", p));
      }
    }
    if (!all_finite(particle.position + h * particle.velocity)) {
      say_not_finite(fmt::format("particle {}", p));
      continue;
    }
    shared_.configuration.move(particle, p, particle.velocity);
    report_.work_external += h * dot(particle.force, particle.velocity);
    particle.position += h * particle.velocity;
    report_.speed = std::max(report_.speed, length(particle.velocity));
  }
}

void Stepper::keep_impulses() {
  next_impulses_.clear();
  for (int i = 0; i < num_islands_; ++i) {
    const Slot& slot = *slots_[to_size(i)];
    const auto& rows = slot.island->rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const RowRef ref = rows[row];
      const RowSet& set = *sets_[to_size(ref.set)];
      const Vec3 r = load3(&slot.state.r(kBlock * static_cast<Index>(row)));
      const Vec3 world_impulse = set.to_world(ref.k, r);
      impulse_[to_size(ref.set)][to_size(ref.k)] = world_impulse;
      next_impulses_.emplace_back(set.id(ref.k), world_impulse);
    }
  }
  std::sort(next_impulses_.begin(), next_impulses_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  impulses_.swap(next_impulses_);
}

/// Where the error of island i is: it is the largest.
void Stepper::locate_error(int i) {
  const NewtonResult& result = slots_[to_size(i)]->result;
  report_.worst_island = i;
  report_.target_error = result.target_error;
  report_.target = result.target;
  report_.worst_row = report_.worst_contact = report_.worst_body_a = report_.worst_body_b = -1;
  if (result.error.worst < 0) return;
  const RowRef ref = slots_[to_size(i)]->island->rows[to_size(result.error.worst)];
  int first = 0;
  for (int s = 0; s < ref.set; ++s) first += sets_[to_size(s)]->size();
  report_.worst_row = first + ref.k;
  if (ref.set < static_cast<int>(kOwnSets)) report_.worst_contact = report_.worst_row;
  const NodeList nodes = sets_[to_size(ref.set)]->nodes(ref.k);
  for (int n = 0; n < nodes.count; ++n) {
    const int node = nodes.node[to_size(n)];
    if (is_particle_node(node)) continue;
    int& body = report_.worst_body_a < 0 ? report_.worst_body_a : report_.worst_body_b;
    if (node / 2 != report_.worst_body_a) body = node / 2;
  }
}

/// The bodies of an island whose step has no solution.
void Stepper::name_squeezed(int i) {
  const NewtonResult& result = slots_[to_size(i)]->result;
  std::vector<int>& bodies = report_.squeezed_bodies;
  bodies.clear();
  for (const int block : result.squeezed) {
    const RowRef ref = slots_[to_size(i)]->island->rows[to_size(block)];
    const NodeList nodes = sets_[to_size(ref.set)]->nodes(ref.k);
    for (int n = 0; n < nodes.count; ++n) {
      const int node = nodes.node[to_size(n)];
      if (is_particle_node(node) || world_.body(node / 2).kind != BodyKind::kDynamic) continue;
      if (std::ranges::find(bodies, node / 2) == bodies.end()) bodies.push_back(node / 2);
    }
  }
  std::ranges::sort(bodies);
  report_.no_solution = result.no_solution;
  report_.detail = fmt::format(
      "no solution: bodies {} are squeezed; every motion that their contacts admit needs a "
      "velocity change of {:.1e} |q_N|",
      fmt::join(bodies, ", "), result.no_solution);
}

void Stepper::summarise() {
  for (int i = 0; i < num_islands_; ++i) {
    const NewtonResult& result = slots_[to_size(i)]->result;
    report_.newton_iterations = std::max(report_.newton_iterations, result.iterations);
    report_.factorizations += result.iterations;
    report_.contacts_of_island =
        std::max(report_.contacts_of_island, contacts_of(*slots_[to_size(i)]->island));
    report_.linear_iterations += result.linear_iterations;
    report_.safe_seconds += result.safe_seconds;
    report_.status = std::max(report_.status, result.status);
    if (result.no_solution > report_.no_solution) name_squeezed(i);
    if (report_.detail.empty()) report_.detail = result.detail;
    report_.promise = std::max(report_.promise, result.promise);
    report_.islands_reached += result.promise == Promise::kReached ? 1 : 0;
    report_.islands_missed += result.promise == Promise::kMissed ? 1 : 0;
    report_.islands_failed += result.promise == Promise::kFailed ? 1 : 0;
    report_.handed_over = report_.handed_over || result.handed_over;
    report_.restarted = report_.restarted || result.restarted;
    report_.traffic += result.traffic;
    report_.iteration_traffic += result.iteration_traffic;
    if (i == 0 || result.evaluate_on != "device") report_.evaluate_on = result.evaluate_on;
    if (i == 0 || result.solve_on != "device") report_.solve_on = result.solve_on;
    const StepError before = report_.error;
    const bool worse = report_.worst_island < 0 || !(result.error.total <= before.total);
    if (worse) report_.error = result.error;
    take_largest_parts(before, report_.error);
    take_largest_parts(result.error, report_.error);
    if (worse) locate_error(i);
  }
  for (int k = 0; k < contacts_.size(); ++k) {
    report_.penetration = std::max(report_.penetration, -contacts_.gap(k, shared_.configuration));
  }
  for (int k = 0; k < soft_contacts_.size(); ++k) {
    report_.penetration =
        std::max(report_.penetration, -soft_contacts_.gap(k, shared_.configuration));
  }
  for (int k = 0; k < contacts_.size(); ++k) {  // work of kinematic bodies through their contacts
    const Contact& c = contacts_.contacts()[to_size(k)];
    const Vec3 point = contacts_.point(k, shared_.configuration);
    const auto work = [&](int b, const Vec3& impulse) {
      const ConstBodyRef body = world_.body(b);
      if (body.kind != BodyKind::kKinematic) return 0.0;
      const Vec3 v = body.velocity + cross(body.angular_velocity, point - body.position);
      return -dot(impulse, v);
    };
    report_.work_external +=
        work(c.body_a, impulse_[0][to_size(k)]) + work(c.body_b, -impulse_[0][to_size(k)]);
  }
  for (int j = 0; j < world_.joints().num_joints(); ++j) {
    const std::vector<JointAxis>& axes = world_.joint(j).axes;
    for (int k = 0; k < static_cast<int>(axes.size()); ++k) {
      if (!axes[to_size(k)].drive.on()) continue;
      report_.work_external += options_.h * drive_effort(j, k) * joint_speed(j, k);
    }
  }
  report_.drift = world_.joints().drift(shared_.configuration);
  report_.energy = nsn::energy(world_);
  if (!std::isfinite(report_.energy) || !std::isfinite(report_.speed)) say_not_finite("the world");
  report_.promise_held = holds(report_.promise, options_.newton);
}

const std::vector<ContactInfo>& Stepper::contact_infos() const {
  if (infos_made_) return contact_infos_;
  infos_made_ = true;
  contact_infos_.clear();
  const Configuration& at = shared_.configuration;
  for (int k = 0; !impulse_.empty() && k < contacts_.size(); ++k) {
    const Contact& c = contacts_.contacts()[to_size(k)];
    ContactInfo info;
    info.body_a = c.body_a, info.body_b = c.body_b;
    info.shape_a = c.shape_a, info.shape_b = c.shape_b;
    info.id = c.id, info.normal = c.normal, info.mu = c.mu;
    info.point = contacts_.point(k, at);
    info.gap = contacts_.gap(k, at);
    add_info(impulse_[0][to_size(k)], info);
  }
  for (int k = 0; !impulse_.empty() && k < soft_contacts_.size(); ++k) {
    const SoftContact& c = soft_contacts_.contacts()[to_size(k)];
    ContactInfo info;
    info.body_a = c.a.body, info.body_b = c.b.body;
    info.shape_b = c.shape_b;
    info.deformable_a = c.deformable_a, info.deformable_b = c.deformable_b;
    info.id = c.id, info.normal = c.normal, info.mu = c.mu;
    info.point = soft_contacts_.point(k, at);
    info.gap = soft_contacts_.gap(k, at);
    add_info(impulse_[1][to_size(k)], info);
  }
  return contact_infos_;
}

void Stepper::add_info(const Vec3& impulse, ContactInfo info) const {
  constexpr double kEdge = 1.0 - 1e-6;
  info.impulse = impulse;
  info.force = (1.0 / options_.h) * impulse;
  const double normal = dot(impulse, info.normal);
  const double tangential = norm(impulse - normal * info.normal);
  if (normal > 0.0) {
    info.state = tangential < kEdge * info.mu * normal ? ContactState::kStick : ContactState::kSlip;
  }
  contact_infos_.push_back(info);
}

JointReaction Stepper::joint_reaction(int j) const {
  return world_.joints().reaction(j, shared_.configuration, impulse_.back());
}
double Stepper::drive_effort(int j, int axis) const {
  return world_.joints().drive_effort(j, axis, impulse_.back());
}
double Stepper::joint_position(int j, int axis) const {
  return world_.joints().position(j, axis, shared_.configuration);
}
double Stepper::joint_speed(int j, int axis) const {
  return world_.joints().speed(j, axis, shared_.configuration);
}
const std::vector<NewtonIteration>& Stepper::history(int island) const {
  const Slot& slot = *slots_[to_size(island)];
  return slot.newton != nullptr ? slot.newton->history() : slot.history;
}
const NewtonResult& Stepper::result(int island) const {
  return slots_[to_size(island)]->result;
}

void Stepper::observe(std::function<void(int, const NewtonSystemView&)> observer) {
  observer_ = std::move(observer);
  if (!observer_) {
    for (auto& slot : slots_) {
      if (slot->newton != nullptr) slot->newton->observe({});
    }
  }
}

/// Solvers and finders begin again.
void Stepper::forget_steps() {
  slots_.clear();
  slots_.push_back(std::make_unique<Slot>());
  num_islands_ = 0;
  solvers_ = std::make_unique<SolverPool>(options_.newton, registry_);
  finder_ = {};
  soft_finder_ = {};
  contacts_.contacts().clear();
  soft_contacts_.contacts().clear();
  infos_made_ = false;
  contact_infos_.clear();
  report_ = {};
}

}  // namespace nsn
