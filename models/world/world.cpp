#include "nsn/models/world/world.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/models/collision/mesh_of_shape.h"
#include "nsn/models/collision/no_shape.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/compliance_rows.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/rows/row_set.h"
#include "nsn/models/world/configuration.h"

namespace nsn {
namespace {

std::pair<int, int> ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

std::string body_label(const World& world, int b) {
  const std::string& name = world.body(b).name;
  return name.empty() ? fmt::format("body {}", b) : fmt::format("body {} ({})", b, name);
}

void check_coefficient(double value, const char* what, int index, const char* owner) {
  NSN_THROW_UNLESS(value >= 0.0 && std::isfinite(value), "{} {}: {} {} is negative or not finite",
                   owner, index, what, value);
}

void check_surface(const Surface& surface, int index) {
  check_coefficient(surface.mu, "friction coefficient", index, "shape");
  check_coefficient(surface.compliance, "compliance", index, "shape");
  check_coefficient(surface.thickness, "thickness", index, "shape");
  check_coefficient(surface.rolling, "rolling resistance", index, "shape");
  check_coefficient(surface.spinning, "spinning resistance", index, "shape");
  NSN_THROW_UNLESS(surface.restitution >= 0.0 && surface.restitution <= 1.0,
                   "shape {}: restitution {} is not in [0, 1]", index, surface.restitution);
}

void check_volume(const Shape& shape, int index, const std::string& body) {
  try {
    static_cast<void>(shape.solid());
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("shape {}: {} tells no mass or inertia, and {}", index, body, error.what()));
  }
}

}  // namespace

World::World()
    : joints_(std::make_unique<JointRowSet>()),
      pairs_(std::make_unique<PairTable>(standard_pairs())) {
  ensure_runtime();
}
World::~World() = default;
World::World(const World& other)
    : gravity(other.gravity),
      margin(other.margin),
      restitution_threshold(other.restitution_threshold),
      time(other.time),
      control(other.control),
      bodies_(other.bodies_),
      particles_(other.particles_),
      deformables_(other.deformables_),
      shapes_(other.shapes_),
      contacts_(other.contacts_),
      joints_(std::make_unique<JointRowSet>(*other.joints_)),
      pair_surfaces_(other.pair_surfaces_),
      ignored_(other.ignored_),
      pairs_(std::make_unique<PairTable>(*other.pairs_)),
      mesh_features_(other.mesh_features_),
      removed_bodies_(other.removed_bodies_),
      removed_shapes_(other.removed_shapes_),
      removed_joints_(other.removed_joints_),
      removed_deformables_(other.removed_deformables_),
      version_(other.version_),
      mass_of_shapes_(other.mass_of_shapes_),
      masses_changed_(other.masses_changed_) {
  NSN_THROW_UNLESS(!other.control_state.save && !other.control_state.load,
                   "this world cannot be copied: its control remembers something (control_state)");
  for (std::size_t s = 0; s < other.rows_.size(); ++s) {
    rows_.push_back(other.rows_[s]->clone());
    NSN_THROW_UNLESS(rows_.back() != nullptr,
                     "this world cannot be copied: row set {} has no clone()", s);
    for (Deformable& body : deformables_) {
      if (body.rows != other.rows_[s].get()) continue;
      body.rows = dynamic_cast<ComplianceRowSet*>(rows_.back().get());
      body.elements = dynamic_cast<Tetrahedra*>(&body.rows->law());
    }
  }
}
World& World::operator=(const World& other) {
  World copy(other);
  return *this = std::move(copy);
}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::add_rows(std::unique_ptr<RowSet> rows) {
  rows_.push_back(std::move(rows));
}

Joint& World::joint(int j) {
  NSN_THROW_UNLESS(j >= 0 && j < num_joints(), "no joint {} (there are {})", j, num_joints());
  return joints_->joint(j);
}

