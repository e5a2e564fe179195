/// A multigrid hierarchy by AMGCL behind a few functions: the only header of it that others see.
///
/// Values are scalars, or 3x3 blocks where the matrix comes in such: a level is then aggregated,
/// smoothed and multiplied by blocks, a ninth of the indices and pivots of a whole contact.
#pragma once

#include <memory>
#include <string>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

struct AmgSettings {
  std::string coarsening;  ///< "smoothed-aggregation", "aggregation", "ruge-stuben"
  std::string
      smoother;  ///< "chebyshev", "spai0", "spai1", "damped-jacobi", "gauss-seidel", "ilu0", "iluk"
  unsigned sweeps = 1;
  unsigned cycle = 1;
  unsigned coarse_enough = 300;  ///< rows
  bool reuse = true;
  unsigned aggregate = 1;  ///< scalar rows that stay together
  /// Smoothed aggregation keeps the rigid motions of these points: rows coordinates, or empty.
  ConstVector positions{};
};

class AmgHierarchy {
 public:
  virtual ~AmgHierarchy() = default;
  /// z = one cycle on r from zero.
  virtual void apply(ConstVector r, Vector z) const = 0;
  virtual double bytes_per_apply() const = 0;
  virtual double bytes_held() const = 0;
};

/// Throws std::exception with AMGCL's words where none can be built. The matrix is copied.
std::unique_ptr<AmgHierarchy> make_amg_hierarchy(const AmgSettings& settings, const Csr& S);
/// "ruge-stuben" is refused: it knows scalars only.
std::unique_ptr<AmgHierarchy> make_amg_hierarchy(const AmgSettings& settings, const BlockCsr& S);

/// New values for the pattern that `hierarchy` was made for; false, and a hierarchy of no use, if they
/// do not fit its levels.
bool refresh(AmgHierarchy& hierarchy, const Csr& S);
bool refresh(AmgHierarchy& hierarchy, const BlockCsr& S);

}  // namespace nsn
