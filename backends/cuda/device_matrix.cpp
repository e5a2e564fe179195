#include "nsn/backends/cuda/device_matrix.h"

#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/core/linear/schur_operator.h"

namespace nsn::cuda {
namespace {

int find_entry(const Csr& A, Index i, Index j) {
  const Index* const begin = A.column.data() + A.row_begin(i);
  const Index* const end = A.column.data() + A.row_begin(i + 1);
  const Index* const found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? static_cast<int>(found - A.column.data()) : -1;
}

}  // namespace

DeviceMatrix::DeviceMatrix(Device& device, const LinearOperator& op, MatrixForm form,
                           bool float_storage)
    : device_(device), form_(form), float_storage_(float_storage), scalar_rows_(op.rows()) {
  switch (form) {
    case MatrixForm::kBlocks:
      take_blocks(op);
      break;
    case MatrixForm::kCsr:
      take_csr(op);
      break;
    case MatrixForm::kFactored:
      take_factors(op);
      break;
  }
  replaced_ = Buffer<int>(device, 1);
}

void DeviceMatrix::take_pattern(Part& part, int rows, ConstIndexVector row_begin,
                                ConstIndexVector column, std::size_t values) {
  part.rows = rows;
  part.row_begin = Buffer<int>(device_, row_begin.extent(0));
  part.row_begin.upload(row_begin.data());
  part.column = Buffer<int>(device_, column.extent(0));
  part.column.upload(column.data());
  part.value = Buffer<double>(device_, values);
  if (float_storage_) part.narrow = Buffer<float>(device_, values);
}

// Scalar operators are padded to blocks; the map from their entries is kept.
void DeviceMatrix::take_blocks(const LinearOperator& op) {
  if (op.blocks() != nullptr) {
    pattern_ = *op.blocks();
  } else {
    NSN_THROW_UNLESS(op.scalars() != nullptr, "matrix=blocks needs the entries of the matrix");
    const Csr& A = *op.scalars();
    pattern_ = to_blocks(A);
    staging_.assign(pattern_.value.extent(0), 0.0);
    for (int i = A.rows; i < 3 * pattern_.rows; ++i) {  // padding: to_blocks() puts ones there
      const int k = find_block(pattern_, i / 3, i / 3);
      staging_[static_cast<std::size_t>(9 * k + 4 * (i % 3))] = 1.0;
    }
    for (Index i = 0; i < A.rows; ++i) {
      for (Index e = A.row_begin(i); e < A.row_begin(i + 1); ++e) {
        const int k = find_block(pattern_, i / 3, A.column(e) / 3);
        place_.push_back(9 * k + 3 * (i % 3) + A.column(e) % 3);
      }
    }
  }
  take_pattern(main_, pattern_.rows, pattern_.row_begin, pattern_.column, pattern_.value.extent(0));
}

void DeviceMatrix::take_csr(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "matrix=csr needs the entries of the matrix");
  entries_.analyze(op);
  const Csr& A = entries_.matrix();
  take_pattern(main_, A.rows, A.row_begin, A.column, A.value.extent(0));
}

void DeviceMatrix::take_factors(const LinearOperator& op) {
  const SchurOperator* const factors = op.factors();
  NSN_THROW_UNLESS(factors != nullptr, "matrix=factored needs an operator J H^-1 J^T + C");
  const BlockCsr& J = factors->J();
  const BlockTranspose& Jt = factors->Jt();
  const BlockCsr& C = factors->C();
  nodes_ = J.columns;
  take_pattern(main_, J.rows, J.row_begin, J.column, J.value.extent(0));
  take_pattern(transpose_, Jt.matrix.rows, Jt.matrix.row_begin, Jt.matrix.column, 0);
  transpose_.source = Buffer<int>(device_, Jt.source.extent(0));
  transpose_.source.upload(Jt.source.data());
  take_pattern(H_inverse_, 0, {}, {}, factors->H_inverse().extent(0));
  if (C.blocks() > 0) take_pattern(C_, C.rows, C.row_begin, C.column, C.value.extent(0));
  t_ = Buffer<double>(device_, 3 * static_cast<std::size_t>(nodes_));
}

const double* DeviceMatrix::block_values(const LinearOperator& op) {
  if (op.blocks() != nullptr) return op.blocks()->value.data();
  const double* const value = op.scalars()->value.data();
  for (std::size_t e = 0; e < place_.size(); ++e) {
    staging_[static_cast<std::size_t>(place_[e])] = value[e];
  }
  return staging_.data();
}

void DeviceMatrix::upload_part(Part& part, const double* values) {
  part.value.upload(values);
  if (!float_storage_ || part.value.size() == 0) return;
  const int threads = device_.properties().threads;
  const auto blocks = (part.value.size() + static_cast<std::size_t>(threads) - 1) /
                      static_cast<std::size_t>(threads);
  const auto most = static_cast<std::size_t>(8 * device_.properties().multiprocessors);
  device_.launch(Narrow{part.value.constant(), part.narrow.array()},
                 {.blocks = static_cast<int>(std::min(blocks, most)), .threads = threads});
}

