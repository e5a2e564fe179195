#include "nsn/core/contact/contact_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSingular = 1e-14;  // of the product of the diagonal
constexpr int kMaxTurns = 30;        // guard: Newton steps for the angle of one contact
// Costs in operations: a block of a sweep, a local solution, moving a block into a front.
constexpr double kSweepBlock = 54.0;
constexpr double kSweepContact = 225.0;
constexpr double kAssembleBlock = 225.0;

Block inverse_or_nan(const double* a) {
  const double c00 = a[4] * a[8] - a[5] * a[7];
  const double c01 = a[5] * a[6] - a[3] * a[8];
  const double c02 = a[3] * a[7] - a[4] * a[6];
  const double determinant = a[0] * c00 + a[1] * c01 + a[2] * c02;
  if (!(determinant > kSingular * std::abs(a[0] * a[4] * a[8]))) {
    Block nan;
    nan.fill(kNan);
    return nan;
  }
  const double s = 1.0 / determinant;
  return {c00 * s, (a[2] * a[7] - a[1] * a[8]) * s, (a[1] * a[5] - a[2] * a[4]) * s,
          c01 * s, (a[0] * a[8] - a[2] * a[6]) * s, (a[2] * a[3] - a[0] * a[5]) * s,
          c02 * s, (a[1] * a[6] - a[0] * a[7]) * s, (a[0] * a[4] - a[1] * a[3]) * s};
}

/// A slipping contact as a function of the direction t = (c, s).
struct Slip {
  double normal = 0.0;  // x_N that makes u_N = 0
  double along = 0.0;   // t . u_T
  double across = 0.0;  // t x u_T, zero at the solution
  double slope = 0.0;   // d across / d angle
  bool valid = false;   // W_NN + mu W_NT t > 0
};

Slip slip_at(const double* W, const double* p, double mu, double c, double s) {
  Slip at;
  const double stiffness = W[0] + mu * (W[1] * c + W[2] * s);
  at.valid = stiffness > kSingular * W[0];
  if (!at.valid) return at;
  at.normal = -p[0] / stiffness;
  const double normal_slope = -at.normal * mu * (W[2] * c - W[1] * s) / stiffness;
  const double column[2] = {W[3] + mu * (W[4] * c + W[5] * s), W[6] + mu * (W[7] * c + W[8] * s)};
  const double turned[2] = {mu * (W[5] * c - W[4] * s), mu * (W[8] * c - W[7] * s)};
  const double u[2] = {p[1] + at.normal * column[0], p[2] + at.normal * column[1]};
  const double du[2] = {normal_slope * column[0] + at.normal * turned[0],
                        normal_slope * column[1] + at.normal * turned[1]};
  at.along = c * u[0] + s * u[1];
  at.across = c * u[1] - s * u[0];
  at.slope = c * du[1] - s * du[0] - at.along;
  return at;
}

}  // namespace

double sweep_operations(Index blocks, Index contacts) {
  return kSweepBlock * blocks + kSweepContact * contacts;
}

double sweeps_per_factorization(double flops, Index blocks, Index contacts) {
  return (2.0 * flops + kAssembleBlock * blocks) / sweep_operations(blocks, contacts);
}

ContactGaussSeidel::ContactGaussSeidel(const BlockCsr& W, std::span<const RowLaw> laws) {
  refit(W, laws);
  refresh();
}

void ContactGaussSeidel::refit(const BlockCsr& W, std::span<const RowLaw> laws) {
  W_ = W;
  laws_ = laws;
  factors_.clear();
  inverse_.resize(static_cast<std::size_t>(W.rows));
  diagonal_.resize(static_cast<std::size_t>(W.rows));
  for (Index i = 0; i < W.rows; ++i) diagonal_[static_cast<std::size_t>(i)] = find_block(W, i, i);
}

void ContactGaussSeidel::refresh() {
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    inverse_[i] =
        inverse_or_nan(W_.value.data() + static_cast<std::ptrdiff_t>(diagonal_[i]) * kBlockSize);
  }
}

