#include "nsn/core/io/matrix_market.h"

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

/// The text of the InputError that reading `text` as "f.mtx" throws; empty if it is accepted.
std::string refusal(const std::string& text) {
  try {
    parse_matrix_market(text, "f.mtx");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

double entry(const Csr& A, Index row, Index column) {
  for (Index k = A.row_begin(row); k < A.row_begin(row + 1); ++k) {
    if (A.column(k) == column) return A.value(k);
  }
  return 0.0;
}

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

// [ 2 0 -1 ]
// [ 0 3  0 ]
const std::string kSmall = kReal + "% a comment\n\n2 3 3\n1 1 2.0\n1 3 -1\n2 2 3e0\n";

TEST(MatrixMarketReader, CoordinateGeneral) {
  const MatrixMarket m = parse_matrix_market(kSmall, "f.mtx");

  EXPECT_EQ(m.A.rows, 2);
  EXPECT_EQ(m.A.columns, 3);
  EXPECT_EQ(m.A.nonzeros(), 3);
  EXPECT_EQ(entry(m.A, 0, 2), -1.0);
  EXPECT_EQ(entry(m.A, 1, 1), 3.0);
  EXPECT_FALSE(is_symmetric(m));
}

TEST(MatrixMarketReader, BannerInAnyCaseCarriageReturnsAndNoFinalNewline) {
  const MatrixMarket m = parse_matrix_market(
      "%%matrixmarket MATRIX Coordinate REAL Symmetric\r\n% c\r\n2 2 2\r\n\r\n1 1 4\r\n2\t1  +1.5",
      "f.mtx");

  EXPECT_EQ(entry(m.A, 0, 0), 4.0);
  EXPECT_EQ(entry(m.A, 0, 1), 1.5);
  EXPECT_EQ(entry(m.A, 1, 0), 1.5);
  EXPECT_TRUE(is_symmetric(m));
}

TEST(MatrixMarketReader, UpperTriangleOfASymmetricMatrixIsMirrored) {
  const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\n";

  EXPECT_EQ(entry(parse_matrix_market(banner + "3 3 1\n1 3 7\n", "f").A, 2, 0), 7.0);
  EXPECT_EQ(refusal(banner + "3 3 2\n1 3 7\n3 1 7\n"),
            "f.mtx:4: entry (3, 1) is in the other triangle than those before it");
}

TEST(MatrixMarketReader, SkewSymmetric) {
  const std::string banner = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
  const MatrixMarket m = parse_matrix_market(banner + "2 2 1\n2 1 5\n", "f");

  EXPECT_EQ(entry(m.A, 1, 0), 5.0);
  EXPECT_EQ(entry(m.A, 0, 1), -5.0);
  EXPECT_FALSE(is_symmetric(m));
  EXPECT_EQ(refusal(banner + "2 2 1\n1 1 5\n"),
            "f.mtx:3: a skew-symmetric matrix has no diagonal entry (1, 1)");
}

TEST(MatrixMarketReader, PatternAndIntegerFields) {
  const MatrixMarket pattern = parse_matrix_market(
      "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", "f");
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";

  EXPECT_EQ(entry(pattern.A, 0, 1), 1.0);
  EXPECT_EQ(entry(parse_matrix_market(integer + "-12\n", "f").A, 0, 0), -12.0);
  EXPECT_EQ(refusal(integer + "1.5\n"), "f.mtx:3: 1.5 is not an integer, as the banner promises");
}

TEST(MatrixMarketReader, ArraysAreColumnMajor) {
  // [ 1 3 ]      [ 1 2 ]      [ 0 -9 ]
  // [ 2 4 ]      [ 2 5 ]      [ 9  0 ]
  const std::string banner = "%%MatrixMarket matrix array real ";
  const MatrixMarket general = parse_matrix_market(banner + "general\n2 2\n1\n2\n3\n4\n", "f");
  const MatrixMarket symmetric = parse_matrix_market(banner + "symmetric\n2 2\n1\n2\n5\n", "f");
  const MatrixMarket skew = parse_matrix_market(banner + "skew-symmetric\n2 2\n9\n", "f");

  EXPECT_TRUE(general.array);
  EXPECT_EQ(entry(general.A, 1, 0), 2.0);
  EXPECT_EQ(entry(general.A, 0, 1), 3.0);
  EXPECT_EQ(entry(symmetric.A, 0, 1), 2.0);
  EXPECT_EQ(entry(symmetric.A, 1, 1), 5.0);
  EXPECT_EQ(entry(skew.A, 0, 1), -9.0);
}

TEST(MatrixMarketReader, DuplicatesAddUp) {
  const MatrixMarket m = parse_matrix_market(kReal + "1 2 3\n1 2 1\n1 1 9\n1 2 0.5\n", "f");

  EXPECT_EQ(m.A.nonzeros(), 2);
  EXPECT_EQ(entry(m.A, 0, 1), 1.5);
  EXPECT_EQ(refusal(kReal + "1 1 2\n1 1 1e308\n1 1 1e308\n"),
            "f.mtx: entries at (1, 1) add up to inf");
}

TEST(MatrixMarketReader, ValuesAtTheEdgeOfDoubles) {
  const MatrixMarket m = parse_matrix_market(
      kReal +
          "1 4 4\n1 1 1e-400\n1 2 4.9406564584124654e-324\n1 3 1.7976931348623157e308\n1 4 -0\n",
      "f");

  EXPECT_EQ(m.A.value(0), 0.0);  // too small for a double: rounds to zero
  EXPECT_EQ(m.A.value(1), 4.9406564584124654e-324);
  EXPECT_EQ(m.A.value(2), 1.7976931348623157e308);
  EXPECT_TRUE(std::signbit(m.A.value(3)));
  EXPECT_EQ(refusal(kReal + "1 1 1\n1 1 1e400\n"), "f.mtx:3: value '1e400' is not finite");
}

TEST(MatrixMarketReader, EmptyMatricesAreValid) {
  EXPECT_EQ(parse_matrix_market(kReal + "0 0 0\n", "f").A.rows, 0);
  EXPECT_EQ(parse_matrix_market(kReal + "3 3 0\n", "f").A.nonzeros(), 0);
  EXPECT_EQ(
      parse_matrix_market_vector("%%MatrixMarket matrix array real general\n0 1\n", "f").extent(0),
      0U);
}

TEST(MatrixMarketReader, Vectors) {
  const Vector dense =
      parse_matrix_market_vector("%%MatrixMarket matrix array real general\n3 1\n1\n0\n-2\n", "f");
  const Vector sparse = parse_matrix_market_vector(kReal + "3 1 1\n3 1 -2\n", "f");

  ASSERT_EQ(dense.extent(0), 3U);
  EXPECT_EQ(dense(2), -2.0);
  ASSERT_EQ(sparse.extent(0), 3U);
  EXPECT_EQ(sparse(0), 0.0);
  EXPECT_EQ(sparse(2), -2.0);
  EXPECT_THROW(parse_matrix_market_vector(kSmall, "f"), InputError);
}

TEST(MatrixMarketReader, BrokenHeadersNameTheLine) {
  EXPECT_EQ(refusal(""), "f.mtx:1: the file is empty");
  EXPECT_EQ(refusal("1 1 1\n"), "f.mtx:1: a MatrixMarket file starts with %%MatrixMarket");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real\n"),
            "f.mtx:1: the banner needs five words: %%MatrixMarket matrix coordinate real general");
  EXPECT_EQ(refusal("%%MatrixMarket vector coordinate real general\n"),
            "f.mtx:1: object 'vector', 'matrix' is needed");
  EXPECT_EQ(refusal("%%MatrixMarket matrix sparse real general\n"),
            "f.mtx:1: format 'sparse' is neither coordinate nor array");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n"),
            "f.mtx:1: complex matrices are not supported");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real hermitian\n"),
            "f.mtx:1: symmetry 'hermitian' is not one of general, symmetric, skew-symmetric");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array pattern general\n"),
            "f.mtx:1: an array cannot be a pattern");
  EXPECT_EQ(refusal(kReal + "% only comments\n"),
            "f.mtx:3: the file ends before the line with the sizes");
  EXPECT_EQ(refusal(kReal + "2 2\n1 1 1\n"), "f.mtx:2: number of entries is missing");
  EXPECT_EQ(refusal(kReal + "2 2.5 1\n"), "f.mtx:2: number of columns '2.5' is not an integer");
  EXPECT_EQ(refusal(kReal + "2 -2 1\n1 1 1\n"), "f.mtx:2: number of columns is negative: -2");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
            "f.mtx:2: a symmetric matrix is square, not 2 x 3");
}

