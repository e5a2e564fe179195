#include "nsn/core/factor/multifrontal.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "nsn/core/base/types.h"
#include "nsn/core/factor/front_kernels.h"

namespace nsn {
namespace {

/// The set bits of a mask of three.
struct ActiveSet {
  int count;
  int index[3];
};
constexpr ActiveSet kActive[8] = {{0, {0, 0, 0}}, {1, {0, 0, 0}}, {1, {1, 0, 0}}, {2, {0, 1, 0}},
                                  {1, {2, 0, 0}}, {2, {0, 2, 0}}, {2, {1, 2, 0}}, {3, {0, 1, 2}}};

/// Entries as a matrix has them.
struct StoredBlocks {
  const double* value;

  const double* active_block(Index, Index, Index k, double*) const {
    return value + static_cast<std::ptrdiff_t>(k) * kBlockSize;
  }
};

constexpr std::size_t kSlack = 16;  // kernels touch a little more than they own

std::size_t area(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

}  // namespace

Index Multifrontal::nodes_of(Index s) const {
  return symbolic_.first[to_size(s) + 1] - symbolic_.first[to_size(s)];
}

void Multifrontal::analyze(const BlockCsr& A, std::span<const Index> transposed,
                           const SymbolicOptions& options,
                           std::span<const std::uint8_t> taking_part) {
  symbolic_ =
      taking_part.empty() ? analyze_blocks(A, options) : analyze_active(A, taking_part, options);
  whole_ = taking_part.empty() && symbolic_.supernodes() == 1 &&
           std::is_sorted(symbolic_.order.begin(), symbolic_.order.end());
  entries_.clear();
  if (!whole_) list_entries(A, transposed);
  place_children();
  reserve_storage();
}

/// Which blocks of A each front starts from, and where they go.
void Multifrontal::list_entries(const BlockCsr& A, std::span<const Index> transposed) {
  entry_begin_.assign(1, 0);
  entries_.reserve(A.column.extent(0));
  std::vector<Index> position(to_size(A.rows), 0);
  for (Index s = 0; s < symbolic_.supernodes(); ++s) {
    const Index first = symbolic_.first[to_size(s)];
    const Index last = symbolic_.first[to_size(s) + 1];
    for (Index k = first; k < last; ++k) position[to_size(k)] = k - first;
    for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k) {
      position[to_size(symbolic_.rows[to_size(k)])] =
          last - first + k - symbolic_.row_begin[to_size(s)];
    }
    for (Index j = first; j < last; ++j) {
      const Index row = symbolic_.order[to_size(j)];
      for (Index k = A.row_begin(row); k < A.row_begin(row + 1); ++k) {
        const Index i = symbolic_.place[to_size(A.column(k))];
        if (i < first) continue;  // or left out
        entries_.push_back({k, position[to_size(j)], position[to_size(i)]});
        if (i >= last)
          entries_.push_back({transposed[to_size(k)], position[to_size(i)], position[to_size(j)]});
      }
    }
    entry_begin_.push_back(static_cast<Index>(entries_.size()));
  }
}

void Multifrontal::place_children() {
  const Index n = symbolic_.supernodes();
  child_begin_.assign(to_size(n) + 1, 0);
  for (const Index p : symbolic_.parent) {
    if (p >= 0) ++child_begin_[to_size(p) + 1];
  }
  for (Index s = 0; s < n; ++s) child_begin_[to_size(s) + 1] += child_begin_[to_size(s)];
  children_.resize(to_size(child_begin_[to_size(n)]));
  std::vector<Index> next(child_begin_.begin(), child_begin_.end() - 1);
  relative_.resize(symbolic_.rows.size());
  odd_.assign(to_size(n), 0);
  for (Index s = 0; s < n; ++s) {
    const Index p = symbolic_.parent[to_size(s)];
    if (p < 0) continue;
    children_[to_size(next[to_size(p)]++)] = s;
    const Index first = symbolic_.first[to_size(p)];
    Index k = symbolic_.row_begin[to_size(p)];
    for (Index r = symbolic_.row_begin[to_size(s)]; r < symbolic_.row_begin[to_size(s) + 1]; ++r) {
      const Index i = symbolic_.rows[to_size(r)];
      if (i < first + nodes_of(p)) {
        relative_[to_size(r)] = i - first;
      } else {
        while (symbolic_.rows[to_size(k)] < i) ++k;
        relative_[to_size(r)] = nodes_of(p) + k - symbolic_.row_begin[to_size(p)];
      }
    }
  }
  for (Index s = n - 1; s >= 0; --s) {  // parents first
    const Index p = symbolic_.parent[to_size(s)];
    if (p >= 0) odd_[to_size(s)] = odd_[to_size(p)] == 0 ? 1 : 0;
  }
}

/// Room for the case that every scalar is active.
void Multifrontal::reserve_storage() {
  const Index n = symbolic_.supernodes();
  const Index nodes = static_cast<Index>(symbolic_.order.size());
  std::size_t factor_size = 0;
  std::size_t used[2] = {0, 0};
  std::size_t most[2] = {0, 0};
  int tallest = 0;
  for (Index s = 0; s < n; ++s) {
    const int p = 3 * nodes_of(s);
    const int u = 3 * (symbolic_.row_begin[to_size(s) + 1] - symbolic_.row_begin[to_size(s)]);
    factor_size += area(p + u, p) + area(p, u);
    tallest = std::max(tallest, p + u);
    const std::size_t stack = odd_[to_size(s)];
    for (Index c = child_begin_[to_size(s)]; c < child_begin_[to_size(s) + 1]; ++c) {
      const Index child = children_[to_size(c)];
      const int h =
          3 * (symbolic_.row_begin[to_size(child) + 1] - symbolic_.row_begin[to_size(child)]);
      used[1 - stack] -= area(h, h);
    }
    used[stack] += area(u, u);
    most[stack] = std::max(most[stack], used[stack]);
  }
  factor_.reserve(factor_size + kSlack);
  for (std::size_t k = 0; k < 2; ++k) stack_[k].reserve(most[k] + kSlack);
  active_.assign(to_size(nodes), 7);
  scalar_.assign(to_size(nodes) + 1, 0);
  fronts_.assign(to_size(n), {});
  pivot_.assign(3 * to_size(nodes), 0);
  offset_.reserve(static_cast<std::size_t>(tallest) + 1);
  map_.reserve(static_cast<std::size_t>(tallest) + 1);
  y_.assign(3 * to_size(nodes) + kSlack, 0.0);
  work_.assign(static_cast<std::size_t>(tallest) + kSlack, 0.0);
}

/// Sizes and places for this set of active scalars.
void Multifrontal::lay_out(std::span<const std::uint8_t> active) {
  const Index nodes = static_cast<Index>(symbolic_.order.size());
  for (Index k = 0; k < nodes; ++k) {
    active_[to_size(k)] = active[to_size(symbolic_.order[to_size(k)])];
    scalar_[to_size(k) + 1] = scalar_[to_size(k)] + kActive[active_[to_size(k)]].count;
  }
  std::size_t factor = 0;
  std::size_t used[2] = {0, 0};
  for (Index s = 0; s < symbolic_.supernodes(); ++s) {
    Front& front = fronts_[to_size(s)];
    front.pivots = scalar_[to_size(symbolic_.first[to_size(s) + 1])] -
                   scalar_[to_size(symbolic_.first[to_size(s)])];
    front.rows = 0;
    for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k) {
      front.rows += kActive[active_[to_size(symbolic_.rows[to_size(k)])]].count;
    }
    front.factor = factor;
    factor += area(front.pivots + front.rows, front.pivots);
    if (form_ == Form::kLu) factor += area(front.pivots, front.rows);
    const std::size_t stack = odd_[to_size(s)];
    for (Index c = child_begin_[to_size(s)]; c < child_begin_[to_size(s) + 1]; ++c) {
      const Front& child = fronts_[to_size(children_[to_size(c)])];
      used[1 - stack] -= area(child.rows, child.rows);
    }
    front.update = used[stack];
    used[stack] += area(front.rows, front.rows);
  }
  factor_used_ = factor;
}

