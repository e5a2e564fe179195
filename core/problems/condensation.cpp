#include "nsn/core/problems/condensation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

constexpr double kRounding = 1e-15;

/// What one contact does to one body: `dimension` rows of part_size(part) numbers.
struct Touch {
  Index contact;
  Index part;
  std::size_t begin;  // in the values
};

/// All touches, by contact; a contact's rows over the dofs of each part it touches.
struct Touches {
  std::vector<Touch> list;
  std::vector<Index> begin{0};  // of each contact
  std::vector<double> value;
};

Touches find_touches(const Csr& Ht, Index d, const MassMatrix& mass) {
  Touches touches;
  const Index contacts = Ht.rows / d;
  touches.list.reserve(to_size(4 * contacts));
  touches.value.reserve(to_size(4 * contacts * d * kBlock));
  for (Index i = 0; i < contacts; ++i) {
    const std::size_t first = touches.list.size();
    for (Index r = d * i; r < d * (i + 1); ++r) {
      for (Index k = Ht.row_begin(r); k < Ht.row_begin(r + 1); ++k) {
        if (Ht.value(k) == 0.0) continue;
        const Index dof = Ht.column(k);
        const Index part = mass.part_of(dof);
        std::size_t t = first;
        while (t < touches.list.size() && touches.list[t].part != part) ++t;
        if (t == touches.list.size()) {
          touches.list.push_back({i, part, touches.value.size()});
          touches.value.resize(touches.value.size() + to_size(d * mass.part_size(part)), 0.0);
        }
        const Index place = (r - d * i) * mass.part_size(part) + mass.place_of(dof);
        touches.value[touches.list[t].begin + to_size(place)] = Ht.value(k);
      }
    }
    touches.begin.push_back(static_cast<Index>(touches.list.size()));
  }
  return touches;
}

/// Touches of each part.
struct ByPart {
  std::vector<Index> begin;
  std::vector<Index> touch;
};

ByPart sort_by_part(const Touches& touches, Index parts) {
  ByPart by;
  by.begin.assign(to_size(parts) + 1, 0);
  for (const Touch& t : touches.list) ++by.begin[to_size(t.part) + 1];
  for (Index p = 0; p < parts; ++p) by.begin[to_size(p) + 1] += by.begin[to_size(p)];
  by.touch.resize(touches.list.size());
  std::vector<Index> next(by.begin.begin(), by.begin.end() - 1);
  for (std::size_t t = 0; t < touches.list.size(); ++t) {
    by.touch[to_size(next[to_size(touches.list[t].part)]++)] = static_cast<Index>(t);
  }
  return by;
}

/// values: room for them, zero; otherwise the pattern alone.
BlockCsr contact_graph(const Touches& touches, const ByPart& by, Index contacts, bool values) {
  std::vector<Index> column;
  std::vector<Index> begin{0};
  std::vector<Index> seen(to_size(contacts), -1);
  for (Index i = 0; i < contacts; ++i) {
    const std::size_t first = column.size();
    seen[to_size(i)] = i;
    column.push_back(i);
    for (Index t = touches.begin[to_size(i)]; t < touches.begin[to_size(i) + 1]; ++t) {
      const Index part = touches.list[to_size(t)].part;
      for (Index o = by.begin[to_size(part)]; o < by.begin[to_size(part) + 1]; ++o) {
        const Index j = touches.list[to_size(by.touch[to_size(o)])].contact;
        if (seen[to_size(j)] == i) continue;
        seen[to_size(j)] = i;
        column.push_back(j);
      }
    }
    std::sort(column.begin() + static_cast<std::ptrdiff_t>(first), column.end());
    begin.push_back(static_cast<Index>(column.size()));
  }
  BlockCsr W{
      contacts, contacts,
      IndexVector(Kokkos::view_alloc("row_begin", Kokkos::WithoutInitializing), begin.size()),
      IndexVector(Kokkos::view_alloc("column", Kokkos::WithoutInitializing), column.size()),
      values ? zero_vector(static_cast<Index>(column.size()) * kBlockSize) : Vector()};
  std::copy(begin.begin(), begin.end(), W.row_begin.data());
  std::copy(column.begin(), column.end(), W.column.data());
  return W;
}

