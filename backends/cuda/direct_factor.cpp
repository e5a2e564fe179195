#include "nsn/backends/cuda/direct_factor.h"

#include <algorithm>
#include <map>

namespace nsn::cuda {
namespace {

// Ordinary kernels over n elements.
Shape shape_for(const Device& device, std::size_t n) {
  const DeviceProperties& p = device.properties();
  const auto threads = static_cast<std::size_t>(p.threads);
  const auto most = static_cast<std::size_t>(8 * p.multiprocessors);
  Shape shape;
  shape.threads = p.threads;
  shape.blocks = static_cast<int>(std::clamp((n + threads - 1) / threads, std::size_t{1}, most));
  return shape;
}

// One island alone keeps its size; several are padded to powers of two, so that batches form.
int padded_size(int rows, bool alone) {
  if (alone) return rows;
  int size = 4;
  while (size < rows) size *= 2;
  return size;
}

// Scalar rows of island k in order.
std::vector<int> scalar_rows_of(const Islands& islands, std::size_t k, int scalar_rows) {
  std::vector<int> rows;
  for (int i = islands.row_begin[k]; i < islands.row_begin[k + 1]; ++i) {
    const int block = islands.rows[static_cast<std::size_t>(i)];
    for (int c = 3 * block; c < std::min(3 * block + 3, scalar_rows); ++c) rows.push_back(c);
  }
  return rows;
}

// Vectors into the factor's order and back; shared by both factors.
template <class T>
class Reordering {
 public:
  Reordering(Device& device, const std::vector<int>& place)
      : device_(device),
        place_(to_device(device, place)),
        y_(device, place.size()),
        shape_(shape_for(device, place.size())) {}
  void gather(const Array<const double>& from) {
    device_.launch(Gather<T>{from, place_.constant(), y_.array()}, shape_);
  }
  void add(const Buffer<T>& y, const Array<double>& to, double factor) {
    device_.launch(AddTo<T>{y.constant(), place_.constant(), to, factor}, shape_);
  }
  Buffer<T>& y() { return y_; }
  double bytes() const { return place_.bytes() + y_.bytes(); }

 private:
  Device& device_;
  Buffer<int> place_;
  Buffer<T> y_;
  Shape shape_;
};

template <class T>
class DenseFactor final : public DirectFactor {
 public:
  DenseFactor(Device& device, const Csr& A, const Islands& islands)
      : device_(device), layout_(A, islands), reordering_(device, layout_.row) {
    matrix_place_ = to_device(device, layout_.entry);
    matrix_ = Buffer<T>(device, layout_.numbers);
    for (const auto& [size, members] : layout_.classes) {
      const int batch = static_cast<int>(members.size());
      factors_.push_back(device.libraries().dense<T>(size, batch));
    }
  }

  int factorize(const Array<const double>& value) override {
    matrix_.zero();
    device_.launch(Scatter<T>{value, matrix_place_.constant(), matrix_.array()},
                   shape_for(device_, matrix_place_.size()));
    int bad = 0;
    for_each_class([&](DenseCholesky<T>& factor, T* A, T*, std::size_t first_row) {
      int pivot = 0;
      device_.call_library([&] { pivot = factor.factorize(A); });
      if (pivot == 0 || bad != 0) return;
      bad = 1 + layout_.row[first_row + static_cast<std::size_t>(pivot) - 1];
    });
    return bad;
  }
  void solve_and_add(const Array<const double>& from, const Array<double>& to) override {
    reordering_.gather(from);
    for_each_class([&](DenseCholesky<T>& factor, T* A, T* y, std::size_t) {
      device_.call_library([&] { factor.solve(A, y); });
    });
    reordering_.add(reordering_.y(), to, 1.0);
  }
  void undo(const Array<double>& to) override { reordering_.add(reordering_.y(), to, -1.0); }
  double bytes_held() const override {
    return matrix_.bytes() + matrix_place_.bytes() + reordering_.bytes();
  }
  double bytes_per_solve() const override { return matrix_.bytes(); }
  const char* description() const override { return "dense Cholesky by cuSOLVER"; }

 private:
  // Where entries and rows of A go: matrices of one size are a class and lie one after the other.
  struct Layout {
    Layout(const Csr& A, const Islands& islands);

    std::map<int, std::vector<std::size_t>> classes;  // padded size -> islands
    std::vector<int> entry;                           // per entry of A, then the padded diagonal
    std::vector<int> row;                             // row of A per row of the factor, or -1
    std::size_t numbers = 0;
  };

  template <class Body>
  void for_each_class(const Body& body) {
    std::size_t number = 0;
    std::size_t row = 0;
    std::size_t k = 0;
    for (const auto& [size, members] : layout_.classes) {
      const auto n = static_cast<std::size_t>(size);
      body(*factors_[k++], matrix_.data() + number, reordering_.y().data() + row, row);
      number += n * n * members.size();
      row += n * members.size();
    }
  }

