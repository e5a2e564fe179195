// nsn solve as a stranger meets it: tables, files, exit codes, and every kind of bad input.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/fclib.h"
#include "nsn/core/io/siconos_text.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/command.h"
#include "tests/support/fclib_damage.h"
#include "tests/support/friction_samples.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

CommandResult solve(const std::string& arguments) {
  return run_command(NSN_BINARY " solve " + arguments);
}

// A particle of 2 kg that slides: W = 1/2, q = (-1, -6, 0), mu = 0.5; r = (2, 1, 0), u = (0, -5.5,
// 0).
const std::string kSliding = "3 1\n0 3 3\n3 3\n0.5 0 0\n0 0.5 0\n0 0 0.5\n-1 -6 0\n0.5\n";

class SolveBadInput : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }

  /// Exit code 2, one line on stderr, nothing written. Returns the line without program and path.
  std::string refusal(const std::string& path, const std::string& options = "") const {
    const CommandResult result =
        solve(path + " " + options + " --out " + (folder_ / "out").string() + " --json " +
              (folder_ / "report.json").string());
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    EXPECT_FALSE(fs::exists(folder_ / "report.json"));
    const std::string front = "nsn: " + path;
    return result.err.starts_with(front) ? result.err.substr(front.size()) : result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(SolveBadInput, WOfNoBodies) {
  const std::string dented = "3 1\n0 3 3\n3 3\n0.5 0 0\n0 -0.5 0\n0 0 0.5\n-1 -6 0\n0.5\n";
  EXPECT_EQ(refusal(put("a.dat", dented)),
            ": W is not positive semidefinite: z . W z = -1.0e+00 |z|^2 in scaled rows, most of z "
            "at contact 0\n");
}

TEST_F(SolveBadInput, MissingFileOrEmptyFolder) {
  EXPECT_EQ(refusal((folder_ / "none.dat").string()), ": no such file\n");
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(refusal((folder_ / "empty").string()), ": the folder holds no file\n");
}

TEST_F(SolveBadInput, DamagedText) {
  EXPECT_EQ(refusal(put("a.dat", "")), ":1: the file ends where dimension is expected\n");
  EXPECT_EQ(refusal(put("a.dat", "nonsense\n")), ":1: dimension 'nonsense' is not an integer\n");
  EXPECT_EQ(refusal(put("a.dat", kSliding.substr(0, kSliding.size() - 5))),
            ":7: the file ends where mu is expected\n");
  EXPECT_EQ(refusal(put("a.dat", "3 2" + kSliding.substr(3))),
            ":6: W is 3 x 3, but 2 contacts in 3D ask for 6 x 6\n");
  EXPECT_EQ(refusal(put("a.dat", "3 1000000000000" + kSliding.substr(3))),
            ":1: number of contacts 1000000000000 is more than the file can hold\n");
}

TEST_F(SolveBadInput, DamagedNumbers) {
  std::string negative = kSliding;
  negative.replace(negative.rfind("0.5"), 3, "-.5");
  std::string nan = kSliding;
  nan.replace(nan.find("-6"), 2, "nan");

  EXPECT_EQ(refusal(put("a.dat", negative)), ":8: mu -0.5 of contact 0 is negative\n");
  EXPECT_EQ(refusal(put("a.dat", nan)), ":7: q 'nan' is not finite\n");
  EXPECT_EQ(
      refusal(put("a.dat",
                  "2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 0 7 : 5\n1 1\n.5")),
      ":4: column index 7 is outside the 2 x 2 of the first matrix\n");
}

TEST_F(SolveBadInput, WordsOfTheCommandLine) {
  const std::string path = put("a.dat", kSliding);

  EXPECT_NE(refusal(path, "--method proximal-newtn").find("did you mean 'proximal-newton'"),
            std::string::npos);
  EXPECT_NE(refusal(path, "--method pfn-fb").find("is now 'proximal-newton-fb'"),
            std::string::npos);
  EXPECT_NE(refusal(path, "--format fclb").find("did you mean 'fclib'"), std::string::npos);
  EXPECT_NE(refusal(path, "--linear contact-lo").find("did you mean 'contact-lu'"),
            std::string::npos);
  EXPECT_NE(refusal(path, "--tol x").find("--tol"), std::string::npos);
  EXPECT_NE(refusal(path, "--form primol").find("did you mean 'primal'"), std::string::npos);
  EXPECT_NE(refusal(path, "--form primal").find("local problem"), std::string::npos);
  EXPECT_NE(refusal(path, "--methd auto").find("did you mean '--method'"), std::string::npos);
}

#if defined(NSN_WITH_HDF5)

TEST_F(SolveBadInput, NotHdf5) {
  EXPECT_NE(refusal(put("a.hdf5", kSliding)).find("not a readable HDF5 file"), std::string::npos);
}

TEST_F(SolveBadInput, DamagedDatasets) {
  const std::string path = (folder_ / "a.hdf5").string();
  const auto damaged = [&](test::FclibDamage damage) {
    test::write_damaged_fclib(path, damage);
    return refusal(path);
  };

  EXPECT_EQ(damaged({.omit = "/fclib_local/vectors/mu"}),
            ": /fclib_local/vectors/mu: is missing\n");
  EXPECT_EQ(damaged({.omit = "/fclib_local/W/p"}), ": /fclib_local/W/p: is missing\n");
  EXPECT_EQ(damaged({.huge = "/fclib_local/W/x"}),
            ": /fclib_local/W/x: declares 8000000000000 bytes of values but stores 0\n");
  EXPECT_EQ(damaged({.text = "/fclib_local/vectors/q"}),
            ": /fclib_local/vectors/q: is not of a number type\n");
  EXPECT_EQ(damaged({.table = "/fclib_local/vectors/q"}),
            ": /fclib_local/vectors/q: has 2 dimensions, not one\n");
  EXPECT_EQ(damaged({.link = "/fclib_local/vectors/q"}),
            ": /fclib_local/vectors/q: is a link to somewhere else, which is not followed\n");
  EXPECT_EQ(damaged({.elsewhere = "/fclib_local/vectors/q"}),
            ": /fclib_local/vectors/q: keeps its values in another file, which is not followed\n");
  EXPECT_EQ(damaged({.group = "/fclib_local/W/x"}), ": /fclib_local/W/x: is not a dataset\n");
  EXPECT_EQ(damaged({.negative_mu = true}),
            ": /fclib_local/vectors/mu: mu -1 of contact 0 is negative\n");
}

TEST_F(SolveBadInput, DamagedContainers) {
  const std::string path = (folder_ / "a.hdf5").string();
  write_fclib(path, test::two_contacts());
  const std::string whole = read_text_file(path);

  // Truncated anywhere, or with bytes of its own bookkeeping replaced: refused, or still a problem
  // when the change hit nothing that matters; never a crash, never another exit code.
  for (const double share : {0.0, 0.01, 0.3, 0.6, 0.9}) {
    put("a.hdf5",
        whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    refusal(path);
  }
  for (std::size_t at = 8; at < 800; at += 23) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    put("a.hdf5", bytes);
    const CommandResult result = solve(path + " --quiet");
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2) << at << ": " << result.exit_code;
  }
}

