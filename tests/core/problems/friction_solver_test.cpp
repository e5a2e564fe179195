#include "nsn/core/problems/friction_solver.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/problems/lcp.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/contact_problems.h"
#include "tests/support/public_data.h"

namespace nsn {
namespace {

FrictionSolver solver_for(std::string_view method, double tolerance = 1e-8) {
  FrictionSolverOptions options;
  options.method = friction_method_from_name(method);
  options.tolerance = tolerance;
  return {options, standard_backends()};
}

/// Full rank, mu = 0.3, a mixture of states: easy for every method.
FrictionProblem easy_problem() {
  FrictionProblem problem;
  const BlockCsr W = test::random_delassus(6, 40, 0.0, 3);
  problem.W = to_scalar(W);
  problem.q = test::random_vector(18, 4);
  problem.mu = test::vector_of(std::vector<double>(6, 0.3));
  return problem;
}

/// Largest |r - Pi(r - u - mu |u_T| e_N)| with u = W r + q written out again.
double independent_error(const FrictionProblem& p, ConstVector r) {
  double worst = 0.0;
  for (Index i = 0; i < p.contacts(); ++i) {
    double u[3] = {};
    double x[3] = {};
    for (Index k = 0; k < p.dimension; ++k) {
      const Index row = p.dimension * i + k;
      u[k] = p.q(row);
      x[k] = r(row);
      for (Index e = p.W.row_begin(row); e < p.W.row_begin(row + 1); ++e) {
        u[k] += p.W.value(e) * r(p.W.column(e));
      }
    }
    const double slip = std::hypot(u[1], u[2]);
    const double z[3] = {x[0] - u[0] - p.mu(i) * slip, x[1] - u[1], x[2] - u[2]};
    const double t = std::hypot(z[1], z[2]);
    double projected[3] = {0.0, 0.0, 0.0};
    if (t <= p.mu(i) * z[0]) {
      std::copy_n(z, 3, projected);
    } else if (p.mu(i) * t > -z[0]) {
      projected[0] = (z[0] + p.mu(i) * t) / (1.0 + p.mu(i) * p.mu(i));
      for (int k = 1; k < 3; ++k) projected[k] = p.mu(i) * projected[0] * z[k] / t;
    }
    for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(x[k] - projected[k]));
  }
  return worst;
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, SolvesAnEasyProblem) {
  const FrictionProblem problem = easy_problem();

  const FrictionResult result = solver_for(GetParam()).solve(problem);

  EXPECT_TRUE(result.solved()) << to_string(result.status);
  ASSERT_FALSE(result.stages.empty());
  // The error is at most 1e-8 of max(|q|, |r|, |u|), which is below 1e2.
  EXPECT_LE(independent_error(problem, result.r), 1e-6);
}

/// All but those that do not aim at a solution of Coulomb's problem.
std::vector<std::string> solving_methods() {
  std::vector<std::string> names = friction_method_names();
  std::erase(names, "associated");
  std::erase(names, "certificate");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Names, EveryMethod, ::testing::ValuesIn(solving_methods()),
                         [](const auto& run) {
                           std::string name = run.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FrictionSolver, RefusesAnUnknownMethodWithASuggestion) {
  try {
    static_cast<void>(friction_method_from_name("proximal-newtn"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'proximal-newton'"), std::string::npos)
        << error.what();
  }
}

TEST(FrictionSolver, ZeroContactsHaveAnEmptySolution) {
  FrictionProblem problem;
  problem.W = csr_from_triplets(0, 0, {});
  problem.q = Vector("q", 0);
  problem.mu = Vector("mu", 0);

  for (const std::string& name : friction_method_names()) {
    const FrictionResult result = solver_for(name).solve(problem);
    EXPECT_TRUE(result.solved()) << name;
    EXPECT_EQ(result.r.extent(0), 0U) << name;
  }
}

TEST(FrictionSolver, NamesBadInput) {
  FrictionProblem problem = easy_problem();
  problem.q(3) = std::nan("");
  EXPECT_THROW(static_cast<void>(solver_for("auto").solve(problem)), std::invalid_argument);
  problem = easy_problem();
  problem.mu(2) = -0.1;
  EXPECT_THROW(static_cast<void>(solver_for("auto").solve(problem)), std::invalid_argument);
  problem = easy_problem();
  problem.q = Vector("q", 17);
  EXPECT_THROW(static_cast<void>(solver_for("auto").solve(problem)), std::invalid_argument);
}

TEST(FrictionSolver, StartsElsewhereTheSameWayAtEveryRun) {
  // Two contacts, mu = 2: proximal Newton from r = 0 does not converge.
  const FrictionProblem problem = random_friction_problem(500006, {.max_contacts = 60}).problem;
  FrictionSolverOptions options;
  options.attempt = 4;  // factorisations; random starts get 1 1 2 1 1 2 4 ...
  options.max_factorizations = 40;

  const FrictionResult first = FrictionSolver(options, standard_backends()).solve(problem);
  const FrictionResult again = FrictionSolver(options, standard_backends()).solve(problem);

  ASSERT_GE(first.stages.size(), 5U) << to_string(first.status);
  EXPECT_EQ(first.stages[0].factorizations, 4);
  std::vector<std::string> reasons;
  for (const FrictionStage& stage : first.stages)
    reasons.push_back(stage.name + ": " + stage.reason);
  const auto has = [&](const std::string& words) {
    return std::any_of(reasons.begin(), reasons.end(), [&](const std::string& one) {
      return one.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("certificate: "));
  EXPECT_TRUE(has("shift-map: not converged: the convex problem"));
  EXPECT_TRUE(has("random start 1"));
  ASSERT_EQ(first.stages.size(), again.stages.size());
  for (std::size_t k = 0; k < first.r.extent(0); ++k) EXPECT_EQ(first.r(k), again.r(k));
}

TEST(FrictionSolver, CancelIsAskedInEveryMethodAndMayThrow) {
  struct Stop {};
  for (const std::string& name : friction_method_names()) {
    FrictionSolverOptions options;
    options.method = friction_method_from_name(name);
    options.tolerance = 1e-300;  // is not reached
    int asked = 0;
    options.cancel = [&] { return ++asked > 1; };
    const FrictionResult result =
        FrictionSolver(options, standard_backends()).solve(easy_problem());
    EXPECT_EQ(result.status, FrictionStatus::kCancelled) << name;
    EXPECT_LE(result.newton_iterations + result.sweeps, 2) << name;
    options.cancel = []() -> bool { throw Stop{}; };
    EXPECT_THROW(
        static_cast<void>(FrictionSolver(options, standard_backends()).solve(easy_problem())), Stop)
        << name;
  }
}

TEST(FrictionSolver, BlocksAreSolvedAsScalarsAre) {
  const FrictionProblem scalars = easy_problem();
  const BlockFrictionProblem blocks{to_blocks(scalars.W), scalars.q, scalars.mu};
  const FrictionResult a = solver_for("auto").solve(scalars);
  const FrictionResult b = solver_for("auto").solve(blocks);
  ASSERT_TRUE(b.solved());
  for (Index i = 0; i < size_of(a.r); ++i) EXPECT_EQ(a.r(i), b.r(i)) << i;
  BlockFrictionProblem wrong = blocks;
  wrong.mu = test::vector_of({0.3});
  EXPECT_THROW(static_cast<void>(solver_for("auto").solve(wrong)), std::invalid_argument);
}

TEST(FrictionSolver, BlocksWithoutMirrorImages) {
  const std::vector<Triplet> entries{{0, 0, 1}, {1, 1, 1}, {2, 2, 1},  {3, 3, 2},
                                     {4, 4, 2}, {5, 5, 2}, {0, 3, 0.1}};
  FrictionProblem problem;
  problem.W = csr_from_triplets(6, 6, entries);
  problem.q = test::vector_of({-1.0, 0.3, 0.0, -1.0, 0.0, 0.2});
  problem.mu = test::vector_of({0.5, 0.5});
  const FrictionResult result =
      solver_for("auto").solve(BlockFrictionProblem{to_blocks(problem.W), problem.q, problem.mu});
  EXPECT_TRUE(result.solved());
  EXPECT_LT(independent_error(problem, result.r), 1e-6);
}

TEST(FrictionSolver, RefusesConstantsOutOfRange) {
  FrictionSolverOptions options;
  options.attempt = 0;
  EXPECT_THROW(FrictionSolver(options, standard_backends()), std::invalid_argument);
  options = {};
  options.sweeps_worth = -1.0;
  EXPECT_THROW(FrictionSolver(options, standard_backends()), std::invalid_argument);
}

TEST(FrictionSolver, SolvesAnUnsymmetricDelassusAsGiven) {
  FrictionProblem problem = easy_problem();
  problem.W = to_scalar(test::random_delassus(6, 40, 0.05, 3));

  const FrictionResult result = solver_for("auto").solve(problem);

  EXPECT_TRUE(result.solved());
  EXPECT_GT(result.asymmetry, 1e-3);
  EXPECT_LE(independent_error(problem, result.r), 1e-6);
}

TEST(FrictionSolver, SaysSoWhereThereIsNoSolution) {
  // W = 0 and q_N < 0: nothing can stop the approach.
  FrictionProblem problem;
  problem.W = csr_from_triplets(3, 3, {});
  problem.q = test::vector_of({-1.0, 0.0, 0.0});
  problem.mu = test::vector_of({0.5});

  const FrictionResult result = solver_for("auto").solve(problem);

  EXPECT_FALSE(result.solved());
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isfinite(result.r(k)));
}

TEST(FrictionSolver, ForeignSolutionNeedsNoIteration) {
  const FrictionProblem problem = easy_problem();
  const FrictionSolver solver = solver_for("proximal-newton");
  const FrictionResult first = solver.solve(problem);

  const FrictionResult again = solver.solve(problem, first.r);

  EXPECT_TRUE(again.solved());
  EXPECT_EQ(again.factorizations, 0);
}

/// Two bodies of three degrees of freedom, two contacts: M block diagonal or coupled.
GlobalFrictionProblem small_global(double coupling) {
  GlobalFrictionProblem g;
  std::vector<Triplet> M;
  for (Index i = 0; i < 18; ++i) {
    M.push_back({i, i, 2.0 + 0.1 * i});
    if (i > 0 && coupling != 0.0) {
      M.push_back({i, i - 1, coupling});
      M.push_back({i - 1, i, coupling});
    }
  }
  g.M = csr_from_triplets(18, 18, M);
  std::vector<Triplet> H;
  const Vector numbers = test::random_vector(18 * 6, 12);
  for (Index i = 0; i < 18; ++i) {
    for (Index j = 0; j < 6; ++j) H.push_back({i, j, numbers(6 * i + j)});
  }
  g.H = csr_from_triplets(18, 6, H);
  g.f = test::random_vector(18, 13);
  g.w = test::random_vector(6, 14);
  g.mu = test::vector_of({0.4, 0.7});
  return g;
}

class GlobalProblem : public ::testing::TestWithParam<double> {};

TEST_P(GlobalProblem, AgreesWithTheMomentumBalance) {
  const GlobalFrictionProblem g = small_global(GetParam());

  const FrictionResult result = solver_for("auto").solve(g);

  EXPECT_TRUE(result.solved());
  Vector Mv("Mv", 18);
  Vector Hr("Hr", 18);
  multiply(g.M, result.v, Mv);
  multiply(g.H, result.r, Hr);
  // Rounding of numbers of size 10 through a matrix of condition 3.
  for (Index i = 0; i < 18; ++i) EXPECT_NEAR(Mv(i), Hr(i) + g.f(i), 1e-12);
  EXPECT_LE(result.error.dynamics, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Couplings, GlobalProblem, ::testing::Values(0.0, 0.3));

TEST(RandomProblems, AreSolvedAndReportedTruthfully) {
  // The first 60 of the 2000 of `check`, small ones; figures for all are printed there.
  const FrictionSolver solver = solver_for("auto");
  int unsolved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomFrictionProblem random = random_friction_problem(seed, {.max_contacts = 40});

    const FrictionResult result = solver.solve(random.problem);

    Vector u("u", result.r.extent(0));
    const FrictionError again = friction_error(random.problem, result.r, u);
    EXPECT_LE(again.siconos, 10.0 * result.error.siconos);
    EXPECT_LE(again.unit_free, 10.0 * result.error.unit_free);
    if (!result.solved()) ++unsolved;
  }
  EXPECT_LE(unsolved, 1);  // mu goes to 2: one or two in a hundred stay hard
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  const std::filesystem::path path = std::filesystem::path(NSN_DATA_DIR) / folder;
  if (!std::filesystem::is_directory(path)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(PublicProblems, EveryFrictionFileIsSolved) {
  NSN_NEED_PUBLIC_DATA("friction");
  const auto files = files_in("friction");
  EXPECT_FALSE(files.empty());
  const FrictionSolver solver = solver_for("auto");
  for (const std::string& path : files) {
#if !defined(NSN_WITH_HDF5)
    if (path.ends_with(".hdf5")) continue;
#endif
    const FrictionFile file = read_friction_file(path);
    const FrictionResult result = std::holds_alternative<FrictionProblem>(file.problem)
                                      ? solver.solve(std::get<FrictionProblem>(file.problem))
                                      : solver.solve(std::get<GlobalFrictionProblem>(file.problem));
    EXPECT_TRUE(result.solved()) << path << ": " << to_string(result.status);
    EXPECT_LE(result.error.siconos, 1e-8) << path;
    EXPECT_LE(result.error.unit_free, 1e-6) << path;
  }
}

TEST(PublicProblems, EveryLcpIsSolved) {
  NSN_NEED_PUBLIC_DATA("lcp");
  const auto files = files_in("lcp");
  EXPECT_FALSE(files.empty());
  const SolverRegistry registry = standard_backends();
  for (const std::string& path : files) {
    const FrictionFile file = read_friction_file(path);
    const LcpResult result =
        solve_lcp(std::get<LinearComplementarityProblem>(file.problem), registry);
    EXPECT_TRUE(result.solved()) << path << ": " << to_string(result.status);
  }
}

}  // namespace
}  // namespace nsn
