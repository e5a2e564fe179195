// nsn run --html, --glb, --trace and nsn view: the files, and what is said of unusable ones.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"
#include "nsn/models/record/run_file.h"
#include "tests/support/command.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

class View : public ::testing::Test {
 protected:
  CommandResult nsn(const std::string& words) const {
    return run_command("cd " + folder.path().string() + " && " NSN_BINARY " " + words);
  }
  void expect_refused(const std::string& words, const std::string& sentence) const {
    const CommandResult result = nsn(words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  }
  TemporaryFolder folder;
};

TEST_F(View, RunLeavesEveryKindOfFile) {
  ASSERT_EQ(nsn("run arch --steps 12 --quiet --html a.html --glb a.glb --trace a.json --out out")
                .exit_code,
            0);
  EXPECT_TRUE(read_text_file(folder / "a.html").starts_with("<!doctype html>"));
  EXPECT_EQ(read_run_bytes(folder / "a.html"), read_run_bytes(folder / "out/arch.run"));
  EXPECT_TRUE(read_text_file(folder / "a.glb").starts_with("glTF"));
  const auto trace = nlohmann::json::parse(read_text_file(folder / "a.json"));
  int steps = 0;
  for (const auto& event : trace["traceEvents"]) {
    steps += event["ph"] == "X" && event["name"].get<std::string>().starts_with("step") ? 1 : 0;
  }
  EXPECT_EQ(steps, 12);
}

TEST_F(View, APageBesideTheRunOrWhereAsked) {
  ASSERT_EQ(nsn("run sliding-box --steps 5 --quiet --out a").exit_code, 0);
  ASSERT_EQ(nsn("run sliding-box --steps 5 --preset realtime --quiet --html b.html").exit_code, 0);
  const CommandResult one = nsn("view a");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, "open " + (folder / "a/sliding-box.html").string() + "\n");
  ASSERT_EQ(nsn("view a/sliding-box.run b.html --html both.html --quiet").exit_code, 0);
  const std::string page = read_text_file(folder / "both.html");
  std::size_t runs = 0;
  for (std::size_t at = 0; (at = page.find("class=\"run\"", at)) != std::string::npos; ++at) ++runs;
  EXPECT_EQ(runs, 2U);
  ASSERT_EQ(nsn("view b.html a --quiet").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "view.html"));
}

TEST_F(View, SaysWhatIsWrong) {
  expect_refused("view nothing.run", "nothing.run");
  write_file(folder / "note.run", "not a run");
  expect_refused("view note.run", "note.run: no recorded run");
  fs::create_directory(folder / "empty");
  expect_refused("view empty", "nsn run SCENE --out empty leaves one");
  ASSERT_EQ(nsn("run sliding-box --steps 5 --quiet --out a").exit_code, 0);
  fs::copy_file(folder / "a/sliding-box.run", folder / "a/other.run");
  expect_refused("view a", "several recorded runs");
  expect_refused("view a/other.run a/other.run a/other.run", "one run or two, not 3");
  const std::string bytes = read_text_file(folder / "a/other.run");
  write_file(folder / "half.run", bytes.substr(0, bytes.size() / 2));
  expect_refused("view half.run", "half.run: damaged");
  EXPECT_FALSE(fs::exists(folder / "half.html"));
  expect_refused("run sliding-box --steps 2 --quiet --html /proc/no/page.html",
                 "cannot be written");
}

}  // namespace
}  // namespace nsn
