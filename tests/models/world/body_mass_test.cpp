// What a body weighs that is not told its mass: closed forms, and what is refused.
#include <numbers>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

constexpr double kPi = std::numbers::pi;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

SurfaceMesh cuboid(const Vec3& size, const Vec3& centre) {
  SurfaceMesh mesh = Box(size).surface();
  for (Vec3& p : mesh.points) p += centre;
  return mesh;
}

TriangleMesh triangles(const SurfaceMesh& mesh) {
  std::vector<std::array<int, 3>> list;
  for (const auto& polygon : mesh.polygons) {
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      list.push_back({polygon[0], polygon[k - 1], polygon[k]});
    }
  }
  return {mesh.points, list};
}

TEST(Solid, ClosedForms) {
  const Vec3 size{1, 2, 3};
  EXPECT_NEAR(Box(size).solid().volume, 6.0, 1e-14);
  EXPECT_NEAR(Sphere(0.5).solid().volume, kPi / 6.0, 1e-14);
  EXPECT_NEAR(Cylinder(0.5, 2.0).solid().volume, 0.5 * kPi, 1e-14);
  EXPECT_NEAR(Capsule(0.5, 2.0).solid().volume, 0.5 * kPi + kPi / 6.0, 1e-14);
  // A hull and a mesh of the same box, away from the origin of their axes.
  const Vec3 centre{0.3, -0.2, 0.1};
  const SurfaceMesh faces = cuboid(size, centre);
  for (const Solid& solid : {ConvexHull::of_faces(faces).solid(), triangles(faces).solid()}) {
    EXPECT_NEAR(solid.volume, 6.0, 1e-12);
    EXPECT_LE(norm(solid.centre - centre), 1e-13);
    EXPECT_LE(norm(solid.inertia - box_inertia(6.0, size)), 1e-11);
  }
}

TEST(BodyMass, IsThatOfItsShapeAndDensity) {
  World world;
  const int b = world.add_body({.density = 600.0});
  world.add_shape(b, std::make_shared<Box>(Vec3{0.1, 0.2, 0.3}));
  EXPECT_NEAR(world.body(b).mass, 3.6, 1e-14);
  EXPECT_LE(norm(world.body(b).inertia - box_inertia(3.6, {0.1, 0.2, 0.3})), 1e-16);
}

TEST(BodyMass, AToldMassIsSpreadOverTheShapesAndAToldInertiaStays) {
  World world;
  const int told = world.add_body({.mass = 2.0});
  world.add_shape(told, std::make_shared<Sphere>(0.5));
  EXPECT_EQ(world.body(told).mass, 2.0);
  EXPECT_LE(norm(world.body(told).inertia - sphere_inertia(2.0, 0.5)), 1e-15);
  const int both = world.add_body({.mass = 2.0, .inertia = identity<3>()});
  world.add_shape(both, std::make_shared<Sphere>(0.5));
  EXPECT_EQ(norm(world.body(both).inertia - identity<3>()), 0.0);
}

TEST(BodyMass, OfSeveralShapesIsTheirSumAboutTheCommonCentre) {
  World world;
  const int b = world.add_body({.density = 1.0});
  // Two halves of a box, turned about x and z; one of them alone has its centre elsewhere.
  const double half = 0.5 * kPi;
  world.add_shape(b, std::make_shared<Box>(Vec3{1, 3, 2}), {}, {-0.5, 0, 0},
                  rotation_about({1, 0, 0}, half));
  EXPECT_NE(refusal([&] { world.check_masses(); }).find("origin"), std::string::npos);
  const int second = world.add_shape(b, std::make_shared<Box>(Vec3{2, 1, 3}), {}, {0.5, 0, 0},
                                     rotation_about({0, 0, 1}, half));
  EXPECT_NO_THROW(world.check_masses());
  EXPECT_NEAR(world.body(b).mass, 12.0, 1e-12);
  EXPECT_LE(norm(world.body(b).inertia - box_inertia(12.0, {2, 2, 3})), 1e-11);
  world.remove_shape(second);
  EXPECT_NEAR(world.body(b).mass, 6.0, 1e-12);
}

TEST(BodyMass, RefusesByNameAndChangesNothing) {
  World world;
  const int b = world.add_body({.name = "feather"});
  const std::string plane = refusal([&] { world.add_shape(b, std::make_shared<Plane>()); });
  EXPECT_NE(plane.find("feather"), std::string::npos) << plane;
  EXPECT_NE(plane.find("a plane encloses no volume"), std::string::npos) << plane;
  EXPECT_TRUE(world.shapes().empty());
  SurfaceMesh open = cuboid({1, 1, 1}, {});
  open.polygons.pop_back();
  const std::string sheet =
      refusal([&] { world.add_shape(b, std::make_shared<TriangleMesh>(triangles(open))); });
  EXPECT_NE(sheet.find("not closed"), std::string::npos) << sheet;
  const std::string rounded = refusal([&] {
    world.add_shape(b,
                    std::make_shared<ConvexHull>(ConvexHull::of_faces(cuboid({1, 1, 1}, {}), 0.1)));
  });
  EXPECT_NE(rounded.find("rounded"), std::string::npos) << rounded;
  EXPECT_TRUE(world.shapes().empty());
  EXPECT_NE(refusal([&] { world.add_body({.density = -1.0}); }).find("density"), std::string::npos);

  Simulation simulation(std::move(world));
  const std::string none = refusal([&] { simulation.step(); });
  EXPECT_NE(none.find("feather"), std::string::npos) << none;
  simulation.world().add_shape(b, std::make_shared<Sphere>(0.1));
  EXPECT_TRUE(simulation.step().converged());
}

}  // namespace
}  // namespace nsn
