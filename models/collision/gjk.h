/// Distance of two convex sets from their support points alone (Gilbert, Johnson, Keerthi 1988).
///
/// The nearest point v to the origin of the difference A - B is approached by simplices of up to
/// four support points; (v / |v|) . w, w the support point against v, bounds the distance from
/// below, so that the error is known. Overlapping sets are left to separating_axis.h.
#pragma once

#include <array>

#include "nsn/core/base/math3.h"

namespace nsn {

/// A convex set: its furthest point in a direction, and a number for it (a vertex; -1: none).
class SupportMap {
 public:
  struct Point {
    Vec3 x;
    int vertex = -1;
  };
  virtual Point support(const Vec3& direction) const = 0;

 protected:
  ~SupportMap() = default;
};

struct GjkResult {
  enum class Status {
    kApart,    ///< distance, points and normal are set
    kBeyond,   ///< further apart than the cutoff; `distance` is a lower bound
    kOverlap,  ///< they share a point, or all but do (1e-12 of the coordinates)
  };
  Status status = Status::kOverlap;
  double distance = 0.0;
  Vec3 on_a;
  Vec3 on_b;
  Vec3 normal;                    ///< unit, from b to a
  int corners = 0;                ///< of the last simplex; the points lie between its vertices
  std::array<int, 4> vertex_a{};  ///< numbers of A's, may repeat
  std::array<int, 4> vertex_b{};
  int iterations = 0;
};

/// `start`: a guess of the direction from b to a. Coordinates should be near the origin.
GjkResult gjk(const SupportMap& A, const SupportMap& B, const Vec3& start, double cutoff);

}  // namespace nsn
