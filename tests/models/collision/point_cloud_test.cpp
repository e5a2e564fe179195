// Bodies whose nodes are thrown at random recover their rest shape.
#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/elastic/signed_svd.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

constexpr double kRadius = 0.05;

/// A ball of rubber in free space, every node anywhere in the cube around it:
/// about half of the elements are inverted, stretched up to some tenfold.
World point_cloud(const TetMesh& mesh, unsigned seed, MaterialModel model) {
  World world;
  world.gravity = {};
  world.add_deformable(mesh, {.model = model, .material = {1e5, 0.3, 1000.0}});
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-kRadius, kRadius);
  for (const ParticleRef p : world.particles()) {
    for (int i = 0; i < 3; ++i) p.position[i] = uniform(random);
  }
  return world;
}

/// Largest |s - 1| of a stretch.
double largest_strain(const World& world) {
  const Deformable& body = world.deformable(0);
  const std::vector<Vec3> x = positions(world, body);
  double largest = 0.0;
  for (Index t = 0; t < body.mesh.num_tets(); ++t) {
    const Vec3 s = signed_svd(body.elements->deformation_gradient(t, flat(x))).s;
    largest = std::max(largest, max_abs(s - vec3(1, 1, 1)));
  }
  return largest;
}

int inverted_elements(const World& world) {
  const Deformable& body = world.deformable(0);
  const std::vector<Vec3> x = positions(world, body);
  int count = 0;
  for (Index t = 0; t < body.mesh.num_tets(); ++t) {
    count += determinant(body.elements->deformation_gradient(t, flat(x))) < 0.0 ? 1 : 0;
  }
  return count;
}

struct Size {
  Index tets;
  double h;        // s: waves (10 m/s) cross an element in some steps
  unsigned seeds;  // 1 ... seeds
};
class PointCloud : public testing::TestWithParam<Size> {};

TEST_P(PointCloud, RecoversTheRestShape) {
  const auto [tets, h, seeds] = GetParam();
  const TetMesh mesh = ball_mesh(kRadius, tets);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    SimulationOptions options;
    options.h = h;
    options.newton.max_iterations = 12;  // an explosion needs no 1e-9
    const bool odd = seed % 2 == 1;
    const auto model = odd ? MaterialModel::kNeoHookeanLog : MaterialModel::kNeoHookean;
    Simulation simulation(point_cloud(mesh, seed, model), options, standard_backends());
    EXPECT_GT(inverted_elements(simulation.world()), tets / 4);

    double strain = 1.0;
    for (double t = 0.0; t < 0.4 && strain > 0.05; t += h) {
      simulation.step();
      strain = largest_strain(simulation.world());
    }

    // What is left are vibrations of a few percent; a tangled body keeps strains of 0.7.
    EXPECT_LE(strain, 0.05);
    EXPECT_EQ(inverted_elements(simulation.world()), 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Tetrahedra, PointCloud,
                         testing::Values(Size{80, 1e-3, 6}, Size{320, 1e-3, 6},
                                         Size{1280, 5e-4, 1}),
                         [](const auto& size) { return std::to_string(size.param.tets); });

}  // namespace
}  // namespace nsn
