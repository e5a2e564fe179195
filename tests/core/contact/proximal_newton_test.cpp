#include "nsn/core/contact/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/contact/dual_system.h"
#include "tests/support/contact_problems.h"

namespace nsn {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kUnbounded[3] = {kInf, kInf, kInf};
constexpr double kUnboundedBelow[3] = {-kInf, -kInf, -kInf};

/// A problem with everything that solves it.
struct Fixture {
  Fixture(const BlockCsr& W, const std::vector<RowLaw>& laws, Vector q_given, bool symmetric = true,
          const ProximalOptions& options = {}, const char* linear = "contact-lu")
      : system(standard_backends().make(linear)), q(q_given) {
    system.analyze(W);
    system.set_values(W, symmetric);
    newton = std::make_unique<ProximalNewton>(system, laws, options);
    newton->update(q);
  }
  ProximalReport solve(double alpha = 1e-2) {
    newton->start(Vector("r", q.extent(0)), alpha);
    return newton->run();
  }
  Vector answer() const {
    Vector r("r", q.extent(0));
    newton->best_reactions(r);
    return r;
  }
  DualSystem system;
  Vector q;
  std::unique_ptr<ProximalNewton> newton;
};

std::vector<RowLaw> contacts(const std::vector<double>& mu, bool planar = false) {
  return contact_laws(mu, planar);
}

BlockCsr one_block(const Block& block) {
  const BlockTriplet triplet{0, 0, block};
  return block_csr_from_triplets(1, 1, {&triplet, 1});
}

/// Largest natural-map error of (r, W r + q), written out again with rho = 1.
double independent_error(const BlockCsr& W, const std::vector<RowLaw>& laws, ConstVector q,
                         ConstVector r) {
  Vector u("u", q.extent(0));
  multiply(W, r, u);
  double worst = 0.0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    double v[3];
    for (std::size_t k = 0; k < 3; ++k) v[k] = u(3 * i + k) + q(3 * i + k);
    double map[3];
    if (laws[i].is_contact()) {
      ncp::natural_map(&r(3 * i), v, laws[i].mu, 1.0, map);
    } else {
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = r(3 * i + k);
        map[k] = x - std::clamp(x - v[k], laws[i].lo[k], laws[i].hi[k]);
      }
    }
    for (const double value : map) worst = std::max(worst, std::abs(value));
  }
  return worst;
}

// One contact, W = I, mu = 0.5. Impulses follow from r = -q where it lies in the cone.
TEST(SingleContact, OpensWhenSeparating) {
  Fixture f(one_block({1, 0, 0, 0, 1, 0, 0, 0, 1}), contacts({0.5}),
            test::vector_of({1.0, 0.3, 0.0}));

  EXPECT_TRUE(f.solve().solved);

  for (int k = 0; k < 3; ++k) EXPECT_EQ(f.answer()(k), 0.0);
}

TEST(SingleContact, SticksInsideTheCone) {
  Fixture f(one_block({1, 0, 0, 0, 1, 0, 0, 0, 1}), contacts({0.5}),
            test::vector_of({-1.0, 0.3, -0.2}));

  EXPECT_TRUE(f.solve().solved);

  // The stopping goal is 5e-9 relative to |q| = 1.06.
  EXPECT_NEAR(f.answer()(0), 1.0, 1e-8);
  EXPECT_NEAR(f.answer()(1), -0.3, 1e-8);
  EXPECT_NEAR(f.answer()(2), 0.2, 1e-8);
}

TEST(SingleContact, SlipsAgainstTheVelocity) {
  // |q_T| = 1 > mu r_N = 0.5: r_T = -0.5 q_T / |q_T|.
  Fixture f(one_block({1, 0, 0, 0, 1, 0, 0, 0, 1}), contacts({0.5}),
            test::vector_of({-1.0, 0.6, -0.8}));

  EXPECT_TRUE(f.solve().solved);

  EXPECT_NEAR(f.answer()(0), 1.0, 1e-8);
  EXPECT_NEAR(f.answer()(1), -0.3, 1e-8);
  EXPECT_NEAR(f.answer()(2), 0.4, 1e-8);
}

