// nsn solvers: which linear solvers exist, what each can take, and what it brings.
#include <memory>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"

namespace nsn::cli {
namespace {

std::string describe(const OptionSpec& spec) {
  switch (spec.kind) {
    case OptionKind::kChoice:
      return fmt::format("{}", fmt::join(spec.choices, "|"));
    case OptionKind::kFlag:
      return "true|false";
    case OptionKind::kInteger:
    case OptionKind::kReal:
      return fmt::format("{} in [{:g}, {:g}]", to_string(spec.kind), spec.min, spec.max);
  }
  return {};
}

/// "key=default (values): help; ..."
std::string options_text(const SolverInfo& info) {
  std::vector<std::string> texts;
  for (const OptionSpec& spec : info.options) {
    texts.push_back(
        fmt::format("{}={} ({}): {}", spec.key, spec.default_value, describe(spec), spec.help));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

Row to_row(const SolverInfo& info) {
  const Capabilities& can = info.capabilities;
  return {{"name", info.name},
          {"summary", info.summary},
          {"built", info.built},
          {"available", info.available()},
          {"reason", info.reason},
          {"needs_entries", can.needs_entries},
          {"singular_ok", can.handles_singular},
          {"indefinite_ok", can.handles_indefinite},
          {"unsymmetric_ok", can.handles_unsymmetric},
          {"direct", can.direct},
          {"device", std::string(can.device)},
          {"licence", info.licence},
          {"options", options_text(info)}};
}

std::string mark(bool value) {
  return value ? "yes" : "-";
}

void print_tables(const SolverRegistry& registry) {
  Table table({{"name"},
               {"available"},
               {"kind"},
               {"entries"},
               {"singular"},
               {"indefinite"},
               {"unsymmetric"},
               {"device"},
               {"licence"}});
  for (const SolverInfo& info : registry.solvers()) {
    const Capabilities& can = info.capabilities;
    table.add({info.name, info.available() ? "yes" : "no", can.direct ? "direct" : "iterative",
               can.needs_entries ? "needed" : "-", mark(can.handles_singular),
               mark(can.handles_indefinite), mark(can.handles_unsymmetric), std::string(can.device),
               info.licence});
  }
  fmt::print("{}\n", table.text());
  for (const SolverInfo& info : registry.solvers()) {
    fmt::print("{}: {}\n", info.name, info.summary);
    if (!info.available()) fmt::print("    not available: {}\n", info.reason);
    for (const OptionSpec& spec : info.options) {
      fmt::print("    {}={}  {}  ({})\n", spec.key, spec.default_value, spec.help, describe(spec));
    }
  }
}

int run(const CommonOptions& options) {
  const Runtime runtime;
  const SolverRegistry registry = standard_backends();
  if (options.prints_tables()) print_tables(registry);
  std::vector<Row> rows;
  for (const SolverInfo& info : registry.solvers()) rows.push_back(to_row(info));
  if (!options.json.empty()) write_json(options.json, json_report(rows));
  return 0;
}

}  // namespace

void add_solvers_command(Command& app, int& exit_code) {
  Command command =
      app.add_subcommand("solvers", "linear solvers: what exists and what each can take");
  auto options = std::make_shared<CommonOptions>();
  add_json_option(command, *options);
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