void ContactGaussSeidel::solve_contact(Index i, const double* p, double* x) const {
  if (p[0] >= 0.0) {
    x[0] = x[1] = x[2] = 0.0;
    return;
  }
  const auto block = static_cast<std::size_t>(i);
  const double mu = laws_[block].mu;
  const Block& I = inverse_[block];
  const double stick[3] = {-(I[0] * p[0] + I[1] * p[1] + I[2] * p[2]),
                           -(I[3] * p[0] + I[4] * p[1] + I[5] * p[2]),
                           -(I[6] * p[0] + I[7] * p[1] + I[8] * p[2])};
  if (stick[0] > 0.0 &&
      stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0]) {
    std::copy_n(stick, 3, x);
    return;
  }
  const double* const W =
      W_.value.data() + static_cast<std::ptrdiff_t>(diagonal_[block]) * kBlockSize;
  // Start from the last direction, else against the velocity.
  double c = x[1];
  double s = x[2];
  double length = std::sqrt(c * c + s * s);
  if (!(length > 0.0)) {
    c = -p[1];
    s = -p[2];
    length = std::sqrt(c * c + s * s);
  }
  c = length > 0.0 ? c / length : 1.0;
  s = length > 0.0 ? s / length : 0.0;
  const double target = 1e-13 * (std::abs(p[0]) + std::abs(p[1]) + std::abs(p[2]));
  Slip at = slip_at(W, p, mu, c, s);
  for (int turn = 0; turn < kMaxTurns && at.valid; ++turn) {
    if (std::abs(at.across) <= target && at.along <= 0.0) break;
    double angle;
    if (at.along > 0.0 && turn < 3) {
      angle = at.across > 0.0 ? -1.5 : 1.5;  // the force must oppose the velocity: turn well around
    } else if (at.slope > 0.0) {
      angle = std::clamp(-at.across / at.slope, -1.0, 1.0);
    } else {
      angle = at.across > 0.0 ? -0.3 : 0.3;
    }
    const double next_c = c - angle * s;
    const double next_s = s + angle * c;
    const double norm = 1.0 / std::sqrt(next_c * next_c + next_s * next_s);
    c = next_c * norm;
    s = next_s * norm;
    at = slip_at(W, p, mu, c, s);
  }
  if (!at.valid) return;  // keep the last impulse: the next sweep sees other neighbours
  x[0] = at.normal;
  x[1] = mu * at.normal * c;
  x[2] = mu * at.normal * s;
}

void ContactGaussSeidel::solve_planar(Index i, const double* p, double* x) const {
  x[2] = 0.0;
  if (p[0] >= 0.0) {
    x[0] = x[1] = 0.0;
    return;
  }
  const auto block = static_cast<std::size_t>(i);
  const double mu = laws_[block].mu;
  const double* const W =
      W_.value.data() + static_cast<std::ptrdiff_t>(diagonal_[block]) * kBlockSize;
  const double determinant = W[0] * W[4] - W[1] * W[3];
  if (determinant > kSingular * std::abs(W[0] * W[4])) {
    const double n = -(W[4] * p[0] - W[1] * p[1]) / determinant;
    const double t = -(W[0] * p[1] - W[3] * p[0]) / determinant;
    if (n > 0.0 && std::abs(t) <= mu * n) {
      x[0] = n;
      x[1] = t;
      return;
    }
  }
  for (const double side : {1.0, -1.0}) {
    const double stiffness = W[0] + side * mu * W[1];
    if (!(stiffness > kSingular * W[0])) continue;
    const double n = -p[0] / stiffness;
    const double u = p[1] + n * (W[3] + side * mu * W[4]);
    if (side * u > 0.0) continue;  // the force must oppose the velocity
    x[0] = n;
    x[1] = side * mu * n;
    return;
  }
}

void ContactGaussSeidel::solve_box(Index i, const double* p, double* x) const {
  const auto block = static_cast<std::size_t>(i);
  const RowLaw& law = laws_[block];
  const double* const W =
      W_.value.data() + static_cast<std::ptrdiff_t>(diagonal_[block]) * kBlockSize;
  for (int k = 0; k < 3; ++k) {
    double u = p[k];
    for (int l = 0; l < 3; ++l) u += l == k ? 0.0 : W[3 * k + l] * x[l];
    if (!(W[4 * k] > 0.0)) continue;
    x[k] = ncp::clip(-u / W[4 * k], law.lo[k], law.hi[k]);
  }
}

/// Both need as many operations if W has five blocks for two of J: one reads, one writes, and
/// one block of its own is taken off.
void ContactGaussSeidel::refresh(const BlockCsr& J, ConstVector Y, ConstVector s) {
  refresh();
  factors_.clear();
  if (2 * W_.blocks() >= 5 * J.blocks()) use_factors(J, Y, s);
}

