/// Cholesky on a device: the blocks of S go into a dense or a sparse matrix there, a library
/// factorises it (backends/cuda/cholesky.h), and steps of refinement with the residual of the blocks
/// follow while the tolerance is missed. What is copied: a pattern once, 8 bytes per residual.
///
///   DirectSolver<D> solver("cuda-direct", {}, [](Queue<D>& queue) { return open(queue); });
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "nsn/backends/cuda/cholesky.h"
#include "nsn/core/base/error.h"
#include "nsn/core/device/device_solver.h"
#include "nsn/core/device/mirror.h"

namespace nsn {

struct DirectSolverOptions {
  int dense_limit = 1024;  ///< rows up to which the matrix is dense
  int refine = 10;         ///< most steps of refinement
};

template <class D>
class DirectSolver final : public DeviceSolver<D, double> {
 public:
  /// Makes the library for the queue of the first preparation.
  using Open = std::function<std::unique_ptr<CholeskyLibrary>(Queue<D>&)>;

  DirectSolver(std::string name, const DirectSolverOptions& options, Open open)
      : name_(std::move(name)), options_(options), open_(std::move(open)) {
    capabilities_.needs_entries = true;
    capabilities_.direct = true;
    capabilities_.device = "cuda";
    outcome_ = allocate_on<D, DeviceOutcome>("outcome", 1);
    norm_ = allocate_on<D, double>("norm", 1);
    part_ = allocate_on<D, double>("parts", Queue<D>::parts(1));
  }

  std::string_view name() const override { return name_; }
  std::string_view runs_on() const override { return "device"; }
  const Capabilities& capabilities() const override { return capabilities_; }
  Span<D, const DeviceOutcome> outcome() const override { return outcome_; }
  double bytes_held() const override {
    return 8.0 * static_cast<double>(matrix_.extent(0) + 3 * r_.extent(0)) +
           4.0 * static_cast<double>(place_.extent(0) + column_.extent(0));
  }

  void prepare(Queue<D>& queue, const DeviceOperator<D, double>& op) override {
    NSN_THROW_UNLESS(op.entries && op.symmetric, "'{}' needs the entries of a symmetric system",
                     name_);
    op_ = op;
    if (library_ == nullptr) library_ = open_(queue);
    if (op.pattern_id != pattern_id_) {
      pattern_id_ = value_id_ = 0;  // an exception below must not leave half a pattern behind
      take_pattern(queue);
      pattern_id_ = op.pattern_id;
    }
    if (op.value_id == value_id_) return;
    take_values(queue);
    queue.fence();
    factorised_ = factor_->factorize() == 0;
    value_id_ = op.value_id;
  }

  void solve(Queue<D>& queue, Span<D, const double> b, Span<D, double> x,
             const DeviceControl<D>& control) override {
    fill_with_zero(queue, x);
    DeviceOutcome out;
    out.status =
        static_cast<int>(factorised_ ? LinearStatus::kDirect : LinearStatus::kSingularPivot);
    out.rhs_norm = out.residual = residual(queue, b, x);
    const double wanted = std::max(control.goal.rtol * out.rhs_norm, control.goal.atol);
    for (int k = 0; factorised_ && k <= options_.refine; ++k) {
      solve_for_residual(queue);
      add(queue, x, 1.0);
      const double next = residual(queue, b, x);
      if (k > 0 && !(next < out.residual)) {
        add(queue, x, -1.0);
        break;
      }
      const bool falls = next < 0.5 * out.residual;
      out.residual = next;
      if (next <= wanted || !falls) break;
    }
    queue.copy(outcome_, HostSpan<const DeviceOutcome>(&out, 1));
  }

  // ---- stages; public because of their lambdas

  void fill_with_zero(Queue<D>& queue, const Span<D, double>& x) {
    queue.for_each(
        "zero", size_of(x), KOKKOS_LAMBDA(const Index i) { x(i) = 0.0; });
  }

  /// matrix = S, place by place.
  void take_values(Queue<D>& queue) {
    const Span<D, const double> from = op_.S;
    const Span<D, const Index> place = place_;
    const Span<D, double> to = matrix_;
    fill_with_zero(queue, to);
    queue.for_each(
        "scatter", size_of(from), KOKKOS_LAMBDA(const Index k) { to(place(k)) = from(k); });
  }

  /// r = b - S x; its norm comes to the host.
  double residual(Queue<D>& queue, Span<D, const double> b, Span<D, double> x) {
    const DeviceOperator<D, double> op = op_;
    const Span<D, double> r = r_;
    const Span<D, double> part = part_;
    const Span<D, double> norm = norm_;
    const Span<D, double> none;
    const Index chunks = queue.template sum_chunks<1>(
        "residual", op.rows,
        KOKKOS_LAMBDA(const Index i, double* sum) {
          const Vec3 r_i = load_vector(b, kBlock * i) - op.product_row(i, x, none);
          store_vector(r, kBlock * i, r_i);
          sum[0] += dot(r_i, r_i);
        },
        part);
    queue.for_each(
        "norm", 1,
        KOKKOS_LAMBDA(const Index) { norm(0) = std::sqrt(total_of(part, chunks, 1, 0)); });
    double out = 0.0;
    queue.copy(HostSpan<double>(&out, 1), Span<D, const double>(norm_));
    return out;
  }

