/// Particles: points of three degrees of freedom, the nodes of deformable bodies.
#pragma once

#include "nsn/core/base/math3.h"
#include "nsn/models/world/body.h"

namespace nsn {

struct Particle {
  BodyKind kind = BodyKind::kDynamic;
  double mass = 1.0;  ///< kg, > 0 (dynamic particles)
  Vec3 position{};    ///< m
  Vec3 velocity{};    ///< m/s
  Vec3 force{};       ///< external force, N; gravity comes on top

  bool dynamic() const { return kind == BodyKind::kDynamic; }
};

/// Throws std::invalid_argument naming the particle unless its mass is positive and everything is
/// finite.
void validate(const Particle& particle, int index);

}  // namespace nsn
