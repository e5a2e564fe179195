/// Newton's method on the NCP functions of the rows, with the friction law of the paper (W) or of
/// Alart and Curnier.
///
/// In velocities u and impulses r, with the row blocks of core/step/system.h:
///
///   [ H  -J^T R^T ] [ du ]     [ g ]      g = M (u - u_free) - J^T F(r)
///   [ L J    C    ] [ x  ] = - [ h ]      h, L, C, R: what each block asks for (stage `scale`)
///
///   compliance form   (L W R^T + C) x = L J H^-1 g - h,            W = J H^-1 J^T
///                     du = H^-1 (J^T R^T x - g)
///   stiffness form    (H + J^T R^T C^-1 L J) du = -g - J^T R^T C^-1 h
///                     x = -C^-1 (h + L J du)
///
/// and r += t U^T x. L = R and C symmetric make the matrix symmetric: all laws but
/// Alart-Curnier's exact one.
///
///   block                  L = R            C                    h
///   normal, row-scaled     1                E + beta rho/alpha   phi/alpha     alpha >= 1e-4
///   normal, alpha-scaled   alpha            alpha E + beta rho   phi           F = alpha r
///   friction W             1                W                    v_T + W r_T
///   friction off           0                rho                  rho r_T
///   Alart-Curnier slip     p (across slip)  C_p                  residual_p    r_t set at once
///
/// A linear solver that needs no entries gets S as its factors L J, H^-1 and C where they move
/// fewer bytes a product than its blocks would: finite elements, where every row meets some seventy
/// others.
///
/// Differs from the paper: friction is switched off where mu r_N <= 0, the final velocity is
/// projected onto the momentum balance, and unknowns are impulses.
#pragma once

#include <memory>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/core/linear/linear_chain.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/delassus.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class PaperStep final : public StepMethod {
 public:
  PaperStep(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;

 private:
  /// What one row block asks for: L, C, R, U and h of the table above.
  struct BlockRow {
    Mat3 L, R, U, C;
    Vec3 h;
    Vec3 phi;    ///< unscaled residual, m/s: what the merit sums
    Vec3 force;  ///< F(r)
  };

  void fit(const System& system);
  void start(const System& system, State& state, bool warm);
  void scale(const System& system, Vector r);
  void scale_contact(const System& system, Index i, double* r, BlockRow& row) const;
  void scale_normal(const System& system, Index i, const Vec3& v, double r, BlockRow& row) const;
  void scale_paper_friction(double rho, double F, const Vec3& v, const double* r,
                            BlockRow& row) const;
  void scale_symmetric_alart_curnier(double rho, double F, const Vec3& v, double* r,
                                     BlockRow& row) const;
  void scale_alart_curnier(double mu, double rho, double F, const Vec3& v, const double* r,
                           BlockRow& row) const;
  void scale_box(const System& system, Index i, double* r, BlockRow& row) const;
  double merit(const System& system, ConstVector u);
  void linearise(StepEquations& equations, const State& state);
  void assemble_compliance(const System& system);
  void assemble_factors(const System& system);
  void assemble_right_side(const System& system);
  bool use_factors() const;
  void fit_factors();
  void assemble_stiffness(const System& system);
  Vec3 row_diagonal(Index i) const;
  void regularize(double& entry, double diagonal) const;
  void show(const System& system);
  LinearReport solve_linear(const System& system);
  void recover(const System& system);
  double step_length(StepEquations& equations, const State& state, const NewtonIteration& last);
  double line_search(StepEquations& equations, const State& state);
  double watchdog(StepEquations& equations, const State& state);
  bool measure(StepEquations& equations, State& state, NewtonIteration& record,
               NewtonResult& result);
  void set_forcing();
  void update(StepEquations& equations, State& state, double t);
  void finish(StepEquations& equations, State& state, NewtonResult& result);
  double trial_merit(StepEquations& equations, const State& state, double t);
  void advance(const State& state, double t);
  void project_momentum(StepEquations& equations, State& state);
  void update_quasi_newton(const System& system);
  LinearControl control() const;

  NewtonOptions options_;
  PaperOptions own_;
  StepMonitor& monitor_;
  std::unique_ptr<LinearSolver> linear_;

  std::uint64_t pattern_id_ = 0;
  StepEvaluation at_;
  Delassus delassus_;
  std::vector<BlockRow> rows_;
  BlockCsr S_;                               // compliance or stiffness matrix
  std::unique_ptr<BlockOperator> operator_;  // views S_
  std::unique_ptr<SchurOperator> factors_;   // S = J H^-1 J^T + C, rows of J scaled
  BlockCsr scaled_J_, C_;
  Vector diagonal_;
  bool factored_ = false;
  std::vector<Index> node_block_;  // stiffness form: block of S for each pair of a row's nodes
  Vector no_compliance_;           // zeros: C enters S by itself
  Vector C_out_;                   // for the observer
  Vector g_, H_, H_inverse_, b_, x_, du_, dr_, scratch_, row_scratch_, old_u_;
  Vector u_try_, r_try_, impulse_old_, quasi_;
  double t_ = 1.0;
  double forcing_ = 0.1;
  double merit_ = 0.0;
  BestIterate best_;
  double watch_merit_ = 0.0;  // smallest so far
  int watched_ = 0;           // full steps since
};

}  // namespace nsn