const Joint& World::joint(int j) const {
  NSN_THROW_UNLESS(j >= 0 && j < num_joints(), "no joint {} (there are {})", j, num_joints());
  return joints_->joint(j);
}

int World::num_joints() const {
  return joints_->num_joints();
}

int World::add_body(Body body) {
  const bool reused = !removed_bodies_.empty();
  const int b = reused ? *removed_bodies_.begin() : num_bodies();
  validate_told(body, b);
  mass_of_shapes_.erase(b);
  if (body.dynamic() && !(body.tells_mass() && body.tells_inertia())) {
    mass_of_shapes_[b] = {body.mass, body.density, body.tells_inertia(), {}, {}};
    masses_changed_ = true;
  }
  if (reused) {
    removed_bodies_.erase(b);
    bodies_.own();
    assign(std::move(body), bodies_[static_cast<std::size_t>(b)]);
  } else {
    append(std::move(body), bodies_.own());
  }
  return b;
}

int World::add_particle(const Particle& particle) {
  validate(particle, num_particles());
  append(particle, particles_.own());
  return num_particles() - 1;
}

int World::add_shape(int body, std::shared_ptr<const Shape> shape, const Surface& surface,
                     const Vec3& offset, const Quaternion& rotation) {
  const bool reused = !removed_shapes_.empty();
  const int index = reused ? *removed_shapes_.begin() : static_cast<int>(shapes_.size());
  NSN_THROW_UNLESS(body >= 0 && body < num_bodies() && has_body(body),
                   "shape {}: no body {} (there are {})", index, body, num_bodies());
  NSN_THROW_UNLESS(shape != nullptr, "shape {}: null", index);
  NSN_THROW_UNLESS(all_finite(offset), "shape {}: offset is not finite", index);
  check_surface(surface, index);
  const auto of_shapes = mass_of_shapes_.find(body);
  if (of_shapes != mass_of_shapes_.end()) {
    check_volume(*shape, index, body_label(*this, body));
    of_shapes->second.shapes.push_back(index);
  }
  if (!reused) shapes_.emplace_back();
  removed_shapes_.erase(index);
  shapes_[static_cast<std::size_t>(index)] = {body, std::move(shape), surface, offset,
                                              normalized(rotation)};
  if (of_shapes != mass_of_shapes_.end()) take_mass_of_shapes(body);
  ++version_;
  return index;
}

void World::take_mass_of_shapes(int body) {
  MassOfShapes& told = mass_of_shapes_.at(body);
  Solid sum;
  std::vector<std::pair<Solid, Vec3>> parts;  // inertia in body axes, centre in the body
  for (const int s : told.shapes) {
    const PlacedShape& placed = shapes_[static_cast<std::size_t>(s)];
    Solid solid = placed.shape->solid();
    const Mat3 R = rotation_matrix(placed.rotation);
    solid.inertia = R * solid.inertia * transpose(R);
    parts.emplace_back(solid, placed.offset + R * solid.centre);
    sum.volume += solid.volume;
    sum.centre += solid.volume * parts.back().second;
  }
  if (sum.volume > 0.0) sum.centre = (1.0 / sum.volume) * sum.centre;
  for (const auto& [solid, centre] : parts) {
    sum.inertia += shifted_inertia(solid.inertia, solid.volume, centre - sum.centre);
  }
  told.centre = sum.centre;
  masses_changed_ = true;
  const BodyRef heavy = this->body(body);
  const double density =
      told.mass > 0.0 && sum.volume > 0.0 ? told.mass / sum.volume : told.density;
  heavy.mass = told.mass > 0.0 ? told.mass : density * sum.volume;
  if (!told.inertia_told) heavy.inertia = density * sum.inertia;
}

