#include "nsn/core/step/reductions/elastic_mass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/factor/front_kernels.h"

namespace nsn {
namespace {

constexpr std::size_t kSlack = 16;  // kernels touch a little more than they own
constexpr int kHardeningTimes = 3;  // after H with all modes had no factor
// Rows whose own form is analysed exactly: its fill grows faster than the mesh, and so would
// memory.
constexpr Index kLargestRowPattern = 20000;

/// A view of at least n entries, reallocated only where it is too short.
void reserve(Vector& v, std::size_t n) {
  if (v.extent(0) < n) v = Vector("effective mass", n);
}

/// Rows i of J for each node.
struct RowsOfNode {
  std::vector<Index> begin, row;

  RowsOfNode(const BlockCsr& J, const std::vector<Index>& rows) : begin(to_size(J.columns) + 1, 0) {
    for (const Index i : rows) {
      for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) ++begin[to_size(J.column(k)) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    row.resize(to_size(begin.back()));
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (const Index i : rows) {
      for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
        row[to_size(next[to_size(J.column(k))]++)] = i;
      }
    }
  }
};

/// add(i, j) once for each two rows that share a node, every row with itself too; i ascends.
template <class F>
void for_neighbours(const BlockCsr& J, F add) {
  std::vector<Index> all(to_size(J.rows));
  std::iota(all.begin(), all.end(), 0);
  const RowsOfNode uses(J, all);
  std::vector<Index> seen(to_size(J.rows), -1);
  for (Index i = 0; i < J.rows; ++i) {
    seen[to_size(i)] = i;
    add(i, i);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      for (Index e = uses.begin[to_size(n)]; e < uses.begin[to_size(n) + 1]; ++e) {
        const Index j = uses.row[to_size(e)];
        if (seen[to_size(j)] == i) continue;
        seen[to_size(j)] = i;
        add(i, j);
      }
    }
  }
}

/// Rows that share a node as a block pattern.
BlockCsr rows_pattern(const BlockCsr& J) {
  std::vector<Index> column;
  BlockCsr W;
  W.rows = W.columns = J.rows;
  W.row_begin = IndexVector("row_begin", to_size(J.rows) + 1);
  for_neighbours(J, [&](Index i, Index j) {
    column.push_back(j);
    ++W.row_begin(i + 1);
  });
  for (Index i = 0; i < J.rows; ++i) {
    W.row_begin(i + 1) += W.row_begin(i);
    std::sort(column.begin() + W.row_begin(i), column.begin() + W.row_begin(i + 1));
  }
  W.column = IndexVector("column", column.size());
  std::copy(column.begin(), column.end(), W.column.data());
  return W;
}

/// Least operations of a Cholesky factorisation over the rows, whatever their order: L has at least
/// the entries of the lower half, and the sum of squares of the columns' lengths is smallest where
/// they are all alike.
double least_flops(const BlockCsr& J) {
  const double n = 3.0 * J.rows;
  double blocks = 0.0;
  for_neighbours(J, [&](Index, Index) { blocks += 1.0; });
  const double entries = 0.5 * (9.0 * blocks + n);
  return n > 0.0 ? entries * entries / n : 0.0;
}

}  // namespace

void ElasticMass::analyze(const System& system, const BlockCsr& J, Elimination elimination,
                          GeometricStiffness stiffness) {
  full_ = stiffness == GeometricStiffness::kFull && system.compliance_varies;
  eliminated_.clear();
  kept_.clear();
  const bool may = elimination != Elimination::kNever;
  for (Index i = 0; i < system.blocks(); ++i) {
    (may && system.laws[to_size(i)].elastic ? eliminated_ : kept_).push_back(i);
  }
  sparse_ = full_ || !eliminated_.empty();
  if (!sparse_) return;
  const bool new_H = analyze_H(system, J);
  // Decided once for the same elements: contacts that come and go do not tip the balance.
  const bool known = !new_H && rows_flops_ > flops_;
  if (!eliminated_.empty() && !known && !choose(J, elimination)) {
    eliminated_.clear();
    kept_.resize(to_size(system.blocks()));
    std::iota(kept_.begin(), kept_.end(), 0);
    sparse_ = full_;
    pattern_.clear();
    if (!sparse_) return;
    analyze_H(system, J);
  } else if (new_H) {
    place_pairs(J);
  }
  analyze_W();
  stiffness_ = Vector("E^-1", kBlockSize * eliminated_.size());
}

