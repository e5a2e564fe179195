#include "nsn/core/step/reductions/jointed_mass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "nsn/core/base/math3.h"
#include "nsn/core/factor/body_blocks.h"

namespace nsn {
namespace {

/// w: what a linearisation leaves of an error in a rigid row, times the condition of the rows. The
/// factor of H loses as many digits.
constexpr double kWeight = 1e-9;
/// Of the unknowns of W that take part in a factorisation.
constexpr double kActiveShare = 0.5;

using body_blocks::kBody;
using body_blocks::kPadded;

using Rows = std::array<double, 3 * kPadded>;  // three rows over one body
constexpr std::array<double, kBlockSize> kNothing{};

/// The blocks of J of one side.
template <class Side>
Rows load_side(const BlockCsr& J, const Side& side) {
  Rows rows{};
  for (const auto& [entry, offset] : {std::pair{side.linear, 0U}, std::pair{side.angular, 3U}}) {
    if (entry < 0) continue;
    const double* const a = J.value.data() + kBlockSize * to_size(entry);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) rows[kPadded * i + offset + j] = a[3 * i + j];
    }
  }
  return rows;
}

}  // namespace

/// Cholesky, whatever the order: see core/step/reductions/elastic_mass.cpp.
double least_rows_flops(const BlockCsr& J) {
  std::vector<Index> rows_of(to_size(J.columns), 0);
  for (Index k = 0; k < J.blocks(); ++k) ++rows_of[to_size(J.column(k))];
  double blocks = 0.0;
  for (Index i = 0; i < J.rows; ++i) {
    Index most = 0;  // rows that share its busiest node: at the least its neighbours
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      most = std::max(most, rows_of[to_size(J.column(k))]);
    }
    blocks += most;
  }
  const double n = 3.0 * J.rows;
  const double entries = 0.5 * (9.0 * blocks + n);
  return n > 0.0 ? entries * entries / n : 0.0;
}

void JointedMass::analyze(const System& system, const BlockCsr& J,
                          const std::vector<std::uint8_t>& far) {
  equations_.clear();
  kept_.clear();
  const bool rigid = system.rigid_nodes == system.nodes();
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool equation = rigid && system.laws[to_size(i)].unbounded();
    if (!equation && !far.empty() && far[to_size(i)] != 0) continue;
    (equation ? equations_ : kept_).push_back(i);
  }
  if (equations_.empty()) return;
  if (same_equations(system, J)) {
    find_sides(J, equations_, equation_begin_, equation_sides_);
  } else {
    analyze_equations(J, system.nodes() / 2);
  }
  find_sides(J, kept_, kept_begin_, kept_sides_);
  analyze_rows();
  analyze_W();
  count_flops();
}

/// Returns true if the equations touch the bodies they did; pattern_ is theirs afterwards.
bool JointedMass::same_equations(const System& system, const BlockCsr& J) {
  std::size_t used = 0;
  bool same = true;
  const auto put = [&](Index value) {
    if (used == pattern_.size()) pattern_.push_back(-2);
    same = same && pattern_[used] == value;
    pattern_[used++] = value;
  };
  put(system.nodes());
  for (const Index i : equations_) {
    put(-1);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) put(J.column(k));
  }
  same = same && used == pattern_.size();
  pattern_.resize(used);
  return same;
}

void JointedMass::analyze_equations(const BlockCsr& J, Index bodies) {
  std::vector<std::vector<Index>> neighbours(to_size(bodies));
  for (const Index i : equations_) {
    for (Index a = J.row_begin(i); a < J.row_begin(i + 1); ++a) {
      for (Index b = J.row_begin(i); b < J.row_begin(i + 1); ++b) {
        const Index body = J.column(a) / 2;
        const Index other = J.column(b) / 2;
        if (body != other) neighbours[to_size(body)].push_back(other);
      }
    }
  }
  factor_.analyze(std::move(neighbours));
  find_sides(J, equations_, equation_begin_, equation_sides_);
  equation_block_.clear();
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    for (Index a = equation_begin_[e]; a < equation_begin_[e + 1]; ++a) {
      for (Index b = equation_begin_[e]; b < a; ++b) {
        const Index p =
            std::min(equation_sides_[to_size(a)].place, equation_sides_[to_size(b)].place);
        const Index q =
            std::max(equation_sides_[to_size(a)].place, equation_sides_[to_size(b)].place);
        equation_block_.push_back(factor_.block_of(p, q));
      }
    }
  }
  N_.resize(kBlockSize * equations_.size());
}

