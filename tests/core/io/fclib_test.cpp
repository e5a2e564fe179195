#include "nsn/core/io/fclib.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "tests/support/friction_samples.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

using test::expect_same;

// One contact in 2D, W = | 1 4 | by compressed columns.
//                        | 2 3 |
FclibContent one_contact() {
  FclibContent content;
  content.spacedim = 2;
  content.A = {2, 2, -1, {0, 2, 4}, {0, 1, 0, 1}, {1.0, 2.0, 4.0, 3.0}};
  content.q = {-1.0, 0.25};
  content.mu = {0.5};
  return content;
}

Csr expected_W() {
  return csr_from_triplets(2, 2, std::vector<Triplet>{{0, 0, 1}, {0, 1, 4}, {1, 0, 2}, {1, 1, 3}});
}

Csr matrix_of(const FclibContent& content) {
  return std::get<FrictionProblem>(problem_from_fclib(content, "f").problem).W;
}

std::string error_of(const FclibContent& content) {
  try {
    static_cast<void>(problem_from_fclib(content, "f"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FclibMatrix, ColumnsRowsAndTripletsAgree) {
  FclibContent rows = one_contact();
  rows.A.nz = -2;
  rows.A.x = {1.0, 4.0, 2.0, 3.0};
  FclibContent triplets = one_contact();
  triplets.A = {
      2, 2, 4, {0, 1, 0, 1, 9}, {0, 0, 1, 1, 9}, {1.0, 4.0, 2.0, 3.0, 9.0}};  // i row, p column

  expect_same(matrix_of(one_contact()), expected_W());
  expect_same(matrix_of(rows), expected_W());
  expect_same(matrix_of(triplets), expected_W());
  EXPECT_EQ(problem_from_fclib(triplets, "f").storage, "triplet");
}

TEST(FclibContent, BadValuesAreNamedByDataset) {
  FclibContent content = one_contact();
  content.A.i[2] = 2;
  EXPECT_EQ(error_of(content), "f: /fclib_local/W/i: entry 2 is 2, outside [0, 2)");
  content = one_contact();
  content.A.p[1] = 5;
  EXPECT_EQ(error_of(content), "f: /fclib_local/W/p: pointer 1 is 5 after 0: not ascending");
  content = one_contact();
  content.A.p[2] = 1LL << 40;
  EXPECT_EQ(error_of(content),
            "f: /fclib_local/W/p: ends at 1099511627776, but i has 4 and x 4 entries");
  content = one_contact();
  content.A.nz = 1LL << 40;
  EXPECT_EQ(error_of(content),
            "f: /fclib_local/W/nz: 1099511627776 entries, but i, p and x have 4, 3 and 4");
  content = one_contact();
  content.A.m = 1LL << 40;
  EXPECT_EQ(error_of(content),
            "f: /fclib_local/W/m: 1099511627776 rows, but the vectors ask for 2");
  content = one_contact();
  content.A.x[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(content), "f: /fclib_local/W/x: a value is not finite");
  content = one_contact();
  content.q[1] = std::nan("");
  EXPECT_EQ(error_of(content), "f: /fclib_local/vectors/q: entry 1 is not finite");
  content = one_contact();
  content.q.pop_back();
  EXPECT_EQ(error_of(content), "f: /fclib_local/vectors/q: 1 entries, but 1 contacts in 2D need 2");
  content = one_contact();
  content.mu[0] = -1.0;
  EXPECT_EQ(error_of(content), "f: /fclib_local/vectors/mu: mu -1 of contact 0 is negative");
  content = one_contact();
  content.spacedim = 5;
  EXPECT_EQ(error_of(content), "f: /fclib_local/spacedim: 5 is neither 2 nor 3");
}

#if defined(NSN_WITH_HDF5)

TEST(FclibFile, LocalProblemAndSolutionAreReadBackToTheLastBit) {
  const TemporaryFolder folder;
  const std::string path = folder / "p.hdf5";
  const FrictionProblem problem = test::two_contacts();
  FclibNotes notes;
  notes.title = "two contacts";
  notes.r = test::to_vector({1.0 / 3.0, 0, 0, 0.1, 0.2, 0.3});
  notes.u = test::to_vector({0, 1e-300, 2, 3, 4, 5});

  write_fclib(path, problem, notes);
  const FrictionFile file = read_fclib(path);
  const FclibSolution solution = read_fclib_solution(path);

  expect_same(std::get<FrictionProblem>(file.problem), problem);
  EXPECT_EQ(file.storage, "csr");
  expect_same(test::to_vector(solution.r), notes.r);
  expect_same(test::to_vector(solution.u), notes.u);
  EXPECT_TRUE(solution.v.empty());
}

TEST(FclibFile, GlobalProblemIsReadBackToTheLastBitAlsoThroughAChild) {
  const TemporaryFolder folder;
  const std::string path = folder / "p.hdf5";
  const GlobalFrictionProblem problem = test::one_contact_between_two_particles();

  write_fclib(path, problem);
  for (const Isolation isolation : {Isolation::kNone, Isolation::kChildProcess}) {
    const FrictionFile file = read_fclib(path, isolation);
    expect_same(std::get<GlobalFrictionProblem>(file.problem), problem);
    EXPECT_EQ(file.storage, "triplet/triplet");
  }
}

TEST(FclibFile, NoContactIsAValidProblem) {
  const TemporaryFolder folder;
  const std::string path = folder / "p.hdf5";
  FrictionProblem problem{3, csr_from_triplets(0, 0, {}), Vector("q", 0), Vector("mu", 0)};

  write_fclib(path, problem);

  EXPECT_EQ(contacts_of(read_fclib(path).problem), 0);
}

TEST(FclibFile, AFailedWriteLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "p.hdf5";
  FclibNotes notes;
  notes.r = test::to_vector({1.0});

  EXPECT_THROW(write_fclib(path, test::two_contacts(), notes), std::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(write_fclib("/dev/null/p.hdf5", test::two_contacts()), InputError);
}

#else

TEST(FclibFile, WithoutHdf5TheReasonIsGiven) {
  try {
    static_cast<void>(read_fclib("p.hdf5"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "p.hdf5: FCLIB files need HDF5, and nsn was built without HDF5");
  }
}

#endif

}  // namespace
}  // namespace nsn
