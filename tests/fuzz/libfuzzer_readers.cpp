// One reader under libFuzzer (clang): the environment variable NSN_FUZZ_READER says which.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "nsn/core/base/runtime.h"
#include "tests/fuzz/reader_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const nsn::Runtime runtime(1);
  static const char* const name = std::getenv("NSN_FUZZ_READER");
  static const nsn::fuzz::Reader& reader = nsn::fuzz::reader_named(name == nullptr ? "" : name);
  static_cast<void>(reader.feed({reinterpret_cast<const char*>(data), size}));
  return 0;
}
