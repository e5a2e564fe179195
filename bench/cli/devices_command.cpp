// nsn devices: where the paper's method can run, or why not.
#include <memory>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::cli {
namespace {

int run(const CommonOptions& options) {
  const Runtime runtime(options.threads);
  const auto devices = all_devices(standard_backends());
  Table table({{"name"}, {"memory"}, {"available"}});
  std::vector<Row> rows;
  for (const DeviceInfo& info : devices) {
    table.add({info.name, info.memory, info.available() ? "yes" : "no"});
    rows.push_back({{"name", info.name},
                    {"memory", info.memory},
                    {"available", info.available()},
                    {"reason", info.reason}});
  }
  if (options.prints_tables()) {
    fmt::print("{}\n", table.text());
    for (const DeviceInfo& info : devices) {
      if (!info.available()) fmt::print("{} is not available: {}\n", info.name, info.reason);
    }
    fmt::print("accurate and realtime run on {} only; paper on all\n", kHostDevice);
  }
  if (!options.json.empty()) write_json(options.json, json_report(rows));
  return 0;
}

}  // namespace

void add_devices_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("devices", "where the paper's method can run, or why not");
  auto options = std::make_shared<CommonOptions>();
  add_json_option(command, *options);
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