/// G = H_i^T M^-1 over the dofs of one part: d rows of n numbers.
void weigh(const MassMatrix& mass, Index part, Index first_dof, Index d, Index n, const double* h,
           double* image) {
  if (mass.diagonal()) {
    const double* const inverse = mass.inverse_diagonal() + first_dof;
    for (Index r = 0; r < d; ++r) {
      for (Index c = 0; c < n; ++c) image[r * n + c] = h[r * n + c] * inverse[c];
    }
    return;
  }
  const double* const inverse = mass.part_inverse(part);
  std::fill_n(image, d * n, 0.0);
  for (Index r = 0; r < d; ++r) {
    for (Index k = 0; k < n; ++k) {
      for (Index c = 0; c < n; ++c) image[r * n + c] += h[r * n + k] * inverse[k * n + c];
    }
  }
}

/// block += G H_j, d x d; n is known to the compiler where it is the usual one.
template <Index kSize>
void add_product(Index d, Index n, const double* image, const double* g, double* block) {
  const Index size = kSize > 0 ? kSize : n;
  for (Index r = 0; r < d; ++r) {
    for (Index c = 0; c < d; ++c) {
      double sum = 0.0;
      for (Index k = 0; k < size; ++k) sum += image[r * size + k] * g[c * size + k];
      block[kBlock * r + c] += sum;
    }
  }
}

/// W_ij = sum over parts of H_i^T M^-1 H_j.
void add_parts(const Touches& touches, const ByPart& by, Index d, const MassMatrix& mass,
               BlockCsr& W) {
  std::vector<double> image;
  std::vector<Index> place(to_size(W.rows), -1);
  for (Index i = 0; i < W.rows; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) place[to_size(W.column(k))] = k;
    for (Index t = touches.begin[to_size(i)]; t < touches.begin[to_size(i) + 1]; ++t) {
      const Touch& own = touches.list[to_size(t)];
      const Index n = mass.part_size(own.part);
      image.resize(to_size(d * n));
      weigh(mass, own.part, kBlock * own.part, d, n, touches.value.data() + own.begin,
            image.data());
      for (Index o = by.begin[to_size(own.part)]; o < by.begin[to_size(own.part) + 1]; ++o) {
        const Touch& other = touches.list[to_size(by.touch[to_size(o)])];
        const double* const g = touches.value.data() + other.begin;
        double* const block = W.value.data() + to_size(place[to_size(other.contact)]) * kBlockSize;
        if (n == kBlock && d == kBlock) {
          add_product<kBlock>(kBlock, kBlock, image.data(), g, block);
        } else {
          add_product<0>(d, n, image.data(), g, block);
        }
      }
    }
  }
}

/// One solve with M per row of H^T: a full W.
FrictionProblem condense_by_columns(const GlobalFrictionProblem& problem, const Csr& Ht,
                                    MassMatrix& mass) {
  const Index m = Ht.rows;
  std::vector<double> dense(to_size(m) * to_size(m));
  const Vector h = zero_vector(problem.dofs());
  const Vector y = zero_vector(problem.dofs());
  const Vector column = zero_vector(m);
  double largest = 0.0;
  for (Index j = 0; j < m; ++j) {
    for (Index k = Ht.row_begin(j); k < Ht.row_begin(j + 1); ++k) h(Ht.column(k)) = Ht.value(k);
    if (!mass.solve(h, y)) break;
    for (Index k = Ht.row_begin(j); k < Ht.row_begin(j + 1); ++k) h(Ht.column(k)) = 0.0;
    multiply(Ht, y, column);
    for (Index i = 0; i < m; ++i) {
      dense[to_size(i) * to_size(m) + to_size(j)] = column(i);
      largest = std::max(largest, std::abs(column(i)));
    }
  }
  std::vector<Triplet> triplets;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      const double value = dense[to_size(i) * to_size(m) + to_size(j)];
      if (std::abs(value) > kRounding * largest) triplets.push_back({i, j, value});
    }
  }
  return {problem.dimension, csr_from_triplets(m, m, triplets), zero_vector(m), problem.mu};
}

}  // namespace