TEST(MatrixMarketReader, BrokenEntriesNameTheLine) {
  EXPECT_EQ(refusal(kReal + "2 2 1\n3 1 1\n"), "f.mtx:3: row 3 is outside 1..2");
  EXPECT_EQ(refusal(kReal + "2 2 1\n\n1 0 1\n"), "f.mtx:4: column 0 is outside 1..2");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 nan\n"), "f.mtx:3: value 'nan' is not finite");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 -Inf\n"), "f.mtx:3: value '-Inf' is not finite");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 1.0d3\n"), "f.mtx:3: value '1.0d3' is not a number");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 +-1\n"), "f.mtx:3: value '+-1' is not a number");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1       \n"), "f.mtx:3: the value is missing");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 1 7\n"), "f.mtx:3: unexpected '7' at the end of the line");
  EXPECT_EQ(refusal(kReal + "2 2 2\n1 1 1.0000\n% c\n"),
            "f.mtx:5: the file ends after 1 of the 2 entries declared in line 2");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 1\n2 2 1\n"),
            "f.mtx:4: more than the 1 entries declared in line 2");
  EXPECT_EQ(refusal(kReal + "2 2 1\n1 1 \x01\xff\n"),
            "f.mtx:3: value '\\x01\\xff' is not a number");
}

