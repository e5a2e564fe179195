#include "models/contact_finder.h"

#include <cmath>

namespace nsn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Shapes and features in one number; given contacts have the top bit set.
std::uint64_t contact_id(int s, int t, std::uint32_t feature) {
  // 24 bits per shape index, 15 for the feature: unique up to 16 million shapes.
  return static_cast<std::uint64_t>(s) << 39U | static_cast<std::uint64_t>(t) << 15U |
         (feature & 0x7fffU);
}

Vec3 local_point(const Body& body, const Vec3& world, bool turns) {
  const Vec3 arm = world - body.position;
  return turns ? transpose_times(rotation_matrix(body.orientation), arm) : arm;
}

}  // namespace

void ContactFinder::add_given(const World& world, std::vector<Contact>& out) const {
  for (std::size_t k = 0; k < world.contacts().size(); ++k) {
    const PointOnPlane& given = world.contacts()[k];
    const Body& a = world.body(given.body_a);
    const Body& b = world.body(given.body_b);
    const Vec3 n = rotation_matrix(b.orientation) * given.normal;
    const Vec3 on_a = a.to_world(given.point);
    const double gap = dot(n, on_a - b.to_world(given.origin));
    Contact contact;
    contact.body_a = given.body_a;
    contact.body_b = given.body_b;
    contact.local_a = given.point;
    contact.local_b = local_point(b, on_a - gap * n, true);
    contact.normal = n;
    contact.thickness = given.thickness;
    contact.mu = given.mu;
    contact.compliance = given.compliance;
    contact.id = (std::uint64_t{1} << 63U) | k;
    out.push_back(contact);
  }
}

void ContactFinder::place_shapes(const World& world, double h) {
  const std::size_t count = world.shapes().size();
  poses_.resize(count);
  margins_.resize(count);
  boxes_.resize(count);
  for (std::size_t s = 0; s < count; ++s) {
    const PlacedShape& placed = world.shapes()[s];
    const Body& body = world.body(placed.body);
    const Mat3 R = rotation_matrix(body.orientation);
    poses_[s] = {body.position + R * placed.offset, R * rotation_matrix(placed.rotation)};
    const bool moves = body.kind != BodyKind::kStatic;
    margins_[s] =
        0.5 * world.margin + placed.surface.thickness + (moves ? h * norm(body.velocity) : 0.0);
    boxes_[s] = placed.shape->bounds(poses_[s]);
    const Vec3 grow{margins_[s], margins_[s], margins_[s]};
    boxes_[s].lower -= grow;
    boxes_[s].upper += grow;
  }
}

void ContactFinder::add_pair(const World& world, int s, int t, std::vector<Contact>& out) {
  const PlacedShape& a = world.shapes()[at(s)];
  const PlacedShape& b = world.shapes()[at(t)];
  if (a.body == b.body || world.ignored(a.body, b.body)) return;
  const Body& body_a = world.body(a.body);
  const Body& body_b = world.body(b.body);
  if (!body_a.dynamic() && !body_b.dynamic()) return;
  const PairTable::Entry entry = world.pairs().find(a.shape->type(), b.shape->type());
  if (entry.collide == nullptr) return;
  if (entry.swapped) return add_pair(world, t, s, out);
  manifold_.clear();
  entry.collide(*a.shape, poses_[at(s)], *b.shape, poses_[at(t)], margins_[at(s)] + margins_[at(t)],
                manifold_);
  const double mu = world.friction(s, t);
  for (const ContactPoint& point : manifold_) {
    Contact contact;
    contact.body_a = a.body;
    contact.body_b = b.body;
    contact.local_a = local_point(body_a, point.on_a, point.turns_a);
    contact.local_b = local_point(body_b, point.on_b, point.turns_b);
    contact.turns_a = point.turns_a;
    contact.turns_b = point.turns_b;
    contact.normal = point.normal;
    contact.thickness = a.surface.thickness + b.surface.thickness;
    contact.mu = mu;
    contact.compliance = a.surface.compliance + b.surface.compliance;
    contact.id = contact_id(s, t, point.feature);
    out.push_back(contact);
  }
}

void ContactFinder::find(const World& world, double h, ContactRowSet& out) {
  std::vector<Contact>& contacts = out.contacts();
  contacts.clear();
  add_given(world, contacts);
  place_shapes(world, h);
  for (const auto& [s, t] : broad_phase_.find(boxes_)) add_pair(world, s, t, contacts);
  out.finish();
}

}  // namespace nsn
