// Mechanisms: bodies on joints, open and closed chains, driven and free.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/visual.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
const Vec3 kAcross{0.0, 1.0, 0.0};  // mechanisms move in the x-z plane

int add_anchor(World& world) {
  Body body;
  body.name = "anchor";
  body.kind = BodyKind::kStatic;
  return world.add_body(body);
}

/// A slender box from one point to the other; its x axis points there. It collides with nothing it
/// is jointed to.
int add_rod(World& world, const Vec3& from, const Vec3& to, double thickness, double mass,
            double mu = 0.5) {
  const Vec3 along = to - from;
  const double length = norm(along);
  const Vec3 d = (1.0 / length) * along;
  const Quaternion turn = d[0] < -1.0 + 1e-12
                              ? Quaternion{0.0, 0.0, 1.0, 0.0}
                              : normalized(Quaternion{1.0 + d[0], 0.0, -d[2], d[1]});
  return add_box(world, {length, thickness, thickness}, mass, 0.5 * (from + to), mu, turn);
}

/// A rod on a hinge at the origin; body 1, joint 0.
World pendulum(const Options& options) {
  World world;
  const int anchor = add_anchor(world);
  const double length = options.real("length");
  const double angle = options.real("angle") * kDegree;  // from hanging
  const Vec3 tip = length * Vec3{std::sin(angle), 0.0, -std::cos(angle)};
  const int rod = add_rod(world, {}, tip, 0.05 * length, options.real("mass"));
  world.add_joint(revolute_joint(rod, anchor), {.point = {}, .axis = kAcross});
  return world;
}

/// Two rods of the same length; bodies 1 and 2.
World double_pendulum(const Options& options) {
  World world;
  const int anchor = add_anchor(world);
  const double length = options.real("length");
  Vec3 from{};
  int last = anchor;
  for (const char* key : {"angle1", "angle2"}) {
    const double angle = options.real(key) * kDegree;
    const Vec3 to = from + length * Vec3{std::sin(angle), 0.0, -std::cos(angle)};
    const int rod = add_rod(world, from, to, 0.05 * length, options.real("mass"));
    world.add_joint(revolute_joint(rod, last), {.point = from, .axis = kAcross});
    from = to;
    last = rod;
  }
  return world;
}

/// N links on spherical joints, a ball at the end; starts straight, `angle` from hanging.
World chain(const Options& options) {
  World world;
  int last = add_anchor(world);
  const auto links = static_cast<int>(options.integer("links"));
  const double length = options.real("length") / links;
  const double angle = options.real("angle") * kDegree;
  const Vec3 along = length * Vec3{std::sin(angle), 0.0, -std::cos(angle)};
  Vec3 from{};
  for (int k = 0; k < links; ++k) {
    const int link = add_rod(world, from, from + along, 0.2 * length, options.real("mass"));
    world.add_joint(spherical_joint(link, last), {.point = from});
    from = from + along;
    last = link;
  }
  const double ratio = options.real("ratio");
  const double radius = length * std::clamp(0.2 * std::cbrt(ratio), 0.3, 5.0);
  const int ball = add_ball(world, radius, ratio * options.real("mass"), from, 0.5);
  world.add_joint(spherical_joint(ball, last), {.point = from});
  // A heavy ball is large: it must not meet the links near it.
  for (int k = 1; k < ball; ++k) world.ignore_pair(k, ball);
  return world;
}

/// Planks hinged edge to edge along an arc between two banks; boxes fall on it. Body 0 is the
/// ground. (Along a straight line no load could be carried.)
World bridge(const Options& options) {
  World world;
  world.margin = 0.01;
  const int ground = add_ground(world, 0.6, 20.0);
  const auto planks = static_cast<int>(options.integer("planks"));
  const double width = 0.5;
  const double height = 3.0;
  const double arc = 0.8;  // rad, from bank to bank
  const double turn = arc / planks;
  const double radius = 0.5 * width / std::sin(0.5 * turn);
  const double half_span = radius * std::sin(0.5 * arc);
  const auto edge = [&](int k) {
    const double angle = k * turn - 0.5 * arc;
    return Vec3{radius * std::sin(angle), 0.0,
                height - radius * (std::cos(angle) - std::cos(0.5 * arc))};
  };
  int last = ground;
  for (int k = 0; k < planks; ++k) {
    const Vec3 middle = 0.5 * (edge(k) + edge(k + 1));
    const Quaternion slope = rotation_about(kAcross, 0.5 * arc - (k + 0.5) * turn);
    const int plank =
        add_box(world, {0.9 * width, 2.0, 0.1}, options.real("plank_mass"), middle, 0.6, slope);
    world.add_joint(revolute_joint(plank, last), {.point = edge(k), .axis = kAcross});
    last = plank;
  }
  world.add_joint(revolute_joint(last, ground), {.point = edge(planks), .axis = kAcross});
  for (const double side : {-1.0, 1.0}) {
    world.add_shape(ground, std::make_shared<Box>(Vec3{1.0, 2.4, height}), {.mu = 0.6},
                    {side * (half_span + 0.55), 0, 0.5 * height});
  }
  SceneRandom random(1);
  const auto boxes = static_cast<int>(options.integer("boxes"));
  for (int k = 0; k < boxes; ++k) {
    const double x = half_span * (1.2 * (k + 0.5) / boxes - 0.6);
    add_box(world, {0.4, 0.4, 0.4}, options.real("box_mass"),
            {x, random.uniform(-0.4, 0.4), height + 0.6 + 0.2 * random.uniform()}, 0.6,
            rotation_about({0, 0, 1}, random.uniform(0.0, 1.5)));
  }
  return world;
}