/// H's pattern, order and factor. False: as before.
bool ElasticMass::analyze_H(const System& system, const BlockCsr& J) {
  std::vector<Index> pattern{system.nodes()};
  std::vector<Index> coupling = eliminated_;
  if (full_ && eliminated_.empty()) {
    for (const Index i : kept_) {
      if (system.laws[to_size(i)].elastic) coupling.push_back(i);
    }
  }
  for (const Index i : coupling) {
    pattern.push_back(-1);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) pattern.push_back(J.column(k));
  }
  const bool same = pattern == pattern_ && H_.rows == system.nodes();
  if (!same) {
    pattern_ = std::move(pattern);
    std::vector<std::pair<Index, Index>> pairs;
    pairs.reserve(to_size(system.nodes()));
    for (Index n = 0; n < system.nodes(); ++n) pairs.emplace_back(n, n);
    for (const Index i : coupling) {
      for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
        for (Index q = J.row_begin(i); q < J.row_begin(i + 1); ++q) {
          pairs.emplace_back(J.column(p), J.column(q));
        }
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    H_ = {};
    H_.rows = H_.columns = system.nodes();
    H_.row_begin = IndexVector("H row_begin", to_size(system.nodes()) + 1);
    H_.column = IndexVector("H column", pairs.size());
    H_.value = Vector("H value", kBlockSize * pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      ++H_.row_begin(pairs[k].first + 1);
      H_.column(k) = pairs[k].second;
    }
    for (Index n = 0; n < system.nodes(); ++n) H_.row_begin(n + 1) += H_.row_begin(n);
    transposed_.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      transposed_[k] = find_block(H_, pairs[k].second, pairs[k].first);
    }
    active_.assign(to_size(system.nodes()), 7);
    factor_.analyze(H_, transposed_, {});
  }
  find_trees(J);
  return !same;
}

/// True: eliminate.
bool ElasticMass::choose(const BlockCsr& J, Elimination elimination) {
  flops_ = reduced_flops();
  if (elimination == Elimination::kAlways) return true;
  rows_flops_ = least_flops(J);
  if (rows_flops_ < flops_ && J.rows <= kLargestRowPattern) {
    rows_flops_ = analyze_blocks(rows_pattern(J)).flops;
  }
  const bool large_and_more_rows_than_nodes = J.rows > std::max(kLargestRowPattern, J.columns);
  return flops_ <= rows_flops_ || large_and_more_rows_than_nodes;
}

/// Factor of H, forward solves and products of every tree, dense factor of W.
double ElasticMass::reduced_flops() const {
  double sum = factor_.symbolic().flops;
  for (const Tree& tree : trees_) {
    const double columns = 3.0 * static_cast<double>(tree.rows.size());
    double entries = 0.0;
    for (const Index s : tree.supernodes) {
      const BlockSymbolic& symbolic = factor_.symbolic();
      const double p = 3.0 * (symbolic.first[to_size(s) + 1] - symbolic.first[to_size(s)]);
      const double u = 3.0 * (symbolic.row_begin[to_size(s) + 1] - symbolic.row_begin[to_size(s)]);
      entries += 0.5 * p * p + p * u;
    }
    sum += 2.0 * columns * entries + columns * columns * tree.scalars;
  }
  const double m = 3.0 * static_cast<double>(kept_.size());
  return sum + m * m * m / 3.0;
}

void ElasticMass::place_pairs(const BlockCsr& J) {
  pair_.clear();
  for (const Index i : eliminated_) {
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      for (Index q = p; q < J.row_begin(i + 1); ++q) {
        pair_.push_back(find_block(H_, J.column(p), J.column(q)));
      }
    }
  }
}

