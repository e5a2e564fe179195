#include "nsn/core/contact/dual_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

// Costs of kernels, not policy: where two computations of the same numbers take equally long.
constexpr double kWorthReducing = 0.75;  // share of rows below which W + rho I is solved reduced
constexpr double kFewColumns = 0.4;      // share of columns up to which a product goes by columns
constexpr double kProductBlock = 54.0;   // operations of a block in an iteration, vectors included
constexpr double kSymmetricSolveTolerance = 1e-10;  // of an iterative backend inside GMRES

Vector workspace(Index n) {
  return Vector(Kokkos::view_alloc("workspace", Kokkos::WithoutInitializing),
                static_cast<std::size_t>(n));
}

/// An answer that is not exact is still a step worth taking; a failed factorisation has none.
bool answered(LinearStatus status) {
  return status <= LinearStatus::kDirect || status == LinearStatus::kInaccurate ||
         status == LinearStatus::kMaxIterations || status == LinearStatus::kStagnation;
}

/// Nothing couples the friction bound to the normal force: with a symmetric W the matrix is
/// symmetric.
bool uncoupled(const std::vector<ncp::BlockLinearization>& blocks) {
  return std::none_of(blocks.begin(), blocks.end(), [](const ncp::BlockLinearization& block) {
    return block.rotated && block.coupling != 0.0;
  });
}

}  // namespace

/// A's pattern with values of its own.
BlockCsr DualSystem::same_pattern(const BlockCsr& A, Room& room) {
  const std::size_t n = A.value.extent(0);
  room.reserve(n);
  BlockCsr B = A;
  B.value = Vector(room.get(), n);
  return B;
}

DualSystem::DualSystem(std::unique_ptr<LinearSolver> solver, const DualSystemOptions& options)
    : solver_(std::move(solver)), options_(options) {
  NSN_THROW_UNLESS(solver_ != nullptr, "a contact system needs a linear solver");
  exact_product_ = [this](ConstVector z, Vector y) { apply_exact(z, y); };
  symmetric_solve_ = [this](ConstVector b, Vector z) {
    std::fill_n(z.data(), z.extent(0), 0.0);
    const LinearControl control{
        .rtol = kSymmetricSolveTolerance, .max_iterations = options_.max_iterations, .lean = true};
    const LinearReport report = solve_in_time(b, z, control);
    inner_iterations_ += report.iterations;
    if (!answered(report.status)) inner_status_ = report.status;
  };
}

void DualSystem::analyze(const BlockCsr& W) {
  NSN_THROW_UNLESS(W.rows == W.columns, "W has {} x {} blocks, it must be square", W.rows,
                   W.columns);
  find_transposed_blocks(W, transposed_);
  NSN_THROW_UNLESS(!transposed_.empty() || W.rows == 0,
                   "the block pattern of W must be symmetric and hold every diagonal block");
  given_ = W;
  W_ = same_pattern(W, W_value_);
  matrix_ = same_pattern(W, matrix_value_);
  zero_.assign(W.column.extent(0), 0);
  const bool unsymmetric = solver_->capabilities().handles_unsymmetric;
  operator_ = std::make_unique<ContactOperator>(matrix_, !unsymmetric, transposed_);
  if (options_.single_precision && !solver_->capabilities().direct)
    operator_->use_single_precision();
  const Index n = W.scalar_rows();
  if (!unsymmetric)
    gmres_.allocate(n, std::max(1, std::min<int>(options_.max_gmres_iterations, n)));
  products_.reserve(2 * to_size(n));
  d_ = Vector(products_.get(), to_size(n));
  Wd_ = Vector(products_.get() + n, to_size(n));
}

void DualSystem::set_values(const BlockCsr& W, bool symmetric) {
  NSN_THROW_UNLESS(W.rows == W_.rows && W.column.extent(0) == W_.column.extent(0),
                   "values of {} block rows and {} blocks for a pattern of {} and {}", W.rows,
                   W.column.extent(0), W_.rows, W_.column.extent(0));
  given_ = W;
  symmetric_ = symmetric;
}

