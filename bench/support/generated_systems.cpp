#include "bench/support/generated_systems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

using Point = std::array<double, 3>;

Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point operator*(double s, const Point& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point normalized(const Point& a) {
  return (1.0 / std::sqrt(dot(a, a))) * a;
}

/// Uniform numbers by a 64-bit linear congruence: the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {
    for (int k = 0; k < 4; ++k) static_cast<void>(uniform());
  }
  double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double symmetric() { return 2.0 * uniform() - 1.0; }
  Point direction() {
    const double z = symmetric();
    const double angle = 2.0 * std::numbers::pi * uniform();
    const double s = std::sqrt(1.0 - z * z);
    return {s * std::cos(angle), s * std::sin(angle), z};
  }

 private:
  std::uint64_t state_;
};

/// Rows n, t1, t2.
using Frame = std::array<Point, 3>;

Frame frame_of(const Point& n) {
  const Point side = std::abs(n[0]) < 0.7 ? Point{1.0, 0.0, 0.0} : Point{0.0, 1.0, 0.0};
  const Point t1 = normalized(cross(side, n));
  return {n, t1, cross(n, t1)};
}

/// Collects J row by row.
class Assembly {
 public:
  explicit Assembly(Index nodes) : nodes_(nodes) {}

  Index add_row() { return rows_++; }
  void add(Index row, Index node, const Block& block) { blocks_.push_back({row, node, block}); }

  /// The velocity of a point at `arm` from the centre of a rigid body, in a frame, times sign:
  /// sign * F (v + w x arm).
  void add_body(Index row, Index body, double sign, const Frame& frame, const Point& arm) {
    Block linear{};
    Block angular{};
    for (std::size_t r = 0; r < 3; ++r) {
      const Point a = cross(arm, frame[r]);
      for (std::size_t c = 0; c < 3; ++c) {
        linear[3 * r + c] = sign * frame[r][c];
        angular[3 * r + c] = sign * a[c];
      }
    }
    add(row, 2 * body, linear);
    add(row, 2 * body + 1, angular);
  }

  BlockCsr matrix() const { return block_csr_from_triplets(rows_, nodes_, blocks_); }
  Index rows() const { return rows_; }

 private:
  Index nodes_;
  Index rows_ = 0;
  std::vector<BlockTriplet> blocks_;
};

void set_diagonal(const Vector& blocks, Index i, double value) {
  for (Index e = 0; e < kBlock; ++e) blocks(i * kBlockSize + 4 * e) = value;
}

BlockCsr block_diagonal(const Vector& blocks) {
  const Index rows = size_of(blocks) / kBlockSize;
  BlockCsr C{rows, rows, IndexVector("row_begin", static_cast<std::size_t>(rows) + 1),
             IndexVector("column", static_cast<std::size_t>(rows)), blocks};
  for (Index i = 0; i < rows; ++i) {
    C.column(i) = i;
    C.row_begin(i + 1) = i + 1;
  }
  return C;
}

/// b = J w + C y: falling at 9.81 m/s^2 for one step, and a little of everything.
Vector right_hand_side(const BlockCsr& J, const BlockCsr& C, Index stride, Random& random) {
  const Vector w("w", static_cast<std::size_t>(J.scalar_columns()));
  for (Index i = 0; i < size_of(w); ++i) w(i) = 0.05 * random.symmetric();
  for (Index node = 0; node < J.columns; node += stride) w(kBlock * node + 2) -= 9.81 / 120.0;
  const Vector y("y", static_cast<std::size_t>(J.scalar_rows()));
  for (Index i = 0; i < size_of(y); ++i) y(i) = 0.01 * random.symmetric();
  const Vector b("b", static_cast<std::size_t>(J.scalar_rows()));
  const Vector Cy("Cy", static_cast<std::size_t>(J.scalar_rows()));
  multiply(J, w, b);
  multiply(C, y, Cy);
  for (Index i = 0; i < size_of(b); ++i) b(i) += Cy(i);
  return b;
}

