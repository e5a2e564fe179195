/// The door to cuSOLVER and cuDSS: two factorisations of matrices in the device's memory. Pointers
/// are those of the device; what the library says goes into a std::runtime_error; a matrix that is not
/// positive definite is an answer. Tests stand in for it (tests/backends/device_direct_test.cpp).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace nsn {

/// Square, symmetric, both halves stored.
struct DeviceCsr {
  int rows = 0;
  int nonzeros = 0;
  const int* row_begin = nullptr;
  const int* column = nullptr;
  const double* value = nullptr;
};

/// A = L L^T, the analysis kept while the pattern stays.
class DeviceCholesky {
 public:
  virtual ~DeviceCholesky() = default;
  virtual std::string_view library() const = 0;
  /// Takes the values that are there now. Returns 0, or 1 + the row of a pivot that is not positive.
  virtual int factorize() = 0;
  /// x = A^-1 b; b and x do not overlap.
  virtual void solve(const double* b, double* x) = 0;
};

class CholeskyLibrary {
 public:
  virtual ~CholeskyLibrary() = default;
  /// Order of elimination for a symmetric pattern in host memory: row i of the factor is row
  /// order[i] of the matrix. Empty: the library orders for itself.
  virtual std::vector<int> order(int rows, const int* row_begin, const int* column) = 0;
  /// A is n x n numbers, factorised in place.
  virtual std::unique_ptr<DeviceCholesky> dense(int n, double* A) = 0;
  virtual std::unique_ptr<DeviceCholesky> sparse(const DeviceCsr& A) = 0;
};

}  // namespace nsn
