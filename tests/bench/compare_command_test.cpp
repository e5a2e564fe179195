// nsn compare at its limits: time, memory, a stop in the middle, and going on from there.
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/compare/outcome.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/command.h"
#include "tests/support/sanitizer.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

using bench::RunTime;
using bench::SolverOutcome;

/// -u'' on n points: n^2 iterations of Jacobi's method.
void write_chain(const std::filesystem::path& file, int n) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(n) + " " +
                     std::to_string(n) + " " + std::to_string(2 * n - 1) + "\n";
  for (int i = 1; i <= n; ++i) {
    text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    if (i > 1) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
  }
  write_file(file, text);
}

CommandResult compare(const std::string& arguments, const std::string& before = "") {
  return run_command(before + NSN_BINARY + " compare " + arguments);
}

nlohmann::json row_of(const nlohmann::json& rows, const std::string& solver) {
  for (const auto& row : rows) {
    if (row["solver"] == solver) return row;
  }
  ADD_FAILURE() << "no row of " << solver;
  return {};
}

const std::string kEndless = " --tol 0 --max-iterations 1000000000 --repeat 1 --threads 1 ";

TEST(CompareLimits, ASolverThatTakesTooLongIsStoppedAndTheOthersGoOn) {
  const TemporaryFolder folder;
  write_chain(folder / "chain.mtx", 1000);  // pcg takes a millisecond, jacobi five seconds

  const CommandResult result = compare((folder / "chain.mtx").string() +
                                       " --solvers jacobi,pcg --max-iterations 1000000000 "
                                       "--time-limit 1 --repeat 1 --threads 1 --json -");
  const auto rows = nlohmann::json::parse(result.out)["results"];

  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(row_of(rows, "jacobi")["status"], "time-limit");
  EXPECT_EQ(row_of(rows, "jacobi")["converged"], false);
  EXPECT_NE(row_of(rows, "jacobi")["detail"].get<std::string>().find("spent in solve"),
            std::string::npos);
  EXPECT_EQ(row_of(rows, "pcg")["status"], "converged");
  EXPECT_GT(row_of(rows, "pcg")["cpu_seconds"].get<double>(), 0.0);
}

TEST(CompareLimits, ASolverWithoutMemoryIsARow) {
  if (testing_support::kSanitized) GTEST_SKIP() << "a sanitizer needs more addresses than that";
  const TemporaryFolder folder;
  write_chain(folder / "chain.mtx", 20000);

  // 10 000 directions of 20 000 doubles
  const CommandResult result =
      compare((folder / "chain.mtx").string() +
              " --solvers gmres:directions=10000,pcg --memory-limit 1G --max-iterations 50 "
              "--repeat 1 --threads 1 --json -");
  const auto rows = nlohmann::json::parse(result.out)["results"];

  EXPECT_EQ(row_of(rows, "gmres:directions=10000")["status"], "memory-limit");
  EXPECT_EQ(row_of(rows, "pcg")["status"], "max-iterations");
  const CommandResult bad = compare((folder / "chain.mtx").string() + " --memory-limit 4X");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.err, "nsn: --memory-limit '4X' is not a size like 500M or 4G\n");
}

TEST(CompareResume, RowsThatAreThereAreKeptAndALineThatWasCutOffIsMeasuredAgain) {
  const TemporaryFolder folder;
  write_chain(folder / "chain.mtx", 100);
  const std::string system = (folder / "chain.mtx").string();
  const std::string out = " --repeat 1 --threads 1 --out " + (folder / "out").string();
  ASSERT_EQ(compare(system + " --solvers pcg,pcr" + out).exit_code, 0);
  std::string text = read_text_file(folder / "out/rows.jsonl");
  const auto first = nlohmann::json::parse(read_text_file(folder / "out/compare.json"))["results"];
  text.resize(text.size() - 20);  // killed while it wrote
  write_file(folder / "out/rows.jsonl", text);

  const CommandResult again = compare(system + " --solvers pcg,pcr,gmres" + out);
  const auto rows = nlohmann::json::parse(read_text_file(folder / "out/compare.json"))["results"];

  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out.find("1 rows of an earlier run are kept"), 0U) << again.out;
  ASSERT_EQ(rows.size(), 3U);
  int kept = 0;
  for (const char* solver : {"pcg", "pcr"}) {
    kept += row_of(first, solver)["runs_cpu"] == row_of(rows, solver)["runs_cpu"] ? 1 : 0;
  }
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(compare(system + " --solvers pcg --again" + out).out.find("rows of an earlier"),
            std::string::npos);
}

