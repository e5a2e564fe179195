/// Contestants in processes of their own: one that hangs, crashes or takes all memory takes nothing
/// else with it, and its processor time is its own.
///
///   Workers workers({.limit_seconds = 60});
///   auto contestant = workers.contestant(source, seed, "pcr", false, control);
///   TimedRun run = contestant->time();       // "time-limit" where the process had to be killed
///
/// The process is this program again (/proc/self/exe) with the arguments `kWorkerCommand FD`; main()
/// hands it to serve_contestants(). Requests and answers are JSON, one a line, over a socket.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare/contestant.h"

namespace nsn::bench {

inline constexpr std::string_view kWorkerCommand = "__contestant";

struct WorkerOptions {
  double limit_seconds = 60.0;  ///< processor time of one run; on the clock ten times as much
  double memory_bytes = 0.0;    ///< of the whole process; 0: no limit
  int threads = 0;              ///< as --threads
  std::vector<std::string> plugins;
  std::function<bool()> stopped;  ///< true: the run that is on is given up
};

class Workers {
 public:
  explicit Workers(WorkerOptions options);
  ~Workers();

  /// The process of this solver reads the system at the first run. Outlived by this object.
  std::unique_ptr<Contestant> contestant(const SystemSource& source, std::uint64_t seed,
                                         const std::string& spec, SystemForm form,
                                         const LinearControl& control);

 private:
  class Process;
  class Remote;

  WorkerOptions options_;
  std::map<std::string, std::unique_ptr<Process>> processes_;  // by spec and operator
};

/// The other end: argv of a program that was started with kWorkerCommand. `registry` is asked for
/// once the runtime lives. Returns the exit code.
int serve_contestants(
    int argc, char** argv,
    const std::function<SolverRegistry(const std::vector<std::string>& plugins)>& registry);

}  // namespace nsn::bench
