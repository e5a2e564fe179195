#include "core/jointed_mass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/block_ordering.h"
#include "core/math3.h"

namespace nsn {
namespace {

/// w: what a linearisation leaves of an error in a rigid row, times the condition of the rows. The
/// factor of H loses as many digits.
constexpr double kWeight = 1e-9;
constexpr std::size_t kBody = 6;
constexpr std::size_t kBodySize = 36;
/// Of the unknowns of W that take part in a factorisation.
constexpr double kActiveShare = 0.5;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

using Row6 = std::array<double, 18>;  // 3 x 6, row by row

/// The blocks of J of one side as 3 x 6.
template <class Side>
Row6 load_side(const BlockCsr& J, const Side& side) {
  Row6 row{};
  for (const auto& [entry, offset] : {std::pair{side.linear, 0U}, std::pair{side.angular, 3U}}) {
    if (entry < 0) continue;
    const double* const a = &J.value(kBlockSize * entry);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) row[6 * i + offset + j] = a[3 * i + j];
    }
  }
  return row;
}

/// C += A^T B, 6 x 6
void add_product(const Row6& A, const Row6& B, double* C) {
  for (std::size_t i = 0; i < kBody; ++i) {
    for (std::size_t j = 0; j < kBody; ++j) {
      C[kBody * i + j] += A[i] * B[j] + A[6 + i] * B[6 + j] + A[12 + i] * B[12 + j];
    }
  }
}

/// Lower Cholesky factor in place; the diagonal holds reciprocals. False: not positive definite.
bool factor6(double* a) {
  for (std::size_t j = 0; j < kBody; ++j) {
    double d = a[7 * j];
    for (std::size_t k = 0; k < j; ++k) d -= a[6 * j + k] * a[6 * j + k];
    if (!(d > 0.0) || !std::isfinite(d)) return false;
    const double reciprocal = 1.0 / std::sqrt(d);
    a[7 * j] = reciprocal;
    for (std::size_t i = j + 1; i < kBody; ++i) {
      double s = a[6 * i + j];
      for (std::size_t k = 0; k < j; ++k) s -= a[6 * i + k] * a[6 * j + k];
      a[6 * i + j] = s * reciprocal;
    }
  }
  return true;
}

/// B <- B L^-T
void solve_right(const double* L, double* B) {
  for (std::size_t r = 0; r < kBody; ++r) {
    double* const b = B + kBody * r;
    for (std::size_t j = 0; j < kBody; ++j) {
      double s = b[j];
      for (std::size_t k = 0; k < j; ++k) s -= b[k] * L[6 * j + k];
      b[j] = s * L[7 * j];
    }
  }
}

/// C -= A B^T
void subtract_product(const double* A, const double* B, double* C) {
  for (std::size_t i = 0; i < kBody; ++i) {
    for (std::size_t j = 0; j < kBody; ++j) {
      double s = 0.0;
      for (std::size_t k = 0; k < kBody; ++k) s += A[6 * i + k] * B[6 * j + k];
      C[6 * i + j] -= s;
    }
  }
}

/// Operations of a Cholesky factorisation over the rows, whatever their order, at the least: see
/// core/effective_mass.cpp.
double least_flops(const BlockCsr& J) {
  std::vector<Index> rows_of(at(J.columns), 0);
  for (Index k = 0; k < J.blocks(); ++k) ++rows_of[at(J.column(k))];
  double blocks = 0.0;
  for (Index i = 0; i < J.rows; ++i) {
    Index most = 0;  // rows that share its busiest node: at the least its neighbours
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      most = std::max(most, rows_of[at(J.column(k))]);
    }
    blocks += most;
  }
  const double n = 3.0 * J.rows;
  const double entries = 0.5 * (9.0 * blocks + n);
  return n > 0.0 ? entries * entries / n : 0.0;
}

}  // namespace