void JointedMass::find_sides(const BlockCsr& J, const std::vector<Index>& rows,
                             std::vector<Index>& begin, std::vector<Side>& sides) const {
  begin.assign(1, 0);
  sides.clear();
  for (const Index i : rows) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index node = J.column(k);
      const Index place = factor_.place(node / 2);
      const bool known = static_cast<Index>(sides.size()) > begin.back() &&
                         sides.back().place == place;  // columns of a body are next to each other
      if (!known) sides.push_back({place, -1, -1});
      (node % 2 == 0 ? sides.back().linear : sides.back().angular) = k;
    }
    begin.push_back(static_cast<Index>(sides.size()));
  }
}

/// In which trees the kept rows are, their order there, and which of them reach which places: those
/// of a body they touch and of all above it.
void JointedMass::analyze_rows() {
  reach_.clear();
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const std::size_t begin = reach_.size();
    for (Index s = kept_begin_[k]; s < kept_begin_[k + 1]; ++s) {
      const Index place = kept_sides_[to_size(s)].place;
      const auto in_tree = [&](const Reach& r) { return r.tree == factor_.root(place); };
      const auto known =
          std::find_if(reach_.begin() + static_cast<std::ptrdiff_t>(begin), reach_.end(), in_tree);
      if (known == reach_.end()) {
        reach_.push_back({place, static_cast<Index>(k), factor_.root(place)});
      } else {
        known->first = std::min(known->first, place);
      }
    }
  }
  // The places of a tree follow each other.
  std::sort(reach_.begin(), reach_.end(), [](const Reach& a, const Reach& b) {
    return a.first != b.first ? a.first < b.first : a.row < b.row;
  });
  trees_.clear();
  panels_.assign(to_size(factor_.bodies()), {});
  for (Index e = 0; e < static_cast<Index>(reach_.size()); ++e) {
    const Reach& r = reach_[to_size(e)];
    if (trees_.empty() || trees_.back().root != r.tree) trees_.push_back({r.tree, e, e, 0});
    const Index rank = e - trees_.back().row_begin;
    trees_.back().row_end = e + 1;
    for (Index s = kept_begin_[to_size(r.row)]; s < kept_begin_[to_size(r.row) + 1]; ++s) {
      const Index place = kept_sides_[to_size(s)].place;
      if (factor_.root(place) == r.tree) widen(place, rank);
    }
  }
  lay_panels();
}

/// A range is within those above it.
void JointedMass::widen(Index place, Index rank) {
  for (;;) {
    Panel& panel = panels_[to_size(place)];
    if (panel.first == panel.last) {
      panel.first = rank;
      panel.last = rank + 1;
    } else if (panel.first <= rank && rank < panel.last) {
      return;
    } else {
      panel.first = std::min(panel.first, rank);
      panel.last = std::max(panel.last, rank + 1);
    }
    if (factor_.first_block(place) == factor_.last_block(place)) return;
    place = factor_.place_of_block(factor_.first_block(place));
  }
}

/// Rows end with room for a vector that begins at their last column.
void JointedMass::lay_panels() {
  std::size_t used = 0;
  for (Panel& panel : panels_) {
    if (panel.first == panel.last) continue;
    panel.begin = used;
    panel.stride = body_blocks::padded(panel.columns()) + kPadded;
    used += kBody * panel.stride;
  }
  Y_.resize(used);
}

