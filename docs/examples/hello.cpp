// A box slides over the floor until friction stops it, after about v^2 / (2 mu g) = 0.408 m.
#include <cstdio>
#include <nsn/nsn.h>

int main() {
  nsn::World world;
  nsn::Body floor, box;
  floor.kind = nsn::BodyKind::kStatic;
  box.position = {0, 0, 0.5};
  box.velocity = {2, 0, 0};
  world.add_shape(world.add_body(floor), std::make_shared<nsn::Plane>(), {.mu = 0.5});
  world.add_shape(world.add_body(box), std::make_shared<nsn::Box>(nsn::Vec3{1, 1, 1}), {.mu = 0.5});
  nsn::Simulation simulation(std::move(world));
  for (int k = 0; k < 120; ++k) {
    if (!simulation.step().converged()) return 1;
  }
  std::printf("it stopped at x = %.3f m\n", simulation.world().bodies().back().position[0]);
}
