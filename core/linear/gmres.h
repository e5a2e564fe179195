/// GMRES(m) for A x = b with any A, symmetric or not: minimises the residual over a Krylov space.
///
///   right:  A P y = b, x = P y      stops on |b - A x| <= max(rtol |b|, atol)
///   left:   P A x = P b             stops on |P (b - A x)| <= max(rtol |P (b - A x0)|, atol)
///
/// The right form sees the true residual and suits a general solver. The left form suits an outer
/// Newton iteration whose P is a factorised neighbour of A: its norm is an error norm then.
///
///   Gmres gmres;
///   gmres.allocate(n, 100);                              // up to 100 directions without a restart
///   LinearReport report;
///   gmres.solve(product, inverse, GmresSide::kLeft, b, x, {.rtol = 1e-8, .max_iterations = 100},
///               {}, report);
///
/// Directions are orthogonalised by classical Gram-Schmidt, a second time where the first pass
/// cancelled (two reads of the basis instead of one per direction), and the small least-squares
/// problem is kept triangular by Givens rotations.
#pragma once

#include <functional>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/iteration_goal.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn {

/// y = F x; x and y do not overlap. Must be linear and the same at every call.
using LinearMap = std::function<void(ConstVector x, Vector y)>;

enum class GmresSide { kLeft, kRight };

class Gmres {
 public:
  /// Workspace for systems of n rows and at most `directions` >= 1 directions between two restarts:
  /// 8 n (directions + 4) bytes. The only function that allocates.
  void allocate(Index n, int directions);

  /// Starts from x. P may be empty: no preconditioner. Fills status, iterations,
  /// recurrence_residual, detail of the report; products() and the rest say what it cost. A
  /// non-finite number never reaches x: it stays at the last good iterate.
  ///
  /// kStagnation: a whole cycle gained less than a thousandth, as on an inconsistent singular
  /// system.
  void solve(const LinearMap& A, const LinearMap& P, GmresSide side, ConstVector b, Vector x,
             const LinearControl& control, const Monitor& monitor, LinearReport& report);

  /// Of the last solve: products with A, products with P, and bytes moved by all else.
  long products() const { return products_; }
  long preconditions() const { return preconditions_; }
  double vector_bytes() const { return vector_bytes_; }
  double bytes_held() const;

 private:
  bool run_cycle(const LinearMap& A, const LinearMap& P, GmresSide side, Vector x,
                 const IterationGoal& goal, const Monitor& monitor, LinearReport& report);
  static bool ends(const IterationGoal& goal, LinearReport& report);
  Vector basis(int j) const;
  double begin(const LinearMap& A, const LinearMap& P, GmresSide side, ConstVector b,
               ConstVector x);
  void next_direction(const LinearMap& A, const LinearMap& P, GmresSide side, int j);
  double orthogonalize(int j);
  void rotate(int j, double below);
  void update(const LinearMap& P, GmresSide side, int directions, Vector x);
  double& H(int i, int j) {
    return hessenberg_[static_cast<std::size_t>(j) * g_.size() + static_cast<std::size_t>(i)];
  }

  Index n_ = 0;
  int m_ = 0;
  Vector V_;                        // m + 1 directions, one after another
  Vector w_;                        // new direction; b - A x
  Vector t_;                        // P or A in between
  Vector x_;                        // x before the last cycle
  std::vector<double> hessenberg_;  // (m + 1) x m, column by column; triangular after rotations
  std::vector<double> cosine_, sine_, g_, y_, h_;
  long products_ = 0;
  long preconditions_ = 0;
  double vector_bytes_ = 0.0;
};

}  // namespace nsn
