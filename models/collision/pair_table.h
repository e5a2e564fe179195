/// Which function finds the contact points of which two kinds of shape.
#pragma once

#include <vector>

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// Appends the contact points with a gap of at most `margin` (m).
using CollideFunction = void (*)(const Shape& a, const Pose& pose_a, const Shape& b,
                                 const Pose& pose_b, double margin, Manifold& out);

/// Looks functions up by two ShapeTypes. (a, b) also serves (b, a): `swapped` is set then, and the
/// caller exchanges the roles.
class PairTable {
 public:
  struct Entry {
    CollideFunction collide = nullptr;  ///< null: this pair never touches
    bool swapped = false;
  };

  /// Replaces what was there for this pair.
  void add(ShapeType a, ShapeType b, CollideFunction collide);
  Entry find(ShapeType a, ShapeType b) const { return find(index(a), index(b)); }
  /// Number of a kind, for many look-ups of the same; -1: it never touches anything.
  int index(ShapeType type) const;
  Entry find(int a, int b) const;

 private:
  int index_or_new(ShapeType type);

  std::vector<ShapeType> types_;
  std::vector<std::vector<Entry>> entries_;  // square
};

/// All pairs of the shapes in this folder.
PairTable standard_pairs();

}  // namespace nsn
