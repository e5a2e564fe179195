// Triangle meshes: features, bad input, and the same physics as a primitive of the same shape.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/convex_pairs.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/cylinder_pairs.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/resting_pairs.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/rows/contact_rows.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/contact_finder.h"
#include "nsn/models/step/simulation.h"
#include "nsn/models/step/stepper.h"
#include "tests/support/count_allocations.h"

namespace nsn {
namespace {

using Triangles = std::vector<std::array<int, 3>>;

/// Two triangles a side.
TriangleMesh mesh_of(const Shape& shape, MeshOptions options = {}) {
  const SurfaceMesh surface = shape.surface();
  Triangles triangles;
  for (const auto& p : surface.polygons) {
    for (std::size_t k = 2; k < p.size(); ++k) triangles.push_back({p[0], p[k - 1], p[k]});
  }
  return TriangleMesh(surface.points, triangles, std::move(options));
}

ConvexHull octahedron() {
  SurfaceMesh mesh;
  mesh.points = {{0.5, 0.05, 0}, {-0.4, 0, 0.1}, {0, 0.45, 0},
                 {0.1, -0.5, 0}, {0, 0, 0.6},    {0, 0.1, -0.4}};
  mesh.polygons = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return ConvexHull::of_faces(mesh);
}

Manifold collide(const Shape& a, const Pose& p, const Shape& b, const Pose& q, double margin) {
  const PairTable table = standard_pairs();
  const PairTable::Entry entry = table.find(a.type(), b.type());
  Manifold m;
  if (entry.swapped) {
    entry.collide(b, q, a, p, margin, m);
    for (ContactPoint& point : m) {
      std::swap(point.on_a, point.on_b);
      std::swap(point.radius_a, point.radius_b);
      point.normal = -point.normal;
    }
  } else {
    entry.collide(a, p, b, q, margin, m);
  }
  return m;
}

double smallest(const Manifold& m) {
  double least = 1e300;
  for (const ContactPoint& point : m) least = std::min(least, gap(point));
  return least;
}

class MeshPair : public testing::TestWithParam<std::string> {
 protected:
  static std::shared_ptr<const Shape> partner() {
    const std::string& name = GetParam();
    if (name == "sphere") return std::make_shared<Sphere>(0.4);
    if (name == "capsule") return std::make_shared<Capsule>(0.25, 0.8);
    if (name == "box") return std::make_shared<Box>(Vec3{0.8, 0.6, 1.1});
    if (name == "cylinder") return std::make_shared<Cylinder>(0.35, 0.9);
    if (name == "mesh") return std::make_shared<TriangleMesh>(mesh_of(octahedron()));
    return std::make_shared<ConvexHull>(octahedron());
  }
  /// Of the convex body that the mesh encloses, from the exact functions for convex shapes.
  static Closest reference(const Shape& other, const Pose& p, const ConvexHull& hull,
                           const Pose& q) {
    if (other.type() == Cylinder::kType) {
      Closest closest = closest_convex_cylinder(hull, q, other, p);
      std::swap(closest.on_a, closest.on_b);
      closest.normal = -closest.normal;
      return closest;
    }
    const ConvexHull same = octahedron();
    return closest_convex(other.type() == TriangleMesh::kType ? same : other, p, hull, q);
  }
};

TEST_P(MeshPair, HoldsTheNearestPointsOfTheConvexBodyItEncloses) {
  const auto other = partner();
  const ConvexHull hull = octahedron();
  const TriangleMesh mesh = mesh_of(hull);
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto rotation = [&] {
    return rotation_matrix(
        normalized(Quaternion{normal(engine), normal(engine), normal(engine), normal(engine)}));
  };
  int apart = 0;
  int overlapping = 0;
  for (int k = 0; k < 10000; ++k) {
    const Pose p{{uniform(engine), uniform(engine), uniform(engine)}, rotation()};
    const Pose q{{}, rotation()};
    const Closest exact = reference(*other, p, hull, q);
    const double margin = 0.2;

    const Manifold m = collide(*other, p, mesh, q, margin);

    if (exact.distance > margin + 1e-9) {
      ASSERT_TRUE(m.empty()) << k;
    } else if (exact.distance > 1e-9 && exact.distance < margin - 1e-9) {
      ++apart;
      ASSERT_FALSE(m.empty()) << k << " " << exact.distance;
      ASSERT_NEAR(smallest(m), exact.distance, 1e-9) << k;
      for (const ContactPoint& point : m) {
        if (gap(point) > smallest(m) + 1e-12) continue;
        ASSERT_GE(dot(point.normal, exact.normal), 1.0 - 1e-9) << k;
        ASSERT_NEAR(norm(point.on_a - point.on_b), exact.distance, 1e-9) << k;
      }
    } else if (exact.distance < -1e-9) {
      ++overlapping;  // however deep
      ASSERT_FALSE(m.empty()) << k << " " << exact.distance;
      ASSERT_LT(smallest(m), 0.0) << k << " " << exact.distance;
    }
  }
  EXPECT_GT(apart, 800);
  EXPECT_GT(overlapping, 1500);
}

TEST_P(MeshPair, OneInsideTheOtherIsPushedOut) {
  const auto small = partner();
  std::vector<Vec3> points = octahedron().surface().points;
  for (Vec3& p : points) p = 20.0 * p;
  Triangles triangles;
  for (const auto& p : octahedron().surface().polygons) triangles.push_back({p[0], p[1], p[2]});
  const TriangleMesh large(points, triangles);
  for (const Vec3& at : {Vec3{}, Vec3{0.5, -0.3, 0.2}, Vec3{2.0, 1.0, -0.5}}) {
    const Manifold m = collide(*small, {at}, large, {}, 0.01);
    ASSERT_FALSE(m.empty());
    EXPECT_LT(smallest(m), -0.1);  // m: no surface of the large one is nearer
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MeshPair,
                         testing::Values("sphere", "capsule", "box", "hull", "cylinder", "mesh"),
                         [](const auto& shape) { return shape.param; });

TEST(TriangleMesh, BoxOnPlaneTouchesInItsCorners) {
  const Box box({1, 1, 1});
  const TriangleMesh mesh = mesh_of(box);

  const Manifold of_mesh = collide(mesh, {{0, 0, 0.5}}, Plane(), {}, 0.01);
  const Manifold of_box = collide(box, {{0, 0, 0.5}}, Plane(), {}, 0.01);

  ASSERT_EQ(of_mesh.size(), of_box.size());
  for (std::size_t k = 0; k < of_box.size(); ++k) {
    EXPECT_LE(norm(of_mesh[k].on_a - of_box[k].on_a), 1e-15);
    EXPECT_EQ(of_mesh[k].feature, of_box[k].feature);
  }
}

TEST(TriangleMesh, StackedBoxesHaveThePointsOfTheClippedManifold) {
  // Turned by 30 degrees: eight crossings of edges, and no diagonal of a side among them.
  const Box box({1, 1, 1});
  const TriangleMesh mesh = mesh_of(box);
  const Pose upper{{0.1, 0.05, 1.0}, rotation_matrix(rotation_about({0, 0, 1}, 0.5))};

  const Manifold of_mesh = collide(mesh, upper, mesh, {}, 0.01);
  const Manifold of_box = collide(box, upper, box, {}, 0.01);

  ASSERT_EQ(of_mesh.size(), of_box.size());
  for (const ContactPoint& p : of_box) {
    const auto same = [&](const ContactPoint& q) { return norm(p.on_a - q.on_a) < 1e-12; };
    EXPECT_TRUE(std::any_of(of_mesh.begin(), of_mesh.end(), same));
  }
}

/// A box, or a mesh of it, falls on an edge of a static one.
World falling_box(bool as_mesh) {
  World world;
  const Vec3 size{0.4, 0.3, 0.2};
  add_static_box(world, {2, 2, 1}, {0, 0, -0.5}, 0.5);
  Body body;
  body.mass = 2.0;
  body.inertia = box_inertia(2.0, size);
  body.position = {0.02, 0.01, 0.22};
  body.orientation = rotation_about(normalized(Vec3{1, 2, 0}), 0.15);
  body.velocity = {0.3, 0, 0};
  const int box = world.add_body(body);
  if (as_mesh) {
    world.add_shape(box, std::make_shared<TriangleMesh>(mesh_of(Box(size))), {.mu = 0.5});
  } else {
    world.add_shape(box, std::make_shared<Box>(size), {.mu = 0.5});
  }
  return world;
}

TEST(TriangleMesh, BoxFallsLikeThePrimitive) {
  Simulation as_box(falling_box(false), {}, standard_backends());
  Simulation as_mesh(falling_box(true), {}, standard_backends());
  double furthest = 0.0;
  for (int k = 0; k < 120; ++k) {
    ASSERT_TRUE(as_box.step().converged());
    ASSERT_TRUE(as_mesh.step().converged());
    furthest = std::max(furthest,
                        norm(as_box.world().body(1).position - as_mesh.world().body(1).position));
  }
  // The same contacts in another order: equal up to the tolerance of the solver (1e-9), grown by
  // the impacts.
  EXPECT_LT(furthest, 1e-7);
  EXPECT_LT(as_mesh.report().speed, 1e-9);
}

TEST(TriangleMesh, OpenAndNonManifoldMeshesCarryABall) {
  // A flat square of two triangles, and a third triangle standing on their common edge.
  const std::vector<Vec3> points{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 0.3}};
  const TriangleMesh sheet(points, {{0, 1, 2}, {0, 2, 3}, {0, 2, 4}}, {.two_sided = true});
  const Sphere ball(0.2);

  const Manifold above = collide(ball, {{0.5, -0.5, 0.21}}, sheet, {}, 0.02);
  const Manifold below = collide(ball, {{0.5, -0.5, -0.21}}, sheet, {}, 0.02);

  ASSERT_EQ(above.size(), 1U);
  EXPECT_NEAR(above[0].normal[2], 1.0, 1e-12);
  EXPECT_NEAR(gap(above[0]), 0.01, 1e-12);
  ASSERT_EQ(below.size(), 1U);
  EXPECT_NEAR(below[0].normal[2], -1.0, 1e-12);
  EXPECT_FALSE(sheet.closed());
}

TEST(TriangleMesh, CylinderHasEachPointOnceWhereTrianglesMeet) {
  // Four triangles that meet under the middle of the standing cylinder; lying, it crosses two
  // edges.
  const TriangleMesh sheet({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 0}},
                           {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}});
  const Cylinder cylinder(0.3, 0.8);
  const Mat3 lying = rotation_matrix(rotation_about({1, 0, 0}, 0.5 * std::numbers::pi));
  for (const Pose& pose : {Pose{{0, 0, 0.401}}, Pose{{0.1, 0.05, 0.401}},
                           Pose{{0, 0, 0.301}, lying}, Pose{{0.1, 0.1, 0.301}, lying}}) {
    const Manifold m = collide(cylinder, pose, sheet, {}, 0.02);
    ASSERT_GE(m.size(), 2U);
    for (std::size_t i = 0; i < m.size(); ++i) {
      EXPECT_NEAR(m[i].normal[2], 1.0, 1e-12);
      EXPECT_NEAR(gap(m[i]), 0.001, 1e-12);
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT(norm(m[i].on_a - m[j].on_a), 1e-6) << i << j;
    }
  }
}