/// Rows that touch one tree share a block of W.
void JointedMass::analyze_W() {
  const std::size_t n = kept_.size();
  dense_ = trees_.size() == 1 && to_size(trees_[0].row_end) == n;
  W_begin_.assign(1, 0);
  W_column_.clear();
  std::size_t widest = 0;
  if (dense_) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) W_column_.push_back(static_cast<Index>(j));
      W_begin_.push_back(static_cast<Index>(W_column_.size()));
    }
    widest = n;
  } else {
    std::vector<std::vector<Index>> columns(n);
    for (const Tree& tree : trees_) {
      widest = std::max(widest, to_size(tree.row_end - tree.row_begin));
      for (Index e = tree.row_begin; e < tree.row_end; ++e) {
        for (Index f = tree.row_begin; f < tree.row_end; ++f) {
          columns[to_size(reach_[to_size(e)].row)].push_back(reach_[to_size(f)].row);
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<Index>& list = columns[i];
      if (list.empty()) list.push_back(static_cast<Index>(i));  // touches no body that moves
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      W_column_.insert(W_column_.end(), list.begin(), list.end());
      W_begin_.push_back(static_cast<Index>(W_column_.size()));
    }
  }
  W_value_.resize(kBlockSize * W_column_.size());
  W_ = {};
  W_.rows = W_.columns = static_cast<Index>(n);
  W_.row_begin = IndexVector(W_begin_.data(), W_begin_.size());
  W_.column = IndexVector(W_column_.data(), W_column_.size());
  W_.value = Vector(W_value_.data(), W_value_.size());
  target_.clear();
  for (Tree& tree : trees_) {
    if (dense_) break;
    tree.pairs = target_.size();
    for (Index e = tree.row_begin; e < tree.row_end; ++e) {
      for (Index f = tree.row_begin; f <= e; ++f) {
        target_.push_back(find_block(W_, reach_[to_size(e)].row, reach_[to_size(f)].row));
        target_.push_back(find_block(W_, reach_[to_size(f)].row, reach_[to_size(e)].row));
      }
    }
  }
  const std::size_t wide = body_blocks::padded(kBlock * widest) + kPadded;
  gram_.resize(kBlock * widest * wide + kPadded);
}

void JointedMass::count_flops() {
  flops_ = 0.0;
  for (Index k = 0; k < factor_.bodies(); ++k) {
    const double below = factor_.last_block(k) - factor_.first_block(k);
    const auto columns = static_cast<double>(panels_[to_size(k)].columns());
    flops_ += 72.0 + 216.0 * below * (1.0 + below) + columns * (36.0 + 72.0 * below) +
              6.0 * columns * columns;
  }
  for (const Tree& tree : trees_) {
    const double active = kActiveShare * 3.0 * (tree.row_end - tree.row_begin);
    flops_ += active * active * active / 3.0;
  }
}

void JointedMass::form_H(const System& system, const StepEvaluation& rows, ConstVector blocks) {
  factor_.clear();
  for (Index k = 0; k < factor_.bodies(); ++k) {
    double* const D = factor_.diagonal(k);
    const double* const m = &blocks(2 * kBlockSize * factor_.body(k));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        D[kPadded * i + j] = m[3 * i + j];
        D[kPadded * (i + 3) + j + 3] = m[9 + 3 * i + j];
      }
    }
  }
  std::size_t pair = 0;
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    Mat3 stiff = load9(&rows.E(kBlockSize * i));
    for (int k = 0; k < 3; ++k) stiff(k, k) += kWeight * system.rho_error(kBlock * i + k);
    double* const N = &N_[kBlockSize * e];
    store9(N, inverse(stiff));
    Rows side[4];
    Rows stiffened[4];
    const Index first = equation_begin_[e];
    const Index sides = equation_begin_[e + 1] - first;
    for (Index a = 0; a < sides; ++a) {
      const Index place = equation_sides_[to_size(first + a)].place;
      const auto block = [&](Index entry) {
        return entry < 0 ? kNothing.data() : rows.J.value.data() + kBlockSize * to_size(entry);
      };
      body_blocks::set_rows(block(equation_sides_[to_size(first + a)].linear),
                            block(equation_sides_[to_size(first + a)].angular), N, side[a].data(),
                            stiffened[a].data());
      body_blocks::add_product(side[a].data(), stiffened[a].data(), factor_.diagonal(place));
      for (Index b = 0; b < a; ++b, ++pair) {  // the earlier place is the row
        const bool later = place > equation_sides_[to_size(first + b)].place;
        body_blocks::add_product(side[later ? b : a].data(), stiffened[later ? a : b].data(),
                                 factor_.off(equation_block_[pair]));
      }
    }
  }
}

bool JointedMass::assemble(const System& system, const StepEvaluation& rows, ConstVector blocks) {
  form_H(system, rows, blocks);
  if (!factor_.factorise()) return false;
  form_W(rows);
  return true;
}

/// Y = J_k^T.
void JointedMass::set_panels(const StepEvaluation& rows) {
  std::fill(Y_.begin(), Y_.end(), 0.0);
  for (const Tree& tree : trees_) {
    for (Index e = tree.row_begin; e < tree.row_end; ++e) {
      const Reach& reach = reach_[to_size(e)];
      for (Index s = kept_begin_[to_size(reach.row)]; s < kept_begin_[to_size(reach.row) + 1];
           ++s) {
        const Side& side = kept_sides_[to_size(s)];
        if (factor_.root(side.place) != tree.root) continue;
        const Panel& panel = panels_[to_size(side.place)];
        double* const y =
            Y_.data() + panel.begin + kBlock * to_size(e - tree.row_begin - panel.first);
        const Rows J = load_side(rows.J, side);
        for (std::size_t i = 0; i < kBody; ++i) {
          for (std::size_t a = 0; a < 3; ++a) y[i * panel.stride + a] = J[kPadded * a + i];
        }
      }
    }
  }
}

