/// The only door to cuSPARSE, cuSOLVER and cuDSS: a product and two factorisations.
///
/// All pointers are device pointers; failures of the library are DeviceErrors, a matrix that is not
/// positive definite is an answer. On the host (harness/host_libraries.cpp) Eigen stands in.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace nsn::cuda {

/// Pattern and values of a square CSR matrix in device memory; symmetric where a factorisation
/// asks.
template <class T>
struct CsrPointers {
  int rows = 0;
  int nonzeros = 0;
  const int* row_begin = nullptr;
  const int* column = nullptr;
  const T* value = nullptr;
};

/// y = A x through cuSPARSE. The values may change in place between calls.
class CsrProduct {
 public:
  virtual ~CsrProduct() = default;
  virtual void multiply(const double* x, double* y) = 0;
};

/// L L^T of `batch` dense n x n matrices, stored one after the other, by columns, in place.
template <class T>
class DenseCholesky {
 public:
  virtual ~DenseCholesky() = default;
  /// Factorises A. Returns 0, or 1 + the first row in the whole batch whose pivot is not positive.
  virtual int factorize(T* A) = 0;
  /// x = A^-1 x for all right-hand sides, n numbers each.
  virtual void solve(const T* A, T* x) = 0;
};

/// Sparse L L^T with the analysis kept while the pattern stays.
template <class T>
class SparseCholesky {
 public:
  virtual ~SparseCholesky() = default;
  virtual std::string_view library() const = 0;
  /// Takes the values. Returns 0, or 1 + the row (in the factor's order) of a bad pivot.
  virtual int factorize() = 0;
  /// x = A^-1 b; b and x do not overlap.
  virtual void solve(const T* b, T* x) = 0;
};

class Libraries {
 public:
  virtual ~Libraries() = default;
  /// Order of elimination for a sparse factorisation of a symmetric pattern in host memory: row i
  /// of the factor is row order[i] of the matrix. Empty: the library orders for itself.
  virtual std::vector<int> order(int rows, const int* row_begin, const int* column) = 0;
  virtual std::unique_ptr<CsrProduct> csr_product(const CsrPointers<double>& A) = 0;
  virtual std::unique_ptr<DenseCholesky<double>> dense_double(int n, int batch) = 0;
  virtual std::unique_ptr<DenseCholesky<float>> dense_float(int n, int batch) = 0;
  virtual std::unique_ptr<SparseCholesky<double>> sparse(const CsrPointers<double>& A) = 0;
  virtual std::unique_ptr<SparseCholesky<float>> sparse(const CsrPointers<float>& A) = 0;

  template <class T>
  std::unique_ptr<DenseCholesky<T>> dense(int n, int batch) {
    if constexpr (sizeof(T) == sizeof(double)) {
      return dense_double(n, batch);
    } else {
      return dense_float(n, batch);
    }
  }
};

}  // namespace nsn::cuda
