#include "bench/cli/common_options.h"

#include <algorithm>
#include <thread>

namespace nsn::cli {
namespace {

/// More than a few per core only wait for each other; this many do no harm anywhere.
int most_threads() {
  constexpr int kPerCore = 4;
  constexpr int kHarmless = 64;
  return std::max(kPerCore * static_cast<int>(std::thread::hardware_concurrency()), kHarmless);
}

}  // namespace

void add_threads_option(Command& command, CommonOptions& options) {
  command.add_option("--threads", options.threads, "threads; 0: OMP_NUM_THREADS or all cores")
      .range(0, most_threads())
      .show_default();
}

void add_seed_option(Command& command, CommonOptions& options) {
  command.add_option("--seed", options.seed, "seed of everything random").show_default();
}

void add_json_option(Command& command, CommonOptions& options) {
  command.add_option("--json", options.json, "write a machine-readable report; '-' is stdout")
      .type_name("FILE");
}

void add_out_option(Command& command, CommonOptions& options, const std::string& what) {
  command.add_option("--out", options.out, what).type_name("DIR");
}

void add_quiet_option(Command& command, CommonOptions& options) {
  command.add_flag("--quiet", options.quiet, "no tables and no progress bar");
}

}  // namespace nsn::cli
