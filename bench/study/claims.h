/// What the paper claims, measured: each claim with its commands, what came out, and a verdict that
/// follows from the numbers.
///
///   ClaimRuns runs("out/claims");                     // what is there already is kept
///   for (const Claim& claim : claims()) rows.push_back(row_of(claim, runs));
///
/// A new claim is an entry in one of the lists below. Runs go on until the effect shows: up to two
/// minutes of simulated time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/study/study.h"

namespace nsn::study {

/// Does the claim hold?
struct Verdict {
  std::string measured;  ///< the numbers, with units
  std::string holds;     ///< "holds", "partly" or "does not hold"
  std::string reason;    ///< as far as it is known
};

/// Closed-loop runs and studies behind the claims; their results are kept in a folder, so that an
/// interrupted call goes on where it stopped.
class ClaimRuns {
 public:
  using Progress = std::function<void(std::string_view)>;
  /// folder: empty keeps nothing.
  explicit ClaimRuns(
      std::string folder = {}, Progress progress = [](std::string_view) {});

  /// The measures (bench/support/run_measures.h) of a command `nsn run SCENE ...`. Throws
  /// std::invalid_argument for a command that nsn would refuse.
  Row run(const std::string& command);
  /// The table of a study.
  std::vector<Row> study(const std::string& name);
  /// What `measure` gives, under a name of its own.
  Row measured(const std::string& name, const std::function<Row()>& measure);
  /// Measures everything again that is asked for from now on, once.
  void forget() { again_ = true; }
  void keep() { again_ = false; }

 private:
  std::string folder_;
  Progress progress_;
  bool again_ = false;
  std::vector<std::string> fresh_;  // measured by this object
};

struct Claim {
  std::string row;    ///< its name
  std::string claim;  ///< what the paper says
  std::vector<std::string> commands;
  bool quick = false;  ///< seconds: a test runs it
  std::function<Verdict(ClaimRuns&)> judge;
};

/// All claims in the order of the page.
const std::vector<Claim>& claims();
/// Throws std::invalid_argument with the nearest names for an unknown one.
const Claim& claim_named(std::string_view row);
/// Row of the table. A claim that cannot be measured here says why instead of a verdict.
Row row_of(const Claim& claim, ClaimRuns& runs);

std::vector<Claim> rigid_claims();   ///< claims_rigid.cpp
std::vector<Claim> method_claims();  ///< claims_method.cpp
std::vector<Claim> model_claims();   ///< claims_models.cpp

/// A claim about closed-loop runs alone: the rows are those of its commands, in their order.
Claim claim_of_runs(std::string row, std::string text, std::vector<std::string> commands,
                    bool quick, std::function<Verdict(const std::vector<Row>&)> judge);
/// "holds" if all of it does, "does not hold" if nothing, "partly" else.
std::string verdict_of(const std::vector<bool>& parts);
/// A number in a row; infinite if it is none.
double number_of(const Row& row, const std::string& key);
/// "3.9e-05" and the like: two digits.
std::string short_number(double value);
/// The same of a number in a row; "not finite" if it is none.
std::string short_number(const Row& row, const std::string& key);

}  // namespace nsn::study
