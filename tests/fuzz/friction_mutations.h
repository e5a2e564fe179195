/// Damage to files of friction problems, by a seeded generator: the same seed, the same inputs.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "nsn/core/io/fclib.h"

namespace nsn::fuzz {

using Random = std::mt19937_64;

/// Healthy inputs to start from: every storage and kind of Siconos text (first byte: see
/// feed_text).
std::vector<std::string> text_corpus();
std::vector<std::string> archive_corpus();
std::vector<FclibContent> content_corpus();

/// One to eight changes: bits, bytes, tokens replaced by hostile ones, pieces removed, repeated,
/// moved or taken from another input, the end cut off.
std::string mutate(const std::vector<std::string>& corpus, Random& random);
/// One to four changes of sizes, pointers, indices and values.
FclibContent mutate(const std::vector<FclibContent>& corpus, Random& random);

}  // namespace nsn::fuzz
