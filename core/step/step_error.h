/// How far an iterate is from the solution of a step, the same for every method (docs/theory.md):
///
///   e_n = h max |min(v_N, rho r_N)|                        m      gap and normal impulse
///   e_f = max rho |r_T - P(r_T - v_T / rho)|               m/s    P: projection on |r_T| <= mu r_N
///   e_b = max rho |r - clip(r - v / rho, lo, hi)|          m/s    box rows
///   e_m = max s |u - u_free - M^-1 J^T r|                  m/s    momentum; s = 1 for particles and
///         centres of mass, for spins (rad/s) the radius of gyration of their body, m
///
///   total = max(e_n / h, e_f, e_b, e_m),     relative = total / max(|u_free|, h g)
///
/// [Macklin19] plots e_n and e_f alone.
///
/// v = value + E r with the rows evaluated at q(u), rho the effective mass of each row at the start
/// of the step (ncp/natural_map.h). Never a solver's own scaled residual.
#pragma once

#include <algorithm>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/system.h"

namespace nsn {

struct StepError {
  double normal = 0.0;    ///< e_n, m
  double friction = 0.0;  ///< e_f, m/s
  double box = 0.0;       ///< e_b, m/s
  double momentum = 0.0;  ///< e_m, m/s
  double total = 0.0;     ///< m/s; infinite if an iterate is not finite
  double relative = 0.0;  ///< total over the step's speed scale
  Index worst = -1;       ///< row block of the largest e_n / h, e_f or e_b; -1: none
};

/// Rows at one velocity: value and J, and the buffers their use needs. Sized by fit(), which keeps
/// its memory; the views end with this object.
class StepEvaluation {
 public:
  StepEvaluation() = default;
  StepEvaluation(const StepEvaluation&) = delete;
  StepEvaluation& operator=(const StepEvaluation&) = delete;

  /// Allocates for the system's pattern; nothing if it is that of the last call. To be called
  /// at the start of every step: E starts from the system's.
  void fit(const System& system);
  /// Exchanges rows and memory with another evaluation of the same system.
  void swap(StepEvaluation& other);
  void evaluate(StepEquations& equations, ConstVector u) { equations.evaluate(u, value, J, E); }
  /// impulse = J^T r, 3 per node
  void apply_transposed(ConstVector r, Vector impulse) const;
  /// y = J u, 3 per block
  void apply(ConstVector u, Vector y) const { multiply(J, u, y); }
  StepError error(const System& system, ConstVector u, ConstVector r);
  /// Largest of the contacts' rows alone, m/s
  double contact_error(const System& system, ConstVector r) const;
  /// J^T r of the last error()
  ConstVector impulse() const { return impulse_; }

  /// The three parts of one block's error, m/s.
  struct BlockError {
    double normal = 0.0;
    double friction = 0.0;
    double box = 0.0;

    double largest() const;  ///< not a number if one of them is not
  };

  Vector value;  ///< 3 per block, m/s
  BlockCsr J;
  Vector E;  ///< compliance over h^2, 9 per block, 1/kg; the system's own unless it varies

 private:
  BlockError block_error(const System& system, ConstVector r, Index i) const;

  std::uint64_t pattern_id_ = 0;
  std::vector<double> storage_;
  Vector impulse_;
};

/// y = blocks x for 3x3 block diagonal matrices, 9 per block.
void multiply_blocks(ConstVector blocks, ConstVector x, Vector y);

}  // namespace nsn
