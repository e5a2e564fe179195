// The command line as a stranger meets it: exit codes, one line on stderr, nothing written.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

const std::string kNsn = NSN_BINARY;
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

// [ 4 1 0 ]
// [ 1 3 0 ]
// [ 0 0 2 ]
const std::string kSpd =
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 1\n2 2 3\n3 3 2\n";

CommandResult nsn_command(const std::string& arguments) {
  return run_command(kNsn + " " + arguments);
}

/// A folder for inputs and one for outputs, which must stay absent where input is bad.
class CompareBadInput : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }

  /// Runs compare on the path and checks exit code 2, one line, and that nothing was written.
  std::string refusal(const std::string& path, const std::string& options = "") const {
    const CommandResult result =
        nsn_command("compare " + path + " " + options + " --out " + (folder_ / "out").string() +
                    " --json " + (folder_ / "report.json").string());
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    EXPECT_FALSE(fs::exists(folder_ / "report.json"));
    return result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(CompareBadInput, MissingFile) {
  const std::string path = (folder_ / "none.mtx").string();

  EXPECT_EQ(refusal(path), "nsn: " + path + ": no such file\n");
}

TEST_F(CompareBadInput, FolderWithoutMatrices) {
  EXPECT_EQ(refusal(folder_.path().string()),
            "nsn: " + folder_.path().string() + ": the folder holds no .mtx file\n");
}

TEST_F(CompareBadInput, DirectoryInsteadOfFile) {
  fs::create_directories(folder_ / "s" / "A.mtx");

  EXPECT_EQ(refusal((folder_ / "s").string()),
            "nsn: " + (folder_ / "s" / "A.mtx").string() + ": is a directory, a file is needed\n");
}

TEST_F(CompareBadInput, MalformedHeader) {
  const std::string path = put("a.mtx", "%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n");

  EXPECT_EQ(refusal(path),
            "nsn: " + path +
                ":1: the banner needs five words: %%MatrixMarket matrix coordinate real general\n");
}

TEST_F(CompareBadInput, EmptyFile) {
  const std::string path = put("a.mtx", "");

  EXPECT_EQ(refusal(path), "nsn: " + path + ":1: the file is empty\n");
}

TEST_F(CompareBadInput, IndexOutOfRange) {
  const std::string path = put("a.mtx", kReal + "2 2 2\n1 1 1\n3 2 1\n");

  EXPECT_EQ(refusal(path), "nsn: " + path + ":4: row 3 is outside 1..2\n");
}

TEST_F(CompareBadInput, CountMismatch) {
  const std::string few = put("few.mtx", kReal + "2 2 2\n1 1 1.00000\n");
  const std::string many = put("many.mtx", kReal + "2 2 1\n1 1 1\n2 2 1\n");

  EXPECT_EQ(refusal(few),
            "nsn: " + few + ":4: the file ends after 1 of the 2 entries declared in line 2\n");
  EXPECT_EQ(refusal(many), "nsn: " + many + ":4: more than the 1 entries declared in line 2\n");
}

TEST_F(CompareBadInput, HugeCountInASmallFile) {
  const std::string path = put("a.mtx", kReal + "9 9 1000000000000\n1 1 1\n");

  EXPECT_EQ(refusal(path), "nsn: " + path +
                               ":2: 1000000000000 entries are declared, the rest of the file has "
                               "room for 1 at most\n");
}

TEST_F(CompareBadInput, NanAndInfinity) {
  const std::string nan = put("nan.mtx", kReal + "1 1 1\n1 1 nan\n");
  const std::string inf = put("inf.mtx", kReal + "1 1 1\n1 1 -inf\n");

  EXPECT_EQ(refusal(nan), "nsn: " + nan + ":3: value 'nan' is not finite\n");
  EXPECT_EQ(refusal(inf), "nsn: " + inf + ":3: value '-inf' is not finite\n");
}

TEST_F(CompareBadInput, RectangularMatrixAlone) {
  const std::string path = put("a.mtx", kReal + "2 3 1\n1 1 1\n");

  EXPECT_EQ(refusal(path),
            "nsn: " + path + ": 2 x 3 is rectangular, a system needs a square matrix\n");
}

TEST_F(CompareBadInput, RightHandSideOfAnotherLength) {
  put("a.mtx", kSpd);
  const std::string rhs = put("a_b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");

  EXPECT_EQ(refusal((folder_ / "a.mtx").string()),
            "nsn: " + rhs + ": 2 entries for a system of 3 rows\n");
}

TEST_F(CompareBadInput, UnknownSolverNamesTheNearest) {
  const std::string path = put("a.mtx", kSpd);

  EXPECT_EQ(refusal(path, "--solvers jacobbi"),
            "nsn: unknown linear solver 'jacobbi'; did you mean 'jacobi'?\n");
}

TEST_F(CompareBadInput, UnknownSolverOptionNamesTheNearest) {
  const std::string path = put("a.mtx", kSpd);

  EXPECT_EQ(refusal(path, "--solvers pcr:precnd=none"),
            "nsn: 'pcr' has no option 'precnd'; did you mean 'precond'?\n");
}

TEST_F(CompareBadInput, UnknownOptionOfTheCommandNamesTheNearest) {
  const std::string path = put("a.mtx", kSpd);

  EXPECT_EQ(refusal(path, "--repeats 3"),
            "nsn: compare has no option '--repeats'; did you mean '--repeat'?\n");
}

TEST_F(CompareBadInput, ValuesOutOfRange) {
  const std::string path = put("a.mtx", kSpd);

  EXPECT_NE(refusal(path, "--repeat 0").find("--repeat"), std::string::npos);
  EXPECT_NE(refusal(path, "--tol x").find("--tol"), std::string::npos);
  EXPECT_NE(refusal(path, "--threads -1").find("--threads"), std::string::npos);
}

TEST_F(CompareBadInput, OutputThatCannotBeWritten) {
  const std::string path = put("a.mtx", kSpd);
  const std::string file = put("file", "");

  const CommandResult result = nsn_command("compare " + path + " --quiet --out " + file);

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(fs::file_size(file), 0U);
}

TEST(CommandLine, VersionAndHelp) {
  EXPECT_EQ(nsn_command("--version").out.rfind("nsn ", 0), 0U);
  const CommandResult help = nsn_command("compare --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("--max-iterations"), std::string::npos);
  EXPECT_NE(help.out.find("Exit code"), std::string::npos);
}

TEST(CommandLine, UnknownCommandNamesTheNearest) {
  const CommandResult result = nsn_command("comprae");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "nsn: unknown command 'comprae'; did you mean 'compare'?\n");
  EXPECT_EQ(nsn_command("").exit_code, 2);
}

TEST(CommandLine, HelpIsAlsoACommand) {
  EXPECT_EQ(nsn_command("help").out, nsn_command("--help").out);
  EXPECT_EQ(nsn_command("help solve").out, nsn_command("solve --help").out);
  EXPECT_EQ(nsn_command("help solve").exit_code, 0);
}

TEST(StudyCommand, UnknownStudiesAndClaimsNameTheNearestAndNothingRuns) {
  const TemporaryFolder folder;
  const std::string out = " --quiet --out " + (folder / "out").string();
  for (const char* what :
       {"rscalling", "claims --again arch-krilov", "additions --again nothing"}) {
    const CommandResult result = nsn_command(std::string("study ") + what + out);
    EXPECT_EQ(result.exit_code, 2) << what;
    EXPECT_NE(result.err.find("unknown"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(folder / "out" / "study.html"));
  }
}

TEST(RunCommand, GoesOnFromASavedState) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const std::string run = "run bridge --quiet ";
  EXPECT_EQ(nsn_command(run + "--steps 20 --save-state " + file("whole")).exit_code, 0);
  EXPECT_EQ(nsn_command(run + "--steps 8 --save-state " + file("part")).exit_code, 0);
  EXPECT_EQ(
      nsn_command(run + "--steps 12 --from-state " + file("part") + " --save-state " + file("rest"))
          .exit_code,
      0);
  EXPECT_EQ(read_text_file(file("rest")), read_text_file(file("whole")));

  const CommandResult other = nsn_command("run arch --from-state " + file("part"));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find(file("part") + ": state: of another world"), std::string::npos)
      << other.err;
  EXPECT_EQ(nsn_command("run arch --from-state " + file("none")).exit_code, 2);
}

