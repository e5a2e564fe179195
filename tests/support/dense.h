// Dense references and the conversions tests need: small matrices as Eigen objects and as ours.
#pragma once

#include <random>
#include <vector>

#include <Eigen/Dense>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn::testing_support {

using Dense = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

inline Csr sparse(const Dense& A) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < A.cols(); ++j) {
      if (A(i, j) != 0.0) entries.push_back({i, j, A(i, j)});
    }
  }
  return csr_from_triplets(static_cast<Index>(A.rows()), static_cast<Index>(A.cols()), entries);
}

inline Dense dense(const Csr& A) {
  Dense D = Dense::Zero(A.rows, A.columns);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) D(i, A.column(k)) += A.value(k);
  }
  return D;
}

inline Dense dense(const BlockCsr& A) {
  return dense(to_scalar(A));
}

inline Vector view(const DenseVector& v) {
  Vector out("v", static_cast<std::size_t>(v.size()));
  for (Index i = 0; i < size_of(out); ++i) out(i) = v(i);
  return out;
}

inline DenseVector dense(const Vector& v) {
  return Eigen::Map<const DenseVector>(v.data(), size_of(v));
}

inline Dense random_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Dense::NullaryExpr(rows, columns, [&] { return uniform(generator); });
}

inline DenseVector random_vector(Index rows, unsigned seed) {
  return random_matrix(rows, 1, seed);
}

/// A random block matrix with about `share` of its blocks present.
inline BlockCsr random_blocks(Index rows, Index columns, double share, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if (std::abs(uniform(generator)) > share) continue;
      BlockTriplet t{i, j, {}};
      for (double& value : t.value) value = uniform(generator);
      triplets.push_back(t);
    }
  }
  return block_csr_from_triplets(rows, columns, triplets);
}

}  // namespace nsn::testing_support
