// nsn doctor, nsn completion, nsn --version: what a newcomer tries first.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/text_file.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

const std::string kNsn = NSN_BINARY;

/// The answer of nsn __complete, one candidate a line.
std::string completions(const std::string& words) {
  const CommandResult result = run_command(kNsn + " __complete " + words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return "\n" + result.out;
}

/// Whether a line starts with the word, followed by its sentence.
bool offers(const std::string& words, const std::string& word) {
  return completions(words).find("\n" + word + "\t") != std::string::npos;
}

TEST(Completion, CommandsWithASentence) {
  EXPECT_TRUE(offers("ru", "run"));
  EXPECT_FALSE(offers("ru", "solve"));
  EXPECT_NE(completions("ru").find("run\tsimulate a scene\n"), std::string::npos);
  EXPECT_TRUE(offers("''", "doctor"));
  EXPECT_TRUE(offers("--v", "--version"));
}

TEST(Completion, OptionsOfACommand) {
  EXPECT_TRUE(offers("run arch --pre", "--preset"));
  EXPECT_TRUE(offers("run --", "--ncp"));
  EXPECT_FALSE(offers("solve --", "--ncp"));
}

TEST(Completion, Values) {
  EXPECT_TRUE(offers("run a", "arch"));
  EXPECT_TRUE(offers("run arch --preset ''", "realtime"));
  EXPECT_TRUE(offers("run arch --ncp f", "fischer-burmeister"));
  EXPECT_TRUE(offers("run arch --ncp=f", "--ncp=fischer-burmeister"));
  EXPECT_TRUE(offers("run arch --linear p", "pcr"));
  EXPECT_TRUE(offers("run arch --linear pcr:", "pcr:precond="));
  EXPECT_TRUE(
      offers("run arch --linear pcr:lift=true,precond=b", "pcr:lift=true,precond=block-jacobi"));
  EXPECT_TRUE(offers("compare . --solvers pcr,g", "pcr,gmres"));
  EXPECT_TRUE(offers("robustness --scenes arch,sphere-p", "arch,sphere-pile"));
  EXPECT_TRUE(offers("completion z", "zsh"));
}

TEST(Completion, ParametersAreThoseOfTheScene) {
  EXPECT_TRUE(offers("run arch --set blo", "blocks="));
  EXPECT_FALSE(offers("run sliding-box --set blo", "blocks="));
  EXPECT_NE(completions("run arch --set blo").find("\n:more\n"), std::string::npos);
}

TEST(Completion, FilesAreTheShells) {
  EXPECT_EQ(completions("run arch --json ''"), "\n:files\n");
  EXPECT_EQ(completions("run arch --out ''"), "\n:folders\n");
  EXPECT_NE(completions("solve ''").find(":files"), std::string::npos);
}

TEST(Completion, NothingForWhatIsUnknown) {
  EXPECT_EQ(completions("nonsense ''"), "\n");
  EXPECT_EQ(completions("run nonsense --nonsense=a"), "\n");
  EXPECT_EQ(completions(""), "\n");
}

TEST(Completion, AnUnknownShellIsRefused) {
  const CommandResult result = run_command(kNsn + " completion tcsh");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("tcsh"), std::string::npos);
}

/// The script in a bash: what COMPREPLY is after the function was called for a line.
class BashCompletion : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_command("bash --version").exit_code != 0) GTEST_SKIP() << "there is no bash";
    script_ = (folder_ / "nsn.bash").string();
    ASSERT_EQ(std::system((kNsn + " completion bash >" + script_).c_str()), 0);
  }

  /// words: the line as bash cuts it; the last one is completed. One candidate a line.
  std::string replies(const std::string& line, const std::string& words) const {
    const CommandResult result = run_command(
        "bash -c 'source " + script_ + "; PATH=$(dirname " + kNsn + "):$PATH; COMP_LINE=\"" + line +
        "\"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nsn_complete nsn; printf \"%s\\n\" "
        "\"${COMPREPLY[@]}\"'");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return "\n" + result.out;
  }

  TemporaryFolder folder_;
  std::string script_;
};

TEST_F(BashCompletion, TheScriptIsBash) {
  EXPECT_EQ(run_command("bash -n " + script_).exit_code, 0);
  const CommandResult bound = run_command("bash -c 'source " + script_ + "; complete -p nsn'");
  EXPECT_EQ(bound.out, "complete -F _nsn_complete nsn\n");
}