/// Which rows reach which supernodes.
void ElasticMass::find_trees(const BlockCsr& J) {
  const BlockSymbolic& symbolic = factor_.symbolic();
  const Index supernodes = symbolic.supernodes();
  std::vector<Index> supernode_of(to_size(H_.rows));
  for (Index s = 0; s < supernodes; ++s) {
    for (Index k = symbolic.first[to_size(s)]; k < symbolic.first[to_size(s) + 1]; ++k) {
      supernode_of[to_size(k)] = s;
    }
  }
  tree_of_.assign(to_size(supernodes), -1);
  Index count = 0;
  for (Index s = supernodes - 1; s >= 0; --s) {  // parents first
    const Index parent = symbolic.parent[to_size(s)];
    tree_of_[to_size(s)] = parent < 0 ? count++ : tree_of_[to_size(parent)];
  }
  trees_.assign(to_size(count), {});
  touches_.clear();
  std::vector<std::uint8_t> reached(to_size(supernodes), 0);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const Index i = kept_[k];
    for (Index e = J.row_begin(i); e < J.row_begin(i + 1); ++e) {
      const Index place = symbolic.place[to_size(J.column(e))];
      const Index tree = tree_of_[to_size(supernode_of[to_size(place)])];
      auto& rows = trees_[to_size(tree)].rows;
      if (rows.empty() || rows.back() != static_cast<Index>(k)) {
        rows.push_back(static_cast<Index>(k));
      }
      touches_.push_back({tree, static_cast<Index>(rows.size()) - 1, e, place});
      for (Index s = supernode_of[to_size(place)]; s >= 0 && reached[to_size(s)] == 0;
           s = symbolic.parent[to_size(s)]) {
        reached[to_size(s)] = 1;
      }
    }
  }
  compact_.assign(to_size(H_.rows), -1);
  for (Index s = 0; s < supernodes; ++s) {
    if (reached[to_size(s)] == 0) continue;
    Tree& tree = trees_[to_size(tree_of_[to_size(s)])];
    tree.supernodes.push_back(s);
    for (Index k = symbolic.first[to_size(s)]; k < symbolic.first[to_size(s) + 1]; ++k) {
      compact_[to_size(k)] = tree.scalars;
      tree.scalars += kBlock;
    }
  }
  for (Touch& touch : touches_) touch.scalar = compact_[to_size(touch.scalar)];
  std::stable_sort(touches_.begin(), touches_.end(),
                   [](const Touch& a, const Touch& b) { return a.tree < b.tree; });
}

/// Rows that touch the same tree share a block of W.
void ElasticMass::analyze_W() {
  const auto n = static_cast<Index>(kept_.size());
  std::vector<std::pair<Index, Index>> pairs;
  pairs.reserve(kept_.size());
  for (Index i = 0; i < n; ++i) pairs.emplace_back(i, i);
  for (const Tree& tree : trees_) {
    for (const Index i : tree.rows) {
      for (const Index j : tree.rows) pairs.emplace_back(i, j);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  W_ = {};
  W_.rows = W_.columns = n;
  W_.row_begin = IndexVector("W row_begin", to_size(n) + 1);
  W_.column = IndexVector("W column", pairs.size());
  W_.value = Vector("W value", kBlockSize * pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ++W_.row_begin(pairs[k].first + 1);
    W_.column(k) = pairs[k].second;
  }
  for (Index i = 0; i < n; ++i) W_.row_begin(i + 1) += W_.row_begin(i);
  W_block_.clear();
  std::size_t largest_Y = 0;
  std::size_t largest_S = 0;
  for (const Tree& tree : trees_) {
    const std::size_t columns = 3 * tree.rows.size();
    largest_Y = std::max(largest_Y, columns * to_size(tree.scalars));
    largest_S = std::max(largest_S, columns * std::max(columns, to_size(tree.scalars)));
    for (std::size_t a = 0; a < tree.rows.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        W_block_.push_back(find_block(W_, tree.rows[a], tree.rows[b]));
        W_block_.push_back(find_block(W_, tree.rows[b], tree.rows[a]));
      }
    }
  }
  reserve(Y_, largest_Y + kSlack);
  reserve(S_, largest_S + kSlack);
  reserve(T_, std::max(largest_S, kBlockSize * to_size(H_.rows)) + kSlack);
}

/// H += J_c^T E_c^-1 J_c, upper blocks; the mirror comes later.
void ElasticMass::add_elastic_stiffness(const StepEvaluation& rows) {
  const BlockCsr& J = rows.J;
  std::size_t pair = 0;
  for (std::size_t c = 0; c < eliminated_.size(); ++c) {
    const Index i = eliminated_[c];
    const Mat3 N = inverse(load9(&rows.E(kBlockSize * i)));
    store9(&stiffness_(kBlockSize * c), N);
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      const Mat3 left = transpose(load9(&J.value(kBlockSize * p))) * N;
      for (Index q = p; q < J.row_begin(i + 1); ++q) {
        const double* const b = &J.value(kBlockSize * q);
        double* const out = &H_.value(kBlockSize * pair_[pair++]);
        for (int x = 0; x < 3; ++x) {
          for (int y = 0; y < 3; ++y) {
            out[3 * x + y] += left(x, 0) * b[y] + left(x, 1) * b[3 + y] + left(x, 2) * b[6 + y];
          }
        }
      }
    }
  }
}

