/// The report of studies: one self-contained page, findings first.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/study/study.h"

namespace nsn::study {

/// A name and the bytes of a PNG file.
using NamedPicture = std::pair<std::string, std::vector<std::uint8_t>>;

/// facts: command and machine, shown at the end. stopped: where an interrupt ended the work, if one did, shown first.
std::string study_page(const std::vector<StudyOutcome>& outcomes,
                       const std::vector<std::pair<std::string, std::string>>& facts,
                       const std::vector<NamedPicture>& pictures = {},
                       const std::string& stopped = "");

/// Pictures of the scenes that the tables of the outcomes name (column "scene"), small scenes after
/// ten steps and with their contact forces.
std::vector<NamedPicture> scene_pictures(const std::vector<StudyOutcome>& outcomes);

/// The table of one study as text for a terminal.
std::string table_text(const StudyOutcome& outcome);

}  // namespace nsn::study
