/// Faces of a FeatureSet, with their sides.
#pragma once

#include "nsn/models/collision/feature_contacts.h"
#include "nsn/models/collision/lane_pose.h"

namespace nsn {

/// Adds a face; corner(k), k < count: its corners, numbers that can be indexed.
template <class CornerOf>
NSN_INLINE void add_face(const Vec3& normal, double offset, int number, int count,
                         const CornerOf& corner, FeatureSet& set) {
  FeatureSet::Face& face = set.faces.add();
  face.normal = normal;
  face.offset = offset;
  face.number = number;
  face.first = static_cast<int>(set.sides.size());
  face.count = count;
  for (int k = 0; k < count; k += 4) {
    const auto at = [&](int i) -> const auto& {
      return corner(i < count ? i : 0);
    };
    FeatureSet::Sides& out = set.sides.add();
    Lanes4 side[3];
    for (int c = 0; c < 3; ++c) {
      const Lanes4 here{at(k)[c], at(k + 1)[c], at(k + 2)[c], at(k + 3)[c]};
      // After the last corner comes the first one, and so does it where places are left over.
      const Lanes4 next{at(k + 1)[c], at(k + 2)[c], at(k + 3)[c], at(k + 4)[c]};
      side[c] = next - here;
      store_four(here, out.x[static_cast<std::size_t>(c)]);
    }
    const Lanes4 u = side[1] * normal[2] - side[2] * normal[1];
    const Lanes4 v = side[2] * normal[0] - side[0] * normal[2];
    const Lanes4 w = side[0] * normal[1] - side[1] * normal[0];
    store_four(u, out.outward[0]);
    store_four(v, out.outward[1]);
    store_four(w, out.outward[2]);
    store_four(u * u + v * v + w * w, out.squared);
  }
}

}  // namespace nsn