#endif

TEST(SolveCommand, JsonHasTheKeysOthersRelyOn) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", kSliding);

  const CommandResult result = solve((folder / "a.dat").string() + " --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto row = nlohmann::json::parse(result.out)["results"][0];

  for (const char* key : {"problem", "dimension", "contacts", "rank", "method", "status",
                          "newton_iterations", "linear_iterations", "seconds", "error_siconos",
                          "error_unit_free", "min_normal_velocity", "max_cone_violation"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  EXPECT_EQ(row["problem"], "a.dat");
  EXPECT_EQ(row["contacts"], 1);
  EXPECT_EQ(row["rank"], 3);
}

TEST(SolveCommand, WritesTheSolutionOneContactALine) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", kSliding);

  const CommandResult result =
      solve((folder / "a.dat").string() + " --out " + (folder / "out").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream line(read_text_file(folder / "out" / "a.dat.solution.csv"));
  std::vector<double> values;
  for (std::string cell; std::getline(line, cell, ',');) values.push_back(std::stod(cell));

  // The tolerance 1e-8 is relative to |q| = 6; W is diagonal, so the answer is as exact.
  const std::vector<double> expected = {2.0, 1.0, 0.0, 0.0, -5.5, 0.0};
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-7);
}

TEST(SolveCommand, ARefusedInputIsARowBesideTheOthers) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", kSliding);
  write_file(folder / "b.dat", "nonsense");

  const CommandResult result = solve(folder.path().string() + " --json -");
  const auto rows = nlohmann::json::parse(result.out)["results"];

  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["status"], "refused");
  EXPECT_NE(rows[1]["detail"].get<std::string>().find("b.dat:1: dimension 'nonsense'"),
            std::string::npos);
}