void JointedMass::analyze(const System& system, const BlockCsr& J,
                          const std::vector<std::uint8_t>& far) {
  equations_.clear();
  kept_.clear();
  const bool rigid = system.rigid_nodes == system.nodes();
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool equation = rigid && system.laws[at(i)].unbounded();
    if (!equation && !far.empty() && far[at(i)] != 0) continue;
    (equation ? equations_ : kept_).push_back(i);
  }
  if (equations_.empty()) return;
  std::vector<Index> pattern{system.nodes()};
  for (const Index i : equations_) {
    pattern.push_back(-1);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) pattern.push_back(J.column(k));
  }
  const bool same = pattern == pattern_;
  const auto bodies = system.nodes() / 2;
  if (!same) {
    pattern_ = std::move(pattern);
    place_.resize(at(bodies));
    std::iota(place_.begin(), place_.end(), 0);
    find_sides(J, equations_, equation_begin_, equation_sides_);  // by bodies
    analyze_factor(bodies);
  }
  find_sides(J, equations_, equation_begin_, equation_sides_);
  if (!same) {
    equation_block_.clear();
    for (std::size_t e = 0; e < equations_.size(); ++e) {
      for (Index a = equation_begin_[e]; a < equation_begin_[e + 1]; ++a) {
        for (Index b = equation_begin_[e]; b < a; ++b) {
          const Index p = std::min(equation_sides_[at(a)].place, equation_sides_[at(b)].place);
          const Index q = std::max(equation_sides_[at(a)].place, equation_sides_[at(b)].place);
          const auto first = below_.begin() + below_begin_[at(p)];
          const auto last = below_.begin() + below_begin_[at(p) + 1];
          equation_block_.push_back(
              static_cast<Index>(std::lower_bound(first, last, q) - below_.begin()));
        }
      }
    }
    N_.resize(kBlockSize * equations_.size());
  }
  find_sides(J, kept_, kept_begin_, kept_sides_);
  analyze_rows();
  analyze_W();
  count_flops(J);
}

void JointedMass::find_sides(const BlockCsr& J, const std::vector<Index>& rows,
                             std::vector<Index>& begin, std::vector<Side>& sides) const {
  begin.assign(1, 0);
  sides.clear();
  for (const Index i : rows) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index node = J.column(k);
      const Index place = place_[at(node / 2)];
      const bool known = static_cast<Index>(sides.size()) > begin.back() &&
                         sides.back().place == place;  // columns of a body are next to each other
      if (!known) sides.push_back({place, -1, -1});
      (node % 2 == 0 ? sides.back().linear : sides.back().angular) = k;
    }
    begin.push_back(static_cast<Index>(sides.size()));
  }
}

/// Order, structure of L, and what each column updates. equation_sides_ are by bodies here.
void JointedMass::analyze_factor(Index bodies) {
  std::vector<std::vector<Index>> neighbours(at(bodies));
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    for (Index a = equation_begin_[e]; a < equation_begin_[e + 1]; ++a) {
      for (Index b = equation_begin_[e]; b < equation_begin_[e + 1]; ++b) {
        if (a == b) continue;
        neighbours[at(equation_sides_[at(a)].place)].push_back(equation_sides_[at(b)].place);
      }
    }
  }
  Graph graph;
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    graph.neighbour.insert(graph.neighbour.end(), list.begin(), list.end());
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  order_ = minimum_degree_order(graph, std::vector<Index>(at(bodies), 1));
  for (Index k = 0; k < bodies; ++k) place_[at(order_[at(k)])] = k;
  std::vector<std::vector<Index>> columns(at(bodies));
  below_begin_.assign(1, 0);
  below_.clear();
  target_of_pair_.clear();
  for (Index k = 0; k < bodies; ++k) {
    std::vector<Index>& column = columns[at(k)];
    for (const Index n : neighbours[at(order_[at(k)])]) {
      if (place_[at(n)] > k) column.push_back(place_[at(n)]);
    }
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    below_.insert(below_.end(), column.begin(), column.end());
    below_begin_.push_back(static_cast<Index>(below_.size()));
    if (column.empty()) continue;
    std::vector<Index>& parent = columns[at(column.front())];
    parent.insert(parent.end(), column.begin() + 1, column.end());
  }
  for (Index k = 0; k < bodies; ++k) {
    for (Index a = below_begin_[at(k)]; a < below_begin_[at(k) + 1]; ++a) {
      for (Index b = below_begin_[at(k)]; b < a; ++b) {
        const Index p = below_[at(b)];
        const auto first = below_.begin() + below_begin_[at(p)];
        const auto last = below_.begin() + below_begin_[at(p) + 1];
        target_of_pair_.push_back(
            static_cast<Index>(std::lower_bound(first, last, below_[at(a)]) - below_.begin()));
      }
    }
  }
  root_.resize(at(bodies));
  for (Index k = bodies - 1; k >= 0; --k) {
    const bool top = below_begin_[at(k)] == below_begin_[at(k) + 1];
    root_[at(k)] = top ? k : root_[at(below_[at(below_begin_[at(k)])])];
  }
  diagonal_.resize(kBodySize * at(bodies));
  off_.resize(kBodySize * below_.size());
  x_.resize(kBody * at(bodies));
}

