/// The law of one block of three rows, from the model that makes it to the solver that obeys it.
///
///   contact (n, t1, t2):  0 <= u_N orthogonal to x_N >= 0, Coulomb friction |x_T| <= mu x_N
///   box row:              lo <= x <= hi,   u = 0 inside, u >= 0 at lo, u <= 0 at hi
///
/// Everything that is not a contact is box rows: a joint (-inf, inf), a limit (0, inf), a drive
/// (-h tau, h tau) or a finite element (-inf, inf, with its compliance on the diagonal of W). A
/// block that is not full is completed by rows (-inf, inf) with a unit diagonal, no coupling and
/// q = 0: their x is zero. core/contact/law_map.h has their maps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/ncp/function.h"

namespace nsn {

struct RowLaw {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  enum class Kind : std::uint8_t {
    kContact,        ///< (n, t1, t2)
    kPlanarContact,  ///< (n, t, padding): a contact in 2D
    kBox,            ///< three bounded rows
  };

  Kind kind = Kind::kContact;
  /// contact: v_N is a velocity that includes a rebound, not a gap over h; nothing of it is
  /// an overlap.
  bool rebounds = false;
  /// Box without bounds whose E is positive definite (an elastic element): its impulse follows from
  /// the velocity, r = -E^-1 v, so that the row can be eliminated (core/step/reductions/elastic_mass.h).
  bool elastic = false;
  /// Friction coefficients above count as this one: cones that a plane cannot be told from need digits
  /// that impulses of one and the same contact do not have.
  static constexpr double kMostFriction = 1e4;
  double mu = 0.0;                                      ///< contact: friction coefficient, >= 0
  double lo[3] = {-kInfinity, -kInfinity, -kInfinity};  ///< box: impulse bounds, kg m/s
  double hi[3] = {kInfinity, kInfinity, kInfinity};     ///< >= lo

  static RowLaw contact(double friction) {
    RowLaw law;
    const bool huge = friction > kMostFriction && friction < kInfinity;
    law.mu = huge ? kMostFriction : friction;
    return law;
  }
  static RowLaw planar_contact(double friction) {
    RowLaw law = contact(friction);
    law.kind = Kind::kPlanarContact;
    return law;
  }
  static RowLaw box(const double (&lower)[3], const double (&upper)[3]) {
    RowLaw law;
    law.kind = Kind::kBox;
    for (int k = 0; k < 3; ++k) {
      law.lo[k] = lower[k];
      law.hi[k] = upper[k];
    }
    return law;
  }
  static RowLaw elastic_element() {
    RowLaw law;
    law.kind = Kind::kBox;
    law.elastic = true;
    return law;
  }

  NSN_FUNCTION bool is_contact() const { return kind != Kind::kBox; }
  /// Box whose rows have no bounds: an equation. Elastic elements are such, joints and springs too.
  bool unbounded() const {
    bool none = !is_contact();
    for (int k = 0; k < 3; ++k) none = none && lo[k] == -kInfinity && hi[k] == kInfinity;
    return none;
  }
};

/// Contacts of these friction coefficients; planar: in 2D.
std::vector<RowLaw> contact_laws(std::span<const double> mu, bool planar = false);
/// The laws of the blocks `kept`, in `out`, which keeps its memory.
void select_laws(std::span<const RowLaw> laws, std::span<const Index> kept,
                 std::vector<RowLaw>& out);
/// Returns true if both have as many blocks of the same kinds.
bool same_kinds(std::span<const RowLaw> a, std::span<const RowLaw> b);
/// Throws std::invalid_argument naming the first block whose data is unusable (mu < 0 or not a
/// number, lo > hi).
void validate(std::span<const RowLaw> laws);

}  // namespace nsn
