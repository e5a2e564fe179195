#include "nsn/core/problems/friction_blocks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

template <class View>
View uninitialized(const std::string& label, std::size_t n) {
  return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), n);
}

/// Entries first ... last - 1; keeps the whole alive.
template <class View>
View part(const View& whole, Index first, Index last) {
  return Kokkos::subview(whole, std::pair<std::size_t, std::size_t>{to_size(first), to_size(last)});
}

/// Block columns of each block row, ascending.
struct Pattern {
  std::vector<Index> begin{0};
  std::vector<Index> column;
};

/// One pass over the entries: a block is kept if any of its entries is not zero.
template <Index d>
Pattern nonzero_blocks(const Csr& W, Index contacts) {
  Pattern pattern;
  const Index* const columns = W.column.data();
  const double* const values = W.value.data();
  pattern.begin.reserve(to_size(contacts) + 1);
  pattern.column.reserve(to_size(W.nonzeros() / (d * d) + contacts));
  std::vector<Index> seen(to_size(contacts), -1);
  for (Index i = 0; i < contacts; ++i) {
    const std::size_t first = pattern.column.size();
    bool sorted = true;
    const auto add = [&](Index j) {
      if (seen[to_size(j)] == i) return;
      seen[to_size(j)] = i;
      sorted = sorted && (pattern.column.size() == first || pattern.column.back() < j);
      pattern.column.push_back(j);
    };
    Index last = -1;  // entries of one block follow each other: ask once for the run
    for (Index k = W.row_begin(d * i); k < W.row_begin(d * (i + 1)); ++k) {
      if (values[k] == 0.0) continue;
      if (columns[k] >= d * last && columns[k] < d * (last + 1)) continue;
      last = columns[k] / d;
      add(last);
    }
    add(i);
    if (!sorted) {
      std::sort(pattern.column.begin() + static_cast<std::ptrdiff_t>(first), pattern.column.end());
    }
    pattern.begin.push_back(static_cast<Index>(pattern.column.size()));
  }
  return pattern;
}

/// Adds (j, i) for every (i, j).
Pattern with_mirror_images(const Pattern& pattern) {
  const Index n = static_cast<Index>(pattern.begin.size()) - 1;
  std::vector<std::vector<Index>> rows(to_size(n));
  for (Index i = 0; i < n; ++i) {
    for (Index k = pattern.begin[to_size(i)]; k < pattern.begin[to_size(i) + 1]; ++k) {
      const Index j = pattern.column[to_size(k)];
      rows[to_size(i)].push_back(j);
      rows[to_size(j)].push_back(i);
    }
  }
  Pattern both;
  for (std::vector<Index>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    both.column.insert(both.column.end(), row.begin(), row.end());
    both.begin.push_back(static_cast<Index>(both.column.size()));
  }
  return both;
}

BlockCsr blocks_of(const Pattern& pattern) {
  const Index n = static_cast<Index>(pattern.begin.size()) - 1;
  BlockCsr W{n, n, uninitialized<IndexVector>("row_begin", pattern.begin.size()),
             uninitialized<IndexVector>("column", pattern.column.size()),
             uninitialized<Vector>("value", pattern.column.size() * kBlockSize)};
  std::copy(pattern.begin.begin(), pattern.begin.end(), W.row_begin.data());
  std::copy(pattern.column.begin(), pattern.column.end(), W.column.data());
  std::fill_n(W.value.data(), W.value.extent(0), 0.0);
  return W;
}

template <Index d>
void fill_values(const Csr& from, BlockCsr& W) {
  const Index* const columns = from.column.data();
  const double* const values = from.value.data();
  double* const blocks = W.value.data();
  std::vector<Index> place(to_size(W.rows), 0);
  for (Index i = 0; i < W.rows; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) place[to_size(W.column(k))] = k;
    for (Index r = 0; r < d; ++r) {
      for (Index k = from.row_begin(d * i + r); k < from.row_begin(d * i + r + 1); ++k) {
        if (values[k] == 0.0) continue;
        const Index j = columns[k] / d;
        blocks[kBlockSize * place[to_size(j)] + kBlock * r + columns[k] - d * j] = values[k];
      }
    }
    if constexpr (d == 2) {
      double* const diagonal = W.value.data() + to_size(place[to_size(i)]) * kBlockSize;
      diagonal[8] = diagonal[0] > 0.0 ? diagonal[0] : 1.0;
    }
  }
}

