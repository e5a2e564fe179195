#include "bench/cli/words.h"

#include <algorithm>
#include <utility>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/policy.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::cli {
namespace {

Candidates without_sentences(const std::vector<std::string>& names) {
  Candidates all;
  for (const std::string& name : names) all.push_back({name, ""});
  return all;
}

/// "START key=" for each option; "START key=value" once the key is there.
Candidates assignments(const std::vector<OptionSpec>& specs, const std::string& start,
                       const std::string& rest) {
  Candidates all;
  const std::size_t equals = rest.find('=');
  for (const OptionSpec& spec : specs) {
    if (equals == std::string::npos) {
      all.push_back({start + spec.key + "=", spec.help + " (" + spec.default_value + ")"});
    } else if (spec.key == rest.substr(0, equals)) {
      const bool flag = spec.kind == OptionKind::kFlag;
      const std::vector<std::string> flags{"true", "false"};
      for (const std::string& value : flag ? flags : spec.choices) {
        all.push_back({start + spec.key + "=" + value, ""});
      }
    }
  }
  return all;
}

Candidates linear_candidates(const std::string& word) {
  const SolverRegistry registry = standard_backends();
  const std::size_t colon = word.find(':');
  Candidates all;
  for (const SolverInfo& info : registry.solvers()) {
    if (!info.available()) continue;
    if (colon == std::string::npos) {
      all.push_back({info.name, info.summary});
    } else if (info.name == word.substr(0, colon)) {
      const std::size_t last = word.find_last_of(":,");
      return assignments(info.options, word.substr(0, last + 1), word.substr(last + 1));
    }
  }
  return all;
}

template <class Policy>
void add_policies(std::vector<OptionSpec>& specs) {
  for (const auto& field : policy_fields<Policy>()) specs.push_back(field.spec);
}

}  // namespace

Completion described_words(Candidates all) {
  return [all = std::move(all)](const std::vector<std::string>&) { return all; };
}

Completion words(const std::vector<std::string>& names) {
  return described_words(without_sentences(names));
}

Completion list_of(Completion one) {
  return [one = std::move(one)](std::vector<std::string> line) {
    const std::size_t comma = line.back().rfind(',');
    if (comma == std::string::npos) return one(line);
    const std::string before = line.back().substr(0, comma + 1);
    line.back().erase(0, comma + 1);
    Candidates all = one(line);
    for (Candidate& candidate : all) candidate.word.insert(0, before);
    return all;
  };
}

Completion scene_words() {
  return [](const std::vector<std::string>&) {
    Candidates all;
    for (const SceneInfo& info : scenes()) all.push_back({info.name, info.summary});
    return all;
  };
}

Completion preset_words() {
  return described_words({{"accurate", "each step to a stated error (the default)"},
                          {"realtime", "a bounded number of factorisations per step"},
                          {"paper", "the method as published"}});
}

Completion linear_words() {
  return [](const std::vector<std::string>& line) { return linear_candidates(line.back()); };
}

Completion parameter_words() {
  return [](const std::vector<std::string>& line) -> Candidates {
    for (const SceneInfo& info : scenes()) {
      if (std::find(line.begin(), line.end() - 1, info.name) == line.end() - 1) continue;
      return assignments(info.options, "", line.back());
    }
    return {};
  };
}

Completion policy_words() {
  return [](const std::vector<std::string>& line) {
    std::vector<OptionSpec> specs;
    add_policies<AccuratePolicy>(specs);
    add_policies<RealtimePolicy>(specs);
    return assignments(specs, "", line.back());
  };
}

Completion option_words(const NamedOption& option) {
  if (option.spec.key == "linear") return linear_words();
  if (option.spec.key == "policy") return policy_words();
  if (option.spec.kind == OptionKind::kFlag) return words({"true", "false"});
  return words(option.spec.choices);
}

}  // namespace nsn::cli
