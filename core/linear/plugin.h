/// Linear solvers in a shared library of one's own, for `nsn compare --plugin libmine.so`:
///
///   #include <nsn/backend.h>
///
///   NSN_PLUGIN(registry) { registry.add(my_backend()); }
///
/// The library is compiled against the headers of the nsn that loads it and links nothing of nsn: it
/// takes it from the program. One that was made for another version is refused.
#pragma once

#include <string>

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

/// What a plug-in has to agree on: the layout of these classes. Raised with them.
inline constexpr int kPluginInterface = 1;

/// Loads the library and lets it add its solvers. It stays loaded until the process ends. Throws
/// InputError "file: reason": no shared library, no plug-in, one for another version.
void load_plugin(const std::string& file, SolverRegistry& registry);

}  // namespace nsn

// NOLINTBEGIN(cppcoreguidelines-macro-usage, bugprone-macro-parentheses): two names that the loader finds
#define NSN_PLUGIN(registry)                                                             \
  extern "C" __attribute__((visibility("default"))) int nsn_plugin_interface() {         \
    return ::nsn::kPluginInterface * 1000 + static_cast<int>(sizeof(::nsn::SolverInfo)); \
  }                                                                                      \
  extern "C" __attribute__((visibility("default"))) void nsn_plugin_add(                 \
      ::nsn::SolverRegistry& registry)
// NOLINTEND(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
