// Outputs that cannot be written: known before the work, exit code 2, and the reason. Words that are no values.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/siconos_text.h"
#include "tests/support/command.h"
#include "tests/support/friction_samples.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoFolder = "/proc/no-such-folder/x";  // nobody may make it, not even root
constexpr const char* kLong = "timeout 300 " NSN_BINARY " ";

void expect_refusal(const std::string& command, const std::string& reason) {
  const CommandResult result = run_command(command);
  EXPECT_EQ(result.exit_code, 2) << command << "\n" << result.err;
  EXPECT_NE(result.err.find(reason), std::string::npos) << command << "\n" << result.err;
}

/// Work that would not end within the test.
TEST(Outputs, OfEveryKindAreProbedBeforeTheWork) {
  for (const std::string option : {"--json", "--picture", "--animation", "--contacts",
                                   "--save-state", "--dump-failures", "--out"}) {
    expect_refusal(std::string(kLong) + "run arch --steps 1000000000 " + option + " " + kNoFolder,
                   "cannot be written: ");
  }
  const std::string sweep = std::string(kLong) + "sweep arch --over mu=0.5 --steps 1000000000 ";
  expect_refusal(sweep + "--out " + kNoFolder, "cannot be written: ");
  const TemporaryFolder folder;
  expect_refusal(sweep + "--out " + folder.path().string() + " --json " + kNoFolder,
                 "cannot be written: ");
  expect_refusal(std::string(kLong) + "study additions --out " + kNoFolder, "cannot be written: ");
  expect_refusal(std::string(kLong) + "export arch --step 1000000000 --out " + kNoFolder,
                 "cannot be written: ");
  expect_refusal(std::string(kLong) + "robustness --json " + kNoFolder, "cannot be written: ");
  write_file(folder / "p.dat", to_siconos_text(test::two_contacts()));
  const std::string solve =
      std::string(kLong) + "solve --repeat 100000 " + (folder / "p.dat").string();
  expect_refusal(solve + " --json " + kNoFolder, "cannot be written: ");
  expect_refusal(solve + " --out " + kNoFolder, "cannot be written: ");
}

TEST(Outputs, ThatAreFullOrClosedAreToldWithTheirReason) {
  const std::string run = std::string(NSN_BINARY) + " run arch --steps 1 ";
  for (const std::string option :
       {"--json", "--picture", "--animation", "--contacts", "--save-state"}) {
    expect_refusal(run + option + " /dev/full",
                   "/dev/full: cannot be written: No space left on device");
  }
  // stdout of a shell inside: run_command() keeps that of the command.
  expect_refusal("sh -c '" + run + ">/dev/full'",
                 "stdout: cannot be written: No space left on device");
  expect_refusal("sh -c '" + run + ">&-'", "stdout: cannot be written: Bad file descriptor");
  expect_refusal("sh -c '" NSN_BINARY " scenes >/dev/full'", "stdout: cannot be written: ");
  expect_refusal("sh -c '" NSN_BINARY " solvers --json - >/dev/full'",
                 "stdout: cannot be written: ");
  expect_refusal("bash -c '" + run + "| true; exit ${PIPESTATUS[0]}'",
                 "stdout: cannot be written: Broken pipe");
}

TEST(Outputs, ThatFailLeaveTheOthersWhole) {
  const TemporaryFolder folder;
  const std::string json = (folder / "r.json").string();
  expect_refusal("sh -c '" NSN_BINARY " run arch --steps 1 --json " + json + " >/dev/full'",
                 "stdout");
  EXPECT_NE(read_text_file(json).find("\"steps\": 1"), std::string::npos);
}

TEST(Outputs, FindMissingFoldersMade) {
  const TemporaryFolder folder;
  std::string command = std::string(NSN_BINARY) + " run arch --steps 1";
  for (const std::string option : {"json", "picture", "animation", "contacts", "save-state"}) {
    command += " --" + option + " " + (folder / (option + "/deep/file")).string();
  }
  const CommandResult run = run_command(command);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const std::string option : {"json", "picture", "animation", "contacts", "save-state"}) {
    EXPECT_GT(fs::file_size(folder / (option + "/deep/file")), 0U) << option;
  }
}

TEST(Outputs, NoStepsAreNoSteps) {
  const TemporaryFolder folder;
  const std::string out = folder.path().string();
  const CommandResult run = run_command(std::string(NSN_BINARY) + " run arch --steps 0 --out " +
                                        out + " --animation " + (folder / "a.png").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("arch, 0 steps"), std::string::npos) << run.out;
  EXPECT_EQ(read_text_file(folder / "steps.csv"), "");
  EXPECT_TRUE(fs::exists(folder / "a.png"));
  expect_refusal(std::string(NSN_BINARY) + " run arch --steps -1", "--steps -1 is negative");
}

TEST(Words, ThatAreNoValuesAreNamed) {
  const std::string nsn = NSN_BINARY;
  expect_refusal(nsn + " run arch --steps abc", "--steps: 'abc' is not a whole number");
  expect_refusal(nsn + " run arch --steps 1.5", "--steps: '1.5' is not a whole number");
  expect_refusal(nsn + " run arch --steps 99999999999", "--steps: 99999999999 is too large");
  expect_refusal(nsn + " run arch --time-step x", "--time-step: 'x' is not a finite number");
  expect_refusal(nsn + " run arch --time-step nan", "--time-step: 'nan' is not a finite number");
  expect_refusal(nsn + " run arch --islands maybe", "--islands: 'maybe' is neither true nor false");
  expect_refusal(nsn + " run arch --threads 4096", "--threads: 4096 is not between 0 and ");
  expect_refusal(nsn + " solve x --time-limit nan", "--time-limit: 'nan' is not a finite number");
}

TEST(Words, PosesOfTheWrongTypeAreRefused) {
  const TemporaryFolder folder;
  const std::string command =
      std::string(NSN_BINARY) + " robot hand --poses " + (folder / "p.json").string();
  const auto refused = [&](const std::string& poses, const std::string& reason) {
    write_file(folder / "p.json", poses);
    expect_refusal(command, reason);
  };
  refused("7", "not a JSON list of poses");
  refused("[", "not a JSON list of poses");
  refused("{\"q\": []}", "not a JSON list of poses");
  refused("[3]", "pose 1 has no \"q\"");
  refused("[{\"v\": []}]", "pose 1 has no \"q\"");
  refused("[{\"q\": \"x\"}]", "pose 1: \"q\" is not a list of numbers");
  refused("[{\"q\": [\"x\"]}]", "pose 1: \"q\" is not a list of numbers");
  refused("[{\"q\": [0]}]", "");  // too few of them
}

/// What a stranger sees names no folder of the machine that built it.
TEST(Words, NoMessageNamesAFolderOfTheBuild) {
  for (const std::string command :
       {"run robot --set file=no-such-robot.urdf", "robot no-such-robot.urdf", "solve no-such-file",
        "compare no-such-file"}) {
    const CommandResult result = run_command(std::string(NSN_BINARY) + " " + command);
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.err.find(NSN_SOURCE_DIR), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace nsn
