/// Words that options complete to: names of scenes, presets, linear solvers and their options, parameters.
///
///   command.add_option("scene", scene, "which scene").completes(scene_words());
#pragma once

#include "bench/cli/command.h"
#include "nsn/core/step/named_options.h"

namespace nsn::cli {

/// These words, whatever the line.
Completion described_words(Candidates all);
/// Names of the list, without sentences.
Completion words(const std::vector<std::string>& names);
/// For each word of a list "a,b,c".
Completion list_of(Completion one);

Completion scene_words();
Completion preset_words();
/// pcr, pcr:precond=, pcr:precond=block-jacobi, ...
Completion linear_words();
/// "mu=" of the scene that the line names, then its choices.
Completion parameter_words();
/// Of --policy: "patience=".
Completion policy_words();
/// The choices of an option of core/step/named_options.h.
Completion option_words(const NamedOption& option);

}  // namespace nsn::cli
