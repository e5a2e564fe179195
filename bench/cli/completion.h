/// What a shell completes a command line of `nsn` to.
///
/// `nsn completion bash` prints a script that asks `nsn __complete WORDS...`: all words after the program's name, the
/// last one as far as it is typed. The answer is a line per candidate, WORD<tab>SENTENCE; the line ":files" or ":folders"
/// stands for the names the shell knows, ":more" says that more is typed behind a candidate (no space).
#pragma once

#include <string>
#include <vector>

#include "bench/cli/command.h"

namespace nsn::cli {

struct Completed {
  Candidates candidates;  ///< that start with the last word
  bool files = false;
  bool folders = false;
};

/// words: at least one, the last one in part.
Completed complete(const Command& app, const std::vector<std::string>& words);

/// The answer of `nsn __complete`.
std::string completions_text(const Command& app, const std::vector<std::string>& words);

/// Shells that have a script: bash, zsh, fish.
std::vector<std::string> completion_shells();
/// The script; throws std::invalid_argument for another shell.
std::string completion_script(const std::string& shell);

}  // namespace nsn::cli