/// Compliance: none where a contact sticks, some on the tangential rows where it slides.
BlockCsr friction_compliance(Index contacts, double sliding, double scale, Random& random) {
  const Vector blocks("C", static_cast<std::size_t>(contacts) * kBlockSize);
  for (Index i = 0; i < contacts; ++i) {
    const bool slides = random.uniform() < sliding;
    const double W = slides ? scale * std::pow(10.0, random.symmetric()) : 0.0;
    blocks(i * kBlockSize + 4) = W;
    blocks(i * kBlockSize + 8) = W;
  }
  return block_diagonal(blocks);
}

// Half of the neighbours in a face-centred lattice, nearest first: the other half is their mirror.
constexpr std::array<std::array<Index, 3>, 9> kHalfNeighbours = {{{1, 1, 0},
                                                                  {1, -1, 0},
                                                                  {1, 0, 1},
                                                                  {-1, 0, 1},
                                                                  {0, 1, 1},
                                                                  {0, -1, 1},
                                                                  {2, 0, 0},
                                                                  {0, 2, 0},
                                                                  {0, 0, 2}}};

/// Spheres at the even points of a cubic grid of side cells.
class Lattice {
 public:
  Lattice(Index cells, Random& random) : cells_(cells), body_(points(), -1) {
    for (Index z = 0; z < cells; ++z) {
      for (Index y = 0; y < cells; ++y) {
        for (Index x = 0; x < cells; ++x) {
          if ((x + y + z) % 2 != 0) continue;
          body_[place(x, y, z)] = static_cast<Index>(centre.size());
          const auto coordinate = [&](Index k) { return k + 0.08 * random.symmetric(); };
          centre.push_back({coordinate(x), coordinate(y), coordinate(z)});
          cell.push_back({x, y, z});
        }
      }
    }
  }

  Index bodies() const { return static_cast<Index>(centre.size()); }
  /// -1 outside.
  Index neighbour(Index body, const std::array<Index, 3>& offset) const {
    std::array<Index, 3> at = cell[static_cast<std::size_t>(body)];
    for (std::size_t k = 0; k < 3; ++k) {
      at[k] += offset[k];
      if (at[k] < 0 || at[k] >= cells_) return -1;
    }
    return body_[place(at[0], at[1], at[2])];
  }

  std::vector<Point> centre;
  std::vector<std::array<Index, 3>> cell;

 private:
  std::size_t points() const {
    const auto c = static_cast<std::size_t>(cells_);
    return c * c * c;
  }
  std::size_t place(Index x, Index y, Index z) const {
    const auto c = static_cast<std::size_t>(cells_);
    return (static_cast<std::size_t>(z) * c + static_cast<std::size_t>(y)) * c +
           static_cast<std::size_t>(x);
  }

  Index cells_;
  std::vector<Index> body_;
};

}  // namespace

GeneratedSystem sphere_pile(const PileOptions& options) {
  NSN_THROW_UNLESS(
      options.contacts > 0 && options.contacts_per_body >= 1 && options.contacts_per_body <= 9,
      "a pile of {} contacts with {} a body", options.contacts, options.contacts_per_body);
  Random random(options.seed);
  const double bodies = options.contacts / (options.contacts_per_body * (1.0 + options.redundant));
  const auto cells = static_cast<Index>(std::ceil(std::cbrt(2.0 * bodies) + 1.0));
  const Lattice lattice(cells, random);
  const double radius = std::sqrt(0.5);
  Assembly J(2 * lattice.bodies());
  const auto contact = [&](Index a, Index b, const Point& n) {
    const int points = random.uniform() < options.redundant ? 2 : 1;
    for (int k = 0; k < points && J.rows() < options.contacts; ++k) {
      const Frame frame = frame_of(n);
      const Point arm = normalized(n - 0.1 * k * frame[1]);
      const Index row = J.add_row();
      if (a >= 0) J.add_body(row, a, -1.0, frame, radius * arm);
      J.add_body(row, b, 1.0, frame, -radius * arm);
    }
  };
  for (Index a = 0; a < lattice.bodies(); ++a) {
    if (lattice.cell[static_cast<std::size_t>(a)][2] == 0) contact(-1, a, {0.0, 0.0, 1.0});
    for (Index k = 0; k < options.contacts_per_body; ++k) {
      const Index b = lattice.neighbour(a, kHalfNeighbours[static_cast<std::size_t>(k)]);
      if (b < 0) continue;
      const auto& x = lattice.centre;
      contact(a, b, normalized(x[static_cast<std::size_t>(b)] - x[static_cast<std::size_t>(a)]));
    }
  }
  GeneratedSystem system;
  system.name = fmt::format("pile-{}-{}", options.contacts, options.contacts_per_body);
  system.bodies = lattice.bodies();
  system.J = J.matrix();
  system.H_inverse =
      Vector("H_inverse", static_cast<std::size_t>(lattice.bodies()) * 2 * kBlockSize);
  for (Index i = 0; i < lattice.bodies(); ++i) {
    const double mass = std::pow(options.mass_ratio, random.uniform());
    set_diagonal(system.H_inverse, 2 * i, 1.0 / mass);
    set_diagonal(system.H_inverse, 2 * i + 1, 1.0 / (0.4 * mass * radius * radius));
  }
  system.C = friction_compliance(system.J.rows, options.sliding, 1.0, random);
  system.b = right_hand_side(system.J, system.C, 2, random);
  return system;
}

