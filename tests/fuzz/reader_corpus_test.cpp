// What a fuzzer found and the seeds it began with, once more in every build: tests/fuzz/corpus/READER/*.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"
#include "tests/fuzz/reader_targets.h"

namespace nsn::fuzz {
namespace {

namespace fs = std::filesystem;

class Readers : public testing::TestWithParam<Reader> {};

TEST_P(Readers, TakeTheirSeedsAndSurviveTheirCorpus) {
  const Reader& reader = GetParam();
  const auto seeds = reader.seeds();
  ASSERT_FALSE(seeds.empty());
  const auto accepted = std::count_if(seeds.begin(), seeds.end(), reader.feed);
  EXPECT_GE(accepted + 1,
            static_cast<std::ptrdiff_t>(seeds.size()));  // one may be damaged on purpose
  // Every piece and every changed byte of the smallest one: refused or sound, never a crash.
  const std::string& smallest = *std::min_element(
      seeds.begin(), seeds.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t stride = std::max<std::size_t>(smallest.size() / 40, 1);
  for (std::size_t k = 0; k < smallest.size(); k += stride) {
    static_cast<void>(reader.feed(smallest.substr(0, k)));
    std::string damaged = smallest;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    static_cast<void>(reader.feed(damaged));
  }
  const fs::path folder = fs::path(NSN_FUZZ_CORPUS) / reader.name;
  std::vector<fs::path> files;
  if (fs::exists(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    SCOPED_TRACE(path);
    static_cast<void>(reader.feed(text));  // a crash is the failure
  }
}

INSTANTIATE_TEST_SUITE_P(All, Readers, testing::ValuesIn(readers()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace nsn::fuzz
