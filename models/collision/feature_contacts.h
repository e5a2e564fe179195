/// Contacts between the features of two surfaces: vertices, edges, faces.
///
///   vertex - face     the vertex over the inside of the face, along the face's normal
///   edge - edge       where two edges cross in space, along their common perpendicular
///   vertex - edge, vertex - vertex     the nearest points of surfaces that are apart, where the
///                     vertex is over no face (and no edge)
///
/// A direction belongs to an edge (a vertex) if it points into none of the faces (edges) there and
/// out of the body. Every pair of features within the margin gives a contact. A vertex behind
/// several faces is pushed out of the nearest one.
///
/// Which features may touch which is found four at a time, on the way, or once for several steps
/// (`find_feature_pairs`) with a slack: as long as no point of one body has moved against the other
/// by more than the slack, these pairs are all that can touch, and the contacts are the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/normal_arc.h"
#include "nsn/models/collision/quads.h"
#include "nsn/models/collision/refilled.h"

namespace nsn {

/// Features of one body near another, about a common origin.
struct FeatureSet {
  /// `first`, `count`: a range of `vertex_directions`.
  struct Vertex {
    Vec3 x;
    int number = 0;
    int first = 0;  ///< unit directions along its edges
    int count = 0;
  };
  /// `first`, `count`: a range of `edge_directions`.
  struct Edge {
    Vec3 a;
    Vec3 along;  ///< to its other end, m
    std::uint64_t number = 0;
    int first = 0;  ///< unit directions into its faces, across the edge
    int count = 0;
    Vec3 outward;  ///< sum of its faces' normals, axes of the body
    NormalArc normals;
  };
  struct Face {
    Vec3 normal;
    double offset = 0.0;
    int number = 0;
    int first = 0;  ///< of `sides`: four corners each, counter-clockwise
    int count = 0;  ///< of corners
  };
  /// Four corners of a face and its sides to the next ones, side by side: they are examined all at
  /// once. Places that are left over have the first corner and sides of no length.
  struct Sides {
    std::array<Four, 3> x;
    std::array<Four, 3> outward;  ///< side x normal, in the face's plane, m
    Four squared;                 ///< |outward|^2

    Vec3 corner(std::size_t k) const { return {x[0][k], x[1][k], x[2][k]}; }
  };
  Refilled<Vertex> vertices;
  Refilled<Edge> edges;
  Refilled<Face> faces;
  /// Of the edges: middle, half their length squared; middle, cosine, sine of their normals;
  /// heights.
  Quads<11> lines;
  /// Of the faces: centre, radius squared of a ball around, somewhat larger; normal, offset;
  /// heights.
  Quads<10> areas;
  Refilled<Sides> sides;
  double low = 0.0;  ///< heights of all faces
  double high = 0.0;
  Vec3 up;  ///< direction of heights up . x, the same for both sets; 0: they tell nothing
  Mat3 axes = identity<3>();  ///< of the body; few directions are ever examined, so they stay in it
  std::span<const Vec3> vertex_directions;
  std::span<const Vec3> edge_directions;
  std::vector<Vec3> own_directions;  ///< where no one else keeps them
  double radius = 0.0;               ///< rounds everything, m
  double depth = 1e300;              ///< how far behind a face counts as behind it, m
  double size = 0.0;                 ///< m, for tolerances
  Vec3 body_middle;                  ///< of the whole body, not only of these features
  bool two_sided = false;            ///< faces have two sides, edges no outside
  bool convex = false;               ///< all faces of a convex body: inside is behind all of them
  bool numbers_faces = false;        ///< a vertex on it is named with the face (a mesh)

  /// Empty again, without giving memory back.
  void clear();
  /// Sets `lines` and `areas`, which pairs are found by. Features that are further apart along
  /// `direction` (unit, or 0) than anything looked for are passed over.
  void index(const Vec3& direction);
};

/// For each of some features a list of numbers.
class NumberLists {
 public:
  void clear() {
    ends_.clear();
    numbers_.clear();
  }
  void add(std::span<const int> list) {
    numbers_.insert(numbers_.end(), list.begin(), list.end());
    ends_.push_back(numbers_.size());
  }
  std::span<const int> operator[](std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
    return {numbers_.data() + begin, numbers_.data() + ends_[k]};
  }
  /// Where they are, for those who fetch them.
  std::array<const void*, 2> memory() const { return {ends_.data(), numbers_.data()}; }

 private:
  std::vector<std::size_t> ends_;
  std::vector<int> numbers_;
};

/// Which features of two sets may touch which, all ascending.
struct FeaturePairs {
  /// Of each vertex of one set.
  struct Beside {
    NumberLists faces;
    NumberLists edges;
  };
  Beside a;  ///< of A's vertices: faces and edges of B
  Beside b;
  NumberLists edges;  ///< of A's edges: those of B
};

/// How far the bodies may move until pairs are found again.
struct Slack {
  double distance = 0.0;  ///< of any point of one, as seen from the other, m
  double turn = 0.0;      ///< of any unit vector
};

/// All pairs within the margin, and the slack (> 0) more. Both sets have their index.
void find_feature_pairs(const FeatureSet& A, const FeatureSet& B, double margin, const Slack& slack,
                        FeaturePairs& out);

/// Appends all contacts with a gap of at most `margin`. `pairs`: found before; null: the sets have
/// their index.
void add_feature_contacts(const FeatureSet& A, const FeatureSet& B, const FeaturePairs* pairs,
                          double margin, Manifold& out);

/// Is p inside the body that S is the surface of, by the nearest of its faces?
bool is_inside(const FeatureSet& S, const Vec3& p);

/// How an edge of A passes through faces of B.
enum class Piercing {
  kNone,
  kShallow,  ///< in and out again, or in by its end, within `reach`
  kDeep,
};
/// For each edge of A the faces of B that it may pass through, if nothing moves further than
/// `slack` (m, > 0). Both sets have their index.
void find_crossings(const FeatureSet& A, const FeatureSet& B, double slack, NumberLists& out);
/// The worst of all edges of A. `crossings`: found before; null: the sets have their index.
Piercing piercing(const FeatureSet& A, const FeatureSet& B, const NumberLists* crossings,
                  double reach);

}  // namespace nsn
