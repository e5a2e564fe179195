// Contacts of every pair of mesh features beside those of manifolds, and an arch whose contacts are
// found.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/mesh_of_shape.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::simulate;

SimulationOptions with_features() {
  SimulationOptions options;
  options.mesh_features = true;
  return options;
}

TEST(MeshOfShape, HasOneVertexPerCornerAndIsClosed) {
  const auto box = mesh_of_shape(std::make_shared<Box>(Vec3{1, 2, 3}));
  const auto& mesh = dynamic_cast<const TriangleMesh&>(*box);
  EXPECT_EQ(mesh.points().size(), 8U);
  EXPECT_EQ(mesh.triangles().size(), 12U);
  EXPECT_TRUE(mesh.closed());
  const auto ball = mesh_of_shape(std::make_shared<Sphere>(0.5));
  EXPECT_TRUE(dynamic_cast<const TriangleMesh&>(*ball).closed());
  EXPECT_EQ(mesh_of_shape(std::make_shared<Plane>()), nullptr);
  EXPECT_EQ(mesh_of_shape(box), box);
}

TEST(MeshFeatures, AreMoreContactsThanAManifoldAndCarryTheSameStack) {
  auto manifolds = simulate("heavy-stack", {}, {});
  auto features = simulate("heavy-stack", {}, with_features());
  for (int k = 0; k < 20; ++k) {
    manifolds.step();
    ASSERT_LT(features.step().error.total, 1e-8) << k;
  }
  EXPECT_GT(features.report().contacts, manifolds.report().contacts);
  EXPECT_LT(features.report().penetration, 1e-8);
}

TEST(MeshFeatures, OfASoftBallAreMoreContactsToo) {
  const Options::Assignments scene{{"tets", "80"}, {"height", "0"}};
  auto manifolds = simulate("soft-ball-drop", scene, {});
  auto features = simulate("soft-ball-drop", scene, with_features());
  for (int k = 0; k < 10; ++k) {
    manifolds.step();
    ASSERT_LT(features.step().error.total, 1e-6) << k;
  }
  EXPECT_GE(features.report().contacts, manifolds.report().contacts);
}

TEST(Arch, StandsOnContactsThatAreFound) {
  auto found = simulate("arch", {}, {});
  auto given = simulate("arch", {{"contacts", "given"}}, {});
  for (int k = 0; k < 60; ++k) {
    ASSERT_LT(found.step().error.total, 1e-8) << k;
    given.step();
  }
  EXPECT_EQ(given.report().contacts, 84);  // four at each of 21 joints
  EXPECT_GE(found.report().contacts, 84);
  EXPECT_LT(found.report().speed, 1e-8);
  EXPECT_LT(found.report().penetration, 1e-8);
}

TEST(FreeFlight, IsExactInAccurateAndDraggedByUnconvergedIterations) {
  auto exact = simulate("free-flight", {}, {});
  auto paper = simulate("free-flight", {}, test::with_preset("paper"));
  for (int k = 0; k < 120; ++k) {
    exact.step();
    paper.step();
  }
  EXPECT_NEAR(exact.report().speed, 10.0, 1e-9);
  // 1 - t of the motion is left after an iteration: 0.25^6 of it is lost in every step.
  EXPECT_NEAR(paper.report().speed, 10.0 * std::pow(1.0 - std::pow(0.25, 6), 120), 1e-3);
}

}  // namespace
}  // namespace nsn
