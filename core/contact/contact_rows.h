/// What the rows of a complementarity problem u = W x + q are: frictional contacts and bounded
/// rows.
///
/// Rows come in blocks of three. Everything that is not a contact is one kind, the box row
///     lower <= x <= upper,   u = 0 inside, u >= 0 at lower, u <= 0 at upper,
/// which is a joint (-inf, inf), a limit (0, inf), a motor (-h tau, h tau) or a finite element
/// (-inf, inf, with its compliance on the diagonal of W). A block that is not full is completed by
/// rows (-inf, inf) with a unit diagonal, no coupling and q = 0: their x is zero.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {

enum class BlockKind : std::uint8_t {
  kContact,        ///< (n, t1, t2)
  kPlanarContact,  ///< (n, t, padding): a contact in 2D
  kBox,            ///< three bounded rows
};

/// One entry a block; bounds three a block.
struct ContactRows {
  std::vector<BlockKind> kind;
  std::vector<double> mu;     ///< friction coefficient, >= 0; not read for box rows
  std::vector<double> lower;  ///< impulse, kg m/s, -inf allowed; not read for contacts
  std::vector<double> upper;  ///< impulse, >= lower, inf allowed

  Index blocks() const { return static_cast<Index>(kind.size()); }
  Index rows() const { return kBlock * blocks(); }

  /// n contacts, mu given for each; planar: in 2D.
  static ContactRows contacts(const std::vector<double>& mu, bool planar = false);
  void add_contact(double mu, bool planar = false);
  void add_box(const double (&lower)[3], const double (&upper)[3]);
};

/// Throws std::invalid_argument naming the first block whose data is unusable (mu < 0, NaN, lower >
/// upper, lengths that do not agree).
void validate(const ContactRows& rows);

}  // namespace nsn
