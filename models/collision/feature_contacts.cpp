#include "nsn/models/collision/feature_contacts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/types.h"
#include "nsn/models/collision/feature_distance.h"
#include "nsn/models/collision/lane_pose.h"

namespace nsn {
namespace {

/// Directions count as inside a cone up to this sine.
constexpr double kCone = 1e-6;
/// Bounds of what is examined closer are wider than what counts, by more than rounding.
constexpr double kLoosely = 1.0 + 1e-9;
/// Part of the size that points out of a face may be and still count as over it (face_tolerance),
/// and far more: it sticks out of sharp corners.
constexpr double kBeside = 1e-3;
/// Part of a body's size that it may reach through a face of two sides and is still on the side of its
/// middle: more than a step leaves of an overlap, less than what hangs around the face's border.
constexpr double kSameSide = 1e-2;

/// n, directions: axes of the body.
bool points_into_none(std::span<const Vec3> directions, const Vec3& n) {
  return std::none_of(directions.begin(), directions.end(),
                      [&](const Vec3& d) { return dot(n, d) > kCone; });
}

bool is_normal(const FeatureSet& S, const FeatureSet::Edge& edge, const Vec3& n) {
  const Vec3 local = transpose_times(S.axes, n);
  if (!S.two_sided && dot(local, edge.outward) < -kCone) return false;
  return points_into_none(S.edge_directions.subspan(to_size(edge.first), to_size(edge.count)),
                          local);
}
bool is_normal(const FeatureSet& S, const FeatureSet::Vertex& vertex, const Vec3& n) {
  return points_into_none(S.vertex_directions.subspan(to_size(vertex.first), to_size(vertex.count)),
                          transpose_times(S.axes, n));
}

/// Heights of a feature.
struct Range {
  double low = 1e300;
  double high = -1e300;
};
void grow(Range& range, double height) {
  range = {std::min(range.low, height), std::max(range.high, height)};
}
Range height(const Vec3& up, const FeatureSet::Vertex& vertex) {
  const double x = dot(up, vertex.x);
  return {x, x};
}
Range height(const Vec3& up, const FeatureSet::Edge& edge) {
  const double start = dot(up, edge.a);
  const double end = start + dot(up, edge.along);
  return {std::min(start, end), std::max(start, end)};
}

/// Features left to look at; one list at a time.
Selection& selection() {
  thread_local Selection selected;  // no allocation once it has grown
  return selected;
}

/// <= 0: the ball around row k may be within `reach` of p; (x + y)^2 <= 2 (x^2 + y^2), and by more
/// than rounding.
template <std::size_t N>
double beyond(const std::array<Four, N>& row, std::size_t k, const Vec3& p, double reach_squared) {
  const Vec3 from{p[0] - row[0][k], p[1] - row[1][k], p[2] - row[2][k]};
  return dot(from, from) - 2.0 * kLoosely * (row[3][k] + reach_squared);
}

/// <= 0: no further than `by` from the heights of row k, which come last.
template <std::size_t N>
double uneven(const std::array<Four, N>& row, std::size_t k, const Range& height, double by) {
  return std::max(height.low - row[N - 1][k], row[N - 2][k] - height.high) - by;
}

/// Faces of S that the vertex may be over, up to `in_front` of their planes and `depth` behind;
/// `by`: as far as heights may be apart.
NSN_VERSIONS Selection& faces_near(const FeatureSet& S, const FeatureSet::Vertex& vertex,
                                   double in_front, double depth, double by) {
  const double reach = std::max(in_front, depth);
  const Range level = height(S.up, vertex);
  const auto apart = [&](const auto& area, std::size_t k) {
    const double above = along<4>(area, k, vertex.x) - area[7][k];
    return std::max(std::max(above - in_front, -depth - above),
                    std::max(beyond(area, k, vertex.x, reach * reach), uneven(area, k, level, by)));
  };
  S.areas.select(apart, selection());
  return selection();
}

/// Edges of S that may be within `reach` of the vertex.
NSN_VERSIONS Selection& edges_near(const FeatureSet& S, const FeatureSet::Vertex& vertex,
                                   double reach) {
  const Range level = height(S.up, vertex);
  const auto apart = [&](const auto& line, std::size_t k) {
    return std::max(beyond(line, k, vertex.x, reach * reach), uneven(line, k, level, reach));
  };
  S.lines.select(apart, selection());
  return selection();
}

/// Faces of S that an edge passes through, or comes as near to as `reach`, or little further.
NSN_VERSIONS Selection& faces_crossed(const FeatureSet& S, const FeatureSet::Edge& edge,
                                      double reach, double by) {
  const Vec3 middle = edge.a + 0.5 * edge.along;
  const double half = 0.5 * norm(edge.along) + reach;
  const Range level = height(S.up, edge);
  const auto apart = [&](const auto& area, std::size_t k) {
    const double start = along<4>(area, k, edge.a) - area[7][k];
    const double end = start + along<4>(area, k, edge.along);
    const double above = std::max(std::min(start, end), -std::max(start, end)) - reach;
    return std::max(std::max(above, beyond(area, k, middle, half * half)),
                    uneven(area, k, level, by));
  };
  S.areas.select(apart, selection());
  return selection();
}

/// Edges of S within `reach` or little further that have a normal that can be opposite to one of
/// this edge, turned by no more than `turn`.
NSN_VERSIONS Selection& opposing_edges(const FeatureSet& S, const FeatureSet::Edge& edge,
                                       double reach, double turn) {
  const NormalArc& arc = edge.normals;
  const Vec3 middle = edge.a + 0.5 * edge.along;
  const double half = 0.5 * norm(edge.along) + reach;
  const Range level = height(S.up, edge);
  const auto excess = [&](const auto& line, std::size_t k) {
    const double between = along<4>(line, k, arc.middle) - turn;
    return std::max(std::max(opposition_excess(arc, between, line[7][k], line[8][k]),
                             beyond(line, k, middle, half * half)),
                    uneven(line, k, level, reach));
  };
  S.lines.select(excess, selection());
  return selection();
}

/// A point out of a face by no more counts as over it.
double face_tolerance(const FeatureSet& S) {
  return 1e-6 * S.size;
}

/// How far p is out of the sides, times their lengths.
NSN_INLINE Lanes4 out_of(const FeatureSet::Sides& sides, const Vec3& p) {
  return (p[0] - load_four(sides.x[0])) * load_four(sides.outward[0]) +
         (p[1] - load_four(sides.x[1])) * load_four(sides.outward[1]) +
         (p[2] - load_four(sides.x[2])) * load_four(sides.outward[2]);
}

/// > 0: some side is passed by more than `tolerance`; `out`: by how much, times its length.
NSN_INLINE double excess(const FeatureSet::Sides& sides, const Lanes4& out, double tolerance) {
  return greatest(greater(out, Lanes4{}) * out - tolerance * tolerance * load_four(sides.squared));
}

/// 1: the foot of the perpendicular lies in the face, or out of it by the tolerance.
NSN_VERSIONS unsigned over_face(const FeatureSet& S, const FeatureSet::Face& face, const Vec3& p,
                                double tolerance) {
  const FeatureSet::Sides* sides = &S.sides[to_size(face.first)];
  unsigned over = 1;
  for (int k = 0; k < face.count; k += 4, ++sides) {
    over &= static_cast<unsigned>(!(excess(*sides, out_of(*sides, p), tolerance) > 0.0));
  }
  return over;
}

bool inside_convex(const FeatureSet& S, const Vec3& p) {
  return std::all_of(S.faces.begin(), S.faces.end(), [&](const FeatureSet::Face& face) {
    return dot(face.normal, p) - face.offset <= 1e-9 * S.size;
  });
}

/// By the side of the nearest triangle; of several that share the nearest point, the one that is
/// seen most directly from p decides.
bool inside_mesh(const FeatureSet& S, const Vec3& p) {
  // No further than the nearest corner.
  double squared = 1e300;
  for (const FeatureSet::Sides& sides : S.sides) {
    const Vec3 from = p - sides.corner(0);
    squared = std::min(squared, dot(from, from));
  }
  const double bound = std::sqrt(squared);
  double least = 1e300;
  double facing = 0.0;
  for (const FeatureSet::Face& face : S.faces) {
    const double height = dot(face.normal, p) - face.offset;
    // As the distance is, by more.
    if (std::abs(height) > std::min(least, bound) + 1e-8 * S.size) continue;
    const FeatureSet::Sides& sides = S.sides[to_size(face.first)];
    const OnTriangle near =
        closest_on_triangle(p, sides.corner(0), sides.corner(1), sides.corner(2));
    const double distance = std::sqrt(near.distance_squared);
    if (distance > least + 1e-9 * S.size) continue;
    const bool nearer = distance < least - 1e-9 * S.size;
    if (nearer || std::abs(height) > std::abs(facing)) facing = height;
    least = std::min(least, distance);
  }
  return facing <= 0.0;
}

/// Cores without faces have no inside to speak of: what crosses them is inside.
bool inside(const FeatureSet& S, const Vec3& p) {
  if (S.faces.empty()) return true;
  if (S.two_sided) return false;
  return S.convex ? inside_convex(S, p) : inside_mesh(S, p);
}

/// Faces of `other` that a vertex of `mine` may be over.
Selection& find_faces(const FeatureSet& mine, const FeatureSet& other,
                      const FeatureSet::Vertex& vertex, double margin, const Slack& slack) {
  const double reach = margin + (mine.radius + other.radius);
  const double in_front = kLoosely * reach + slack.distance;
  const double depth = other.two_sided ? in_front : kLoosely * other.depth + slack.distance;
  const double furthest = std::max(reach, other.depth) + face_tolerance(other) + slack.distance;
  return faces_near(other, vertex, in_front, depth, furthest);
}

/// One of the two bodies and how a contact between them is written.
class Side {
 public:
  Side(const FeatureSet& mine, const FeatureSet& other, const FeaturePairs::Beside* beside,
       bool mine_is_a, double margin, Manifold& out)
      : mine_(mine),
        other_(other),
        beside_(beside),
        mine_is_a_(mine_is_a),
        margin_(margin),
        out_(out) {}

