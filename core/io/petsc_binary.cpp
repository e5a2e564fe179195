#include "nsn/core/io/petsc_binary.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/text_file.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t kMatrix = 1211216;
constexpr std::int32_t kVector = 1211214;
constexpr std::uint64_t kInt = 4;
constexpr std::uint64_t kReal = 8;

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

/// The bytes of a number, the most significant first, both ways.
template <class Bits>
Bits ordered(Bits bits) {
  if constexpr (std::endian::native == std::endian::big) return bits;
  Bits out = 0;
  for (std::size_t k = 0; k < sizeof(Bits); ++k, bits >>= 8U) out = (out << 8U) | (bits & 0xffU);
  return out;
}

/// The number that these bytes are in the other order.
std::int32_t swapped(std::int32_t value) {
  auto bits = static_cast<std::uint32_t>(value);
  bits = (bits >> 24U) | ((bits >> 8U) & 0xff00U) | ((bits << 8U) & 0xff0000U) | (bits << 24U);
  return static_cast<std::int32_t>(bits);
}

class Writer {
 public:
  explicit Writer(const fs::path& path) : file_(path) {}

  void put(std::int32_t value) { append(ordered(static_cast<std::uint32_t>(value))); }
  void put(double value) { append(ordered(std::bit_cast<std::uint64_t>(value))); }
  void commit() {
    file_.write(buffer_);
    file_.commit();
  }

 private:
  template <class Bits>
  void append(Bits bits) {
    constexpr std::size_t kFull = 1U << 20U;
    std::array<char, sizeof(Bits)> bytes;
    std::memcpy(bytes.data(), &bits, sizeof(Bits));
    buffer_.append(bytes.data(), bytes.size());
    if (buffer_.size() < kFull) return;
    file_.write(buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::string buffer_;
};

class Reader {
 public:
  explicit Reader(const fs::path& path)
      : path_(path), bytes_(read_text_file(path)), size_(bytes_.size()) {}
  /// Of the first bytes alone.
  Reader(const fs::path& path, std::size_t head) : path_(path) {
    std::error_code error;
    size_ = fs::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    bytes_.resize(head);
    if (error || !file) refuse(error ? error.message() : "cannot be read");
    file.read(bytes_.data(), static_cast<std::streamsize>(head));
    bytes_.resize(static_cast<std::size_t>(file.gcount()));
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw InputError(fmt::format("{}: {}", path_.string(), reason));
  }

  /// The first number of the file, which says what it holds.
  void expect(std::int32_t id, const char* what) {
    if (size() < 2 * kInt) refuse(fmt::format("{} bytes are not a PETSc {}", size(), what));
    const std::int32_t found = integer();
    if (found == id) return;
    if (swapped(found) == id) {
      refuse("the least significant byte is first; PETSc files have it last");
    }
    if (found == 0 && integer() == id) {
      refuse(
          "holds indices of 8 bytes: written by a PETSc of 64-bit integers, 4 bytes are read here");
    }
    refuse(fmt::format("begins with {}, a PETSc {} with {}", found, what, id));
  }

  /// The size of the file is known from its head.
  void expect_size(std::uint64_t expected, std::uint64_t reals) const {
    if (size() == expected) return;
    if (size() == expected + kReal * reals && reals > 0) {
      refuse("holds complex numbers; real ones are read here");
    }
    refuse(fmt::format("{} bytes, its head asks for {}: {}", size(), expected,
                       size() < expected ? "the file was cut off" : "something follows its end"));
  }

  std::int32_t integer() { return std::bit_cast<std::int32_t>(ordered(take<std::uint32_t>())); }
  double real() { return std::bit_cast<double>(ordered(take<std::uint64_t>())); }
  std::uint64_t size() const { return size_; }

 private:
  template <class Bits>
  Bits take() {
    Bits bits = 0;
    std::memcpy(&bits, bytes_.data() + at_, sizeof(Bits));
    at_ += sizeof(Bits);
    return bits;
  }

  fs::path path_;
  std::string bytes_;
  std::uint64_t size_ = 0;  // of the file
  std::size_t at_ = 0;
};

PetscHead take_head(Reader& file) {
  file.expect(kMatrix, "matrix");
  if (file.size() < 4 * kInt) file.refuse("the file was cut off in its head");
  PetscHead head;
  head.rows = file.integer();
  head.columns = file.integer();
  head.entries = file.integer();
  if (head.entries == -1) file.refuse("holds a dense matrix; sparse ones are read here");
  if (head.rows < 0 || head.columns < 0 || head.entries < 0) {
    file.refuse(fmt::format("{} x {} with {} entries is not a matrix", head.rows, head.columns,
                            head.entries));
  }
  const auto rows = static_cast<std::uint64_t>(head.rows);
  const auto count = static_cast<std::uint64_t>(head.entries);
  file.expect_size(kInt * (4 + rows + count) + kReal * count, count);
  return head;
}

Index take_vector_head(Reader& file) {
  file.expect(kVector, "vector");
  const std::int32_t entries = file.integer();
  if (entries < 0) file.refuse(fmt::format("{} entries are not a vector", entries));
  const auto count = static_cast<std::uint64_t>(entries);
  file.expect_size(2 * kInt + kReal * count, count);
  return entries;
}

void take_values(Reader& file, const Vector& value) {
  for (Index k = 0; k < size_of(value); ++k) {
    value(k) = file.real();
    if (!(value(k) - value(k) == 0.0)) {
      file.refuse(fmt::format("value {} is not a finite number", k + 1));
    }
  }
}

void take_columns(Reader& file, Csr& A) {
  for (Index i = 0; i < A.rows; ++i) {
    Index last = -1;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const Index j = file.integer();
      if (j <= last || j >= A.columns) {
        file.refuse(fmt::format("row {}: column {} is {}", i + 1, j + 1,
                                j < A.columns && j >= 0 ? "out of order" : "out of range"));
      }
      A.column(k) = last = j;
    }
  }
}

}  // namespace

