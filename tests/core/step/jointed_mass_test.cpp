// Rows without bounds leave the unknowns: against dense algebra over all rows.
#include "nsn/core/step/reductions/jointed_mass.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/dense.h"

namespace nsn {
namespace {

using testing_support::dense;
using testing_support::Dense;
using testing_support::DenseVector;
using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::view;

/// Bodies with rows between them; the first `equations` blocks have no bounds, the others are
/// contacts. rows[i]: the bodies block i touches.
struct Sample {
  System system;
  StepEvaluation at;
  Dense J, M, E;
  Index equations;

  Sample(Index bodies, const std::vector<std::vector<Index>>& rows, Index num_equations,
         double compliance = 0.0)
      : equations(num_equations) {
    const auto blocks = static_cast<Index>(rows.size());
    std::vector<BlockTriplet> triplets;
    unsigned seed = 1;
    for (Index i = 0; i < blocks; ++i) {
      for (const Index body : rows[static_cast<std::size_t>(i)]) {
        for (const Index node : {2 * body, 2 * body + 1}) {
          BlockTriplet t{i, node, {}};
          const Dense value = random_matrix(3, 3, seed++);
          for (std::size_t e = 0; e < 9; ++e) {
            t.value[e] = value(static_cast<Index>(e / 3), static_cast<Index>(e % 3));
          }
          triplets.push_back(t);
        }
      }
    }
    at.J = block_csr_from_triplets(blocks, 2 * bodies, triplets);
    J = dense(at.J);
    M = Dense::Zero(6 * bodies, 6 * bodies);
    system.M = Vector("M", static_cast<std::size_t>(18 * bodies));
    for (Index n = 0; n < 2 * bodies; ++n) {
      const Dense B = random_matrix(3, 3, 100 + static_cast<unsigned>(n));
      M.block(3 * n, 3 * n, 3, 3) = B * B.transpose() + Dense::Identity(3, 3);
      for (Index e = 0; e < 9; ++e) {
        system.M(9 * n + e) = M(3 * n + e / 3, 3 * n + e % 3);
      }
    }
    system.rigid_nodes = 2 * bodies;
    system.rho_error = Vector("rho", static_cast<std::size_t>(3 * blocks));
    const Dense W = J * M.inverse() * J.transpose();
    E = compliance * Dense::Identity(3 * blocks, 3 * blocks);
    at.E = Vector("E", static_cast<std::size_t>(9 * blocks));
    for (Index k = 0; k < 3 * blocks; ++k) {
      system.rho_error(k) = W(k, k);
      at.E(9 * (k / 3) + 4 * (k % 3)) = compliance;
    }
    at.value = view(random_vector(3 * blocks, 7));
    for (Index i = 0; i < blocks; ++i) {
      RowLaw law = RowLaw::contact(0.5);
      if (i < num_equations) law.kind = RowLaw::Kind::kBox;
      system.laws.push_back(law);
    }
  }
};

/// What a Newton step over all rows leaves between the others: with K = J M^-1 J^T + E in parts,
/// K_kk - K_ke K_ee^-1 K_ek.
void expect_schur_complement(Sample& sample, double tolerance) {
  JointedMass mass;
  mass.analyze(sample.system, sample.at.J);
  ASSERT_EQ(static_cast<Index>(mass.equations().size()), sample.equations);
  ASSERT_TRUE(mass.assemble(sample.system, sample.at, sample.system.M));

  const Index e = 3 * sample.equations;
  const Index k = static_cast<Index>(sample.J.rows()) - e;
  const Dense K = sample.J * sample.M.inverse() * sample.J.transpose() + sample.E;
  const Dense K_ee = K.topLeftCorner(e, e);
  const Dense reduced = K.bottomRightCorner(k, k) -
                        K.bottomLeftCorner(k, e) *
                            K_ee.completeOrthogonalDecomposition().solve(K.topRightCorner(e, k));
  EXPECT_LT((dense(mass.delassus()) - reduced).norm(), tolerance * K.norm());
}

// The proximal weight of 1e-9 and what the factor of H loses by it, times the condition of the
// rows (below 1e2 here).
constexpr double kTolerance = 1e-6;

TEST(JointedMass, OfAChainIsTheSchurComplementOfItsRows) {
  Sample chain(4, {{0, 1}, {1, 2}, {2, 3}, {0}, {3}, {1, 3}}, 3);
  expect_schur_complement(chain, kTolerance);
}

TEST(JointedMass, OfABranchedTreeWithCompliance) {
  Sample tree(6, {{0, 1}, {0, 2}, {2, 3}, {0, 4}, {4, 5}, {5}, {3}, {1}, {3, 5}}, 5, 0.1);
  expect_schur_complement(tree, kTolerance);
}

TEST(JointedMass, OfALoop) {
  Sample loop(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0}, {2}}, 4);
  expect_schur_complement(loop, kTolerance);
}