TEST(MatrixMarketReader, SizesAreCheckedBeforeAnythingIsAllocated) {
  EXPECT_EQ(refusal(kReal + "9 9 1000000000000\n1 1 1\n"),
            "f.mtx:2: 1000000000000 entries are declared, the rest of the file has room for 1 at "
            "most");
  EXPECT_EQ(refusal(kReal + "3000000000 1 1\n1 1 1\n"),
            "f.mtx:2: 3000000000 x 1: at most 2147483647 rows and columns");
  EXPECT_EQ(refusal(kReal + "2000000000 1 1\n1 1 1\n"),
            "f.mtx:2: 2000000000 x 1 with only 1 entries is refused as implausible");
  EXPECT_EQ(refusal(kReal + "99999999999999999999 1 1\n1 1 1\n"),
            "f.mtx:2: number of rows '99999999999999999999' is not an integer");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n"),
            "f.mtx:2: 4000000000000000000 entries are declared, the rest of the file has room for "
            "2 at most");
}

TEST(MatrixMarketReader, MissingFilesAndFolders) {
  const TemporaryFolder folder;
  const auto text = [](const std::filesystem::path& path) -> std::string {
    try {
      read_matrix_market(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_EQ(text(folder / "none.mtx"), (folder / "none.mtx").string() + ": no such file");
  EXPECT_EQ(text(folder.path()), folder.path().string() + ": is a directory, a file is needed");
  EXPECT_EQ(text("/dev/zero"), "/dev/zero: is not a regular file");
}

TEST(MatrixMarketReader, EveryTruncationParsesOrIsAnInputError) {
  for (std::size_t length = 0; length < kSmall.size(); ++length) {
    EXPECT_NO_THROW(static_cast<void>(refusal(kSmall.substr(0, length)))) << length;
  }
}

// One to four random bytes of a valid file replaced, removed, doubled or swapped for a number from
// a list of troublemakers: whatever comes out, nothing but InputError may leave the reader.
TEST(MatrixMarketReader, ThousandsOfMutationsParseOrAreInputErrors) {
  const std::string files[] = {
      kSmall,
      "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n1 1 5\n3 2 -1\n4 4 2\n",
      "%%MatrixMarket matrix coordinate pattern skew-symmetric\n4 4 2\n2 1\n4 3\n",
      "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4e5\n-5\n6\n",
  };
  const std::string words[] = {"0",   "-1",  "2147483647", "2147483648", "999999999999999999",
                               "nan", "inf", "1e999",      "%",          "\n",
                               "\r",  " ",   "\0",         "general",    "1e-999"};
  std::mt19937 random(20190704);  // any seed: the sequence is the same everywhere
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int accepted = 0;
  int refused = 0;

  for (int trial = 0; trial < 10000; ++trial) {
    std::string text = files[below(4)];
    for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(4));
          break;
        case 2:
          text.insert(at, text.substr(at, 1 + below(8)));
          break;
        default:
          text.replace(at, 1, words[below(15)]);
      }
    }
    ++(refusal(text).empty() ? accepted : refused);
  }

  // Both ends were exercised: a changed digit or comment still parses, most else does not.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Any finite double with the same probability for each bit pattern.
double any_finite(std::mt19937_64& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) return value;
  }
}

