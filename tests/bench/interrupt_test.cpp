// Interrupts: nothing that was computed is lost, and what is left says that it is a part.
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/siconos_text.h"
#include "tests/support/command.h"
#include "tests/support/friction_samples.h"
#include "tests/support/running_program.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;
using test::RunningProgram;

/// Whole lines of a file that may not be there yet.
std::size_t lines_of(const fs::path& file) {
  if (!fs::exists(file)) return 0;
  const std::string text = read_text_file(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

nlohmann::json json_of(const fs::path& file) {
  return nlohmann::json::parse(read_text_file(file));
}

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  const fs::directory_iterator all(folder);
  return static_cast<std::size_t>(std::count_if(
      begin(all), end(all), [](const auto& entry) { return entry.path().extension() == ".json"; }));
}

struct Signal {
  int number;
  int exit_code;
  const char* name;
};

class Interrupted : public testing::TestWithParam<Signal> {};

TEST_P(Interrupted, ARunLeavesAllItsStepsMarkedAsPartial) {
  const TemporaryFolder folder;
  const fs::path steps = folder / "steps.partial.csv";
  RunningProgram run({NSN_BINARY, "run", "arch", "--steps", "1000000000", "--out",
                      folder.path().string(), "--json", (folder / "run.json").string(),
                      "--contacts", (folder / "contacts.csv").string(), "--frame-every", "3",
                      "--save-state", (folder / "state").string()});
  ASSERT_TRUE(run.wait_until([&] { return lines_of(steps) > 4; }));
  run.send(GetParam().number);
  EXPECT_EQ(run.wait(), GetParam().exit_code);

  const auto report = json_of(folder / "run.json");
  const int done = report.at("results").at(0).at("steps");
  const std::string stopped = fmt::format("stopped by {} after step {}", GetParam().name, done);
  EXPECT_EQ(report.at("partial"), stopped + " of 1000000000");
  EXPECT_NE(run.err().find(stopped), std::string::npos) << run.err();
  EXPECT_EQ(lines_of(steps), static_cast<std::size_t>(done) + 1);
  EXPECT_GT(lines_of(folder / "contacts.partial.csv"), static_cast<std::size_t>(done));
  EXPECT_FALSE(fs::exists(folder / "steps.csv"));
  EXPECT_FALSE(fs::exists(folder / "contacts.csv"));
  EXPECT_NE(read_text_file(folder / "arch.pvd").find("partial: " + stopped), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "arch.png"));
  // What it left can be gone on with.
  EXPECT_EQ(
      run_command(NSN_BINARY " run arch --steps 1 --from-state " + (folder / "state").string())
          .exit_code,
      0);
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted,
                         testing::Values(Signal{SIGINT, 130, "SIGINT"},
                                         Signal{SIGTERM, 143, "SIGTERM"},
                                         Signal{SIGHUP, 129, "SIGHUP"}),
                         [](const auto& one) { return one.param.name; });

TEST(InterruptedRun, ThatIsKilledKeepsTheStepsItTook) {
  const TemporaryFolder folder;
  const fs::path steps = folder / "steps.partial.csv";
  RunningProgram run({NSN_BINARY, "run", "arch", "--steps", "1000000000", "--out",
                      folder.path().string(), "--frame-every", "1000000"});
  ASSERT_TRUE(run.wait_until([&] { return lines_of(steps) > 4; }));
  run.send(SIGKILL);
  EXPECT_EQ(run.wait(), 137);
  EXPECT_GT(lines_of(steps), 4U);
}

TEST(InterruptedRun, EndsAtOnceWhenAskedTwice) {
  const TemporaryFolder folder;  // one cell that never ends
  RunningProgram sweep({NSN_BINARY, "sweep", "arch", "--over", "mu=0.5", "--steps", "1000000000",
                        "--out", folder.path().string()});
  ASSERT_TRUE(sweep.wait_until([&] { return fs::exists(folder / "cells"); }));
  sweep.send(SIGINT);
  ASSERT_TRUE(sweep.wait_until(
      [&] { return sweep.err().find("once more ends at once") != std::string::npos; }));
  sweep.send(SIGTERM);
  EXPECT_EQ(sweep.wait(), 143);
}

