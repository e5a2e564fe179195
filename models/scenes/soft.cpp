// Scenes of deformable bodies.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/attachment_rows.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

constexpr double kSmall = 1e-9;

MaterialParameters material_of(const Options& options) {
  return {options.real("young"), options.real("poisson"), options.real("density")};
}

OptionSpec material_option(const std::string& value = "neo-hookean") {
  return OptionSpec::choice("material", value, material_names(), "force law of the elements");
}

std::vector<OptionSpec> material_options(double young, double poisson, double density) {
  return {OptionSpec::real("young", young, 1.0, 1e12, "Young's modulus, Pa"),
          OptionSpec::real("poisson", poisson, 0.0, 0.4999, "Poisson's ratio"),
          OptionSpec::real("density", density, 1.0, 1e5, "kg/m^3"),
          OptionSpec::real("damping", 0.0, 0.0, 10.0, "relaxation time of strain rates, s")};
}

DeformableOptions body_of(const Options& options, const std::string& material) {
  DeformableOptions body;
  body.name = material;
  body.model = material_from_name(material);
  body.material = material_of(options);
  body.damping = options.real("damping");
  if (body.model == MaterialModel::kCorotational) body.elements.rows = ElementRows::kStrains;
  return body;
}

/// Nodes of a deformable that `inside` picks by rest position become fixed or moved by hand.
template <class Inside>
void hold(World& world, int deformable, BodyKind kind, const Inside& inside) {
  const Deformable& body = world.deformable(deformable);
  for (int n = 0; n < body.num_nodes(); ++n) {
    if (!inside(body.mesh.node[static_cast<std::size_t>(n)])) continue;
    world.particle(body.particle(n)).kind = kind;
  }
}

/// Kinematic nodes go where `target(rest position, time)` says.
using Motion = std::function<Vec3(const Vec3& rest, double time)>;
void follow(World& world, double h, int deformable, const Motion& target) {
  const Deformable& body = world.deformable(deformable);
  for (int n = 0; n < body.num_nodes(); ++n) {
    const ParticleRef particle = world.particle(body.particle(n));
    if (particle.kind != BodyKind::kKinematic) continue;
    const Vec3 goal = target(body.mesh.node[static_cast<std::size_t>(n)], world.time + h);
    particle.velocity = (1.0 / h) * (goal - particle.position);
  }
}

