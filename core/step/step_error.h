/// Evaluates the rows of a step and the errors of an iterate (core/step/newton_result.h).
#pragma once

#include <algorithm>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/step/newton_result.h"
#include "nsn/core/step/system.h"

namespace nsn {

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