/// Status, promise and exit code of a run.
void expect_verdict(const std::string& arguments, const std::string& status, bool held) {
  SCOPED_TRACE(arguments);
  const CommandResult json = nsn_command(arguments + " --json -");
  const CommandResult table = nsn_command(arguments);
  EXPECT_EQ(json.exit_code, held ? 0 : 1) << json.err;
  EXPECT_EQ(table.exit_code, json.exit_code);
  const auto row = nlohmann::json::parse(json.out)["results"][0];
  EXPECT_EQ(row["status"], status);
  EXPECT_EQ(row["promise_held"].get<bool>(), held);
  const int counted = row["reached_steps"].get<int>() + row["missed_steps"].get<int>() +
                      row["failed_steps"].get<int>();
  EXPECT_EQ(counted, row["steps"].get<int>());
  EXPECT_NE(table.out.find(status), std::string::npos) << table.out;
}

TEST(RunCommand, TableJsonAndExitCodeSayWhatBecameOfThePromise) {
  expect_verdict("run arch --steps 5", "converged", true);
  expect_verdict("run arch --steps 5 --preset realtime", "on target", true);
  expect_verdict("run sliding-stack --steps 20 --preset realtime --newton-iterations 2", "safe",
                 true);
  expect_verdict("run arch --steps 5 --preset paper", "done", true);
  expect_verdict("run arch --steps 2 --preset paper --tolerance 1e-12", "not converged", false);
  expect_verdict("run sliding-stack --steps 2 --newton-iterations 1 --tolerance 1e-14",
                 "not converged", false);
}

