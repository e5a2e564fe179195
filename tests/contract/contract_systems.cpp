#include "nsn/tests/contract/contract_systems.h"

#include <cmath>
#include <cstdint>

namespace nsn::contract {
namespace {

/// Uniform numbers in [-1, 1], the same on every machine.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed * 2654435761U + 12345U) {}
  double operator()() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t state_;
};

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

ContractSystem with_answer(Csr S, unsigned seed) {
  Random random(seed + 1000);
  std::vector<double> x_star(at(S.rows));
  for (double& x : x_star) x = random();
  std::vector<double> b = product(S, x_star);
  return {std::move(S), std::move(x_star), std::move(b)};
}

// Rows of one block and of neighbouring blocks are coupled; 1 + the sum of the others on the
// diagonal.
std::vector<Triplet> chain_triplets(Index rows, unsigned seed, bool symmetric) {
  Random random(seed);
  std::vector<Triplet> triplets;
  std::vector<double> sum(at(rows), 0.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = i + 1; j < rows && j / kBlock <= i / kBlock + 1; ++j) {
      const double value = random();
      const double mirrored = symmetric || random() > 0.0 ? value : -value;
      triplets.push_back({i, j, value});
      triplets.push_back({j, i, mirrored});
      sum[at(i)] += std::abs(value);
      sum[at(j)] += std::abs(value);
    }
  }
  for (Index i = 0; i < rows; ++i) triplets.push_back({i, i, 1.0 + sum[at(i)]});
  return triplets;
}

std::vector<Triplet> spring_triplets(Index rows) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i + 1 < rows; ++i) {
    triplets.push_back({i, i, 1.0});
    triplets.push_back({i + 1, i + 1, 1.0});
    triplets.push_back({i, i + 1, -1.0});
    triplets.push_back({i + 1, i, -1.0});
  }
  return triplets;
}

}  // namespace

std::vector<double> product(const Csr& S, const std::vector<double>& x) {
  std::vector<double> y(at(S.rows), 0.0);
  for (Index i = 0; i < S.rows; ++i) {
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      y[at(i)] += S.value(k) * x[at(S.column(k))];
    }
  }
  return y;
}

ContractSystem chain_of_contacts(Index rows, unsigned seed) {
  return with_answer(csr_from_triplets(rows, rows, chain_triplets(rows, seed, true)), seed);
}

ContractSystem unsymmetric_chain(Index rows, unsigned seed) {
  return with_answer(csr_from_triplets(rows, rows, chain_triplets(rows, seed, false)), seed);
}

ContractSystem free_springs(Index rows) {
  return with_answer(csr_from_triplets(rows, rows, spring_triplets(rows)), 5);
}

ContractSystem free_springs_pulled(Index rows) {
  ContractSystem system = free_springs(rows);
  for (double& b : system.b) b += 1.0;
  system.x_star.clear();
  return system;
}

ContractSystem redundant_contacts(Index rows, Index columns, unsigned seed) {
  Random random(seed);
  std::vector<double> J(at(rows) * at(columns));
  for (double& value : J) value = random();
  std::vector<Triplet> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double value = 0.0;
      for (std::size_t c = 0; c < at(columns); ++c) {
        value += J[at(i) * at(columns) + c] * J[at(j) * at(columns) + c];
      }
      triplets.push_back({i, j, value});
      if (i != j) triplets.push_back({j, i, value});
    }
  }
  return with_answer(csr_from_triplets(rows, rows, triplets), seed);
}

// [[1, 2], [2, e]] with e in [-1.5, 0.5] has a determinant of at most -3.5.
ContractSystem indefinite(Index rows, unsigned seed) {
  Random random(seed);
  std::vector<Triplet> triplets;
  for (Index i = 0; i + 1 < rows; i += 2) {
    triplets.push_back({i, i, 1.0});
    triplets.push_back({i, i + 1, 2.0});
    triplets.push_back({i + 1, i, 2.0});
    triplets.push_back({i + 1, i + 1, 1.0 - (1.5 + random())});
  }
  if (rows % 2 == 1) triplets.push_back({rows - 1, rows - 1, -2.0});
  return with_answer(csr_from_triplets(rows, rows, triplets), seed);
}

ContractSystem saddle(Index pairs) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < pairs; ++i) {
    triplets.push_back({i, i, 1.0 + 0.1 * i});
    triplets.push_back({i, pairs + i, 1.0});
    triplets.push_back({pairs + i, i, 1.0});
  }
  return with_answer(csr_from_triplets(2 * pairs, 2 * pairs, triplets), 9);
}

ContractSystem diagonal(const std::vector<double>& values) {
  const auto n = static_cast<Index>(values.size());
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, values[at(i)]});
  Csr S = csr_from_triplets(n, n, triplets);
  std::vector<double> b = values;
  return {std::move(S), std::vector<double>(values.size(), 1.0), std::move(b)};
}

ContractSystem wide_diagonal() {
  return diagonal({1e-12, 1e12, 1.0, 1e-6, 1e6, 1e12, 1e-12, 3.0});
}

ContractSystem isolated_rows() {
  std::vector<Triplet> triplets = chain_triplets(9, 21, true);
  for (Index i = 9; i < 16; ++i) triplets.push_back({i, i, 0.5 * i});
  for (const auto& [i, j, value] : chain_triplets(3, 22, true)) {
    triplets.push_back({16 + i, 16 + j, value});
  }
  return with_answer(csr_from_triplets(19, 19, triplets), 23);
}

ContractSystem zero_rows() {
  std::vector<Triplet> triplets = chain_triplets(9, 31, true);
  triplets.push_back({9, 9, 0.0});
  return with_answer(csr_from_triplets(11, 11, triplets), 33);
}

}  // namespace nsn::contract
