#include "nsn/core/contact/convex_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

using Cone = std::array<double, 3>;

constexpr double kGap = 1e-10;      // of the load squared
constexpr double kResidual = 1e-9;  // of the load
constexpr double kVisit = 1e-3;     // of the load: before, errors of Coulomb's problem mean nothing
constexpr double kShortest = 1e-9;  // a shorter step moves nothing
constexpr double kToBoundary = 0.99;

double dot(const Cone& a, const Cone& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// a0^2 - |a1|^2, > 0 inside.
double det(const Cone& a) {
  const double t = std::hypot(a[1], a[2]);
  return std::max((a[0] - t) * (a[0] + t), std::numeric_limits<double>::min());
}
/// Product of the cone's algebra.
Cone product(const Cone& a, const Cone& b) {
  return {dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}
/// x with product(a, x) = b.
Cone divide(const Cone& a, const Cone& b) {
  const double x0 = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / det(a);
  return {x0, (b[1] - x0 * a[1]) / a[0], (b[2] - x0 * a[2]) / a[0]};
}
/// Q a for the hyperbolic rotation Q of w, or its inverse (sign = -1).
Cone rotate(const Cone& w, double sign, const Cone& a) {
  const double t = w[1] * a[1] + w[2] * a[2];
  const double k = sign * a[0] + t / (1.0 + w[0]);
  return {w[0] * a[0] + sign * t, a[1] + k * w[1], a[2] + k * w[2]};
}
/// Longest a with x + a d in the cone, x inside.
double longest_in_cone(const Cone& x, const Cone& d) {
  const double A = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
  const double B = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double C = det(x);
  double longest = d[0] < 0.0 ? -x[0] / d[0] : std::numeric_limits<double>::infinity();
  const double discriminant = B * B - A * C;
  if (discriminant < 0.0 || (A >= 0.0 && B >= 0.0 && d[0] >= 0.0)) return longest;
  const double root = std::sqrt(discriminant);
  const double k = B < 0.0 ? -B + root : -B - root;
  for (const double a : {A != 0.0 ? k / A : -1.0, k != 0.0 ? C / k : -1.0}) {
    if (a > 0.0) longest = std::min(longest, a);
  }
  return longest;
}

}  // namespace

ConvexContact::ConvexContact(const BlockCsr& W, std::span<const RowLaw> laws,
                             std::unique_ptr<LinearSolver> solver)
    : W_(W), K_(W), laws_(laws), solver_(std::move(solver)), contacts_(laws.size()) {
  values_.resize(to_size(kBlockSize * W.blocks()));
  K_.value = Vector(values_.data(), values_.size());
  operator_ = std::make_unique<BlockOperator>(K_, true);
  target_.resize(laws.size());
  for (Vector* const x : {&x_, &v_, &dx_, &b_, &projected_, &velocity_}) {
    *x = zero_vector(W.scalar_rows());
  }
  for (Index i = 0; i < W.rows; ++i) {
    Contact& c = contacts_[to_size(i)];
    const RowLaw& law = laws[to_size(i)];
    NSN_THROW_UNLESS(law.is_contact(), "convex contact: block {} is not a contact", i);
    const double scale = 1.0 / std::max(law.mu, 1.0);
    c.D = {law.mu * scale, scale, scale};
    if (law.kind == RowLaw::Kind::kPlanarContact) c.D[2] = 0.0;
    if (law.mu == 0.0) c.D = {1.0, 0.0, 0.0};
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      if (W.column(k) == i) c.place = to_size(k);
    }
  }
}