Csr contact_jacobian(const GlobalFrictionProblem& problem) {
  return transpose(problem.H);
}

bool free_velocity(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass,
                   Vector q) {
  const Vector v = zero_vector(problem.dofs());
  if (!mass.solve(problem.f, v)) return false;
  const Vector given = zero_vector(Ht.rows);
  multiply(Ht, v, given);
  axpby(1.0, problem.w, 1.0, given);
  pad_contacts(given, problem.dimension, q);
  return true;
}

BlockCsr condensed_pattern(const GlobalFrictionProblem& problem, const Csr& Ht,
                           const MassMatrix& mass) {
  const Touches touches = find_touches(Ht, problem.dimension, mass);
  return contact_graph(touches, sort_by_part(touches, mass.parts()), problem.contacts(), false);
}

void delassus_diagonal(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass,
                       Vector out) {
  const Index d = problem.dimension;
  std::fill_n(out.data(), out.extent(0), 0.0);
  if (mass.block_diagonal()) {
    const Touches touches = find_touches(Ht, d, mass);
    std::vector<double> image;
    for (const Touch& touch : touches.list) {
      const Index n = mass.part_size(touch.part);
      const double* const h = touches.value.data() + touch.begin;
      image.resize(to_size(d * n));
      weigh(mass, touch.part, kBlock * touch.part, d, n, h, image.data());
      add_product<0>(d, n, image.data(), h, out.data() + kBlockSize * touch.contact);
    }
  } else {
    const Vector h = zero_vector(problem.dofs());
    const Vector v = zero_vector(problem.dofs());
    for (Index row = 0; row < Ht.rows; ++row) {
      for (Index k = Ht.row_begin(row); k < Ht.row_begin(row + 1); ++k) {
        h(Ht.column(k)) = Ht.value(k);
      }
      if (!mass.solve(h, v)) return;
      for (Index k = Ht.row_begin(row); k < Ht.row_begin(row + 1); ++k) h(Ht.column(k)) = 0.0;
      const CsrRows rows(Ht);
      for (Index r = 0; r < d; ++r) {
        out(kBlockSize * (row / d) + kBlock * r + row % d) =
            rows.multiply(row - row % d + r, v.data());
      }
    }
  }
  for (Index i = 0; i < problem.contacts() && d == 2; ++i) {
    double* const block = out.data() + kBlockSize * i;
    block[8] = block[0] > 0.0 ? block[0] : 1.0;
  }
}

FrictionBlocks condense(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass) {
  const Index d = problem.dimension;
  const Index contacts = problem.contacts();
  FrictionBlocks blocks;
  if (mass.block_diagonal()) {
    const Touches touches = find_touches(Ht, d, mass);
    const ByPart by = sort_by_part(touches, mass.parts());
    blocks.W = contact_graph(touches, by, contacts, true);
    add_parts(touches, by, d, mass, blocks.W);
    for (Index i = 0; i < contacts && d == 2; ++i) {
      for (Index k = blocks.W.row_begin(i); k < blocks.W.row_begin(i + 1); ++k) {
        double* const block = blocks.W.value.data() + to_size(k) * kBlockSize;
        if (blocks.W.column(k) == i) block[8] = block[0] > 0.0 ? block[0] : 1.0;
      }
    }
    blocks.laws = contact_laws({problem.mu.data(), to_size(contacts)}, d == 2);
    blocks.asymmetry = mass.asymmetry();
    blocks.symmetric = mass.asymmetry() <= kSymmetricToRounding;
  } else {
    blocks = to_friction_blocks(condense_by_columns(problem, Ht, mass));
  }
  blocks.q = zero_vector(kBlock * contacts);
  static_cast<void>(free_velocity(problem, Ht, mass, blocks.q));
  return blocks;
}

}  // namespace nsn
