/// A study asks one question of the method and answers it by measuring: a table, curves, and
/// findings that are computed from them.
///
///   const Study& study = study_named("rscaling");
///   StudyOutcome outcome = study.run({.quick = true});
///   write_file("study.html", study_page({outcome}, {}));          // bench/study/study_page.h
///
/// A new study is a new function in a file of its own and a line in studies().
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/report/svg_chart.h"

namespace nsn::study {

/// One flat object per line of the table, keys with their units in the name.
using Row = nlohmann::ordered_json;

/// What a study gives back; all of it survives to_json() and from_json().
struct StudyOutcome {
  std::string name;
  std::string title;
  std::string question;
  std::vector<std::string> findings;  ///< sentences computed from the data, the chief one first
  std::vector<report::Chart> charts;
  std::vector<Row> rows;  ///< the table behind the charts
};

struct StudyOptions {
  bool quick = false;  ///< fewer scenes and iterations: seconds instead of minutes
  /// Of studies that go on where they stopped: where their rows are kept (empty: nowhere), and what
  /// of them to measure again.
  std::string folder = {};
  bool all_again = false;
  std::vector<std::string> again = {};
  /// Called before the first piece of work with their number, where that is known: for the time left.
  std::function<void(std::size_t)> pieces = [](std::size_t) {};
  /// Called before each piece of work with its name; what it throws ends the study.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
  /// Called with each row as soon as it is measured.
  std::function<void(const Row&)> measured = [](const Row&) {};

  /// One more row of the table.
  void add(StudyOutcome& out, Row row) const {
    measured(row);
    out.rows.push_back(std::move(row));
  }
};

struct Study {
  std::string name;
  std::string summary;  ///< one line for a list
  std::function<StudyOutcome(const StudyOptions&)> run;
  bool is_long = false;  ///< keeps its rows, is measured row by row, and no part of "all"
};

/// All studies in the order of the report.
const std::vector<Study>& studies();
/// Throws std::invalid_argument with the nearest names for an unknown one.
const Study& study_named(std::string_view name);

StudyOutcome friction_functions_study(const StudyOptions& options);  ///< functions.cpp
StudyOutcome kink_study(const StudyOptions& options);                ///< functions.cpp
StudyOutcome orderings_study(const StudyOptions& options);           ///< orderings.cpp
StudyOutcome rscaling_study(const StudyOptions& options);            ///< rscaling.cpp
StudyOutcome ncp_study(const StudyOptions& options);                 ///< ncp.cpp
StudyOutcome linear_study(const StudyOptions& options);              ///< linear.cpp
StudyOutcome subproblem_study(const StudyOptions& options);          ///< linear.cpp
StudyOutcome quartile_study(const StudyOptions& options);            ///< quartile.cpp
StudyOutcome precision_study(const StudyOptions& options);           ///< precision.cpp
StudyOutcome warm_study(const StudyOptions& options);                ///< warm.cpp
StudyOutcome geometric_study(const StudyOptions& options);           ///< geometric.cpp
StudyOutcome table_study(const StudyOptions& options);               ///< table.cpp
StudyOutcome crowd_study(const StudyOptions& options);               ///< crowd.cpp
StudyOutcome devices_study(const StudyOptions& options);             ///< devices.cpp
StudyOutcome scenes_study(const StudyOptions& options);              ///< every_scene.cpp
StudyOutcome claims_study(const StudyOptions& options);              ///< claims.cpp
StudyOutcome additions_study(const StudyOptions& options);           ///< additions.cpp

nlohmann::ordered_json to_json(const StudyOutcome& outcome);
/// Throws nlohmann::json::exception for what to_json() did not write.
StudyOutcome from_json(const nlohmann::ordered_json& json);

}  // namespace nsn::study
