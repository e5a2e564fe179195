// The 2000 random problems of models/random_friction_problem.h: shares solved, failing seeds,
// honesty.
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "backends/standard_backends.h"
#include "core/friction_solver.h"
#include "models/random_friction_problem.h"

namespace nsn {
namespace {

constexpr std::uint64_t kProblems = 2000;
constexpr double kSecondsEach = 30.0;

struct Share {
  int solved = 0;
  int total = 0;
  double value() const { return total > 0 ? static_cast<double>(solved) / total : 1.0; }
};

TEST(RandomFriction, TwoThousandProblems) {
  FrictionSolverOptions options;
  options.time_limit = kSecondsEach;
  const FrictionSolver solver(options, standard_backends());
  Share moderate;  // mu <= 1
  Share large;
  int dishonest = 0;
  double seconds = 0.0;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const RandomFrictionProblem random = random_friction_problem(seed);

    const FrictionResult result = solver.solve(random.problem);

    Vector u("u", result.r.extent(0));
    const FrictionError again = friction_error(random.problem, result.r, u);
    const bool honest = again.siconos <= 10.0 * result.error.siconos + 1e-15 &&
                        again.unit_free <= 10.0 * result.error.unit_free + 1e-15;
    if (result.solved() && !honest) ++dishonest;
    Share& share = random.mu <= 1.0 ? moderate : large;
    ++share.total;
    if (result.solved()) ++share.solved;
    seconds += result.seconds;
    if (!result.solved()) {
      fmt::print("seed {}: {} contacts, mu {:.2f}, rank {:.2f}, masses {:.0e}, {}: {:.1e} {:.1e}\n",
                 seed, random.problem.contacts(), random.mu, random.rank, random.masses,
                 to_string(result.status), result.error.siconos, result.error.unit_free);
    }
  }
  fmt::print("mu <= 1: {} of {} solved\nmu  > 1: {} of {} solved\n{:.0f} s in all\n",
             moderate.solved, moderate.total, large.solved, large.total, seconds);
  EXPECT_GE(moderate.value(), 0.995);
  EXPECT_GE(large.value(), 0.97);
  EXPECT_EQ(dishonest, 0);
}

}  // namespace
}  // namespace nsn
