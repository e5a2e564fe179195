#include "nsn/models/step/contact_finder.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/models/collision/fast_pair.h"
#include "nsn/models/collision/mesh_pairs.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/separation.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/world/state_bytes.h"

namespace nsn {
namespace {

/// Shapes and features in one number below 2^62; contacts given by hand have the top bit set, rows
/// of other kinds the next one. 1e5 contacts share an id by chance once in 1e9 steps, and lose no
/// more than their starting impulse then.
std::uint64_t contact_id(int s, int t, std::uint64_t feature) {
  const std::uint64_t shapes = static_cast<std::uint64_t>(s) << 32U | static_cast<std::uint64_t>(t);
  return mix_bits(mix_bits(shapes) ^ feature) >> 2U;
}

constexpr Index kShapes = 64;     // worth a microsecond by far
constexpr std::size_t kPart = 8;  // shapes whose pairs with higher ones are a part

/// Part of the margin that shapes may move against each other and still count as resting.
constexpr double kResting = 1e-7;
/// Part of their sizes that shapes must be further apart than the margin to count as apart: more
/// than any tolerance of those who find points.
constexpr double kApart = 1e-4;
/// Part of the margin that meshes may move against each other until their near features are found
/// again, and this many steps that they should last: else they are not kept.
constexpr double kSlack = 1.0;
constexpr double kSteps = 4.0;

/// From x to the corners of a box.
double furthest(const Aabb& box, const Vec3& x) {
  double squared = 0.0;
  for (int k = 0; k < 3; ++k) {
    squared += std::pow(std::max(box.upper[k] - x[k], x[k] - box.lower[k]), 2);
  }
  return std::sqrt(squared);
}

/// How far a point of the shape may move in a step, m.
double travel(const ConstBodyRef& body, const Aabb& box, double h) {
  if (body.kind == BodyKind::kStatic) return 0.0;
  const double reach = box.bounded ? furthest(box, body.position) : 0.0;
  return h * (norm(body.velocity) + norm(body.angular_velocity) * reach);
}

}  // namespace

void ContactFinder::place_bodies(const World& world) {
  placed_.clear();
  for (const ConstBodyRef body : world.bodies()) {
    placed_.push_back({body.position, rotation_matrix(body.orientation)});
  }
}

void ContactFinder::add_given(const World& world, std::vector<Contact>& out) const {
  for (std::size_t k = 0; k < world.contacts().size(); ++k) {
    const PointOnPlane& given = world.contacts()[k];
    const Pose& b = placed_[to_size(given.body_b)];
    const Vec3 n = b.R * given.normal;
    const Vec3 on_a = placed_[to_size(given.body_a)].apply(given.point);
    const double gap = dot(n, on_a - b.apply(given.origin));
    Contact contact;
    contact.body_a = given.body_a;
    contact.body_b = given.body_b;
    contact.local_a = given.point;
    contact.local_b = b.inverse_apply(on_a - gap * n);
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
  kinds_.resize(count);
  moves_.resize(count);
  margins_.resize(count);
  boxes_.resize(count);
  mesh_kind_ = world.pairs().index(TriangleMesh::kType);
  for_range(
      static_cast<Index>(count),
      [&](Index begin, Index end) {
        for (Index s = begin; s < end; ++s) {
          place_shape(world, to_size(s));
          grow_box(world, h, to_size(s));
        }
      },
      kShapes);
}

void ContactFinder::place_shape(const World& world, std::size_t s) {
  const PlacedShape& placed = world.shapes()[s];
  moves_[s] = world.body(placed.body).dynamic() ? 1 : 0;
  kinds_[s] = world.pairs().index(placed.shape->type());
  const Pose& pose = placed_[to_size(placed.body)];
  poses_[s] = {pose.apply(placed.offset), pose.R * rotation_matrix(placed.rotation)};
  boxes_[s] = placed.shape->loose_bounds(poses_[s]);
}

void ContactFinder::grow_box(const World& world, double h, std::size_t s) {
  const PlacedShape& placed = world.shapes()[s];
  margins_[s] =
      0.5 * world.margin + placed.surface.thickness + travel(world.body(placed.body), boxes_[s], h);
  boxes_[s] = widened(boxes_[s], margins_[s]);
}

bool ContactFinder::may_touch(const World& world, int s, int t) const {
  const PlacedShape& a = world.shapes()[to_size(s)];
  const PlacedShape& b = world.shapes()[to_size(t)];
  if (moves_[to_size(s)] == 0 && moves_[to_size(t)] == 0) return false;
  if (a.body == b.body || !may_collide(a.filter, b.filter)) return false;
  const auto misses = [&](int far, int near) {
    return !boxes_[to_size(far)].bounded && boxes_[to_size(near)].bounded &&
           world.shapes()[to_size(far)].shape->misses(
               poses_[to_size(far)], widened(boxes_[to_size(near)], margins_[to_size(far)]));
  };
  return !misses(s, t) && !misses(t, s) && !world.ignored(a.body, b.body);
}

void ContactFinder::choose_pairs(const World& world) {
  const std::size_t count = world.shapes().size();
  parts_.resize((count + kPart - 1) / kPart);
  for (Part& part : parts_) part.begin = part.end = 0;
  paired_.assign(count, 0);
  pairs_.clear();
  for (const auto& [s, t] : broad_phase_.find(boxes_)) {
    if (!may_touch(world, s, t)) continue;
    const PairTable::Entry entry = world.pairs().find(kinds_[to_size(s)], kinds_[to_size(t)]);
    if (entry.collide == nullptr) continue;
    Part& part = parts_[to_size(s) / kPart];
    if (part.begin == part.end) part.begin = pairs_.size();
    pairs_.push_back(entry.swapped ? Pair{t, s, entry.collide} : Pair{s, t, entry.collide});
    part.end = pairs_.size();
    paired_[to_size(s)] = paired_[to_size(t)] = 1;
  }
}

void ContactFinder::tighten(const World& world, double h) {
  for_range(
      static_cast<Index>(paired_.size()),
      [&](Index begin, Index end) {
        for (Index s = begin; s < end; ++s) {
          if (paired_[to_size(s)] == 0) continue;
          boxes_[to_size(s)] = world.shapes()[to_size(s)].shape->bounds(poses_[to_size(s)]);
          grow_box(world, h, to_size(s));
        }
      },
      kShapes);
}

double ContactFinder::reach(int s) const {
  return furthest(boxes_[to_size(s)], poses_[to_size(s)].x);
}

bool ContactFinder::may_hold(int s, int t) const {
  const auto holds = [&](int outer, int inner) {  // boxes_ have grown by the margins
    const Aabb box = widened(boxes_[to_size(inner)], -2.0 * margins_[to_size(inner)]);
    const Aabb& around = boxes_[to_size(outer)];
    return meet(around, {box.lower, box.lower}) && meet(around, {box.upper, box.upper});
  };
  return holds(s, t) || holds(t, s);
}

double ContactFinder::step_length(const World& world, double h, int s, int t) const {
  const ConstBodyRef a = world.body(world.shapes()[to_size(s)].body);
  const ConstBodyRef b = world.body(world.shapes()[to_size(t)].body);
  const Vec3& x = poses_[to_size(s)].x;
  const Vec3 velocity = a.velocity + cross(a.angular_velocity, x - a.position) - b.velocity -
                        cross(b.angular_velocity, x - b.position);
  return h * (norm(velocity) + norm(a.angular_velocity - b.angular_velocity) * reach(s));
}

void ContactFinder::collide_meshes(const World& world, double h, const Pair& which,
                                   const PlacedPair& pair, Part& part) {
  const auto& a = static_cast<const TriangleMesh&>(*world.shapes()[to_size(which.s)].shape);
  const auto& b = static_cast<const TriangleMesh&>(*world.shapes()[to_size(which.t)].shape);
  const NearFeatures* near = part.near.reuse(pair);
  if (near == nullptr) {
    const double slack = kSlack * pair.margin;
    if (kSteps * step_length(world, h, which.s, which.t) > slack) {
      return which.collide(a, pair.a, b, pair.b, pair.margin, part.manifold);
    }
    const Slack most{slack, slack / pair.reach};
    return collide_mesh_mesh(a, pair.a, b, pair.b, pair.margin, most, part.near.add(pair, most),
                             part.manifold);
  }
  collide_mesh_mesh(a, pair.a, b, pair.b, pair.margin, *near, part.manifold);
}

void ContactFinder::find_mesh_points(const World& world, double h, const Pair& which, Part& part) {
  const auto [s, t, collide] = which;
  const Shape& a = *world.shapes()[to_size(s)].shape;
  const Shape& b = *world.shapes()[to_size(t)].shape;
  const PlacedPair pair{{std::min(s, t), std::max(s, t)},
                        poses_[to_size(s)],
                        poses_[to_size(t)],
                        reach(s),
                        margins_[to_size(s)] + margins_[to_size(t)]};
  const bool meshes = kinds_[to_size(s)] == kinds_[to_size(t)] && !may_hold(s, t);
  const double slack = kApart * (pair.reach + reach(t));
  if (meshes && part.apart.still_apart(pair, slack)) return;
  const auto found_apart = [&] {
    const double gap =
        find_separation(static_cast<const TriangleMesh&>(a), static_cast<const TriangleMesh&>(b),
                        seen_from(pair.a, pair.b), pair.margin)
            .gap;
    const bool apart = gap > pair.margin + slack;
    if (apart) part.apart.keep(pair, gap);
    return apart;
  };
  const bool tried = meshes && part.apart.were_apart(pair);
  if (tried && found_apart()) return;
  if (part.resting.reuse(pair, kResting * world.margin, part.manifold)) return;
  if (kinds_[to_size(s)] == kinds_[to_size(t)]) {
    collide_meshes(world, h, which, pair, part);
  } else {
    collide(a, pair.a, b, pair.b, pair.margin, part.manifold);
  }
  if (meshes && !tried && part.manifold.empty() && found_apart()) return;
  // That nothing is near a plane is found at once.
  if (part.manifold.empty() && !boxes_[to_size(t)].bounded) return;
  part.resting.keep(pair, part.manifold);
}

void ContactFinder::meet_fast_pair(const World& world, double h, const Pair& pair,
                                   Part& part) const {
  const auto moving = [&](int s) {
    const Aabb& box = boxes_[to_size(s)];  // grown by the margin
    const ConstBodyRef body = world.body(world.shapes()[to_size(s)].body);
    MovingShape shape;
    shape.size = kInfinity;
    if (box.bounded) {
      shape.middle = centre(box);
      const Vec3 sides = box.upper - box.lower;
      shape.size = std::max({sides[0], sides[1], sides[2]}) - 2.0 * margins_[to_size(s)];
    }
    if (body.kind == BodyKind::kStatic) return shape;
    shape.velocity = body.velocity;
    if (box.bounded) shape.velocity += cross(body.angular_velocity, shape.middle - body.position);
    return shape;
  };
  const MovingShape a = moving(pair.s);
  const MovingShape b = moving(pair.t);
  const double least = std::min(a.size, b.size);
  if (margins_[to_size(pair.s)] + margins_[to_size(pair.t)] <= least) return;  // slower than that
  if (meet_as_ball(a, b, h, part.manifold)) ++part.fast_pairs;
}

int ContactFinder::fast_pairs() const {
  int sum = 0;
  for (const Part& part : parts_) sum += part.fast_pairs;
  return sum;
}

void ContactFinder::add_pair(const World& world, double h, const Pair& pair, Part& part) {
  const auto [s, t, collide] = pair;
  if (!overlap(boxes_[to_size(s)], boxes_[to_size(t)])) return;
  const PlacedShape& a = world.shapes()[to_size(s)];
  const PlacedShape& b = world.shapes()[to_size(t)];
  part.manifold.clear();
  if (kinds_[to_size(s)] == mesh_kind_ || kinds_[to_size(t)] == mesh_kind_) {
    find_mesh_points(world, h, pair, part);
  } else {
    collide(*a.shape, poses_[to_size(s)], *b.shape, poses_[to_size(t)],
            margins_[to_size(s)] + margins_[to_size(t)], part.manifold);
  }
  if (part.manifold.empty()) return;
  meet_fast_pair(world, h, pair, part);
  const double mu = world.friction(s, t);
  for (const ContactPoint& point : part.manifold) {
    Contact contact;
    contact.body_a = a.body;
    contact.body_b = b.body;
    contact.shape_a = s;
    contact.shape_b = t;
    contact.local_a =
        placed_[to_size(a.body)].inverse_apply(point.on_a + point.radius_a * point.normal);
    contact.local_b =
        placed_[to_size(b.body)].inverse_apply(point.on_b - point.radius_b * point.normal);
    contact.radius_a = point.radius_a;
    contact.radius_b = point.radius_b;
    contact.normal = point.normal;
    contact.thickness = a.surface.thickness + b.surface.thickness;
    contact.mu = mu;
    contact.compliance = a.surface.compliance + b.surface.compliance;
    contact.id = contact_id(s, t, point.feature);
    contact.restitution = std::max(a.surface.restitution, b.surface.restitution);
    contact.rolling = std::max(a.surface.rolling, b.surface.rolling);
    contact.spinning = std::max(a.surface.spinning, b.surface.spinning);
    part.contacts.push_back(contact);
  }
}

void ContactFinder::find_contacts(const World& world, double h, const std::function<bool()>& stop,
                                  Part& part) {
  part.stopped = false;
  part.fast_pairs = 0;
  part.error = nullptr;
  part.contacts.clear();
  part.resting.start_step();
  part.apart.start_step();
  part.near.start_step();
  for (std::size_t k = part.begin; k < part.end && !part.stopped; ++k) {
    add_pair(world, h, pairs_[k], part);
    try {
      part.stopped = stop && stop();
    } catch (...) {  // it must not leave a parallel loop
      part.error = std::current_exception();
      part.stopped = true;
    }
  }
}

bool ContactFinder::find(const World& world, double h, ContactRowSet& out,
                         const std::function<bool()>& stop) {
  std::vector<Contact>& contacts = out.contacts();
  contacts.clear();
  place_bodies(world);
  add_given(world, contacts);
  place_shapes(world, h);
  choose_pairs(world);
  tighten(world, h);
  for_range(
      static_cast<Index>(parts_.size()),
      [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) find_contacts(world, h, stop, parts_[to_size(k)]);
      },
      kShapes / static_cast<Index>(kPart));
  for (const Part& part : parts_) {
    contacts.insert(contacts.end(), part.contacts.begin(), part.contacts.end());
  }
  out.finish();
  for (const Part& part : parts_) {
    if (part.error) std::rethrow_exception(part.error);
  }
  return std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.stopped; });
}

