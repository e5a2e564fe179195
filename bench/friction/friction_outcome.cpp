#include "bench/friction/friction_outcome.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "nsn/core/base/error.h"

namespace nsn::bench {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (entry.is_regular_file() && !hidden) files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(fmt::format("{}: the folder holds no file", folder.string()));
  std::sort(files.begin(), files.end());
  return files;
}

/// The file name; a second one of the same name gets a number.
std::string unique_name(const fs::path& path, std::set<std::string>& taken) {
  const std::string name = path.filename().string();
  std::string candidate = name;
  for (int number = 2; !taken.insert(candidate).second; ++number) {
    candidate = fmt::format("{}-{}", name, number);
  }
  return candidate;
}

}  // namespace

std::vector<ProblemSource> find_problems(const std::vector<std::string>& paths) {
  std::vector<ProblemSource> sources;
  std::set<std::string> taken;
  for (const std::string& path : paths) {
    const std::vector<fs::path> files =
        fs::is_directory(path) ? files_in(path) : std::vector<fs::path>{path};
    for (const fs::path& file : files) sources.push_back({unique_name(file, taken), file});
  }
  return sources;
}

void throw_if_nothing_was_usable(const std::vector<FrictionOutcome>& outcomes) {
  std::string reasons;
  for (const FrictionOutcome& outcome : outcomes) {
    if (outcome.refusal.empty()) return;
    reasons += (reasons.empty() ? "" : "\nnsn: ") + outcome.refusal;
  }
  throw InputError(reasons);
}

}  // namespace nsn::bench
