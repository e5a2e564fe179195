#include "nsn/core/problems/numerical_rank.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "nsn/core/io/friction_file.h"
#include "tests/support/friction_reference.h"
#include "tests/support/friction_samples.h"
#include "tests/support/public_data.h"

namespace nsn {
namespace {

/// G G^T of a G with `rank` columns and entries that no cancellation makes small.
Csr gram(Index rows, Index rank) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < rows; ++j) {
      double sum = 0.0;
      for (Index k = 0; k < rank; ++k)
        sum += std::sin(1.0 + i * (k + 1)) * std::sin(1.0 + j * (k + 1));
      entries.push_back({i, j, sum});
    }
  }
  return csr_from_triplets(rows, rows, entries);
}

TEST(NumericalRank, OfGramMatrices) {
  for (const Index rank : {0, 1, 5, 11, 12}) EXPECT_EQ(numerical_rank(gram(12, rank)), rank);
}

TEST(NumericalRank, NothingHasRankZero) {
  EXPECT_EQ(numerical_rank(csr_from_triplets(0, 0, {})), 0);
}

TEST(NumericalRank, IndefiniteNoiseIsCountedByItsEigenvalues) {
  // diag(1, 1e-6, -1e-6) turned in its last two rows: the off-diagonal hides both eigenvalues.
  const Csr S = csr_from_triplets(
      3, 3, std::vector<Triplet>{{0, 0, 1.0}, {1, 2, 1e-6}, {2, 1, 1e-6}, {1, 1, -1e-8}});
  EXPECT_EQ(numerical_rank(S), 2);
}

TEST(NumericalRank, GlobalIsThatOfItsContacts) {
  EXPECT_EQ(numerical_rank(test::one_contact_between_two_particles()), 3);
}

TEST(NumericalRank, OfPublicProblems) {
  const auto folder = std::filesystem::path(NSN_DATA_DIR) / "friction";
  NSN_NEED_PUBLIC_DATA("friction");
  // From eigenvalues of the symmetric part.
  const std::vector<std::pair<std::string, Index>> ranks = {
      {"BoxesStack1-i100000-32.hdf5.dat", 78},
      {"KaplasTower-i1061-4.hdf5.dat", 504},
      {"Capsules-i122-1617.dat", 584},
      {"Capsules-i125-1213.hdf5", 570},
      {"Confeti-ex13-Fc3D-SBM.dat", 229},
      {"Spheres-i099-356-679.hdf5", 1068},
      {"gfc2d_granularflowonwall_00069_00350.dat", 136}};
  for (const auto& [name, rank] : ranks) {
    if (!test::readable_here(name)) continue;
    const FrictionFile file = read_friction_file(folder / name);
    EXPECT_EQ(std::visit([](const auto& problem) { return numerical_rank(problem); }, file.problem),
              rank)
        << name;
  }
}

}  // namespace
}  // namespace nsn
