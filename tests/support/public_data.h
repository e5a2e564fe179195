/// Data by others (docs/data.md): what tests it is skipped where it is absent, and says so. For
/// tests that CMake marks DATA.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace nsn::test {

/// A file or folder of the data.
inline std::filesystem::path public_data(const std::string& below = {}) {
  return std::filesystem::path(NSN_DATA_DIR).lexically_normal() / below;
}

}  // namespace nsn::test

/// Skips the test where the file or folder is not there. ./run test counts the reasons.
#define NSN_NEED_PUBLIC_DATA(below)                                                          \
  if (const auto needed = ::nsn::test::public_data(below); !std::filesystem::exists(needed)) \
  GTEST_SKIP() << "no " << needed.string() << " (docs/data.md)"