TEST(MatrixMarketRoundTrip, MatricesKeepEveryBit) {
  const TemporaryFolder folder;
  std::mt19937_64 random(3);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < 50; ++i) {
    for (Index k = 0; k < 7; ++k)
      triplets.push_back({i, (i * 5 + k * 11) % 80, any_finite(random)});
  }
  const Csr A = csr_from_triplets(50, 80, triplets);

  write_matrix_market(folder / "A.mtx", A, {false, "two lines\nof comment"});
  const Csr B = read_matrix_market(folder / "A.mtx").A;

  ASSERT_EQ(B.nonzeros(), A.nonzeros());
  for (Index k = 0; k < A.nonzeros(); ++k) {
    EXPECT_EQ(A.column(k), B.column(k));
    EXPECT_EQ(bits(A.value(k)), bits(B.value(k)));
  }
  for (Index i = 0; i <= A.rows; ++i) EXPECT_EQ(A.row_begin(i), B.row_begin(i));
}

TEST(MatrixMarketRoundTrip, SymmetricMatricesStoreOneTriangle) {
  const TemporaryFolder folder;
  const std::vector<Triplet> triplets = {{0, 0, 2.0}, {0, 1, 0.1}, {1, 0, 0.1}, {1, 1, 1e-300}};
  const Csr A = csr_from_triplets(2, 2, triplets);

  write_matrix_market(folder / "A.mtx", A, {true, {}});
  const MatrixMarket B = read_matrix_market(folder / "A.mtx");

  EXPECT_EQ(B.symmetry, MatrixMarketSymmetry::kSymmetric);
  ASSERT_EQ(B.A.nonzeros(), 4);
  for (Index k = 0; k < 4; ++k) EXPECT_EQ(bits(A.value(k)), bits(B.A.value(k)));
}

TEST(MatrixMarketRoundTrip, VectorsKeepEveryBit) {
  const TemporaryFolder folder;
  std::mt19937_64 random(4);
  const Vector b("b", 1000);
  for (Index i = 0; i < 1000; ++i) b(i) = any_finite(random);
  b(7) = -0.0;

  write_matrix_market(folder / "deep" / "b.mtx", b);
  const Vector c = read_matrix_market_vector(folder / "deep" / "b.mtx");

  ASSERT_EQ(c.extent(0), b.extent(0));
  for (Index i = 0; i < 1000; ++i) EXPECT_EQ(bits(b(i)), bits(c(i)));
}

TEST(MatrixMarketWriter, RefusesNanAndLeavesNothing) {
  const TemporaryFolder folder;
  const Vector b("b", 3);
  b(1) = std::numeric_limits<double>::quiet_NaN();

  EXPECT_THROW(write_matrix_market(folder / "b.mtx", b), std::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace nsn
