// Thin boxes that stand against each other: dominoes and a house of cards.
#include <cmath>
#include <numbers>

#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// A row of dominoes of real size; the first one is pushed.
World domino(const Options& options) {
  World world;
  const double mu = options.real("mu");
  world.margin = 1e-3;
  add_ground(world, mu, 1.0);
  const Vec3 size{0.0075, 0.024, 0.048};
  const auto count = static_cast<int>(options.integer("dominoes"));
  const double pitch = options.real("pitch");
  for (int i = 0; i < count; ++i) {
    add_box(world, size, options.real("mass"),
            {(i - 0.5 * (count - 1)) * pitch, 0.0, 0.5 * size[2]}, mu);
  }
  // Turning about the lower front edge.
  const BodyRef first = world.body(1);
  const double push = options.real("push");
  first.angular_velocity = {0.0, push, 0.0};
  first.velocity = cross(first.angular_velocity, Vec3{-0.5 * size[0], 0.0, 0.5 * size[2]});
  set_contact_compliance(world, options.real("compliance"));
  return world;
}

/// The measures of a house of cards. A tent is two cards that lean against each other at an angle
/// from the vertical, touching in their upper inner edges.
struct Cards {
  Vec3 size;     ///< of a card: thickness, width, length
  double angle;  ///< rad
  double mass;
  double mu;

  double half_foot() const {  // from a tent's middle to a card's centre
    return 0.5 * size[0] * std::cos(angle) + 0.5 * size[2] * std::sin(angle);
  }
  double half_height() const {
    return 0.5 * size[0] * std::sin(angle) + 0.5 * size[2] * std::cos(angle);
  }

  void add_tent(World& world, double x, double z) const {
    for (const double side : {-1.0, 1.0}) {
      add_box(world, size, mass, {x + side * half_foot(), 0.0, z + half_height()}, mu,
              rotation_about({0, 1, 0}, -side * angle));
    }
  }
  void add_floor(World& world, double x, double z, double length) const {
    const Vec3 flat{length, size[1], size[0]};
    add_box(world, flat, mass * length / size[2], {x, 0.0, z + 0.5 * size[0]}, mu);
  }
};

World card_house(const Options& options) {
  World world;
  world.margin = 1e-3;
  const Cards cards{{options.real("thickness"), 0.06, 0.09},
                    options.real("angle") * std::numbers::pi / 180.0,
                    options.real("mass"),
                    options.real("mu")};
  add_ground(world, cards.mu, 1.0);
  const auto levels = static_cast<int>(options.integer("levels"));
  const double pitch = 4.0 * cards.half_foot() * 1.05;
  for (int level = 0; level < levels; ++level) {
    const double z = level * (2.0 * cards.half_height() + cards.size[0]);
    const int tents = levels - level;
    for (int i = 0; i < tents; ++i) cards.add_tent(world, (i - 0.5 * (tents - 1)) * pitch, z);
    for (int i = 0; i + 1 < tents; ++i) {
      cards.add_floor(world, (i - 0.5 * (tents - 2)) * pitch, z + 2.0 * cards.half_height(),
                      pitch - 0.5 * cards.size[0]);
    }
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> leaning_scenes() {
  return {
      {"domino",
       "a row of dominoes falls after the first is pushed",
       {OptionSpec::integer("dominoes", 20, 1, 1e5, "number of dominoes"),
        OptionSpec::real("pitch", 0.02, 0.008, 0.05, "from one to the next, m"),
        OptionSpec::real("push", 3.0, 0.0, 100.0, "angular velocity of the first, rad/s"),
        OptionSpec::real("mass", 0.01, 1e-6, 1e3, "of a domino, kg"),
        contact_compliance_option(1e-8),
        OptionSpec::real("mu", 0.4, 0.0, 10.0, "friction coefficient")},
       360,
       domino},
      {"card-house",
       "tents of two cards each carry floors and further tents; at rest from the start",
       {OptionSpec::integer("levels", 3, 1, 20, "number of levels"),
        OptionSpec::real("thickness", 0.001, 1e-5, 0.01, "of a card, m"),
        OptionSpec::real("angle", 20.0, 5.0, 40.0, "of a card from the vertical, degrees"),
        OptionSpec::real("mass", 0.002, 1e-6, 1e3, "of a card, kg"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient")},
       600,
       card_house},
  };
}

}  // namespace nsn
