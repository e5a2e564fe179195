/// The two factorisations behind cuda-direct: what a matrix becomes on the device, and
/// y = (L L^T)^-1 r in the factor's own order of rows.
#pragma once

#include <memory>
#include <vector>

#include "nsn/backends/cuda/buffer.h"
#include "nsn/backends/cuda/islands.h"
#include "nsn/core/matrix/csr.h"

namespace nsn::cuda {

/// `place` maps the factor's rows to those of the matrix: row place[i] of A, -1 for padding.
class DirectFactor {
 public:
  virtual ~DirectFactor() = default;
  /// Takes the values of A from the device. Returns 0 or 1 + the row of A with a bad pivot.
  virtual int factorize(const Array<const double>& value) = 0;
  /// to += A^-1 from; both as long as A has rows or longer.
  virtual void solve_and_add(const Array<const double>& from, const Array<double>& to) = 0;
  /// Takes the last solve_and_add() back.
  virtual void undo(const Array<double>& to) = 0;
  virtual double bytes_held() const = 0;
  /// Bytes that one solve must read of the factor at least.
  virtual double bytes_per_solve() const = 0;
  virtual const char* description() const = 0;
};

/// Each island dense, batched by padded size.
template <class T>
std::unique_ptr<DirectFactor> make_dense_factor(Device& device, const Csr& A,
                                                const Islands& islands);
/// Numbers the dense matrices of these islands hold, padding included.
double dense_numbers(const Islands& islands, int scalar_rows);

template <class T>
std::unique_ptr<DirectFactor> make_sparse_factor(Device& device, const Csr& A);

}  // namespace nsn::cuda