TEST(SingleContact, FrictionlessCarriesNoTangentialImpulse) {
  Fixture f(one_block({2, 0.3, 0, 0.3, 1, 0, 0, 0, 1}), contacts({0.0}),
            test::vector_of({-1.0, 0.0, 0.0}));

  EXPECT_TRUE(f.solve().solved);

  EXPECT_NEAR(f.answer()(0), 0.5, 1e-8);
  EXPECT_EQ(f.answer()(1), 0.0);
  EXPECT_EQ(f.answer()(2), 0.0);
}

TEST(ProximalNewton, ZeroContactsAreSolvedAtOnce) {
  Fixture f(block_csr_from_triplets(0, 0, {}), std::vector<RowLaw>{}, Vector("q", 0));

  const ProximalReport report = f.solve();

  EXPECT_TRUE(report.solved);
  EXPECT_EQ(report.factorizations, 0);
}

TEST(ProximalNewton, ZeroVelocityNeedsNoImpulse) {
  Fixture f(test::random_delassus(4, 6, 0.0, 1), contacts({0.5, 0.5, 0.5, 0.5}), Vector("q", 12));

  EXPECT_TRUE(f.solve().solved);

  EXPECT_EQ(f.newton->best_error().siconos, 0.0);
}

/// phi at x around the centre r, contacts only, scaled as the solver scales.
std::vector<double> natural_residual(const Fixture& f, const std::vector<double>& A,
                                     const std::vector<double>& r, const std::vector<double>& x,
                                     ncp::NormalMap map) {
  const std::span<const RowLaw> laws = f.newton->laws();
  const std::size_t n = x.size();
  Vector xv = test::vector_of(x);
  Vector v("v", n);
  f.system.apply(xv, v);
  std::vector<double> phi(n);
  for (std::size_t i = 0; i < n / 3; ++i) {
    double u[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t e = 3 * i + k;
      u[k] = v(e) + f.newton->scaled_q()(e) + A[e] * (x[e] - r[e]);
    }
    const double* const xi = &x[3 * i];
    if (!laws[i].is_contact()) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double s = f.newton->scaling()(3 * i + k);
        phi[3 * i + k] = xi[k] - std::clamp(xi[k] - u[k], laws[i].lo[k] / s, laws[i].hi[k] / s);
      }
      continue;
    }
    const double X[3] = {xi[0] - u[0], xi[1] - u[1], xi[2] - u[2]};
    const double normal =
        map == ncp::NormalMap::kMinimum ? std::max(X[0], 0.0) : std::max(xi[0], 0.0);
    const double F = laws[i].mu * normal;
    const double T = std::hypot(X[1], X[2]);
    const double ratio = T > F ? F / T : 1.0;
    phi[3 * i] = map == ncp::NormalMap::kMinimum ? xi[0] - std::max(X[0], 0.0)
                                                 : xi[0] + u[0] - std::hypot(xi[0], u[0]);
    phi[3 * i + 1] = xi[1] - ratio * X[1];
    phi[3 * i + 2] = xi[2] - ratio * X[2];
  }
  return phi;
}

class NewtonDirection : public ::testing::TestWithParam<ncp::NormalMap> {};

