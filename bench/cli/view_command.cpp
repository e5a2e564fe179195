// nsn view A [B]: a page of one recorded run, or of two side by side.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

/// The run file of a folder, or the file itself.
fs::path run_of(const fs::path& given) {
  if (!fs::is_directory(given)) return given;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(given)) {
    if (entry.path().extension() == ".run") found.push_back(entry.path().string());
  }
  if (found.empty()) {
    throw InputError(
        fmt::format("{}: no recorded run (*.run) in it; nsn run SCENE --out {} leaves one",
                    given.string(), given.string()));
  }
  if (found.size() > 1) {
    throw InputError(fmt::format("{}: several recorded runs, say which: {}", given.string(),
                                 fmt::join(found, ", ")));
  }
  return found.front();
}

int run(const CommonOptions& common, const std::vector<std::string>& given,
        const std::string& html) {
  NSN_THROW_UNLESS(given.size() <= 2, "a page shows one run or two, not {}", given.size());
  std::vector<std::string> runs;
  fs::path page = html.empty() ? "view.html" : html;
  for (const std::string& one : given) {
    const fs::path file = run_of(one);
    runs.push_back(read_run_bytes(file));
    if (html.empty() && given.size() == 1 && file.extension() != ".html") {
      page = fs::path(file).replace_extension(".html");
    }
  }
  write_file(page, run_page(runs));
  if (common.prints_tables()) fmt::print("open {}\n", fs::absolute(page).string());
  return 0;
}

}  // namespace

void add_view_command(Command& app, int& exit_code) {
  Command command =
      app.add_subcommand("view", "a page that shows a recorded run, or two side by side");
  auto common = std::make_shared<CommonOptions>();
  auto given = std::make_shared<std::vector<std::string>>();
  auto html = std::make_shared<std::string>();
  command
      .add_option(
          "runs", *given,
          "one run or two: a folder of nsn run --out, a file *.run, or a page of nsn run --html")
      .type_name("FILE")
      .required();
  command
      .add_option("--html", *html,
                  "the page (default: beside a run file, with its name; of two runs view.html)")
      .type_name("FILE");
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *given, *html); });
}

}  // namespace nsn::cli