  /// Vertices of mine on the other's faces; `done` marks those that found one.
  void add_vertices(std::vector<std::uint8_t>& done) {
    done.clear();
    for (std::size_t v = 0; v < mine_.vertices.size(); ++v) {
      done.push_back(add_vertex(mine_.vertices[v], faces_beside(v)) ? 1 : 0);
    }
  }

  /// Vertices that are over no face: the other's edges, then its vertices.
  void add_apart(const std::vector<std::uint8_t>& done, bool with_vertices) {
    for (std::size_t v = 0; v < mine_.vertices.size(); ++v) {
      if (done[v] != 0) continue;
      const FeatureSet::Vertex& vertex = mine_.vertices[v];
      bool found = false;
      for (const int e : edges_beside(v)) {
        found = add_on_edge(vertex, other_.edges[to_size(e)]) || found;
      }
      if (found || !with_vertices) continue;
      for (const FeatureSet::Vertex& b : other_.vertices) add_on_vertex(vertex, b);
    }
  }

 private:
  double radii() const { return mine_.radius + other_.radius; }

  std::span<const int> faces_beside(std::size_t v) const {
    if (beside_ != nullptr) return beside_->faces[v];
    return find_faces(mine_, other_, mine_.vertices[v], margin_, {}).numbers();
  }
  std::span<const int> edges_beside(std::size_t v) const {
    if (beside_ != nullptr) return beside_->edges[v];
    return edges_near(other_, mine_.vertices[v], margin_ + radii()).numbers();
  }

