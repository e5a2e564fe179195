/// Rigid bodies: what moves, what it weighs, and what pushes it. A Body is what World::add_body takes;
/// in the world it is a row of arrays (models/world/body_arrays.h).
///
/// Position x is the centre of mass (m), orientation a unit quaternion (w, x, y, z) from body to
/// world axes, velocities are in world axes (m/s, rad/s). A step ends at
///
///   x + h v,    exp(h omega) q
#pragma once

#include <string>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/solid.h"

namespace nsn {

enum class BodyKind {
  kDynamic,    ///< moved by forces and contacts
  kStatic,     ///< never moves
  kKinematic,  ///< moves with its own velocity, whatever pushes it
};

struct Body {
  std::string name{};  ///< for messages and files; may be empty
  BodyKind kind = BodyKind::kDynamic;
  /// kg, > 0. Not told (0): that of the body's shapes, filled evenly.
  double mass = 0.0;
  /// About the centre of mass, body axes, kg m^2, SPD. Not told (zero): that of its shapes, for `mass`
  /// if that is told.
  Mat3 inertia{};
  double density = 1000.0;   ///< of shapes, kg/m^3, > 0, if the mass is not told
  Vec3 position{};           ///< m
  Quaternion orientation{};  ///< unit
  Vec3 velocity{};           ///< m/s
  Vec3 angular_velocity{};   ///< rad/s
  Vec3 force{};              ///< external force at the centre of mass, N; gravity comes on top
  Vec3 torque{};             ///< external torque, N m

  bool dynamic() const { return kind == BodyKind::kDynamic; }
  bool tells_mass() const { return mass != 0.0; }
  bool tells_inertia() const;
};

/// omega after a step h of free rotation: I (w - w0) + h w x I w = 0 in world axes by two Newton
/// steps. Implicit: an explicit gyroscopic term gains energy without bound on fast bodies.
Vec3 gyroscopic_update(const Mat3& inertia_world, const Vec3& omega, double h);

}  // namespace nsn