/// Which kept rows reach which places: those of a body they touch and of all above it.
void JointedMass::analyze_rows() {
  const auto places = static_cast<Index>(order_.size());
  std::vector<Index> count(at(places) + 1, 0);
  std::vector<Index> seen(at(places), -1);
  std::vector<std::pair<Index, Index>> reach;  // (place, row), rows ascending
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    for (Index s = kept_begin_[k]; s < kept_begin_[k + 1]; ++s) {
      Index place = kept_sides_[at(s)].place;
      while (seen[at(place)] != static_cast<Index>(k)) {
        seen[at(place)] = static_cast<Index>(k);
        reach.emplace_back(place, static_cast<Index>(k));
        ++count[at(place) + 1];
        if (below_begin_[at(place)] == below_begin_[at(place) + 1]) break;
        place = below_[at(below_begin_[at(place)])];
      }
    }
  }
  std::partial_sum(count.begin(), count.end(), count.begin());
  list_begin_ = count;
  list_.resize(reach.size());
  for (const auto& [place, row] : reach) list_[at(count[at(place)]++)] = row;
  const auto rows_at = [&](Index place) {
    return std::pair{list_.begin() + list_begin_[at(place)],
                     list_.begin() + list_begin_[at(place) + 1]};
  };
  const auto positions = [&](Index from, Index to, std::vector<Index>& out) {
    auto [row, last] = rows_at(from);
    const auto [first, end] = rows_at(to);
    auto found = first;
    for (; row != last; ++row) {
      found = std::lower_bound(found, end, *row);
      out.push_back(static_cast<Index>(found - first));
    }
  };
  in_tree_.clear();
  map_begin_.assign(1, 0);
  map_.clear();
  panel_.assign(1, 0);
  for (Index k = 0; k < places; ++k) {
    positions(k, root_[at(k)], in_tree_);
    for (Index a = below_begin_[at(k)]; a < below_begin_[at(k) + 1]; ++a) {
      positions(k, below_[at(a)], map_);
      map_begin_.push_back(static_cast<Index>(map_.size()));
    }
    const auto rows = at(list_begin_[at(k) + 1] - list_begin_[at(k)]);
    panel_.push_back(panel_.back() + kBody * 3 * rows);
  }
  Y_.resize(panel_.back());
}

