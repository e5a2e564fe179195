#include "nsn/models/step/island_equations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_operator.h"

namespace nsn {
namespace {

/// Compliance of a row that mends, of its effective inverse mass: how much of the speed it may lack.
constexpr double kYield = 0.01;

/// A position over h that a rigid row keeps on one side of zero: a contact's gap, a limit.
bool one_sided(const System& system, Index i, Index c) {
  if (system.E(kBlockSize * i + (kBlock + 1) * c) != 0.0) return false;  // as deep as its load asks
  const RowLaw& law = system.laws[to_size(i)];
  return law.is_contact() ? c == 0 && !law.rebounds : law.lo[c] == 0.0 && std::isinf(law.hi[c]);
}

bool any_one_sided(const System& system, Index i) {
  return one_sided(system, i, 0) || one_sided(system, i, 1) || one_sided(system, i, 2);
}

}  // namespace

void IslandWorkspace::start(const World& world, double h) {
  configuration.start(world.bodies(), world.particles(), h);
  position.assign(to_size(world.num_bodies()), -1);
  particle_position.assign(to_size(world.num_particles()), -1);
  K.resize(to_size(2 * world.num_bodies()));
  const auto kinematic = [](const auto& one) { return one.kind == BodyKind::kKinematic; };
  any_kinematic = std::any_of(world.bodies().begin(), world.bodies().end(), kinematic) ||
                  std::any_of(world.particles().begin(), world.particles().end(), kinematic);
}

void IslandEquations::assemble(const World& world, const Island& island,
                               const std::vector<const RowSet*>& sets,
                               const ComplementarityOptions& scaling, IslandWorkspace& shared) {
  world_ = &world;
  island_ = &island;
  sets_ = &sets;
  shared_ = &shared;
  system_.h = shared.configuration.h();
  recorded_ = Records::kUnknown;
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    shared.position[to_size(island.bodies[k])] = static_cast<int>(k);
  }
  system_.rigid_nodes = static_cast<Index>(2 * island.bodies.size());
  for (std::size_t k = 0; k < island.particles.size(); ++k) {
    shared.particle_position[to_size(island.particles[k])] =
        system_.rigid_nodes + static_cast<int>(k);
  }
  lay_out();
  set_bodies(system_.h);
  set_particles(system_.h);
  find_runs();
  if (build_pattern()) system_.pattern_id = next_operator_id();
  set_rows();
  start_.fit(system_);
  fill(zero_, 0.0);
  moved_.assign(to_size(system_.dofs()), 0.0);
  deep_.clear();
  start_.evaluate(*this, zero_);
  system_.value_start = start_.value;
  if (system_.compliance_varies) copy(start_.E, system_.E);
  set_prescribed();
  set_complementarity_scaling({}, start_.J, system_);
  copy(system_.rho, system_.rho_error);
  limit_recovery();
  if (!scaling.is_default()) set_complementarity_scaling(scaling, start_.J, system_);
}

/// Node of the island, -1: fixed.
Index IslandEquations::local(int node) const {
  if (is_particle_node(node)) return shared_->particle_position[to_size(particle_of(node))];
  const int position = shared_->position[to_size(node / 2)];
  return position < 0 ? -1 : 2 * position + node % 2;
}

/// The vectors of the system, in one piece of memory.
void IslandEquations::lay_out() {
  const std::size_t nodes = to_size(system_.rigid_nodes) + island_->particles.size();
  const std::size_t blocks = island_->rows.size();
  const std::pair<Vector*, std::size_t> all[] = {
      {&system_.M, kBlockSize * nodes},      {&system_.M_inverse, kBlockSize * nodes},
      {&system_.u_start, kBlock * nodes},    {&system_.u_free, kBlock * nodes},
      {&system_.weight, kBlock * nodes},     {&zero_, kBlock * nodes},
      {&system_.E, kBlockSize * blocks},     {&system_.rho, kBlock * blocks},
      {&system_.rho_error, kBlock * blocks}, {&system_.prescribed, kBlock * blocks}};
  std::size_t size = 0;
  for (const auto& [vector, length] : all) size += length;
  if (storage_.size() < size) storage_.resize(size);
  double* next = storage_.data();
  for (const auto& [vector, length] : all) {
    *vector = Vector(next, length);
    next += length;
  }
}