  Device& device_;
  Layout layout_;
  Reordering<T> reordering_;
  Buffer<int> matrix_place_;
  Buffer<T> matrix_;
  std::vector<std::unique_ptr<DenseCholesky<T>>> factors_;
};

template <class T>
DenseFactor<T>::Layout::Layout(const Csr& A, const Islands& islands) {
  const auto count = static_cast<std::size_t>(islands.count());
  std::vector<std::vector<int>> rows;
  for (std::size_t k = 0; k < count; ++k) {
    rows.push_back(scalar_rows_of(islands, k, A.rows));
    classes[padded_size(static_cast<int>(rows[k].size()), count == 1)].push_back(k);
  }
  // of each row of A: its first number in the dense matrix' column order, and its local index
  std::vector<std::size_t> origin(static_cast<std::size_t>(A.rows));
  std::vector<std::size_t> local(origin.size());
  std::vector<std::size_t> size_of_row(origin.size());
  std::vector<int> padding;
  for (const auto& [size, members] : classes) {
    const auto n = static_cast<std::size_t>(size);
    for (const std::size_t k : members) {
      for (std::size_t i = 0; i < n; ++i) {
        const bool real = i < rows[k].size();
        row.push_back(real ? rows[k][i] : -1);
        if (!real) {
          padding.push_back(static_cast<int>(numbers + i * n + i));
          continue;
        }
        const auto r = static_cast<std::size_t>(rows[k][i]);
        origin[r] = numbers;
        local[r] = i;
        size_of_row[r] = n;
      }
      numbers += n * n;
    }
  }
  for (Index i = 0; i < A.rows; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (Index e = A.row_begin(i); e < A.row_begin(i + 1); ++e) {
      const auto c = static_cast<std::size_t>(A.column(e));
      entry.push_back(static_cast<int>(origin[r] + local[c] * size_of_row[r] + local[r]));
    }
  }
  entry.insert(entry.end(), padding.begin(), padding.end());
}

template <class T>
class SparseFactor final : public DirectFactor {
 public:
  SparseFactor(Device& device, const Csr& A)
      : SparseFactor(device, A,
                     device.libraries().order(A.rows, A.row_begin.data(), A.column.data())) {}

  int factorize(const Array<const double>& value) override {
    device_.launch(Gather<T>{value, source_.constant(), value_.array()},
                   shape_for(device_, value_.size()));
    int pivot = 0;
    device_.call_library([&] { pivot = cholesky_->factorize(); });
    return pivot == 0 ? 0 : 1 + order_[static_cast<std::size_t>(pivot) - 1];
  }
  void solve_and_add(const Array<const double>& from, const Array<double>& to) override {
    reordering_.gather(from);
    device_.call_library([&] { cholesky_->solve(reordering_.y().data(), solution_.data()); });
    reordering_.add(solution_, to, 1.0);
  }
  void undo(const Array<double>& to) override { reordering_.add(solution_, to, -1.0); }
  double bytes_held() const override {
    return row_begin_.bytes() + column_.bytes() + source_.bytes() + value_.bytes() +
           solution_.bytes() + reordering_.bytes();
  }
  double bytes_per_solve() const override { return value_.bytes(); }
  const char* description() const override { return cholesky_->library().data(); }

 private:
  SparseFactor(Device& device, const Csr& A, std::vector<int> order)
      : device_(device),
        order_(std::move(order)),
        reordering_(device, complete(order_, A.rows)),
        solution_(device, static_cast<std::size_t>(A.rows)) {
    permute(A);
    cholesky_ = device.libraries().sparse(
        CsrPointers<T>{A.rows, A.nonzeros(), row_begin_.data(), column_.data(), value_.data()});
  }

  static const std::vector<int>& complete(std::vector<int>& order, int rows) {
    for (int i = static_cast<int>(order.size()); i < rows; ++i) order.push_back(i);
    return order;
  }

  // Pattern of A in the new order, and where its values come from.
  void permute(const Csr& A) {
    std::vector<int> place(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      place[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
    }
    std::vector<int> row_begin{0};
    std::vector<int> column;
    std::vector<int> source;
    std::vector<std::pair<int, int>> row;
    for (const int r : order_) {
      row.clear();
      for (Index e = A.row_begin(r); e < A.row_begin(r + 1); ++e) {
        row.emplace_back(place[static_cast<std::size_t>(A.column(e))], e);
      }
      std::sort(row.begin(), row.end());
      for (const auto& [c, e] : row) {
        column.push_back(c);
        source.push_back(e);
      }
      row_begin.push_back(static_cast<int>(column.size()));
    }
    row_begin_ = to_device(device_, row_begin);
    column_ = to_device(device_, column);
    source_ = to_device(device_, source);
    value_ = Buffer<T>(device_, source.size());
  }

  Device& device_;
  std::vector<int> order_;
  Reordering<T> reordering_;
  Buffer<T> solution_;
  Buffer<int> row_begin_, column_, source_;
  Buffer<T> value_;
  std::unique_ptr<SparseCholesky<T>> cholesky_;
};

}  // namespace

double dense_numbers(const Islands& islands, int scalar_rows) {
  double numbers = 0.0;
  for (std::size_t k = 0; k + 1 < islands.row_begin.size(); ++k) {
    const auto rows = static_cast<int>(scalar_rows_of(islands, k, scalar_rows).size());
    const double size = padded_size(rows, islands.count() == 1);
    numbers += size * size;
  }
  return numbers;
}

template <class T>
std::unique_ptr<DirectFactor> make_dense_factor(Device& device, const Csr& A,
                                                const Islands& islands) {
  return std::make_unique<DenseFactor<T>>(device, A, islands);
}

template <class T>
std::unique_ptr<DirectFactor> make_sparse_factor(Device& device, const Csr& A) {
  return std::make_unique<SparseFactor<T>>(device, A);
}

template std::unique_ptr<DirectFactor> make_dense_factor<double>(Device&, const Csr&,
                                                                 const Islands&);
template std::unique_ptr<DirectFactor> make_dense_factor<float>(Device&, const Csr&,
                                                                const Islands&);
template std::unique_ptr<DirectFactor> make_sparse_factor<double>(Device&, const Csr&);
template std::unique_ptr<DirectFactor> make_sparse_factor<float>(Device&, const Csr&);

}  // namespace nsn::cuda