/// Rows that touch one tree share a block of W.
void JointedMass::analyze_W() {
  const auto n = static_cast<Index>(kept_.size());
  trees_.clear();
  std::size_t largest = 0;
  std::vector<std::vector<Index>> roots(at(n));
  for (Index k = 0; k < static_cast<Index>(order_.size()); ++k) {
    const Index rows = list_begin_[at(k) + 1] - list_begin_[at(k)];
    if (root_[at(k)] != k || rows == 0) continue;
    trees_.push_back({k, 0});
    largest = std::max(largest, at(rows));
    for (Index e = list_begin_[at(k)]; e < list_begin_[at(k) + 1]; ++e) {
      roots[at(list_[at(e)])].push_back(k);
    }
  }
  W_begin_.assign(1, 0);
  W_column_.clear();
  for (Index i = 0; i < n; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(W_column_.size());
    for (const Index root : roots[at(i)]) {
      W_column_.insert(W_column_.end(), list_.begin() + list_begin_[at(root)],
                       list_.begin() + list_begin_[at(root) + 1]);
    }
    if (roots[at(i)].size() > 1) {
      std::sort(W_column_.begin() + first, W_column_.end());
      W_column_.erase(std::unique(W_column_.begin() + first, W_column_.end()), W_column_.end());
    }
    W_begin_.push_back(static_cast<Index>(W_column_.size()));
  }
  W_value_.assign(kBlockSize * W_column_.size(), 0.0);
  W_ = {};
  W_.rows = W_.columns = n;
  W_.row_begin = IndexVector(W_begin_.data(), W_begin_.size());
  W_.column = IndexVector(W_column_.data(), W_column_.size());
  W_.value = Vector(W_value_.data(), W_value_.size());
  target_.clear();
  for (Tree& tree : trees_) {
    tree.block_begin = target_.size();
    const Index* const rows = list_.data() + list_begin_[at(tree.root)];
    const Index count = list_begin_[at(tree.root) + 1] - list_begin_[at(tree.root)];
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j <= i; ++j) {
        target_.push_back(find_block(W_, rows[i], rows[j]));
        target_.push_back(find_block(W_, rows[j], rows[i]));
      }
    }
  }
  local_.resize(9 * largest * largest);
}

void JointedMass::count_flops(const BlockCsr& J) {
  flops_ = 0.0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const double below = below_begin_[k + 1] - below_begin_[k];
    const double columns = 3.0 * (list_begin_[k + 1] - list_begin_[k]);
    flops_ += 72.0 + 216.0 * below * (1.0 + below) + columns * (36.0 + 72.0 * below) +
              6.0 * columns * columns;
  }
  for (const Tree& tree : trees_) {
    const double active =
        kActiveShare * 3.0 * (list_begin_[at(tree.root) + 1] - list_begin_[at(tree.root)]);
    flops_ += active * active * active / 3.0;
  }
  least_rows_flops_ = least_flops(J);
}

void JointedMass::form_H(const System& system, const StepEvaluation& rows, ConstVector blocks) {
  std::fill(off_.begin(), off_.end(), 0.0);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    double* const D = diagonal_.data() + kBodySize * k;
    std::fill_n(D, kBodySize, 0.0);
    const double* const m = &blocks(2 * kBlockSize * order_[k]);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        D[6 * i + j] = m[3 * i + j];
        D[6 * i + j + 21] = m[9 + 3 * i + j];
      }
    }
  }
  std::size_t pair = 0;
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    Mat3 stiff = load9(&rows.E(kBlockSize * i));
    for (int k = 0; k < 3; ++k) stiff(k, k) += kWeight * system.rho_error(kBlock * i + k);
    const Mat3 N = inverse(stiff);
    store9(&N_[kBlockSize * e], N);
    Row6 side[4];
    Row6 stiffened[4];
    const Index first = equation_begin_[e];
    const Index sides = equation_begin_[e + 1] - first;
    for (Index a = 0; a < sides; ++a) {
      side[a] = load_side(rows.J, equation_sides_[at(first + a)]);
      for (std::size_t x = 0; x < 3; ++x) {
        for (std::size_t y = 0; y < kBody; ++y) {
          stiffened[a][6 * x + y] = N.a[3 * x] * side[a][y] + N.a[3 * x + 1] * side[a][6 + y] +
                                    N.a[3 * x + 2] * side[a][12 + y];
        }
      }
      const Index place = equation_sides_[at(first + a)].place;
      add_product(side[a], stiffened[a], diagonal_.data() + kBodySize * at(place));
      for (Index b = 0; b < a; ++b, ++pair) {  // the later place is the row
        const bool later = place > equation_sides_[at(first + b)].place;
        add_product(side[later ? a : b], stiffened[later ? b : a],
                    off_.data() + kBodySize * at(equation_block_[pair]));
      }
    }
  }
}

