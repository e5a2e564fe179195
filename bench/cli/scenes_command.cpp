// nsn scenes [NAME]: what can be run, and a scene's parameters.
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/cli/words.h"
#include "nsn/core/base/runtime.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::cli {
namespace {

std::string range_text(const OptionSpec& spec) {
  if (spec.kind == OptionKind::kInteger || spec.kind == OptionKind::kReal) {
    return fmt::format("{:g} ... {:g}", spec.min, spec.max);
  }
  return "";
}

Row scene_row(const SceneInfo& info) {
  Row row{{"name", info.name}, {"summary", info.summary}, {"default_steps", info.default_steps}};
  row["parameters"] = Row::array();
  for (const OptionSpec& spec : info.options) {
    row["parameters"].push_back({{"key", spec.key},
                                 {"default", spec.default_value},
                                 {"min", spec.min},
                                 {"max", spec.max},
                                 {"help", spec.help}});
  }
  return row;
}

void print_parameters(const SceneInfo& info) {
  fmt::print("{}: {}\n\n", info.name, info.summary);
  Table table({{"parameter"}, {"default", Align::kRight}, {"range"}, {"meaning"}});
  for (const OptionSpec& spec : info.options) {
    table.add({spec.key, spec.default_value, range_text(spec), spec.help});
  }
  fmt::print("{}", table.text());
}

int run(const CommonOptions& options, const std::string& name) {
  const Runtime runtime;
  std::vector<Row> rows;
  if (!name.empty()) {
    const SceneInfo& info = scene_info(name);
    rows.push_back(scene_row(info));
    if (options.prints_tables()) print_parameters(info);
  } else {
    Table table({{"scene"}, {"steps", Align::kRight}, {"what it shows"}});
    for (const SceneInfo& info : scenes()) {
      rows.push_back(scene_row(info));
      table.add({info.name, std::to_string(info.default_steps), info.summary});
    }
    if (options.prints_tables()) fmt::print("{}", table.text());
  }
  if (!options.json.empty()) write_json(options.json, json_report(rows));
  return 0;
}

}  // namespace

void add_scenes_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("scenes", "list scenes, or one scene's parameters");
  auto options = std::make_shared<CommonOptions>();
  auto name = std::make_shared<std::string>();
  command.add_option("scene", *name, "show the parameters of this one").completes(scene_words());
  add_json_option(command, *options);
  add_quiet_option(command, *options);
  command.callback([=, &exit_code] { exit_code = run(*options, *name); });
}

}  // namespace nsn::cli
