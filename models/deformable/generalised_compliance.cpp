#include "nsn/models/deformable/generalised_compliance.h"

#include <algorithm>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

// Nodes per chunk: a node of a tetrahedral mesh gathers from some twenty elements.
constexpr Index kNodeGrain = 64;

void check_length(ConstVector v, Index expected, const char* what) {
  NSN_THROW_UNLESS(size_of(v) == expected, "{} has {} entries, expected {}", what, size_of(v),
                   expected);
}

}  // namespace

void compliance_residual(const ComplianceRows& rows, ConstVector lambda, double h, Vector value) {
  for_range(rows.block_rows(), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      for (Index i = 0; i < kBlock; ++i) {
        double sum = rows.Ec(kBlock * b + i);
        for (Index j = 0; j < kBlock; ++j) {
          sum += rows.E(kBlockSize * b + kBlock * i + j) * lambda(kBlock * b + j);
        }
        value(kBlock * b + i) = sum / h;
      }
    }
  });
}

void scaled_compliance(const ComplianceRows& rows, double h, Vector C) {
  for_range(size_of(rows.E), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) C(k) = rows.E(k) / (h * h);
  });
}

GeneralisedCompliance::GeneralisedCompliance(const GeneralisedCompliance& other)
    : rows_(other.rows_),
      num_nodes_(other.num_nodes_),
      num_elements_(other.num_elements_),
      blocks_per_element_(other.blocks_per_element_),
      use_begin_(other.use_begin_),
      use_element_(other.use_element_),
      use_place_(other.use_place_) {
  for (Vector* const v : {&rows_.J.value, &rows_.c, &rows_.Ec, &rows_.E}) *v = duplicate(*v);
}

void GeneralisedCompliance::set_pattern(Index num_nodes, std::span<const Index> begin,
                                        std::span<const Index> nodes, Index blocks_per_element) {
  const auto block_rows = static_cast<Index>(begin.size()) - 1;
  num_nodes_ = num_nodes;
  blocks_per_element_ = blocks_per_element;
  num_elements_ = block_rows / blocks_per_element;
  BlockCsr& J = rows_.J;
  J.rows = block_rows;
  J.columns = num_nodes;
  J.row_begin = IndexVector("J row_begin", begin.size());
  J.column = IndexVector("J column", nodes.size());
  J.value = Vector("J value", kBlockSize * nodes.size());
  std::copy(begin.begin(), begin.end(), J.row_begin.data());
  std::copy(nodes.begin(), nodes.end(), J.column.data());
  rows_.c = Vector("c", static_cast<std::size_t>(kBlock * block_rows));
  rows_.Ec = Vector("Ec", static_cast<std::size_t>(kBlock * block_rows));
  rows_.E = Vector("E", static_cast<std::size_t>(kBlockSize * block_rows));

  use_begin_ = IndexVector("use_begin", static_cast<std::size_t>(num_nodes) + 1);
  const auto first_row = [&](Index element) { return J.row_begin(element * blocks_per_element); };
  const auto last_row = [&](Index element) {
    return J.row_begin(element * blocks_per_element + 1);
  };
  for (Index e = 0; e < num_elements_; ++e) {
    for (Index k = first_row(e); k < last_row(e); ++k) ++use_begin_(J.column(k) + 1);
  }
  for (Index n = 0; n < num_nodes; ++n) use_begin_(n + 1) += use_begin_(n);
  use_element_ = IndexVector("use_element", static_cast<std::size_t>(use_begin_(num_nodes)));
  use_place_ = IndexVector("use_place", use_element_.extent(0));
  std::vector<Index> next(use_begin_.data(), use_begin_.data() + num_nodes);
  for (Index e = 0; e < num_elements_; ++e) {
    for (Index k = first_row(e); k < last_row(e); ++k) {
      const Index slot = next[static_cast<std::size_t>(J.column(k))]++;
      use_element_(slot) = e;
      use_place_(slot) = k - first_row(e);
    }
  }
}

void GeneralisedCompliance::start_step(ConstVector x) {
  check_length(x, kBlock * num_nodes_, "x");
  do_start_step(x);
}

Index GeneralisedCompliance::evaluate(ConstVector x, double h) {
  check_length(x, kBlock * num_nodes_, "x");
  NSN_THROW_UNLESS(h > 0.0, "time step {} s is not positive", h);
  return do_evaluate(x, h);
}

double GeneralisedCompliance::energy(ConstVector x) const {
  check_length(x, kBlock * num_nodes_, "x");
  return do_energy(x);
}

