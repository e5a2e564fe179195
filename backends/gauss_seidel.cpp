#include "nsn/backends/gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/backends/iteration_limit.h"
#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/iteration_goal.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/matrix/block_inverse.h"
#include "nsn/precond/block_jacobi.h"

namespace nsn {
namespace {

constexpr int kCheckEvery = 10;        // sweeps
constexpr double kBlowUp = 1e3;        // |r| over its minimum that proves S indefinite
constexpr int kStallSweeps = 200;      // sweeps in a row ...
constexpr double kStallFactor = 0.99;  // ... that together gained less than this

Capabilities capabilities_of_gauss_seidel() {
  Capabilities can;
  can.needs_entries = true;
  can.handles_singular = true;
  return can;
}

/// Inverse of the lower triangle of a block; rows without a positive diagonal entry become zero.
void invert_lower_triangle(double* a) {
  double d[3];
  for (int c = 0; c < 3; ++c) {
    const double inverse = 1.0 / a[4 * c];
    d[c] = a[4 * c] > 0.0 && std::isfinite(inverse) ? inverse : 0.0;
  }
  const double l10 = -d[1] * a[3] * d[0];
  const double l21 = -d[2] * a[7] * d[1];
  const double l20 = -d[2] * (a[6] * d[0] + a[7] * l10);
  a[0] = d[0];
  a[3] = l10;
  a[4] = d[1];
  a[6] = l20;
  a[7] = l21;
  a[8] = d[2];
  a[1] = a[2] = a[5] = 0.0;
}

/// Block rows sorted by colour: those of colour c are order(begin[c]) ... order(begin[c+1] - 1).
struct Colouring {
  IndexVector order;
  std::vector<Index> begin;
};

/// Each row in turn gets the smallest colour that no neighbour has. The pattern is symmetric.
Colouring colour(const BlockCsr& A) {
  std::vector<Index> colour_of(static_cast<std::size_t>(A.rows), -1);
  std::vector<Index> seen;  // seen[c] = i: a neighbour of i has colour c
  std::vector<Index> count;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index c = colour_of[static_cast<std::size_t>(A.column(k))];
      if (c >= 0) seen[static_cast<std::size_t>(c)] = i;
    }
    const auto free = std::find_if(seen.begin(), seen.end(), [i](Index at) { return at != i; });
    const auto c = static_cast<std::size_t>(free - seen.begin());
    if (free == seen.end()) {
      seen.push_back(-1);
      count.push_back(0);
    }
    colour_of[static_cast<std::size_t>(i)] = static_cast<Index>(c);
    ++count[c];
  }
  Colouring result{IndexVector("order", static_cast<std::size_t>(A.rows)), {0}};
  for (const Index rows : count) result.begin.push_back(result.begin.back() + rows);
  std::vector<Index> next(result.begin.begin(), result.begin.end() - 1);
  for (Index i = 0; i < A.rows; ++i) {
    result.order(next[static_cast<std::size_t>(colour_of[static_cast<std::size_t>(i)])]++) = i;
  }
  return result;
}

class GaussSeidelBackend final : public LinearSolver {
 public:
  explicit GaussSeidelBackend(const Options& options)
      : max_iterations_(static_cast<int>(options.integer("max_iterations"))),
        symmetric_(options.text("sweep") == "symmetric") {}

  std::string_view name() const override { return "gauss-seidel"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override {
    entries_.analyze(op);
    const BlockCsr& A = entries_.matrix();
    colours_ = colour(A);
    inverse_ = allocate_vector("inverse", static_cast<std::size_t>(A.rows) * kBlockSize);
    const auto padded = static_cast<std::size_t>(A.scalar_rows());
    x_ = allocate_vector("x", padded);
    b_ = allocate_vector("b", padded);
    r_ = allocate_vector("r", static_cast<std::size_t>(op.rows()));
    best_x_ = allocate_vector("best_x", static_cast<std::size_t>(op.rows()));
  }

  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double sweep_colour(std::size_t c);
  double sweep();
  double residual(const LinearOperator& op, ConstVector b, LinearReport& report);
  void tell(const LinearOperator& op, const Monitor& monitor, const LinearReport& report) const;
  LinearStatus iterate(const LinearOperator& op, ConstVector b, const IterationGoal& goal,
                       const Monitor& monitor, LinearReport& report);

  double bytes_held() const override {
    return entries_.bytes_held() + 8.0 * (size_of(inverse_) + size_of(x_) + size_of(b_)) +
           16.0 * size_of(r_) + 4.0 * size_of(colours_.order);
  }

  /// The first n entries of a padded vector, not a copy.
  static Vector head(const Vector& v, Index n) {
    return Kokkos::subview(v, std::pair<std::size_t, std::size_t>(0, static_cast<std::size_t>(n)));
  }

  Capabilities capabilities_ = capabilities_of_gauss_seidel();
  int max_iterations_;
  bool symmetric_;
  BlockEntries entries_;
  Colouring colours_;
  Vector inverse_;
  Vector x_, b_;  // padded to whole blocks
  Vector r_, best_x_;
};

LinearSolver::Preparation GaussSeidelBackend::do_factorize(const LinearOperator& op) {
  const BlockCsr& A = entries_.update(op);
  diagonal_blocks(A, inverse_);
  double* const blocks = inverse_.data();
  for_range(A.rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* const a = blocks + static_cast<std::ptrdiff_t>(i) * kBlockSize;
      if (!invert_spd_block(a)) invert_lower_triangle(a);
    }
  });
  return {};
}

