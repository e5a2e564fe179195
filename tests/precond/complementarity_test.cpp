// The r of the NCP functions, each strategy against its formula on one contact of a free body.
#include "nsn/precond/complementarity.h"

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

namespace nsn {
namespace {

constexpr double kStep = 0.01;

/// One contact (n, t1, t2) on one node: J = diag(1, 2, 3), M = 4, so D = diag(0.25, 1, 2.25).
struct OneContact {
  BlockCsr J = block_csr_from_triplets(
      1, 1, std::vector<BlockTriplet>{{0, 0, Block{1, 0, 0, 0, 2, 0, 0, 0, 3}}});
  System system;

  explicit OneContact(RowLaw law = RowLaw::contact(0.5)) {
    system.h = kStep;
    system.laws = {law};
    system.M_inverse = Vector("M_inverse", 9);
    system.E = Vector("E", 9);
    system.rho = Vector("rho", 3);
    for (const Index d : {0, 4, 8}) {
      system.M_inverse(d) = 0.25;
      system.E(d) = 10.0;
    }
  }
  void scale(ComplementarityScaling scaling, double multiplier = 1.0,
             std::vector<double> user = {}) {
    set_complementarity_scaling({scaling, multiplier, std::move(user)}, J, system);
  }
};

void expect_rho(const System& system, double n, double t1, double t2) {
  EXPECT_DOUBLE_EQ(system.rho(0), n);
  EXPECT_DOUBLE_EQ(system.rho(1), t1);
  EXPECT_DOUBLE_EQ(system.rho(2), t2);
}

TEST(ComplementarityScaling, EffectiveMassIsTheDiagonalOfTheDelassusBlock) {
  OneContact one;
  one.scale(ComplementarityScaling::kEffectiveMass);
  expect_rho(one.system, 0.25, 1.625, 1.625);
}

TEST(ComplementarityScaling, EffectiveMassWithComplianceAddsE) {
  OneContact one;
  one.scale(ComplementarityScaling::kEffectiveMassCompliance);
  expect_rho(one.system, 10.25, 11.625, 11.625);
}

TEST(ComplementarityScaling, IdentityIsOneOnForcesAndPositions) {
  OneContact one;
  one.scale(ComplementarityScaling::kIdentity);
  expect_rho(one.system, 1.0 / (kStep * kStep), 1.0 / kStep, 1.0 / kStep);
}

TEST(ComplementarityScaling, TimeStepIsOneOnImpulsesAndVelocities) {
  OneContact one;
  one.scale(ComplementarityScaling::kTimeStep);
  expect_rho(one.system, 1.0, 1.0, 1.0);
}

TEST(ComplementarityScaling, SpectralNormTakesTheLargestEigenvalue) {
  OneContact one;
  one.scale(ComplementarityScaling::kSpectralNorm);
  expect_rho(one.system, 2.25, 2.25, 2.25);
}

TEST(ComplementarityScaling, UserVectorIsTakenAsGivenTimesTheMultiplier) {
  OneContact one;
  const std::vector<double> user{1.0, 2.0, 3.0};
  one.scale(ComplementarityScaling::kUser, 2.0, user);
  expect_rho(one.system, 2.0, 4.0, 6.0);
}

TEST(ComplementarityScaling, MultiplierScalesEveryStrategy) {
  OneContact one;
  one.scale(ComplementarityScaling::kEffectiveMass, 0.25);
  expect_rho(one.system, 0.0625, 0.40625, 0.40625);
}

TEST(ComplementarityScaling, BoxRowsUseTheirOwnDiagonal) {
  RowLaw box;
  box.kind = RowLaw::Kind::kBox;
  OneContact one(box);
  one.scale(ComplementarityScaling::kEffectiveMass);
  expect_rho(one.system, 0.25, 1.0, 2.25);
}

TEST(ComplementarityScaling, RefusesBadInput) {
  OneContact one;
  EXPECT_THROW(one.scale(ComplementarityScaling::kEffectiveMass, 0.0), std::invalid_argument);
  EXPECT_THROW(one.scale(ComplementarityScaling::kEffectiveMass, NAN), std::invalid_argument);
  EXPECT_THROW(one.scale(ComplementarityScaling::kUser, 1.0, {1.0, 1.0}), std::invalid_argument);
  EXPECT_THROW(one.scale(ComplementarityScaling::kUser, 1.0, {0.0, 0.0, 0.0}),
               std::invalid_argument);
  EXPECT_THROW(complementarity_scaling_from("efective-mass"), std::invalid_argument);
}

TEST(ComplementarityScaling, NamesRoundTrip) {
  for (const auto* name : {"identity", "time-step", "effective-mass", "effective-mass-compliance",
                           "spectral-norm", "user"}) {
    EXPECT_EQ(to_string(complementarity_scaling_from(name)), name);
  }
}

}  // namespace
}  // namespace nsn