TEST(TriangleMesh, OneSidedMeshPushesBackWhatSankBehindIt) {
  const TriangleMesh sheet({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
                           {{0, 1, 2}, {0, 2, 3}});
  const Manifold m = collide(Sphere(0.2), {{0.5, -0.4, -0.05}}, sheet, {}, 0.02);
  ASSERT_EQ(m.size(), 1U);
  EXPECT_NEAR(m[0].normal[2], 1.0, 1e-12);
  EXPECT_NEAR(gap(m[0]), -0.25, 1e-12);
}

TEST(TriangleMesh, SolidOfABox) {
  const Solid solid = solid_properties(mesh_of(Box({1, 2, 3})), 6.0);
  EXPECT_NEAR(solid.volume, 6.0, 1e-12);
  EXPECT_LE(norm(solid.centre), 1e-12);
  EXPECT_LE(norm(solid.inertia - box_inertia(6.0, {1, 2, 3})), 1e-12);
}

template <class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(BadMesh, IsRefusedByName) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] {
              TriangleMesh(points, {{0, 1, 3}}, {.name = "wheel"});
            }),
            "wheel: triangle 0 names point 3 of 3");
  EXPECT_EQ(message_of([&] {
              TriangleMesh(points, {{0, 1, 2}, {0, -1, 2}});
            }),
            "mesh: triangle 1 names point -1 of 3");
  EXPECT_EQ(message_of([&] {
              TriangleMesh({{0, 0, 0}, {1, nan, 0}, {0, 1, 0}}, {{0, 1, 2}});
            }),
            "mesh: point 1 is not finite");
  EXPECT_EQ(message_of([&] { TriangleMesh(points, {}); }), "mesh: none of 0 triangles has an area");
}