TEST(SolveCommand, NotSolvedToTheToleranceIsExitCodeOne) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", to_siconos_text(test::two_contacts()));

  const CommandResult result =
      solve((folder / "a.dat").string() + " --method nsgs --max-iterations 1 --tol 1e-15");

  EXPECT_EQ(result.exit_code, 1) << result.out;
}

TEST(SolveCommand, NoContactIsSolvedAtOnce) {
  const TemporaryFolder folder;
  write_file(folder / "local.dat", "3 0 1 0 0 0");
  write_file(folder / "global.dat",
             "2 0\n0 1 1 1 1\n4.0\n2 1 0 2\nCSparse\n1-by-0, nzmax: 1 nnz: 0\n0.5\n");

  const CommandResult result =
      solve(folder.path().string() + " --json - --out " + (folder / "out").string());

  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["results"][1]["contacts"], 0);
  EXPECT_EQ(read_text_file(folder / "out" / "local.dat.solution.csv"), "");
}

TEST(SolveCommand, FormatOverridesWhatTheCountsSay) {
  const TemporaryFolder folder;
  const std::string both =
      "3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n0 3 3 3 3\n2 0 0 0 2 0 0 0 2\n-1 -1 -1 0 0 0\n0.5\n0\n";
  write_file(folder / "a.dat", both);
  const auto kind = [&](const std::string& options) -> std::string {
    const CommandResult result = solve((folder / "a.dat").string() + " --json - " + options);
    return nlohmann::json::parse(result.out)["results"][0]["kind"];
  };

  EXPECT_EQ(kind(""), "global");
  EXPECT_EQ(kind("--format siconos-local"), "local");
}

TEST(SolveCommand, AGlobalProblemIsSolvedCondensedOrNotAsAskedFor) {
  const TemporaryFolder folder;
  // One contact of a unit mass: M = 1, H = 2, f = -1, w = 0.
  write_file(
      folder / "a.dat",
      "3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n0 3 3 3 3\n2 0 0 0 2 0 0 0 2\n-1 -1 -1 0 0 0\n0.5\n0\n");
  const auto row = [&](const std::string& options) {
    const CommandResult result = solve((folder / "a.dat").string() + " --json - " + options);
    EXPECT_EQ(result.exit_code, 0) << options << result.err;
    return nlohmann::json::parse(result.out)["results"][0];
  };

  const auto dual = row("--form dual");
  const auto primal = row("--form primal");

  EXPECT_TRUE(dual["detail"].get<std::string>().starts_with("dual")) << dual;
  EXPECT_TRUE(primal["detail"].get<std::string>().starts_with("primal")) << primal;
}

/// Status, key `solved`, table and exit code of one file.
void expect_agreement(const std::string& path, const std::string& options, bool solved) {
  SCOPED_TRACE(path + " " + options);
  const CommandResult json = solve(path + " --json - " + options);
  const CommandResult table = solve(path + " " + options);
  const auto row = nlohmann::json::parse(json.out)["results"][0];
  EXPECT_EQ(json.exit_code, solved ? 0 : 1);
  EXPECT_EQ(table.exit_code, json.exit_code);
  EXPECT_EQ(row["solved"].get<bool>(), solved);
  EXPECT_EQ(row["status"], solved ? "solved" : "not-solved");
  EXPECT_EQ(row["reason"] == "solved", solved) << row["reason"];
  EXPECT_EQ(table.out.find("not-solved") == std::string::npos, solved) << table.out;
}

TEST(SolveCommand, TableJsonAndExitCodeAgree) {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    return (folder / name).string();
  };
  expect_agreement(file("a.dat", kSliding), "", true);
  expect_agreement(file("a.dat", kSliding), "--method paper-fb --newton-iterations 1", false);
  expect_agreement(file("a.dat", kSliding), "--method proximal-newton --newton-iterations 0",
                   false);
  // q of 1e-9 and of 1e200: neither is solved by zero.
  std::string tiny = kSliding;
  tiny.replace(tiny.find("-1 -6 0"), 7, "-1e-9 -6e-9 0");
  std::string huge = kSliding;
  huge.replace(huge.find("-1 -6 0"), 7, "-1e200 -6e200 0");
  expect_agreement(file("tiny.dat", tiny), "", true);
  expect_agreement(file("huge.dat", huge), "", true);
  for (const std::string method : {"auto", "newton", "lemke", "enumerate"}) {
    expect_agreement(file("lcp.dat", "1\n0\n1\n1\n1 1\n1\n-1e-9\n"),
                     "--format siconos-lcp --method " + method, true);
  }
}

