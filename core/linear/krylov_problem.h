/// What an iteration with a preconditioner is handed.
#pragma once

#include "nsn/core/linear/iteration_goal.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

/// A x = b, P close to the inverse of A.
struct KrylovProblem {
  const LinearOperator& A;
  const Preconditioner& P;
  ConstVector d;  ///< diagonal of P, empty for a general P
  ConstVector b;
  Vector x;
  const LinearControl& control;
  const Monitor& monitor;
  double rhs_norm;
  IterationGoal goal{control, rhs_norm};

  Index n() const { return A.rows(); }
  bool diagonal() const { return d.extent(0) > 0; }
};

}  // namespace nsn