/// Y = L^-1 J_k^T place by place, W = Y^T Y + E_k.
void JointedMass::form_W(const StepEvaluation& rows) {
  set_panels(rows);
  if (!dense_) std::fill(W_value_.begin(), W_value_.end(), 0.0);
  auto tree = trees_.begin();
  std::size_t wide = 0;
  for (Index k = 0; k < factor_.bodies(); ++k) {
    const Panel& panel = panels_[to_size(k)];
    if (panel.first == panel.last) continue;
    if (wide == 0) {  // the first place of a tree
      const std::size_t columns = kBlock * to_size(tree->row_end - tree->row_begin);
      wide = body_blocks::padded(columns) + kPadded;
      std::fill_n(gram_.begin(), columns * wide + kPadded, 0.0);
    }
    double* const y = Y_.data() + panel.begin;
    const std::size_t columns = panel.columns();
    body_blocks::divide(factor_.diagonal(k), factor_.reciprocal(k), columns, panel.stride, y);
    for (Index a = factor_.first_block(k); a < factor_.last_block(k); ++a) {
      const Panel& up = panels_[to_size(factor_.place_of_block(a))];
      body_blocks::subtract_product(
          factor_.off(a), columns, panel.stride, y, up.stride,
          Y_.data() + up.begin + kBlock * to_size(panel.first - up.first));
    }
    body_blocks::add_gram(columns, panel.stride, y, wide,
                          gram_.data() + kBlock * to_size(panel.first) * (wide + 1));
    if (k != tree->root) continue;
    add_tree(*tree++);
    wide = 0;
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const auto i = static_cast<Index>(k);
    double* const D = &W_.value(kBlockSize * find_block(W_, i, i));
    store9(D, load9(D) + load9(&rows.E(kBlockSize * kept_[k])));
  }
}

/// W += the tree's part, lower half and its mirror; where there is one tree it is all of W.
void JointedMass::add_tree(const Tree& tree) {
  const std::size_t n = to_size(tree.row_end - tree.row_begin);
  const std::size_t wide = body_blocks::padded(kBlock * n) + kPadded;
  const Index* target = target_.data() + tree.pairs;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = to_size(reach_[to_size(tree.row_begin) + i].row);
    for (std::size_t j = 0; j <= i; ++j, target += dense_ ? 0 : 2) {
      const auto column = to_size(reach_[to_size(tree.row_begin) + j].row);
      double* const w = &W_value_[kBlockSize * (dense_ ? n * row + column : to_size(target[0]))];
      double* const mirror =
          &W_value_[kBlockSize * (dense_ ? n * column + row : to_size(target[1]))];
      const double* const from = gram_.data() + kBlock * i * wide + kBlock * j;
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          // only the lower triangle of a diagonal block is stored
          const double g = i == j && b > a ? from[b * wide + a] : from[a * wide + b];
          w[3 * a + b] = dense_ ? g : w[3 * a + b] + g;
          if (i != j) mirror[3 * b + a] = dense_ ? g : mirror[3 * b + a] + g;
        }
      }
    }
  }
}

void JointedMass::free_impulses(const StepEvaluation& rows, ConstVector r, Vector s) const {
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    const Vec3 r_i = r.extent(0) > 0 ? load3(&r(kBlock * i)) : Vec3{};
    const Vec3 v = load3(&rows.value(kBlock * i)) + load9(&rows.E(kBlockSize * i)) * r_i;
    store3(&s(kBlock * i), r_i - load9(&N_[kBlockSize * e]) * v);
  }
}

void JointedMass::impulses(const BlockCsr& J, ConstVector s, ConstVector d, Vector r) const {
  const BlockRows rows(J);
  for (std::size_t e = 0; e < equations_.size(); ++e) {
    const Index i = equations_[e];
    double moved[3];
    rows.multiply(i, d.data(), moved);
    store3(&r(kBlock * i), load3(&s(kBlock * i)) - load9(&N_[kBlockSize * e]) * load3(moved));
  }
}

}  // namespace nsn