  /// n: from the other's surface towards mine; cores at p (mine) and p - height n.
  void push(const Vec3& p, const Vec3& n, double height, std::uint64_t mine, std::uint64_t other,
            bool vertex_vertex) {
    const Vec3 on_mine = p - mine_.radius * n;
    const Vec3 on_other = p - (height - other_.radius) * n;
    const FeatureKind kind = vertex_vertex ? FeatureKind::kNearest
                             : mine_is_a_  ? FeatureKind::kVertexOfA
                                           : FeatureKind::kVertexOfB;
    if (mine_is_a_) {
      out_.push_back(
          {on_mine, on_other, n, feature_id(kind, mine, other), mine_.radius, other_.radius});
    } else {
      out_.push_back(
          {on_other, on_mine, -n, feature_id(kind, other, mine), other_.radius, mine_.radius});
    }
  }

  bool add_vertex(const FeatureSet::Vertex& vertex, std::span<const int> faces) {
    const FeatureSet::Face* behind = nullptr;
    double least = -1e300;
    bool found = false;
    const std::size_t before = out_.size();
    for (const int f : faces) {
      const FeatureSet::Face& face = other_.faces[to_size(f)];
      double height = dot(face.normal, vertex.x) - face.offset;
      const bool flipped = other_.two_sided && is_below(face, height);
      if (flipped) height = -height;
      const double depth = other_.two_sided ? kSameSide * mine_.size : other_.depth;
      if (height - radii() > margin_ || height < -depth) continue;
      if (over_face(other_, face, vertex.x, face_tolerance(other_)) == 0) continue;
      found = true;
      if (height < 0.0 && !other_.two_sided) {
        if (height > least) behind = &face;
        least = std::max(least, height);
        continue;
      }
      push_over_face(vertex, face, flipped ? -face.normal : face.normal, height, before);
    }
    if (behind == nullptr) return found;
    if (out_.size() > before) return true;  // in front of a face: not inside
    if (!inside(other_, vertex.x)) return false;
    push_over_face(vertex, *behind, behind->normal, least, before);
    return true;
  }