ConvexContact::Report ConvexContact::solve(ConstVector q, std::span<const double> shift,
                                           const Visit& look, const std::function<bool()>& stop,
                                           int max_factorizations) {
  Report report;
  if (contacts_.empty()) return {Outcome::kConverged, 0};
  begin(q, shift);
  for (;; ++report.factorizations) {
    measure(q);
    if (close_to(kVisit) && visit(q, look)) {
      report.outcome = Outcome::kStopped;
      return report;
    }
    if (gap_ <= kGap * load_ * load_ && close_to(kResidual)) {
      report.outcome = Outcome::kConverged;
      return report;
    }
    if (report.factorizations >= max_factorizations || stop()) return report;
    report.outcome = Outcome::kStalled;
    scale();
    if (!factorise()) return report;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) target_[i][k] = -contacts_[i].Y[k];
    }
    if (!direction(target_)) return report;
    const double sigma = std::max(std::pow(1.0 - std::min(1.0, longest()), 3.0), 1e-8);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& c = contacts_[i];
      const double root = std::sqrt(c.eta);
      Cone y = rotate(c.w, -1.0, c.dY);
      Cone z = rotate(c.w, 1.0, c.dZ);
      for (std::size_t k = 0; k < 3; ++k) y[k] /= root, z[k] *= root;
      const Cone ll = product(c.lambda, c.lambda);
      const Cone yz = product(y, z);
      Cone right{};
      for (std::size_t k = 0; k < 3; ++k) right[k] = -ll[k] - yz[k];
      right[0] += sigma * gap_;
      const Cone target = rotate(c.w, 1.0, divide(c.lambda, right));
      for (std::size_t k = 0; k < 3; ++k) target_[i][k] = root * target[k];
    }
    if (!direction(target_)) return report;
    const double length = std::min(1.0, kToBoundary * longest());
    if (!(length >= kShortest)) return report;
    advance(length);
    report.outcome = Outcome::kBudget;
  }
}

/// x = 0 and both cones on their axes, as far inside as the load is large.
void ConvexContact::begin(ConstVector q, std::span<const double> shift) {
  fill(x_, 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    for (std::size_t k = 0; k < 3; ++k) c.c[k] = c.D[k] > 0.0 ? q(3 * i + k) : 0.0;
    c.c[0] += shift[i];
    sum += dot(c.c, c.c);
  }
  const auto n = static_cast<double>(contacts_.size());
  load_ = std::max(std::sqrt(sum / n), std::numeric_limits<double>::min());
  for (Contact& c : contacts_) c.Y = c.Z = {load_, 0.0, 0.0};
}

/// v = W x + q, residuals and gap.
void ConvexContact::measure(ConstVector q) {
  multiply(W_, x_, v_);
  double gap = 0.0;
  double dual = 0.0;
  double primal = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    gap += dot(c.Y, c.Z);
    for (std::size_t k = 0; k < 3; ++k) {
      // The right side of the next system starts as minus the dual residual.
      b_(3 * i + k) = c.D[k] > 0.0 ? c.D[k] * c.Z[k] - v_(3 * i + k) - c.c[k] : 0.0;
      dual += b_(3 * i + k) * b_(3 * i + k);
      c.residual[k] = c.Y[k] - c.D[k] * x_(3 * i + k);
    }
    primal += dot(c.residual, c.residual);
  }
  axpby(1.0, q, 1.0, v_);
  const auto n = static_cast<double>(contacts_.size());
  gap_ = gap / n;
  dual_ = std::sqrt(dual / n);
  primal_ = std::sqrt(primal / n);
}

bool ConvexContact::close_to(double part) const {
  return std::max(dual_, primal_) <= part * load_;
}

bool ConvexContact::visit(ConstVector q, const Visit& look) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const double z[3] = {x_(3 * i), x_(3 * i + 1), x_(3 * i + 2)};
    ncp::project_on_cone(z, laws_[i].mu, &projected_(3 * i));
  }
  multiply(W_, projected_, velocity_);
  axpby(1.0, q, 1.0, velocity_);
  return look(projected_, velocity_);
}