TEST_F(BashCompletion, Completes) {
  EXPECT_EQ(replies("nsn ru", "nsn ru"), "\nrun\n");
  EXPECT_NE(replies("nsn run ar", "nsn run ar").find("\narch\n"), std::string::npos);
  EXPECT_NE(replies("nsn run arch --preset ", "nsn run arch --preset \"\"").find("\npaper\n"),
            std::string::npos);
  EXPECT_EQ(replies("nsn run arch --set blocks", "nsn run arch --set blocks"), "\nblocks=\n");
}

// bash cuts words at '=' and ':': what stands before is not repeated.
TEST_F(BashCompletion, BehindAnEqualsSignAndAColon) {
  EXPECT_EQ(replies("nsn run arch --ncp=f", "nsn run arch --ncp = f"), "\nfischer-burmeister\n");
  EXPECT_EQ(replies("nsn run arch --linear pcr:precond=block-j",
                    "nsn run arch --linear pcr : precond = block-j"),
            "\nblock-jacobi\n");
}

TEST_F(BashCompletion, Files) {
  const std::string line = "nsn solve " + (folder_ / "nsn.b").string();
  EXPECT_EQ(replies(line, line), "\n" + script_ + "\n");
}

nlohmann::json doctor(const std::string& before, int exit_code) {
  const CommandResult result = run_command(before + kNsn + " doctor --json -");
  EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
  return nlohmann::json::parse(result.out).at("results");
}

nlohmann::json finding(const nlohmann::json& all, const std::string& name) {
  for (const auto& one : all) {
    if (one.at("name") == name) return one;
  }
  ADD_FAILURE() << "no finding '" << name << "'";
  return {};
}

TEST(Doctor, SaysWhatIsThereAndWhatIsMissing) {
  const nlohmann::json all = doctor("NSN_DATA_DIR=/nowhere/data ", 0);
  EXPECT_EQ(finding(all, "nsn").at("found"), NSN_EXPECTED_VERSION);
  EXPECT_EQ(finding(all, "HDF5").at("health"), NSN_HAS_HDF5 ? "good" : "missing");
  EXPECT_EQ(finding(all, "HDF5").at("cost").get<std::string>().empty(), NSN_HAS_HDF5 != 0);
  EXPECT_EQ(finding(all, "working folder").at("health"), "good");
  EXPECT_EQ(finding(all, "data by others").at("health"), "missing");
  EXPECT_NE(finding(all, "data by others").at("found").get<std::string>().find("/nowhere/data"),
            std::string::npos);
  EXPECT_EQ(finding(all, "five steps of the scene arch").at("health"), "good");
  for (const auto& one : all) {
    EXPECT_EQ(one.at("health") == "good", one.at("cost").get<std::string>().empty()) << one;
    EXPECT_TRUE(one.at("health") == "good" || !one.at("needed").get<bool>()) << one;
  }
}

TEST(Doctor, PrintsOneLinePerFindingAndAVerdict) {
  const CommandResult result = run_command(kNsn + " doctor");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("All that the defaults need works"), std::string::npos);
  EXPECT_NE(result.out.find("Kokkos"), std::string::npos);
}

TEST(Doctor, AFolderThatCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const nlohmann::json all = doctor("cd / && ", 0);
  EXPECT_EQ(finding(all, "working folder").at("health"), "missing");
}

TEST(Version, NeedsLittleMemoryAndNoLibraryOfADevice) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's own memory is larger";
#endif
  const TemporaryFolder folder;
  const std::string trace = (folder / "loaded").string();
  const CommandResult result =
      run_command("LD_DEBUG=files LD_DEBUG_OUTPUT=" + trace + " " + kNsn + " --version");
  EXPECT_EQ(result.out, std::string("nsn ") + NSN_EXPECTED_VERSION + "\n");
  int traces = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "")) {
    const std::string loaded = read_text_file(file.path());
    if (!NSN_HAS_CUDA) {
      for (const char* name : {"libcuda", "libcudart", "libcusparse", "libcusolver"}) {
        EXPECT_EQ(loaded.find(name), std::string::npos) << name;
      }
    }
    traces += loaded.find("libstdc++") != std::string::npos;
  }
  EXPECT_EQ(traces, 1) << "one process prints the version";
}

TEST(Version, NeedsAtMost40Megabytes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's own memory is larger";
#endif
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(1);
    ::execl(kNsn.c_str(), "nsn", "--version", nullptr);
    ::_exit(1);
  }
  int status = 0;
  rusage used{};
  ASSERT_EQ(::wait4(child, &status, 0, &used), child);
  EXPECT_EQ(status, 0);
  EXPECT_LE(used.ru_maxrss, 40 * 1024);  // KiB
}

}  // namespace
}  // namespace nsn