TEST(RunCommand, SaysWhatTheLinearSystemsWereOver) {
  const auto over = [](const std::string& command) {
    const CommandResult result = nsn_command("run " + command + " --quiet --json -");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json row = nlohmann::json::parse(result.out)["results"][0];
    return row["linear_forms"].get<std::string>() + ", " + row["linear_solvers"].get<std::string>();
  };
  EXPECT_EQ(over("arch --steps 1"), "rows, contact-lu");
  EXPECT_EQ(over("arch --steps 1 --preset paper --linear gauss-seidel"), "rows, gauss-seidel");
  EXPECT_EQ(over("pneunet --steps 1"), "rows; rows, elastic ones eliminated, contact-lu");
}

TEST(RunCommand, AFolderHoldsOneRun) {
  const TemporaryFolder folder;
  const std::string out = " --quiet --out " + folder.path().string();
  ASSERT_EQ(nsn_command("run arch --steps 4" + out).exit_code, 0);

  const CommandResult other = nsn_command("run sliding-box --steps 1" + out);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err, "nsn: --out " + folder.path().string() +
                           ": has the run of another scene (arch.run), name another folder\n");
  EXPECT_FALSE(fs::exists(folder / "sliding-box.run"));

  ASSERT_EQ(nsn_command("run arch --steps 2" + out).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "arch_000002.vtu"));
  EXPECT_FALSE(fs::exists(folder / "arch_000003.vtu")) << "a frame of the longer run before";
}

TEST(RunCommand, NamesThePageItLeaves) {
  const TemporaryFolder folder;
  const std::string page = (folder / "run.html").string();

  const CommandResult result = nsn_command("run arch --steps 1 --html " + page);

  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("open " + page + "\n"), std::string::npos) << result.out;
}

