/// Small frictional-contact problems made in memory, and comparison to the last bit.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/problems/friction_problem.h"

namespace nsn::test {

inline Vector to_vector(const std::vector<double>& values) {
  Vector v("v", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) v(i) = values[i];
  return v;
}

/// Two coupled contacts; numbers that no short decimal represents, W not quite symmetric.
inline FrictionProblem two_contacts(Index dimension = 3) {
  const Index n = 2 * dimension;
  std::vector<Triplet> entries;
  std::vector<double> q;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 2.0 + 1.0 / (3.0 + i)});
    if (i >= dimension) entries.push_back({i, i - dimension, 0.1 / 3.0});
    if (i < dimension) entries.push_back({i, i + dimension, 0.1 / 3.0 + 1e-9});
    q.push_back(-1.0 / (7.0 + i));
  }
  return {dimension, csr_from_triplets(n, n, entries), to_vector(q), to_vector({0.7, 1.0 / 3.0})};
}

/// Two particles, one contact between them.
inline GlobalFrictionProblem one_contact_between_two_particles() {
  std::vector<Triplet> M;
  std::vector<Triplet> H;
  for (Index i = 0; i < 6; ++i) M.push_back({i, i, 1.0 + 1.0 / (1.0 + i)});
  for (Index i = 0; i < 3; ++i) {
    H.push_back({i, i, 1.0});
    H.push_back({i + 3, i, -1.0});
  }
  return {3,
          csr_from_triplets(6, 6, M),
          csr_from_triplets(6, 3, H),
          to_vector({-1.0, 0.1, 0.2, 1.0 / 3.0, 0.0, 0.0}),
          to_vector({1e-3, 0.0, -1e-3}),
          to_vector({0.5})};
}

inline void expect_same(ConstVector a, ConstVector b) {
  ASSERT_EQ(a.extent(0), b.extent(0));
  for (std::size_t i = 0; i < a.extent(0); ++i) EXPECT_EQ(a(i), b(i)) << "entry " << i;
}

inline void expect_same(const Csr& A, const Csr& B) {
  ASSERT_EQ(A.rows, B.rows);
  ASSERT_EQ(A.columns, B.columns);
  ASSERT_EQ(A.nonzeros(), B.nonzeros());
  for (Index i = 0; i <= A.rows; ++i) ASSERT_EQ(A.row_begin(i), B.row_begin(i));
  for (Index k = 0; k < A.nonzeros(); ++k) {
    ASSERT_EQ(A.column(k), B.column(k));
    ASSERT_EQ(A.value(k), B.value(k));
  }
}

inline void expect_same(const FrictionProblem& a, const FrictionProblem& b) {
  EXPECT_EQ(a.dimension, b.dimension);
  expect_same(a.W, b.W);
  expect_same(a.q, b.q);
  expect_same(a.mu, b.mu);
}

inline void expect_same(const GlobalFrictionProblem& a, const GlobalFrictionProblem& b) {
  EXPECT_EQ(a.dimension, b.dimension);
  expect_same(a.M, b.M);
  expect_same(a.H, b.H);
  expect_same(a.f, b.f);
  expect_same(a.w, b.w);
  expect_same(a.mu, b.mu);
}

}  // namespace nsn::test