bool JointedMass::factorise() {
  std::size_t pair = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    double* const D = diagonal_.data() + kBodySize * k;
    if (!factor6(D)) return false;
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      double* const left = off_.data() + kBodySize * at(a);
      solve_right(D, left);
      for (Index b = below_begin_[k]; b < a; ++b) {
        subtract_product(left, off_.data() + kBodySize * at(b),
                         off_.data() + kBodySize * at(target_of_pair_[pair++]));
      }
      subtract_product(left, left, diagonal_.data() + kBodySize * at(below_[at(a)]));
    }
  }
  return true;
}

bool JointedMass::assemble(const System& system, const StepEvaluation& rows, ConstVector blocks) {
  form_H(system, rows, blocks);
  if (!factorise()) return false;
  form_W(rows);
  return true;
}

void JointedMass::solve(Vector f) {
  double* const x = x_.data();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    std::copy_n(&f(static_cast<Index>(kBody) * order_[k]), kBody, x + kBody * k);
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const double* const L = diagonal_.data() + kBodySize * k;
    double* const y = x + kBody * k;
    for (std::size_t i = 0; i < kBody; ++i) {
      for (std::size_t j = 0; j < i; ++j) y[i] -= L[6 * i + j] * y[j];
      y[i] *= L[7 * i];
    }
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      const double* const B = off_.data() + kBodySize * at(a);
      double* const z = x + kBody * at(below_[at(a)]);
      for (std::size_t i = 0; i < kBody; ++i) {
        for (std::size_t j = 0; j < kBody; ++j) z[i] -= B[6 * i + j] * y[j];
      }
    }
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    const double* const L = diagonal_.data() + kBodySize * k;
    double* const y = x + kBody * k;
    for (Index a = below_begin_[k]; a < below_begin_[k + 1]; ++a) {
      const double* const B = off_.data() + kBodySize * at(a);
      const double* const z = x + kBody * at(below_[at(a)]);
      for (std::size_t i = 0; i < kBody; ++i) {
        for (std::size_t j = 0; j < kBody; ++j) y[j] -= B[6 * i + j] * z[i];
      }
    }
    for (std::size_t i = kBody; i-- > 0;) {
      for (std::size_t j = i + 1; j < kBody; ++j) y[i] -= L[6 * j + i] * y[j];
      y[i] *= L[7 * i];
    }
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    std::copy_n(x + kBody * k, kBody, &f(static_cast<Index>(kBody) * order_[k]));
  }
}

/// Y = L^-1 J_k^T place by place, W = Y^T Y + E_k.
void JointedMass::form_W(const StepEvaluation& rows) {
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (std::size_t r = 0; r < kept_.size(); ++r) {
    for (Index s = kept_begin_[r]; s < kept_begin_[r + 1]; ++s) {
      const Side& side = kept_sides_[at(s)];
      const Index* const first = list_.data() + list_begin_[at(side.place)];
      const Index* const last = list_.data() + list_begin_[at(side.place) + 1];
      const auto column = 3 * static_cast<std::size_t>(
                                  std::lower_bound(first, last, static_cast<Index>(r)) - first);
      const auto wide = 3 * static_cast<std::size_t>(last - first);
      double* const y = Y_.data() + panel_[at(side.place)] + column;
      const Row6 J = load_side(rows.J, side);
      for (std::size_t i = 0; i < kBody; ++i) {
        for (std::size_t a = 0; a < 3; ++a) y[i * wide + a] = J[6 * a + i];
      }
    }
  }
  std::fill(W_value_.begin(), W_value_.end(), 0.0);
  for (Index k = 0; k < static_cast<Index>(order_.size()); ++k) {
    const auto count = at(list_begin_[at(k) + 1] - list_begin_[at(k)]);
    if (count == 0) continue;
    const std::size_t wide = 3 * count;
    double* const y = Y_.data() + panel_[at(k)];
    const double* const L = diagonal_.data() + kBodySize * at(k);
    for (std::size_t i = 0; i < kBody; ++i) {
      double* const yi = y + i * wide;
      for (std::size_t j = 0; j < i; ++j) {
        const double factor = L[6 * i + j];
        const double* const yj = y + j * wide;
        for (std::size_t c = 0; c < wide; ++c) yi[c] -= factor * yj[c];
      }
      for (std::size_t c = 0; c < wide; ++c) yi[c] *= L[7 * i];
    }
    for (Index a = below_begin_[at(k)]; a < below_begin_[at(k) + 1]; ++a) {
      const Index up = below_[at(a)];
      const double* const B = off_.data() + kBodySize * at(a);
      const Index* const map = map_.data() + map_begin_[at(a)];
      double* const above = Y_.data() + panel_[at(up)];
      const auto above_wide = 3 * at(list_begin_[at(up) + 1] - list_begin_[at(up)]);
      for (std::size_t i = 0; i < kBody; ++i) {
        double* const to = above + i * above_wide;
        for (std::size_t c = 0; c < count; ++c) {
          double* const t = to + 3 * at(map[c]);
          const double* const from = y + 3 * c;
          double s0 = 0.0;
          double s1 = 0.0;
          double s2 = 0.0;
          for (std::size_t j = 0; j < kBody; ++j) {
            s0 += B[6 * i + j] * from[j * wide];
            s1 += B[6 * i + j] * from[j * wide + 1];
            s2 += B[6 * i + j] * from[j * wide + 2];
          }
          t[0] -= s0;
          t[1] -= s1;
          t[2] -= s2;
        }
      }
    }
    add_products(k);
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const auto i = static_cast<Index>(k);
    double* const D = &W_.value(kBlockSize * find_block(W_, i, i));
    store9(D, load9(D) + load9(&rows.E(kBlockSize * kept_[k])));
  }
}

