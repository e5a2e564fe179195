#include <algorithm>
#include <iterator>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/io/siconos_text.h"

namespace nsn {
namespace {

void append(std::string& out, const Vector& v) {
  for (Index i = 0; i < size_of(v); ++i) fmt::format_to(std::back_inserter(out), "{:.17g} ", v(i));
  out += '\n';
}

/// Distinct block columns of one block row, ascending: W is read back block by block.
std::vector<Index> block_columns(const Csr& A, Index block_row, Index size) {
  std::vector<Index> columns;
  for (Index k = A.row_begin(block_row * size); k < A.row_begin((block_row + 1) * size); ++k) {
    columns.push_back(A.column(k) / size);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

double entry(const Csr& A, Index row, Index column) {
  const Index* const first = A.column.data() + A.row_begin(row);
  const Index* const last = A.column.data() + A.row_begin(row + 1);
  const Index* const at = std::lower_bound(first, last, column);
  return at != last && *at == column ? A.value(at - A.column.data()) : 0.0;
}

void append_blocks(std::string& out, const Csr& A, Index size) {
  const Index block_rows = A.rows / size;
  std::vector<std::vector<Index>> columns;
  std::size_t num_blocks = 0;
  for (Index i = 0; i < block_rows; ++i) {
    columns.push_back(block_columns(A, i, size));
    num_blocks += columns.back().size();
  }
  auto at = std::back_inserter(out);
  fmt::format_to(at, "1\n{}\n{}\n{}\n", A.rows, A.columns, num_blocks);
  if (num_blocks == 0) return;
  fmt::format_to(at, "{}\n{}\n", block_rows, block_rows);
  for (int side = 0; side < 2; ++side) {
    for (Index i = 1; i <= block_rows; ++i) fmt::format_to(at, "{}\t", i * size);
    out += '\n';
  }
  fmt::format_to(at, "{}\n{}\n0", block_rows + 1, num_blocks);
  std::size_t end = 0;
  for (const auto& row : columns) fmt::format_to(at, "\t{}", end += row.size());
  out += '\n';
  for (const auto& row : columns) {
    for (const Index j : row) fmt::format_to(at, "{}\t", j);
  }
  std::size_t number = 0;
  for (Index i = 0; i < block_rows; ++i) {
    for (const Index j : columns[static_cast<std::size_t>(i)]) {
      fmt::format_to(at, "\n{}", number++);
      for (Index k = 0; k < size * size; ++k) {
        fmt::format_to(at, "\n{:.17g}", entry(A, i * size + k % size, j * size + k / size));
      }
    }
  }
  out += '\n';
}

void append_triplets(std::string& out, const Csr& A) {
  auto at = std::back_inserter(out);
  fmt::format_to(at, "2\n{}\n{}\n1\nCSparse\n", A.rows, A.columns);
  fmt::format_to(at, "triplet: {}-by-{}, nzmax: {} nnz: {}\n", A.rows, A.columns, A.nonzeros(),
                 A.nonzeros());
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      fmt::format_to(at, "    {} {} : {:.17g}\n", i, A.column(k), A.value(k));
    }
  }
}

}  // namespace

std::string to_siconos_text(const FrictionProblem& problem) {
  std::string out = fmt::format("{}\n{}\n", problem.dimension, problem.contacts());
  append_blocks(out, problem.W, problem.dimension);
  append(out, problem.q);
  append(out, problem.mu);
  return out;
}

std::string to_siconos_text(const GlobalFrictionProblem& problem) {
  std::string out = fmt::format("{}\n{}\n", problem.dimension, problem.contacts());
  append_triplets(out, problem.M);
  append_triplets(out, problem.H);
  append(out, problem.f);
  append(out, problem.w);
  append(out, problem.mu);
  return out;
}

std::string to_siconos_text(const LinearComplementarityProblem& problem) {
  const Index n = problem.M.rows;
  std::string out = fmt::format("{}\n0\n{}\n{}\n{} {}\n", n, n, n, n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      fmt::format_to(std::back_inserter(out), "{:.17g} ", entry(problem.M, i, j));
    }
    out += '\n';
  }
  append(out, problem.q);
  return out;
}

}  // namespace nsn
