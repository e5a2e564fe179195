// Problems by others, solved from a zero guess by the automatic method and judged by code that
// shares nothing with the solver.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/core/problems/lcp.h"
#include "tests/support/friction_checker.h"
#include "tests/support/friction_reference.h"
#include "tests/support/public_data.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr double kSiconosTolerance = 1e-8;   // what is asked for
constexpr double kUnitFreeTolerance = 1e-6;  // a hundred times that, in any units

// Coulomb friction is not monotone: this one has at least two solutions with velocities that differ
// by 4e-3 of |q|. The reference has an error of 1e-12, ours of 1e-9 at most, both by the judge.
constexpr const char* kTwoSolutions = "OneObject-i1028-138.hdf5.dat";

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

/// What the solvers of both kinds of problem have in common.
struct Answer {
  bool solved = false;
  std::string status;
  Vector r;
  Vector u;
};

template <class Problem>
Answer solve(const Problem& problem) {
  const FrictionResult result = FrictionSolver({}, standard_backends()).solve(problem);
  return {result.solved(), std::string(to_string(result.status)), result.r, result.u};
}

Answer solve(const LinearComplementarityProblem& problem) {
  const LcpResult result = solve_lcp(problem, standard_backends());
  return {result.solved(), std::string(to_string(result.status)), result.z, result.w};
}

class PublicProblem : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> files(const char* folder) {
  std::vector<std::string> names;
  const fs::path path = fs::path(NSN_DATA_DIR) / folder;
  if (fs::exists(path)) {
    for (const auto& file : fs::directory_iterator(path)) {
      names.push_back((fs::path(folder) / file.path().filename()).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> all_files() {
  std::vector<std::string> names = files("friction");
  const std::vector<std::string> lcps = files("lcp");
  names.insert(names.end(), lcps.begin(), lcps.end());
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

TEST_P(PublicProblem, IsSolvedToTheToleranceByAnotherJudge) {
  const fs::path path = fs::path(NSN_DATA_DIR) / GetParam();
  if (!test::readable_here(path)) GTEST_SKIP() << "built without HDF5";
  const FrictionFile file = read_friction_file(path);

  const Answer answer =
      std::visit([](const auto& problem) { return solve(problem); }, file.problem);
  const test::Verdict verdict =
      std::visit([&](const auto& problem) { return test::judge(problem, answer.r); }, file.problem);

  EXPECT_TRUE(answer.solved) << answer.status;
  EXPECT_LE(verdict.siconos, kSiconosTolerance);
  EXPECT_LE(verdict.unit_free, kUnitFreeTolerance);
}

TEST_P(PublicProblem, HasTheVelocityOfTheReference) {
  const fs::path path = fs::path(NSN_DATA_DIR) / GetParam();
  const std::string name = path.filename().string() + ".ref.txt";
  const auto reference = test::read_reference(fs::path(NSN_DATA_DIR) / "friction_ref" / name);
  if (!reference) GTEST_SKIP() << "no reference";
  if (path.filename() == kTwoSolutions) GTEST_SKIP() << "more than one solution";
  if (!test::readable_here(path)) GTEST_SKIP() << "built without HDF5";
  const FrictionFile file = read_friction_file(path);

  const Answer answer =
      std::visit([](const auto& problem) { return solve(problem); }, file.problem);

  ASSERT_EQ(answer.u.extent(0), reference->u.size());
  // u = q without contact forces: bodies that come to rest have u near zero, which scales nothing.
  const Vector nothing("r", answer.r.extent(0));
  const double free = largest(std::visit(
      [&](const auto& problem) { return test::judge(problem, nothing).u; }, file.problem));
  const double scale = std::max(largest(reference->u), free);
  for (std::size_t i = 0; i < reference->u.size(); ++i) {
    // Ten times what the unit-free error of 1e-6 allows, for what W's small eigenvalues hide.
    EXPECT_NEAR(answer.u(i), reference->u[i], 1e-5 * scale) << "component " << i;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicProblem);
INSTANTIATE_TEST_SUITE_P(Files, PublicProblem, ::testing::ValuesIn(all_files()), test_name);

TEST(PublicProblems, FolderIsThere) {
  NSN_NEED_PUBLIC_DATA("friction");
  NSN_NEED_PUBLIC_DATA("lcp");
  EXPECT_GT(all_files().size(), 2u);
}

}  // namespace
}  // namespace nsn