/// W += Y^T Y of one place, lower half and its mirror.
void JointedMass::add_products(Index place) {
  const auto count = at(list_begin_[at(place) + 1] - list_begin_[at(place)]);
  const std::size_t wide = 3 * count;
  const double* const y = Y_.data() + panel_[at(place)];
  for (std::size_t c = 0; c < wide; ++c) {
    double* const out = local_.data() + c * wide;
    const std::size_t end = 3 * (c / 3) + 3;
    const double f0 = y[c];
    const double f1 = y[wide + c];
    const double f2 = y[2 * wide + c];
    const double f3 = y[3 * wide + c];
    const double f4 = y[4 * wide + c];
    const double f5 = y[5 * wide + c];
    for (std::size_t d = 0; d < end; ++d) {
      out[d] = f0 * y[d] + f1 * y[wide + d] + f2 * y[2 * wide + d] + f3 * y[3 * wide + d] +
               f4 * y[4 * wide + d] + f5 * y[5 * wide + d];
    }
  }
  const auto tree = std::find_if(trees_.begin(), trees_.end(),
                                 [&](const Tree& t) { return t.root == root_[at(place)]; });
  const Index* const in_tree = in_tree_.data() + list_begin_[at(place)];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto row = at(in_tree[i]);
      const std::size_t block = tree->block_begin + 2 * (row * (row + 1) / 2 + at(in_tree[j]));
      double* const w = &W_value_[kBlockSize * at(target_[block])];
      double* const mirror = &W_value_[kBlockSize * at(target_[block + 1])];
      for (std::size_t a = 0; a < 3; ++a) {
        const double* const from = local_.data() + (3 * i + a) * wide + 3 * j;
        for (std::size_t b = 0; b < 3; ++b) {
          w[3 * a + b] += from[b];
          if (i != j) mirror[3 * b + a] += from[b];
        }
      }
    }
  }
}

void JointedMass::free_impulses(const StepEvaluation& rows, ConstVector r, Vector s) const {
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    const Vec3 r_i = load3(&r(kBlock * i));
    const Vec3 v = load3(&rows.value(kBlock * i)) + load9(&rows.E(kBlockSize * i)) * r_i;
    store3(&s(kBlock * i), r_i - load9(&N_[kBlockSize * e]) * v);
  }
}

void JointedMass::impulses(const StepEvaluation& rows, ConstVector s, ConstVector d,
                           Vector r) const {
  const BlockRows J(rows.J);
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    double moved[3];
    J.multiply(i, d.data(), moved);
    store3(&r(kBlock * i), load3(&s(kBlock * i)) - load9(&N_[kBlockSize * e]) * load3(moved));
  }
}

}  // namespace nsn