bool ElasticMass::assemble(StepEquations& equations, const StepEvaluation& rows, ConstVector u,
                           ConstVector r, GeometricStiffness stiffness) {
  hardening_left_ = std::max(hardening_left_ - 1, 0);
  bool done = full_ && hardening_left_ == 0 &&
              factorise(equations, rows, u, r, stiffness, StiffnessModes::kAll);
  if (!done && full_ && hardening_left_ == 0) hardening_left_ = kHardeningTimes;
  done = done || factorise(equations, rows, u, r, stiffness, StiffnessModes::kHardening);
  if (done) form_W(rows);
  return done;
}

bool ElasticMass::factorise(StepEquations& equations, const StepEvaluation& rows, ConstVector u,
                            ConstVector r, GeometricStiffness stiffness, StiffnessModes modes) {
  const System& system = equations.system();
  fill(H_.value, 0.0);
  const Vector blocks(T_.data(), to_size(kBlockSize * system.nodes()));
  if (stiffness == GeometricStiffness::kExact) {
    equations.stiffness(u, r, blocks);
  } else {
    copy(system.M, blocks);
    if (full_) equations.add_full_stiffness(u, r, modes, H_);
  }
  for (Index n = 0; n < H_.rows; ++n) {
    double* const D = &H_.value(kBlockSize * find_block(H_, n, n));
    store9(D, load9(D) + load9(&blocks(kBlockSize * n)));
  }
  add_elastic_stiffness(rows);
  for (Index i = 0; i < H_.rows; ++i) {
    for (Index k = H_.row_begin(i); k < H_.row_begin(i + 1); ++k) {
      if (H_.column(k) >= i) continue;
      store9(&H_.value(kBlockSize * k),
             transpose(load9(&H_.value(kBlockSize * transposed_[to_size(k)]))));
    }
  }
  return factor_.factorize(H_, active_, Multifrontal::Form::kCholesky, 0.0) < 0;
}

/// Y <- L^-1 Y over the supernodes a tree's rows reach; Y is column-major, `columns` tall.
void ElasticMass::forward(const Tree& tree, int columns) {
  const BlockSymbolic& symbolic = factor_.symbolic();
  const auto ld = static_cast<std::size_t>(columns);
  for (const Index s : tree.supernodes) {
    const int p = 3 * (symbolic.first[to_size(s) + 1] - symbolic.first[to_size(s)]);
    const int u = 3 * (symbolic.row_begin[to_size(s) + 1] - symbolic.row_begin[to_size(s)]);
    const auto f = static_cast<std::size_t>(p + u);
    const double* const L = factor_.panel(s);
    double* const own = Y_.data() + ld * to_size(compact_[to_size(symbolic.first[to_size(s)])]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(p); ++k) {
      double* const y = own + k * ld;
      const double scale = 1.0 / L[k * f + k];
      for (std::size_t c = 0; c < ld; ++c) y[c] *= scale;
      for (std::size_t i = k + 1; i < static_cast<std::size_t>(p); ++i) {
        const double factor = L[k * f + i];
        double* const z = own + i * ld;
        for (std::size_t c = 0; c < ld; ++c) z[c] -= factor * y[c];
      }
    }
    if (u == 0) continue;
    front::multiply_subtract<false>(columns, u, p, own, ld, L + p, front::Strides{f, 1}, T_.data(),
                                    ld);
    const double* from = T_.data();
    for (Index k = symbolic.row_begin[to_size(s)]; k < symbolic.row_begin[to_size(s) + 1]; ++k) {
      double* const to = Y_.data() + ld * to_size(compact_[to_size(symbolic.rows[to_size(k)])]);
      for (std::size_t c = 0; c < 3 * ld; ++c) to[c] += from[c];
      from += 3 * ld;
    }
  }
}

