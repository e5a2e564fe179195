/// A contact problem in scaled variables, shared by every method that works on it.
///
///     u = W r + q  with the laws of the rows (core/contact/row_law.h)
///
/// One number per contact (cones stay cones) and one per box row,
///     s = |W_ii|_2^(-1/2),   W <- S W S,  q <- S q,  x = r / s,
/// so a method does not depend on units. Errors refer to the original ones:
///
///     siconos    |r - Pi(r - u)|_2 / max(|q|, |r|, |u|)
///     unit-free  |(x - Pi(x - v)) / s|_2 / |q|_2,     v = S u
///
/// with P of ncp/natural_map.h (core/problems/friction_error.h has the same of bare problems).
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/contact/newton_system.h"
#include "nsn/core/contact/row_law.h"

namespace nsn {

/// Errors of one iterate.
struct ProximalError {
  double siconos = std::numeric_limits<double>::infinity();
  double unit_free = std::numeric_limits<double>::infinity();
};

class ScaledProblem {
 public:
  /// The system must live as long as this object.
  explicit ScaledProblem(NewtonSystem& system) : system_(&system) {}

  /// Laws of the system's rows; s = 1 until rescale(). Allocates. Throws std::invalid_argument if
  /// laws and system do not agree or a law is invalid.
  void refit(std::span<const RowLaw> laws);
  /// Other friction coefficients and bounds, same kinds; takes effect at the next rescale().
  void change_laws(std::span<const RowLaw> laws);
  /// The system has new values of W.
  void rescale();
  /// q as given, m/s.
  void set_q(ConstVector q);

  NewtonSystem& system() const { return *system_; }
  Index blocks() const { return static_cast<Index>(laws_.size()); }
  Index rows() const { return kBlock * blocks(); }
  bool has_contacts() const { return has_contacts_; }
  std::span<const RowLaw> given_laws() const { return given_; }
  std::span<const RowLaw> laws() const { return laws_; }  ///< bounds scaled
  ConstVector s() const { return s_; }
  ConstVector q() const { return q_; }       ///< scaled
  double q_norm() const { return q_norm_; }  ///< scaled

  /// v = W x + q
  void velocity(ConstVector x, Vector v) const;
  /// r = S x and x = S^-1 r; in place too.
  void unscale(ConstVector x, Vector r) const;
  void scale(ConstVector r, Vector x) const;

  /// Errors of x with v = W x + q.
  ProximalError error(ConstVector x, ConstVector v) const;
  /// Largest of a block, |x - Pi(x - v)| / s, m/s; infinite if one is not a number.
  double largest_error(ConstVector x, ConstVector v) const;
  /// x = impulses that the laws allow.
  void clip(Vector x) const;

 private:
  NewtonSystem* system_;
  std::vector<RowLaw> given_, laws_;
  bool has_contacts_ = false;
  double q_norm_ = 0.0;
  double q_norm_given_ = 0.0;
  std::vector<double> arena_;  // the three that follow
  Vector s_, q_, diagonal_;
};

}  // namespace nsn
