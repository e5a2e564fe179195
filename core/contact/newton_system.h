/// The linear part of one step of the proximal Newton method, whatever form it is solved in.
///
/// Around an iterate x every block of three rows is linearised to
///     d_i = d0_i + C_i z_i,      rows  R_i^T (W_A d)_i + E_i z_i = b_i,      W_A = W + A,
/// where z_i are the block's unknowns (an eliminated one has a zero column in C_i and R_i and a
/// unit row: z = 0). So the Newton matrix has the block pattern of W, always:
///
///     block                         unknown 0            unknown 1    unknown 2
///     open contact                  -                    -            -
///     sticking contact, C = R       e_N                  e_1          e_2
///     slipping contact along t      C: e_N + m t, R: e_N -            p (t turned by 90 degrees)
///     box row inside its bounds     e_k
///
/// Its symmetric part A_s = R^T sym(W_A) R + E is positive definite; the rest B, the coupling m of
/// the friction bound to the normal force (and the skew part of W), has a rank of at most the
/// number of slipping contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn {

/// C_i, R_i and E_i of one block.
struct BlockLinearization {
  std::uint8_t active = 0;  ///< bit k set: unknown k is solved for
  bool rotated = false;     ///< slipping: unknowns 0 and 2 as in the table above
  double tx = 1.0;          ///< t = (tx, ty), the direction of the friction force
  double ty = 0.0;
  double coupling = 0.0;                ///< m, mu where the friction bound follows x_N, 0 elsewhere
  double compliance[3] = {0., 0., 0.};  ///< diagonal of E, >= 0
};

/// d += C z for one block.
inline void expand(const BlockLinearization& block, const double* z, double* d) {
  if (block.rotated) {
    const double along = block.coupling * z[0];
    d[0] += z[0];
    d[1] += along * block.tx - z[2] * block.ty;
    d[2] += along * block.ty + z[2] * block.tx;
  } else {
    for (int k = 0; k < 3; ++k) d[k] += z[k];
  }
}

/// b = R^T y for one block; zero where an unknown is eliminated.
inline void restrict_to(const BlockLinearization& block, const double* y, double* b) {
  const double y2 = block.rotated ? block.tx * y[2] - block.ty * y[1] : y[2];
  b[0] = (block.active & 1U) != 0 ? y[0] : 0.0;
  b[1] = (block.active & 2U) != 0 ? y[1] : 0.0;
  b[2] = (block.active & 4U) != 0 ? y2 : 0.0;
}

/// How one Newton system was solved.
struct NewtonSolve {
  bool ok = false;            ///< z is finite and worth taking
  int linear_iterations = 0;  ///< Krylov iterations; 0 for a direct solve
  LinearStatus status = LinearStatus::kBackendError;
  double relative_residual = 0.0;
};

/// W of one problem, in the form that is cheapest to solve with. Scaled: everything but
/// diagonal_blocks() sees S W S.
class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  virtual Index blocks() const = 0;
  /// 3x3 diagonal blocks of W before scaling, 9 * blocks() doubles.
  virtual void diagonal_blocks(Vector out) const = 0;
  /// From now on W is S W S with S = diag(s), 3 * blocks() numbers > 0.
  virtual void scale(ConstVector s) = 0;
  /// y = W x.
  virtual void apply(ConstVector x, Vector y) const = 0;
  /// Takes the matrix R^T W_A C + E, W_A = W + diag(A), for the solves that follow. blocks and A
  /// must live and stay until the last of them.
  virtual void prepare(const std::vector<BlockLinearization>& blocks, ConstVector A) = 0;
  /// Solves (R^T W_A C + E) z = b; z is zero where unknowns are eliminated.
  [[nodiscard]] virtual NewtonSolve solve(ConstVector b, Vector z) = 0;
  /// Takes W + rho I, every row active, where this form has a cheaper way than prepare(): solves
  /// that follow are solve_shifted(). False: it has none.
  virtual bool prepare_shifted(double /*rho*/) { return false; }
  /// Solves (W + rho I) x = b; not ok where the way taken is not exact enough.
  [[nodiscard]] virtual NewtonSolve solve_shifted(ConstVector /*b*/, Vector /*x*/) { return {}; }
  /// Operations of one symmetric factorisation with every unknown active; 0: unknown.
  virtual double factorization_flops() { return 0.0; }
};

}  // namespace nsn
