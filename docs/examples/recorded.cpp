// Records a run and writes a page that shows it.
#include <nsn/nsn.h>

int main() {
  nsn::Simulation simulation(nsn::make_scene("arch", {}));
  nsn::RunRecorder recorder(simulation, {.title = "my arch"});
  for (int k = 0; k < 120; ++k) {
    simulation.step();
    recorder.add(simulation);
  }
  nsn::write_run_page("arch.html", recorder.run());
}