void World::check_masses() {
  if (!masses_changed_) return;
  for (const auto& [b, told] : mass_of_shapes_) {
    const auto what = [&, b = b] { return body_label(*this, b); };
    NSN_THROW_UNLESS(!told.shapes.empty(),
                     "{}: tells no mass or no inertia, and has no shape to take it from", what());
    const double size = std::sqrt(trace(body(b).inertia) / body(b).mass);
    NSN_THROW_UNLESS(
        norm(told.centre) <= 1e-6 * size,
        "{}: the centre of mass of its shapes is ({}, {}, {}) m away from its origin: move the "
        "shapes, or tell mass and inertia",
        what(), told.centre[0], told.centre[1], told.centre[2]);
  }
  masses_changed_ = false;
}

void World::set_surface(int shape, const Surface& surface) {
  const int count = static_cast<int>(shapes_.size());
  NSN_THROW_UNLESS(shape >= 0 && shape < count, "no shape {} (there are {})", shape, count);
  check_surface(surface, shape);
  shapes_[static_cast<std::size_t>(shape)].surface = surface;
}

void World::use_mesh_features() {
  std::map<const Shape*, std::shared_ptr<const Shape>> made;
  for (PlacedShape& placed : shapes_) {
    const Shape* const key = placed.shape.get();
    if (!made.contains(key)) made.emplace(key, mesh_of_shape(placed.shape));
    if (const auto& mesh = made.at(key)) placed.shape = mesh;
  }
  mesh_features_ = true;
}

void World::add_contact(const PointOnPlane& contact) {
  const int index = static_cast<int>(contacts_.size());
  for (const int body : {contact.body_a, contact.body_b}) {
    NSN_THROW_UNLESS(body >= 0 && body < num_bodies(), "contact {}: no body {} (there are {})",
                     index, body, num_bodies());
  }
  NSN_THROW_UNLESS(contact.body_a != contact.body_b, "contact {}: both sides are body {}", index,
                   contact.body_a);
  const double size = norm(contact.normal);
  NSN_THROW_UNLESS(std::abs(size - 1.0) < 1e-6, "contact {}: normal has length {}, not 1", index,
                   size);
  NSN_THROW_UNLESS(all_finite(contact.point) && all_finite(contact.origin),
                   "contact {}: a point is not finite", index);
  check_coefficient(contact.mu, "friction coefficient", index, "contact");
  check_coefficient(contact.compliance, "compliance", index, "contact");
  NSN_THROW_UNLESS(std::isfinite(contact.thickness), "contact {}: thickness is not finite", index);
  contacts_.push_back(contact);
}

int World::add_joint(Joint joint) {
  const int a = joint.body_a;
  const int b = joint.body_b;
  const bool collide = joint.collide;
  const int index = joints_->add(std::move(joint), num_bodies());
  if (!collide) ignore_pair(a, b);
  return index;
}

int World::add_joint(Joint joint, const JointPlacement& where) {
  const int index = joints_->num_joints();
  validate(joint, index, num_bodies());
  place(joint, where, body(joint.body_a), body(joint.body_b), joint_label(joint, index));
  return add_joint(std::move(joint));
}

void World::set_pair(const PairSurface& pair) {
  const int count = static_cast<int>(shapes_.size());
  NSN_THROW_UNLESS(
      pair.shape_a >= 0 && pair.shape_a < count && pair.shape_b >= 0 && pair.shape_b < count,
      "pair ({}, {}): there are {} shapes", pair.shape_a, pair.shape_b, count);
  check_coefficient(pair.mu, "friction coefficient", pair.shape_a, "pair of shape");
  const auto [a, b] = ordered(pair.shape_a, pair.shape_b);
  pair_surfaces_.push_back({a, b, pair.mu});
  std::stable_sort(pair_surfaces_.begin(), pair_surfaces_.end(), [](const auto& p, const auto& q) {
    return std::tie(p.shape_a, p.shape_b) < std::tie(q.shape_a, q.shape_b);
  });
}

void World::set_filter(int shape, const CollisionFilter& filter) {
  const int count = static_cast<int>(shapes_.size());
  NSN_THROW_UNLESS(shape >= 0 && shape < count, "filter: no shape {} (there are {})", shape, count);
  shapes_[static_cast<std::size_t>(shape)].filter = filter;
}

