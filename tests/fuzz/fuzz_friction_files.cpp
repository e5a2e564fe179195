// fuzz_friction_files [--seconds S] [--inputs N] [--seed K]: damaged friction files, by a seeded
// driver.
//
// Runs until both N inputs have been fed and S seconds are over; the outcome depends on the seed
// and the number of inputs alone. Build it with a sanitizer (preset asan) to see what does not
// crash.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "nsn/core/base/runtime.h"
#include "tests/fuzz/friction_mutations.h"
#include "tests/fuzz/friction_targets.h"
#include "tests/support/temporary_folder.h"

namespace nsn::fuzz {

namespace {

struct Arguments {
  double seconds = 0.0;
  long inputs = 100000;
  unsigned long seed = 1;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) {
      arguments.seconds = std::strtod(argv[i + 1], nullptr);
    } else if (std::strcmp(argv[i], "--inputs") == 0) {
      arguments.inputs = std::strtol(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      arguments.seed = std::strtoul(argv[i + 1], nullptr, 10);
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

struct Tally {
  long fed = 0;
  long accepted = 0;
  void add(bool was_accepted) {
    ++fed;
    accepted += was_accepted ? 1 : 0;
  }
};

int run(const Arguments& arguments) {
  const auto texts = text_corpus();
  const auto archives = archive_corpus();
  const auto contents = content_corpus();
  for (const auto& text : texts) static_cast<void>(feed_text(text));
  Random random(arguments.seed);
  Tally text;
  Tally archive;
  Tally content;
  Tally file;
  const TemporaryFolder folder;
  const std::string path = folder / "input.hdf5";
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // Ten texts, five contents and one archive a round, an HDF5 file in every eighth.
  while (text.fed + content.fed + archive.fed < arguments.inputs || elapsed() < arguments.seconds) {
    for (int i = 0; i < 10; ++i) text.add(feed_text(mutate(texts, random)));
    for (int i = 0; i < 5; ++i) content.add(feed_content(mutate(contents, random)));
    archive.add(feed_archive(mutate(archives, random)));
    if (archive.fed % 8 == 0) file.add(feed_file(mutate(contents, random), path));
  }
  std::printf("seed %lu, %.1f s, no crash (fed/accepted): ", arguments.seed, elapsed());
  std::printf("texts %ld/%ld, FCLIB contents %ld/%ld, ", text.fed, text.accepted, content.fed,
              content.accepted);
  std::printf("HDF5 files %ld/%ld, archives %ld/%ld\n", file.fed, file.accepted, archive.fed,
              archive.accepted);
  return 0;
}

}  // namespace

}  // namespace nsn::fuzz

int main(int argc, char** argv) {
  nsn::fuzz::Arguments arguments;
  if (!nsn::fuzz::parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: %s [--seconds S] [--inputs N] [--seed K]\n", argv[0]);
    return 2;
  }
  const nsn::Runtime runtime(1);
  return nsn::fuzz::run(arguments);
}
