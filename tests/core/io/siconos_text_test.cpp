#include "nsn/core/io/siconos_text.h"

#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "tests/support/friction_samples.h"

namespace nsn {
namespace {

using test::expect_same;

FrictionProblem local(const std::string& text) {
  return std::get<FrictionProblem>(parse_siconos_text(text, "f").problem);
}

std::string error_of(const std::string& text, FrictionFormat format = FrictionFormat::kAuto) {
  try {
    static_cast<void>(parse_siconos_text(text, "f", format));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// W = | 1 4 |   mu = 0.5, one contact in 2D
//     | 2 3 |
const std::string kDense = "2 1\n0 2 2\n2 2\n1 2\n4 3\n-1 0.25\n0.5\n";

TEST(SiconosTextDense, ValuesStandColumnByColumn) {
  const FrictionProblem problem = local(kDense);

  EXPECT_EQ(problem.dimension, 2);
  expect_same(
      problem.W,
      csr_from_triplets(2, 2, std::vector<Triplet>{{0, 0, 1}, {0, 1, 4}, {1, 0, 2}, {1, 1, 3}}));
  expect_same(problem.q, test::to_vector({-1.0, 0.25}));
  expect_same(problem.mu, test::to_vector({0.5}));
}

TEST(SiconosTextDense, ReportsStorageAndAsymmetry) {
  const FrictionFile file = parse_siconos_text(kDense, "f");

  EXPECT_EQ(file.format, FrictionFormat::kSiconosLocal);
  EXPECT_EQ(file.storage, "dense");
  EXPECT_EQ(file.asymmetry, 0.5);  // |4 - 2| / 4
}

TEST(SiconosTextBlocks, ABlockIsColumnByColumnAndAnEmptyRowIsAllowed) {
  // Block rows of 2, 2: block (0, 1) only; the second block row is empty.
  const std::string text =
      "2 2\n1 4 4\n1 2 2\n2 4\n2 4\n3 1\n0 1 1\n1\n0\n1\n2\n3\n4\n 1 1 1 1\n .1 .2";
  const FrictionProblem problem = local(text);

  expect_same(
      problem.W,
      csr_from_triplets(4, 4, std::vector<Triplet>{{0, 2, 1}, {1, 2, 2}, {0, 3, 3}, {1, 3, 4}}));
}

const std::string kSparseTail = "-1 2\n0.5\n";

TEST(SiconosTextSparse, TripletIsRowThenColumn) {
  const FrictionProblem problem = local(
      "2 1 2 2 2 1\nCSparse Version 3\ntriplet: 2-by-2, nzmax: 9 nnz: 2\n 0 1 : 5\n 1 1 : 6\n" +
      kSparseTail);

  expect_same(problem.W, csr_from_triplets(2, 2, std::vector<Triplet>{{0, 1, 5}, {1, 1, 6}}));
}

TEST(SiconosTextSparse, ColumnsAndRowsAreTransposesOfEachOther) {
  const std::string body =
      "2-by-2, nzmax: 2 nnz: 2, 1-norm: 3\n col 0 : locations 0 to 1\n 0 : 7\n 1 : 8\n"
      " col 1 : locations 2 to 1\n" +
      kSparseTail;

  const FrictionProblem columns = local("2 1 2 2 2 2\nCSparse\n" + body);
  const FrictionProblem rows = local("2 1 2 2 2 3\nCSparse\ncsr: " + body);

  expect_same(columns.W, csr_from_triplets(2, 2, std::vector<Triplet>{{0, 0, 7}, {1, 0, 8}}));
  expect_same(rows.W, transpose(columns.W));
}

// The counts of this text add up as a global problem and, with W = M, as a local one followed by
// junk.
const std::string kBoth =
    "3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n0 3 3 3 3\n2 0 0 0 2 0 0 0 2\n-1 -1 -1 0 0 0\n0.5\n0\n";

TEST(SiconosTextKind, ASecondMatrixMakesItGlobal) {
  const FrictionFile file = parse_siconos_text(kBoth, "f");

  ASSERT_TRUE(std::holds_alternative<GlobalFrictionProblem>(file.problem));
  EXPECT_EQ(std::get<GlobalFrictionProblem>(file.problem).H.value(0), 2.0);
  EXPECT_EQ(file.storage, "dense/dense");
}

TEST(SiconosTextKind, AnExplicitFormatOverrides) {
  const FrictionFile file = parse_siconos_text(kBoth, "f", FrictionFormat::kSiconosLocal);

  ASSERT_TRUE(std::holds_alternative<FrictionProblem>(file.problem));
  EXPECT_EQ(std::get<FrictionProblem>(file.problem).mu(0), 3.0);  // what stands there
}

TEST(SiconosTextKind, AnLcpIsFoundFromItsCounts) {
  const FrictionFile file = parse_siconos_text("2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n\nremark", "f");

  ASSERT_TRUE(std::holds_alternative<LinearComplementarityProblem>(file.problem));
  EXPECT_EQ(std::get<LinearComplementarityProblem>(file.problem).q(1), -6.0);
}

TEST(SiconosTextKind, NoContactIsAValidProblem) {
  const FrictionProblem empty = local("3 0 1 0 0 0");
  EXPECT_EQ(empty.contacts(), 0);

  const auto file = parse_siconos_text(
      "2 0\n0 1 1 1 1\n4.0\n2 1 0 2\nCSparse\n1-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n0.5\n\n\n", "f");
  EXPECT_EQ(std::get<GlobalFrictionProblem>(file.problem).dofs(), 1);
  EXPECT_EQ(contacts_of(file.problem), 0);
}

TEST(SiconosTextKind, RollingFrictionIsRefusedByName) {
  EXPECT_EQ(error_of("5\n1\n0\n5\n5\n5 5\n1 2 3"),
            "f:3: dimension 5: rolling friction is not supported, only 2D and 3D contacts");
}

TEST(SiconosTextError, NamesTheLine) {
  EXPECT_EQ(error_of(""), "f:1: the file ends where dimension is expected");
  EXPECT_EQ(error_of("hello"), "f:1: dimension 'hello' is not an integer");
  EXPECT_EQ(error_of("3 1\n7 3 3\n"),
            "f:2: storage 7 of the first matrix is not 0 (dense), 1 (blocks) or 2 (sparse)");
  EXPECT_EQ(error_of("2 1\n0 2 2\n2 2\n1 2\n4 3\n-1 0.25\n"),
            "f:7: the file ends where mu is expected");
  EXPECT_EQ(error_of("2 1\n0 2 2\n2 2\n1 2\n4 3\n-1 0.25\n-0.5\n"),
            "f:7: mu -0.5 of contact 0 is negative");
  EXPECT_EQ(error_of("2 1\n0 2 2\n2 2\n1 nan\n4 3\n-1 0.25\n0.5"),
            "f:4: a matrix entry 'nan' is not finite");
  EXPECT_EQ(error_of("2 1\n0 2 2\n2 2\n1 2\n4 1e999\n-1 0.25\n0.5"),
            "f:5: a matrix entry '1e999' is not finite");
}

TEST(SiconosTextError, CountsThatDoNotFit) {
  EXPECT_EQ(error_of("3 1\n0 2 2\n2 2\n1 2\n4 3\n-1 0.25\n0.5 1 2 3 4 5 6 7 8",
                     FrictionFormat::kSiconosLocal),
            "f:5: W is 2 x 2, but 1 contacts in 3D ask for 3 x 3");
  EXPECT_NE(error_of("3 1\n0 2 3\n2 3\n1 3\n2 4\n3 6\n1 2 3\n0.5\n", FrictionFormat::kSiconosLocal)
                .find("W is 2 x 3, but 1 contacts in 3D ask for 3 x 3"),
            std::string::npos);
  EXPECT_EQ(error_of("2 1\n0 2 2\n2 3\n1 2\n4 3\n-1 0.25\n0.5"),
            "f:3: the first matrix is 2 x 2 in its header but 2 x 3 in its data");
  EXPECT_EQ(error_of("2 1\n1 2 2\n1 1 1\n2\n2\n2 1\n0 1\n1\n0\n 1 2 3 4\n 1 2 3"),
            "f:8: block column 1 is outside the 1 block columns of the first matrix");
  EXPECT_EQ(error_of("2 1\n1 2 2\n1 1 1\n2\n3\n2 1\n0 1\n0\n0\n 1 2 3 4\n 1 2 3"),
            "f:5: cumulative column size 3 is more than the file can hold");
}

TEST(SiconosTextError, IndexOutOfRange) {
  EXPECT_EQ(
      error_of("2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 0 2 : 5\n" + kSparseTail),
      "f:4: column index 2 is outside the 2 x 2 of the first matrix");
  EXPECT_EQ(
      error_of("2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n -1 1 : 5\n" + kSparseTail),
      "f:4: row index -1 is outside the 2 x 2 of the first matrix");
}

TEST(SiconosTextError, HugeDeclarationsTakeNoMemory) {
  EXPECT_EQ(error_of("3 1000000000000\n0 3 3\n"),
            "f:1: number of contacts 1000000000000 is more than the file can hold");
  EXPECT_EQ(error_of("3 1\n0 1000000000000 1000000000000\n"),
            "f:2: number of rows of the first matrix 1000000000000 is more than the file can hold");
  EXPECT_EQ(error_of("3 99999999999999999999\n"),
            "f:1: number of contacts '99999999999999999999' is too large");
  EXPECT_EQ(
      error_of("2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1000000000000\n 0 1 : 5\n" +
               kSparseTail),
      "f:3: the first matrix declares 1000000000000 entries, more than the file can hold");
}

TEST(SiconosTextWriter, IsReadBackToTheLastBit) {
  for (const Index dimension : {2, 3}) {
    const FrictionProblem problem = test::two_contacts(dimension);
    expect_same(local(to_siconos_text(problem)), problem);
  }
  const GlobalFrictionProblem global = test::one_contact_between_two_particles();
  const FrictionFile file = parse_siconos_text(to_siconos_text(global), "f");
  expect_same(std::get<GlobalFrictionProblem>(file.problem), global);

  const LinearComplementarityProblem lcp{test::two_contacts().W, test::two_contacts().q};
  const FrictionFile lcp_file = parse_siconos_text(to_siconos_text(lcp), "f");
  expect_same(std::get<LinearComplementarityProblem>(lcp_file.problem).M, lcp.M);
}

}  // namespace
}  // namespace nsn