/// Block rows of a matrix whose scalar rows are ascending, one after the other: the d rows of a
/// contact are merged. Blocks of zeros are left out, the diagonal is always there.
template <Index d>
class RowMerger {
 public:
  /// The memory of W goes to `room`.
  RowMerger(const Csr& from, Index contacts, FrictionBlocks& room)
      : begin_(from.row_begin.data()),
        columns_(from.column.data()),
        values_(from.value.data()),
        // Mostly whole blocks: a little more than that many.
        most_(from.nonzeros() / (d * d) + from.nonzeros() / (4 * d * d) + 2 * contacts),
        W_{contacts, contacts, {}, {}, {}} {
    const std::size_t rows = to_size(contacts) + 1;
    const std::size_t most = to_size(most_);
    room.index = std::make_unique_for_overwrite<Index[]>(rows + most);
    room.entries = std::make_unique_for_overwrite<double[]>(most * kBlockSize);
    W_.row_begin = IndexVector(room.index.get(), rows);
    W_.column = IndexVector(room.index.get() + rows, most);
    W_.value = Vector(room.entries.get(), most * kBlockSize);
  }

  /// An empty matrix if a row is not ascending, or if blocks are mostly holes.
  BlockCsr merge() {
    W_.row_begin(0) = 0;
    for (Index i = 0; i < W_.rows; ++i) {
      if (!merge_row(i)) return {};
      W_.row_begin(i + 1) = kept_;
    }
    W_.column = part(W_.column, 0, kept_);
    W_.value = part(W_.value, 0, kept_ * kBlockSize);
    return W_;
  }

 private:
  /// Where the rows of a contact are, and where they end.
  struct Place {
    Index next[d];
    Index end[d];
  };

  bool merge_row(Index i) {
    Place at;
    for (Index r = 0; r < d; ++r) {
      at.next[r] = begin_[d * i + r];
      at.end[r] = begin_[d * i + r + 1];
    }
    bool diagonal = false;
    for (Index last = -1;;) {
      Index first = d * W_.columns;
      for (Index r = 0; r < d; ++r) {
        if (at.next[r] < at.end[r]) first = std::min(first, columns_[at.next[r]]);
      }
      const Index j = first / d;
      if (j <= last) return false;  // not ascending
      last = j;
      if (!diagonal && j >= i) {
        diagonal = true;
        if (j > i && !take(i, i, at)) return false;
      }
      if (j >= W_.columns) return true;
      if (!take(i, j, at)) return false;
    }
  }

  /// Block (i, j) from the next entries of the rows of i.
  bool take(Index i, Index j, Place& at) {
    if (kept_ == most_) return false;
    double* const block = W_.value.data() + static_cast<std::ptrdiff_t>(kept_) * kBlockSize;
    if (d == 3 && whole(j, at)) {
      for (Index r = 0; r < d; ++r) {
        const double* const from = values_ + at.next[r];
        for (Index c = 0; c < d; ++c) block[kBlock * r + c] = from[c];
        at.next[r] += d;
      }
    } else if (!take_entries(j, at, block)) {
      return false;
    }
    if (j != i && all_zero(block, kBlockSize)) return true;
    if (d == 2 && j == i) block[8] = block[0] > 0.0 ? block[0] : 1.0;
    W_.column(kept_++) = j;
    return true;
  }

  /// The rows continue with all entries of block column j.
  bool whole(Index j, const Place& at) const {
    for (Index r = 0; r < d; ++r) {
      if (at.next[r] + d > at.end[r]) return false;
      const Index* const columns = columns_ + at.next[r];
      for (Index c = 0; c < d; ++c) {
        if (columns[c] != d * j + c) return false;
      }
    }
    return true;
  }

  bool take_entries(Index j, Place& at, double* block) const {
    std::fill_n(block, kBlockSize, 0.0);
    for (Index r = 0; r < d; ++r) {
      Index last = d * j - 1;
      for (Index& k = at.next[r]; k < at.end[r] && columns_[k] < d * (j + 1); ++k) {
        if (columns_[k] <= last) return false;
        last = columns_[k];
        block[kBlock * r + last - d * j] = values_[k];
      }
    }
    return true;
  }

  const Index* begin_;
  const Index* columns_;
  const double* values_;
  Index most_;
  Index kept_ = 0;
  BlockCsr W_;
};

/// Any W: its blocks with an entry, the diagonal, and their mirror images.
template <Index d>
BlockCsr gather_blocks(const Csr& from, Index contacts) {
  Pattern pattern = nonzero_blocks<d>(from, contacts);
  BlockCsr W = blocks_of(pattern);
  if (transposed_blocks(W).empty()) W = blocks_of(with_mirror_images(pattern));
  fill_values<d>(from, W);
  return W;
}

/// W of `blocks`, and where each of its blocks has its mirror image.
template <Index d>
void make_blocks(const Csr& from, Index contacts, FrictionBlocks& blocks,
                 std::vector<Index>& transposed) {
  blocks.W = RowMerger<d>(from, contacts, blocks).merge();
  if (blocks.W.rows > 0) transposed = transposed_blocks(blocks.W);
  if (!transposed.empty()) return;
  blocks.W = gather_blocks<d>(from, contacts);
  transposed = transposed_blocks(blocks.W);
}