void ContactFinder::write_memory(StateWriter& out) const {
  std::uint64_t count = 0;
  for (const Part& part : parts_) count += part.resting.memory().entries().size();
  out.number(count);
  for (const Part& part : parts_) {
    for (const auto& entry : part.resting.memory().entries()) {
      out.number(static_cast<std::uint64_t>(entry.key.first));
      out.number(static_cast<std::uint64_t>(entry.key.second));
      out.vector(entry.a_in_b.x);
      out.matrix(entry.a_in_b.R);
      out.number(entry.value.margin);
      out.number(std::uint64_t{entry.value.local.size()});
      for (const ContactPoint& point : entry.value.local) {
        for (const Vec3& v : {point.on_a, point.on_b, point.normal}) out.vector(v);
        out.number(point.feature);
        out.number(point.radius_a);
        out.number(point.radius_b);
      }
    }
  }
}

void ContactFinder::read_memory(StateReader& in, const World& world) {
  const std::size_t shapes = world.shapes().size();
  parts_.resize((shapes + kPart - 1) / kPart);
  for (std::size_t left = in.count(8); left > 0; --left) {
    const std::uint64_t s = in.integer();
    const std::uint64_t t = in.integer();
    NSN_THROW_UNLESS(s < shapes && t < shapes, "state: pair ({}, {}) of {} shapes", s, t, shapes);
    auto& entry = parts_[s / kPart].resting.memory().entries().add();
    entry.key = {static_cast<int>(s), static_cast<int>(t)};
    entry.a_in_b.x = in.vector();
    entry.a_in_b.R = in.matrix();
    entry.value.margin = in.number();
    entry.value.local.resize(in.count(96));
    for (ContactPoint& point : entry.value.local) {
      for (Vec3* const v : {&point.on_a, &point.on_b, &point.normal}) *v = in.vector();
      point.feature = in.integer();
      point.radius_a = in.number();
      point.radius_b = in.number();
    }
  }
}

}  // namespace nsn