// Newton's direction d satisfies phi'(x) d = -phi. The derivative is a central difference with
// t = 1e-6: truncation 1e-12, rounding 1e-16 / 1e-6 = 1e-10, both times the size of phi's terms
// (10). A random point is far (>> t) from the kinks between open, stick and slip.
TEST_P(NewtonDirection, MatchesFiniteDifferences) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const Index blocks = 12;
    std::vector<RowLaw> laws;
    for (int i = 0; i < 10; ++i) laws.push_back(RowLaw::contact(0.1 + 0.1 * i));
    laws.push_back(RowLaw::box({-0.3, 0.0, -kInf}, {0.3, kInf, kInf}));
    laws.push_back(RowLaw::box({-1.0, -1.0, -kInf}, {-0.5, 2.0, kInf}));
    ProximalOptions options;
    options.normal_map = GetParam();
    Fixture f(test::random_delassus(blocks, 40, 1e-2, seed), laws,
              test::random_vector(3 * blocks, seed + 100), false, options);
    // Around the centre 0 every contact has the same load: its weights are alpha (1, 1/m^2, 1/m^2) with
    // m = min(mu, friction_ceiling).
    const double alpha = 1e-2;
    const std::size_t n = 3 * laws.size();
    f.newton->start(Vector("r", n), alpha);
    f.newton->begin();
    const Vector x_start = test::random_vector(3 * blocks, seed + 300);
    f.newton->set_scaled_iterate(x_start);
    f.newton->measure();
    ASSERT_TRUE(f.newton->newton_step().ok);
    Vector x_end("x", n);
    f.newton->scaled_iterate(x_end);

    std::vector<double> x(n), d(n), r(n, 0.0), A(n, options.box_weight), ahead(n), behind(n);
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = x_start(k);
      d[k] = x_end(k) - x[k];
      const double m = std::min(laws[k / 3].mu, options.friction_ceiling);
      if (laws[k / 3].is_contact()) A[k] = k % 3 == 0 ? alpha : alpha / (m * m);
    }
    const double t = 1e-6;
    for (std::size_t k = 0; k < n; ++k) {
      ahead[k] = x[k] + t * d[k];
      behind[k] = x[k] - t * d[k];
    }
    const auto phi = natural_residual(f, A, r, x, GetParam());
    const auto plus = natural_residual(f, A, r, ahead, GetParam());
    const auto minus = natural_residual(f, A, r, behind, GetParam());
    double size = 0.0;
    for (const double value : d) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < n; ++k) {
      const double derivative = (plus[k] - minus[k]) / (2.0 * t);
      EXPECT_NEAR(derivative, -phi[k], 1e-7 * std::max(1.0, size))
          << "seed " << seed << " row " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, NewtonDirection,
                         ::testing::Values(ncp::NormalMap::kMinimum,
                                           ncp::NormalMap::kFischerBurmeister));

class EveryPath : public ::testing::TestWithParam<const char*> {};

// A direct unsymmetric backend, a symmetric one inside GMRES and a Krylov one take the same steps.
TEST_P(EveryPath, SolvesSlidingAndRedundantContacts) {
  const SolverRegistry registry = standard_backends();
  if (!registry.info(GetParam()).available()) GTEST_SKIP() << GetParam() << " is not built";
  const Index blocks = 20;
  const BlockCsr W = test::random_delassus(blocks, 18, 0.0, 7);
  const std::vector<RowLaw> laws = contacts(std::vector<double>(20, 0.4));
  // q in the range of W plus separation: solvable.
  Vector q("q", 60);
  multiply(W, test::random_vector(60, 9), q);
  for (Index i = 0; i < blocks; ++i) q(3 * i) += 0.5;
  Fixture f(W, laws, q, true, {}, GetParam());

  const ProximalReport report = f.solve();

  EXPECT_TRUE(report.solved);
  // e1 <= 5e-9 relative to |q|, |r| or |u|, all below 1e3 here.
  EXPECT_LE(independent_error(W, laws, q, f.answer()), 5e-6);
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryPath,
                         ::testing::Values("contact-lu", "klu", "cholmod", "gmres"));

TEST(BoxRows, OneSidedRowsAgreeWithEnumeration) {
  // 0 <= x, u = W x + q >= 0, complementary: an LCP of three unknowns, all 8 patterns tried.
  const BlockCsr W = test::random_delassus(1, 3, 0.0, 5);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Vector q = test::random_vector(3, seed);
    std::vector<RowLaw> laws;
    laws.push_back(RowLaw::box({0.0, 0.0, 0.0}, kUnbounded));
    Fixture f(W, laws, q);

    EXPECT_TRUE(f.solve().solved);

    const Vector x = f.answer();
    int matches = 0;
    for (unsigned pattern = 0; pattern < 8; ++pattern) {
      // A small dense solve on the rows that are free in this pattern.
      double a[3][4];
      for (int r = 0; r < 3; ++r) {
        const bool free = (pattern >> r & 1U) != 0;
        for (int c = 0; c < 3; ++c) a[r][c] = free ? W.value(3 * r + c) : (r == c ? 1.0 : 0.0);
        a[r][3] = free ? -q(r) : 0.0;
      }
      for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 3; ++r) {
          if (r == k) continue;
          const double factor = a[r][k] / a[k][k];
          for (int c = k; c < 4; ++c) a[r][c] -= factor * a[k][c];
        }
      }
      double z[3];
      for (int k = 0; k < 3; ++k) z[k] = a[k][3] / a[k][k];
      bool feasible = true;
      for (int r = 0; r < 3; ++r) {
        double u = q(r);
        for (int c = 0; c < 3; ++c) u += W.value(3 * r + c) * z[c];
        feasible = feasible && z[r] >= -1e-12 && u >= -1e-12;
      }
      if (!feasible) continue;
      ++matches;
      // W's condition is below 1e3 and the error 5e-9 of |q|.
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(x(k), z[k], 1e-5) << "seed " << seed;
    }
    EXPECT_GE(matches, 1);
  }
}

