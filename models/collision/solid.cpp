#include "nsn/models/collision/solid.h"

#include <numbers>

namespace nsn {

Mat3 box_inertia(double mass, const Vec3& size) {
  const double xx = size[0] * size[0];
  const double yy = size[1] * size[1];
  const double zz = size[2] * size[2];
  return diagonal((mass / 12.0) * Vec3{yy + zz, xx + zz, xx + yy});
}

Mat3 sphere_inertia(double mass, double radius) {
  const double i = 0.4 * mass * radius * radius;
  return diagonal(Vec3{i, i, i});
}

Mat3 cylinder_inertia(double mass, double radius, double height) {
  const double i = mass * (3.0 * radius * radius + height * height) / 12.0;
  return diagonal(Vec3{i, i, 0.5 * mass * radius * radius});
}

Mat3 capsule_inertia(double mass, double radius, double length) {
  // The ends have their centre of mass 3/8 r beyond the cylinder: 2/5 r^2 about the ball's centre,
  // moved by (l/2)^2 + 3/8 l r.
  const double ends = mass * (4.0 / 3.0) * radius / (4.0 / 3.0 * radius + length);
  const double shift = 0.25 * length * length + 0.375 * length * radius;
  const double ball = ends * 0.4 * radius * radius;
  return cylinder_inertia(mass - ends, radius, length) +
         diagonal(Vec3{ball + ends * shift, ball + ends * shift, ball});
}

Solid box_solid(const Vec3& size) {
  const double volume = size[0] * size[1] * size[2];
  return {volume, {}, box_inertia(volume, size)};
}

Solid sphere_solid(double radius) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  return {volume, {}, sphere_inertia(volume, radius)};
}

Solid cylinder_solid(double radius, double height) {
  const double volume = std::numbers::pi * radius * radius * height;
  return {volume, {}, cylinder_inertia(volume, radius, height)};
}

Solid capsule_solid(double radius, double length) {
  const double volume = std::numbers::pi * radius * radius * (4.0 / 3.0 * radius + length);
  return {volume, {}, capsule_inertia(volume, radius, length)};
}

Mat3 shifted_inertia(const Mat3& inertia, double mass, const Vec3& d) {
  return inertia + mass * (dot(d, d) * identity<3>() - outer(d, d));
}

}  // namespace nsn
