#include "nsn/models/world/particle.h"

#include <cmath>

#include "nsn/core/base/error.h"

namespace nsn {

void validate(const Particle& particle, int index) {
  NSN_THROW_UNLESS(
      all_finite(particle.position) && all_finite(particle.velocity) && all_finite(particle.force),
      "particle {}: position, velocity or force is not finite", index);
  NSN_THROW_UNLESS(!particle.dynamic() || (particle.mass > 0.0 && std::isfinite(particle.mass)),
                   "particle {}: mass {} kg is not positive", index, particle.mass);
}

}  // namespace nsn