/// Where two circles about p and q in the x-z plane meet, the upper point.
Vec3 meet(const Vec3& p, double radius_p, const Vec3& q, double radius_q) {
  const Vec3 between = q - p;
  const double d = norm(between);
  const double a = (radius_p * radius_p - radius_q * radius_q + d * d) / (2.0 * d);
  const double rise = std::sqrt(std::max(0.0, radius_p * radius_p - a * a));
  const Vec3 e = (1.0 / d) * between;
  return p + a * e + rise * Vec3{-e[2], 0.0, e[0]};
}

/// Crank (body 1), coupler (2) and rocker (3). Four hinges hold it three times too often; the
/// minimal version has a spherical and a cylindrical joint in place of two of them.
World four_bar(const Options& options) {
  World world;
  const int anchor = add_anchor(world);
  const double angle = options.real("angle") * kDegree;
  const Vec3 pivot{2.0, 0.0, 0.0};
  const Vec3 crank_end = 0.6 * Vec3{std::cos(angle), 0.0, std::sin(angle)};
  const Vec3 rocker_end = meet(crank_end, 1.8, pivot, 1.2);
  const int crank = add_rod(world, {}, crank_end, 0.08, 1.0);
  const int coupler = add_rod(world, crank_end, rocker_end, 0.08, 2.0);
  const int rocker = add_rod(world, pivot, rocker_end, 0.08, 1.5);
  const bool redundant = options.text("joints") == "redundant";
  Joint driven = revolute_joint(crank, anchor);
  if (options.real("speed") != 0.0) {
    driven.axes[0].drive = velocity_drive(options.real("speed"), 1e4);
  }
  world.add_joint(driven, {.point = {}, .axis = kAcross});
  world.add_joint(redundant ? revolute_joint(coupler, crank) : spherical_joint(coupler, crank),
                  {.point = crank_end, .axis = kAcross});
  world.add_joint(redundant ? revolute_joint(coupler, rocker) : cylindrical_joint(coupler, rocker),
                  {.point = rocker_end, .axis = kAcross});
  world.add_joint(revolute_joint(rocker, anchor), {.point = pivot, .axis = kAcross});
  world.ignore_pair(crank, rocker);
  return world;
}

/// Crank (body 1), connecting rod (2) and slider (3), which stays on the x axis.
World slider_crank(const Options& options) {
  World world;
  const int anchor = add_anchor(world);
  const double r = options.real("crank");
  const double l = options.real("rod");
  const double angle = options.real("angle") * kDegree;
  const Vec3 pin{r * std::cos(angle), 0.0, r * std::sin(angle)};
  const Vec3 end{pin[0] + std::sqrt(l * l - pin[2] * pin[2]), 0.0, 0.0};
  const int crank = add_rod(world, {}, pin, 0.08 * r, 1.0);
  const int rod = add_rod(world, pin, end, 0.06 * r, 0.5);
  const int slider = add_box(world, {0.5 * r, 0.3 * r, 0.3 * r}, 2.0, end, 0.5);
  Joint driven = revolute_joint(crank, anchor);
  if (options.real("speed") != 0.0) {
    driven.axes[0].drive = velocity_drive(options.real("speed"), 1e4);
  }
  world.add_joint(driven, {.point = {}, .axis = kAcross});
  world.add_joint(revolute_joint(rod, crank), {.point = pin, .axis = kAcross});
  world.add_joint(revolute_joint(rod, slider), {.point = end, .axis = kAcross});
  world.add_joint(prismatic_joint(slider, anchor), {.point = end, .axis = {1, 0, 0}});
  world.ignore_pair(crank, slider);
  return world;
}