  /// On the lower side of a face of two sides: that of my middle, if my vertex has hardly passed it.
  bool is_below(const FeatureSet::Face& face, double height) const {
    const double side = dot(face.normal, mine_.body_middle) - face.offset;
    const bool passed = height * side < 0.0 && std::abs(height) <= kSameSide * mine_.size;
    return passed ? side < 0.0 : height < 0.0;
  }

  /// Faces in one plane say the same: only the first does.
  void push_over_face(const FeatureSet::Vertex& vertex, const FeatureSet::Face& face, const Vec3& n,
                      double height, std::size_t before) {
    for (std::size_t k = before; k < out_.size(); ++k) {
      if (std::abs(dot(out_[k].normal, n)) > 1.0 - 1e-12) return;
    }
    push(vertex.x, n, height, static_cast<std::uint64_t>(vertex.number),
         other_.numbers_faces ? static_cast<std::uint64_t>(face.number) : 0, false);
  }

  /// Beside the edge, not beyond its ends, and within the reach or little further.
  bool is_beside(const FeatureSet::Vertex& vertex, const FeatureSet::Edge& edge) const {
    const double reach = margin_ + radii();
    const Vec3 from = vertex.x - edge.a;
    const double along = dot(from, edge.along);
    const double length_squared = dot(edge.along, edge.along);
    // Distance squared times length squared, beyond the reach by more than rounding.
    const double most = (reach * reach + 1e-12 * dot(from, from)) * length_squared;
    const double squared = dot(from, from) * length_squared - along * along;
    return along > 0.0 && along < length_squared && !(squared > most);
  }

  bool add_on_edge(const FeatureSet::Vertex& vertex, const FeatureSet::Edge& edge) {
    if (!is_beside(vertex, edge)) return false;
    const OnSegment near = closest_on_segment(vertex.x, edge.a, edge.a + edge.along);
    const double distance = std::sqrt(near.distance_squared);
    if (near.t <= 0.0 || near.t >= 1.0 || distance - radii() > margin_) return false;
    if (distance < 1e-9 * (mine_.size + other_.size + radii())) return false;
    const Vec3 n = (1.0 / distance) * (vertex.x - near.point);
    if (!is_normal(other_, edge, n) || !is_normal(mine_, vertex, -n)) return false;
    push(vertex.x, n, distance, static_cast<std::uint64_t>(vertex.number), mix_bits(edge.number),
         false);
    return true;
  }

  void add_on_vertex(const FeatureSet::Vertex& vertex, const FeatureSet::Vertex& b) {
    const Vec3 between = vertex.x - b.x;
    const double reach = kLoosely * (margin_ + radii());
    if (dot(between, between) > reach * reach) return;
    const double distance = norm(between);
    if (distance - radii() > margin_) return;
    if (distance < 1e-9 * (mine_.size + other_.size + radii())) return;
    const Vec3 n = (1.0 / distance) * between;
    if (!is_normal(other_, b, n) || !is_normal(mine_, vertex, -n)) return;
    push(vertex.x, n, distance, static_cast<std::uint64_t>(vertex.number),
         static_cast<std::uint64_t>(b.number), true);
  }

