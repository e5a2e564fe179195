// Sweeps: every combination, failures shown as failures, marks and effects that follow from the
// cells.
#include "bench/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace nsn::sweep {
namespace {

Sweep arch_sweep() {
  Sweep sweep;
  sweep.scene = "arch";
  sweep.flags.preset = "paper";
  sweep.factors = {parse_factor("linear=pcr,gauss-seidel"), parse_factor("mu=0.5,0.7")};
  sweep.steps = 3;
  return sweep;
}

TEST(Factor, ValuesAreSeparatedByCommasOrSemicolons) {
  EXPECT_EQ(parse_factor("mu=0.1,0.2").values, (std::vector<std::string>{"0.1", "0.2"}));
  EXPECT_EQ(parse_factor("linear=pcr:precond=none,storage=float;pcg").values,
            (std::vector<std::string>{"pcr:precond=none,storage=float", "pcg"}));
}

TEST(Factor, RefusesWhatIsNoList) {
  for (const char* text : {"mu", "=1,2", "mu=", "mu=1,,2", "mu=1,1"}) {
    EXPECT_THROW(parse_factor(text), std::invalid_argument) << text;
  }
}

TEST(Sweep, HasEveryCombinationOnce) {
  Sweep sweep = arch_sweep();
  sweep.factors.push_back(parse_factor("ncp=minimum-map,fischer-burmeister"));
  const auto all = cells(sweep);

  EXPECT_EQ(all.size(), 8U);
  EXPECT_EQ(std::set<Cell>(all.begin(), all.end()).size(), 8U);
}

TEST(Sweep, KeysAndValuesAreCheckedBeforeAnythingRuns) {
  const auto refusal = [](const std::string& factor) {
    Sweep sweep = arch_sweep();
    sweep.factors = {parse_factor(factor)};
    try {
      check(sweep);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal("dampin=constant").find("damping"), std::string::npos);
  EXPECT_NE(refusal("mu=0.5,-1").find("mu"), std::string::npos);
  EXPECT_NE(refusal("linear=pcr,pqr").find("pqr"), std::string::npos);
  EXPECT_NE(refusal("preconditioner=jacobi,none,jakobi").find("jakobi"), std::string::npos);
  EXPECT_EQ(refusal("preconditioner=jacobi,none"), "accepted");
  EXPECT_EQ(refusal("geometric-stiffness=none,exact"), "accepted");
}

TEST(Sweep, ACombinationThatASolverRefusesIsAFailedCell) {
  Sweep sweep = arch_sweep();
  sweep.factors = {parse_factor("friction=paper,alart-curnier")};

  const study::Row good = run_cell(sweep, {"paper"});
  const study::Row bad = run_cell(sweep, {"alart-curnier"});

  EXPECT_EQ(good.at("status"), "ok");
  EXPECT_GT(good.at("solve_ms_median").get<double>(), 0.0);
  EXPECT_EQ(bad.at("status").get<std::string>().rfind("failed: ", 0), 0U);
  EXPECT_TRUE(bad.at("error_median_mps").is_null());
}

/// A cell whose every measure is `value`.
study::Row made(const std::string& linear, const std::string& mu, double value) {
  return {{"linear", linear},
          {"mu", mu},
          {"status", "ok"},
          {"error_median_mps", value},
          {"error_max_mps", value},
          {"share_above_1e_8_mps", 0.0},
          {"solve_ms_median", 1.0 / value}};
}

TEST(Sweep, MarksTheBestAndAveragesGeometrically) {
  const Sweep sweep = arch_sweep();
  const std::vector<study::Row> rows = {made("pcr", "0.5", 1e-6), made("pcr", "0.7", 1e-2),
                                        made("gauss-seidel", "0.5", 1e-3),
                                        made("gauss-seidel", "0.7", 1e-3)};
  const auto outcomes = sweep_outcomes(sweep, rows);

  ASSERT_EQ(outcomes.size(), 3U);  // the cells, and an effect per factor
  EXPECT_EQ(outcomes[0].rows[0].at("best_in"), "median error, largest error");
  EXPECT_EQ(outcomes[0].rows[1].at("best_in"), "time");
  EXPECT_EQ(outcomes[0].rows[2].at("best_in"), "");
  EXPECT_NEAR(outcomes[1].rows[0].at("error_median_mps").get<double>(), 1e-4, 1e-12);
  EXPECT_NEAR(outcomes[1].rows[1].at("error_median_mps").get<double>(), 1e-3, 1e-12);
  // mu: sqrt(1e-6 1e-3) = 3.2e-5 against sqrt(1e-2 1e-3) = 3.2e-3; linear: 1e-4 against 1e-3
  EXPECT_NE(outcomes[0].findings[0].find("mu decides the median error most (a factor of 100"),
            std::string::npos)
      << outcomes[0].findings[0];
}

/// The same, of a run with the hash.
study::Row made(const std::string& linear, const std::string& mu, const std::string& hash) {
  study::Row row = made(linear, mu, 1e-6);
  row["hash"] = hash;
  return row;
}

TEST(Sweep, AFactorWhoseValuesGiveIdenticalResultsHasNoEffectAndNoBestValue) {
  const Sweep sweep = arch_sweep();
  const auto outcomes =
      sweep_outcomes(sweep, {made("pcr", "0.5", "a"), made("pcr", "0.7", "b"),
                             made("gauss-seidel", "0.5", "a"), made("gauss-seidel", "0.7", "b")});

  EXPECT_EQ(outcomes[1].findings,
            (std::vector<std::string>{"No effect here (identical results)."}));
  ASSERT_FALSE(outcomes[2].findings.empty());
  EXPECT_EQ(outcomes[2].findings[0], "Least median error: 0.5 and 0.7 (alike), 1.00e-06.");
  EXPECT_NE(outcomes[0].findings[0].find("and 2 more (alike)"), std::string::npos)
      << outcomes[0].findings[0];
}

TEST(Sweep, SaysInHowManyGroupsAFactorChangesNothing) {
  const auto outcomes = sweep_outcomes(
      arch_sweep(), {made("pcr", "0.5", "a"), made("pcr", "0.7", "b"),
                     made("gauss-seidel", "0.5", "a"), made("gauss-seidel", "0.7", "c")});
  EXPECT_EQ(outcomes[1].findings.back(),
            "Identical results in 1 of 2 groups of cells that differ in it alone.");
}

TEST(Sweep, ASolverThatThisMachineDoesNotHaveIsAFailedCellAndTheOthersGoOn) {
  if (standard_backends().info("cuda-pcr").available()) GTEST_SKIP() << "a device is here";
  Sweep sweep = arch_sweep();
  sweep.factors = {parse_factor("linear=pcr,cuda-pcr")};
  EXPECT_NO_THROW(check(sweep));

  const study::Row here = run_cell(sweep, {"pcr"});
  const study::Row missing = run_cell(sweep, {"cuda-pcr"});

  EXPECT_EQ(here.at("status"), "ok");
  EXPECT_NE(missing.at("status").get<std::string>().find("cuda-pcr"), std::string::npos);
}

/// The four choices of the paper act in its method, wherever the scene has what they are about.
struct Factorial {
  std::string scene;
  std::vector<std::string> parameters;
  int steps;
  /// Of the groups that differ in r alone, those that are identical: with the minimum map r is only in
  /// the rows that are open or slip, and a soft ball that lies still has none.
  int same_r = 0;
};
class PaperFactorial : public testing::TestWithParam<Factorial> {};

TEST_P(PaperFactorial, EveryGroupDiffersWhereItShould) {
  Sweep sweep;
  sweep.scene = GetParam().scene;
  sweep.flags.preset = "paper";
  sweep.flags.set = GetParam().parameters;
  sweep.steps = GetParam().steps;
  sweep.factors = {
      parse_factor("ncp=minimum-map,fischer-burmeister"), parse_factor("r=identity,effective-mass"),
      parse_factor("geometric-stiffness=none,exact"), parse_factor("linear=pcr,gauss-seidel")};
  check(sweep);
  std::vector<study::Row> rows;
  for (const Cell& cell : cells(sweep)) {
    rows.push_back(run_cell(sweep, cell));
    EXPECT_EQ(rows.back().at("status"), "ok") << name_of(sweep, cell);
  }
  for (const Factor& factor : sweep.factors) {
    int identical = 0;
    for (const study::Row& a : rows) {
      for (const study::Row& b : rows) {
        const bool pair =
            std::all_of(sweep.factors.begin(), sweep.factors.end(), [&](const Factor& other) {
              return (a.at(other.key) == b.at(other.key)) == (other.key != factor.key);
            });
        const bool first = a.at(factor.key) == factor.values.front();
        if (!pair || !first || a.at("hash") != b.at("hash")) continue;
        ++identical;
        EXPECT_EQ(a.at("ncp"), "minimum-map") << factor.key;
      }
    }
    EXPECT_EQ(identical, factor.key == "r" ? GetParam().same_r : 0) << factor.key;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Scenes, PaperFactorial,
    testing::Values(Factorial{"arch", {}, 6}, Factorial{"beam-insertion", {}, 20},
                    Factorial{"soft-ball-drop", {"tets=80", "height=0"}, 30, 4}),
    [](const auto& scene) {
      std::string name = scene.param.scene;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(SweepCommand, KeepsItsCellsAndSaysWhereThePageIs) {
  const TemporaryFolder folder;
  const std::string command = std::string(NSN_BINARY) +
                              " sweep arch --preset paper --over linear=pcr,pcg --steps 2 --out " +
                              folder.path().string();
  const CommandResult first = run_command(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("sweep.html"), std::string::npos);
  const std::string csv = read_text_file(folder / "sweep.csv");

  // Timings would differ in a second measurement.
  ASSERT_EQ(run_command(command).exit_code, 0);
  EXPECT_EQ(read_text_file(folder / "sweep.csv"), csv);

  EXPECT_EQ(run_command(command + " --over mu=x").exit_code, 2);
}

/// The columns of a table that are no times. The last one, what a cell is best in, has commas and times in it.
std::string without_times(const std::string& csv) {
  std::string out;
  std::vector<bool> keep;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::size_t column = 0;
    for (std::string field; std::getline(fields, field, ','); ++column) {
      if (out.find('\n') == std::string::npos) {  // the names
        keep.push_back(field.find("_ms") == std::string::npos &&
                       field.find("best") == std::string::npos);
      }
      if (column < keep.size() && keep[column]) out += field + ",";
    }
    out += "\n";
  }
  return out;
}

TEST(SweepCommand, ShardsCollectedAreTheWholeSweep) {
  const TemporaryFolder folder;
  const std::string base = std::string(NSN_BINARY) +
                           " sweep arch --preset paper --over linear=pcr,pcg --over "
                           "r=identity,effective-mass --steps 2 --quiet --out ";
  const std::string parts = base + (folder / "parts").string();
  ASSERT_EQ(run_command(base + (folder / "whole").string()).exit_code, 0);
  ASSERT_EQ(run_command(parts + " --shard 1/3").exit_code, 0);
  ASSERT_EQ(run_command(parts + " --shard 3/3").exit_code, 0);

  const CommandResult early = run_command(parts + " --collect");
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_EQ(early.err, "nsn: 1 of 4 cells were not run\n");
  EXPECT_NE(read_text_file(folder / "parts/sweep.csv").find("not run"), std::string::npos);

  ASSERT_EQ(run_command(parts + " --shard 2/3").exit_code, 0);
  EXPECT_EQ(run_command(parts + " --collect").exit_code, 0);
  EXPECT_EQ(without_times(read_text_file(folder / "parts/sweep.csv")),
            without_times(read_text_file(folder / "whole/sweep.csv")));
}

TEST(SweepCommand, AShardThatIsKilledLosesItsPresentCellAlone) {
  const TemporaryFolder folder;
  const std::string command =
      std::string(NSN_BINARY) +
      " sweep arch --preset paper --over mu=0.4,0.5,0.6,0.7 --steps 40 --quiet "
      "--out " +
      (folder / "s").string();
  // Killed as soon as one cell is there.
  const std::string cell = (folder / "s/cells").string() + "/*.json";
  static_cast<void>(run_command(command + " --shard 1/1 & shard=$!; until ls " + cell +
                                " >/dev/null 2>&1; do sleep 0.01; done; kill -KILL $shard"));

  for (const auto& entry : std::filesystem::directory_iterator(folder / "s/cells")) {
    if (entry.path().extension() != ".json") continue;
    const auto json = nlohmann::json::parse(read_text_file(entry.path()));
    EXPECT_TRUE(json.contains("row") && json.contains("machine") && json.contains("cpu_seconds"));
  }
  EXPECT_EQ(run_command(command + " --shard 1/1").exit_code, 0);
  EXPECT_EQ(run_command(command + " --collect").exit_code, 0);
}

TEST(SweepCommand, APartThatIsNoneIsRefused) {
  const std::string command =
      std::string(NSN_BINARY) + " sweep arch --over linear=pcr --steps 1 --shard ";
  EXPECT_EQ(run_command(command + "5/4").err, "nsn: --shard 5/4: parts are 1/4 ... 4/4\n");
  EXPECT_EQ(run_command(command + "0/4").exit_code, 2);
  EXPECT_EQ(run_command(command + "x").err, "nsn: --shard 'x' is not I/N, as 3/64\n");
}

}  // namespace
}  // namespace nsn::sweep
