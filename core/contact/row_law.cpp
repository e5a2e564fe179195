#include "nsn/core/contact/row_law.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"

namespace nsn {

std::vector<RowLaw> contact_laws(std::span<const double> mu, bool planar) {
  std::vector<RowLaw> laws;
  laws.reserve(mu.size());
  for (const double m : mu) {
    laws.push_back(planar ? RowLaw::planar_contact(m) : RowLaw::contact(m));
  }
  return laws;
}

void select_laws(std::span<const RowLaw> laws, std::span<const Index> kept,
                 std::vector<RowLaw>& out) {
  out.resize(kept.size());
  std::transform(kept.begin(), kept.end(), out.begin(),
                 [&](Index i) { return laws[static_cast<std::size_t>(i)]; });
}

bool same_kinds(std::span<const RowLaw> a, std::span<const RowLaw> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const RowLaw& x, const RowLaw& y) { return x.kind == y.kind; });
}

void validate(std::span<const RowLaw> laws) {
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const RowLaw& law = laws[i];
    if (law.is_contact()) {
      NSN_THROW_UNLESS(std::isfinite(law.mu) && law.mu >= 0.0,
                       "contact {}: the friction coefficient is {}, it must be >= 0", i, law.mu);
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      NSN_THROW_UNLESS(
          law.lo[k] <= law.hi[k] && law.lo[k] < RowLaw::kInfinity && law.hi[k] > -RowLaw::kInfinity,
          "row {} of block {}: bounds [{}, {}] hold no number", k, i, law.lo[k], law.hi[k]);
    }
  }
}

}  // namespace nsn