void World::ignore_pair(int body_a, int body_b) {
  const auto pair = ordered(body_a, body_b);
  ignored_.insert(std::lower_bound(ignored_.begin(), ignored_.end(), pair), pair);
}

std::string World::user_of(const std::function<bool(int node)>& is_it) const {
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    for (int k = 0; k < rows_[s]->size(); ++k) {
      const NodeList nodes = rows_[s]->nodes(k);
      const auto* const end = nodes.node.begin() + nodes.count;
      if (std::any_of(nodes.node.begin(), end, is_it)) return fmt::format("row set {}", s);
    }
  }
  return {};
}

void World::remove_shape(int shape) {
  NSN_THROW_UNLESS(shape >= 0 && shape < static_cast<int>(shapes_.size()) && has_shape(shape),
                   "no shape {} to remove", shape);
  PlacedShape& placed = shapes_[static_cast<std::size_t>(shape)];
  placed = {placed.body, std::make_shared<NoShape>()};
  placed.filter.category = placed.filter.mask = 0;
  const auto of_shapes = mass_of_shapes_.find(placed.body);
  if (of_shapes != mass_of_shapes_.end()) {
    std::erase(of_shapes->second.shapes, shape);
    take_mass_of_shapes(placed.body);
  }
  std::erase_if(pair_surfaces_,
                [&](const PairSurface& p) { return p.shape_a == shape || p.shape_b == shape; });
  removed_shapes_.insert(shape);
  ++version_;
}

void World::remove_joint(int joint) {
  NSN_THROW_UNLESS(joint >= 0 && joint < num_joints() && has_joint(joint), "no joint {} to remove",
                   joint);
  Joint& removed = joints_->joint(joint);
  if (!removed.collide) {
    const auto pair = ordered(removed.body_a, removed.body_b);
    const auto place = std::lower_bound(ignored_.begin(), ignored_.end(), pair);
    if (place != ignored_.end() && *place == pair) ignored_.erase(place);
  }
  removed.rows.clear();
  removed.axes.clear();
  removed_joints_.insert(joint);
}

void World::remove_body(int body) {
  NSN_THROW_UNLESS(body >= 0 && body < num_bodies() && has_body(body), "no body {} to remove",
                   body);
  const auto what = [&] { return body_label(*this, body); };
  for (int j = 0; j < num_joints(); ++j) {
    const Joint& one = joint(j);
    NSN_THROW_UNLESS(!has_joint(j) || (one.body_a != body && one.body_b != body),
                     "{} cannot be removed: {} holds it", what(), joint_label(one, j));
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    NSN_THROW_UNLESS(contacts_[k].body_a != body && contacts_[k].body_b != body,
                     "{} cannot be removed: contact {} given by hand needs it", what(), k);
  }
  const std::string user =
      user_of([&](int node) { return node == 2 * body || node == 2 * body + 1; });
  NSN_THROW_UNLESS(user.empty(), "{} cannot be removed: {} needs it", what(), user);
  for (int s = 0; s < static_cast<int>(shapes_.size()); ++s) {
    if (has_shape(s) && shapes_[static_cast<std::size_t>(s)].body == body) remove_shape(s);
  }
  std::erase_if(ignored_,
                [&](const auto& pair) { return pair.first == body || pair.second == body; });
  bodies_.own();
  Body nothing;
  nothing.kind = BodyKind::kStatic;
  nothing.position = bodies_[static_cast<std::size_t>(body)].position;
  assign(std::move(nothing), bodies_[static_cast<std::size_t>(body)]);
  mass_of_shapes_.erase(body);
  removed_bodies_.insert(body);
}