double Multifrontal::flops_with(std::span<const std::uint8_t> active) const {
  const auto count = [&](Index k) {
    return kActive[active[to_size(symbolic_.order[to_size(k)])]].count;
  };
  double flops = 0.0;
  for (Index s = 0; s < symbolic_.supernodes(); ++s) {
    int pivots = 0;
    int rows = 0;
    for (Index k = symbolic_.first[to_size(s)]; k < symbolic_.first[to_size(s) + 1]; ++k)
      pivots += count(k);
    for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k)
      rows += count(symbolic_.rows[to_size(k)]);
    const double w = pivots;
    const double h = rows;
    flops += w * w * w / 3.0 + w * w * h + w * h * h;
  }
  return flops;
}

void Multifrontal::set_front_offsets(Index s) {
  offset_.clear();
  int sum = 0;
  for (Index k = symbolic_.first[to_size(s)]; k < symbolic_.first[to_size(s) + 1]; ++k) {
    offset_.push_back(sum);
    sum += kActive[active_[to_size(k)]].count;
  }
  for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k) {
    offset_.push_back(sum);
    sum += kActive[active_[to_size(symbolic_.rows[to_size(k)])]].count;
  }
  offset_.push_back(sum);
}

/// F += A, in L where the column is a pivot, in U elsewhere.
template <class Source>
void Multifrontal::add_entries(Index s, const Source& source, double* L, double* U) {
  const Front& front = fronts_[to_size(s)];
  const int f = front.pivots + front.rows;
  const Index own = nodes_of(s);
  const Index first = symbolic_.first[to_size(s)];
  const auto row_of = [&, below = symbolic_.row_begin[to_size(s)] - own](Index local) {
    return local < own ? first + local : symbolic_.rows[to_size(below + local)];
  };
  double room[kBlockSize];
  for (Index e = entry_begin_[to_size(s)]; e < entry_begin_[to_size(s) + 1]; ++e) {
    const Entry& entry = entries_[to_size(e)];
    if (form_ == Form::kCholesky && entry.row < entry.column) continue;
    const bool pivot_column = entry.column < own;
    const Index row = row_of(entry.row);
    const Index column = row_of(entry.column);
    const ActiveSet& r = kActive[active_[to_size(row)]];
    const ActiveSet& c = kActive[active_[to_size(column)]];
    if (r.count == 0 || c.count == 0) continue;
    const double* const a = source.active_block(
        symbolic_.order[to_size(row)], symbolic_.order[to_size(column)], entry.block, room);
    const int ld = pivot_column ? f : front.pivots;
    double* const out = pivot_column ? L + area(offset_[to_size(entry.column)], f)
                                     : U + area(offset_[to_size(entry.column)] - front.pivots, ld);
    double* target = out + offset_[to_size(entry.row)];
    if (r.count == 3 && c.count == 3) {
      for (int y = 0; y < 3; ++y, target += ld) {
        target[0] += a[y];
        target[1] += a[3 + y];
        target[2] += a[6 + y];
      }
      continue;
    }
    for (int y = 0; y < c.count; ++y, target += ld) {
      for (int x = 0; x < r.count; ++x) target[x] += a[3 * r.index[x] + c.index[y]];
    }
  }
}

