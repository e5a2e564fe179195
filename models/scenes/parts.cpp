#include "nsn/models/scenes/parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <utility>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/deformable/mesh_generators.h"

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

int add_capsule(World& world, double radius, double length, double mass, const Vec3& position,
                double mu, const Quaternion& orientation) {
  Body body;
  body.mass = mass;
  body.inertia = capsule_inertia(mass, radius, length);
  body.position = position;
  body.orientation = orientation;
  const int capsule = world.add_body(body);
  world.add_shape(capsule, std::make_shared<Capsule>(radius, length), {.mu = mu});
  return capsule;
}

int add_boxes(World& world, const std::vector<BoxPart>& parts, double mass, const Vec3& position,
              double mu, const Quaternion& orientation) {
  double volume = 0.0;
  Vec3 centre;
  for (const BoxPart& part : parts) {
    const double v = part.size[0] * part.size[1] * part.size[2];
    volume += v;
    centre += v * part.centre;
  }
  centre = (1.0 / volume) * centre;
  Body body;
  body.mass = mass;
  body.inertia = {};
  body.position = position;
  body.orientation = orientation;
  for (const BoxPart& part : parts) {
    const double m = mass * part.size[0] * part.size[1] * part.size[2] / volume;
    const Vec3 d = part.centre - centre;
    body.inertia += box_inertia(m, part.size) + m * (dot(d, d) * identity<3>() - outer(d, d));
  }
  const int index = world.add_body(body);
  for (const BoxPart& part : parts) {
    world.add_shape(index, std::make_shared<Box>(part.size), {.mu = mu}, part.centre - centre);
  }
  return index;
}

void add_pit(World& world, double half_width, double mu) {
  const int ground = add_ground(world, mu, 2.0 * half_width);
  for (int k = 0; k < 4; ++k) {
    const double angle = 0.5 * std::numbers::pi * k;
    const Vec3 inward{-std::cos(angle), -std::sin(angle), 0.0};
    const Vec3 axis = cross({0, 0, 1}, inward);
    world.add_shape(ground, std::make_shared<Plane>(0.0), {.mu = mu}, -half_width * inward,
                    rotation_about(axis, 0.5 * std::numbers::pi));
  }
}

void set_contact_compliance(World& world, double compliance) {
  for (int k = 0; k < static_cast<int>(world.shapes().size()); ++k) {
    Surface surface = world.shapes()[static_cast<std::size_t>(k)].surface;
    surface.compliance = 0.5 * compliance;
    world.set_surface(k, surface);
  }
}

OptionSpec contact_compliance_option(double by_default) {
  return OptionSpec::real("compliance", by_default, 0.0, 1e-2, "normal, of a contact, m/N");
}

int add_static_box(World& world, const Vec3& size, const Vec3& position, double mu) {
  Body body;
  body.kind = BodyKind::kStatic;
  body.position = position;
  const int box = world.add_body(body);
  world.add_shape(box, std::make_shared<Box>(size), {.mu = mu});
  return box;
}

int add_soft_ball(World& world, const Options& options, const Vec3& position) {
  DeformableOptions ball;
  ball.name = "ball";
  ball.model = material_from_name(options.text("material"));
  ball.material = {options.real("young"), options.real("poisson"), options.real("density")};
  ball.damping = options.real("damping");
  ball.surface = {.mu = options.real("mu")};
  ball.position = position;
  return world.add_deformable(
      ball_mesh(options.real("radius"), static_cast<Index>(options.integer("tets"))), ball);
}

std::vector<OptionSpec> soft_ball_options(long tets) {
  return {OptionSpec::choice("material", "neo-hookean", material_names(), "force law of the ball"),
          OptionSpec::real("young", 1e5, 1.0, 1e12, "Young's modulus, Pa"),
          OptionSpec::real("poisson", 0.45, 0.0, 0.4999, "Poisson's ratio"),
          OptionSpec::real("density", 1000.0, 1.0, 1e5, "kg/m^3"),
          OptionSpec::real("damping", 0.0, 0.0, 10.0, "relaxation time of strain rates, s"),
          OptionSpec::real("radius", 0.035, 1e-3, 1.0, "of the ball, m"),
          OptionSpec::integer("tets", tets, 20, 1e6, "of the ball"),
          OptionSpec::real("mu", 0.75, 0.0, 10.0, "friction coefficient")};
}

std::vector<OptionSpec> joined(std::vector<OptionSpec> first, const std::vector<OptionSpec>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

SurfaceMesh icosphere(int refinements) {
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  SurfaceMesh mesh;
  mesh.points = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                 {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.polygons = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                   {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                   {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                   {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (Vec3& p : mesh.points) p = normalized(p);
  for (int k = 0; k < refinements; ++k) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int i, int j) {
      const auto [found, is_new] = middles.try_emplace({std::min(i, j), std::max(i, j)},
                                                       static_cast<int>(mesh.points.size()));
      if (is_new) {
        mesh.points.push_back(normalized(mesh.points[static_cast<std::size_t>(i)] +
                                         mesh.points[static_cast<std::size_t>(j)]));
      }
      return found->second;
    };
    std::vector<std::vector<int>> finer;
    for (const auto& t : mesh.polygons) {
      const int a = middle(t[0], t[1]);
      const int b = middle(t[1], t[2]);
      const int c = middle(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], a, c}, {t[1], b, a}, {t[2], c, b}, {a, b, c}});
    }
    mesh.polygons = std::move(finer);
  }
  return mesh;
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

Quaternion SceneRandom::orientation() {
  // [Shoemake 1992]
  const double u = uniform();
  const double a = 2.0 * std::numbers::pi * uniform();
  const double b = 2.0 * std::numbers::pi * uniform();
  const double p = std::sqrt(1.0 - u);
  const double q = std::sqrt(u);
  return normalized(Quaternion{q * std::cos(b), p * std::sin(a), p * std::cos(a), q * std::sin(b)});
}

}  // namespace nsn
