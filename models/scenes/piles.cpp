// Piles of many bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// Cells of a square grid, layer upon layer, about as wide as high once what is in them has
/// settled.
struct Grid {
  int side;      ///< cells along x and y
  double pitch;  ///< m

  Grid(int count, double cell)
      : side(std::max(2, static_cast<int>(std::lround(std::cbrt(0.8 * count))))), pitch(cell) {}

  double half_width() const { return 0.5 * pitch * side; }
  /// The middle of cell i; the first layer stands on z = 0.
  Vec3 centre(int i) const {
    const int layer = i / (side * side);
    return {(i % side + 0.5) * pitch - half_width(), (i / side % side + 0.5) * pitch - half_width(),
            (layer + 0.5) * pitch};
  }
};

/// N balls fall into a square box without a lid: five planes.
World sphere_pile(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double mu = options.real("mu");
  world.margin = 0.1 * radius;
  const auto count = static_cast<int>(options.integer("balls"));
  const Grid grid(count, 2.0 * radius * 1.05);
  const Vec3 down{0.0, 0.0, radius - 0.5 * grid.pitch};  // the first layer lies on the ground
  add_pit(world, grid.half_width(), mu);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  const double jitter = 0.04 * radius;
  for (int i = 0; i < count; ++i) {
    const Vec3 noise{random.uniform(-jitter, jitter), random.uniform(-jitter, jitter), 0.0};
    add_ball(world, radius, options.real("mass"), grid.centre(i) + down + noise, mu);
  }
  return world;
}

/// N capsules in any orientation fall into a pit.
World capsule_pile(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double length = options.real("length");
  const double mu = options.real("mu");
  world.margin = 0.1 * radius;
  const auto count = static_cast<int>(options.integer("capsules"));
  const Grid grid(count, 1.02 * (length + 2.0 * radius));
  add_pit(world, grid.half_width(), mu);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  for (int i = 0; i < count; ++i) {
    add_capsule(world, radius, length, options.real("mass"), grid.centre(i), mu,
                random.orientation());
  }
  set_contact_compliance(world, options.real("compliance"));
  return world;
}

/// A stone: a ball of 80 triangles whose 42 corners are moved in and out.
TriangleMesh stone(double radius, double roughness, SceneRandom& random) {
  SurfaceMesh ball = icosphere(1);
  for (Vec3& p : ball.points) p = radius * (1.0 + roughness * random.uniform(-1.0, 1.0)) * p;
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : ball.polygons) triangles.push_back({t[0], t[1], t[2]});
  return TriangleMesh(std::move(ball.points), triangles, {.name = "stone"});
}

/// Irregular stones, each of its own shape, fall into a pit.
World mesh_pile(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double mu = options.real("mu");
  world.margin = options.real("margin");
  const auto count = static_cast<int>(options.integer("stones"));
  const Grid grid(count, 2.02 * radius * (1.0 + options.real("roughness")));
  add_pit(world, grid.half_width(), mu);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  for (int i = 0; i < count; ++i) {
    const auto mesh =
        std::make_shared<TriangleMesh>(stone(radius, options.real("roughness"), random));
    Body body;
    body.mass = options.real("mass");
    const Solid solid = solid_properties(*mesh, body.mass);
    body.inertia = solid.inertia;
    body.orientation = random.orientation();
    body.position = grid.centre(i) + rotation_matrix(body.orientation) * solid.centre;
    world.add_shape(world.add_body(body), mesh, {.mu = mu}, -solid.centre);
  }
  set_contact_compliance(world, options.real("compliance"));
  return world;
}

/// A board on four legs, centred.
std::vector<BoxPart> table_parts(double width, double height) {
  const double board = 0.05 * width;
  const double leg = 0.08 * width;
  std::vector<BoxPart> parts{{{width, width, board}, {0, 0, 0.5 * (height - board)}}};
  const double out = 0.5 * (width - leg);
  for (const double x : {-out, out}) {
    for (const double y : {-out, out}) {
      parts.push_back({{leg, leg, height - board}, {x, y, -0.5 * board}});
    }
  }
  return parts;
}

/// Tables fall in layers of nine, turned at random, and form a heap.
World table_pile(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const double width = options.real("width");
  const double height = options.real("height");
  world.margin = options.real("margin");
  add_ground(world, mu, 8.0 * width);
  const std::vector<BoxPart> parts = table_parts(width, height);
  const double pitch = 1.02 * std::hypot(width, width, height);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  for (int i = 0; i < options.integer("tables"); ++i) {
    const int layer = i / 9;
    const Vec3 cell{(i % 3 - 1) * pitch, (i / 3 % 3 - 1) * pitch, (layer + 0.5) * pitch};
    const int table = add_boxes(world, parts, options.real("mass"), cell, mu, random.orientation());
    const BodyRef body =
        world.body(table);  // its middle, not its centre of mass, goes to the cell's
    const Vec3 middle = world.shapes().back().offset - parts.back().centre;
    body.position = cell - rotation_matrix(body.orientation) * middle;
  }
  set_contact_compliance(world, options.real("compliance"));
  return world;
}

}  // namespace

std::vector<SceneInfo> pile_scenes() {
  return {
      {"sphere-pile",
       "N balls settle in a box",
       {OptionSpec::integer("balls", 500, 1, 1e6, "number of balls"),
        OptionSpec::real("radius", 0.05, 1e-4, 10.0, "m"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "of a ball, kg"),
        OptionSpec::real("mu", 0.5, 0.0, 10.0, "friction coefficient"),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the initial disorder")},
       240,
       sphere_pile},
      {"capsule-pile",
       "N capsules fall into a pit and come to rest",
       {OptionSpec::integer("capsules", 60, 1, 1e6, "number of capsules"),
        OptionSpec::real("radius", 0.05, 1e-4, 10.0, "m"),
        OptionSpec::real("length", 0.15, 0.0, 10.0, "between the two half balls, m"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "of a capsule, kg"),
        OptionSpec::real("mu", 0.5, 0.0, 10.0, "friction coefficient"),
        contact_compliance_option(1e-8),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the orientations")},
       600,
       capsule_pile},
      {"mesh-pile",
       "irregular stones of 80 triangles each fall into a pit and come to rest",
       {OptionSpec::integer("stones", 40, 1, 1e5, "number of stones"),
        OptionSpec::real("radius", 0.1, 1e-3, 10.0, "mean, m"),
        OptionSpec::real("roughness", 0.2, 0.0, 0.5, "of the radius"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "of a stone, kg"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient"),
        OptionSpec::real("margin", 0.005, 1e-6, 0.1, "gap up to which contacts are found, m"),
        contact_compliance_option(1e-8), OptionSpec::integer("seed", 1, 0, 1e9, "of the stones")},
       600,
       mesh_pile},
      {"table-pile",
       "tables of a board and four legs fall on a heap and come to rest",
       {OptionSpec::integer("tables", 54, 1, 1e5, "number of tables"),
        OptionSpec::real("width", 0.6, 0.01, 10.0, "of the square board, m"),
        OptionSpec::real("height", 0.45, 0.01, 10.0, "m"),
        OptionSpec::real("mass", 4.7, 1e-6, 1e6, "of a table, kg"),
        OptionSpec::real("mu", 0.7, 0.0, 10.0, "friction coefficient"),
        OptionSpec::real("margin", 0.005, 1e-6, 0.1, "gap up to which contacts are found, m"),
        contact_compliance_option(1e-8),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the orientations")},
       600,
       table_pile},
  };
}

}  // namespace nsn
