// PETSc's binary format: the bytes MatView writes, and every kind of file that is refused.
#include "nsn/core/io/petsc_binary.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/exported_system.h"
#include "nsn/core/io/text_file.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

std::string bytes(std::initializer_list<unsigned> values) {
  std::string out;
  for (const unsigned v : values) out += static_cast<char>(v);
  return out;
}

/// [ 1 -2 ]
/// [ 0  3 ]
Csr small() {
  return csr_from_triplets(2, 2, std::vector<Triplet>{{0, 0, 1.0}, {0, 1, -2.0}, {1, 1, 3.0}});
}

// clang-format off
const std::string kBytes = bytes({
    0x00, 0x12, 0x7b, 0x50,  0, 0, 0, 2,  0, 0, 0, 2,  0, 0, 0, 3,  // 1211216, 2 x 2, 3 entries
    0, 0, 0, 2,  0, 0, 0, 1,                                        // of each row
    0, 0, 0, 0,  0, 0, 0, 1,  0, 0, 0, 1,                           // columns
    0x3f, 0xf0, 0, 0, 0, 0, 0, 0,  0xc0, 0, 0, 0, 0, 0, 0, 0,  0x40, 0x08, 0, 0, 0, 0, 0, 0});
// clang-format on

std::string refusal(const std::filesystem::path& file) {
  try {
    static_cast<void>(read_petsc_matrix(file));
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find(file.string() + ": "), 0U);
    return text.substr(file.string().size() + 2);
  }
  return "";
}

TEST(PetscBinary, AMatrixIsTheseBytesAndComesBack) {
  const TemporaryFolder folder;
  write_petsc(folder / "A.petsc", small(), 2);

  EXPECT_EQ(read_text_file(folder / "A.petsc"), kBytes);
  EXPECT_EQ(read_text_file(folder / "A.petsc.info"), "-matload_block_size 2\n");
  const Csr A = read_petsc_matrix(folder / "A.petsc");
  ASSERT_EQ(A.nonzeros(), 3);
  EXPECT_EQ(A.row_begin(1), 2);
  EXPECT_EQ(A.column(2), 1);
  EXPECT_EQ(A.value(1), -2.0);
}

TEST(PetscBinary, AVectorComesBackToTheLastBit) {
  const TemporaryFolder folder;
  const Vector v("v", 3);
  v(0) = 0.1;
  v(1) = -0.0;
  v(2) = 1e-310;
  write_petsc(folder / "b.petsc", ConstVector(v));

  const Vector back = read_petsc_vector(folder / "b.petsc");

  for (int k = 0; k < 3; ++k) EXPECT_EQ(std::signbit(back(k)), std::signbit(v(k)));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(back(k), v(k));
}

TEST(PetscBinary, FilesThatAreNoneAreRefusedWithTheReason) {
  const TemporaryFolder folder;
  const auto file = folder / "A.petsc";
  const auto of = [&](const std::string& text) {
    write_file(file, text);
    return refusal(file);
  };

  EXPECT_EQ(of(kBytes.substr(0, 40)), "40 bytes, its head asks for 60: the file was cut off");
  EXPECT_EQ(of(kBytes + "x"), "61 bytes, its head asks for 60: something follows its end");
  EXPECT_EQ(of(bytes({0x50, 0x7b, 0x12, 0, 0, 0, 0, 0})),
            "the least significant byte is first; PETSc files have it last");
  EXPECT_EQ(
      of(bytes({0, 0, 0, 0, 0, 0x12, 0x7b, 0x50})),
      "holds indices of 8 bytes: written by a PETSc of 64-bit integers, 4 bytes are read here");
  EXPECT_EQ(of(kBytes + std::string(24, '\0')), "holds complex numbers; real ones are read here");
  EXPECT_EQ(of("%%MatrixMarket"), "begins with 623201633, a PETSc matrix with 1211216");
  std::string wrong = kBytes;
  wrong[27] = 7;
  EXPECT_EQ(of(wrong), "row 1: column 8 is out of range");
  wrong = kBytes;
  wrong[23] = 0x7f;
  EXPECT_EQ(of(wrong), "row 2 has 127 entries");
  wrong = kBytes;
  wrong[36] = 0x7f;
  EXPECT_EQ(of(wrong), "value 1 is not a finite number");
  EXPECT_EQ(of(""), "0 bytes are not a PETSc matrix");
}

TEST(PetscBinary, AnExportedSystemKeepsItsPartsInBothFormats) {
  const TemporaryFolder folder;
  ExportedSystem system{small(), false, Vector("b", 2), std::nullopt, "{\"scene\": \"arch\"}", {}};
  (*system.b)(1) = 0.25;
  write_exported_system(folder / "s", system, SystemFormat::kPetsc);
  EXPECT_TRUE(is_exported_system(folder / "s"));
  EXPECT_EQ(matrix_of(folder / "s"), folder / "s/A.petsc");

  const ExportedSystem back = read_exported_system(folder / "s");
  add_format(folder / "s", back, SystemFormat::kMatrixMarket);

  EXPECT_FALSE(back.symmetric);
  EXPECT_EQ((*back.b)(1), 0.25);
  for (const char* name : {"A.petsc", "A_sym.petsc", "b.petsc", "A.mtx", "A_sym.mtx", "b.mtx"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "s" / name)) << name;
    EXPECT_NE(read_text_file(folder / "s/system.json").find(name), std::string::npos) << name;
  }
  EXPECT_NE(read_text_file(folder / "s/system.json").find("arch"), std::string::npos);
}

}  // namespace
}  // namespace nsn
