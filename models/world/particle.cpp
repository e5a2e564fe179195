#include "nsn/models/world/particle.h"

#include <cmath>

#include "nsn/core/base/error.h"

namespace nsn {

void validate(const ConstParticleRef& particle, int index) {
  NSN_THROW_UNLESS(
      all_finite(particle.position) && all_finite(particle.velocity) && all_finite(particle.force),
      "particle {}: position, velocity or force is not finite", index);
  NSN_THROW_UNLESS(!particle.dynamic() || (particle.mass > 0.0 && std::isfinite(particle.mass)),
                   "particle {}: mass {} kg is not positive", index, particle.mass);
}

void append(const Particle& particle, ParticleArrays& to) {
  to.kind.push_back(particle.kind);
  to.mass.push_back(particle.mass);
  to.position.push_back(particle.position);
  to.velocity.push_back(particle.velocity);
  to.force.push_back(particle.force);
}

}  // namespace nsn
