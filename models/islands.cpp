#include "models/islands.h"

#include <algorithm>

namespace nsn {
namespace {
std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
}  // namespace

int IslandFinder::root(int body) {
  while (parent_[at(body)] != body) {
    parent_[at(body)] = parent_[at(parent_[at(body)])];
    body = parent_[at(body)];
  }
  return body;
}

void IslandFinder::join(int a, int b) {
  const int p = root(a);
  const int q = root(b);
  parent_[at(std::max(p, q))] = std::min(p, q);
}

Island& IslandFinder::island_of(int body) {
  const int r = root(body);
  if (island_[at(r)] < 0) {
    island_[at(r)] = count_++;
    if (count_ > static_cast<int>(islands_.size())) islands_.emplace_back();
    islands_[at(count_ - 1)].bodies.clear();
    islands_[at(count_ - 1)].rows.clear();
  }
  return islands_[at(island_[at(r)])];
}

const std::vector<Island>& IslandFinder::find(const World& world,
                                              const std::vector<const RowSet*>& sets,
                                              bool separate) {
  const int n = world.num_bodies();
  parent_.resize(at(n));
  for (int b = 0; b < n; ++b) parent_[at(b)] = b;
  island_.assign(at(n), -1);
  touched_.assign(at(n), 0);
  count_ = 0;
  const auto first_dynamic = [&](const NodeList& list, auto&& visit) {
    int first = -1;
    for (int i = 0; i < list.count; ++i) {
      const int body = list.node[at(i)] / 2;
      if (!world.body(body).dynamic()) continue;
      visit(body, first);
      if (first < 0) first = body;
    }
    return first;
  };
  int any = -1;
  for (const RowSet* set : sets) {
    for (int k = 0; k < set->size(); ++k) {
      const int first = first_dynamic(set->nodes(k), [&](int body, int earlier) {
        touched_[at(body)] = 1;
        if (earlier >= 0) join(earlier, body);
      });
      if (!separate && first >= 0) {
        if (any >= 0) join(any, first);
        any = any < 0 ? first : any;
      }
    }
  }
  for (int b = 0; b < n; ++b) {
    if (touched_[at(b)] != 0) island_of(b).bodies.push_back(b);
  }
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (int k = 0; k < sets[s]->size(); ++k) {
      const int first = first_dynamic(sets[s]->nodes(k), [](int, int) {});
      if (first >= 0) island_of(first).rows.push_back({static_cast<int>(s), k});
    }
  }
  return islands_;
}

}  // namespace nsn
