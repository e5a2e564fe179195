#include "nsn/models/deformable/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/deformable/mesh_generators.h"

namespace nsn {
namespace {

// Every mesh made here is a closed manifold solid of positive tetrahedra.
void expect_solid(const TetMesh& mesh) {
  EXPECT_EQ(find_defect(mesh), "");
  const SurfaceReport report = extract_surface(mesh);
  EXPECT_EQ(report.note, "");
  EXPECT_NEAR(enclosed_volume(report.surface) / volume(mesh), 1.0, 1e-12);
  // Euler: V - E + F = 2 with 2E = 3F on a closed surface without handles.
  EXPECT_EQ(2 * report.surface.num_vertices() - report.surface.num_triangles(), 4);
}

// 1 for a regular tetrahedron: 6 sqrt 2 V / (rms edge)^3.
double worst_quality(const TetMesh& mesh) {
  double worst = 1.0;
  for (Index t = 0; t < mesh.num_tets(); ++t) {
    const auto& tet = mesh.tet[static_cast<std::size_t>(t)];
    double sum = 0.0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Vec3 e = mesh.node[static_cast<std::size_t>(tet[a])] -
                       mesh.node[static_cast<std::size_t>(tet[b])];
        sum += dot(e, e) / 6.0;
      }
    }
    worst = std::min(worst, 6.0 * std::sqrt(2.0) * signed_volume(mesh, t) / std::pow(sum, 1.5));
  }
  return worst;
}

TEST(BarMesh, FillsItsBoxInBothPatterns) {
  for (const CellPattern pattern : {CellPattern::kSix, CellPattern::kFive}) {
    const TetMesh mesh = bar_mesh(vec3(1.0, 0.2, 0.3), {5, 2, 3}, pattern);

    EXPECT_EQ(mesh.num_tets(), 30 * (pattern == CellPattern::kSix ? 6 : 5));
    EXPECT_EQ(mesh.num_nodes(), 6 * 3 * 4);
    EXPECT_NEAR(volume(mesh), 0.06, 1e-15);
    EXPECT_NEAR(area(extract_surface(mesh).surface), 2 * (0.2 + 0.3 + 0.06), 1e-12);
    expect_solid(mesh);
  }
}

TEST(BarMesh, SheetOfOneCell) {
  const TetMesh sheet = bar_mesh(vec3(1.0, 1.0, 0.01), {10, 10, 1});
  EXPECT_EQ(sheet.num_tets(), 600);
  expect_solid(sheet);
}

TEST(BallMesh, HasTheNumberThatIsAskedFor) {
  for (const Index tets : {20, 80, 160, 180, 320, 321, 322, 400, 427, 1000, 2000, 2001, 2002}) {
    SCOPED_TRACE(tets);
    const TetMesh ball = ball_mesh(0.05, tets);
    EXPECT_EQ(ball.num_tets(), tets);
    expect_solid(ball);
    for (const Index n : extract_surface(ball).surface.node) {
      EXPECT_NEAR(norm(ball.node[static_cast<std::size_t>(n)]), 0.05, 1e-15);
    }
  }
}

TEST(BallMesh, VolumeApproachesTheBalls) {
  const double ball = 4.0 / 3.0 * std::numbers::pi;
  // Inscribed polyhedra: 80 triangles leave out 13 %, 720 and more below 4 %.
  EXPECT_NEAR(volume(ball_mesh(1.0, 320)) / ball, 0.87, 0.01);
  EXPECT_NEAR(volume(ball_mesh(1.0, 427)) / ball, 0.87, 0.01);
  EXPECT_GT(volume(ball_mesh(1.0, 6000)) / ball, 0.96);
}

TEST(BallMesh, TetrahedraAreWellShaped) {
  EXPECT_GT(worst_quality(ball_mesh(1.0, 320)), 0.3);
  EXPECT_GT(worst_quality(ball_mesh(1.0, 427)), 0.2);
}

TEST(BallMesh, RefusesNumbersThatCannotBe) {
  EXPECT_THROW(ball_mesh(1.0, 19), std::invalid_argument);
  EXPECT_THROW(ball_mesh(1.0, 21), std::invalid_argument);
  EXPECT_THROW(ball_mesh(-1.0, 320), std::invalid_argument);
  EXPECT_THROW(ball_mesh(NAN, 320), std::invalid_argument);
}

TEST(FingerMesh, ThreeOfThemHaveAtLeast2241Tetrahedra) {
  const TetMesh finger = finger_mesh();
  EXPECT_EQ(finger.num_tets(), 850);
  EXPECT_GE(3 * finger.num_tets(), 2241);
  expect_solid(finger);
  // 23 x 2 cells of the base, 16 x 2 x 2 of the chambers, 7 x 2 of the valleys, five
  // tetrahedra each
  EXPECT_EQ(std::count(finger.region.begin(), finger.region.end(), kFingerLayer), 230);
  EXPECT_EQ(std::count(finger.region.begin(), finger.region.end(), kFingerBody), 230);
  EXPECT_EQ(std::count(finger.region.begin(), finger.region.end(), kFingerChamber), 390);
  EXPECT_NEAR(volume(finger), 0.02 * 0.115 * (0.005 + 16.0 / 23.0 * 0.01 + 7.0 / 23.0 * 0.005),
              1e-15);
}

TEST(Surface, TetrahedraThatShareAnEdgeOrANodeAreNoted) {
  // Two tetrahedra with one common edge: four triangles meet there.
  TetMesh edge{
      {vec3(0, 0, 0), vec3(0, 0, 1), vec3(1, 0, 0), vec3(0, 1, 0), vec3(-1, 0, 0), vec3(0, -1, 0)},
      {{0, 2, 3, 1}, {0, 4, 5, 1}},
      {}};
  const SurfaceReport at_edge = extract_surface(edge);
  EXPECT_EQ(at_edge.surface.num_triangles(), 8);
  EXPECT_EQ(at_edge.non_manifold_edges, 1);
  EXPECT_NE(at_edge.note, "");

  TetMesh node = edge;
  node.node.push_back(vec3(0, 0, -1));
  node.tet[1] = {0, 5, 4, 6};
  const SurfaceReport at_node = extract_surface(node);
  EXPECT_EQ(at_node.non_manifold_edges, 0);
  EXPECT_EQ(at_node.non_manifold_vertices, 1);

  // Three tetrahedra on one face are not a solid.
  TetMesh face = edge;
  face.tet = {{0, 2, 3, 1}, {0, 2, 3, 4}, {0, 2, 3, 5}};
  EXPECT_EQ(extract_surface(face).shared_faces, 1);
}

TEST(Surface, VerticesPointBackToNodes) {
  const TetMesh mesh = bar_mesh(vec3(1, 1, 1), {3, 3, 3});
  const TriangleSurface surface = extract_surface(mesh).surface;
  EXPECT_EQ(surface.num_vertices(), 64 - 8);
  for (Index v = 0; v < surface.num_vertices(); ++v) {
    const auto n = static_cast<std::size_t>(surface.node[static_cast<std::size_t>(v)]);
    EXPECT_EQ(max_abs(mesh.node[n] - surface.vertex[static_cast<std::size_t>(v)]), 0.0);
  }
}

}  // namespace
}  // namespace nsn