/// A disc on a light axle whose end is held in a point; body 1. It starts in steady precession,
/// about m g l / (I3 w) for a horizontal axle.
World gyroscope(const Options& options) {
  World world;
  const int anchor = add_anchor(world);
  const double radius = options.real("radius");
  const double arm = options.real("arm");
  const double spin = options.real("spin");
  const double tilt = options.real("tilt") * kDegree;  // of the axle, from the vertical
  const double mass = 1.0;
  const double height = 0.2 * radius;
  Body disc;
  disc.mass = mass;
  disc.inertia = cylinder_inertia(mass, radius, height);
  const Vec3 axle{std::sin(tilt), 0.0, std::cos(tilt)};
  disc.position = arm * axle;
  disc.orientation = rotation_about(kAcross, tilt);
  // Steady precession W: (I3 w3 - (I1 + m l^2) W cos) W sin = m g l sin, the slow root.
  const double I3 = disc.inertia(2, 2);
  const double I1 = disc.inertia(0, 0) + mass * arm * arm;
  const double load = mass * norm(world.gravity) * arm;
  const double a = I1 * std::cos(tilt);
  const double b = I3 * spin;
  const double root = std::sqrt(std::max(0.0, b * b - 4.0 * a * load));
  const double precession = 2.0 * load / (b + root);
  // w3 = spin is the whole rate about the axle: that of the precession is a part of it.
  disc.angular_velocity = spin * axle + precession * (Vec3{0, 0, 1} - std::cos(tilt) * axle);
  disc.velocity = cross(disc.angular_velocity, disc.position);
  const int body = world.add_body(disc);
  world.add_shape(body, std::make_shared<Box>(Vec3{1.4 * radius, 1.4 * radius, height}));
  world.add_shape(body, std::make_shared<Box>(Vec3{0.1 * radius, 0.1 * radius, arm}), {},
                  {0, 0, -0.5 * arm});
  world.add_joint(spherical_joint(body, anchor), {.point = {}});
  return world;
}

OptionSpec degrees(const char* key, double value, const char* help) {
  return OptionSpec::real(key, value, -360.0, 360.0, help);
}

OptionSpec crank_speed() {
  return OptionSpec::real("speed", 3.0, -100.0, 100.0, "of the crank, rad/s; 0: free");
}

SceneInfo four_bar_scene() {
  return {"four-bar",
          "crank, coupler and rocker: a closed loop, held three times too often by four hinges",
          {OptionSpec::choice("joints", "redundant", {"redundant", "minimal"},
                              "four hinges, or one spherical and one cylindrical in place of two"),
           crank_speed(), degrees("angle", 60.0, "of the crank at the start, degrees")},
          240,
          four_bar};
}

SceneInfo slider_crank_scene() {
  return {"slider-crank",
          "a driven crank moves a slider: x = r cos + sqrt(l^2 - r^2 sin^2)",
          {OptionSpec::real("crank", 0.5, 1e-3, 1e3, "r, m"),
           OptionSpec::real("rod", 1.5, 1e-3, 1e3, "l, m, longer than the crank"), crank_speed(),
           degrees("angle", 30.0, "of the crank at the start, degrees")},
          240,
          slider_crank};
}

}  // namespace

std::vector<SceneInfo> mechanism_scenes() {
  return {
      {"pendulum",
       "a rod on a hinge swings",
       {OptionSpec::real("length", 1.0, 1e-3, 1e3, "m"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "kg"),
        degrees("angle", 90.0, "at the start, from hanging, degrees")},
       240,
       pendulum},
      {"double-pendulum",
       "two rods on hinges: chaotic; loses energy with the step, keeps it with --joint-directions "
       "start",
       {OptionSpec::real("length", 1.0, 1e-3, 1e3, "of each rod, m"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "of each rod, kg"),
        degrees("angle1", 90.0, "of the upper rod, from hanging, degrees"),
        degrees("angle2", 90.0, "of the lower rod, from hanging, degrees")},
       240,
       double_pendulum},
      {"chain",
       "links on spherical joints carry a heavy ball",
       {OptionSpec::integer("links", 20, 1, 2000, "number of links"),
        OptionSpec::real("ratio", 100.0, 1e-6, 1e9, "mass of the ball over that of a link"),
        OptionSpec::real("mass", 0.1, 1e-9, 1e6, "of a link, kg"),
        OptionSpec::real("length", 2.0, 1e-3, 1e3, "of the chain, m"),
        degrees("angle", 60.0, "at the start, from hanging, degrees")},
       240,
       chain},
      {"bridge",
       "hinged planks between two banks carry boxes",
       {OptionSpec::integer("planks", 16, 1, 500, "number of planks"),
        OptionSpec::real("plank_mass", 10.0, 1e-6, 1e6, "kg"),
        OptionSpec::integer("boxes", 8, 0, 1000, "number of boxes"),
        OptionSpec::real("box_mass", 20.0, 1e-6, 1e6, "kg")},
       480,
       bridge},
      four_bar_scene(),
      slider_crank_scene(),
      {"gyroscope",
       "a fast disc on an axle held at its end: precesses with m g l / (I3 w)",
       {OptionSpec::real("spin", 300.0, 1.0, 1e5, "w, rad/s"),
        OptionSpec::real("radius", 0.15, 1e-3, 10.0, "of the disc, m"),
        OptionSpec::real("arm", 0.1, 1e-3, 10.0, "l, from the point to the disc, m"),
        OptionSpec::real("tilt", 90.0, 1.0, 179.0, "of the axle, from the vertical, degrees")},
       240,
       gyroscope},
  };
}

}  // namespace nsn