  /// answer = A^-1 r, in the factor's order of rows.
  void solve_for_residual(Queue<D>& queue) {
    const Span<D, const Index> order = order_;
    const Span<D, const double> r = r_;
    const Span<D, double> y = y_;
    queue.for_each(
        "gather", size_of(r), KOKKOS_LAMBDA(const Index i) { y(i) = r(order(i)); });
    queue.fence();
    factor_->solve(y_.data(), answer_.data());
  }
  void add(Queue<D>& queue, const Span<D, double>& x, double factor) {
    const Span<D, const Index> order = order_;
    const Span<D, const double> answer = answer_;
    queue.for_each(
        "add", size_of(x), KOKKOS_LAMBDA(const Index i) { x(order(i)) += factor * answer(i); });
  }

 private:
  template <class T>
  static DeviceArray<D, T> uploaded(Queue<D>& queue, const std::vector<T>& from) {
    auto to = allocate_on<D, T>("pattern", static_cast<Index>(from.size()));
    queue.copy(to, HostSpan<const T>(from.data(), from.size()));
    return to;
  }
  static std::vector<Index> downloaded(Queue<D>& queue, Span<D, const Index> from) {
    std::vector<Index> to(from.extent(0));
    queue.copy(HostSpan<Index>(to.data(), to.size()), from);
    return to;
  }

  void take_pattern(Queue<D>& queue) {
    const std::vector<Index> begin = downloaded(queue, op_.S_begin);
    const std::vector<Index> column = downloaded(queue, op_.S_column);
    const Index n = kBlock * op_.rows;
    factor_.reset();
    for (DeviceArray<D, double>* v : {&r_, &y_, &answer_}) *v = allocate_on<D, double>("rows", n);
    if (n <= options_.dense_limit) {
      take_dense(queue, begin, column);
    } else {
      take_sparse(queue, begin, column);
    }
  }

  void take_dense(Queue<D>& queue, const std::vector<Index>& begin,
                  const std::vector<Index>& column) {
    const Index n = kBlock * op_.rows;
    std::vector<Index> place;
    for (Index i = 0; i < op_.rows; ++i) {
      for (Index e = begin[to_size(i)]; e < begin[to_size(i + 1)]; ++e) {
        for (Index k = 0; k < kBlockSize; ++k) {
          place.push_back((kBlock * column[to_size(e)] + k % 3) * n + kBlock * i + k / 3);
        }
      }
    }
    std::vector<Index> order(to_size(n));
    std::iota(order.begin(), order.end(), 0);
    order_ = uploaded(queue, order);
    place_ = uploaded(queue, place);
    column_ = {};
    matrix_ = allocate_on<D, double>("dense matrix", n * n);
    factor_ = library_->dense(n, matrix_.data());
  }

  void take_sparse(Queue<D>& queue, const std::vector<Index>& begin,
                   const std::vector<Index>& column) {
    const Index n = kBlock * op_.rows;
    std::vector<int> row_begin{0};
    std::vector<std::pair<int, Index>> entries;  // column, place in S
    for (Index i = 0; i < n; ++i) {
      for (Index e = begin[to_size(i / 3)]; e < begin[to_size(i / 3 + 1)]; ++e) {
        for (Index c = 0; c < 3; ++c) {
          entries.emplace_back(kBlock * column[to_size(e)] + c, kBlockSize * e + 3 * (i % 3) + c);
        }
      }
      row_begin.push_back(static_cast<int>(entries.size()));
    }
    std::vector<int> columns;
    for (const auto& [at, from] : entries) columns.push_back(at);
    std::vector<int> order = library_->order(n, row_begin.data(), columns.data());
    if (order.empty()) {
      order.resize(to_size(n));
      std::iota(order.begin(), order.end(), 0);
    }
    permute(queue, order, row_begin, entries);
  }

  /// Row i of the matrix is row order[i] of S.
  void permute(Queue<D>& queue, const std::vector<int>& order, const std::vector<int>& from_begin,
               const std::vector<std::pair<int, Index>>& from) {
    std::vector<int> where(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) where[to_size(order[i])] = static_cast<int>(i);
    std::vector<int> begin{0}, column;
    std::vector<Index> place(from.size());
    std::vector<std::pair<int, Index>> row;
    for (const int old : order) {
      row.clear();
      for (int k = from_begin[to_size(old)]; k < from_begin[to_size(old + 1)]; ++k) {
        row.emplace_back(where[to_size(from[to_size(k)].first)], from[to_size(k)].second);
      }
      std::sort(row.begin(), row.end());
      for (const auto& [at, source] : row) {
        place[to_size(source)] = static_cast<Index>(column.size());
        column.push_back(at);
      }
      begin.push_back(static_cast<int>(column.size()));
    }
    const auto n = static_cast<int>(order.size());
    order_ = uploaded(queue, order);
    place_ = uploaded(queue, place);
    begin_ = uploaded(queue, begin);
    column_ = uploaded(queue, column);
    matrix_ = allocate_on<D, double>("sparse matrix", static_cast<Index>(column.size()));
    factor_ = library_->sparse(
        {n, static_cast<int>(column.size()), begin_.data(), column_.data(), matrix_.data()});
  }

  std::string name_;
  DirectSolverOptions options_;
  Open open_;
  Capabilities capabilities_;
  std::unique_ptr<CholeskyLibrary> library_;
  DeviceOperator<D, double> op_;
  std::uint64_t pattern_id_ = 0;
  std::uint64_t value_id_ = 0;
  bool factorised_ = false;
  DeviceArray<D, Index> order_, place_, begin_, column_;
  DeviceArray<D, double> matrix_, r_, y_, answer_, part_, norm_;
  DeviceArray<D, DeviceOutcome> outcome_;
  std::unique_ptr<DeviceCholesky> factor_;  // of matrix_: goes first
};

}  // namespace nsn
