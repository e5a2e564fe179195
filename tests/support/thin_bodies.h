/// Thin bodies that others rest on or lean against: which side everything is on.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/scenes/parts.h"
#include "tests/support/simulate.h"

namespace nsn::test {

/// A square of side `length`, two-sided, of 32 triangles.
inline std::shared_ptr<const Shape> sheet(double length) {
  constexpr int kCells = 4;
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i <= kCells; ++i) {
    for (int j = 0; j <= kCells; ++j) {
      points.push_back({length * (i / 4.0 - 0.5), length * (j / 4.0 - 0.5), 0.0});
    }
  }
  const auto at = [](int i, int j) { return i * (kCells + 1) + j; };
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return std::make_shared<TriangleMesh>(points, triangles, MeshOptions{.two_sided = true});
}

/// A world, and the bodies whose coordinate `axis` stays in the order it starts in.
struct ThinWorld {
  World world;
  int axis = 2;
  std::vector<int> order;

  int add(std::shared_ptr<const Shape> shape, const Vec3& x, double mass, const Vec3& inertia,
          BodyKind kind = BodyKind::kDynamic) {
    Body body;
    body.kind = kind;
    body.mass = mass;
    body.inertia = diagonal(inertia);
    body.position = x;
    const int b = world.add_body(body);
    world.add_shape(b, std::move(shape), {.mu = 0.3});
    return b;
  }

  /// Posts, something thin on them, and a box, a ball and a cylinder on it.
  static ThinWorld shelf(std::shared_ptr<const Shape> thin) {
    ThinWorld made;
    add_ground(made.world, 0.3, 1.0);
    const Vec3 small{1e-6, 1e-6, 1e-6};
    for (const double x : {-0.09, 0.09}) {
      for (const double y : {-0.09, 0.09}) {
        made.add(std::make_shared<Box>(Vec3{0.02, 0.02, 0.1}), {x, y, 0.05}, 0.1,
                 {1e-4, 1e-4, 1e-5});
      }
    }
    made.order.push_back(made.add(std::move(thin), {0, 0, 0.101}, 0.05, {1.7e-4, 1.7e-4, 3.3e-4}));
    made.order.push_back(made.add(std::make_shared<Box>(Vec3{0.02, 0.02, 0.02}),
                                  {-0.03, -0.03, 0.114}, 0.02, small));
    made.order.push_back(
        made.add(std::make_shared<Sphere>(0.0101), {0.03, -0.03, 0.114}, 0.02, small));
    made.order.push_back(
        made.add(std::make_shared<Cylinder>(0.01, 0.0204), {0.03, 0.03, 0.114}, 0.02, small));
    return made;
  }

  /// Heavy blocks in a row, with blades of less than a millimetre between them.
  static ThinWorld blades(const std::shared_ptr<const Shape>& blade) {
    ThinWorld made;
    made.axis = 1;
    add_ground(made.world, 0.3, 1.0);
    for (int k = 0; k < 4; ++k) {
      const double y = 0.0213 * k - 0.03;
      made.order.push_back(made.add(std::make_shared<Box>(Vec3{0.08, 0.02, 0.05}), {0, y, 0.025},
                                    0.5, {1e-4, 1e-4, 1e-4}));
      if (k == 3) continue;
      made.order.push_back(made.add(blade, {0, y + 0.01065, 0.031}, 0.01, {3e-6, 8e-6, 1.1e-5}));
    }
    return made;
  }

  static std::vector<std::pair<std::string, ThinWorld>> all() {
    std::vector<std::pair<std::string, ThinWorld>> list;
    list.emplace_back("sheet", shelf(sheet(0.2)));
    list.emplace_back("card", shelf(std::make_shared<Box>(Vec3{0.2, 0.2, 0.0003})));
    list.emplace_back("thin box", blades(std::make_shared<Box>(Vec3{0.1, 0.0002, 0.06})));
    list.emplace_back(
        "wedge", blades(std::make_shared<ConvexHull>(ConvexHull::of_points({{-.05, 0, -.03},
                                                                            {.05, 0, -.03},
                                                                            {-.05, -.0005, .03},
                                                                            {.05, -.0005, .03},
                                                                            {-.05, .0005, .03},
                                                                            {.05, .0005, .03}}))));
    return list;
  }
};

/// Every step: the first thing on its shelf below all others, blocks and blades in their order.
inline void expect_sides_kept(const std::string& preset, int steps) {
  for (auto& [name, thin] : ThinWorld::all()) {
    SCOPED_TRACE(testing::Message() << preset << ", " << name);
    const auto along = static_cast<int>(thin.axis);
    const std::vector<int> order = thin.order;
    const bool row = thin.axis == 1;
    Simulation simulation(std::move(thin.world), with_preset(preset), standard_backends());
    for (int k = 0; k < steps; ++k) {
      simulation.step();
      for (std::size_t i = 1; i < order.size(); ++i) {
        const int below = row ? order[i - 1] : order[0];
        ASSERT_LT(simulation.world().body(below).position[along],
                  simulation.world().body(order[i]).position[along])
            << "bodies " << below << " and " << order[i] << ", step " << k;
      }
    }
    EXPECT_LT(simulation.report().penetration, 1e-5);
  }
}

}  // namespace nsn::test