TEST(BadMesh, TrianglesWithoutAreaAreDroppedAndCounted) {
  const TriangleMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}},
                          {{0, 1, 2}, {0, 1, 3}, {1, 1, 2}});
  EXPECT_EQ(mesh.triangles().size(), 1U);
  EXPECT_EQ(mesh.dropped_triangles(), 2);
}

TEST(BadHull, IsRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([] {
              ConvexHull::of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
            }),
            "hull: 3 points, four are needed");
  EXPECT_EQ(message_of([] {
              ConvexHull::of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
            }),
            "hull: 4 points lie in one plane");
  EXPECT_EQ(message_of([&] {
              ConvexHull::of_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}});
            }),
            "hull: point 3 is not finite");
  EXPECT_EQ(message_of([] {
              ConvexHull::of_faces({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}}});
            }),
            "hull: edge (0, 2) belongs to one face only");
}

TEST(Hull, OfACubeWithPointsInside) {
  if (!ConvexHull::has_qhull()) GTEST_SKIP() << "built without qhull";
  std::vector<Vec3> points{{0, 0, 0}, {0.1, 0.2, -0.1}, {0, 0, 1}};
  for (int k = 0; k < 8; ++k) points.push_back(Box({2, 2, 2}).corner(k));

  const ConvexHull hull = ConvexHull::of_points(points);

  EXPECT_EQ(hull.core().num_vertices(), 8);
  EXPECT_EQ(hull.core().num_faces(), 6);
  EXPECT_EQ(hull.core().num_edges(), 12);
}

