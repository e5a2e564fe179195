// A stack, a door on a hinge and a soft ball: forces, a saved state, and a page that shows it all.
#include <cstdio>
#include <nsn/nsn.h>

namespace {

/// size: edge lengths, m.
int add_box(nsn::World& world, const char* name, const nsn::Vec3& position, const nsn::Vec3& size) {
  const int box = world.add_body({.name = name, .density = 500.0, .position = position});
  world.add_shape(box, std::make_shared<nsn::Box>(size), {.mu = 0.6});
  return box;
}

}  // namespace

int main() {
  // The floor, and three boxes of 4 kg on it.
  nsn::World world;
  const int floor = world.add_body({.name = "floor", .kind = nsn::BodyKind::kStatic});
  world.add_shape(floor, std::make_shared<nsn::Plane>(), {.mu = 0.6});
  const int lowest = add_box(world, "lowest", {-0.6, 0, 0.1}, {0.2, 0.2, 0.2});
  add_box(world, "middle", {-0.6, 0, 0.3}, {0.2, 0.2, 0.2});
  add_box(world, "top", {-0.6, 0, 0.5}, {0.2, 0.2, 0.2});

  // A door that turns about a vertical axis through the origin, between -90 and 90 degrees.
  const int door = add_box(world, "door", {0.4, 0, 0.55}, {0.8, 0.04, 1.0});
  nsn::Joint hinge = nsn::revolute_joint(door, floor);
  hinge.axes[0].limit = {-1.571, 1.571};  // rad
  hinge.axes[0].friction = 0.2;           // N m
  const int joint = world.add_joint(hinge, {.point = {0, 0, 0.55}, .axis = {0, 0, 1}});

  // A ball of soft rubber, 15 cm in radius, half a metre above the floor.
  const int ball = world.add_deformable(nsn::ball_mesh(0.15, 320),
                                        {.name = "ball",
                                         .material = {.youngs_modulus = 5e4, .poissons_ratio = 0.4},
                                         .surface = {.mu = 0.6},
                                         .position = {0, 0.8, 0.65}});

  // Somebody pushes the door for a fifth of a second.
  nsn::Simulation simulation(std::move(world));
  simulation.before_step([door](nsn::Simulation& now) {
    const bool pushed = now.world().time < 0.2;
    now.world().body(door).force = {0, pushed ? 20.0 : 0.0, 0};  // N, at its centre of mass
  });

  // Two seconds, recorded.
  nsn::RunRecorder recorder(simulation, {.title = "first scene"});
  for (int k = 0; k < 240; ++k) {
    if (!simulation.step().converged()) std::printf("step %d did not converge\n", k);
    recorder.add(simulation);
  }
  nsn::write_run_page("first_scene.html", recorder.run());

  std::printf("the floor carries %.1f N of the stack\n",
              simulation.contact_force(lowest, floor)[2]);
  std::printf("the door stands at %.2f rad\n", simulation.joint_position(joint, 0));
  std::printf("the ball rests with %.1f N\n", simulation.contact_force_on_deformable(ball)[2]);
  int sticking = 0;
  for (const nsn::ContactInfo& contact : simulation.contacts()) {
    sticking += contact.state == nsn::ContactState::kStick ? 1 : 0;
  }
  std::printf("%d of %zu contacts stick\n", sticking, simulation.contacts().size());

  // Back in time: what follows a saved state is the same, bit by bit.
  const std::string saved = simulation.state();
  for (int k = 0; k < 60; ++k) simulation.step();
  const nsn::Vec3 once = simulation.world().body(door).position;
  simulation.set_state(saved);
  for (int k = 0; k < 60; ++k) simulation.step();
  const double apart = nsn::norm(simulation.world().body(door).position - once);
  std::printf("run twice, the door is %g m from where it was\n", apart);
  return apart == 0.0 ? 0 : 1;
}
