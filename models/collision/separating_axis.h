/// Penetration of two polytopes: the direction in which they overlap least.
///
///   gap(n) = min_{a in A} n . a - max_{b in B} n . b,      signed distance = max over unit n
///
/// For overlapping polytopes the maximum is taken at a normal of a face of A, of a face of B, or at
/// the cross product of two edges whose normal cones share it: the faces of the difference A - B.
/// All of them are tried, so the depth is exact.
#pragma once

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/gjk.h"
#include "nsn/models/collision/polytope.h"

namespace nsn {

/// A polytope with its place, relative to an origin that both partners share, and its radius.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): final, never deleted as its base
class PlacedPolytope final : public SupportMap {
 public:
  PlacedPolytope(const Polytope& polytope, double radius, const Mat3& R, const Vec3& x)
      : polytope_(&polytope), radius_(radius), R_(R), x_(x) {}

  const Polytope& polytope() const { return *polytope_; }
  double radius() const { return radius_; }
  double size() const { return polytope_->size; }
  const Vec3& centre() const { return x_; }
  Vec3 vertex(int k) const { return x_ + R_ * polytope_->vertex(k); }
  Vec3 normal(int face) const { return R_ * polytope_->face(face).normal; }
  double offset(int face) const { return polytope_->face(face).offset + dot(x_, normal(face)); }
  int support_vertex(const Vec3& d) const { return polytope_->support(transpose_times(R_, d)); }
  Point support(const Vec3& d) const override {
    const int k = support_vertex(d);
    return {vertex(k), k};
  }

 private:
  const Polytope* polytope_;
  double radius_;
  Mat3 R_;
  Vec3 x_;
};

/// A direction and what meets along it.
struct Axis {
  enum class Kind { kFaceA, kFaceB, kEdges, kNone };
  Kind kind = Kind::kNone;
  int face = -1;    ///< of A or B
  int edge_a[2]{};  ///< vertices
  int edge_b[2]{};
  Vec3 normal;  ///< from B to A
  double gap = -1e300;
};

struct Axes {
  Axis face;  ///< largest gap among the faces
  Axis edge;  ///< largest gap among the pairs of edges
  double tolerance = 0.0;
  /// The one of largest gap; a face if the edges say the same to rounding.
  const Axis& best() const { return edge.gap > face.gap + tolerance ? edge : face; }
};

/// All axes of two polytopes, one of which has faces. Faces of B must have a larger gap than those
/// of A by the tolerance (m), so that the choice does not flicker.
Axes separating_axes(const PlacedPolytope& A, const PlacedPolytope& B, double tolerance);

/// Cosine of the angle up to which a face looks "along" a direction.
inline constexpr double kFaceAlong = 0.98;

/// The face axis of largest gap among those along n (from B to A), if it has at least this gap.
Axis facing_axis(const PlacedPolytope& A, const PlacedPolytope& B, const Vec3& n, double gap);

}  // namespace nsn
