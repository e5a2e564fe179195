// nsn completion SHELL: the script with which a shell completes command lines of nsn.
#include <memory>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/completion.h"
#include "bench/cli/words.h"

namespace nsn::cli {

void add_completion_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("completion", "script that completes commands in a shell");
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      .required()
      .completes(words(completion_shells()));
  command.footer(
      "bash: source <(nsn completion bash)          in ~/.bashrc\n"
      "zsh:  source <(nsn completion zsh)           in ~/.zshrc, after compinit\n"
      "fish: nsn completion fish | source           in ~/.config/fish/config.fish\n"
      "An installed nsn brings the scripts where these shells look for them.");
  command.callback([shell, &exit_code] {
    fmt::print("{}", completion_script(*shell));
    exit_code = 0;
  });
}

}  // namespace nsn::cli