void World::remove_particle(int particle) {
  NSN_THROW_UNLESS(particle >= 0 && particle < num_particles(), "no particle {} to remove",
                   particle);
  for (std::size_t d = 0; d < deformables_.size(); ++d) {
    const Deformable& body = deformables_[d];
    NSN_THROW_UNLESS(!has_deformable(static_cast<int>(d)) || particle < body.first_particle ||
                         particle >= body.first_particle + body.num_nodes(),
                     "particle {} cannot be removed: it is a node of deformable {}", particle, d);
  }
  const std::string user = user_of([&](int node) { return node == -1 - particle; });
  NSN_THROW_UNLESS(user.empty(), "particle {} cannot be removed: {} needs it", particle, user);
  const ParticleRef gone = this->particle(particle);
  gone.kind = BodyKind::kStatic;
  gone.velocity = gone.force = {};
}

void World::remove_deformable(int deformable) {
  NSN_THROW_UNLESS(deformable >= 0 && deformable < static_cast<int>(deformables_.size()) &&
                       has_deformable(deformable),
                   "no deformable {} to remove", deformable);
  Deformable& body = deformables_[static_cast<std::size_t>(deformable)];
  const auto own = [&](int node) {
    return node < 0 && -1 - node >= body.first_particle &&
           -1 - node < body.first_particle + body.num_nodes();
  };
  std::vector<ComplianceRowSet*> laws;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    auto* const law = dynamic_cast<ComplianceRowSet*>(rows_[s].get());
    if (law != nullptr && law->size() > 0 && own(particle_node(law->particles().front()))) {
      laws.push_back(law);
      continue;
    }
    for (int k = 0; k < rows_[s]->size(); ++k) {
      const NodeList nodes = rows_[s]->nodes(k);
      NSN_THROW_UNLESS(std::none_of(nodes.node.begin(), nodes.node.begin() + nodes.count, own),
                       "deformable {} cannot be removed: row set {} needs it", deformable, s);
    }
  }
  for (ComplianceRowSet* const law : laws) law->remove();
  body.boundary = {};
  body.edges.clear();
  for (Index n = 0; n < body.num_nodes(); ++n) {
    const ParticleRef gone = particle(body.particle(n));
    gone.kind = BodyKind::kStatic;
    gone.velocity = gone.force = {};
  }
  removed_deformables_.insert(deformable);
  ++version_;
}

double World::friction(int shape_a, int shape_b) const {
  const auto key = ordered(shape_a, shape_b);
  const auto found = std::lower_bound(
      pair_surfaces_.begin(), pair_surfaces_.end(), key,
      [](const PairSurface& p, const auto& k) { return std::pair(p.shape_a, p.shape_b) < k; });
  if (found != pair_surfaces_.end() && std::pair(found->shape_a, found->shape_b) == key) {
    return found->mu;
  }
  const Surface& a = shapes_[static_cast<std::size_t>(shape_a)].surface;
  const Surface& b = shapes_[static_cast<std::size_t>(shape_b)].surface;
  if (a.combine == Surface::Combine::kLarger && b.combine == Surface::Combine::kLarger) {
    if (a.priority != b.priority) {
      const Surface& one = a.priority > b.priority ? a : b;
      return one.slick ? 0.0 : one.mu;
    }
    return a.slick && b.slick ? 0.0 : std::max(a.mu, b.mu);
  }
  return a.mu == b.mu ? a.mu : std::sqrt(a.mu * b.mu);
}

bool World::ignored(int body_a, int body_b) const {
  return !ignored_.empty() &&
         std::binary_search(ignored_.begin(), ignored_.end(), ordered(body_a, body_b));
}

double energy(const World& world) {
  double sum = 0.0;
  for (const ConstBodyRef body : world.bodies()) {
    if (!body.dynamic()) continue;
    sum += kinetic_energy(body) - body.mass * dot(world.gravity, body.position);
  }
  for (const ConstParticleRef p : world.particles()) {
    if (!p.dynamic()) continue;
    sum += p.mass * (0.5 * dot(p.velocity, p.velocity) - dot(world.gravity, p.position));
  }
  for (const auto& rows : world.rows()) sum += rows->energy(world);
  return sum;
}

}  // namespace nsn
