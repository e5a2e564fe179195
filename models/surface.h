/// How a surface behaves in contact, of a shape or of a deformable body.
#pragma once

namespace nsn {

struct Surface {
  double mu = 0.5;          ///< friction; two surfaces combine by geometric mean
  double compliance = 0.0;  ///< normal compliance, m/N; two surfaces add
  double thickness = 0.0;   ///< the surface lies this far outside the shape, m; two surfaces add
};

}  // namespace nsn
