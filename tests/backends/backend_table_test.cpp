// docs/backends.md and the registry say the same; what a build leaves out is listed all the same.
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"

namespace nsn {
namespace {

std::string documentation() {
  std::ifstream file(NSN_BACKENDS_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The row of the table up to the licence, which depends on how the library was built.
std::string row(const SolverInfo& info) {
  const Capabilities& can = info.capabilities;
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format(
      "| `{}` | {} | {} | {} | {} | {} | {} | {}", info.name, can.direct ? "direct" : "iterative",
      yes(can.needs_entries), yes(can.handles_singular), yes(can.handles_indefinite),
      yes(can.handles_unsymmetric), can.device, info.licence.substr(0, info.licence.find(' ')));
}

TEST(BackendTable, HasTheRowOfEveryBackend) {
  const std::string text = documentation();
  const SolverRegistry registry = standard_backends();

  for (const SolverInfo& info : registry.solvers()) {
    EXPECT_NE(text.find(row(info)), std::string::npos)
        << "docs/backends.md lacks the row that begins\n"
        << row(info);
  }
}

TEST(BackendTable, NamesEveryOption) {
  const std::string text = documentation();
  const SolverRegistry registry = standard_backends();

  for (const SolverInfo& info : registry.solvers()) {
    for (const OptionSpec& option : info.options) {
      EXPECT_NE(text.find(fmt::format("`{}`", option.key)), std::string::npos)
          << "docs/backends.md does not name option '" << option.key << "' of '" << info.name
          << "'";
    }
  }
}

TEST(BackendTable, ListsWhatWasNotBuiltWithTheReason) {
  const SolverRegistry registry = standard_backends();

  for (const char* name : {"cholmod", "klu", "eigen-ldlt", "amg"}) {
    const SolverInfo& info = registry.info(name);
    EXPECT_EQ(info.available(), info.built) << name;
    if (info.built) continue;
    EXPECT_NE(info.reason.find("-DNSN_WITH_"), std::string::npos) << info.reason;
    try {
      static_cast<void>(registry.make(name));
      ADD_FAILURE() << name << " was made although it was not built";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(info.reason), std::string::npos) << error.what();
    }
  }
}

TEST(BackendTable, MistakesAreAnsweredWithTheNearestNames) {
  const SolverRegistry registry = standard_backends();
  const auto message = [&](const char* spec) -> std::string {
    try {
      static_cast<void>(registry.make(spec));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_NE(message("cholmd").find("did you mean 'cholmod'"), std::string::npos);
  EXPECT_NE(message("pcr:precond=jacoby").find("did you mean 'jacobi'"), std::string::npos);
  EXPECT_NE(message("pcr:max_iteration=3").find("did you mean 'max_iterations'"),
            std::string::npos);
  if (registry.info("cholmod").available()) {
    EXPECT_NE(message("cholmod:method=simplical").find("did you mean 'simplicial'"),
              std::string::npos);
    EXPECT_NE(message("cholmod:regularisation=-1").find("outside [0, 1]"), std::string::npos);
    EXPECT_NE(message("cholmod:refine=1.5").find("is not an integer"), std::string::npos);
  }
}

TEST(BackendTable, EveryBackendStatesItsLicence) {
  const SolverRegistry registry = standard_backends();

  for (const SolverInfo& info : registry.solvers()) EXPECT_FALSE(info.licence.empty()) << info.name;
  EXPECT_NE(registry.info("amg").licence.find("MIT"), std::string::npos);
  EXPECT_NE(registry.info("klu").licence.find("LGPL-2.1+"), std::string::npos);
}

}  // namespace
}  // namespace nsn