void IslandEquations::set_bodies(double h) {
  const Vec3& g = world_->gravity;
  const double strength = norm(g);  // its square may be beyond the range of numbers
  double speed = h * (std::isfinite(strength) ? strength : std::hypot(g[0], g[1], g[2]));
  Index n = 0;
  for (const int b : island_->bodies) {
    const ConstBodyRef body = world_->body(b);
    const Mat3 inertia = world_inertia(body);
    const Mat3 inertia_inverse = inverse(inertia);
    const Vec3 v = body.velocity + h * (world_->gravity + (1.0 / body.mass) * body.force);
    const Vec3 w =
        gyroscopic_update(inertia, body.angular_velocity, h) + h * (inertia_inverse * body.torque);
    speed = std::max({speed, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    store9(&system_.M(kBlockSize * n), body.mass * identity<3>());
    store9(&system_.M_inverse(kBlockSize * n), (1.0 / body.mass) * identity<3>());
    store3(&system_.u_start(kBlock * n), body.velocity);
    store3(&system_.u_free(kBlock * n), v);
    store3(&system_.weight(kBlock * n), h * (world_->gravity + (1.0 / body.mass) * body.force));
    ++n;
    store9(&system_.M(kBlockSize * n), inertia);
    store9(&system_.M_inverse(kBlockSize * n), inertia_inverse);
    store3(&system_.u_start(kBlock * n), body.angular_velocity);
    store3(&system_.u_free(kBlock * n), w);
    store3(&system_.weight(kBlock * n), h * (inertia_inverse * body.torque));
    ++n;
  }
  system_.speed_scale = speed > 0.0 ? speed : 1.0;
}

void IslandEquations::set_particles(double h) {
  double speed = system_.speed_scale;
  Index n = system_.rigid_nodes;
  for (const int p : island_->particles) {
    const ConstParticleRef particle = world_->particle(p);
    const Vec3 v =
        particle.velocity + h * (world_->gravity + (1.0 / particle.mass) * particle.force);
    speed = std::max({speed, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    store9(&system_.M(kBlockSize * n), particle.mass * identity<3>());
    store9(&system_.M_inverse(kBlockSize * n), (1.0 / particle.mass) * identity<3>());
    store3(&system_.u_start(kBlock * n), particle.velocity);
    store3(&system_.u_free(kBlock * n), v);
    store3(&system_.weight(kBlock * n),
           h * (world_->gravity + (1.0 / particle.mass) * particle.force));
    ++n;
  }
  system_.speed_scale = speed;
}

void IslandEquations::find_runs() {
  runs_.clear();
  system_.compliance_varies = false;
  const std::vector<RowRef>& rows = island_->rows;
  for (std::size_t i = 0; i < rows.size();) {
    Run run;
    run.set = (*sets_)[to_size(rows[i].set)];
    run.batch = run.set->batch();
    run.k = rows[i].k;
    run.first = i;
    while (i < rows.size() && rows[i].set == rows[run.first].set &&
           rows[i].k == run.k + static_cast<int>(run.count)) {
      ++run.count;
      ++i;
    }
    runs_.push_back(run);
    if (run.batch == nullptr) continue;
    run.batch->start_step(*world_);
    system_.compliance_varies = true;
  }
}

IslandEquations::BlockPattern IslandEquations::block_pattern(const NodeList& list) const {
  BlockPattern pattern;
  std::array<Index, kMaxNodesPerBlock> node;
  for (int k = 0; k < list.count; ++k) {
    node[to_size(k)] = local(list.node[to_size(k)]);
    if (node[to_size(k)] < 0) continue;
    int place = pattern.count++;
    for (; place > 0 && pattern.column[to_size(place - 1)] > node[to_size(k)]; --place) {
      pattern.column[to_size(place)] = pattern.column[to_size(place - 1)];
    }
    pattern.column[to_size(place)] = node[to_size(k)];
  }
  pattern.slot.fill(-1);
  for (int k = 0; k < list.count; ++k) {
    if (node[to_size(k)] < 0) continue;
    int place = 0;
    while (pattern.column[to_size(place)] != node[to_size(k)]) ++place;
    pattern.slot[to_size(k)] = static_cast<std::int8_t>(place);
  }
  return pattern;
}

/// True if the pattern differs from the last one.
bool IslandEquations::build_pattern() {
  const std::size_t blocks = island_->rows.size();
  slot_.resize(blocks);
  bool changed = row_begin_.size() != blocks + 1 || system_.column.extent(0) != column_.size() ||
                 size_of(start_.J.row_begin) != static_cast<Index>(blocks + 1) ||
                 start_.J.columns != system_.nodes();
  row_begin_.resize(blocks + 1);
  row_begin_[0] = 0;
  std::size_t used = 0;
  NodeList list;
  BlockPattern pattern;
  for (std::size_t i = 0; i < blocks; ++i) {
    const RowRef ref = island_->rows[i];
    const NodeList own = (*sets_)[to_size(ref.set)]->nodes(ref.k);
    if (i == 0 || own != list) pattern = block_pattern(own);
    list = own;
    slot_[i] = pattern.slot;
    for (int k = 0; k < pattern.count; ++k, ++used) {
      if (used == column_.size()) column_.push_back(-1);
      changed = changed || column_[used] != pattern.column[to_size(k)];
      column_[used] = pattern.column[to_size(k)];
    }
    changed = changed || row_begin_[i + 1] != static_cast<Index>(used);
    row_begin_[i + 1] = static_cast<Index>(used);
  }
  changed = changed || column_.size() != used;
  column_.resize(used);
  system_.row_begin = IndexVector(row_begin_.data(), row_begin_.size());
  system_.column = IndexVector(column_.data(), column_.size());
  return changed;
}

void IslandEquations::set_rows() {
  const auto blocks = static_cast<Index>(island_->rows.size());
  system_.laws.resize(island_->rows.size());
  const double h = system_.h;
  for (Index i = 0; i < blocks; ++i) {
    const RowRef ref = island_->rows[to_size(i)];
    const RowSet& set = *(*sets_)[to_size(ref.set)];
    system_.laws[to_size(i)] = set.law(ref.k, h);
    store9(&system_.E(kBlockSize * i), diagonal((1.0 / (h * h)) * set.compliance(ref.k, h)));
  }
}

void IslandEquations::update_laws() {
  for (std::size_t i = 0; i < island_->rows.size(); ++i) {
    const RowRef ref = island_->rows[i];
    system_.laws[i] = (*sets_)[to_size(ref.set)]->law(ref.k, system_.h);
  }
  recorded_ = Records::kUnknown;
}

/// What kinematic bodies and particles add to the velocities of contacts and limits.
void IslandEquations::set_prescribed() {
  fill(system_.prescribed, 0.0);
  if (!shared_->any_kinematic) return;
  RowBlock block;
  for (std::size_t i = 0; i < island_->rows.size(); ++i) {
    if (!system_.laws[i].is_contact() && !any_one_sided(system_, static_cast<Index>(i))) continue;
    const RowRef ref = island_->rows[i];
    const RowSet& set = *(*sets_)[to_size(ref.set)];
    const NodeList list = set.nodes(ref.k);
    set.evaluate(ref.k, shared_->configuration, block);
    Vec3 sum;
    for (int k = 0; k < list.count; ++k) {
      sum += block.J[to_size(k)] * prescribed_velocity(list.node[to_size(k)]);
    }
    store3(&system_.prescribed(kBlock * static_cast<Index>(i)), sum);
  }
}

/// A violated row mends at recovery_speed at most. One that would mend faster than the island moves
/// anyway gives way: there may be no room for all of them, as between a floor and a plate.
void IslandEquations::limit_recovery() {
  const double speed = shared_->recovery_speed;
  if (std::isinf(speed)) return;
  const double soft = std::min(speed, system_.speed_scale);
  for (Index row = 0; row < system_.rows(); ++row) {
    const double gap = system_.value_start(row) - system_.prescribed(row);
    if (gap >= -soft || !one_sided(system_, row / kBlock, row % kBlock)) continue;
    system_.E(kBlockSize * (row / kBlock) + (kBlock + 1) * (row % kBlock)) =
        kYield * system_.rho_error(row);
    if (gap < -speed) deep_.push_back({row, gap + speed});
  }
  keep_deep(system_.value_start);
}

void IslandEquations::keep_deep(Vector value) const {
  for (const DeepRow& deep : deep_) value(deep.row) -= deep.kept;
}

/// Zero unless the node is kinematic.
Vec3 IslandEquations::prescribed_velocity(int node) const {
  if (is_particle_node(node)) {
    const int p = particle_of(node);
    const bool moves = world_->particle(p).kind == BodyKind::kKinematic;
    return moves ? shared_->configuration.particle(p).v : Vec3{};
  }
  if (world_->body(node / 2).kind != BodyKind::kKinematic) return {};
  const BodyState& state = shared_->configuration.body(node / 2);
  return node % 2 == 0 ? state.v : state.w;
}

/// Rows and stiffness are often asked for at the same place.
void IslandEquations::move_bodies(ConstVector u) {
  if (std::equal(moved_.begin(), moved_.end(), u.data(), u.data() + u.extent(0))) return;
  moved_.assign(u.data(), u.data() + u.extent(0));
  Index n = 0;
  for (const int b : island_->bodies) {
    shared_->configuration.move(world_->body(b), b, load3(&u(kBlock * n)),
                                load3(&u(kBlock * (n + 1))));
    n += 2;
  }
  for (const int p : island_->particles) {
    shared_->configuration.move(world_->particle(p), p, load3(&u(kBlock * n)));
    ++n;
  }
}

void IslandEquations::evaluate(ConstVector u, Vector value, BlockCsr& J, Vector E) {
  move_bodies(u);
  RowTarget target{0, value, &J, E, nullptr};
  for (const Run& run : runs_) {
    target.first = static_cast<Index>(run.first);
    target.slot = &slot_[run.first];
    if (run.batch != nullptr) {
      run.batch->evaluate(shared_->configuration, target);
    } else {
      run.set->evaluate_run(run.k, run.count, shared_->configuration, target);
    }
  }
  keep_deep(value);
}

/// K of the bodies' nodes from all rows but those of batches.
void IslandEquations::gather_body_stiffness(ConstVector r) {
  for (const int b : island_->bodies) {
    shared_->K[to_size(linear_node(b))] = shared_->K[to_size(angular_node(b))] = Mat3{};
  }
  for (const Run& run : runs_) {
    if (run.batch != nullptr) continue;
    impulse_.resize(run.count);
    for (std::size_t i = 0; i < run.count; ++i) {
      impulse_[i] = load3(&r(kBlock * static_cast<Index>(run.first + i)));
    }
    run.set->add_stiffness_run(run.k, shared_->configuration, impulse_, shared_->K);
  }
}

Mat3 IslandEquations::body_stiffness(int node) const {
  return positive_part(-system_.h * shared_->K[to_size(node)]);
}

void IslandEquations::stiffness(ConstVector u, ConstVector r, Vector H) {
  move_bodies(u);
  gather_body_stiffness(r);
  copy(system_.M, H);
  Index n = 0;
  for (const int b : island_->bodies) {
    for (const int node : {linear_node(b), angular_node(b)}) {
      store9(&H(kBlockSize * n), load9(&H(kBlockSize * n)) + body_stiffness(node));
      ++n;
    }
  }
  for (const Run& run : runs_) {
    if (run.batch != nullptr) run.batch->add_stiffness(shared_->configuration, *this, H);
  }
}

void IslandEquations::add_full_stiffness(ConstVector u, ConstVector r, StiffnessModes modes,
                                         BlockCsr& H) {
  move_bodies(u);
  gather_body_stiffness(r);
  Index n = 0;
  for (const int b : island_->bodies) {
    for (const int node : {linear_node(b), angular_node(b)}) {
      double* const D = &H.value(kBlockSize * find_block(H, n, n));
      store9(D, load9(D) + body_stiffness(node));
      ++n;
    }
  }
  for (const Run& run : runs_) {
    if (run.batch != nullptr) run.batch->add_stiffness(shared_->configuration, *this, modes, H);
  }
}

const StepRecords* IslandEquations::records() {
  if (recorded_ == Records::kUnknown) {
    recorded_ = make_records() ? Records::kMade : Records::kNone;
  }
  return recorded_ == Records::kMade ? &records_ : nullptr;
}

/// False where some kind of row has no record; none knows of violations that stay.
bool IslandEquations::make_records() {
  if (!deep_.empty()) return false;
  records_.clear();
  known_bodies_.clear();
  known_particles_.clear();
  records_.h = system_.h;
  RecordTarget target{records_,
                      0,
                      nullptr,
                      [this](int b) { return body_record(b); },
                      [this](int p) { return particle_record(p); },
                      [this](std::span<const int> all) { return particle_records(all); }};
  for (const Run& run : runs_) {
    target.row = static_cast<Index>(run.first);
    if (run.batch != nullptr && !run.batch->record(target)) return false;
  }
  for (const Run& run : runs_) {
    if (run.batch != nullptr) continue;
    for (std::size_t i = 0; i < run.count; ++i) {
      target.row = static_cast<Index>(run.first + i);
      target.slot = slot_[run.first + i].data();
      if (!run.set->record(run.k + static_cast<int>(i), target)) return false;
    }
  }
  return true;
}

/// Where two laws act on the same particles these are recorded once.
Index IslandEquations::particle_records(std::span<const int> particles) {
  const auto known = known_particles_.find(particles[0]);
  if (known != known_particles_.end()) {
    Index next = known->second;
    const bool follow = std::all_of(particles.begin(), particles.end(), [&](int p) {
      const auto found = known_particles_.find(p);
      return found != known_particles_.end() && found->second == next++;
    });
    if (follow) return known->second;
  }
  const auto first = static_cast<Index>(records_.particles.size());
  for (const int p : particles) add_particle_record(p);
  return first;
}

Index IslandEquations::body_record(int body) {
  const auto next = static_cast<Index>(records_.bodies.size());
  const auto [place, fresh] = known_bodies_.try_emplace(body, next);
  if (!fresh) return place->second;
  BodyRecord record;
  record.node = local(linear_node(body));
  record.state = shared_->configuration.body(body);
  if (record.node >= 0) {
    record.state.x = world_->body(body).position;
    record.state.q = world_->body(body).orientation;
  }
  records_.bodies.push_back(record);
  return next;
}

Index IslandEquations::particle_record(int particle) {
  const auto known = known_particles_.find(particle);
  return known != known_particles_.end() ? known->second : add_particle_record(particle);
}

Index IslandEquations::add_particle_record(int particle) {
  const auto next = static_cast<Index>(records_.particles.size());
  known_particles_.try_emplace(particle, next);
  ParticleRecord record;
  record.node = local(particle_node(particle));
  record.x = world_->particle(particle).position;
  if (record.node < 0) record.v = shared_->configuration.particle(particle).v;
  records_.particles.push_back(record);
  return next;
}

}  // namespace nsn