void DeviceMatrix::upload_values(const LinearOperator& op) {
  switch (form_) {
    case MatrixForm::kBlocks:
      upload_part(main_, block_values(op));
      break;
    case MatrixForm::kCsr:
      upload_part(main_, entries_.update(op).value.data());
      break;
    case MatrixForm::kFactored:
      upload_part(main_, op.factors()->J().value.data());
      upload_part(H_inverse_, op.factors()->H_inverse().data());
      upload_part(C_, op.factors()->C().value.data());
      break;
  }
}

double DeviceMatrix::entries_per_row() const {
  return static_cast<double>(main_.value.size()) / std::max(1, block_rows());
}

double DeviceMatrix::bytes_per_product() const {
  const double number = float_storage_ ? 4.0 : 8.0;
  const auto streamed = [&](const Part& part) {
    return number * static_cast<double>(part.value.size()) + part.column.bytes() +
           part.row_begin.bytes() + part.source.bytes();
  };
  const double J_again =
      form_ == MatrixForm::kFactored ? number * static_cast<double>(main_.value.size()) : 0.0;
  return streamed(main_) + streamed(transpose_) + J_again + streamed(H_inverse_) + streamed(C_) +
         2.0 * t_.bytes();
}

double DeviceMatrix::bytes_held() const {
  return main_.bytes() + transpose_.bytes() + H_inverse_.bytes() + C_.bytes() + t_.bytes() +
         position_.bytes() + replaced_.bytes();
}

template <class T>
Array<const T> DeviceMatrix::values_of(const Part& part) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return part.value.constant();
  } else {
    return part.narrow.constant();
  }
}

template <class T>
BlockMatrix<T> DeviceMatrix::block_matrix(const Part& part) {
  return {part.rows, part.row_begin.constant(), part.column.constant(), part.source.constant(),
          values_of<T>(part)};
}

template <class T>
BlockForm<T> DeviceMatrix::block_form() const {
  return {block_matrix<T>(main_)};
}

template <class T>
CsrForm<T> DeviceMatrix::csr_form() const {
  return {main_.rows, main_.row_begin.constant(), main_.column.constant(), values_of<T>(main_)};
}

template <class T>
FactoredForm<T> DeviceMatrix::factored_form() const {
  BlockMatrix<T> Jt = block_matrix<T>(transpose_);
  Jt.value = values_of<T>(main_);
  return {block_matrix<T>(main_), Jt, values_of<T>(H_inverse_), block_matrix<T>(C_), t_.array()};
}

CsrPointers<double> DeviceMatrix::csr_pointers() const {
  return {main_.rows, static_cast<int>(main_.value.size()), main_.row_begin.data(),
          main_.column.data(), main_.value.data()};
}

std::vector<int> DeviceMatrix::diagonal_positions(Scaling scaling) const {
  const int count = numbers(scaling);
  std::vector<int> positions;
  positions.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(block_rows()));
  for (int row = 0; row < block_rows(); ++row) {
    for (int m = 0; m < count; ++m) {
      const int r = count == 9 ? m / 3 : m;
      const int c = count == 9 ? m % 3 : m;
      int at = -1;
      if (scaling == Scaling::kNone) {
        at = -2;
      } else if (form_ == MatrixForm::kBlocks) {
        const int block = find_block(pattern_, row, row);
        at = block >= 0 ? 9 * block + 3 * r + c : -1;
      } else if (3 * row + r < scalar_rows_ && 3 * row + c < scalar_rows_) {
        at = find_entry(entries_.matrix(), 3 * row + r, 3 * row + c);
      } else {
        at = r == c ? -2 : -1;
      }
      positions.push_back(at);
    }
  }
  return positions;
}

void DeviceMatrix::compute_scaling(Scaling scaling, Buffer<double>& P, const Shape& shape) {
  const int count = numbers(scaling);
  replaced_.zero();
  if (form_ == MatrixForm::kFactored && scaling != Scaling::kNone) {
    device_.launch(FactoredDiagonal{factored_form<double>(), P.array(), count}, shape);
  } else {
    if (position_.size() != P.size() || scaling_ != scaling) {
      position_ = to_device(device_, diagonal_positions(scaling));
      scaling_ = scaling;
    }
    device_.launch(GatherDiagonal{main_.value.constant(), position_.constant(), P.array()}, shape);
  }
  device_.launch(InvertDiagonal{P.array(), replaced_.array(), count}, shape);
}

template BlockForm<double> DeviceMatrix::block_form<double>() const;
template BlockForm<float> DeviceMatrix::block_form<float>() const;
template CsrForm<double> DeviceMatrix::csr_form<double>() const;
template CsrForm<float> DeviceMatrix::csr_form<float>() const;
template FactoredForm<double> DeviceMatrix::factored_form<double>() const;
template FactoredForm<float> DeviceMatrix::factored_form<float>() const;

}  // namespace nsn::cuda
