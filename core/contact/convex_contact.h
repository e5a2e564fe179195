/// The convex friction problem of a given shift s >= 0, m/s, one number per contact:
///
///     min  1/2 x . W x + (q + s e_N) . x    over  x in the cone
///
/// With s = 0 it is what engines of convex contact solve: u itself, not u + mu |u_T| e_N, is in the dual cone, so that
/// sliding contacts open. Its solution with s = mu |u_T(s)| solves Coulomb's problem (core/problems/shift_map.h), and one
/// that sticks everywhere does at once.
///
/// Primal-dual interior point on the second-order cones Y = D x with D = (mu, 1, 1) / max(mu, 1) a contact and
/// W x + q + s e_N = D Z, scaled by Nesterov and Todd, predictor and corrector by Mehrotra. Each iteration factorises
///
///     W + D P D,    P = (Nesterov-Todd scaling)^-2, a 3 x 3 block per contact,
///
/// which is positive definite however many null vectors W has. Contacts of mu = 0 keep their normal rows alone.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "nsn/core/contact/row_law.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class ConvexContact {
 public:
  /// W: symmetric, in scaled variables (core/contact/scaled_problem.h), every diagonal block stored, viewed; laws:
  /// contacts alone, viewed. Throws std::invalid_argument for other rows.
  ConvexContact(const BlockCsr& W, std::span<const RowLaw> laws,
                std::unique_ptr<LinearSolver> solver);

  /// Impulses of an iterate, projected on the cones, and their velocity W x + q. True ends the solve.
  using Visit = std::function<bool(ConstVector x, ConstVector v)>;

  enum class Outcome {
    kConverged,  ///< gap and residuals at 1e-10 and 1e-9 of the load
    kStopped,    ///< by the visitor
    kStalled,    ///< no step is left, or a factorisation failed: the answer may be unbounded
    kBudget,     ///< max_factorizations
  };
  struct Report {
    Outcome outcome = Outcome::kBudget;
    int factorizations = 0;
  };
  /// From the same interior point each time. Visits iterates whose equations hold to 1e-3 of the load.
  /// stop(): asked before every factorisation; true ends the solve as a spent budget does.
  Report solve(ConstVector q, std::span<const double> shift, const Visit& visit,
               const std::function<bool()>& stop, int max_factorizations = 60);
  /// W x + q of the last iterate, not projected.
  ConstVector velocity() const { return v_; }

 private:
  using Cone = std::array<double, 3>;  // (apex, tangents)
  struct Contact {
    Cone D{};  // diagonal; 0: the row takes no part
    Cone Y{}, Z{}, dY{}, dZ{};
    Cone w{};               // scaling point, det w = 1
    double eta = 1.0;       // sqrt(det Y / det Z)
    Cone lambda{};          // W_nt Z = W_nt^-1 Y
    Cone residual{};        // Y - D x
    Cone c{};               // q + s e_N
    std::size_t place = 0;  // of the diagonal block among the blocks
  };

  void begin(ConstVector q, std::span<const double> shift);
  void measure(ConstVector q);
  bool close_to(double part) const;
  bool visit(ConstVector q, const Visit& visit);
  void scale();
  bool factorise();
  bool direction(const std::vector<Cone>& target);
  double longest() const;
  void advance(double length);

  BlockCsr W_, K_;
  std::vector<double> values_;
  std::span<const RowLaw> laws_;
  std::unique_ptr<LinearSolver> solver_;
  std::unique_ptr<BlockOperator> operator_;
  std::vector<Contact> contacts_;
  std::vector<Cone> target_;
  Vector x_, v_, dx_, b_, projected_, velocity_;
  double load_ = 1.0;  // size of q + s e_N per contact
  double gap_ = 0.0;   // Y . Z per contact
  double dual_ = 0.0;  // |W x + c - D Z| per contact
  double primal_ = 0.0;
};

}  // namespace nsn