void DualSystem::scale(ConstVector scaling) {
  const double* const from = given_.value.data();
  const double* const s = scaling.data();
  double* const to = W_.value.data();
  for_range(W_.rows, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double* const si = s + kBlock * i;
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        const double* const sj = s + kBlock * W_.column(k);
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * kBlockSize;
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) to[at + 3 * r + c] = si[r] * sj[c] * from[at + 3 * r + c];
        }
      }
    }
  });
}

/// y = W x, by columns if x is mostly zero: few contacts move while the others only follow.
void DualSystem::apply(ConstVector x, Vector y) const {
  const Index n = W_.rows;
  const auto moves = [&](Index j) {
    const double* const xj = x.data() + kBlock * j;
    return xj[0] != 0.0 || xj[1] != 0.0 || xj[2] != 0.0;
  };
  Index moving = 0;
  for (Index j = 0; j < n; ++j) moving += moves(j) ? 1 : 0;
  if (moving > kFewColumns * n) {
    multiply(W_, x, y);
    return;
  }
  std::fill_n(y.data(), y.extent(0), 0.0);
  for (Index j = 0; j < n; ++j) {
    if (!moves(j)) continue;
    const double* const xj = x.data() + kBlock * j;
    for (Index k = W_.row_begin(j); k < W_.row_begin(j + 1); ++k) {
      const double* const a =
          W_.value.data() +
          static_cast<std::ptrdiff_t>(transposed_[static_cast<std::size_t>(k)]) * kBlockSize;
      double* const yi = y.data() + static_cast<std::ptrdiff_t>(W_.column(k)) * kBlock;
      for (int r = 0; r < 3; ++r) {
        yi[r] += a[3 * r] * xj[0] + a[3 * r + 1] * xj[1] + a[3 * r + 2] * xj[2];
      }
    }
  }
}

void DualSystem::store_entries() {
  double* const out = matrix_.value.data();
  for_range(W_.rows, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const bool open = source_.rows[i].active == 0;
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        const Index j = W_.column(k);
        double* const a = out + static_cast<std::ptrdiff_t>(k) * kBlockSize;
        std::uint8_t& is_zero = zero_[static_cast<std::size_t>(k)];
        if (i != j && (open || source_.rows[j].active == 0)) {
          if (is_zero == 0) std::fill_n(a, kBlockSize, 0.0);
          is_zero = 1;
        } else {
          source_.block(i, j, k, a);
          is_zero = 0;
        }
      }
    }
  });
}

void DualSystem::apply_exact(ConstVector z, Vector y) {
  const Index n = blocks();
  const ncp::BlockLinearization* const block = source_.rows;
  for_range(n, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* const d = d_.data() + kBlock * i;
      d[0] = d[1] = d[2] = 0.0;
      if (block[i].active != 0) expand(block[i], z.data() + kBlock * i, d);
    }
  });
  apply(d_, Wd_);
  for_range(n, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* const out = y.data() + kBlock * i;
      double wd[3];
      for (int k = 0; k < 3; ++k)
        wd[k] = Wd_(kBlock * i + k) + source_.A[kBlock * i + k] * d_(kBlock * i + k);
      restrict_to(block[i], wd, out);
      for (int k = 0; k < 3; ++k) {
        const double diagonal = (block[i].active >> k & 1U) != 0 ? block[i].compliance[k] : 1.0;
        out[k] += diagonal * z(kBlock * i + k);
      }
    }
  });
}

LinearReport DualSystem::solve_in_time(ConstVector b, Vector z, LinearControl control) {
  if (clock_ == nullptr || !clock_->limited() || solver_->capabilities().direct) {
    return solver_->solve(b, z, control);
  }
  const double product = kProductBlock * W_.blocks();
  const double fit = clock_->operations_left(Work::kSweep) / product;
  control.iteration_budget =
      static_cast<int>(std::clamp(fit, 1.0, static_cast<double>(control.max_iterations)));
  return solver_->solve(b, z, control);
}

NewtonSolve DualSystem::solve_exact(ConstVector b, Vector z) {
  const LinearControl control{.rtol = options_.rtol,
                              .max_iterations = options_.max_iterations,
                              .lean = true,
                              .trust = options_.trust};
  std::fill_n(z.data(), z.extent(0), 0.0);
  const LinearReport report = solve_in_time(b, z, control);
  return {answered(report.status), report.iterations, report.status, report.relative_residual()};
}

