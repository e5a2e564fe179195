/// The bodies of a world as arrays, one per quantity, so that programs, files and other languages can
/// view them whole:
///
///   const std::vector<Vec3>& x = world.bodies().arrays().position;
///   world.bodies()[b].velocity = {1, 0, 0};        // one body: a BodyRef of references
///
/// models/world/array_block.h says how long a view of them lives.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "nsn/models/world/array_block.h"
#include "nsn/models/world/body.h"

namespace nsn {

struct BodyArrays {
  std::vector<std::string> name;
  std::vector<BodyKind> kind;
  std::vector<double> mass;
  std::vector<Mat3> inertia;
  std::vector<Vec3> position;
  std::vector<Quaternion> orientation;
  std::vector<Vec3> velocity;
  std::vector<Vec3> angular_velocity;
  std::vector<Vec3> force;
  std::vector<Vec3> torque;
};

/// One body of the arrays, by the names of Body. Valid until a body is added.
template <bool kConst>
struct BodyReference {
  template <class T>
  using Ref = std::conditional_t<kConst, const T&, T&>;
  using Arrays = std::conditional_t<kConst, const BodyArrays, BodyArrays>;
  using Single = std::conditional_t<kConst, const Body, Body>;

  Ref<std::string> name;
  Ref<BodyKind> kind;
  Ref<double> mass;
  Ref<Mat3> inertia;
  Ref<Vec3> position;
  Ref<Quaternion> orientation;
  Ref<Vec3> velocity;
  Ref<Vec3> angular_velocity;
  Ref<Vec3> force;
  Ref<Vec3> torque;

  BodyReference(Arrays& of, std::size_t b)
      : name(of.name[b]),
        kind(of.kind[b]),
        mass(of.mass[b]),
        inertia(of.inertia[b]),
        position(of.position[b]),
        orientation(of.orientation[b]),
        velocity(of.velocity[b]),
        angular_velocity(of.angular_velocity[b]),
        force(of.force[b]),
        torque(of.torque[b]) {}
  BodyReference(Single& body) : BodyReference(body, 0) {}  // NOLINT(google-explicit-constructor)
  BodyReference(const BodyReference<false>& other)         // NOLINT(google-explicit-constructor)
      requires kConst : BodyReference(other, 0) {}

  bool dynamic() const { return kind == BodyKind::kDynamic; }
  /// World point of a point in body axes.
  Vec3 to_world(const Vec3& local) const { return position + rotation_matrix(orientation) * local; }
  operator Body() const {  // NOLINT(google-explicit-constructor)
    return {.name = name,
            .kind = kind,
            .mass = mass,
            .inertia = inertia,
            .position = position,
            .orientation = orientation,
            .velocity = velocity,
            .angular_velocity = angular_velocity,
            .force = force,
            .torque = torque};
  }

 private:
  template <class From>
  BodyReference(From& from, int)
      : name(from.name),
        kind(from.kind),
        mass(from.mass),
        inertia(from.inertia),
        position(from.position),
        orientation(from.orientation),
        velocity(from.velocity),
        angular_velocity(from.angular_velocity),
        force(from.force),
        torque(from.torque) {}
};
using BodyRef = BodyReference<false>;
using ConstBodyRef = BodyReference<true>;

/// Throws std::invalid_argument naming the body (its index and name) unless mass and inertia are
/// positive (definite) and everything is finite.
void validate(const ConstBodyRef& body, int index);
/// The same for a body that may leave mass and inertia to its shapes.
void validate_told(const Body& body, int index);
/// Inertia R I R^T in world axes.
Mat3 world_inertia(const ConstBodyRef& body);
/// Kinetic energy, J.
double kinetic_energy(const ConstBodyRef& body);

using Bodies = ArrayBlock<BodyArrays, BodyRef, ConstBodyRef>;
/// At the end.
void append(Body body, BodyArrays& to);
void assign(Body body, const BodyRef& to);

}  // namespace nsn
