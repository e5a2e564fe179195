#include "nsn/core/contact/scaled_problem.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/contact/law_map.h"

namespace nsn {
namespace {

constexpr double kScaleFloor = 1e-12;  // of the largest |W_ii|

double square3(const double* a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

}  // namespace

void ScaledProblem::refit(std::span<const RowLaw> laws) {
  validate(laws);
  NSN_THROW_UNLESS(system_->blocks() == static_cast<Index>(laws.size()),
                   "{} blocks of rows for a system of {} blocks", laws.size(), system_->blocks());
  given_.assign(laws.begin(), laws.end());
  laws_ = given_;
  has_contacts_ =
      std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) { return law.is_contact(); });
  const auto n = static_cast<std::size_t>(rows());
  arena_.assign(5 * n, 0.0);
  s_ = Vector(arena_.data(), n);
  q_ = Vector(arena_.data() + n, n);
  diagonal_ = Vector(arena_.data() + 2 * n, 3 * n);
  std::fill_n(s_.data(), n, 1.0);
  q_norm_ = q_norm_given_ = 0.0;
}

void ScaledProblem::change_laws(std::span<const RowLaw> laws) {
  NSN_THROW_UNLESS(same_kinds(laws, given_), "change_laws() keeps the kinds of the {} blocks",
                   blocks());
  validate(laws);
  std::copy(laws.begin(), laws.end(), given_.begin());
}

/// s = |W_ii|_2^(-1/2) of a contact, W_kk^(-1/2) of a box row.
void ScaledProblem::rescale() {
  system_->diagonal_blocks(diagonal_);
  double largest = 0.0;
  for (Index i = 0; i < blocks(); ++i) {
    const double* const w = diagonal_.data() + kBlockSize * i;
    double* const s = s_.data() + kBlock * i;
    if (given_[static_cast<std::size_t>(i)].is_contact()) {
      s[0] = s[1] = s[2] = spectral_norm(load9(w));
    } else {
      for (int k = 0; k < 3; ++k) s[k] = std::abs(w[4 * k]);
    }
    for (int k = 0; k < 3; ++k) largest = std::max(largest, s[k]);
  }
  if (!(largest > 0.0)) largest = 1.0;
  for (Index k = 0; k < rows(); ++k) {
    s_(k) = 1.0 / std::sqrt(std::max(s_(k), kScaleFloor * largest));
  }
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    laws_[i] = given_[i];
    for (std::size_t k = 0; k < 3; ++k) {
      laws_[i].lo[k] = given_[i].lo[k] / s_(3 * i + k);
      laws_[i].hi[k] = given_[i].hi[k] / s_(3 * i + k);
    }
  }
  system_->scale(s_);
}

void ScaledProblem::set_q(ConstVector q) {
  NSN_THROW_UNLESS(size_of(q) == rows(), "q has {} entries for {} rows", q.extent(0), rows());
  double sum = 0.0;
  double sum_given = 0.0;
  for (Index k = 0; k < rows(); ++k) {
    q_(k) = s_(k) * q(k);
    sum += q_(k) * q_(k);
    sum_given += q(k) * q(k);
  }
  q_norm_ = std::sqrt(sum);
  q_norm_given_ = std::sqrt(sum_given);
}

void ScaledProblem::velocity(ConstVector x, Vector v) const {
  system_->apply(x, v);
  for (Index k = 0; k < rows(); ++k) v(k) += q_(k);
}

void ScaledProblem::unscale(ConstVector x, Vector r) const {
  for (Index k = 0; k < rows(); ++k) r(k) = s_(k) * x(k);
}

void ScaledProblem::scale(ConstVector r, Vector x) const {
  for (Index k = 0; k < rows(); ++k) x(k) = r(k) / s_(k);
}

ProximalError ScaledProblem::error(ConstVector x, ConstVector v) const {
  // sums: natural map as given, natural map scaled, |r|^2, |u|^2
  const auto sums = sum_range<4>(blocks(), [&](Index first, Index last, auto& sum) {
    for (Index i = first; i < last; ++i) {
      const double* const s = s_.data() + kBlock * i;
      const double* const xi = x.data() + kBlock * i;
      const double* const vi = v.data() + kBlock * i;
      const double r[3] = {s[0] * xi[0], s[1] * xi[1], s[2] * xi[2]};
      const double u[3] = {vi[0] / s[0], vi[1] / s[1], vi[2] / s[2]};
      double given[3];
      double scaled[3];
      natural_map(given_[static_cast<std::size_t>(i)], r, u, given);
      natural_map(laws_[static_cast<std::size_t>(i)], xi, vi, scaled);
      for (int k = 0; k < 3; ++k) scaled[k] /= s[k];
      sum[0] += square3(given);
      sum[1] += square3(scaled);
      sum[2] += square3(r);
      sum[3] += square3(u);
    }
  });
  const double size = std::max({q_norm_given_, std::sqrt(sums[2]), std::sqrt(sums[3])});
  ProximalError error;
  error.siconos = size > 0.0 ? std::sqrt(sums[0]) / size : std::sqrt(sums[0]);
  error.unit_free = q_norm_given_ > 0.0 ? std::sqrt(sums[1]) / q_norm_given_ : std::sqrt(sums[1]);
  return error;
}

double ScaledProblem::largest_error(ConstVector x, ConstVector v) const {
  double worst = 0.0;
  for (Index i = 0; i < blocks(); ++i) {
    double map[3];
    natural_map(laws_[static_cast<std::size_t>(i)], &x(kBlock * i), &v(kBlock * i), map);
    for (int k = 0; k < 3; ++k) map[k] /= s_(kBlock * i + k);
    const double size = std::sqrt(square3(map));
    if (!(size <= worst)) worst = size;
  }
  return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

void ScaledProblem::clip(Vector x) const {
  for (Index i = 0; i < blocks(); ++i) {
    nsn::clip(laws_[static_cast<std::size_t>(i)], &x(kBlock * i));
  }
}

}  // namespace nsn
