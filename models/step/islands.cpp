#include "nsn/models/step/islands.h"

#include <algorithm>

#include "nsn/core/base/types.h"

namespace nsn {
int IslandFinder::root(int item) {
  while (parent_[to_size(item)] != item) {
    parent_[to_size(item)] = parent_[to_size(parent_[to_size(item)])];
    item = parent_[to_size(item)];
  }
  return item;
}

void IslandFinder::join(int a, int b) {
  const int p = root(a);
  const int q = root(b);
  parent_[to_size(std::max(p, q))] = std::min(p, q);
}

Island& IslandFinder::island_of(int item) {
  const int r = root(item);
  if (island_[to_size(r)] < 0) {
    island_[to_size(r)] = count_++;
    if (count_ > static_cast<int>(islands_.size())) islands_.emplace_back();
    islands_[to_size(count_ - 1)].bodies.clear();
    islands_[to_size(count_ - 1)].particles.clear();
    islands_[to_size(count_ - 1)].rows.clear();
  }
  return islands_[to_size(island_[to_size(r)])];
}

int IslandFinder::item_of(int node) const {
  const int item = is_particle_node(node) ? num_bodies_ + particle_of(node) : node / 2;
  return parent_[to_size(item)] < 0 ? -1 : item;
}

/// Joins what a block touches; returns its first item.
int IslandFinder::join_block(const NodeList& list) {
  int first = -1;
  int last = -1;  // the two nodes of a body follow each other
  for (int i = 0; i < list.count; ++i) {
    const int item = item_of(list.node[to_size(i)]);
    if (item < 0 || item == last) continue;
    last = item;
    touched_[to_size(item)] = 1;
    if (first >= 0 && first != item) join(first, item);
    if (first < 0) first = item;
  }
  return first;
}

const std::vector<Island>& IslandFinder::find(const World& world,
                                              const std::vector<const RowSet*>& sets,
                                              bool separate) {
  const int bodies = num_bodies_ = world.num_bodies();
  const int n = bodies + world.num_particles();
  parent_.resize(to_size(n));
  for (int i = 0; i < n; ++i) {
    const bool dynamic =
        i < bodies ? world.body(i).dynamic() : world.particle(i - bodies).dynamic();
    parent_[to_size(i)] = dynamic ? i : -1;
  }
  first_.clear();
  island_.assign(to_size(n), -1);
  touched_.assign(to_size(n), 0);
  first_of_batch_.assign(sets.size(), -1);
  count_ = 0;
  int any = -1;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const bool batch = sets[s]->batch() != nullptr;
    NodeList last;  // blocks of a joint follow each other
    for (int k = 0; k < sets[s]->size(); ++k) {
      const NodeList list = sets[s]->nodes(k);
      const int first = k > 0 && list == last ? first_.back() : join_block(list);
      last = list;
      first_.push_back(first);
      if (first < 0) continue;
      int& together = batch ? first_of_batch_[s] : any;
      if (batch || !separate) {
        if (together >= 0) join(together, first);
        together = together < 0 ? first : together;
      }
    }
    if (!separate && batch && first_of_batch_[s] >= 0) {
      if (any >= 0) join(any, first_of_batch_[s]);
      any = any < 0 ? first_of_batch_[s] : any;
    }
  }
  for (int i = 0; i < n; ++i) {
    if (touched_[to_size(i)] == 0) continue;
    if (i < bodies) {
      island_of(i).bodies.push_back(i);
    } else {
      island_of(i).particles.push_back(i - bodies);
    }
  }
  auto block = first_.begin();
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const bool batch = sets[s]->batch() != nullptr;
    for (int k = 0; k < sets[s]->size(); ++k, ++block) {
      const int first = batch ? first_of_batch_[s] : *block;
      if (first >= 0) island_of(first).rows.push_back({static_cast<int>(s), k});
    }
  }
  return islands_;
}

}  // namespace nsn
