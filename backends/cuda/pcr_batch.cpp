#include "nsn/backends/cuda/pcr_batch.h"

#include <algorithm>
#include <cmath>

#include "nsn/backends/cuda/pcr_status.h"
#include "nsn/core/base/error.h"

namespace nsn::cuda {
namespace {

double norm(const double* v, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += v[i] * v[i];
  return std::sqrt(sum);
}

}  // namespace

PcrBatch::PcrBatch(DeviceFactory open, PcrBatchOptions options)
    : options_(options), session_(std::move(open)) {}

bool PcrBatch::same_patterns(std::span<const BlockCsr> systems) const {
  if (row_begin_.size() != systems.size() + 1) return false;
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const BlockCsr& S = systems[k];
    const Index first = row_begin_[k];
    if (row_begin_[k + 1] - first != S.rows) return false;
    const Index block = all_.row_begin(first);
    if (all_.row_begin(first + S.rows) - block != S.blocks()) return false;
    for (Index i = 0; i <= S.rows; ++i) {
      if (all_.row_begin(first + i) - block != S.row_begin(i)) return false;
    }
    for (Index e = 0; e < S.blocks(); ++e) {
      if (all_.column(block + e) - first != S.column(e)) return false;
    }
  }
  return true;
}

void PcrBatch::take_patterns(std::span<const BlockCsr> systems) {
  engine_.reset();
  std::vector<BlockTriplet> triplets;
  row_begin_.assign(1, 0);
  for (const BlockCsr& S : systems) {
    NSN_THROW_UNLESS(S.rows == S.columns && S.rows > 0, "system {} of the batch has {} x {} blocks",
                     row_begin_.size() - 1, S.rows, S.columns);
    const Index first = row_begin_.back();
    for (Index i = 0; i < S.rows; ++i) {
      for (Index e = S.row_begin(i); e < S.row_begin(i + 1); ++e) {
        triplets.push_back({first + i, first + S.column(e), {}});
      }
    }
    row_begin_.push_back(first + S.rows);
  }
  all_ = block_csr_from_triplets(row_begin_.back(), row_begin_.back(), triplets);
  op_ = std::make_unique<BlockOperator>(all_);
  b_.resize(3 * static_cast<std::size_t>(all_.rows));
  x_.resize(b_.size());
}

void PcrBatch::take_values(std::span<const BlockCsr> systems) {
  double* to = all_.value.data();
  for (const BlockCsr& S : systems) to = std::copy_n(S.value.data(), S.value.extent(0), to);
}

void PcrBatch::prepare(std::span<const BlockCsr> systems) {
  if (!same_patterns(systems)) take_patterns(systems);
  take_values(systems);
  failure_.clear();
  if (systems.empty()) return;
  try {
    if (!engine_) {
      Islands islands = one_island(all_.rows, 0);
      islands.row_begin = row_begin_;
      PcrEngineOptions options;
      options.scaling = options_.precond;
      options.float_storage = options_.float_storage;
      engine_ = std::make_unique<PcrEngine>(session_.device(), *op_, options, islands);
    }
    engine_->factorize(*op_);
  } catch (const DeviceError& error) {
    engine_.reset();
    if (error.kind() == DeviceError::Kind::kDeviceLost) session_.close();
    failure_ = error.what();
  }
}

LinearReport PcrBatch::report_of(std::size_t k, const PcrOutcome& outcome,
                                 const LinearControl& control) const {
  LinearReport report;
  const auto first = 3 * static_cast<std::size_t>(row_begin_[k]);
  const std::size_t n = 3 * static_cast<std::size_t>(row_begin_[k + 1]) - first;
  report.rhs_norm = norm(b_.data() + first, n);
  report.iterations = outcome.iterations;
  report.recurrence_residual = report.true_residual = std::sqrt(outcome.rr);
  set_status(static_cast<PcrEnd>(outcome.end), control, report);
  report.bytes_moved = static_cast<double>(outcome.iterations) * engine_->bytes_per_iteration() *
                       static_cast<double>(n) / static_cast<double>(b_.size());
  return report;
}

std::vector<LinearReport> PcrBatch::solve(std::span<const ConstVector> b, std::span<const Vector> x,
                                          const LinearControl& control) {
  const std::size_t count = row_begin_.size() - 1;
  NSN_THROW_UNLESS(b.size() == count && x.size() == count,
                   "a batch of {} systems, {} right-hand sides and {} answers", count, b.size(),
                   x.size());
  std::vector<double> targets;
  for (std::size_t k = 0; k < count; ++k) {
    const auto n = 3 * static_cast<std::size_t>(row_begin_[k + 1] - row_begin_[k]);
    NSN_THROW_UNLESS(b[k].extent(0) == n && x[k].extent(0) == n,
                     "system {} has {} rows, its b {} and x {} entries", k, n, b[k].extent(0),
                     x[k].extent(0));
    const auto first = static_cast<std::ptrdiff_t>(3) * row_begin_[k];
    std::copy_n(b[k].data(), n, b_.begin() + first);
    std::copy_n(x[k].data(), n, x_.begin() + first);
    targets.push_back(std::max(control.rtol * norm(b[k].data(), n), control.atol));
  }
  std::vector<LinearReport> reports(count);
  if (count == 0) return reports;
  try {
    if (!engine_) throw DeviceError(DeviceError::Kind::kOther, failure_);
    PcrEngine::Request request;
    request.rtol = control.rtol;
    request.max_iterations = control.iteration_budget > 0
                                 ? std::min(control.iteration_budget, control.max_iterations)
                                 : control.max_iterations;
    const std::vector<PcrOutcome> outcomes = engine_->solve(b_.data(), x_.data(), targets, request);
    for (std::size_t k = 0; k < count; ++k) {
      reports[k] = report_of(k, outcomes[k], control);
      std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(3) * row_begin_[k], x[k].extent(0),
                  x[k].data());
    }
    session_.report_traffic(reports.front());  // of the whole batch
  } catch (const DeviceError& error) {
    engine_.reset();
    if (error.kind() == DeviceError::Kind::kDeviceLost) session_.close();
    for (LinearReport& report : reports) {
      report.status = LinearStatus::kBackendError;
      report.detail = error.what();
    }
  }
  return reports;
}

}  // namespace nsn::cuda