TEST(BoxRows, BilateralRowsSolveTheLinearSystem) {
  const BlockCsr W = test::random_delassus(3, 9, 0.0, 3);
  std::vector<RowLaw> laws;
  for (int i = 0; i < 3; ++i) laws.push_back(RowLaw::box(kUnboundedBelow, kUnbounded));
  const Vector q = test::random_vector(9, 4);
  Fixture f(W, laws, q);

  EXPECT_TRUE(f.solve().solved);

  Vector u("u", 9);
  multiply(W, f.answer(), u);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(u(k), -q(k), 1e-8 * 10.0);  // e2 5e-7 |q| at most
}

TEST(BoxRows, MotorSaturatesAtItsBound) {
  std::vector<RowLaw> laws;
  laws.push_back(RowLaw::box({-0.2, -0.2, -kInf}, {0.2, 0.2, kInf}));
  Fixture f(one_block({1, 0, 0, 0, 1, 0, 0, 0, 1}), laws, test::vector_of({-1.0, 0.1, 0.0}));

  EXPECT_TRUE(f.solve().solved);

  EXPECT_EQ(f.answer()(0), 0.2);
  EXPECT_NEAR(f.answer()(1), -0.1, 1e-8);
  EXPECT_EQ(f.answer()(2), 0.0);
}

TEST(BoxRows, RedundantJointsStaySolvable) {
  // Two copies of the same joint: W is singular, the impulses are not unique, u = 0 is.
  const BlockCsr one = test::random_delassus(1, 3, 0.0, 8);
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 2; ++j) {
      BlockTriplet t{i, j, {}};
      for (std::size_t e = 0; e < 9; ++e) t.value[e] = one.value(e);
      triplets.push_back(t);
    }
  }
  const BlockCsr W = block_csr_from_triplets(2, 2, triplets);
  std::vector<RowLaw> laws;
  laws.push_back(RowLaw::box(kUnboundedBelow, kUnbounded));
  laws.push_back(RowLaw::box(kUnboundedBelow, kUnbounded));
  const Vector q = test::vector_of({1.0, -2.0, 0.5, 1.0, -2.0, 0.5});
  Fixture f(W, laws, q);

  EXPECT_TRUE(f.solve().solved);

  EXPECT_LE(independent_error(W, laws, q, f.answer()), 1e-6);
}

TEST(PlanarContacts, AgreeWithThePaddedProblemIn3D) {
  // A 3D problem whose second tangent couples to nothing is the 2D one.
  BlockCsr W = test::random_delassus(6, 12, 0.0, 11);
  for (Index k = 0; k < W.blocks(); ++k) {
    for (int e : {2, 5, 6, 7, 8}) W.value(9 * k + e) = 0.0;
  }
  for (Index i = 0; i < 6; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      if (W.column(k) == i) W.value(9 * k + 8) = W.value(9 * k);
    }
  }
  Vector q = test::random_vector(18, 12);
  for (Index i = 0; i < 6; ++i) q(3 * i + 2) = 0.0;
  const std::vector<double> mu(6, 0.3);
  Fixture flat(W, contacts(mu, true), q);
  Fixture solid(W, contacts(mu, false), q);

  EXPECT_TRUE(flat.solve().solved);
  EXPECT_TRUE(solid.solve().solved);

  for (Index k = 0; k < 18; ++k) EXPECT_NEAR(flat.answer()(k), solid.answer()(k), 1e-6);
}