void ContactGaussSeidel::use_factors(const BlockCsr& J, ConstVector Y, ConstVector s) {
  factors_.resize(static_cast<std::size_t>(J.blocks()));
  factor_begin_.assign(J.row_begin.data(), J.row_begin.data() + J.rows + 1);
  own_.resize(static_cast<std::size_t>(J.rows));
  w_.resize(static_cast<std::size_t>(kBlock * J.columns));
  for (Index i = 0; i < J.rows; ++i) {
    Block& own = own_[static_cast<std::size_t>(i)];
    own.fill(0.0);
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      Factor& factor = factors_[static_cast<std::size_t>(k)];
      factor.node = J.column(k);
      for (Index e = 0; e < kBlockSize; ++e) {
        const double scale = s(kBlock * i + e / 3);
        factor.J[static_cast<std::size_t>(e)] = scale * J.value(kBlockSize * k + e);
        factor.Y[static_cast<std::size_t>(e)] = scale * Y(kBlockSize * k + e);
      }
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          for (std::size_t c = 0; c < 3; ++c) {
            own[3 * a + b] += factor.J[3 * a + c] * factor.Y[3 * b + c];
          }
        }
      }
    }
  }
}

void ContactGaussSeidel::set_velocities(const double* x) {
  std::fill(w_.begin(), w_.end(), 0.0);
  for (Index i = 0; i < W_.rows; ++i) add_velocities(i, x + kBlock * i);
}

/// w += H^-1 J_i^T S dx
void ContactGaussSeidel::add_velocities(Index i, const double* dx) {
  const auto row = static_cast<std::size_t>(i);
  for (auto k = static_cast<std::size_t>(factor_begin_[row]);
       k < static_cast<std::size_t>(factor_begin_[row + 1]); ++k) {
    const Block& Y = factors_[k].Y;
    double* const w = w_.data() + static_cast<std::ptrdiff_t>(kBlock) * factors_[k].node;
    w[0] += Y[0] * dx[0] + Y[3] * dx[1] + Y[6] * dx[2];
    w[1] += Y[1] * dx[0] + Y[4] * dx[1] + Y[7] * dx[2];
    w[2] += Y[2] * dx[0] + Y[5] * dx[1] + Y[8] * dx[2];
  }
}

/// p += what the other blocks do to block i.
void ContactGaussSeidel::add_others(Index i, const double* x, double* p) const {
  const auto add = [p](const double* a, const double* v) {
    p[0] += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
    p[1] += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
    p[2] += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
  };
  if (factors_.empty()) {
    for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
      const Index j = W_.column(k);
      if (j != i) add(W_.value.data() + std::ptrdiff_t{k} * kBlockSize, x + kBlock * j);
    }
    return;
  }
  const auto row = static_cast<std::size_t>(i);
  for (auto k = static_cast<std::size_t>(factor_begin_[row]);
       k < static_cast<std::size_t>(factor_begin_[row + 1]); ++k) {
    add(factors_[k].J.data(), w_.data() + std::ptrdiff_t{kBlock} * factors_[k].node);
  }
  const double* const x_i = x + kBlock * i;
  const double off[3] = {-x_i[0], -x_i[1], -x_i[2]};
  add(own_[row].data(), off);
}

void ContactGaussSeidel::solve_block(Index i, const double* p, double* x) const {
  switch (laws_[static_cast<std::size_t>(i)].kind) {
    case RowLaw::Kind::kContact:
      return solve_contact(i, p, x);
    case RowLaw::Kind::kPlanarContact:
      return solve_planar(i, p, x);
    case RowLaw::Kind::kBox:
      return solve_box(i, p, x);
  }
}

double ContactGaussSeidel::sweep(ConstVector q, Vector x, int passes) {
  const bool factored = !factors_.empty();
  if (factored) set_velocities(x.data());
  double change = 0.0;
  double size = 0.0;
  for (int pass = 0; pass < passes; ++pass) {
    change = size = 0.0;
    for (Index i = 0; i < W_.rows; ++i) {
      double p[3] = {q(3 * i), q(3 * i + 1), q(3 * i + 2)};
      add_others(i, x.data(), p);
      double* const xi = x.data() + kBlock * i;
      const double old[3] = {xi[0], xi[1], xi[2]};
      solve_block(i, p, xi);
      const double dx[3] = {xi[0] - old[0], xi[1] - old[1], xi[2] - old[2]};
      const double moved = dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2];
      if (factored && moved != 0.0) add_velocities(i, dx);
      change += moved;
      size += xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2];
    }
  }
  return size > 0.0 ? std::sqrt(change / size) : std::sqrt(change);
}

}  // namespace nsn
