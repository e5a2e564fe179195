#include "nsn/models/world/world.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/models/collision/mesh_of_shape.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {
namespace {

std::pair<int, int> ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
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

}  // namespace

World::World()
    : joints_(std::make_unique<JointRowSet>()),
      pairs_(std::make_unique<PairTable>(standard_pairs())) {
  ensure_runtime();
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

void World::add_rows(std::unique_ptr<RowSet> rows) {
  rows_.push_back(std::move(rows));
}

Joint& World::joint(int j) {
  return joints_->joint(j);
}

const Joint& World::joint(int j) const {
  return joints_->joint(j);
}

int World::num_joints() const {
  return joints_->num_joints();
}

int World::add_body(Body body) {
  validate(body, num_bodies());
  append(std::move(body), bodies_.own());
  return num_bodies() - 1;
}

int World::add_particle(const Particle& particle) {
  validate(particle, num_particles());
  append(particle, particles_.own());
  return num_particles() - 1;
}

int World::add_shape(int body, std::shared_ptr<const Shape> shape, const Surface& surface,
                     const Vec3& offset, const Quaternion& rotation) {
  const int index = static_cast<int>(shapes_.size());
  NSN_THROW_UNLESS(body >= 0 && body < num_bodies(), "shape {}: no body {} (there are {})", index,
                   body, num_bodies());
  NSN_THROW_UNLESS(shape != nullptr, "shape {}: null", index);
  NSN_THROW_UNLESS(all_finite(offset), "shape {}: offset is not finite", index);
  check_surface(surface, index);
  shapes_.push_back({body, std::move(shape), surface, offset, normalized(rotation)});
  return index;
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
  const auto place = std::lower_bound(ignored_.begin(), ignored_.end(), pair);
  if (place == ignored_.end() || *place != pair) ignored_.insert(place, pair);
}

double World::friction(int shape_a, int shape_b) const {
  const auto key = ordered(shape_a, shape_b);
  const auto found = std::lower_bound(
      pair_surfaces_.begin(), pair_surfaces_.end(), key,
      [](const PairSurface& p, const auto& k) { return std::pair(p.shape_a, p.shape_b) < k; });
  if (found != pair_surfaces_.end() && std::pair(found->shape_a, found->shape_b) == key) {
    return found->mu;
  }
  const auto mu = [&](int s) { return shapes_[static_cast<std::size_t>(s)].surface.mu; };
  return mu(shape_a) == mu(shape_b) ? mu(shape_a) : std::sqrt(mu(shape_a) * mu(shape_b));
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