/// F = A where that is one front in the order of A.
template <class Source>
void Multifrontal::gather(const Source& source, const BlockCsr& A, double* L) {
  const int f = fronts_[0].pivots;
  const bool full = A.blocks() == A.rows * A.rows;
  if (!full || form_ == Form::kCholesky) std::fill_n(L, area(f, f), 0.0);
  const Index* const column = A.column.data();
  double room[kBlockSize];
  for (Index i = 0; i < A.rows; ++i) {
    const ActiveSet& r = kActive[active_[to_size(i)]];
    if (r.count == 0) continue;
    double* const row = L + scalar_[to_size(i)];
    const Index end = A.row_begin(i + 1);
    for (Index k = A.row_begin(i); k < end; ++k) {
      const Index j = column[k];
      if (form_ == Form::kCholesky && j > i) break;
      const ActiveSet& c = kActive[active_[to_size(j)]];
      if (c.count == 0) continue;
      const double* const a = source.active_block(i, j, k, room);
      double* target = row + area(scalar_[to_size(j)], f);
      if (r.count == 3) {
        for (int y = 0; y < c.count; ++y, target += f) {
          const double* const from = a + c.index[y];
          target[0] = from[0];
          target[1] = from[3];
          target[2] = from[6];
        }
        continue;
      }
      for (int y = 0; y < c.count; ++y, target += f) {
        for (int x = 0; x < r.count; ++x) target[x] = a[3 * r.index[x] + c.index[y]];
      }
    }
  }
}