// f_n -= sum over uses of node n and over the rows of that element: J_block^T c
void GeneralisedCompliance::add_force(Vector f) const {
  check_length(f, kBlock * num_nodes_, "f");
  const BlockCsr& J = rows_.J;
  const auto gather = [&](Index node) {
    double sum[kBlock] = {};
    for (Index use = use_begin_(node); use < use_begin_(node + 1); ++use) {
      for (Index b = 0; b < blocks_per_element_; ++b) {
        const Index row = use_element_(use) * blocks_per_element_ + b;
        const double* block = &J.value(kBlockSize * (J.row_begin(row) + use_place_(use)));
        const double* c = &rows_.c(kBlock * row);
        for (Index i = 0; i < kBlock; ++i) {
          for (Index j = 0; j < kBlock; ++j) sum[j] += block[kBlock * i + j] * c[i];
        }
      }
    }
    for (Index j = 0; j < kBlock; ++j) f(kBlock * node + j) -= sum[j];
  };
  for_range(
      num_nodes_,
      [&](Index begin, Index end) {
        for (Index node = begin; node < end; ++node) gather(node);
      },
      kNodeGrain);
}

void GeneralisedCompliance::add_node_stiffness(StiffnessPart part, double factor,
                                               Vector blocks) const {
  check_length(blocks, kBlockSize * num_nodes_, "blocks");
  const auto gather = [&](Index node) {
    Block sum{};
    for (Index use = use_begin_(node); use < use_begin_(node + 1); ++use) {
      const int a = use_place_(use);
      const Block k = do_stiffness(use_element_(use), a, a, part);
      for (std::size_t i = 0; i < kBlockSize; ++i) sum[i] += k[i];
    }
    double* out = &blocks(kBlockSize * node);
    for (std::size_t i = 0; i < kBlockSize; ++i) out[i] += factor * sum[i];
  };
  for_range(
      num_nodes_,
      [&](Index begin, Index end) {
        for (Index node = begin; node < end; ++node) gather(node);
      },
      kNodeGrain);
}

void GeneralisedCompliance::do_element_stiffness(Index element, StiffnessPart part,
                                                 std::span<Block> upper) const {
  const Index row = element * blocks_per_element_;
  const int nodes = rows_.J.row_begin(row + 1) - rows_.J.row_begin(row);
  std::size_t pair = 0;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a; b < nodes; ++b) upper[pair++] = do_stiffness(element, a, b, part);
  }
}

BlockCsr GeneralisedCompliance::stiffness_pattern() const {
  BlockCsr A;
  A.rows = A.columns = num_nodes_;
  A.row_begin = IndexVector("A row_begin", static_cast<std::size_t>(num_nodes_) + 1);
  std::vector<Index> column;
  std::vector<Index> neighbours;
  for (Index node = 0; node < num_nodes_; ++node) {
    neighbours.assign(1, node);
    for (Index use = use_begin_(node); use < use_begin_(node + 1); ++use) {
      const Index row = use_element_(use) * blocks_per_element_;
      for (Index k = rows_.J.row_begin(row); k < rows_.J.row_begin(row + 1); ++k) {
        neighbours.push_back(rows_.J.column(k));
      }
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    column.insert(column.end(), neighbours.begin(), neighbours.end());
    A.row_begin(node + 1) = static_cast<Index>(column.size());
  }
  A.column = IndexVector("A column", column.size());
  std::copy(column.begin(), column.end(), A.column.data());
  A.value = Vector("A value", kBlockSize * column.size());
  return A;
}

void GeneralisedCompliance::add_stiffness(StiffnessPart part, double factor, BlockCsr& A) const {
  NSN_THROW_UNLESS(A.rows == num_nodes_ && A.columns == num_nodes_,
                   "stiffness of {} nodes does not fit a matrix of {} x {} blocks", num_nodes_,
                   A.rows, A.columns);
  const auto gather = [&](Index node) {
    const Index* first = A.column.data() + A.row_begin(node);
    const Index* last = A.column.data() + A.row_begin(node + 1);
    for (Index use = use_begin_(node); use < use_begin_(node + 1); ++use) {
      const Index row = use_element_(use) * blocks_per_element_;
      for (Index k = rows_.J.row_begin(row); k < rows_.J.row_begin(row + 1); ++k) {
        const Block value =
            do_stiffness(use_element_(use), use_place_(use), k - rows_.J.row_begin(row), part);
        const Index* slot = std::lower_bound(first, last, rows_.J.column(k));
        double* out = &A.value(kBlockSize * static_cast<Index>(slot - A.column.data()));
        for (std::size_t i = 0; i < kBlockSize; ++i) out[i] += factor * value[i];
      }
    }
  };
  for_range(
      num_nodes_,
      [&](Index begin, Index end) {
        for (Index node = begin; node < end; ++node) gather(node);
      },
      kNodeGrain);
}

}  // namespace nsn
