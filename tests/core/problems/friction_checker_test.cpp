#include "tests/support/friction_checker.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/io/friction_file.h"
#include "tests/support/friction_reference.h"
#include "tests/support/friction_samples.h"
#include "tests/support/public_data.h"

namespace nsn {
namespace {

using test::judge;
using test::to_vector;
using test::Verdict;

// One particle of 2 kg pressed on a plane: W = 1/2, q = (-1, -6, 0), mu = 0.5. It slides:
// r_N = 2, |r_T| = 1, u = (0, -5.5, 0).
FrictionProblem sliding() {
  return {3, csr_from_triplets(3, 3, std::vector<Triplet>{{0, 0, 0.5}, {1, 1, 0.5}, {2, 2, 0.5}}),
          to_vector({-1.0, -6.0, 0.0}), to_vector({0.5})};
}

TEST(FrictionChecker, VanishesAtTheSolution) {
  const Verdict verdict = judge(sliding(), to_vector({2.0, 1.0, 0.0}));

  EXPECT_EQ(verdict.siconos, 0.0);
  EXPECT_EQ(verdict.unit_free, 0.0);
  EXPECT_EQ(verdict.u[1], -5.5);
}

TEST(FrictionChecker, MeasuresAKnownError) {
  // r = 0: u = q, u^ = (2, -6, 0), z = -u^ = (-2, 6, 0): n = (-2 + 3) / 1.25 = 0.8, t = 0.4.
  // |r - z'| = sqrt(0.8^2 + 0.4^2), scale |q| = sqrt(37). With rho = 2 the same, as K is a cone.
  const Verdict verdict = judge(sliding(), to_vector({0.0, 0.0, 0.0}));

  const double expected = std::sqrt(0.8) / std::sqrt(37.0);
  EXPECT_NEAR(verdict.siconos, expected, 1e-15);  // double rounding of the result
  EXPECT_NEAR(verdict.unit_free, expected, 1e-15);
  EXPECT_EQ(verdict.min_normal_velocity, -1.0);
}

TEST(FrictionChecker, SeesAConeViolation) {
  EXPECT_EQ(judge(sliding(), to_vector({2.0, 4.0, 0.0})).max_cone_violation, 3.0);
  EXPECT_EQ(judge(sliding(), to_vector({-2.0, 0.0, 0.0})).max_cone_violation, 2.0);
}

TEST(FrictionChecker, AFrictionlessContactThatOpensIsSolved) {
  FrictionProblem opening = sliding();
  opening.q = to_vector({1.0, 0.0, 0.0});
  opening.mu = to_vector({0.0});

  EXPECT_EQ(judge(opening, to_vector({0.0, 0.0, 0.0})).siconos, 0.0);
  EXPECT_EQ(
      judge(LinearComplementarityProblem{opening.W, opening.q}, to_vector({0.0, 0.0, 0.0})).siconos,
      0.0);
}

TEST(FrictionChecker, GlobalAndCondensedFormAgree) {
  // One particle of 2 kg: M = 2 I, H = I, f = 2 q.
  const auto identity = [](double x) {
    return csr_from_triplets(3, 3, std::vector<Triplet>{{0, 0, x}, {1, 1, x}, {2, 2, x}});
  };
  const GlobalFrictionProblem global{3,
                                     identity(2.0),
                                     identity(1.0),
                                     to_vector({-2.0, -12.0, 0.0}),
                                     to_vector({0.0, 0.0, 0.0}),
                                     to_vector({0.5})};

  for (const auto& r : {std::vector<double>{2, 1, 0}, {0, 0, 0}, {1, 3, -1}}) {
    const Verdict a = judge(sliding(), to_vector(r));
    const Verdict b = judge(global, to_vector(r));
    EXPECT_NEAR(a.siconos, b.siconos, 1e-16);
    EXPECT_NEAR(a.unit_free, b.unit_free, 1e-16);
  }
}

TEST(FrictionChecker, AgreesWithTheReferenceSolutionsOfPublicProblems) {
  const auto folder = std::filesystem::path(NSN_DATA_DIR);
  NSN_NEED_PUBLIC_DATA("friction_ref");
  for (const auto& file : std::filesystem::directory_iterator(folder / "friction")) {
    const std::string name = file.path().filename().string();
    const auto reference = test::read_reference(folder / "friction_ref" / (name + ".ref.txt"));
    if (!reference || !test::readable_here(file.path())) continue;
    const FrictionFile content = read_friction_file(file.path());

    const Verdict verdict =
        std::visit([&](const auto& problem) { return judge(problem, to_vector(reference->r)); },
                   content.problem);

    // The references state a natural-map error below 1e-9 and print 16 digits.
    EXPECT_LT(verdict.siconos, 1.1e-9) << name;
    ASSERT_EQ(verdict.u.size(), reference->u.size()) << name;
    for (std::size_t i = 0; i < verdict.u.size(); ++i) {
      // Rounding of W r in double, where |r| is up to 1e3 times |u|.
      EXPECT_NEAR(verdict.u[i], reference->u[i], 1e-9 * (1.0 + std::abs(verdict.u[i]))) << name;
    }
  }
}

}  // namespace
}  // namespace nsn
