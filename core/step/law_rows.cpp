#include "nsn/core/step/law_rows.h"

namespace nsn {

void set_rows(const System& system, const std::vector<Index>* kept, ContactRows& rows) {
  const std::size_t n = kept != nullptr ? kept->size() : system.laws.size();
  rows.kind.resize(n);
  rows.mu.resize(n);
  rows.lower.resize(3 * n);
  rows.upper.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto block = kept != nullptr ? static_cast<std::size_t>((*kept)[i]) : i;
    const RowLaw& law = system.laws[block];
    rows.kind[i] = law.is_contact() ? BlockKind::kContact : BlockKind::kBox;
    rows.mu[i] = law.mu;
    for (std::size_t k = 0; k < 3; ++k) {
      rows.lower[3 * i + k] = law.lo[k];
      rows.upper[3 * i + k] = law.hi[k];
    }
  }
}

}  // namespace nsn
