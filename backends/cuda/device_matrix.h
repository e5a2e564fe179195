/// S on a device, in one of three forms: the pattern goes up once, the values whenever they change.
///
/// With float storage a rounded copy of the values is made on the device; the iteration streams it,
/// and the double values serve the recomputed residuals.
#pragma once

#include <memory>
#include <vector>

#include "nsn/backends/cuda/buffer.h"
#include "nsn/backends/cuda/islands.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/operator_entries.h"

namespace nsn::cuda {

enum class MatrixForm { kBlocks, kCsr, kFactored };
enum class Scaling { kNone, kJacobi, kBlockJacobi };  ///< the P of PCR

class DeviceMatrix {
 public:
  /// Takes the pattern of op and allocates. Throws std::invalid_argument if op lacks what the form
  /// needs.
  DeviceMatrix(Device& device, const LinearOperator& op, MatrixForm form, bool float_storage);

  /// Takes the values of op: one upload of them, no more.
  void upload_values(const LinearOperator& op);

  MatrixForm form() const { return form_; }
  bool float_storage() const { return float_storage_; }
  int scalar_rows() const { return scalar_rows_; }
  int block_rows() const { return (scalar_rows_ + 2) / 3; }
  int nodes() const { return nodes_; }
  /// Stored entries per block row, for J in the factored form.
  double entries_per_row() const;
  /// Bytes that one product streams: values in the iteration's storage, indices, and for the
  /// factored form the vector between its two passes.
  double bytes_per_product() const;
  double bytes_held() const;

  /// The kernels' view; T is float only with float storage.
  template <class T>
  BlockForm<T> block_form() const;
  template <class T>
  CsrForm<T> csr_form() const;
  template <class T>
  FactoredForm<T> factored_form() const;
  CsrPointers<double> csr_pointers() const;
  /// The double values of S, or of J.
  Array<const double> values() const { return main_.value.constant(); }

  /// P of 3 or 9 numbers per block row, from the values on the device.
  static int numbers(Scaling scaling) { return scaling == Scaling::kBlockJacobi ? 9 : 3; }
  void compute_scaling(Scaling scaling, Buffer<double>& P, const Shape& shape);

 private:
  // A pattern, its values in double and perhaps in float.
  struct Part {
    int rows = 0;
    Buffer<int> row_begin, column, source;
    Buffer<double> value;
    Buffer<float> narrow;

    double bytes() const {
      return row_begin.bytes() + column.bytes() + source.bytes() + value.bytes() + narrow.bytes();
    }
  };

  void take_blocks(const LinearOperator& op);
  void take_csr(const LinearOperator& op);
  void take_factors(const LinearOperator& op);
  void take_pattern(Part& part, int rows, ConstIndexVector row_begin, ConstIndexVector column,
                    std::size_t values);
  void upload_part(Part& part, const double* values);
  const double* block_values(const LinearOperator& op);
  std::vector<int> diagonal_positions(Scaling scaling) const;
  template <class T>
  static Array<const T> values_of(const Part& part);
  template <class T>
  static BlockMatrix<T> block_matrix(const Part& part);

  Device& device_;
  MatrixForm form_;
  bool float_storage_;
  int scalar_rows_;
  int nodes_ = 0;

  Part main_;         // S, or J
  Part transpose_;    // pattern of J^T and where its blocks are in J
  Part H_inverse_;    // values only
  Part C_;            // no rows: zero
  Buffer<double> t_;  // H^-1 J^T x
  ScalarEntries entries_;
  // kBlocks from a scalar operator: where each scalar entry goes among the block values.
  std::vector<int> place_;
  std::vector<double> staging_;
  BlockCsr pattern_;  // of the blocks, on the host; CSR patterns are read from entries_

  Scaling scaling_ = Scaling::kNone;
  Buffer<int> position_;  // of the diagonal among the values, for scaling_
  Buffer<int> replaced_;
};

}  // namespace nsn::cuda
