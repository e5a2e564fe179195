/// A page that shows a recorded run in a browser, from disk and without a network: turn it, play it, ask
/// bodies and contacts. Two runs stand side by side under one camera and one time.
///
///   nsn::write_run_page("run.html", recorder.run());
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/models/record/run.h"

namespace nsn {

/// Of one or two runs as bytes (run_file.h). Throws std::invalid_argument for another number.
std::string run_page(const std::vector<std::string>& runs);
void write_run_page(const std::filesystem::path& path, const RecordedRun& run);
/// The first run in a page, as base64; empty: none.
std::string_view run_in_page(std::string_view page);

}  // namespace nsn