TEST(ContactIds, SurviveFromStepToStep) {
  // A house of cards at rest, and stones that settle: nearly every contact is known from the step
  // before.
  for (const auto* scene : {"card-house", "mesh-pile"}) {
    const Options::Assignments few = std::string(scene) == "mesh-pile"
                                         ? Options::Assignments{{"stones", "6"}}
                                         : Options::Assignments{};
    Simulation simulation(make_scene(scene, few), {}, standard_backends());
    std::set<std::uint64_t> before;
    int known = 0;
    int total = 0;
    for (int k = 0; k < 100; ++k) {
      simulation.step();
      std::set<std::uint64_t> now;
      for (const ContactInfo& c : simulation.contacts()) now.insert(c.id);
      ASSERT_EQ(now.size(), simulation.contacts().size()) << scene;
      if (k > 80) {
        for (const std::uint64_t id : now) known += static_cast<int>(before.count(id));
        total += static_cast<int>(now.size());
      }
      before = std::move(now);
    }
    EXPECT_GT(known, 0.9 * total) << scene;
    EXPECT_GT(total, 0);
  }
}

TEST(RestingPairs, PointsGoWithTheirBodiesUntilTheseMoveAgainstEachOther) {
  const TriangleMesh mesh = mesh_of(Box({1.0, 1.0, 1.0}));
  const Pose b{{0.3, -0.2, 0.1}, rotation_matrix(normalized(Quaternion{0.8, 0.2, -0.3, 0.4}))};
  const Pose on_top{b.apply({0.1, 0.05, 1.001}), b.R};
  const Manifold found = collide(mesh, on_top, mesh, b, 0.01);
  ASSERT_FALSE(found.empty());
  RestingPairs pairs;
  pairs.start_step();
  pairs.keep({{0, 1}, on_top, b, 1.0, 0.01}, found);
  // Both are carried far away together; then one of them moves on by 1e-9, by 1e-7.
  const Mat3 turn = rotation_matrix(normalized(Quaternion{0.1, 0.7, 0.3, -0.6}));
  const Pose far_b{turn * b.x + Vec3{5, 6, 7}, turn * b.R};
  const auto moved = [&](double by) {
    return Pose{turn * on_top.x + Vec3{5, 6, 7} + by * column(far_b.R, 2), turn * on_top.R};
  };

  Manifold again;
  pairs.start_step();
  ASSERT_TRUE(pairs.reuse({{0, 1}, moved(1e-9), far_b, 1.0, 0.01}, 1e-8, again));
  ASSERT_EQ(again.size(), found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(again[k].feature, found[k].feature);
    EXPECT_NEAR(gap(again[k]), gap(found[k]) + 1e-9, 1e-14);  // rounding of places 10 m away
    EXPECT_LT(norm(again[k].normal - turn * found[k].normal), 1e-14);
  }
  pairs.start_step();
  EXPECT_FALSE(pairs.reuse({{0, 1}, moved(1e-7), far_b, 1.0, 0.01}, 1e-8, again));
  EXPECT_FALSE(pairs.reuse({{0, 2}, moved(0.0), far_b, 1.0, 0.01}, 1e-8, again));
}

