#include "nsn/core/linear/plugin.h"

#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>

#include "nsn/core/base/error.h"

namespace nsn {

void load_plugin(const std::string& file, SolverRegistry& registry) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw InputError(fmt::format("{}: no such file", file));
  }
  // A name without a slash would be looked for elsewhere.
  const std::string path = std::filesystem::absolute(file).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format("{}: cannot be loaded: {}", file, ::dlerror()));
  }
  const auto interface = reinterpret_cast<int (*)()>(::dlsym(library, "nsn_plugin_interface"));
  const auto add = reinterpret_cast<void (*)(SolverRegistry&)>(::dlsym(library, "nsn_plugin_add"));
  if (interface == nullptr || add == nullptr) {
    throw InputError(fmt::format("{}: is not a plug-in of nsn: it has no NSN_PLUGIN", file));
  }
  const int ours = kPluginInterface * 1000 + static_cast<int>(sizeof(SolverInfo));
  if (interface() != ours) {
    throw InputError(fmt::format("{}: was made for another nsn (interface {}, this one has {})",
                                 file, interface(), ours));
  }
  add(registry);
}

}  // namespace nsn
