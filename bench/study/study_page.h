/// The report of studies: one self-contained page, findings first.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/study/study.h"

namespace nsn::study {

/// facts: command and machine, shown at the end.
std::string study_page(const std::vector<StudyOutcome>& outcomes,
                       const std::vector<std::pair<std::string, std::string>>& facts);

/// The table of one study as text for a terminal.
std::string table_text(const StudyOutcome& outcome);

}  // namespace nsn::study
