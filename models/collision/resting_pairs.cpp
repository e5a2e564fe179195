#include "nsn/models/collision/resting_pairs.h"

namespace nsn {

void RestingPairs::start_step() {
  std::swap(last_, now_);
  now_.entries.clear();
  now_.points.clear();
  next_ = 0;
}

bool RestingPairs::reuse(const PlacedPair& pair, double tolerance, Manifold& out) {
  while (next_ < last_.entries.size() && last_.entries[next_].key < pair.key) ++next_;
  if (next_ == last_.entries.size() || last_.entries[next_].key != pair.key) return false;
  Entry entry = last_.entries[next_];
  if (pair.margin > entry.margin + tolerance) return false;
  if (!(motion(entry.a_in_b, pair) <= tolerance)) return false;
  const auto begin = last_.points.begin() + entry.begin;
  const auto end = last_.points.begin() + entry.end;
  for (auto local = begin; local != end; ++local) {
    ContactPoint point = *local;
    point.on_a = pair.a.apply(local->on_a);
    point.on_b = pair.b.apply(local->on_b);
    point.normal = pair.b.R * local->normal;
    out.push_back(point);
  }
  entry.begin = static_cast<int>(now_.points.size());
  now_.points.insert(now_.points.end(), begin, end);
  entry.end = static_cast<int>(now_.points.size());
  now_.entries.push_back(entry);
  return true;
}

void RestingPairs::keep(const PlacedPair& pair, const Manifold& found) {
  Entry entry{pair.key, seen_from(pair.b, pair.a), pair.margin, 0, 0};
  entry.begin = static_cast<int>(now_.points.size());
  for (const ContactPoint& point : found) {
    ContactPoint local = point;
    local.on_a = pair.a.inverse_apply(point.on_a);
    local.on_b = pair.b.inverse_apply(point.on_b);
    local.normal = transpose_times(pair.b.R, point.normal);
    now_.points.push_back(local);
  }
  entry.end = static_cast<int>(now_.points.size());
  now_.entries.push_back(entry);
}

}  // namespace nsn