TEST(CompareStop, AnInterruptLeavesWholeFilesMarkedAsPartial) {
  const TemporaryFolder folder;
  write_chain(folder / "chain.mtx", 100);
  write_chain(folder / "long.mtx", 3000);

  const CommandResult result =
      compare(folder.path().string() + " --solvers jacobi --out " + (folder / "out").string() +
                  kEndless + "--time-limit 60",
              "timeout --foreground -s INT 3 ");  // once: not the whole group too
  const auto report = nlohmann::json::parse(read_text_file(folder / "out/compare.json"));

  EXPECT_EQ(result.exit_code, 124);  // of timeout(1): it sent the signal
  EXPECT_TRUE(report.contains("partial"));
  EXPECT_NE(read_text_file(folder / "out/compare.html").find("Partial: stopped by SIGINT"),
            std::string::npos);
  EXPECT_NE(result.err.find("stopped by SIGINT"), std::string::npos);
}

TEST(CompareProcesses, OneOfSeveralThatMpirunStartedIsRefused) {
  const CommandResult result = run_command("OMPI_COMM_WORLD_SIZE=2 " NSN_BINARY " scenes");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err.find("nsn: one of 2 processes that mpirun started"), 0U) << result.err;
}

SolverOutcome with_runs(const std::vector<double>& seconds) {
  SolverOutcome outcome;
  for (const double s : seconds) outcome.runs.push_back(RunTime{0.0, s, 0.0, 2.0 * s});
  return outcome;
}

TEST(CompareOutcome, ADifferenceBelowTheSpreadIsNoise) {
  const SolverOutcome a = with_runs({1.0, 1.1, 1.5});
  const SolverOutcome b = with_runs({1.05, 1.2, 3.0});
  const SolverOutcome c = with_runs({1.2, 1.3, 1.3});

  EXPECT_FALSE(bench::certainly_faster(a, b, false));
  EXPECT_TRUE(bench::certainly_faster(a, c, false));
  EXPECT_FALSE(bench::certainly_faster(c, a, false));
  EXPECT_DOUBLE_EQ(a.seconds(true), 2.0);
  EXPECT_DOUBLE_EQ(a.spread(false), 1.1);
}

TEST(CompareOutcome, ARowComesBackFromItsJson) {
  SolverOutcome outcome = with_runs({0.25, 0.1 + 0.2});
  outcome.label = "pcg:precond=none (factored)";
  outcome.form = bench::SystemForm::kFactored;
  outcome.cold = {1, 2, 3, 4};
  outcome.report.status = LinearStatus::kMaxIterations;
  outcome.report.iterations = 17;
  outcome.report.true_residual = std::numeric_limits<double>::infinity();
  outcome.report.detail = "why";
  outcome.history = {{0, 1}, {1.0, 0.5}, {2.0, 0.25}, {0.0, 0.0}};

  const SolverOutcome back =
      bench::solver_outcome_from(nlohmann::ordered_json::parse(bench::to_json(outcome).dump()));

  EXPECT_EQ(back.label, outcome.label);
  EXPECT_EQ(back.report.status, outcome.report.status);
  EXPECT_EQ(back.report.iterations, 17);
  EXPECT_TRUE(std::isnan(back.report.true_residual));
  EXPECT_EQ(back.report.detail, "why");
  EXPECT_EQ(back.totals(false), outcome.totals(false));
  EXPECT_EQ(back.cold.solve_cpu, 4.0);
  EXPECT_EQ(back.history.residual, outcome.history.residual);
}

}  // namespace
}  // namespace nsn
