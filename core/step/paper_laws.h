/// Stage `scale` of the paper's method (core/step/paper_step.h): what each row block asks for.
///
///   row of a block           L = R            C                    h
///   one bound, row-scaled    1                E + beta rho/alpha   phi/alpha         alpha >= 1e-4
///   one bound, alpha-scaled  alpha            alpha E + beta rho   phi               F(r) = alpha r
///   friction W               1                W                    v_T + W r_T
///   friction off             0                rho                  rho r_T
///   Alart-Curnier slip       p (across slip)  C_p                  residual_p        r_t set at once
///   none or two, inside      1                E                    v
///   two bounds, at one       0                rho                  rho (r - bound)
///
/// One bound: normals of contacts and limits of joints, phi(v, rho r) = 0 by the chosen NCP
/// function (r from the bound on, both negated where it is an upper one). Two bounds, as drives of
/// limited effort have them, are no complementarity problem of two terms: the projection.
///
/// The laws themselves are in ncp/friction.h and ncp/natural_map.h.
#pragma once

#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"

namespace nsn {

/// One row block:  L J du + C x = -h,  x the unknowns; J^T R^T x in the momentum, dr = U^T x.
struct PaperRow {
  Mat3 L, R, U, C;
  Vec3 h;
  Vec3 phi;    ///< unscaled residual, m/s: what the merit sums
  Vec3 force;  ///< F(r), the impulse in the momentum balance
};

class PaperLaws {
 public:
  /// The options must outlive it.
  explicit PaperLaws(const PaperOptions& options) : options_(options) {}

  void fit(const System& system);
  /// Rows at the impulses r, with value and E in `at`. Alart-Curnier sets the slipping part of r.
  void scale(const System& system, const StepEvaluation& at, Vector r);

  std::vector<PaperRow>& rows() { return rows_; }

 private:
  void scale_contact(double mu, const double* rho, double E, const Vec3& v, double* r,
                     PaperRow& row) const;
  void scale_box(const RowLaw& law, const double* rho, const Mat3& E, const Vec3& v,
                 const double* r, PaperRow& row) const;
  /// Row k: side = 1 for 0 <= v orthogonal to r >= bound, -1 for 0 >= v and r <= bound.
  struct OneBound {
    int k = 0;
    double bound = 0.0;
    double side = 1.0;
  };
  void scale_one_sided(const OneBound& at, double rho, double E, double v, double r,
                       PaperRow& row) const;
  void scale_fixed_point(double rho, double F, const Vec3& v, const double* r, PaperRow& row) const;
  void scale_alart_curnier(double rho, double F, const Vec3& v, double* r, PaperRow& row) const;
  void scale_full_alart_curnier(double mu, double rho, double F, const Vec3& v, const double* r,
                                PaperRow& row) const;

  const PaperOptions& options_;
  std::vector<PaperRow> rows_;
};

}  // namespace nsn