void write_petsc(const fs::path& path, const Csr& A, Index block_size) {
  Writer file(path);
  for (const Index head : {Index{kMatrix}, A.rows, A.columns, A.nonzeros()}) file.put(head);
  for (Index i = 0; i < A.rows; ++i) file.put(A.row_begin(i + 1) - A.row_begin(i));
  for (Index k = 0; k < A.nonzeros(); ++k) file.put(A.column(k));
  for (Index k = 0; k < A.nonzeros(); ++k) file.put(A.value(k));
  file.commit();
  const fs::path info = path.string() + ".info";
  std::error_code absent;
  fs::remove(info, absent);
  if (block_size > 1) write_file(info, fmt::format("-matload_block_size {}\n", block_size));
}

void write_petsc(const fs::path& path, ConstVector v) {
  Writer file(path);
  file.put(kVector);
  file.put(size_of(v));
  for (Index k = 0; k < size_of(v); ++k) file.put(v(k));
  file.commit();
}

PetscHead read_petsc_matrix_head(const fs::path& path) {
  Reader file(path, 4 * kInt);
  return take_head(file);
}

Index read_petsc_vector_head(const fs::path& path) {
  Reader file(path, 2 * kInt);
  return take_vector_head(file);
}

Csr read_petsc_matrix(const fs::path& path) {
  Reader file(path);
  const PetscHead head = take_head(file);
  Csr A;
  A.rows = head.rows;
  A.columns = head.columns;
  const Index entries = head.entries;
  const auto rows = static_cast<std::uint64_t>(A.rows);
  const auto count = static_cast<std::uint64_t>(entries);
  A.row_begin = IndexVector("row_begin", rows + 1);
  std::int64_t sum = 0;
  for (Index i = 0; i < A.rows; ++i) {
    const std::int32_t length = file.integer();
    sum += length;
    if (length < 0 || sum > entries)
      file.refuse(fmt::format("row {} has {} entries", i + 1, length));
    A.row_begin(i + 1) = static_cast<Index>(sum);
  }
  if (sum != entries) file.refuse(fmt::format("rows of {} entries, {} in all", sum, entries));
  A.column = IndexVector("column", count);
  A.value = Vector("value", count);
  take_columns(file, A);
  take_values(file, A.value);
  return A;
}

Vector read_petsc_vector(const fs::path& path) {
  Reader file(path);
  const auto count = static_cast<std::uint64_t>(take_vector_head(file));
  Vector v("v", count);
  take_values(file, v);
  return v;
}

}  // namespace nsn