/// The point w and the factor eta with eta (2 w w^T - J) Z = Y.
void ConvexContact::scale() {
  for (Contact& c : contacts_) {
    const double y = std::sqrt(det(c.Y));
    const double z = std::sqrt(det(c.Z));
    const double cosine = dot(c.Y, c.Z) / (y * z);
    const double gamma = std::sqrt(0.5 * (1.0 + cosine));
    c.eta = y / z;
    c.w[0] = (c.Y[0] / y + c.Z[0] / z) / (2.0 * gamma);
    for (std::size_t k = 1; k < 3; ++k) c.w[k] = (c.Y[k] / y - c.Z[k] / z) / (2.0 * gamma);
    c.lambda = rotate(c.w, 1.0, c.Z);
    for (double& entry : c.lambda) entry *= std::sqrt(c.eta);
  }
}

/// W + D P D, P = (2 (J w)(J w)^T - J) / eta.
bool ConvexContact::factorise() {
  for (Index i = 0; i < W_.rows; ++i) {
    const Cone& D = contacts_[to_size(i)].D;
    for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
      const Cone& E = contacts_[to_size(W_.column(k))].D;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t s = 0; s < 3; ++s) {
          const std::size_t at = to_size(kBlockSize * k) + 3 * r + s;
          values_[at] = D[r] > 0.0 && E[s] > 0.0 ? W_.value(at) : 0.0;
        }
      }
    }
  }
  for (const Contact& c : contacts_) {
    const Cone Jw = {c.w[0], -c.w[1], -c.w[2]};
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t s = 0; s < 3; ++s) {
        double P = 2.0 * Jw[r] * Jw[s];
        if (r == s) P += r == 0 ? -1.0 : 1.0;
        double& entry = values_[kBlockSize * c.place + 3 * r + s];
        entry += c.D[r] * c.D[s] * P / c.eta;
        if (r == s && c.D[r] == 0.0) entry = 1.0;
        if (!std::isfinite(entry)) return false;
      }
    }
  }
  operator_->values_changed(true);
  solver_->prepare(*operator_);
  return true;
}

/// dx, dY and dZ that bring Y + D P^-1 ... to the target: W dx - D dZ = -dual residual, dY - D dx = -primal residual,
/// dZ = P (target - dY).
bool ConvexContact::direction(const std::vector<Cone>& target) {
  const auto weigh = [](const Contact& c, const Cone& a) {
    const double t = 2.0 * (c.w[0] * a[0] - c.w[1] * a[1] - c.w[2] * a[2]);
    return Cone{(t * c.w[0] - a[0]) / c.eta, (-t * c.w[1] + a[1]) / c.eta,
                (-t * c.w[2] + a[2]) / c.eta};
  };
  copy(b_, velocity_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& c = contacts_[i];
    Cone a{};
    for (std::size_t k = 0; k < 3; ++k) a[k] = target[i][k] + c.residual[k];
    a = weigh(c, a);
    for (std::size_t k = 0; k < 3; ++k) velocity_(3 * i + k) += c.D[k] * a[k];
  }
  fill(dx_, 0.0);
  if (!solver_->solve(velocity_, dx_, {.rtol = 1e-10}).ok() || !all_finite(dx_)) return false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    Cone a{};
    for (std::size_t k = 0; k < 3; ++k) {
      c.dY[k] = c.D[k] * dx_(3 * i + k) - c.residual[k];
      a[k] = target[i][k] - c.dY[k];
    }
    c.dZ = weigh(c, a);
  }
  return true;
}

double ConvexContact::longest() const {
  double longest = 1e9;
  for (const Contact& c : contacts_) {
    longest = std::min({longest, longest_in_cone(c.Y, c.dY), longest_in_cone(c.Z, c.dZ)});
  }
  return longest;
}

void ConvexContact::advance(double length) {
  axpby(length, dx_, 1.0, x_);
  for (Contact& c : contacts_) {
    for (std::size_t k = 0; k < 3; ++k) {
      c.Y[k] += length * c.dY[k];
      c.Z[k] += length * c.dZ[k];
    }
  }
}

}  // namespace nsn