GeneratedSystem chain(Index links, std::uint64_t seed) {
  NSN_THROW_UNLESS(links > 0, "a chain of {} links", links);
  Random random(seed);
  Assembly J(2 * links);
  const Frame axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::vector<Point> half(static_cast<std::size_t>(links));  // from a link's centre to its end, m
  for (Point& arm : half) arm = 0.05 * random.direction();
  for (Index i = 0; i < links; ++i) {
    const Index row = J.add_row();
    if (i > 0) J.add_body(row, i - 1, -1.0, axes, half[static_cast<std::size_t>(i) - 1]);
    J.add_body(row, i, 1.0, axes, -1.0 * half[static_cast<std::size_t>(i)]);
  }
  GeneratedSystem system;
  system.name = fmt::format("chain-{}", links);
  system.bodies = links;
  system.J = J.matrix();
  system.H_inverse = Vector("H_inverse", static_cast<std::size_t>(links) * 2 * kBlockSize);
  for (Index i = 0; i < links; ++i) {
    set_diagonal(system.H_inverse, 2 * i, 1.0 / 0.1);
    set_diagonal(system.H_inverse, 2 * i + 1, 1.0 / (0.1 * 0.05 * 0.05));
  }
  system.C = block_diagonal(Vector("C", static_cast<std::size_t>(links) * kBlockSize));
  system.b = right_hand_side(system.J, system.C, 2, random);
  return system;
}

GeneratedSystem heavy_stack(Index boxes, double mass_ratio, std::uint64_t seed) {
  NSN_THROW_UNLESS(boxes > 0 && mass_ratio > 0.0, "a stack of {} boxes, mass ratio {}", boxes,
                   mass_ratio);
  Random random(seed);
  Assembly J(2 * boxes);
  const Frame frame = frame_of({0.0, 0.0, 1.0});
  for (Index i = 0; i < boxes; ++i) {
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        const Index row = J.add_row();
        if (i > 0) J.add_body(row, i - 1, -1.0, frame, {x, y, 0.5});
        J.add_body(row, i, 1.0, frame, {x, y, -0.5});
      }
    }
  }
  GeneratedSystem system;
  system.name = fmt::format("stack-{}", boxes);
  system.bodies = boxes;
  system.J = J.matrix();
  system.H_inverse = Vector("H_inverse", static_cast<std::size_t>(boxes) * 2 * kBlockSize);
  for (Index i = 0; i < boxes; ++i) {
    const double mass = std::pow(mass_ratio, i / std::max(1.0, boxes - 1.0));
    set_diagonal(system.H_inverse, 2 * i, 1.0 / mass);
    set_diagonal(system.H_inverse, 2 * i + 1, 6.0 / mass);
  }
  system.C = block_diagonal(Vector("C", static_cast<std::size_t>(J.rows()) * kBlockSize));
  system.b = right_hand_side(system.J, system.C, 2, random);
  return system;
}