NewtonSolve DualSystem::solve_around_symmetric(ConstVector b, Vector z) {
  std::fill_n(z.data(), z.extent(0), 0.0);
  inner_iterations_ = 0;
  inner_status_ = LinearStatus::kDirect;
  LinearReport report;
  gmres_.solve(exact_product_, symmetric_solve_, GmresSide::kLeft, b, z,
               {.rtol = options_.rtol, .max_iterations = options_.max_gmres_iterations}, {},
               report);
  const bool ok = answered(inner_status_) && all_finite(z);
  return {ok, report.iterations + inner_iterations_, ok ? report.status : inner_status_,
          report.recurrence_residual};
}

void DualSystem::prepare(const std::vector<ncp::BlockLinearization>& blocks, ConstVector A) {
  const Capabilities& can = solver_->capabilities();
  const bool symmetric = symmetric_ && uncoupled(blocks);
  exact_ = symmetric || can.handles_unsymmetric;
  source_ = {.W = W_.value.data(),
             .rows = blocks.data(),
             .A = A.data(),
             .transposed = exact_ || symmetric_ ? nullptr : transposed_.data(),
             .coupled = exact_};
  std::transform(blocks.begin(), blocks.end(), operator_->active().begin(),
                 [](const ncp::BlockLinearization& block) { return block.active; });
  if (can.direct && options_.trust) {  // no product will be asked for
    operator_->values_changed(symmetric || !exact_, source_, [this] { store_entries(); }, {});
  } else if (can.direct && exact_ && !options_.entries_for_residuals) {
    operator_->values_changed(
        symmetric, source_, [this] { store_entries(); },
        [this](ConstVector x, Vector y) { apply_exact(x, y); });
  } else {
    store_entries();
    operator_->values_changed(symmetric || !exact_);
  }
  solver_->prepare(*operator_);
}

NewtonSolve DualSystem::solve(ConstVector b, Vector z) {
  if (observer_) observer_(*operator_, b);
  return exact_ ? solve_exact(b, z) : solve_around_symmetric(b, z);
}

bool DualSystem::prepare_shifted(double rho) {
  if (!symmetric_ || !solver_->capabilities().direct) return false;
  shifted_.shift = std::make_unique<LowRankShift>(W_);
  if (shifted_.shift->share() > kWorthReducing) return false;
  shifted_.rho = rho;
  shifted_.checked = false;
  shifted_.c = workspace(W_.scalar_rows());
  shifted_.s = workspace(W_.scalar_rows());
  shifted_.shift->assemble(W_, rho, matrix_, operator_->active());
  std::fill(zero_.begin(), zero_.end(), std::uint8_t{0});
  operator_->values_changed(true);
  solver_->prepare(*operator_);
  return true;
}

NewtonSolve DualSystem::solve_shifted(ConstVector b, Vector x) {
  shifted_.shift->reduce(b, shifted_.c);
  std::fill_n(shifted_.s.data(), shifted_.s.extent(0), 0.0);
  const LinearReport report =
      solver_->solve(shifted_.c, shifted_.s, {.rtol = options_.rtol, .lean = true, .trust = true});
  if (!answered(report.status)) return {false, 0, report.status, 0.0};
  shifted_.shift->expand(shifted_.rho, b, shifted_.c, shifted_.s, x);
  double residual = 0.0;
  if (!shifted_.checked) {  // the first time: |b - (W + rho I) x|
    multiply(W_, x, shifted_.c);
    axpby(shifted_.rho, x, 1.0, shifted_.c);
    residual = residual_norm(b, shifted_.c, shifted_.c) /
               std::max(norm2(b), std::numeric_limits<double>::min());
    shifted_.checked = residual <= options_.rtol;
    if (!shifted_.checked) return {false, 0, LinearStatus::kInaccurate, residual};
  }
  return {true, 0, LinearStatus::kDirect, residual};
}

double DualSystem::factorization_flops() {
  solver_->analyze(*operator_);
  return solver_->factorization_flops();
}

}  // namespace nsn