// One colour; returns the sum of squares of the residuals met.
double GaussSeidelBackend::sweep_colour(std::size_t c) {
  const Index* const order = colours_.order.data() + colours_.begin[c];
  const double* const inverse = inverse_.data();
  const double* const b = b_.data();
  double* const x = x_.data();
  const BlockRows rows(entries_.matrix());
  const auto body = [=](Index first, Index last, auto& total) {
    double squares = 0.0;
    for (Index k = first; k < last; ++k) {
      const std::ptrdiff_t i = order[k];
      double r[3];
      rows.multiply(order[k], x, r);
      for (int e = 0; e < 3; ++e) {
        r[e] = b[3 * i + e] - r[e];
        squares += r[e] * r[e];
      }
      const double* const B = inverse + i * kBlockSize;
      x[3 * i] += B[0] * r[0] + B[1] * r[1] + B[2] * r[2];
      x[3 * i + 1] += B[3] * r[0] + B[4] * r[1] + B[5] * r[2];
      x[3 * i + 2] += B[6] * r[0] + B[7] * r[1] + B[8] * r[2];
    }
    total[0] += squares;
  };
  return sum_range<1>(colours_.begin[c + 1] - colours_.begin[c], body)[0];
}

double GaussSeidelBackend::sweep() {
  const std::size_t colours = colours_.begin.size() - 1;
  double squares = 0.0;
  for (std::size_t c = 0; c < colours; ++c) squares += sweep_colour(c);
  if (!symmetric_) return std::sqrt(squares);
  squares = 0.0;
  for (std::size_t c = colours; c-- > 0;) squares += sweep_colour(c);
  return std::sqrt(squares);
}

// |b - S x| of the present iterate, into r.
double GaussSeidelBackend::residual(const LinearOperator& op, ConstVector b, LinearReport& report) {
  op.apply(head(x_, op.rows()), r_);
  report.bytes_moved += op.bytes_per_apply() + 24.0 * op.rows();
  report.recurrence_residual = residual_norm(b, r_, r_);
  return report.recurrence_residual;
}

void GaussSeidelBackend::tell(const LinearOperator& op, const Monitor& monitor,
                              const LinearReport& report) const {
  if (!monitor) return;
  const Vector Sr("Sr", r_.extent(0));
  op.apply(r_, Sr);
  monitor({report.iterations, report.recurrence_residual, 0.0, norm2(Sr)});
}

// Sweeps until a status is known; best_x holds the iterate of the smallest residual seen.
LinearStatus GaussSeidelBackend::iterate(const LinearOperator& op, ConstVector b,
                                         const IterationGoal& goal, const Monitor& monitor,
                                         LinearReport& report) {
  const BlockCsr& A = entries_.matrix();
  const double sweep_bytes = (symmetric_ ? 2.0 : 1.0) * (76.0 * A.blocks() + 172.0 * A.rows);
  double best = residual(op, b, report);
  double stall_start = best;
  int stall_sweep = 0;  // in sweeps, not in checks: a monitored run ends as one without
  int unchecked = 0;
  tell(op, monitor, report);
  while (report.iterations < goal.limit) {
    const double met = sweep();
    ++report.iterations;
    report.bytes_moved += sweep_bytes;
    const bool due = monitor || !(met > 2.0 * goal.target) || ++unchecked >= kCheckEvery;
    if (!due && report.iterations < goal.limit) continue;
    unchecked = 0;
    const double now = residual(op, b, report);
    tell(op, monitor, report);
    if (now <= goal.target) return goal.converged(now);
    if (!(now <= kBlowUp * best)) return LinearStatus::kIndefinite;
    if (now < best) {
      best = now;
      copy(head(x_, op.rows()), best_x_);
    }
    if (report.iterations - stall_sweep < kStallSweeps) continue;
    if (best > kStallFactor * stall_start) return LinearStatus::kStagnation;
    stall_start = best;
    stall_sweep = report.iterations;
  }
  return goal.out_of_iterations();
}

void GaussSeidelBackend::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                                  const LinearControl& call, const Monitor& monitor,
                                  LinearReport& report) {
  const LinearControl control = with_limit(call, max_iterations_);
  for (Index i = op.rows(); i < size_of(x_); ++i) x_(i) = b_(i) = 0.0;  // rows of the padding
  copy(x, head(x_, op.rows()));
  copy(b, head(b_, op.rows()));
  copy(x, best_x_);
  report.bytes_moved = 56.0 * op.rows();
  report.status = iterate(op, b, {control, report.rhs_norm}, monitor, report);
  explain_limit(control, report);
  if (report.status == LinearStatus::kIndefinite) {
    report.detail =
        "the residual grows, which it does on no semidefinite matrix with a positive "
        "diagonal; the best iterate is returned";
  }
  if (report.status == LinearStatus::kStagnation) {
    report.detail = "200 sweeps gained less than a hundredth; the best iterate is returned";
  }
  copy(report.ok() ? head(x_, op.rows()) : best_x_, x);
}

}  // namespace

SolverInfo gauss_seidel_backend() {
  SolverInfo info;
  info.name = "gauss-seidel";
  info.summary = "Gauss-Seidel by coloured 3x3 blocks";
  info.capabilities = capabilities_of_gauss_seidel();
  info.options = {OptionSpec::integer("max_iterations", 0, 0, 1e9,
                                      "largest number of sweeps; 0: as many as the call allows"),
                  OptionSpec::choice("sweep", "forward", {"forward", "symmetric"},
                                     "forward, or forward and back in one iteration")};
  info.make = make_solver<GaussSeidelBackend>;
  return info;
}

}  // namespace nsn