GeneratedSystem tetrahedral_bar(Index cells, std::uint64_t seed) {
  NSN_THROW_UNLESS(cells > 0, "a bar of {} cells", cells);
  // Six tetrahedra of a cube, all along the diagonal from corner 0 to corner 7 (bits are x, y, z).
  constexpr std::array<std::array<Index, 4>, 6> kTetrahedra = {
      {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}}};
  constexpr double kCell = 0.02;       // m
  constexpr double kDensity = 1000.0;  // kg/m^3
  constexpr double kStep = 1.0 / 120.0;
  const double mu = 1e5 / (2.0 * 1.45);
  const double lambda = 1e5 * 0.45 / (1.45 * 0.1);
  Random random(seed);
  const Index layers = 8 * cells;
  const Index side = cells + 1;
  // Nodes of layer 0 do not move and have no number.
  const auto node = [&](Index x, Index y, Index z) {
    return z == 0 ? Index{-1} : ((z - 1) * side + y) * side + x;
  };
  const Index nodes = side * side * layers;
  Assembly J(nodes);
  GeneratedSystem system;
  system.positions = Vector("positions", to_size(kBlock * nodes));
  std::vector<double> mass(static_cast<std::size_t>(nodes), 0.0);
  const double volume = kCell * kCell * kCell / 6.0;
  for (Index cube = 0; cube < cells * cells * layers; ++cube) {
    const Index x = cube % cells;
    const Index y = cube / cells % cells;
    const Index z = cube / (cells * cells);
    for (const auto& corners : kTetrahedra) {
      std::array<Point, 4> at{};
      std::array<Index, 4> number{};
      for (std::size_t k = 0; k < 4; ++k) {
        const Index c = corners[k];
        at[k] = {kCell * (x + (c & 1)), kCell * (y + (c >> 1 & 1)), kCell * (z + (c >> 2))};
        number[k] = node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
      }
      // Gradients of the shape functions; row c of a block is (axis_c . gradient) axis_c^T.
      std::array<Point, 4> gradient{};
      const double det = dot(at[1] - at[0], cross(at[2] - at[0], at[3] - at[0]));
      for (std::size_t k = 1; k < 4; ++k) {
        const Point& p = at[k % 3 + 1];
        const Point& q = at[(k + 1) % 3 + 1];
        gradient[k] = (1.0 / det) * cross(p - at[0], q - at[0]);
        gradient[0] = gradient[0] - gradient[k];
      }
      const Frame axes = frame_of(random.direction());
      const Index row = J.add_row();
      for (std::size_t k = 0; k < 4; ++k) {
        if (number[k] < 0) continue;
        for (std::size_t e = 0; e < 3; ++e) {
          system.positions(kBlock * number[k] + static_cast<Index>(e)) = at[k][e];
        }
        mass[static_cast<std::size_t>(number[k])] += 0.25 * kDensity * volume;
        Block block{};
        for (std::size_t r = 0; r < 3; ++r) {
          for (std::size_t c = 0; c < 3; ++c) {
            block[3 * r + c] = dot(axes[r], gradient[k]) * axes[r][c];
          }
        }
        J.add(row, number[k], block);
      }
    }
  }
  system.name = fmt::format("bar-{}", J.rows());
  system.bodies = nodes;
  system.J = J.matrix();
  system.H_inverse = Vector("H_inverse", static_cast<std::size_t>(nodes) * kBlockSize);
  for (Index i = 0; i < nodes; ++i) {
    set_diagonal(system.H_inverse, i, 1.0 / mass[static_cast<std::size_t>(i)]);
  }
  // C = (V K)^-1 / h^2 with K = 2 mu 1 + lambda (1 1^T)
  const double factor = 1.0 / (volume * kStep * kStep * 2.0 * mu);
  const double shared = lambda / (2.0 * mu + 3.0 * lambda);
  const Vector C("C", static_cast<std::size_t>(J.rows()) * kBlockSize);
  for (Index i = 0; i < J.rows(); ++i) {
    for (Index e = 0; e < kBlockSize; ++e) {
      C(i * kBlockSize + e) = factor * ((e % 4 == 0 ? 1.0 : 0.0) - shared);
    }
  }
  system.C = block_diagonal(C);
  system.b = right_hand_side(system.J, system.C, 1, random);
  return system;
}

}  // namespace nsn
