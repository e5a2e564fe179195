/// Every reader of files, as a fuzzer feeds it: bytes in, accepted or refused.
///
///   for (const Reader& reader : readers()) {
///     for (const std::string& seed : reader.seeds()) reader.feed(seed);
///   }
///
/// A reader refuses with InputError (std::invalid_argument for what can be read and not built). What it accepts keeps
/// what its header promises: sizes that fit, finite numbers, indices in range; anything else aborts, as a crash does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nsn::fuzz {

struct Reader {
  std::string name;
  std::string what;  ///< a sentence for a table
  bool (*feed)(std::string_view input);
  std::vector<std::string> (*seeds)();  ///< healthy files, small
};

const std::vector<Reader>& readers();
/// Throws std::invalid_argument with all names for an unknown one.
const Reader& reader_named(std::string_view name);

}  // namespace nsn::fuzz