double block_asymmetry(const BlockCsr& W, const std::vector<Index>& transposed) {
  double difference = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < transposed.size(); ++k) {
    if (to_size(transposed[k]) < k) continue;  // seen from the other side
    const double* const a = W.value.data() + k * kBlockSize;
    const double* const t = W.value.data() + to_size(transposed[k]) * kBlockSize;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        difference = std::max(difference, std::abs(a[3 * r + c] - t[3 * c + r]));
        largest = std::max({largest, std::abs(a[3 * r + c]), std::abs(t[3 * c + r])});
      }
    }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

void validate_contacts(Index dimension, ConstVector mu, ConstVector velocities) {
  NSN_THROW_UNLESS(dimension == 2 || dimension == 3, "contacts in {} dimensions", dimension);
  NSN_THROW_UNLESS(size_of(velocities) == dimension * size_of(mu),
                   "{} contacts in {} dimensions with {} velocities", mu.extent(0), dimension,
                   velocities.extent(0));
  for (Index i = 0; i < size_of(mu); ++i) {
    NSN_THROW_UNLESS(std::isfinite(mu(i)) && mu(i) >= 0.0,
                     "contact {}: the friction coefficient is {}, it must be >= 0", i, mu(i));
  }
}

void validate_matrix(std::string_view name, const Csr& A, Index rows, Index columns) {
  NSN_THROW_UNLESS(A.rows == rows && A.columns == columns, "{} is {} x {}, it must be {} x {}",
                   name, A.rows, A.columns, rows, columns);
  NSN_THROW_UNLESS(all_finite(A.value), "{} holds NaN or infinity", name);
}

}  // namespace

void validate(const FrictionProblem& problem) {
  validate_contacts(problem.dimension, problem.mu, problem.q);
  const Index n = problem.dimension * problem.contacts();
  validate_matrix("W", problem.W, n, n);
  NSN_THROW_UNLESS(all_finite(problem.q), "q holds NaN or infinity");
}

void validate(const GlobalFrictionProblem& problem) {
  validate_contacts(problem.dimension, problem.mu, problem.w);
  const Index n = problem.M.rows;
  validate_matrix("M", problem.M, n, n);
  validate_matrix("H", problem.H, n, problem.dimension * problem.contacts());
  NSN_THROW_UNLESS(size_of(problem.f) == n, "f has {} entries for {} degrees of freedom",
                   problem.f.extent(0), n);
  NSN_THROW_UNLESS(all_finite(problem.f) && all_finite(problem.w), "f or w holds NaN or infinity");
}

FrictionBlocks to_friction_blocks(const FrictionProblem& problem) {
  validate(problem);
  const Index n = problem.contacts();
  const Index d = problem.dimension;
  FrictionBlocks blocks;
  std::vector<Index> transposed;
  if (d == 2) {
    make_blocks<2>(problem.W, n, blocks, transposed);
  } else {
    make_blocks<3>(problem.W, n, blocks, transposed);
  }
  blocks.asymmetry = block_asymmetry(blocks.W, transposed);
  blocks.symmetric = blocks.asymmetry <= kSymmetricToRounding;
  blocks.q = problem.q;
  if (d != kBlock) {
    blocks.q = uninitialized<Vector>("q", to_size(kBlock * n));
    pad_contacts(problem.q, d, blocks.q);
  }
  blocks.laws = contact_laws({problem.mu.data(), to_size(n)}, d == 2);
  return blocks;
}

FrictionBlocks to_friction_blocks(const BlockFrictionProblem& problem) {
  const std::vector<Index> transposed = transposed_blocks(problem.W);
  if (transposed.empty()) {
    return to_friction_blocks(FrictionProblem{kBlock, to_scalar(problem.W), problem.q, problem.mu});
  }
  validate_contacts(kBlock, problem.mu, problem.q);
  NSN_THROW_UNLESS(problem.W.rows == problem.contacts() && problem.W.columns == problem.contacts(),
                   "W is {} x {} blocks, there are {} contacts", problem.W.rows, problem.W.columns,
                   problem.contacts());
  NSN_THROW_UNLESS(all_finite(problem.W.value), "W holds NaN or infinity");
  NSN_THROW_UNLESS(all_finite(problem.q), "q holds NaN or infinity");
  FrictionBlocks blocks;
  blocks.W = problem.W;
  blocks.asymmetry = block_asymmetry(blocks.W, transposed);
  blocks.symmetric = blocks.asymmetry <= kSymmetricToRounding;
  blocks.q = problem.q;
  blocks.laws = contact_laws({problem.mu.data(), to_size(problem.contacts())}, false);
  return blocks;
}

void pad_contacts(ConstVector given, Index dimension, Vector padded) {
  const Index n = size_of(given) / dimension;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < kBlock; ++k) {
      padded(kBlock * i + k) = k < dimension ? given(dimension * i + k) : 0.0;
    }
  }
}

void unpad_contacts(ConstVector padded, Index dimension, Vector given) {
  const Index n = size_of(given) / dimension;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < dimension; ++k) given(dimension * i + k) = padded(kBlock * i + k);
  }
}

}  // namespace nsn