TEST(InterruptedRun, WithoutAnInterruptNothingIsPartial) {
  const TemporaryFolder folder;
  const CommandResult run =
      run_command(NSN_BINARY " run arch --steps 2 --out " + folder.path().string() + " --json " +
                  (folder / "run.json").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(lines_of(folder / "steps.csv"), 3U);
  EXPECT_FALSE(fs::exists(folder / "steps.partial.csv"));
  EXPECT_FALSE(json_of(folder / "run.json").contains("partial"));
}

/// Twenty problems, each solved 100 000 times.
std::vector<std::string> long_solve(const TemporaryFolder& folder) {
  std::vector<std::string> words{NSN_BINARY, "solve", "--repeat", "100000"};
  for (int k = 0; k < 20; ++k) {
    const fs::path file = folder / (fmt::format("p{}.dat", k));
    write_file(file, to_siconos_text(test::two_contacts()));
    words.push_back(file.string());
  }
  return words;
}

TEST(InterruptedSolve, KeepsTheProblemsThatAreSolved) {
  const TemporaryFolder folder;
  auto words = long_solve(folder);
  words.insert(words.end(),
               {"--out", (folder / "out").string(), "--json", (folder / "r.json").string()});
  RunningProgram solve(words);
  const fs::path rows = folder / "out" / "solve.partial.csv";
  ASSERT_TRUE(solve.wait_until([&] { return lines_of(rows) > 1; }));
  solve.send(SIGINT);
  EXPECT_EQ(solve.wait(), 130);
  const auto report = json_of(folder / "r.json");
  const std::size_t done = report.at("results").size();
  EXPECT_LT(done, 20U);
  EXPECT_EQ(report.at("partial"), fmt::format("stopped by SIGINT after problem {} of 20", done));
  EXPECT_EQ(lines_of(rows), done + 1);
  EXPECT_TRUE(fs::exists(folder / "out" / "p0.dat.solution.csv"));
}

TEST(InterruptedSolve, ThatIsKilledKeepsItsRowsBesideTheReport) {
  const TemporaryFolder folder;
  auto words = long_solve(folder);
  words.insert(words.end(), {"--json", (folder / "r.json").string()});
  RunningProgram solve(words);
  const fs::path rows = folder / "r.partial.csv";
  ASSERT_TRUE(solve.wait_until([&] { return lines_of(rows) > 1; }));
  solve.send(SIGKILL);
  EXPECT_EQ(solve.wait(), 137);
  EXPECT_GT(lines_of(rows), 1U);
  EXPECT_FALSE(fs::exists(folder / "r.json"));
}

TEST(InterruptedSweep, GoesOnWhereItStopped) {
  const TemporaryFolder folder;
  std::string values = "mu=0.401";
  for (int k = 2; k <= 24; ++k) values += fmt::format(",{:.3f}", 0.4 + 0.001 * k);
  const std::vector<std::string> words{NSN_BINARY,
                                       "sweep",
                                       "arch",
                                       "--over",
                                       values,
                                       "--steps",
                                       "60",
                                       "--preset",
                                       "realtime",
                                       "--out",
                                       folder.path().string()};
  RunningProgram sweep(words);
  ASSERT_TRUE(sweep.wait_until([&] { return files_in(folder / "cells") > 1; }));
  sweep.send(SIGTERM);
  ASSERT_EQ(sweep.wait(), 143) << sweep.err();
  const std::size_t done = files_in(folder / "cells");
  ASSERT_LT(done, 24U);
  EXPECT_EQ(lines_of(folder / "sweep.partial.csv"), done + 1);
  EXPECT_FALSE(fs::exists(folder / "sweep.csv"));
  EXPECT_NE(read_text_file(folder / "sweep.html").find("Partial: stopped by SIGTERM after cell"),
            std::string::npos);
  const std::string part = read_text_file(folder / "sweep.partial.csv");

  RunningProgram again(words);
  ASSERT_EQ(again.wait(), 0) << again.err();
  EXPECT_EQ(lines_of(folder / "sweep.csv"), 25U);
  EXPECT_FALSE(fs::exists(folder / "sweep.partial.csv"));
  EXPECT_EQ(read_text_file(folder / "sweep.html").find("Partial:"), std::string::npos);
  // Cells measured before are not measured again: their times are the same. The last column, best_in, may change.
  const std::string whole = read_text_file(folder / "sweep.csv");
  const std::size_t begin = part.find('\n') + 1;
  const std::string first = part.substr(begin, part.rfind(',', part.find('\n', begin)) - begin);
  const std::size_t comma =
      first.rfind(",\"") == std::string::npos ? first.size() : first.rfind(",\"");
  EXPECT_NE(whole.find(first.substr(0, comma)), std::string::npos) << first;
}

/// The study of all scenes takes minutes, its first rows a moment.
TEST(InterruptedStudy, KeepsItsRowsAndTheStudiesBeforeIt) {
  const TemporaryFolder folder;
  RunningProgram study({NSN_BINARY, "study", "kink", "scenes", "--out", folder.path().string()});
  const fs::path rows = folder / "scenes.partial.csv";
  ASSERT_TRUE(study.wait_until([&] { return lines_of(rows) > 1; }));
  study.send(SIGHUP);
  ASSERT_EQ(study.wait(), 129) << study.err();
  EXPECT_TRUE(fs::exists(folder / "kink.json"));
  EXPECT_FALSE(fs::exists(folder / "scenes.json"));
  EXPECT_GT(lines_of(rows), 1U);
  EXPECT_NE(study.err().find("of the study scenes"), std::string::npos) << study.err();
  EXPECT_NE(read_text_file(folder / "study.html").find("Partial: stopped by SIGHUP"),
            std::string::npos);
  const std::string kink = read_text_file(folder / "kink.json");

  const CommandResult again = run_command(NSN_BINARY " study kink --out " + folder.path().string());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_text_file(folder / "kink.json"), kink);
}

}  // namespace
}  // namespace nsn
