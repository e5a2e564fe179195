#include "nsn/core/io/exported_system.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

Csr diagonal(Index n, double value) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) triplets.push_back({i, i, value});
  return csr_from_triplets(n, n, triplets);
}

/// One contact on one node: J = I, H = 2 I, C = 0.5 I, so A = J H^-1 J^T + C = I.
ExportedSystem one_contact() {
  const Vector b("b", 3);
  b(0) = 0.1;
  return {diagonal(3, 1.0), true, b,
          SystemFactors{diagonal(3, 1.0), diagonal(3, 2.0), diagonal(3, 0.5)},
          R"({"scene": "one contact", "step": 7})"};
}

std::string refusal(const std::filesystem::path& folder) {
  try {
    read_exported_system(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kBanner = "%%MatrixMarket matrix coordinate real general\n";

TEST(ExportedSystem, RoundTrip) {
  const TemporaryFolder folder;

  write_exported_system(folder / "s", one_contact());
  const ExportedSystem system = read_exported_system(folder / "s");

  EXPECT_TRUE(is_exported_system(folder / "s"));
  EXPECT_TRUE(system.symmetric);
  EXPECT_EQ(system.A.nonzeros(), 3);
  EXPECT_EQ((*system.b)(0), 0.1);
  ASSERT_TRUE(system.factors && system.factors->C);
  EXPECT_EQ(system.factors->H.value(1), 2.0);
  EXPECT_EQ(system.factors->C->value(2), 0.5);
  EXPECT_NE(system.description.find("one contact"), std::string::npos);
  EXPECT_NE(system.description.find("nsn-system-1"), std::string::npos);
}

TEST(ExportedSystem, OfProximalFormHasItsRowsAndItsSymmetricPartBesideIt) {
  const TemporaryFolder folder;
  ExportedSystem proximal = one_contact();
  const std::vector<Triplet> entries{{0, 0, 2.0}, {0, 1, 1.0}, {1, 1, 2.0}, {2, 2, 2.0}};
  proximal.A = csr_from_triplets(3, 3, entries);
  proximal.symmetric = false;
  proximal.description = R"({"form": "proximal"})";

  write_exported_system(folder / "s", proximal);

  for (const auto* name : {"A_sym.mtx", "J.mtx", "H.mtx", "C.mtx"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "s" / name)) << name;
  }
  const ExportedSystem system = read_exported_system(folder / "s");
  EXPECT_FALSE(system.symmetric);
  EXPECT_FALSE(system.factors);  // J, H, C do not make up A
  const Csr part = read_matrix_market(folder / "s" / "A_sym.mtx").A;
  EXPECT_EQ(part.nonzeros(), 5);
  EXPECT_EQ(part.value(1), 0.5);  // (0, 1)
}

Vector numbers(std::size_t n) {
  const Vector v("v", n);
  for (Index i = 0; i < size_of(v); ++i) v(i) = 0.25 * i;
  return v;
}

TEST(ExportedSystem, PositionsAreThoseOfTheNodesOfHWhereThereIsOne) {
  const TemporaryFolder folder;
  ExportedSystem system = one_contact();
  system.factors->positions = numbers(3);

  write_exported_system(folder / "s", system);
  const ExportedSystem read = read_exported_system(folder / "s");

  ASSERT_TRUE(read.factors && read.factors->positions);
  EXPECT_EQ((*read.factors->positions)(2), 0.5);
  EXPECT_FALSE(read.positions);
  write_matrix_market(folder / "s" / "nodes.mtx", ConstVector(numbers(6)));
  EXPECT_EQ(refusal(folder / "s"),
            (folder / "s" / "nodes.mtx").string() + ": has 6 entries, H.mtx has 3 rows");
}

TEST(ExportedSystem, WithoutFactorsPositionsAreThoseOfItsRows) {
  const TemporaryFolder folder;
  write_exported_system(folder / "s", {diagonal(3, 1.0), true, {}, {}, "{}", numbers(3)});

  EXPECT_EQ((*read_exported_system(folder / "s").positions)(1), 0.25);
  write_matrix_market(folder / "s" / "nodes.mtx", ConstVector(numbers(6)));
  EXPECT_EQ(refusal(folder / "s"),
            (folder / "s" / "nodes.mtx").string() + ": has 6 entries, A.mtx has 3 rows");
}

TEST(ExportedSystem, OnlyTheMatrixIsNeeded) {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kBanner + "2 2 3\n1 1 1\n2 1 5\n2 2 1\n");

  const ExportedSystem system = read_exported_system(folder.path());

  EXPECT_FALSE(system.symmetric);
  EXPECT_FALSE(system.b);
  EXPECT_FALSE(system.factors);
}

TEST(ExportedSystem, AnOlderSystemLeavesNoParts) {
  const TemporaryFolder folder;
  write_exported_system(folder.path(), one_contact());

  write_exported_system(folder.path(), {diagonal(2, 4.0), true, std::nullopt, std::nullopt, "{}"});

  EXPECT_FALSE(std::filesystem::exists(folder / "J.mtx"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.mtx"));
  EXPECT_EQ(read_exported_system(folder.path()).A.rows, 2);
}

TEST(ExportedSystem, PartsThatDoNotFitAreRefusedByName) {
  const TemporaryFolder folder;
  const auto broken = [&](const std::string& file, const std::string& text) {
    write_exported_system(folder.path(), one_contact());
    write_file(folder / file, text);
    std::string message = refusal(folder.path());
    return message.substr(message.rfind('/') + 1);
  };

  EXPECT_EQ(broken("A.mtx", kBanner + "2 3 0\n"), "A.mtx: is 2 x 3, a system is square");
  EXPECT_EQ(broken("b.mtx", kBanner + "2 1 0\n"), "b.mtx: has 2 entries, A.mtx has 3 rows");
  EXPECT_EQ(broken("J.mtx", kBanner + "6 3 0\n"), "J.mtx: has 6 rows, A.mtx has 3");
  EXPECT_EQ(broken("H.mtx", kBanner + "6 6 0\n"), "H.mtx: is 6 x 6, J.mtx has 3 columns");
  EXPECT_EQ(broken("C.mtx", kBanner + "6 6 0\n"), "C.mtx: is 6 x 6, A.mtx has 3 rows");
  EXPECT_EQ(broken("C.mtx", kBanner + "3 3 1\n9 9 1\n"), "C.mtx:3: row 9 is outside 1..3");
  EXPECT_EQ(broken("system.json", "[1]"), "system.json: is not a JSON object");
  EXPECT_NE(broken("system.json", "{").find("system.json: [json.exception.parse_error"),
            std::string::npos);
}

TEST(ExportedSystem, HMustBeBlockDiagonal) {
  const TemporaryFolder folder;
  write_exported_system(folder.path(), one_contact());
  write_file(folder / "J.mtx", kBanner + "3 6 1\n1 1 1\n");
  write_file(folder / "H.mtx", kBanner + "6 6 2\n1 1 1\n1 4 1\n");

  EXPECT_EQ(refusal(folder.path()),
            (folder / "H.mtx").string() + ": entry (1, 4) is outside the 3x3 diagonal blocks");
}

TEST(AtomicFile, AnUncommittedFileLeavesTheOldOne) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "old");

  {
    AtomicFile file(folder / "a.txt");
    file.write("new");
  }

  EXPECT_EQ(read_text_file(folder / "a.txt"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, FailuresNameTheFile) {
  const TemporaryFolder folder;

  EXPECT_THROW(write_file(folder.path(), "x"), InputError);
  EXPECT_THROW(write_file("", "x"), InputError);
  EXPECT_THROW(write_file("/proc/none/x", "x"), InputError);
}

}  // namespace
}  // namespace nsn
