/// Options of a time step by name, as texts: what a command line, a sweep or a file gives.
///
///   NewtonOptions options = newton_preset("paper");
///   set_options(options, {{"damping", "adaptive"}, {"linear", "pcr"}, {"linear", "cholmod"}});
///
/// Every name but "linear" and "policy" is one field of core/step/newton_options.h. "linear" may
/// come again: what to fall back to. "policy" may come again too, each NAME=VALUE of
/// core/step/policy.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/core/step/newton_options.h"

namespace nsn {

struct NamedOption {
  OptionSpec spec;                   ///< name, kind, choices and what it is; no default
  std::vector<std::string> methods;  ///< that have it
  /// Puts the value into the field of the present method.
  std::function<void(NewtonOptions&, const Options& value)> set;
};
/// All of them.
const std::vector<NamedOption>& named_options();

/// Sets options in their order and validates the result. Throws std::invalid_argument for an unknown
/// name, for an option that the method does not have, with the methods that have it, for one that
/// the other options leave without effect, and for a value out of range. `dashes` stands before
/// names in messages.
void set_options(NewtonOptions& options, const Options::Assignments& values,
                 std::string_view dashes = "");

/// Throws std::invalid_argument, "--r is not an option of accurate; it is one of paper", unless the
/// method is one of `methods`.
void require_method(const NewtonOptions& options, const std::vector<std::string>& methods,
                    std::string_view option);

}  // namespace nsn
