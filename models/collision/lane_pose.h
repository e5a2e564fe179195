/// Vectors of three numbers in the lanes of a register: where a point goes is a few instructions.
///
/// The same bits as Pose and SmallMatrix give; the last lane is not used.
#pragma once

#include "nsn/core/base/lanes.h"
#include "nsn/models/collision/quads.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

NSN_INLINE Lanes4 in_lanes(const Vec3& v) {
  return Lanes4{v[0], v[1], v[2], 0.0};
}
NSN_INLINE Vec3 first_three(const Lanes4& v) {
  return {v[0], v[1], v[2]};
}
NSN_INLINE Lanes4 load_four(const Four& v) {
  return load_lanes<Lanes4>(v.data());
}
NSN_INLINE void store_four(const Lanes4& v, Four& out) {
  std::memcpy(out.data(), &v, sizeof(out));
}
NSN_INLINE double greatest(const Lanes4& v) {
  return std::max(std::max(v[0], v[1]), std::max(v[2], v[3]));
}
NSN_INLINE double least(const Lanes4& v) {
  return std::min(std::min(v[0], v[1]), std::min(v[2], v[3]));
}

struct LanePose {
  Lanes4 x;
  Lanes4 columns[3];  ///< of the rotation

  NSN_INLINE explicit LanePose(const Pose& pose)
      : x(in_lanes(pose.x)),
        columns{in_lanes(column(pose.R, 0)), in_lanes(column(pose.R, 1)),
                in_lanes(column(pose.R, 2))} {}
  NSN_INLINE Lanes4 turn(const Vec3& v) const {
    return columns[0] * v[0] + columns[1] * v[1] + columns[2] * v[2];
  }
  NSN_INLINE Lanes4 apply(const Vec3& v) const { return x + turn(v); }
};

}  // namespace nsn
