// A soft ball of tetrahedra begins to fall.
#include <cstdio>
#include <nsn/nsn.h>

int main() {
  nsn::World world;
  nsn::DeformableOptions rubber;
  rubber.model = nsn::MaterialModel::kNeoHookean;
  rubber.material = {1e5, 0.45, 1000.0};  // Young's modulus, Poisson's ratio, density
  rubber.surface = {.mu = 0.75};
  const int ball = world.add_deformable(nsn::ball_mesh(0.04, 320), rubber);
  nsn::Body floor;
  floor.kind = nsn::BodyKind::kStatic;
  floor.position = {0, 0, -0.05};
  world.add_shape(world.add_body(floor), std::make_shared<nsn::Plane>());

  nsn::Simulation simulation(std::move(world));
  for (int k = 0; k < 3; ++k) static_cast<void>(simulation.step());

  const nsn::World& after = simulation.world();
  std::printf("its centre is at z = %.4f m, %d contacts\n",
              nsn::centre_of_mass(after, after.deformable(ball))[2],
              simulation.report().soft_contacts);
}
