/// The natural map (ncp/natural_map.h) of a block by its law, in scaled variables: rho = 1.
#pragma once

#include "nsn/core/contact/row_law.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {

/// out = x - Pi(x - u), zero exactly at a solution.
inline void natural_map(const RowLaw& law, const double* x, const double* u, double* out) {
  if (law.is_contact()) {
    ncp::natural_map(x, u, law.mu, 1.0, out);
    return;
  }
  for (int k = 0; k < 3; ++k) out[k] = ncp::natural_map(x[k], u[k], law.lo[k], law.hi[k], 1.0);
}

/// p = the nearest impulse to z that the law allows.
inline void project(const RowLaw& law, const double* z, double* p) {
  if (law.is_contact()) {
    ncp::project_on_cone(z, law.mu, p);
    return;
  }
  for (int k = 0; k < 3; ++k) p[k] = ncp::clip(z[k], law.lo[k], law.hi[k]);
}

/// x = an impulse that the law allows: box rows clipped, contacts pulled into their cone radially.
inline void clip(const RowLaw& law, double* x) {
  if (law.is_contact()) {
    ncp::clip_to_cone(law.mu, x);
    return;
  }
  for (int k = 0; k < 3; ++k) x[k] = ncp::clip(x[k], law.lo[k], law.hi[k]);
}

/// The Newton linearisation of box rows.
inline void linearise_box(const RowLaw& law, const double* x, const double* u,
                          const ncp::LinearisedBlock& out) {
  out.rows = {};
  for (int k = 0; k < 3; ++k) {
    ncp::linearise_box(k, x[k], u[k], law.lo[k], law.hi[k], 1.0, out);
  }
}

}  // namespace nsn
