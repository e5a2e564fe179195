#include "models/scenes/parts.h"

#include <memory>

#include "models/collision/box.h"
#include "models/collision/plane.h"
#include "models/collision/sphere.h"

namespace nsn {

int add_ground(World& world, double mu, double extent) {
  Body body;
  body.name = "ground";
  body.kind = BodyKind::kStatic;
  const int ground = world.add_body(body);
  world.add_shape(ground, std::make_shared<Plane>(extent), {.mu = mu});
  return ground;
}

int add_box(World& world, const Vec3& size, double mass, const Vec3& position, double mu,
            const Quaternion& orientation) {
  Body body;
  body.mass = mass;
  body.inertia = box_inertia(mass, size);
  body.position = position;
  body.orientation = orientation;
  const int box = world.add_body(body);
  world.add_shape(box, std::make_shared<Box>(size), {.mu = mu});
  return box;
}

int add_ball(World& world, double radius, double mass, const Vec3& position, double mu) {
  Body body;
  body.mass = mass;
  body.inertia = sphere_inertia(mass, radius);
  body.position = position;
  const int ball = world.add_body(body);
  world.add_shape(ball, std::make_shared<Sphere>(radius), {.mu = mu});
  return ball;
}

int add_static_box(World& world, const Vec3& size, const Vec3& position, double mu) {
  Body body;
  body.kind = BodyKind::kStatic;
  body.position = position;
  const int box = world.add_body(body);
  world.add_shape(box, std::make_shared<Box>(size), {.mu = mu});
  return box;
}

double SceneRandom::uniform() {
  // splitmix64
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) * 0x1.0p-53;
}

}  // namespace nsn
