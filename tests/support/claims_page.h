/// The verdicts of docs/data/claims.csv, beside those that are measured now.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/study/claims.h"
#include "nsn/core/io/text_file.h"

namespace nsn::test {

/// Cells of a line of CSV.
inline std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// Row of the table -> its verdict.
inline const std::map<std::string, std::string>& verdicts_of_the_page() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> out;
    const std::string text = read_text_file(NSN_SOURCE_DIR "/docs/data/claims.csv");
    std::vector<std::string> head;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::vector<std::string> cells = csv_cells(text.substr(begin, end - begin));
      begin = end + 1;
      if (head.empty()) {
        head = cells;
        continue;
      }
      const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
      };
      out[cells.at(column("row"))] = cells.at(column("holds"));
    }
    return out;
  }();
  return all;
}

inline void expect_verdict_of_the_page(const study::Claim& claim) {
  study::ClaimRuns runs;
  const study::Row row = study::row_of(claim, runs);
  if (row.at("holds") == "not measured") GTEST_SKIP() << row.at("reason");
  ASSERT_TRUE(verdicts_of_the_page().contains(claim.row)) << claim.row;
  EXPECT_EQ(row.at("holds"), verdicts_of_the_page().at(claim.row)) << row.at("measured");
}

inline std::vector<study::Claim> claims_that_are(bool quick) {
  std::vector<study::Claim> out;
  for (const study::Claim& claim : study::claims()) {
    if (claim.quick == quick) out.push_back(claim);
  }
  return out;
}

inline std::string claim_name(const testing::TestParamInfo<study::Claim>& info) {
  std::string name = info.param.row;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace nsn::test
