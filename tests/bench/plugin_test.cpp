// Solvers of a shared library beside our own.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/atomic_file.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

const std::string kSpd =
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 1\n2 2 3\n3 3 2\n";

CommandResult compare(const TemporaryFolder& folder, const std::string& options) {
  write_file(folder / "a.mtx", kSpd);
  return run_command(std::string(NSN_BINARY) + " compare " + (folder / "a.mtx").string() +
                     " --repeat 1 " + options);
}

TEST(Plugin, ItsSolversAreComparedWithOurs) {
  if (NSN_HAS_PETSC) GTEST_SKIP() << "a program with PETSc keeps its Kokkos to itself";
  const TemporaryFolder folder;

  const CommandResult result = compare(
      folder, "--solvers pcg,scaled-descent --json - --plugin " + std::string(NSN_PLUGIN_FILE));

  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["results"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["solver"], "scaled-descent");
  EXPECT_EQ(rows[1]["status"], "converged");
}

TEST(Plugin, WhatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const std::string other = NSN_OTHER_PLUGIN_FILE;
  write_file(folder / "text.so", "no library");

  const CommandResult version = compare(folder, "--plugin " + other);
  EXPECT_EQ(version.exit_code, 2);
  EXPECT_EQ(version.err.find("nsn: " + other + ": was made for another nsn (interface -1"), 0U)
      << version.err;
  const CommandResult text = compare(folder, "--plugin " + (folder / "text.so").string());
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_NE(text.err.find("cannot be loaded"), std::string::npos) << text.err;
  EXPECT_NE(compare(folder, "--plugin none.so").err.find("none.so: no such file"),
            std::string::npos);
}

}  // namespace
}  // namespace nsn