/// 0 until `start`, 1 from `end` on, smooth between.
double ramp(double time, double start, double end) {
  const double t = std::clamp((time - start) / (end - start), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

/// Grips of a bar that let it shrink sideways: end faces are held along x only, one corner at all
/// and the next one against turning. The far end follows `end`, a kinematic body.
void grip_sliding(World& world, int deformable, int start, int end, const Vec3& size) {
  auto rows = std::make_unique<AttachmentRowSet>();
  const Deformable& body = world.deformable(deformable);
  for (int n = 0; n < body.num_nodes(); ++n) {
    const Vec3& x = body.mesh.node[static_cast<std::size_t>(n)];
    const bool far = x[0] > size[0] - kSmall;
    if (!far && x[0] > kSmall) continue;
    Attachment held = attach_in_place(world, body.particle(n), far ? end : start);
    const bool corner = !far && x[1] < kSmall && x[2] < kSmall;
    const bool beside = !far && x[1] > size[1] - kSmall && x[2] < kSmall;
    held.axes = {true, corner, corner || beside};
    rows->add(held, world);
  }
  world.add_rows(std::move(rows));
}

/// The materials next to each other, each gripped at both ends and stretched along x.
World material_extension(const Options& options) {
  World world;
  world.gravity = {};
  const bool sheet = options.text("shape") == "sheet";
  const auto cells = static_cast<Index>(options.integer("cells"));
  const Vec3 size = sheet ? Vec3{0.2, 0.2, 0.01} : Vec3{0.2, 0.05, 0.05};
  const std::array<Index, 3> grid = sheet ? std::array<Index, 3>{2 * cells, 2 * cells, 1}
                                          : std::array<Index, 3>{4 * cells, cells, cells};
  const TetMesh mesh = bar_mesh(size, grid, CellPattern::kFive);
  const double stretch = options.real("stretch");
  const double time = options.real("time");
  const bool clamped = options.text("grip") == "clamped";
  Body grip;
  grip.kind = BodyKind::kStatic;
  const int start = world.add_body(grip);
  grip.kind = BodyKind::kKinematic;
  grip.position = {size[0], 0.0, 0.0};
  const int end = world.add_body(grip);
  std::vector<int> bodies;
  std::vector<std::string> names{"linear", "corotational", "neo-hookean", "neo-hookean-log"};
  if (options.text("material") != "all") names = {options.text("material")};
  for (const std::string& name : names) {
    DeformableOptions body = body_of(options, name);
    body.position = {0.0, -1.5 * size[1] * static_cast<double>(bodies.size()), 0.0};
    const int d = world.add_deformable(mesh, body);
    bodies.push_back(d);
    if (!clamped) grip_sliding(world, d, start, end, size);
    if (!clamped) continue;
    hold(world, d, BodyKind::kKinematic,
         [&](const Vec3& x) { return x[0] < kSmall || x[0] > size[0] - kSmall; });
  }
  world.control = [=](World& w, double h) {
    const double now = 1.0 + (stretch - 1.0) * std::min((w.time + h) / time, 1.0);
    w.body(end).velocity = {(now * size[0] - w.body(end).position[0]) / h, 0.0, 0.0};
    for (std::size_t k = 0; clamped && k < bodies.size(); ++k) {
      const double offset = -1.5 * size[1] * static_cast<double>(k);
      follow(w, h, bodies[k], [&](const Vec3& rest, double) {
        return Vec3{rest[0] > kSmall ? now * rest[0] : 0.0, rest[1] + offset, rest[2]};
      });
    }
  };
  return world;
}

/// Clamped at x = 0, a load in -z spread over the end face; PL^2/EI by `load`.
World cantilever(const Options& options) {
  World world;
  world.gravity = {};
  const double length = options.real("length");
  const double width = options.real("width");
  const double height = options.real("height");
  const auto along = static_cast<Index>(options.integer("cells"));
  const auto up = static_cast<Index>(options.integer("cells-high"));
  const TetMesh mesh = bar_mesh({length, width, height}, {along, 1, up}, CellPattern::kFive);
  const int d = world.add_deformable(mesh, body_of(options, options.text("material")));
  hold(world, d, BodyKind::kStatic, [](const Vec3& x) { return x[0] < kSmall; });
  const double EI = options.real("young") * width * height * height * height / 12.0;
  const double load = options.real("load") * EI / (length * length);
  const Deformable& body = world.deformable(d);
  std::vector<int> end;
  for (int n = 0; n < body.num_nodes(); ++n) {
    if (mesh.node[static_cast<std::size_t>(n)][0] > length - kSmall)
      end.push_back(body.particle(n));
  }
  const double time = options.real("time");
  world.control = [=](World& w, double h) {
    const double share = ramp(w.time + h, 0.0, time) / static_cast<double>(end.size());
    for (const int p : end) w.particle(p).force = {0.0, 0.0, -load * share};
  };
  return world;
}

World twisting_bar(const Options& options) {
  World world;
  world.gravity = {};
  const Vec3 size{0.4, 0.1, 0.1};
  const auto cells = static_cast<Index>(options.integer("cells"));
  const TetMesh mesh = bar_mesh(size, {4 * cells, cells, cells}, CellPattern::kFive);
  const int d = world.add_deformable(mesh, body_of(options, options.text("material")));
  hold(world, d, BodyKind::kKinematic,
       [&](const Vec3& x) { return x[0] < kSmall || x[0] > size[0] - kSmall; });
  const double turns = options.real("turns");
  const double time = options.real("time");
  world.control = [=](World& w, double h) {
    follow(w, h, d, [&](const Vec3& rest, double t) {
      const double sign = rest[0] > kSmall ? 0.5 : -0.5;
      const double angle = 2.0 * std::numbers::pi * sign * turns * std::min(t / time, 1.0);
      const Vec3 centre{rest[0], 0.5 * size[1], 0.5 * size[2]};
      return centre + rotation_matrix(rotation_about({1, 0, 0}, angle)) * (rest - centre);
    });
  };
  return world;
}

/// A thin sheet hangs by two corners and swings down.
World hanging_cloth(const Options& options) {
  World world;
  const double side = options.real("size");
  const double thickness = options.real("thickness");
  const auto cells = static_cast<Index>(options.integer("cells"));
  const TetMesh mesh = bar_mesh({side, side, thickness}, {cells, cells, 1}, CellPattern::kFive);
  DeformableOptions body = body_of(options, options.text("material"));
  body.position = {0.0, 0.0, side};
  const int d = world.add_deformable(mesh, body);
  hold(world, d, BodyKind::kStatic, [&](const Vec3& x) {
    return x[1] > side - kSmall && (x[0] < kSmall || x[0] > side - kSmall);
  });
  if (options.flag("ball")) {
    Body ball;
    ball.kind = BodyKind::kStatic;
    ball.position = {0.5 * side, 0.45 * side, 0.62 * side};
    const int b = world.add_body(ball);
    world.add_shape(b, std::make_shared<Sphere>(0.2 * side), {.mu = 0.3});
  }
  return world;
}

World soft_ball_drop(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double mu = options.real("mu");
  world.margin = 0.02 * radius;
  add_ground(world, mu, 12.0 * radius);
  const TetMesh mesh = ball_mesh(radius, static_cast<Index>(options.integer("tets")));
  DeformableOptions body = body_of(options, options.text("material"));
  body.surface = {.mu = mu};
  for (int k = 0; k < static_cast<int>(options.integer("balls")); ++k) {
    body.position = {0.02 * radius * (k % 2), 0.0,
                     options.real("height") + radius * (1.0 + 2.3 * k)};
    world.add_deformable(mesh, body);
  }
  return world;
}

/// A soft ball between two plates that close on it; then its weight comes on.
World squeeze(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double mu = options.real("mu");
  world.margin = 0.02 * radius;
  const Vec3 size{0.2 * radius, 3.0 * radius, 3.0 * radius};
  std::array<int, 2> plates{};
  for (std::size_t k = 0; k < 2; ++k) {
    Body plate;
    plate.kind = BodyKind::kKinematic;
    plate.position = {(k == 0 ? -1.0 : 1.0) * (radius + 0.5 * size[0]), 0.0, 0.0};
    plates[k] = world.add_body(plate);
    world.add_shape(plates[k], std::make_shared<Box>(size), {.mu = mu});
  }
  DeformableOptions body = body_of(options, options.text("material"));
  body.surface = {.mu = mu};
  world.add_deformable(ball_mesh(radius, static_cast<Index>(options.integer("tets"))), body);
  const double depth = options.real("depth") * radius;
  const double time = options.real("time");
  const Vec3 weight = world.gravity;
  world.gravity = {};
  world.control = [=](World& w, double h) {
    const double closed = depth * ramp(w.time + h, 0.0, time);
    for (std::size_t k = 0; k < 2; ++k) {
      const double sign = k == 0 ? -1.0 : 1.0;
      const double goal = sign * (radius + 0.5 * size[0] - closed);
      const BodyRef plate = w.body(plates[k]);
      plate.velocity = {(goal - plate.position[0]) / h, 0.0, 0.0};
    }
    w.gravity = ramp(w.time + h, time, 2.0 * time) * weight;
  };
  return world;
}

/// The hub above the ball that carries the fingers; it is only drawn.
int add_hub(World& world, double radius, double base) {
  const double height = 0.02;
  Body hub;
  hub.name = "hub";
  hub.kind = BodyKind::kKinematic;
  hub.position = {0.0, 0.0, base + 0.5 * height};
  const int b = world.add_body(hub);
  const int s = world.add_shape(b, std::make_shared<Cylinder>(radius + 0.01, height));
  world.set_filter(s, {.category = 0, .mask = 0});
  return b;
}

/// One finger on a ring around the hub. Mesh x points outwards and down by `splay` from the
/// vertical, mesh z away from the ball, so that the layer looks at it.
void place_finger(DeformableOptions& finger, double angle, double splay, double width,
                  const Vec3& base) {
  const Quaternion lean = rotation_about({0, 1, 0}, 0.5 * std::numbers::pi - splay);
  const Quaternion turn = rotation_about({0, 0, 1}, angle);
  finger.orientation = turn * lean;
  finger.position = rotation_matrix(turn) * (base - Vec3{0.0, 0.5 * width, 0.0});
}

/// Three fingers on a hub inflate, curl around a ball, and are raised with it.
World pneunet(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const double radius = options.real("ball-radius");
  world.margin = 5e-4;
  add_ground(world, mu, 0.6);
  if (options.flag("ball")) {
    const int ball = add_ball(world, radius, options.real("ball-mass"), {0, 0, radius}, mu);
    world.body(ball).name = "ball";
  }
  FingerMesh shape;
  shape.chambers = static_cast<Index>(options.integer("chambers"));
  shape.length = options.real("length");
  shape.base_height = options.real("base-height");
  shape.chamber_height = options.real("chamber-height");
  shape.cells_across = static_cast<Index>(options.integer("cells-across"));
  const TetMesh mesh = finger_mesh(shape);
  DeformableOptions body = body_of(options, options.text("material"));
  body.surface = {.mu = mu};
  for (const int region : mesh.region) {
    body.elements.stiffness_scale.push_back(region == kFingerLayer ? options.real("layer") : 1.0);
  }
  const Vec3 base{options.real("ring"), 0.0, options.real("height")};
  const int hub = add_hub(world, base[0], base[2]);
  std::vector<int> fingers;
  for (int k = 0; k < 3; ++k) {
    place_finger(body, 2.0 * std::numbers::pi * k / 3.0,
                 options.real("splay") * std::numbers::pi / 180.0, shape.width, base);
    fingers.push_back(world.add_deformable(mesh, body));
    hold(world, fingers.back(), BodyKind::kKinematic, [](const Vec3& x) { return x[0] < kSmall; });
  }
  const double pressure = options.real("pressure");
  const double inflate = options.real("inflate");
  const double lift = options.real("lift");
  world.control = [=](World& w, double h) {
    const double p = pressure * ramp(w.time + h, 0.0, inflate);
    const double from = 1.25 * inflate;
    const double rise =
        (lift / h) * (ramp(w.time + h, from, from + inflate) - ramp(w.time, from, from + inflate));
    w.body(hub).velocity = {0.0, 0.0, rise};
    for (const int d : fingers) {
      const Deformable& finger = w.deformable(d);
      for (Index e = 0; e < finger.mesh.num_tets(); ++e) {
        const bool active = finger.mesh.region[static_cast<std::size_t>(e)] == kFingerChamber;
        if (active) finger.elements->set_activation(e, p);
      }
      for (int n = 0; n < finger.num_nodes(); ++n) {
        const ParticleRef particle = w.particle(finger.particle(n));
        if (particle.kind == BodyKind::kKinematic) particle.velocity = {0.0, 0.0, rise};
      }
    }
  };
  return world;
}

SceneInfo material_extension_scene() {
  std::vector<std::string> materials = material_names();
  materials.emplace_back("all");
  return {
      "material-extension",
      "bars or sheets of each material stretched to 3x: volume, and what geometric stiffness does",
      joined({OptionSpec::choice("shape", "bar", {"bar", "sheet"}, "what is stretched"),
              OptionSpec::choice("material", "all", materials, "one material or all side by side"),
              OptionSpec::choice("grip", "sliding", {"sliding", "clamped"},
                                 "end faces free to shrink, or not"),
              OptionSpec::real("stretch", 3.0, 0.1, 10.0, "length over rest length at the end"),
              OptionSpec::real("time", 1.0, 0.01, 100.0, "to the full stretch, s"),
              OptionSpec::integer("cells", 2, 1, 40, "across the bar; four times as many along")},
             material_options(1e5, 0.45, 1000.0)),
      150, material_extension};
}

SceneInfo pneunet_scene() {
  return {"pneunet", "three pneumatic fingers inflate, curl around a ball and lift it",
          joined({material_option("corotational"),
                  OptionSpec::real("pressure", 2e7, 0.0, 1e9,
                                   "activation of the chambers, Pa: free ones grow by the strain "
                                   "pressure (1 - 2 poisson) / young"),
                  OptionSpec::real("layer", 10.0, 1.0, 1e3, "stiffness of the inextensible layer"),
                  OptionSpec::integer("chambers", 8, 1, 100, "of a finger"),
                  OptionSpec::integer("cells-across", 2, 1, 100, "over the width of a finger"),
                  OptionSpec::real("length", 0.115, 0.01, 1.0, "of a finger, m"),
                  OptionSpec::real("base-height", 0.003, 1e-4, 0.1, "layer and body together, m"),
                  OptionSpec::real("chamber-height", 0.008, 1e-3, 0.1, "m"),
                  OptionSpec::real("ring", 0.02, 0.01, 1.0, "radius on which the fingers start, m"),
                  OptionSpec::real("height", 0.108, 0.01, 1.0, "at which they start, m"),
                  OptionSpec::real("splay", 60.0, 0.0, 90.0, "of the fingers, from down, degrees"),
                  OptionSpec::flag("ball", true, "there is a ball to lift"),
                  OptionSpec::real("ball-radius", 0.04, 0.005, 1.0, "m"),
                  OptionSpec::real("ball-mass", 0.32, 1e-3, 100.0, "kg"),
                  OptionSpec::real("inflate", 0.5, 0.01, 100.0, "time to inflate, and to lift, s"),
                  OptionSpec::real("lift", 0.1, 0.0, 1.0, "m"),
                  OptionSpec::real("mu", 0.7, 0.0, 10.0, "friction coefficient")},
                 material_options(1e7, 0.47, 1200.0)),
          270, pneunet};
}

}  // namespace

std::vector<SceneInfo> soft_scenes() {
  return {
      material_extension_scene(),
      {"cantilever",
       "a clamped bar bent by a load on its end: PL^3/3EI, and the elastica at large deflection",
       joined({material_option("corotational"),
               OptionSpec::real("load", 1.0, -100.0, 100.0, "P L^2/(E I)"),
               OptionSpec::real("length", 1.0, 1e-3, 1e3, "m"),
               OptionSpec::real("width", 0.05, 1e-4, 1e3, "m"),
               OptionSpec::real("height", 0.1, 1e-4, 1e3, "m"),
               OptionSpec::real("time", 1.0, 1e-3, 1e3, "in which the load grows, s"),
               OptionSpec::integer("cells", 30, 1, 1000, "along the bar"),
               OptionSpec::integer("cells-high", 4, 1, 100, "over its height")},
              material_options(1e6, 0.0, 1000.0)),
       240, cantilever},
      {"twisting-bar", "both ends of a bar are turned against each other",
       joined({material_option(), OptionSpec::real("turns", 1.0, -10.0, 10.0, "of one end"),
               OptionSpec::real("time", 2.0, 0.01, 100.0, "in which they are made, s"),
               OptionSpec::integer("cells", 3, 1, 40, "across; four times as many along")},
              material_options(1e5, 0.4, 1000.0)),
       240, twisting_bar},
      {"hanging-cloth", "a thin sheet of tetrahedra hangs by two corners",
       joined({material_option("corotational"), OptionSpec::real("size", 0.5, 0.01, 10.0, "m"),
               OptionSpec::real("thickness", 0.005, 1e-4, 0.1, "m"),
               OptionSpec::flag("ball", true, "it falls over a ball on the way"),
               OptionSpec::integer("cells", 16, 1, 200, "along each side")},
              material_options(2e5, 0.3, 300.0)),
       240, hanging_cloth},
      {"soft-ball-drop", "soft balls fall on the floor, on each other, and come to rest",
       joined({material_option(), OptionSpec::real("radius", 0.05, 1e-3, 10.0, "m"),
               OptionSpec::integer("tets", 320, 20, 1e6, "of a ball"),
               OptionSpec::integer("balls", 1, 1, 100, "above each other"),
               OptionSpec::real("height", 0.1, 0.0, 10.0, "of the lowest point, m"),
               OptionSpec::real("mu", 0.5, 0.0, 10.0, "friction coefficient")},
              material_options(5e4, 0.45, 1000.0)),
       240, soft_ball_drop},
      {"squeeze",
       "plates squeeze a soft ball; it stays where 2 mu N exceeds its weight, else it slips",
       joined({material_option(), OptionSpec::real("radius", 0.04, 1e-3, 10.0, "m"),
               OptionSpec::integer("tets", 320, 20, 1e6, "of the ball"),
               OptionSpec::real("depth", 0.1, 0.0, 0.9, "of each plate, in radii"),
               OptionSpec::real("time", 0.5, 0.01, 100.0, "to close, and again to take weight, s"),
               OptionSpec::real("mu", 0.5, 0.0, 10.0, "friction coefficient")},
              material_options(1e5, 0.45, 1000.0)),
       240, squeeze},
      pneunet_scene(),
  };
}

}  // namespace nsn
