#include "nsn/core/step/kept_penetration.h"

#include <algorithm>

namespace nsn {

void KeptPenetration::find(const System& system, const std::vector<Index>& kept) {
  kept_ = &kept;
  deep_.resize(kept.size());
  r_.resize(kBlock * kept.size());
  v_.resize(kBlock * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Index i = kept[k];
    const RowLaw& law = system.laws[static_cast<std::size_t>(i)];
    const bool keeps = law.is_contact() && !law.rebounds;
    const double gap = system.value_start(kBlock * i) - system.prescribed(kBlock * i);
    deep_[k] = keeps ? std::min(0.0, gap) : 0.0;
  }
}

bool KeptPenetration::none() const {
  return std::all_of(deep_.begin(), deep_.end(), [](double d) { return d == 0.0; });
}

void KeptPenetration::pay_for_recovery(const System& system, const BlockCsr& W, ConstVector q,
                                       ConstVector r, const RealtimePolicy& policy) {
  const std::vector<Index>& kept = *kept_;
  const auto speed = [&](std::size_t k) { return std::min(-deep_[k], policy.recovery_speed); };
  const auto is_contact = [&](std::size_t k) {
    return system.laws[static_cast<std::size_t>(kept[k])].is_contact();
  };
  double price = 0.0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::copy_n(&r(kBlock * kept[k]), kBlock, &r_[kBlock * k]);
    if (is_contact(k)) price += r_[kBlock * k] * speed(k);
  }
  if (!(price > 0.0)) return;
  multiply(W, ConstVector(r_.data(), r_.size()), Vector(v_.data(), v_.size()));
  double friction = 0.0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (!is_contact(k)) continue;
    for (std::size_t t = kBlock * k + 1; t < kBlock * (k + 1); ++t)
      friction -= r_[t] * (v_[t] + q(t));
  }
  if (!(friction > 0.0)) return;
  const double paid = std::min(1.0, policy.recovery_share * friction / price);
  for (std::size_t k = 0; k < kept.size(); ++k) deep_[k] += paid * speed(k);
}

void KeptPenetration::keep(Vector q) const {
  for (std::size_t k = 0; k < deep_.size(); ++k) q(kBlock * k) -= deep_[k];
}

void KeptPenetration::add_to(double sign, Vector value) const {
  for (std::size_t k = 0; k < deep_.size(); ++k) value(kBlock * (*kept_)[k]) += sign * deep_[k];
}

}  // namespace nsn