TEST(SolversCommand, ListsEverySolverWithItsKeys) {
  const CommandResult result = nsn_command("solvers --json -");
  ASSERT_EQ(result.exit_code, 0);

  const auto report = nlohmann::json::parse(result.out);

  EXPECT_TRUE(report.contains("nsn") && report.contains("machine"));
  ASSERT_FALSE(report["results"].empty());
  for (const auto& row : report["results"]) {
    for (const char* key : {"name", "built", "available", "reason", "needs_entries", "singular_ok",
                            "device", "options", "licence"}) {
      EXPECT_TRUE(row.contains(key)) << row << " lacks " << key;
    }
    EXPECT_EQ(row["available"].get<bool>(), row["reason"].get<std::string>().empty());
  }
}

TEST(CompareCommand, ARefusedInputIsARowBesideTheOthers) {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", kSpd);
  write_file(folder / "wide.mtx", kReal + "2 3 1\n1 1 1\n");
  write_file(folder / "broken.mtx", kReal + "2 2 1\n");

  const CommandResult result =
      nsn_command("compare " + folder.path().string() + " --solvers pcr --repeat 1 --json -");
  const auto rows = nlohmann::json::parse(result.out)["results"];

  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["system"], "a");
  EXPECT_EQ(rows[0]["status"], "converged");
  EXPECT_EQ(rows[1]["system"], "broken");
  EXPECT_EQ(rows[1]["status"], "refused");
  EXPECT_NE(rows[2]["detail"].get<std::string>().find("2 x 3 is rectangular"), std::string::npos);
}

TEST(CompareCommand, NoSolverConvergedIsExitCodeOne) {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", kSpd);

  const CommandResult result =
      nsn_command("compare " + (folder / "a.mtx").string() + " --solvers pcr --max-iterations 1");

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("max-iterations"), std::string::npos);
}

TEST(CompareCommand, WritesEveryFile) {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", kSpd);

  const CommandResult result =
      nsn_command("compare " + (folder / "a.mtx").string() + " --quiet --out " +
                  (folder / "out").string() + " --json " + (folder / "r.json").string());

  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  for (const char* name :
       {"compare.html", "compare.json", "compare.csv", "history.csv", "rows.jsonl"}) {
    EXPECT_TRUE(fs::exists(folder / "out" / name)) << name;
  }
  EXPECT_TRUE(fs::exists(folder / "r.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "out"), {}), 5);  // no temporary stayed
}

/// Systems of our own: a pile, and a robot that falls.
TEST(CompareCommand, SystemsThatScenesExportAreSolvedByEveryKindOfSolver) {
  const TemporaryFolder folder;
  for (const std::string scene : {"sphere-pile", "humanoids --set count=1"}) {
    const CommandResult exported =
        nsn_command("export " + scene + " --preset paper --step 60 --newton 1 --quiet --out " +
                    (folder / "systems" / scene.substr(0, scene.find(' '))).string());
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
  }

  const CommandResult result = nsn_command("compare " + (folder / "systems").string() +
                                           " --solvers contact-lu,pcr,gmres --repeat 1 --json -");

  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["results"];
  // Krylov solvers take the factors as well; the elastic rows of the robot may be solved in the primal form.
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const auto& row) { return row["operator"] != "primal"; }),
            2 * 5);
  for (const auto& row : rows) {
    EXPECT_EQ(row["status"], "converged") << row.dump();
    EXPECT_LT(row["relative_residual"].get<double>(), 1e-8) << row.dump();
  }
}

TEST(CompareCommand, TheSameSeedGivesTheSameResiduals) {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", kSpd);
  const auto residual = [&](int seed) {
    const CommandResult result =
        nsn_command("compare " + (folder / "a.mtx").string() +
                    " --solvers pcr:precond=none --repeat 1 --max-iterations 2 --json - --seed " +
                    std::to_string(seed));
    return nlohmann::json::parse(result.out)["results"][0]["relative_residual"].get<double>();
  };

  EXPECT_EQ(residual(7), residual(7));
  EXPECT_NE(residual(7), residual(8));
}

}  // namespace
}  // namespace nsn