/// F += the child's update.
void Multifrontal::add_child(Index child, const Front& parent, double* L, double* U, double* S) {
  const Front& front = fronts_[to_size(child)];
  const int h = front.rows;
  if (h == 0) return;
  map_.clear();
  int pivots_end = 0;  // scalars of the child that are pivots of the parent come first
  for (Index r = symbolic_.row_begin[to_size(child)]; r < symbolic_.row_begin[to_size(child) + 1];
       ++r) {
    const int begin = offset_[to_size(relative_[to_size(r)])];
    const int count = kActive[active_[to_size(symbolic_.rows[to_size(r)])]].count;
    for (int k = 0; k < count; ++k) map_.push_back(begin + k);
    if (begin < parent.pivots) pivots_end += count;
  }
  const int p = parent.pivots;
  const int f = p + parent.rows;
  const double* from = stack_[odd_[to_size(child)]].get() + front.update;
  const int* const map = map_.data();
  for (int c = 0; c < h; ++c, from += h) {
    const int begin = form_ == Form::kCholesky ? c : 0;
    if (c < pivots_end) {
      double* const to = L + area(map[c], f);
      for (int r = begin; r < h; ++r) to[map[r]] += from[r];
    } else {
      double* const upper = U + area(map[c] - p, p);
      double* const to = S + area(map[c] - p, parent.rows) - p;
      for (int r = begin; r < pivots_end; ++r) upper[map[r]] += from[r];
      for (int r = std::max(begin, pivots_end); r < h; ++r) to[map[r]] += from[r];
    }
  }
}

/// Factors of the front and S -= L21 U12 (S = -L21 U12 where nothing is in S yet).
bool Multifrontal::eliminate(Index s, double* L, double* U, double* S, bool fresh,
                             double threshold) {
  const Front& front = fronts_[to_size(s)];
  const int p = front.pivots;
  const int u = front.rows;
  const int f = p + u;
  const auto ld = static_cast<std::size_t>(f);
  const auto ldu = static_cast<std::size_t>(u);
  const double w = p;
  const double h = u;
  if (form_ == Form::kCholesky) {
    if (front::factor_cholesky(L, f, p) >= 0) return false;
    if (fresh) {
      front::multiply_subtract_lower<false>(u, p, L + p, ld, S, ldu);
    } else {
      front::multiply_subtract_lower<true>(u, p, L + p, ld, S, ldu);
    }
    flops_ += w * w * w / 3.0 + w * w * h + w * h * h;
    return true;
  }
  int* const pivot = pivot_.data() + scalar_[to_size(symbolic_.first[to_size(s)])];
  if (front::factor_lu(L, f, p, U, u, pivot, threshold) >= 0) return false;
  const front::Strides strides{1, static_cast<std::size_t>(p)};
  if (fresh) {
    front::multiply_subtract<false>(u, u, p, L + p, ld, U, strides, S, ldu);
  } else {
    front::multiply_subtract<true>(u, u, p, L + p, ld, U, strides, S, ldu);
  }
  flops_ += 2.0 * (w * w * w / 3.0 + w * w * h + w * h * h);
  return true;
}

Index Multifrontal::factorize(const BlockCsr& A, std::span<const std::uint8_t> active, Form form,
                              double threshold) {
  return factorize_from(StoredBlocks{A.value.data()}, A, active, form, threshold);
}

Index Multifrontal::factorize(const BlockCsr& A, const ContactMatrix& source,
                              std::span<const std::uint8_t> active, Form form, double threshold) {
  return factorize_from(source, A, active, form, threshold);
}

template <class Source>
Index Multifrontal::factorize_from(const Source& source, const BlockCsr& A,
                                   std::span<const std::uint8_t> active, Form form,
                                   double threshold) {
  form_ = form;
  flops_ = 0.0;
  lay_out(active);
  if (whole_) {
    gather(source, A, factor_.get());
    const bool done = eliminate(0, factor_.get(), nullptr, nullptr, true, threshold);
    return done ? -1 : symbolic_.order[0];
  }
  for (Index s = 0; s < symbolic_.supernodes(); ++s) {
    const Front& front = fronts_[to_size(s)];
    const int p = front.pivots;
    const int u = front.rows;
    if (p + u == 0) continue;
    set_front_offsets(s);
    double* const L = factor_.get() + front.factor;
    double* const U = L + area(p + u, p);
    double* const S = stack_[odd_[to_size(s)]].get() + front.update;
    const bool fresh = child_begin_[to_size(s)] == child_begin_[to_size(s) + 1] && p > 0;
    std::fill_n(L, area(p + u, p) + (form_ == Form::kLu ? area(p, u) : 0), 0.0);
    if (!fresh) std::fill_n(S, area(u, u), 0.0);
    add_entries(s, source, L, U);
    for (Index c = child_begin_[to_size(s)]; c < child_begin_[to_size(s) + 1]; ++c) {
      add_child(children_[to_size(c)], front, L, U, S);
    }
    if (p > 0 && !eliminate(s, L, U, S, fresh, threshold)) {
      return symbolic_.order[to_size(symbolic_.first[to_size(s)])];
    }
  }
  return -1;
}