TEST(UnitInvariance, IteratesAreTheSameInOtherUnits) {
  // kg -> g and m -> mm scale W by 1/a^... : here W by 1e-6 and q by 1e3, r then by 1e9.
  const BlockCsr W = test::random_delassus(15, 20, 1e-3, 21);
  BlockCsr W_small = test::random_delassus(15, 20, 1e-3, 21);
  const std::vector<RowLaw> laws = contacts(std::vector<double>(15, 0.6));
  Vector q("q", 45);
  multiply(W, test::random_vector(45, 22), q);
  Vector q_large("q", 45);
  for (Index k = 0; k < 45; ++k) q_large(k) = 1e3 * q(k);
  for (std::size_t k = 0; k < W_small.value.extent(0); ++k) W_small.value(k) *= 1e-6;
  ProximalOptions options;
  options.max_factorizations = 12;
  Fixture a(W, laws, q, false, options);
  Fixture b(W_small, laws, q_large, false, options);
  a.newton->start(Vector("r", 45), 1e-2);
  b.newton->start(Vector("r", 45), 1e-2);

  for (int step = 0; step < 3; ++step) {
    const ProximalStep sa = a.newton->step();
    const ProximalStep sb = b.newton->step();
    EXPECT_EQ(sa.newton_steps, sb.newton_steps);
    EXPECT_EQ(sa.alpha, sb.alpha);
    // phi is in scaled variables, |q| sqrt(1/W): 1e3 * 1e-6^(-1/2) = 1e6 times larger; rounding is
    // amplified by the condition of W_A, 1 / alpha.
    EXPECT_NEAR(sb.residual / (1e6 * sa.residual), 1.0, 1e-4);
    if (sa.outcome == StepOutcome::kSolved) break;
  }
}

TEST(SolvedProblem, NeedsNoFactorisation) {
  const BlockCsr W = test::random_delassus(8, 30, 0.0, 31);
  const std::vector<RowLaw> laws = contacts(std::vector<double>(8, 0.5));
  Fixture f(W, laws, test::random_vector(24, 32));
  ASSERT_TRUE(f.solve().solved);
  const Vector r = f.answer();

  f.newton->start(r, 1e-4);
  const ProximalReport again = f.newton->run();

  EXPECT_TRUE(again.solved);
  EXPECT_EQ(again.factorizations, 0);
}

TEST(NewtonMatrix, KeepsThePatternAndOrdersOnce) {
  const BlockCsr W = test::random_delassus(10, 12, 0.0, 41);
  Fixture f(W, contacts(std::vector<double>(10, 0.5)), test::random_vector(30, 42));
  ASSERT_TRUE(f.solve().solved);
  const BlockCsr& A = f.system.matrix();

  ASSERT_EQ(A.blocks(), W.blocks());
  for (Index k = 0; k < W.blocks(); ++k) EXPECT_EQ(A.column(k), W.column(k));
}

TEST(BadRows, AreNamed) {
  const BlockCsr W = one_block({1, 0, 0, 0, 1, 0, 0, 0, 1});
  DualSystem system(standard_backends().make("contact-lu"));
  system.analyze(W);
  std::vector<RowLaw> crossed;
  crossed.push_back(RowLaw::box({1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}));

  EXPECT_THROW(ProximalNewton(system, contacts({-0.1})), std::invalid_argument);
  EXPECT_THROW(ProximalNewton(system, contacts({std::nan("")})), std::invalid_argument);
  EXPECT_THROW(ProximalNewton(system, contacts({0.1, 0.1})), std::invalid_argument);
  EXPECT_THROW(ProximalNewton(system, crossed), std::invalid_argument);
}

TEST(BadStart, NanIsRefused) {
  Fixture f(one_block({1, 0, 0, 0, 1, 0, 0, 0, 1}), contacts({0.5}),
            test::vector_of({-1.0, 0.0, 0.0}));

  EXPECT_THROW(f.newton->start(test::vector_of({std::nan(""), 0.0, 0.0}), 1e-2),
               std::invalid_argument);
}

}  // namespace
}  // namespace nsn
