#include "nsn/models/deformable/mesh_generators.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

// Corner c of a cell is its bits (x, y, z).
constexpr int kSixTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
// Around the tetrahedron of the even corners 0, 3, 5, 6; mirrored in x for odd cells.
constexpr int kFiveTets[5][4] = {
    {0, 3, 6, 5}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}};

void check_positive(double value, const char* what) {
  NSN_THROW_UNLESS(value > 0.0 && std::isfinite(value), "{} {} m is not positive", what, value);
}

// Six or five tetrahedra over the eight nodes of a cell.
void add_cell(const std::array<Index, 8>& corner, CellPattern pattern, bool odd, int region,
              TetMesh& mesh) {
  const auto add = [&](const int(&tet)[4], int mirror) {
    std::array<Index, 4> nodes{};
    for (std::size_t a = 0; a < 4; ++a) nodes[a] = corner[to_size(tet[a] ^ mirror)];
    mesh.tet.push_back(nodes);
    mesh.region.push_back(region);
  };
  if (pattern == CellPattern::kSix) {
    for (const auto& tet : kSixTets) add(tet, 0);
  } else {
    for (const auto& tet : kFiveTets) add(tet, odd ? 1 : 0);
  }
}

// A point of a subdivided icosahedron: weights of its corners, which add up to the frequency.
using LatticePoint = std::map<int, int>;

struct Icosahedron {
  std::array<Vec3, 12> corner;
  std::vector<std::array<int, 3>> face;
};

// Corners (0, +-1, +-g) and their cyclic turns; faces are the triples of nearest corners, outwards.
Icosahedron icosahedron() {
  Icosahedron ico;
  const double g = (1.0 + std::sqrt(5.0)) / 2.0;
  for (int k = 0; k < 12; ++k) {
    Vec3 x;
    x[(k / 4 + 1) % 3] = (k & 1) != 0 ? 1.0 : -1.0;
    x[(k / 4 + 2) % 3] = (k & 2) != 0 ? g : -g;
    ico.corner[to_size(k)] = normalized(x);
  }
  const auto near = [&](int a, int b) {
    return dot(ico.corner[to_size(a)], ico.corner[to_size(b)]) >
           0.4;  // 1/sqrt 5 = 0.447, the next is -0.447
  };
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      for (int c = b + 1; c < 12; ++c) {
        if (!near(a, b) || !near(b, c) || !near(a, c)) continue;
        const Mat3 A =
            columns(ico.corner[to_size(a)], ico.corner[to_size(b)], ico.corner[to_size(c)]);
        ico.face.push_back(determinant(A) > 0.0 ? std::array<int, 3>{a, b, c}
                                                : std::array<int, 3>{a, c, b});
      }
    }
  }
  return ico;
}

// Shells of a ball from outside to inside, by frequency; each is that of its predecessor or half.
using Shells = std::vector<int>;

Index tets_of(const Shells& shells) {
  Index sum = 20 * shells.back() * shells.back();
  for (std::size_t k = 0; k + 1 < shells.size(); ++k) {
    const int inner = shells[k + 1];
    sum += (inner == shells[k] ? 3 : 7) * 20 * inner * inner;
  }
  return sum;
}

// Edges along and across the shells are of a length: about as many shells as the frequency.
bool well_shaped(const Shells& shells) {
  const auto number = static_cast<int>(shells.size());
  return 2 * number >= shells.front() && number <= shells.front() + 1;
}

// The shells with most tetrahedra, well shaped if possible, at most `tets` and differing from it by
// a multiple of three.
std::optional<Shells> shells_for(Index tets) {
  std::optional<Shells> best;
  const auto better = [&](const Shells& shells) {
    return !best || std::make_pair(well_shaped(shells), tets_of(shells)) >
                        std::make_pair(well_shaped(*best), tets_of(*best));
  };
  for (int f = 1; 20 * f * f <= tets; ++f) {
    for (std::size_t outer = 1; outer <= to_size(f) + 1; ++outer) {
      for (std::size_t half = 0; half <= (f % 2 == 0 ? to_size(f / 2) + 1 : 0U); ++half) {
        Shells shells(outer, f);
        shells.insert(shells.end(), half, f / 2);
        const Index count = tets_of(shells);
        if (count <= tets && (tets - count) % 3 == 0 && better(shells)) best = shells;
      }
    }
  }
  return best;
}

class BallBuilder {
 public:
  explicit BallBuilder(double radius) : radius_(radius), ico_(icosahedron()) {}

  TetMesh build(const Shells& shells) {
    double r = radius_;
    for (std::size_t k = 0; k < shells.size(); ++k) {
      const double next = r * (1.0 - std::min(0.5, 0.8 / shells[k]));
      if (k + 1 == shells.size()) {
        add_core(shells[k], r);
      } else if (shells[k + 1] == shells[k]) {
        add_layer(shells[k], r, next);
      } else {
        add_halving_layer(shells[k + 1], r, next);
      }
      r = next;
    }
    orient_tets(mesh_);
    return std::move(mesh_);
  }