void Multifrontal::solve(double* x) {
  const Index nodes = static_cast<Index>(symbolic_.order.size());
  double* const y = y_.data();
  for (Index k = 0; k < nodes; ++k) {
    const ActiveSet& set = kActive[active_[to_size(k)]];
    const double* const from = x + 3 * to_size(symbolic_.order[to_size(k)]);
    for (int e = 0; e < set.count; ++e) y[scalar_[to_size(k)] + e] = from[set.index[e]];
  }
  for (Index s = 0; s < symbolic_.supernodes(); ++s) forward(s, y);
  for (Index s = symbolic_.supernodes() - 1; s >= 0; --s) backward(s, y);
  for (Index k = 0; k < nodes; ++k) {
    const ActiveSet& set = kActive[active_[to_size(k)]];
    double* const to = x + 3 * to_size(symbolic_.order[to_size(k)]);
    for (int e = 0; e < set.count; ++e) to[set.index[e]] = y[scalar_[to_size(k)] + e];
  }
}

/// y_pivots <- L11^-1 y_pivots, y_rows -= L21 y_pivots
void Multifrontal::forward(Index s, double* y) {
  const Front& front = fronts_[to_size(s)];
  const int p = front.pivots;
  const int u = front.rows;
  if (p == 0) return;
  const Index first = scalar_[to_size(symbolic_.first[to_size(s)])];
  double* const own = y + first;
  const double* const L = factor_.get() + front.factor;
  if (form_ == Form::kLu) {
    const int* const pivot = pivot_.data() + first;
    for (int k = 0; k < p; ++k) std::swap(own[k], own[pivot[k]]);
  }
  double* const update = work_.data();
  if (form_ == Form::kLu) {
    front::forward_lu(L, p + u, p, own, update);
  } else {
    front::forward_cholesky(L, p + u, p, own, update);
  }
  int at_row = 0;
  for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k) {
    const Index node = symbolic_.rows[to_size(k)];
    const int count = kActive[active_[to_size(node)]].count;
    for (int e = 0; e < count; ++e) y[scalar_[to_size(node)] + e] -= update[at_row++];
  }
}

/// y_pivots <- U11^-1 (y_pivots - U12 y_rows)
void Multifrontal::backward(Index s, double* y) {
  const Front& front = fronts_[to_size(s)];
  const int p = front.pivots;
  const int u = front.rows;
  if (p == 0) return;
  double* const own = y + scalar_[to_size(symbolic_.first[to_size(s)])];
  double* const known = work_.data();
  int at_row = 0;
  for (Index k = symbolic_.row_begin[to_size(s)]; k < symbolic_.row_begin[to_size(s) + 1]; ++k) {
    const Index node = symbolic_.rows[to_size(k)];
    const int count = kActive[active_[to_size(node)]].count;
    for (int e = 0; e < count; ++e) known[at_row++] = y[scalar_[to_size(node)] + e];
  }
  const double* const L = factor_.get() + front.factor;
  if (form_ == Form::kCholesky) {
    front::backward_cholesky(L, p + u, p, known, own);
    return;
  }
  for (int j = 0; j < u; ++j) known[j] = -known[j];
  front::backward_lu(L, p + u, p, L + area(p + u, p), u, known, own);
}

double Multifrontal::bytes_held() const {
  const std::size_t numbers =
      factor_.size() + stack_[0].size() + stack_[1].size() + y_.size() + work_.size();
  const std::size_t indices = 3 * entries_.size() + relative_.size() + symbolic_.rows.size() +
                              pivot_.size() + 3 * symbolic_.order.size();
  return 8.0 * static_cast<double>(numbers) + 4.0 * static_cast<double>(indices);
}

}  // namespace nsn
