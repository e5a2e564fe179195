/// What the fuzz drivers feed: each target hands one input to a reader and looks at the outcome.
///
/// A reader may refuse with InputError. If it accepts, the problem must keep what core/io promises
/// (sizes that fit, finite numbers, mu >= 0) and survive being written and read again; anything
/// else aborts, as a crash does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nsn/core/io/fclib.h"

namespace nsn::fuzz {

/// Returns whether the input was accepted. The first byte picks the format: auto or a forced one.
bool feed_text(std::string_view input);
bool feed_archive(std::string_view input);
bool feed_content(const FclibContent& content);
/// The same through an HDF5 file of that name; false without HDF5.
bool feed_file(const FclibContent& content, const std::string& path);

}  // namespace nsn::fuzz