 private:
  // Corner (i, j) of the grid of one face, weights scaled so that frequencies f and 2f share keys.
  LatticePoint point(const std::array<int, 3>& face, int f, int i, int j, int scale = 1) const {
    LatticePoint p;
    const int weights[3] = {f - i - j, i, j};
    for (std::size_t k = 0; k < 3; ++k) {
      if (weights[k] > 0) p[face[k]] = scale * weights[k];
    }
    return p;
  }

  Index node(const LatticePoint& p, double r) {
    const auto [place, fresh] = nodes_.emplace(std::make_pair(p, r), mesh_.num_nodes());
    if (fresh) {
      Vec3 x;
      for (const auto& [corner, weight] : p) x += double(weight) * ico_.corner[to_size(corner)];
      mesh_.node.push_back(r * normalized(x));
    }
    return place->second;
  }

  void add(Index a, Index b, Index c, Index d) {
    mesh_.tet.push_back({a, b, c, d});
    mesh_.region.push_back(0);
  }

  // body(p, q, s): the corners of every triangle of frequency f, with weights times `scale`.
  template <class Body>
  void for_each_triangle(int f, int scale, const Body& body) const {
    for (const auto& face : ico_.face) {
      for (int i = 0; i < f; ++i) {
        for (int j = 0; i + j < f; ++j) {
          const auto at_grid = [&](int u, int v) { return point(face, f, u, v, scale); };
          body(at_grid(i, j), at_grid(i + 1, j), at_grid(i, j + 1));
          if (i + j + 1 < f) body(at_grid(i + 1, j), at_grid(i + 1, j + 1), at_grid(i, j + 1));
        }
      }
    }
  }

  void add_core(int f, double r) {
    const auto centre = mesh_.num_nodes();
    mesh_.node.push_back(Vec3{});
    for_each_triangle(f, 1,
                      [&](const LatticePoint& p, const LatticePoint& q, const LatticePoint& s) {
                        add(node(p, r), node(q, r), node(s, r), centre);
                      });
  }

  // A prism becomes three tetrahedra; the order of the corners decides the diagonals, alike on both
  // sides of every face.
  void add_layer(int f, double outer, double inner) {
    for_each_triangle(f, 1, [&](LatticePoint p, LatticePoint q, LatticePoint s) {
      if (q < p) std::swap(p, q);
      if (s < q) std::swap(q, s);
      if (q < p) std::swap(p, q);
      const Index o0 = node(p, outer);
      const Index o1 = node(q, outer);
      const Index o2 = node(s, outer);
      const Index i0 = node(p, inner);
      const Index i1 = node(q, inner);
      const Index i2 = node(s, inner);
      add(o0, o1, o2, i2);
      add(o0, o1, i1, i2);
      add(o0, i0, i1, i2);
    });
  }

  // Four triangles outside over one inside (frequency f): three corners and an octahedron between.
  void add_halving_layer(int f, double outer, double inner) {
    const auto sum = [](LatticePoint p, const LatticePoint& q) {
      for (const auto& [corner, weight] : q) p[corner] += weight;
      return p;
    };
    for_each_triangle(f, 1,
                      [&](const LatticePoint& p, const LatticePoint& q, const LatticePoint& s) {
                        const LatticePoint corners[3] = {p, q, s};
                        Index o[3];
                        Index m[3];  // middle of the edge opposite to a corner
                        Index b[3];
                        for (std::size_t k = 0; k < 3; ++k) {
                          o[k] = node(sum(corners[k], corners[k]), outer);
                          m[k] = node(sum(corners[(k + 1) % 3], corners[(k + 2) % 3]), outer);
                          b[k] = node(corners[k], inner);
                        }
                        for (std::size_t k = 0; k < 3; ++k)
                          add(o[k], m[(k + 1) % 3], m[(k + 2) % 3], b[k]);
                        // Octahedron m0 m1 m2 b0 b1 b2 around its diagonal from m0 to b0.
                        const Index ring[4] = {m[1], b[2], b[1], m[2]};
                        for (std::size_t k = 0; k < 4; ++k)
                          add(m[0], b[0], ring[k], ring[(k + 1) % 4]);
                      });
  }

  double radius_;
  Icosahedron ico_;
  TetMesh mesh_;
  std::map<std::pair<LatticePoint, double>, Index> nodes_;
};