TEST(RestingPairs, APileThatRestsHasTheContactsThatAreThere) {
  Simulation simulation(make_scene("mesh-pile", {{"stones", "6"}}), {}, standard_backends());
  // When the last stone stops rocking depends on rounding.
  int calm = 0;
  for (int k = 0; k < 1200 && calm < 50; ++k) {
    calm = simulation.step().speed < 1e-6 ? calm + 1 : 0;
  }
  ASSERT_EQ(calm, 50);
  ContactFinder fresh;
  ContactRowSet there;
  World& world = simulation.world();

  for (int k = 0; k < 20; ++k) {
    fresh = {};
    fresh.find(world, 1.0 / 120.0, there);
    simulation.step();  // finds them where it starts
    const auto& known = simulation.stepper().contacts().contacts();
    ASSERT_EQ(known.size(), there.contacts().size());
    for (std::size_t c = 0; c < known.size(); ++c) {
      EXPECT_EQ(known[c].id, there.contacts()[c].id);
      // 1e-7 of the margin of 5 mm, and how far a point slides meanwhile.
      EXPECT_LT(norm(known[c].local_a - there.contacts()[c].local_a), 1e-8);
      EXPECT_LT(norm(known[c].local_b - there.contacts()[c].local_b), 1e-8);
    }
  }
}

TEST(MeshDetection, AllocatesNothingInTheLongRun) {
  Simulation simulation(make_scene("mesh-pile", {{"stones", "12"}}), {}, standard_backends());
  for (int k = 0; k < 60; ++k) simulation.step();
  ContactFinder finder;
  ContactRowSet rows;
  for (int k = 0; k < 2; ++k) finder.find(simulation.world(), 1.0 / 120.0, rows);
  ASSERT_GT(rows.size(), 20);
  const long before = testing_support::allocations();

  finder.find(simulation.world(), 1.0 / 120.0, rows);

  EXPECT_EQ(testing_support::allocations(), before);
}

TEST(BroadPhase, MissesNoContact) {
  Simulation simulation(make_scene("table-pile", {{"tables", "12"}}), {}, standard_backends());
  for (int k = 0; k < 80; ++k) simulation.step();
  World& world = simulation.world();
  for (const BodyRef body : world.bodies()) body.velocity = body.angular_velocity = {};
  ContactFinder finder;
  ContactRowSet rows;
  finder.find(world, 1.0 / 120.0, rows);

  int expected = 0;
  const auto pose = [&](const PlacedShape& s) {
    const ConstBodyRef body = world.body(s.body);
    const Mat3 R = rotation_matrix(body.orientation);
    return Pose{body.position + R * s.offset, R * rotation_matrix(s.rotation)};
  };
  for (std::size_t i = 0; i < world.shapes().size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const PlacedShape& a = world.shapes()[i];
      const PlacedShape& b = world.shapes()[j];
      if (a.body == b.body) continue;
      expected +=
          static_cast<int>(collide(*a.shape, pose(a), *b.shape, pose(b), world.margin).size());
    }
  }
  EXPECT_EQ(rows.size(), expected);
  EXPECT_GT(expected, 20);
}

TEST(CollisionFilter, SeparatesGroups) {
  World world;
  add_ground(world, 0.5);
  add_ball(world, 0.1, 1.0, {0, 0, 0.1}, 0.5);
  add_ball(world, 0.1, 1.0, {0.15, 0, 0.1}, 0.5);
  ContactFinder finder;
  ContactRowSet rows;
  finder.find(world, 0.01, rows);
  EXPECT_EQ(rows.size(), 3);

  world.set_filter(1, {.category = 2, .mask = 1});
  world.set_filter(2, {.category = 2, .mask = 1});
  finder.find(world, 0.01, rows);

  EXPECT_EQ(rows.size(), 2);
  EXPECT_THROW(world.set_filter(3, {}), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
