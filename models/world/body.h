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

namespace nsn {

enum class BodyKind {
  kDynamic,    ///< moved by forces and contacts
  kStatic,     ///< never moves
  kKinematic,  ///< moves with its own velocity, whatever pushes it
};

struct Body {
  std::string name{};  ///< for messages and files; may be empty
  BodyKind kind = BodyKind::kDynamic;
  double mass = 1.0;             ///< kg, > 0 (dynamic bodies)
  Mat3 inertia = identity<3>();  ///< about the centre of mass, body axes, kg m^2, SPD
  Vec3 position{};               ///< m
  Quaternion orientation{};      ///< unit
  Vec3 velocity{};               ///< m/s
  Vec3 angular_velocity{};       ///< rad/s
  Vec3 force{};                  ///< external force at the centre of mass, N; gravity comes on top
  Vec3 torque{};                 ///< external torque, N m

  bool dynamic() const { return kind == BodyKind::kDynamic; }
};

/// omega after a step h of free rotation: I (w - w0) + h w x I w = 0 in world axes by two Newton
/// steps. Implicit: an explicit gyroscopic term gains energy without bound on fast bodies.
Vec3 gyroscopic_update(const Mat3& inertia_world, const Vec3& omega, double h);

/// Uniform solids, kg m^2 about the centre of mass.
Mat3 box_inertia(double mass, const Vec3& size);
Mat3 sphere_inertia(double mass, double radius);
/// Axis along z.
Mat3 cylinder_inertia(double mass, double radius, double height);
/// Axis along z; `length` of the part between the two half balls.
Mat3 capsule_inertia(double mass, double radius, double length);

}  // namespace nsn