// Divides the largest tetrahedron (the first of equals) into four at its centroid.
void divide_largest(TetMesh& mesh, Index times) {
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry> largest;
  const auto push = [&](Index t) { largest.emplace(signed_volume(mesh, t), -t); };
  for (Index t = 0; t < mesh.num_tets(); ++t) push(t);
  for (Index k = 0; k < times; ++k) {
    const Index t = -largest.top().second;
    largest.pop();
    const std::array<Index, 4> tet = mesh.tet[to_size(t)];
    Vec3 centroid;
    for (const Index n : tet) centroid += 0.25 * mesh.node[to_size(n)];
    const Index centre = mesh.num_nodes();
    mesh.node.push_back(centroid);
    for (std::size_t a = 0; a < 4; ++a) {
      std::array<Index, 4> part = tet;
      part[a] = centre;
      const Index place = a == 0 ? t : mesh.num_tets();
      if (a == 0) {
        mesh.tet[to_size(t)] = part;
      } else {
        mesh.tet.push_back(part);
        mesh.region.push_back(mesh.region[to_size(t)]);
      }
      push(place);
    }
  }
}

}  // namespace

TetMesh grid_mesh(const GridMesh& grid) {
  for (int d = 0; d < 3; ++d) {
    NSN_THROW_UNLESS(grid.cells[to_size(d)] >= 1, "{} cells along axis {}", grid.cells[to_size(d)],
                     d);
    check_positive(grid.cell[d], "edge of a cell");
  }
  const Index nx = grid.cells[0];
  const Index ny = grid.cells[1];
  const Index nz = grid.cells[2];
  TetMesh mesh;
  std::vector<Index> node_of(to_size(nx + 1) * to_size(ny + 1) * to_size(nz + 1), -1);
  const auto node = [&](Index i, Index j, Index k) {
    Index& n = node_of[(to_size(k) * to_size(ny + 1) + to_size(j)) * to_size(nx + 1) + to_size(i)];
    if (n < 0) {
      n = mesh.num_nodes();
      mesh.node.push_back(grid.origin + vec3(i * grid.cell[0], j * grid.cell[1], k * grid.cell[2]));
    }
    return n;
  };
  for (Index i = 0; i < nx; ++i) {
    for (Index k = 0; k < nz; ++k) {
      for (Index j = 0; j < ny; ++j) {
        const int region = grid.region(i, j, k);
        if (region < 0) continue;
        std::array<Index, 8> corner{};
        for (int c = 0; c < 8; ++c) {
          corner[to_size(c)] = node(i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1));
        }
        add_cell(corner, grid.pattern, (i + j + k) % 2 != 0, region, mesh);
      }
    }
  }
  orient_tets(mesh);
  return mesh;
}

TetMesh bar_mesh(const Vec3& size, const std::array<Index, 3>& cells, CellPattern pattern) {
  GridMesh grid;
  grid.cells = cells;
  grid.pattern = pattern;
  for (int d = 0; d < 3; ++d) {
    check_positive(size[d], "size");
    grid.cell[d] = size[d] / std::max<Index>(cells[to_size(d)], 1);
  }
  return grid_mesh(grid);
}

TetMesh ball_mesh(double radius, Index tets) {
  check_positive(radius, "radius");
  const std::optional<Shells> shells = shells_for(tets);
  NSN_THROW_UNLESS(shells.has_value(),
                   "there is no ball of {} tetrahedra; 20, 80, 320, 400 and 427 are some", tets);
  TetMesh mesh = BallBuilder(radius).build(*shells);
  divide_largest(mesh, (tets - mesh.num_tets()) / 3);
  return mesh;
}

TetMesh finger_mesh(const FingerMesh& finger) {
  NSN_THROW_UNLESS(finger.chambers >= 1 && finger.cells_per_chamber >= 1 &&
                       finger.cells_across >= 1 && finger.cells_of_chamber >= 1,
                   "a finger of {} chambers of {} x {} x {} cells", finger.chambers,
                   finger.cells_per_chamber, finger.cells_across, finger.cells_of_chamber);
  NSN_THROW_UNLESS(finger.cells_of_valley >= 0 && finger.cells_of_valley <= finger.cells_of_chamber,
                   "valleys of {} cells between chambers of {}", finger.cells_of_valley,
                   finger.cells_of_chamber);
  check_positive(finger.base_height, "height of the base");
  check_positive(finger.chamber_height, "height of the chambers");
  const Index period = finger.cells_per_chamber + 1;
  GridMesh grid;
  grid.cells = {finger.chambers * period - 1, finger.cells_across, 2 + finger.cells_of_chamber};
  grid.cell = vec3(finger.length / grid.cells[0], finger.width / grid.cells[1], 1.0);
  grid.pattern = CellPattern::kFive;
  grid.region = [&](Index i, Index, Index k) -> int {
    if (k == 0) return kFingerLayer;
    if (k == 1) return kFingerBody;
    const bool arch = i % period < finger.cells_per_chamber;
    return arch || k < 2 + finger.cells_of_valley ? kFingerChamber : -1;
  };
  TetMesh mesh = grid_mesh(grid);
  // Heights in cells become heights in metres: two cells of the base, then those of the chambers.
  for (Vec3& x : mesh.node) {
    x[2] = x[2] <= 2.0 ? 0.5 * x[2] * finger.base_height
                       : finger.base_height +
                             (x[2] - 2.0) * finger.chamber_height / finger.cells_of_chamber;
  }
  return mesh;
}

}  // namespace nsn
