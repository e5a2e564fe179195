// nsn doctor: what was found, what is missing and what that costs.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/doctor.h"
#include "bench/cli/report_json.h"
#include "nsn/core/base/runtime.h"

namespace nsn::cli {
namespace {

void print(const std::vector<Finding>& all) {
  std::string topic;
  for (const Finding& finding : all) {
    if (finding.topic != topic) fmt::print("{}{}\n", topic.empty() ? "" : "\n", finding.topic);
    topic = finding.topic;
    fmt::print("  {:8} {:34} {}\n", to_string(finding.health), finding.name, finding.found);
    if (!finding.cost.empty()) fmt::print("  {:8} {:34} -> {}\n", "", "", finding.cost);
  }
}

int run(const CommonOptions& options) {
  const Runtime runtime(options.threads);
  const std::vector<Finding> all = findings();
  std::vector<Row> rows;
  long needed = 0, missing = 0;
  for (const Finding& finding : all) {
    const bool good = finding.health == Health::kGood;
    needed += !good && finding.needed;
    missing += !good && !finding.needed;
    rows.push_back({{"topic", finding.topic},
                    {"name", finding.name},
                    {"health", to_string(finding.health)},
                    {"found", finding.found},
                    {"cost", finding.cost},
                    {"needed", finding.needed}});
  }
  if (options.prints_tables()) {
    print(all);
    fmt::print("\n{}; {} optional {} missing\n",
               needed == 0 ? "All that the defaults need works"
                           : fmt::format("{} of what the defaults need fails", needed),
               missing, missing == 1 ? "thing is" : "things are");
  }
  if (!options.json.empty()) write_json(options.json, json_report(rows));
  return needed == 0 ? 0 : 1;
}

}  // namespace

void add_doctor_command(Command& app, int& exit_code) {
  Command command =
      app.add_subcommand("doctor", "what was found, what is missing and what that costs");
  auto options = std::make_shared<CommonOptions>();
  add_threads_option(command, *options);
  add_json_option(command, *options);
  add_quiet_option(command, *options);
  command.footer("Exit code: 0 what the defaults need works, 1 something of it does not.");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
