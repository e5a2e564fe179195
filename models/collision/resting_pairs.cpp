#include "nsn/models/collision/resting_pairs.h"

namespace nsn {

bool RestingPairs::reuse(const PlacedPair& pair, double tolerance, Manifold& out) {
  const auto* const known = points_.find(pair);
  if (known == nullptr || pair.margin > known->value.margin + tolerance) return false;
  if (!(motion(known->a_in_b, pair) <= tolerance)) return false;
  for (const ContactPoint& local : points_.carry().local) {
    ContactPoint point = local;
    point.on_a = pair.a.apply(local.on_a);
    point.on_b = pair.b.apply(local.on_b);
    point.normal = pair.b.R * local.normal;
    out.push_back(point);
  }
  return true;
}

void RestingPairs::keep(const PlacedPair& pair, const Manifold& found) {
  Points& points = points_.add(pair);
  points.margin = pair.margin;
  points.local.clear();
  for (const ContactPoint& point : found) {
    ContactPoint local = point;
    local.on_a = pair.a.inverse_apply(point.on_a);
    local.on_b = pair.b.inverse_apply(point.on_b);
    local.normal = transpose_times(pair.b.R, point.normal);
    points.local.push_back(local);
  }
}

}  // namespace nsn
