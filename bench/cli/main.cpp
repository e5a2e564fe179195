// nsn: compare linear solvers, solve friction problems, run scenes.
#include <exception>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "core/error.h"
#include "core/runtime.h"

namespace {

constexpr nsn::cli::AddCommand kCommands[] = {nullptr};

constexpr int kBadInput = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Non-smooth Newton methods for frictional contact"};
  app.require_subcommand(1);
  int exit_code = 0;
  for (const auto add : kCommands) {
    if (add != nullptr) add(app, exit_code);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "nsn: {}\n", error.what());
    return kBadInput;
  } catch (const nsn::InputError& error) {
    fmt::print(stderr, "nsn: {}\n", error.what());
    return kBadInput;
  }
  return exit_code;
}