void ElasticMass::form_W(const StepEvaluation& rows) {
  fill(W_.value, 0.0);
  auto touch = touches_.begin();
  std::size_t block = 0;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const Tree& tree = trees_[t];
    if (tree.rows.empty()) continue;
    const int columns = 3 * static_cast<int>(tree.rows.size());
    const auto ld = static_cast<std::size_t>(columns);
    std::fill_n(Y_.data(), ld * to_size(tree.scalars), 0.0);
    for (; touch != touches_.end() && touch->tree == static_cast<Index>(t); ++touch) {
      const double* const J = &rows.J.value(kBlockSize * touch->entry);
      for (std::size_t b = 0; b < 3; ++b) {
        double* const y = Y_.data() + ld * (to_size(touch->scalar) + b) + 3 * to_size(touch->row);
        for (std::size_t a = 0; a < 3; ++a) y[a] = J[3 * a + b];
      }
    }
    forward(tree, columns);
    front::multiply_subtract_lower<false>(columns, tree.scalars, Y_.data(), ld, S_.data(), ld);
    for (std::size_t i = 0; i < tree.rows.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j, block += 2) {
        double* const w = &W_.value(kBlockSize * W_block_[block]);
        double* const mirror = &W_.value(kBlockSize * W_block_[block + 1]);
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            const bool below = i != j || a >= b;
            const double value =
                below ? S_(3 * i + a + ld * (3 * j + b)) : S_(3 * i + b + ld * (3 * j + a));
            w[3 * a + b] -= value;
            if (i != j) mirror[3 * b + a] -= value;
          }
        }
      }
    }
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    double* const D =
        &W_.value(kBlockSize * find_block(W_, static_cast<Index>(k), static_cast<Index>(k)));
    store9(D, load9(D) + load9(&rows.E(kBlockSize * kept_[k])));
  }
}

void ElasticMass::keep_factor(const StepEvaluation& rows) {
  for (std::size_t c = 0; c < eliminated_.size(); ++c) {
    store9(&stiffness_(kBlockSize * c), inverse(load9(&rows.E(kBlockSize * eliminated_[c]))));
  }
}

void ElasticMass::add_elastic_impulse(const StepEvaluation& rows, Vector f) const {
  const BlockCsr& J = rows.J;
  for (std::size_t c = 0; c < eliminated_.size(); ++c) {
    const Index i = eliminated_[c];
    const Vec3 push = load9(&stiffness_(kBlockSize * c)) * load3(&rows.value(kBlock * i));
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      double* const out = &f(kBlock * J.column(p));
      store3(out, load3(out) + transpose_times(load9(&J.value(kBlockSize * p)), push));
    }
  }
}

void ElasticMass::elastic_impulses(const StepEvaluation& rows, Vector r) const {
  for (const Index i : eliminated_) {
    const Mat3 N = inverse(load9(&rows.E(kBlockSize * i)));
    store3(&r(kBlock * i), -(N * load3(&rows.value(kBlock * i))));
  }
}

void ElasticMass::linear_impulses(const StepEvaluation& rows, ConstVector change, Vector r) const {
  const BlockRows J(rows.J);
  for (std::size_t c = 0; c < eliminated_.size(); ++c) {
    const Index i = eliminated_[c];
    double moved[3];
    J.multiply(i, change.data(), moved);
    const Vec3 v = load3(&rows.value(kBlock * i)) + load3(moved);
    store3(&r(kBlock * i), -(load9(&stiffness_(kBlockSize * c)) * v));
  }
}

}  // namespace nsn
