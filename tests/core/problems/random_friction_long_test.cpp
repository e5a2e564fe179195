// The 2000 random problems of models/problems/random_friction_problem.h: shares solved, failing seeds,
// honesty.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/friction_checker.h"

namespace nsn {
namespace {

constexpr std::uint64_t kProblems = 2000;
constexpr int kWorkers = 2;  // threads, each with problems of its own
// Factorisations per problem: hard ones take thousands of them over many starts. Above
// kManyContacts, where one is expensive, they get fewer. Counts, not the clock: every machine
// solves the same.
constexpr Index kManyContacts = 160;
constexpr int kFactorizations = 40000;
constexpr int kFactorizationsOfMany = 8000;

struct Share {
  int solved = 0;
  int total = 0;
  double value() const { return total > 0 ? static_cast<double>(solved) / total : 1.0; }
};

/// The judge, in long double, finds at most ten times the errors that were reported.
bool confirmed(const FrictionProblem& problem, const FrictionResult& result) {
  // W r in double: 900 products that cancel to 1e-3 of their size, where W has null vectors; a
  // thousandth of the tolerance.
  constexpr double kRounding = 1e-11;
  const test::Verdict verdict = test::judge(problem, result.r);
  return verdict.siconos <= 10.0 * result.error.siconos + kRounding &&
         verdict.unit_free <= 10.0 * result.error.unit_free + kRounding;
}

struct Tally {
  Share moderate;  // mu <= 1
  Share large;
  int dishonest = 0;
  double seconds = 0.0;
  std::mutex mutex;

  void add(std::uint64_t seed, const RandomFrictionProblem& random, const FrictionResult& result,
           bool honest) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!honest) ++dishonest;
    Share& share = random.mu <= 1.0 ? moderate : large;
    ++share.total;
    if (result.solved()) ++share.solved;
    seconds += result.seconds;
    if (result.solved()) return;
    fmt::print("seed {}: {} contacts, mu {:.2f}, rank {:.2f}, masses {:.0e}, {}: {:.1e} {:.1e}\n",
               seed, random.problem.contacts(), random.mu, random.rank, random.masses,
               to_string(result.status), result.error.siconos, result.error.unit_free);
    std::fflush(stdout);
  }
};

/// Solves one problem after the other until none is left.
void work(std::atomic<std::uint64_t>& next, Tally& tally) {
  FrictionSolverOptions options;
  options.max_factorizations = kFactorizations;
  const FrictionSolver solver(options, standard_backends());
  options.max_factorizations = kFactorizationsOfMany;
  const FrictionSolver solver_of_many(options, standard_backends());
  for (std::uint64_t seed = next++; seed < kProblems; seed = next++) {
    const RandomFrictionProblem random = random_friction_problem(seed);
    const bool many = random.problem.contacts() > kManyContacts;
    const FrictionResult result = (many ? solver_of_many : solver).solve(random.problem);
    const bool honest = !result.solved() || confirmed(random.problem, result);
    tally.add(seed, random, result, honest);
  }
}

TEST(RandomFriction, TwoThousandProblems) {
  Tally tally;
  std::atomic<std::uint64_t> next = 0;
  {
    std::vector<std::jthread> workers;
    for (int k = 0; k < kWorkers; ++k) workers.emplace_back([&] { work(next, tally); });
  }
  fmt::print("mu <= 1: {} of {} solved\nmu > 1: {} of {} solved\n{:.0f} s in all\n",
             tally.moderate.solved, tally.moderate.total, tally.large.solved, tally.large.total,
             tally.seconds);
  fmt::print("{} answers whose error is larger than reported\n", tally.dishonest);
  EXPECT_EQ(tally.moderate.total + tally.large.total, static_cast<int>(kProblems));
  EXPECT_GE(tally.moderate.value(), 0.995);
  EXPECT_GE(tally.large.value(), 0.97);
  EXPECT_EQ(tally.dishonest, 0);
}

}  // namespace
}  // namespace nsn
