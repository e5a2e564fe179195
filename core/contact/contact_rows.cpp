#include "nsn/core/contact/contact_rows.h"

#include <cmath>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {}  // namespace

ContactRows ContactRows::contacts(const std::vector<double>& mu, bool planar) {
  ContactRows rows;
  for (const double m : mu) rows.add_contact(m, planar);
  return rows;
}

void ContactRows::add_contact(double friction, bool planar) {
  kind.push_back(planar ? BlockKind::kPlanarContact : BlockKind::kContact);
  mu.push_back(friction);
  lower.insert(lower.end(), 3, -kInfinity);
  upper.insert(upper.end(), 3, kInfinity);
}

void ContactRows::add_box(const double (&low)[3], const double (&high)[3]) {
  kind.push_back(BlockKind::kBox);
  mu.push_back(0.0);
  lower.insert(lower.end(), low, low + 3);
  upper.insert(upper.end(), high, high + 3);
}

void validate(const ContactRows& rows) {
  const std::size_t n = rows.kind.size();
  NSN_THROW_UNLESS(rows.mu.size() == n && rows.lower.size() == 3 * n && rows.upper.size() == 3 * n,
                   "{} blocks of rows with {} friction coefficients, {} lower and {} upper bounds",
                   n, rows.mu.size(), rows.lower.size(), rows.upper.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (rows.kind[i] != BlockKind::kBox) {
      NSN_THROW_UNLESS(std::isfinite(rows.mu[i]) && rows.mu[i] >= 0.0,
                       "contact {}: the friction coefficient is {}, it must be >= 0", i,
                       rows.mu[i]);
      continue;
    }
    for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
      NSN_THROW_UNLESS(
          rows.lower[k] <= rows.upper[k] && rows.lower[k] < kInfinity && rows.upper[k] > -kInfinity,
          "row {} of block {}: bounds [{}, {}] hold no number", k - 3 * i, i, rows.lower[k],
          rows.upper[k]);
    }
  }
}

}  // namespace nsn