TEST(JointedMass, OfRowsBetweenThreeBodies) {
  Sample mimic(5, {{0, 1, 2}, {2, 3, 4}, {1, 4}, {0, 3}, {4}}, 2);
  expect_schur_complement(mimic, kTolerance);
}

TEST(JointedMass, OfTwoTreesThatOnlyAContactJoins) {
  Sample two(4, {{0, 1}, {2, 3}, {0}, {1, 2}, {3}}, 2);
  expect_schur_complement(two, kTolerance);
  JointedMass mass;
  mass.analyze(two.system, two.at.J);
  EXPECT_EQ(find_block(mass.delassus(), 0, 2), -1);  // rows of different trees do not meet
}

/// A second joint that holds what the first one holds: the same W, finite impulses.
TEST(JointedMass, OfRedundantRows) {
  Sample sample(3, {{0, 1}, {0, 1}, {1, 2}, {0}, {2}}, 3);
  for (Index k = sample.at.J.row_begin(0); k < sample.at.J.row_begin(1); ++k) {
    const Index twin = sample.at.J.row_begin(1) + k - sample.at.J.row_begin(0);
    for (Index v = 0; v < 9; ++v) {
      sample.at.J.value(9 * twin + v) = sample.at.J.value(9 * k + v);
    }
  }
  sample.J = dense(sample.at.J);
  for (Index c = 0; c < 3; ++c) sample.system.rho_error(3 + c) = sample.system.rho_error(c);
  expect_schur_complement(sample, kTolerance);
}

TEST(JointedMass, MotionAndImpulsesSatisfyTheEquationsAndTheMomentum) {
  Sample sample(4, {{0, 1}, {1, 2}, {2, 3}, {0}, {3}}, 3);
  JointedMass mass;
  mass.analyze(sample.system, sample.at.J);
  ASSERT_TRUE(mass.assemble(sample.system, sample.at, sample.system.M));
  const Vector r = view(DenseVector::Zero(15));
  Vector s = view(DenseVector::Zero(15));
  mass.free_impulses(sample.at, r, s);
  const DenseVector g = random_vector(24, 3);
  Vector d = view(g + sample.J.topRows(9).transpose() * dense(s).head(9));
  mass.solve(d);
  Vector impulses = view(DenseVector::Zero(15));
  mass.impulses(sample.at.J, s, d, impulses);

  const DenseVector left = dense(sample.at.value).head(9) + sample.J.topRows(9) * dense(d);
  EXPECT_LT(left.norm(), 1e-6);  // the weight times the impulses
  const DenseVector momentum =
      sample.M * dense(d) - g - sample.J.topRows(9).transpose() * dense(impulses).head(9);
  EXPECT_LT(momentum.norm(), 1e-6);  // rounding of d times 1 / weight
}

TEST(JointedMass, KeepsAllRowsWhereNoneIsAnEquation) {
  Sample sample(2, {{0}, {0, 1}}, 0);
  JointedMass mass;
  mass.analyze(sample.system, sample.at.J);
  EXPECT_TRUE(mass.equations().empty());
  EXPECT_EQ(mass.kept().size(), 2U);
}

}  // namespace
}  // namespace nsn
