// Coverage-guided twin of fuzz_friction_files for Siconos text, where the compiler has libFuzzer
// (clang).
#include <cstddef>
#include <cstdint>

#include "nsn/core/base/runtime.h"
#include "tests/fuzz/friction_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const nsn::Runtime runtime(1);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static_cast<void>(nsn::fuzz::feed_text(input));
  static_cast<void>(nsn::fuzz::feed_archive(input));
  return 0;
}
