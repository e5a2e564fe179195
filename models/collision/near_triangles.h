/// The triangles of two meshes that come near each other.
///
///   near.find(a, b, b_in_a, reach);
///   for (const int s : near.of_a()) ...
///
/// Every triangle of either mesh that has one of the other within the reach is among them.
///
/// First a direction is looked for along which the meshes are further apart than the reach
/// (separation.h): then there are none. The best one bounds which parts of either mesh can be near
/// the other at all, and boxes around these parts bound them further: at once where few pairs of
/// triangles are left, else half by half, so that the work grows with the length of the seam.
#pragma once

#include <cstddef>
#include <vector>

#include "nsn/models/collision/number_set.h"
#include "nsn/models/collision/refilled.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {

class NearTriangles {
 public:
  /// This many pairs of triangles are not told apart: looking at their features once costs less.
  static constexpr std::size_t kFewPairs = 2000;

  /// `b_in_a`: where b is in the axes of a; `few`: pairs that are not told apart, 1 for those that
  /// are examined again and again. Allocates only for more than ever before.
  void find(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a, double reach,
            std::size_t few = kFewPairs);

  bool empty() const { return of_a_.empty(); }
  /// Ascending.
  const std::vector<int>& of_a() const { return of_a_; }
  const std::vector<int>& of_b() const { return of_b_; }
  /// Points of a within reach of b's are in it, axes of a.
  const Region& region_a() const { return region_a_; }
  /// The same of b, axes of b.
  const Region& region_b() const { return region_b_; }
  /// Unit, from b towards a, axes of a.
  const Vec3& up() const { return region_a_.up; }
  /// The meshes are at least so far apart along it, m; negative if they overlap along it.
  double gap() const { return gap_; }

 private:
  struct Placed {
    int number = 0;  // of a triangle of b
    Aabb box;        // around it and the reach, axes of a
  };
  /// Those of b that region_b_ and the box of a leave; returns a box around them and the reach.
  Aabb place(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a, double reach);
  /// Finds what is near each other of placed_[begin, end) and candidates_[first, last).
  void match(const TriangleMesh& a, std::size_t begin, std::size_t end, std::size_t first,
             std::size_t last);
  /// All of them; `own`: a box around the candidates.
  void take(std::size_t begin, std::size_t end, std::size_t first, std::size_t last,
            const Aabb& own);

  std::vector<int> of_a_;
  std::vector<int> of_b_;
  Region region_a_;
  Region region_b_;
  double gap_ = 0.0;
  std::size_t few_ = kFewPairs;
  Refilled<Placed> placed_;
  std::vector<int> candidates_;  // of a; those of smaller and smaller parts at the end
  NumberSet found_a_;
  NumberSet found_b_;
};

}  // namespace nsn
