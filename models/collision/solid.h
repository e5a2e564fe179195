/// Solids of uniform density: what a body weighs that is not told its mass.
#pragma once

#include "nsn/core/base/math3.h"

namespace nsn {

/// Uniform solids, kg m^2 about the centre of mass.
Mat3 box_inertia(double mass, const Vec3& size);
Mat3 sphere_inertia(double mass, double radius);
/// Axis along z.
Mat3 cylinder_inertia(double mass, double radius, double height);
/// Axis along z; `length` of the part between the two half balls.
Mat3 capsule_inertia(double mass, double radius, double length);

/// A solid of density 1 in the axes of its shape.
struct Solid {
  double volume = 0.0;  ///< m^3
  Vec3 centre;          ///< of mass
  Mat3 inertia;         ///< about the centre, m^5
};
Solid box_solid(const Vec3& size);
Solid sphere_solid(double radius);
Solid cylinder_solid(double radius, double height);
Solid capsule_solid(double radius, double length);

/// Inertia about a point that lies d from the centre of mass.
Mat3 shifted_inertia(const Mat3& inertia, double mass, const Vec3& d);

}  // namespace nsn