TEST(SolveCommand, EveryMethodSolvesASlidingParticle) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", kSliding);
  for (const char* method : {"auto", "proximal-newton", "proximal-newton-fb", "admm", "nsgs",
                             "paper-min", "paper-fb", "alart-curnier", "alart-curnier-symmetric"}) {
    const CommandResult result =
        solve((folder / "a.dat").string() + " --json - --method " + method);
    ASSERT_EQ(result.exit_code, 0) << method << result.err;

    const auto row = nlohmann::json::parse(result.out)["results"][0];

    EXPECT_EQ(row["status"], "solved") << method;
    EXPECT_LE(row["error_siconos"].get<double>(), 1e-8) << method;
  }
}

TEST(CompareCommandOnFriction, PutsMethodsSideBySide) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "in");
  write_file(folder / "in" / "a.dat", kSliding);
  write_file(folder / "in" / "broken.dat", "nonsense");

  const CommandResult result = run_command(
      std::string(NSN_BINARY) + " compare " + (folder / "in").string() +
      " --methods proximal-newton,nsgs --repeat 1 --json - --out " + (folder / "out").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["results"];

  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["method"], "proximal-newton");
  EXPECT_EQ(rows[1]["method"], "nsgs");
  EXPECT_EQ(rows[2]["status"], "refused");
  const std::string page = read_text_file(folder / "out" / "compare.html");
  EXPECT_NE(page.find("Performance profile"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "out" / "compare.csv"));
}

TEST(CompareCommandOnFriction, UnknownMethodNamesTheNearest) {
  const TemporaryFolder folder;
  write_file(folder / "a.dat", kSliding);

  const CommandResult result = run_command(std::string(NSN_BINARY) + " compare " +
                                           (folder / "a.dat").string() + " --methods nsgss");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "nsn: unknown method 'nsgss'; did you mean 'nsgs'?\n");
}

TEST(SolveCommand, NoSolutionIsNotTheSameAsNotSolved) {
  const TemporaryFolder folder;
  const std::string nsn = NSN_BINARY;
  const std::string problems = (folder / "problems").string();
  ASSERT_EQ(run_command(nsn + " generate squeeze --contacts 30 --count 2 --quiet --out " + problems)
                .exit_code,
            0);
  const CommandResult json = solve(problems + " --json - --out " + (folder / "out").string());
  EXPECT_EQ(json.exit_code, 4) << json.err;
  const nlohmann::json report = nlohmann::json::parse(json.out);
  for (const auto& row : report["results"]) {
    EXPECT_EQ(row["status"], "no-solution");
    EXPECT_FALSE(row["solved"].get<bool>());
    EXPECT_GE(row["certificate_need"].get<double>(), 1e4);
    const fs::path file = folder / "out" / (row["problem"].get<std::string>() + ".certificate.csv");
    std::istringstream lines(read_text_file(file));
    double z = -1.0;
    int count = 0;
    while (lines >> z) {
      EXPECT_GE(z, 0.0);
      ++count;
    }
    EXPECT_EQ(count, row["contacts"].get<int>());
  }
  const CommandResult table = solve(problems);
  EXPECT_EQ(table.exit_code, 4);
  EXPECT_NE(table.out.find("no-solution"), std::string::npos) << table.out;
  // A budget that ended is something else, and so is a mixture.
  const CommandResult stopped = solve(problems + " --method nsgs --max-iterations 3 --json -");
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(stopped.out)["results"][0]["status"], "not-solved");
  EXPECT_EQ(solve(problems + " --method certificate").exit_code, 2);
}

TEST(GenerateCommand, RefusesWhatCannotBe) {
  const TemporaryFolder folder;
  const std::string generate = std::string(NSN_BINARY) + " generate ";
  const std::string out = " --out " + (folder / "out").string();
  for (const char* bad : {"sqeeze", "wall --contacts 3", "heap --mu -1", "heap --contacts 0", ""}) {
    const CommandResult result = run_command(generate + bad + out);
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_FALSE(result.err.empty()) << bad;
  }
  EXPECT_EQ(run_command(generate + "heap").exit_code, 2);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace nsn
