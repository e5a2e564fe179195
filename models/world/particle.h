/// Particles: points of three degrees of freedom, the nodes of deformable bodies.
#pragma once

#include <type_traits>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/world/array_block.h"
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

/// The particles of a world, one array per quantity (models/world/body_arrays.h).
struct ParticleArrays {
  std::vector<BodyKind> kind;
  std::vector<double> mass;
  std::vector<Vec3> position;
  std::vector<Vec3> velocity;
  std::vector<Vec3> force;
};

/// One of them, by the names of Particle. Valid until a particle is added.
template <bool kConst>
struct ParticleReference {
  template <class T>
  using Ref = std::conditional_t<kConst, const T&, T&>;
  using Arrays = std::conditional_t<kConst, const ParticleArrays, ParticleArrays>;
  using Single = std::conditional_t<kConst, const Particle, Particle>;

  Ref<BodyKind> kind;
  Ref<double> mass;
  Ref<Vec3> position;
  Ref<Vec3> velocity;
  Ref<Vec3> force;

  ParticleReference(Arrays& of, std::size_t p)
      : kind(of.kind[p]),
        mass(of.mass[p]),
        position(of.position[p]),
        velocity(of.velocity[p]),
        force(of.force[p]) {}
  ParticleReference(Single& one)  // NOLINT(google-explicit-constructor)
      : kind(one.kind),
        mass(one.mass),
        position(one.position),
        velocity(one.velocity),
        force(one.force) {}
  ParticleReference(const ParticleReference<false>& one)  // NOLINT(google-explicit-constructor)
      requires kConst : kind(one.kind),
                        mass(one.mass),
                        position(one.position),
                        velocity(one.velocity),
                        force(one.force) {}

  bool dynamic() const { return kind == BodyKind::kDynamic; }
};
using ParticleRef = ParticleReference<false>;
using ConstParticleRef = ParticleReference<true>;

/// Throws std::invalid_argument naming the particle unless its mass is positive and everything is
/// finite.
void validate(const ConstParticleRef& particle, int index);

using Particles = ArrayBlock<ParticleArrays, ParticleRef, ConstParticleRef>;
/// At the end.
void append(const Particle& particle, ParticleArrays& to);

}  // namespace nsn
