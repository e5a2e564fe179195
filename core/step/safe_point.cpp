#include "nsn/core/step/safe_point.h"

#include <algorithm>

#include "nsn/core/base/vector_kernels.h"

namespace nsn {

void SafePoint::fit(ProximalNewton& newton, const DualSystem& dual) {
  newton_ = &newton;
  dual_ = &dual;
  const auto rows = static_cast<std::size_t>(newton.problem().rows());
  Vector* const all[] = {&safe_, &v_safe_, &trial_, &v_trial_, &z_, &v_};
  arena_.resize(std::size(all) * rows);
  double* next = arena_.data();
  for (Vector* v : all) {
    *v = Vector(next, rows);
    next += rows;
  }
}

void SafePoint::project(Vector x) const {
  newton_->problem().clip(x);
}

double SafePoint::error_of(ConstVector x, ConstVector v) const {
  return newton_->problem().largest_error(x, v);
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

bool SafePoint::drop_contact_impulses() {
  const std::span<const RowLaw> laws = newton_->laws();
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const bool box = !laws[i].is_contact();
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) z_(k) = box ? safe_(k) : 0.0;
  }
  dual_->apply(z_, v_);
  axpby(1.0, newton_->scaled_q(), 1.0, v_);
  const double without = error_of(z_, v_);
  if (!(without < error_)) return false;
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
