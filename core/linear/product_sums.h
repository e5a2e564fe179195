/// Sums that a Krylov loop wants of a product y = S x, taken while the rows are in cache.
#pragma once

#include "nsn/ncp/function.h"

namespace nsn {

/// With a diagonal preconditioner P = diag(d) and x = P r they are all a loop needs to know of r
/// and of the last direction's product q.
struct ProductSums {
  double x_y = 0.0;   ///< x^T y
  double y_Py = 0.0;  ///< y^T P y
  double r_r = 0.0;   ///< r^T r,  r = x ./ d
  double r_x = 0.0;   ///< r^T x = r^T P r
  double x_q = 0.0;   ///< x^T q; this and the next two are 0 without a q
  double y_Pq = 0.0;  ///< y^T P q
  double q_Pq = 0.0;  ///< q^T P q

  /// Adds what one row brings.
  NSN_FUNCTION void add(double x, double d, double y) {
    const double r = x / d;
    x_y += x * y;
    y_Py += y * y * d;
    r_r += r * r;
    r_x += r * x;
  }
  NSN_FUNCTION void add(double x, double d, double y, double q) {
    add(x, d, y);
    const double dq = d * q;
    x_q += x * q;
    y_Pq += y * dq;
    q_Pq += q * dq;
  }
};

}  // namespace nsn
