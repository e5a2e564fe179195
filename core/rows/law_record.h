/// A force law over particles as a record for devices (models/rows/compliance_rows.h): its elements
/// are constant while the world does not change, and are copied once.
#pragma once

#include <cstdint>
#include <span>

#include "nsn/core/elastic/spring.h"
#include "nsn/core/elastic/strain_rate.h"

namespace nsn {

using ElasticLaw = LawsOf<ElasticMaterial, SpringLaw, StrainRateLaw>::Variant;

/// What E c, J and E of an element of length l become in rows of a step (models/rows/compliance_rows.h).
struct RowScale {
  double value, J, E;
};
NSN_FUNCTION RowScale row_scale(double l, double h) {
  return {l / h, l, l * l / (h * h)};
}

struct LawRecord {
  std::uint64_t id = 0;  ///< of what is constant: law and elements
  Index row = 0;         ///< row block of the island of its first one; the others follow
  Index particle = 0;    ///< particle record of its node 0; the others follow
  ElasticLaw law;
  std::span<const Spring> springs;   ///< of SpringLaw
  std::span<const TetElement> tets;  ///< of all others
  std::span<const double> pressure;  ///< activation of each tetrahedron, Pa; may be empty
};

}  // namespace nsn
