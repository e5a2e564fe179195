// fuzz_seeds: prints the names of all readers, tab, what they read.
// fuzz_seeds READER FOLDER: writes healthy files of a reader there, for a fuzzer to start from.
#include <cstdio>
#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"
#include "tests/fuzz/reader_targets.h"

namespace {

int run(int argc, char** argv) {
  if (argc == 1) {
    for (const auto& reader : nsn::fuzz::readers())
      fmt::print("{}\t{}\n", reader.name, reader.what);
    return 0;
  }
  if (argc != 3) {
    fmt::print(stderr, "usage: {} [READER FOLDER]\n", argv[0]);
    return 2;
  }
  const nsn::Runtime runtime(1);
  int number = 0;
  for (const std::string& seed : nsn::fuzz::reader_named(argv[1]).seeds()) {
    nsn::write_file(std::filesystem::path(argv[2]) / fmt::format("seed-{:02}", ++number), seed);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_seeds: {}\n", error.what());
    return 2;
  }
}