  const FeatureSet& mine_;
  const FeatureSet& other_;
  const FeaturePairs::Beside* beside_;  // null: found on the way
  bool mine_is_a_;
  double margin_;
  Manifold& out_;
};

/// Further apart than this, edges do not touch, however deep they are.
double furthest_edges(const FeatureSet& A, const FeatureSet& B, double margin) {
  const double depth = std::min(A.depth, B.depth);
  return std::max(margin + A.radius + B.radius, std::min(depth, A.size + B.size));
}

/// `pairs`: null: found on the way.
void add_edges(const FeatureSet& A, const FeatureSet& B, const NumberLists* pairs, double margin,
               Manifold& out) {
  const double reach = margin + (A.radius + B.radius);
  const double depth = std::min(A.depth, B.depth);
  const double furthest = furthest_edges(A, B, margin);
  BetweenSegments near;
  for (std::size_t i = 0; i < A.edges.size(); ++i) {
    const FeatureSet::Edge& a = A.edges[i];
    for (const int j :
         pairs != nullptr ? (*pairs)[i] : opposing_edges(B, a, furthest, 0.0).numbers()) {
      const FeatureSet::Edge& b = B.edges[to_size(j)];
      if (!crossing_of_segments(a.a, a.along, b.a, b.along, near) ||
          near.distance_squared > furthest * furthest) {
        continue;
      }
      const Vec3 m = normalized(cross(a.along, b.along));
      const double along = dot(m, near.on_p - near.on_q);
      // Outwards by the edges' faces; where they leave both ways open, the way they are apart.
      for (const double sign : {along >= 0.0 ? 1.0 : -1.0, along >= 0.0 ? -1.0 : 1.0}) {
        const Vec3 n = sign * m;
        const double height = sign * along;
        if (height > reach || height < -depth) continue;
        if (!is_normal(B, b, n) || !is_normal(A, a, -n)) continue;
        if (height < 0.0 && (!inside(B, near.on_p) || !inside(A, near.on_q))) continue;
        out.push_back({near.on_p - A.radius * n, near.on_q + B.radius * n, n,
                       feature_id(FeatureKind::kEdges, a.number, b.number), A.radius, B.radius});
        break;
      }
    }
  }
}

/// An edge that passes through the plane of a face.
struct Crossing {
  int edge;
  int face;
  double start;  ///< heights of the edge's ends
  double end;
};

/// Adds those of the faces; without branches: which planes are passed cannot be foreseen.
void add_crossings(const FeatureSet& S, std::span<const int> faces, const FeatureSet::Edge& edge,
                   int number, std::vector<Crossing>& out, std::size_t& count) {
  if (out.size() < count + faces.size()) out.resize(2 * (count + faces.size()));
  Crossing* const crossings = out.data();
  std::size_t end_of_list = count;
  for (const int f : faces) {
    const FeatureSet::Face& face = S.faces[to_size(f)];
    const double start = dot(face.normal, edge.a) - face.offset;
    const double end = start + dot(face.normal, edge.along);
    crossings[end_of_list] = {number, f, start, end};
    end_of_list +=
        static_cast<unsigned>(!(start * end > 0.0)) & static_cast<unsigned>(start != end);
  }
  count = end_of_list;
}

/// Where one edge passes through faces of S, of which it crosses the planes.
Piercing edge_piercing(const FeatureSet& S, std::span<const Crossing> crossings,
                       const FeatureSet::Edge& edge, double reach) {
  int count = 0;
  double first = 1.0;
  double last = 0.0;
  double inner = 0.0;
  for (const Crossing& crossing : crossings) {
    const double t = crossing.start / (crossing.start - crossing.end);
    const FeatureSet::Face& face = S.faces[to_size(crossing.face)];
    if (over_face(S, face, edge.a + t * edge.along, face_tolerance(S)) == 0) continue;
    ++count;
    first = std::min(first, t);
    last = std::max(last, t);
    inner = std::min({inner, crossing.start, crossing.end});
  }
  if (count == 0) return Piercing::kNone;
  const bool through = count % 2 == 0;
  const double depth = through ? 0.25 * (last - first) * norm(edge.along) : -inner;
  return depth > reach ? Piercing::kDeep : Piercing::kShallow;
}

/// 1: p is within `reach` of the edge, or little further.
unsigned within(const FeatureSet::Edge& edge, const Vec3& p, double reach) {
  const double most = kLoosely * reach;
  return static_cast<unsigned>(
      closest_on_segment(p, edge.a, edge.a + edge.along).distance_squared <= most * most);
}

/// 1: two edges come within `reach` of each other, or little further.
unsigned within(const FeatureSet::Edge& a, const FeatureSet::Edge& b, double reach) {
  const double most = kLoosely * reach;
  return static_cast<unsigned>(
      closest_between_segments(a.a, a.a + a.along, b.a, b.a + b.along).distance_squared <=
      most * most);
}

/// 1: nothing of the edge is over the face, by more than `reach` from one of its sides.
NSN_VERSIONS unsigned past_face(const FeatureSet& S, const FeatureSet::Face& face,
                                const FeatureSet::Edge& edge, double reach) {
  const FeatureSet::Sides* sides = &S.sides[to_size(face.first)];
  unsigned past = 0;
  for (int k = 0; k < face.count; k += 4, ++sides) {
    const Lanes4 start = out_of(*sides, edge.a);
    const Lanes4 end = start + (edge.along[0] * load_four(sides->outward[0]) +
                                edge.along[1] * load_four(sides->outward[1]) +
                                edge.along[2] * load_four(sides->outward[2]));
    past |= static_cast<unsigned>(excess(*sides, lesser(start, end), reach) > 0.0);
  }
  return past;
}

/// Faces and edges of `other` beside the vertices of `mine`, examined more closely: they are
/// examined again in several steps.
void find_beside(const FeatureSet& mine, const FeatureSet& other, double margin, const Slack& slack,
                 FeaturePairs::Beside& out) {
  const double reach = margin + mine.radius + other.radius + slack.distance;
  // A face that turns under a vertex moves away below it, the more the further it is from it.
  const double beside = kLoosely * face_tolerance(other) + slack.distance +
                        (std::max(reach, other.depth) + slack.distance) * slack.turn;
  out.faces.clear();
  out.edges.clear();
  for (const FeatureSet::Vertex& vertex : mine.vertices) {
    Selection& faces = find_faces(mine, other, vertex, margin, slack);
    faces.narrow(
        [&](int f) { return over_face(other, other.faces[to_size(f)], vertex.x, beside); });
    out.faces.add(faces.numbers());
    Selection& edges = edges_near(other, vertex, reach);
    edges.narrow([&](int e) { return within(other.edges[to_size(e)], vertex.x, reach); });
    out.edges.add(edges.numbers());
  }
}

/// Faces of S that the edge may pass through.
std::span<const int> find_crossed(const FeatureSet& S, const FeatureSet::Edge& edge, double slack) {
  const double by = face_tolerance(S) + slack;
  const Range level = height(S.up, edge);
  if (level.low - S.high > by || S.low - level.high > by) return {};
  return faces_crossed(S, edge, slack, by).numbers();
}

/// Of the corners of a face.
NSN_INLINE Vec3 centre_of(const FeatureSet::Sides* sides, int count) {
  Vec3 sum = sides->corner(0);
  for (int k = 1; k < count; ++k) sum += sides[k / 4].corner(to_size(k % 4));
  return (1.0 / count) * sum;
}

}  // namespace

void FeatureSet::clear() {
  vertices.clear();
  edges.clear();
  lines.clear();
  faces.clear();
  areas.clear();
  sides.clear();
  own_directions.clear();
  axes = identity<3>();
  up = body_middle = {};
  vertex_directions = edge_directions = {};
  radius = size = low = high = 0.0;
  depth = 1e300;
  two_sided = convex = numbers_faces = false;
}

NSN_VERSIONS void FeatureSet::index(const Vec3& direction) {
  up = direction;
  lines.clear();
  for (const Edge& edge : edges) {
    const NormalArc& arc = edge.normals;
    const Vec3 middle = edge.a + 0.5 * edge.along;
    const Range level = height(up, edge);
    lines.push_back({middle[0], middle[1], middle[2], 0.25 * dot(edge.along, edge.along),
                     arc.middle[0], arc.middle[1], arc.middle[2], arc.cosine, arc.sine, level.low,
                     level.high});
  }
  areas.clear();
  Range all;
  // Of a ball that is larger by kBeside size: (x + y)^2 <= 1.01 x^2 + 101 y^2, without a root.
  const double more = 101.0 * (kBeside * size) * (kBeside * size);
  for (const Face& face : faces) {
    const Sides* first = &sides[to_size(face.first)];
    const Vec3 centre = centre_of(first, face.count);
    double squared = 0.0;
    Range level;
    for (int k = 0; k < face.count; k += 4) {
      const Sides& four = first[k / 4];
      const Lanes4 x = load_four(four.x[0]);
      const Lanes4 y = load_four(four.x[1]);
      const Lanes4 z = load_four(four.x[2]);
      const Lanes4 heights = x * up[0] + y * up[1] + z * up[2];
      level = {std::min(level.low, least(heights)), std::max(level.high, greatest(heights))};
      const Lanes4 dx = x - centre[0];
      const Lanes4 dy = y - centre[1];
      const Lanes4 dz = z - centre[2];
      squared = std::max(squared, greatest(dx * dx + dy * dy + dz * dz));
    }
    grow(all, level.low);
    grow(all, level.high);
    areas.push_back({centre[0], centre[1], centre[2], 1.01 * squared + more, face.normal[0],
                     face.normal[1], face.normal[2], face.offset, level.low, level.high});
  }
  low = all.low;
  high = all.high;
}

bool is_inside(const FeatureSet& S, const Vec3& p) {
  return inside(S, p);
}

void find_crossings(const FeatureSet& A, const FeatureSet& B, double slack, NumberLists& out) {
  const double by = face_tolerance(B) + slack;
  thread_local std::vector<int> left;  // no allocation once it has grown
  out.clear();
  for (const FeatureSet::Edge& edge : A.edges) {
    left.clear();
    for (const int f : find_crossed(B, edge, slack)) {
      if (past_face(B, B.faces[to_size(f)], edge, by) == 0) left.push_back(f);
    }
    out.add(left);
  }
}

Piercing piercing(const FeatureSet& A, const FeatureSet& B, const NumberLists* crossings,
                  double reach) {
  thread_local std::vector<Crossing> all;  // no allocation once it has grown
  std::size_t count = 0;
  for (std::size_t e = 0; e < A.edges.size(); ++e) {
    const auto faces = crossings != nullptr ? (*crossings)[e] : find_crossed(B, A.edges[e], 0.0);
    add_crossings(B, faces, A.edges[e], static_cast<int>(e), all, count);
  }
  Piercing worst = Piercing::kNone;
  for (std::size_t k = 0; k < count && worst != Piercing::kDeep;) {
    const std::size_t begin = k;
    while (k < count && all[k].edge == all[begin].edge) ++k;
    worst = std::max(worst, edge_piercing(B, {&all[begin], k - begin},
                                          A.edges[to_size(all[begin].edge)], reach));
  }
  return worst;
}

void find_feature_pairs(const FeatureSet& A, const FeatureSet& B, double margin, const Slack& slack,
                        FeaturePairs& out) {
  find_beside(A, B, margin, slack, out.a);
  find_beside(B, A, margin, slack, out.b);
  const double reach = furthest_edges(A, B, margin) + slack.distance;
  out.edges.clear();
  for (const FeatureSet::Edge& edge : A.edges) {
    Selection& edges = opposing_edges(B, edge, reach, slack.turn);
    edges.narrow([&](int e) { return within(edge, B.edges[to_size(e)], reach); });
    out.edges.add(edges.numbers());
  }
}

void add_feature_contacts(const FeatureSet& A, const FeatureSet& B, const FeaturePairs* pairs,
                          double margin, Manifold& out) {
  thread_local std::vector<std::uint8_t> done_a;  // no allocation once it has grown
  thread_local std::vector<std::uint8_t> done_b;
  Side a(A, B, pairs != nullptr ? &pairs->a : nullptr, true, margin, out);
  Side b(B, A, pairs != nullptr ? &pairs->b : nullptr, false, margin, out);
  a.add_vertices(done_a);
  b.add_vertices(done_b);
  add_edges(A, B, pairs != nullptr ? &pairs->edges : nullptr, margin, out);
  a.add_apart(done_a, true);
  b.add_apart(done_b, false);
}

}  // namespace nsn
