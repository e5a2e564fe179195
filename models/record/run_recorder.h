/// Follows a simulation and keeps what a page or a film shows of it.
///
///   nsn::RunRecorder recorder(simulation, {.title = "arch"});
///   for (int k = 0; k < 240; ++k) {
///     simulation.step();
///     recorder.add(simulation);
///   }
///   nsn::write_run_page("run.html", recorder.run());       // models/record/run_page.h
///
/// It needs no more memory the longer the run: when there are too many frames or contacts, every second
/// one goes, and from then on half as many come in. What is added to the world or removed while it runs
/// is there in its own frames alone.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsn/models/record/run.h"

namespace nsn {

struct RecordOptions {
  std::string title{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< RecordedRun::facts
  int every = 0;          ///< steps per frame, >= 1; 0: what comes nearest to 60 frames per second
  int max_frames = 1200;  ///< kept, >= 2
  int max_contacts = 1000000;  ///< kept in all frames, >= 0
  /// Beyond this number, contacts are kept 30 times per second at most; >= 0.
  int thin_contacts_from = 100000;
};

class RunRecorder {
 public:
  /// The first frame is the world as it is now. Throws std::invalid_argument for options out of range.
  explicit RunRecorder(const Simulation& simulation, RecordOptions options = {});

  /// After each step.
  void add(const Simulation& simulation);
  const RecordedRun& run() const { return run_; }
  /// For the page, after those of the options.
  void add_fact(const std::string& name, const std::string& value) {
    run_.facts.emplace_back(name, value);
  }

 private:
  void add_frame(const Simulation& simulation);
  void add_shapes(const World& world);
  void add_softs(const World& world);
  void add_joints(const World& world);
  int mesh_of(const Shape& shape);
  void halve_frames();
  void halve_contacts();

  RecordOptions options_;
  RecordedRun run_;
  RunMeasures since_;       // of the steps since the last frame
  int steps_ = 0;           // ... and how many
  int contacts_every_ = 1;  // frames
  std::size_t num_contacts_ = 0;
  struct Known {
    std::shared_ptr<const Shape> shape;
    int record = -1;  // of run_.shapes
  };
  std::vector<Known> known_;  // by shape of the world
  int version_ = -1;
};

}  // namespace nsn
