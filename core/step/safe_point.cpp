#include "nsn/core/step/safe_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/friction_cone.h"

namespace nsn {

void SafePoint::fit(ProximalNewton& newton, const DualSystem& dual) {
  newton_ = &newton;
  dual_ = &dual;
  const auto rows = static_cast<std::size_t>(newton.rows().rows());
  Vector* const all[] = {&safe_, &v_safe_, &trial_, &v_trial_, &z_, &v_};
  arena_.resize(std::size(all) * rows);
  double* next = arena_.data();
  for (Vector* v : all) {
    *v = Vector(next, rows);
    next += rows;
  }
}

void SafePoint::project(Vector x) const {
  const ContactRows& rows = newton_->rows();
  for (Index i = 0; i < rows.blocks(); ++i) {
    double* x_i = &x(3 * i);
    if (rows.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) {
      for (int k = 0; k < 3; ++k) {
        x_i[k] = std::clamp(x_i[k], newton_->scaled_lower()(3 * i + k),
                            newton_->scaled_upper()(3 * i + k));
      }
      continue;
    }
    x_i[0] = std::max(x_i[0], 0.0);
    const double bound = rows.mu[static_cast<std::size_t>(i)] * x_i[0];
    const double size = std::sqrt(x_i[1] * x_i[1] + x_i[2] * x_i[2]);
    const double shrink = size > bound ? bound / size : 1.0;
    x_i[1] *= shrink;
    x_i[2] *= shrink;
  }
}

double SafePoint::error_of(ConstVector x, ConstVector v) const {
  const ContactRows& rows = newton_->rows();
  double worst = 0.0;
  for (Index i = 0; i < rows.blocks(); ++i) {
    double map[3];
    if (rows.kind[static_cast<std::size_t>(i)] == BlockKind::kBox) {
      for (Index k = 3 * i; k < 3 * i + 3; ++k) {
        map[k - 3 * i] =
            natural_map(x(k), v(k), newton_->scaled_lower()(k), newton_->scaled_upper()(k), 1.0) /
            newton_->scaling()(k);
      }
    } else {
      natural_map(&x(3 * i), &v(3 * i), rows.mu[static_cast<std::size_t>(i)], 1.0, map);
      for (double& e : map) e /= newton_->scaling()(3 * i);
    }
    const double size = std::sqrt(map[0] * map[0] + map[1] * map[1] + map[2] * map[2]);
    if (!(size <= worst)) worst = size;
  }
  return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

void SafePoint::measure() {
  project(safe_);
  dual_->apply(safe_, v_safe_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_safe_);
  error_ = error_of(safe_, v_safe_);
}

void SafePoint::start(ConstVector r) {
  for (Index k = 0; k < size_of(safe_); ++k) safe_(k) = r(k) / newton_->scaling()(k);
  measure();
}

void SafePoint::offer(ConstVector z, int tries) {
  if (!all_finite(z)) return;
  dual_->apply(z, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  constexpr double kSteps[] = {1.0, 0.5, 0.25, 0.1};
  for (int k = 0; k < tries; ++k) {
    const double t = kSteps[k];
    copy(safe_, trial_);
    copy(v_safe_, v_trial_);
    axpby(t, z, 1.0 - t, trial_);
    axpby(t, v_, 1.0 - t, v_trial_);
    const double e = error_of(trial_, v_trial_);
    if (!(e < error_)) continue;
    error_ = e;
    copy(trial_, safe_);
    copy(v_trial_, v_safe_);
    return;
  }
}

void SafePoint::offer_projected(ConstVector x) {
  copy(x, z_);
  project(z_);
  offer(z_, 4);
}

void SafePoint::take_iterate(ConstVector x) {
  copy(x, safe_);
  project(safe_);
  if (std::equal(x.data(), x.data() + x.extent(0), safe_.data())) {
    copy(newton_->scaled_velocity(), v_safe_);
    error_ = error_of(safe_, v_safe_);
  } else {
    measure();
  }
}

bool SafePoint::drop_contact_impulses(double share) {
  const ContactRows& rows = newton_->rows();
  for (Index i = 0; i < rows.blocks(); ++i) {
    const bool box = rows.kind[static_cast<std::size_t>(i)] == BlockKind::kBox;
    for (Index k = 3 * i; k < 3 * i + 3; ++k) z_(k) = box ? safe_(k) : 0.0;
  }
  dual_->apply(z_, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  const double without = error_of(z_, v_);
  if (!(without < share * error_)) return false;
  error_ = without;
  copy(z_, safe_);
  copy(v_, v_safe_);
  return true;
}

void SafePoint::impulses(Vector r) {
  project(safe_);
  for (Index k = 0; k < size_of(safe_); ++k) r(k) = newton_->scaling()(k) * safe_(k);
}

void SafePoint::response(Vector v) const {
  dual_->apply(safe_, v);
  for (Index k = 0; k < size_of(safe_); ++k) v(k) /= newton_->scaling()(k);
}

}  // namespace nsn
