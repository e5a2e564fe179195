// The HDF5 half of core/io/fclib.h. Without the library every entry says so.
#include "nsn/core/io/fclib.h"

#include "nsn/core/base/error.h"

#if defined(NSN_WITH_HDF5)

#include <cstring>
#include <filesystem>
#include <type_traits>
#include <unistd.h>

#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/child_process.h"
#include "nsn/core/io/hdf5_file.h"

namespace nsn {

namespace {

constexpr const char* kLocal = "/fclib_local";
constexpr const char* kGlobal = "/fclib_global";

FclibMatrix read_matrix(const Hdf5Reader& file, const std::string& group) {
  FclibMatrix A;
  A.m = file.integer(group + "/m");
  A.n = file.integer(group + "/n");
  A.nz = file.integer(group + "/nz");
  A.p = file.integers(group + "/p");
  A.i = file.integers(group + "/i");
  A.x = file.numbers(group + "/x");
  return A;
}

void refuse_extras(const Hdf5Reader& file, const std::string& path, const char* reason) {
  if (file.has(path)) file.fail(path, reason);
}

FclibContent read_local(const Hdf5Reader& file) {
  const std::string root = kLocal;
  for (const char* extra : {"/V", "/R", "/vectors/s"}) {
    refuse_extras(file, root + extra, "equality constraints beside the contacts are not supported");
  }
  FclibContent content;
  content.spacedim = file.integer(root + "/spacedim");
  content.mu = file.numbers(root + "/vectors/mu");
  content.q = file.numbers(root + "/vectors/q");
  content.A = read_matrix(file, root + "/W");
  return content;
}

FclibContent read_global(const Hdf5Reader& file) {
  const std::string root = kGlobal;
  for (const char* extra : {"/G", "/vectors/b"}) {
    refuse_extras(file, root + extra, "equality constraints beside the contacts are not supported");
  }
  FclibContent content;
  content.global = true;
  content.spacedim = file.integer(root + "/spacedim");
  content.mu = file.numbers(root + "/vectors/mu");
  content.w = file.numbers(root + "/vectors/w");
  content.q = file.numbers(root + "/vectors/f");
  content.A = read_matrix(file, root + "/M");
  content.H = read_matrix(file, root + "/H");
  return content;
}

FclibContent read_here(const std::string& path) {
  const Hdf5Reader file(path);
  if (file.has(kLocal)) return read_local(file);
  if (file.has(kGlobal)) return read_global(file);
  refuse_extras(file, "/fclib_global_rolling",
                "rolling friction is not supported, only 2D and 3D contacts");
  refuse_extras(file, "/fclib_local_rolling",
                "rolling friction is not supported, only 2D and 3D contacts");
  throw InputError(fmt::format("{}: {}: is missing, and so is {}", path, kLocal, kGlobal));
}

/// Applies `archive` to every field, in one order for packing and unpacking.
template <class Content, class Archive>
void for_each_field(Content& content, Archive&& archive) {
  archive(content.global);
  archive(content.spacedim);
  for (auto* A : {&content.A, &content.H}) {
    archive(A->m);
    archive(A->n);
    archive(A->nz);
    archive(A->p);
    archive(A->i);
    archive(A->x);
  }
  archive(content.q);
  archive(content.w);
  archive(content.mu);
}

class Packer {
 public:
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      append(&value, sizeof value);
    } else {
      (*this)(static_cast<std::uint64_t>(value.size()));
      append(value.data(), value.size() * sizeof(typename T::value_type));
    }
  }
  std::string bytes;

 private:
  void append(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  }
};

/// Reads what Packer wrote; the bytes come from a child that may have been damaged by what it read.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      take(&value, sizeof value);
    } else {
      std::uint64_t length = 0;
      (*this)(length);
      constexpr std::size_t kWidth = sizeof(typename T::value_type);
      if (length > (bytes_.size() - position_) / kWidth)
        throw InputError("the answer is incomplete");
      value.resize(length);
      take(value.data(), length * kWidth);
    }
  }

 private:
  void take(void* data, std::size_t size) {
    if (size > bytes_.size() - position_) throw InputError("the answer is incomplete");
    if (size > 0) std::memcpy(data, bytes_.data() + position_, size);
    position_ += size;
  }
  const std::string& bytes_;
  std::size_t position_ = 0;
};

/// Some damaged containers keep the library busy for ever; a whole one takes less by far.
int seconds_allowed(const std::string& path) {
  constexpr double kBytesPerSecond = 20e6;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return 5 + (error ? 0 : static_cast<int>(static_cast<double>(size) / kBytesPerSecond));
}

FclibContent read_in_child(const std::string& path) {
  const auto read = [&path] {
    FclibContent content = read_here(path);
    Packer pack;
    for_each_field(content, pack);
    return std::move(pack.bytes);
  };
  const ChildOutcome outcome = run_in_child(read, seconds_allowed(path));
  if (outcome.kind == ChildOutcome::Kind::kRefused) throw InputError(outcome.bytes);
  if (outcome.kind == ChildOutcome::Kind::kDied) {
    throw InputError(fmt::format(
        "{}: damaged HDF5 container: the HDF5 library broke down on it ({})", path, outcome.bytes));
  }
  FclibContent content;
  for_each_field(content, Unpacker(outcome.bytes));
  return content;
}

std::vector<int> to_ints(const IndexVector& v) {
  return {v.data(), v.data() + v.extent(0)};
}

void write_sizes(Hdf5Writer& file, const std::string& group, const Csr& A, int nz) {
  file.integer(group + "/nzmax", A.nonzeros());
  file.integer(group + "/m", A.rows);
  file.integer(group + "/n", A.columns);
  file.integer(group + "/nz", nz);
}

void write_compressed_rows(Hdf5Writer& file, const std::string& group, const Csr& A) {
  write_sizes(file, group, A, -2);
  file.integers(group + "/p", to_ints(A.row_begin));
  file.integers(group + "/i", to_ints(A.column));
  file.numbers(group + "/x", A.value.data(), A.value.extent(0));
}

void write_triplets(Hdf5Writer& file, const std::string& group, const Csr& A) {
  write_sizes(file, group, A, A.nonzeros());
  std::vector<int> row;
  for (Index i = 0; i < A.rows; ++i) {
    row.insert(row.end(), static_cast<std::size_t>(A.row_begin(i + 1) - A.row_begin(i)), i);
  }
  file.integers(group + "/p", to_ints(A.column));
  file.integers(group + "/i", row);
  file.numbers(group + "/x", A.value.data(), A.value.extent(0));
}

void write_vector(Hdf5Writer& file, const std::string& dataset, ConstVector v) {
  file.numbers(dataset, v.data(), v.extent(0));
}

void write_solution(Hdf5Writer& file, const char* name, ConstVector v, std::size_t length) {
  if (v.extent(0) == 0 && length > 0) return;
  NSN_THROW_UNLESS(v.extent(0) == length, "solution {} has {} entries, the problem asks for {}",
                   name, v.extent(0), length);
  write_vector(file, fmt::format("/solution/{}", name), v);
}

void write_notes(Hdf5Writer& file, const std::string& root, const FclibNotes& notes) {
  file.text(root + "/info/title", notes.title);
  file.text(root + "/info/description", notes.description);
  file.text(root + "/info/math_info", notes.math_info);
}

}  // namespace

FclibContent read_fclib_content(const std::string& path, Isolation isolation) {
  return isolation == Isolation::kNone ? read_here(path) : read_in_child(path);
}

FclibSolution read_fclib_solution(const std::string& path) {
  const Hdf5Reader file(path);
  FclibSolution solution;
  if (file.has("/solution/r")) solution.r = file.numbers("/solution/r");
  if (file.has("/solution/u")) solution.u = file.numbers("/solution/u");
  if (file.has("/solution/v")) solution.v = file.numbers("/solution/v");
  return solution;
}

void write_fclib(const std::string& path, const FrictionProblem& problem, const FclibNotes& notes) {
  Hdf5Writer file(path);
  const std::string root = kLocal;
  file.integer(root + "/spacedim", problem.dimension);
  write_compressed_rows(file, root + "/W", problem.W);
  write_vector(file, root + "/vectors/q", problem.q);
  write_vector(file, root + "/vectors/mu", problem.mu);
  write_notes(file, root, notes);
  write_solution(file, "u", notes.u, problem.q.extent(0));
  write_solution(file, "r", notes.r, problem.q.extent(0));
  write_file(path, file.bytes());
}

void write_fclib(const std::string& path, const GlobalFrictionProblem& problem,
                 const FclibNotes& notes) {
  Hdf5Writer file(path);
  const std::string root = kGlobal;
  file.integer(root + "/spacedim", problem.dimension);
  write_triplets(file, root + "/M", problem.M);
  write_triplets(file, root + "/H", problem.H);
  write_vector(file, root + "/vectors/f", problem.f);
  write_vector(file, root + "/vectors/w", problem.w);
  write_vector(file, root + "/vectors/mu", problem.mu);
  write_notes(file, root, notes);
  write_solution(file, "v", notes.v, problem.f.extent(0));
  write_solution(file, "u", notes.u, problem.w.extent(0));
  write_solution(file, "r", notes.r, problem.w.extent(0));
  write_file(path, file.bytes());
}

}  // namespace nsn

#else

namespace nsn {

namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(fmt::format("{}: FCLIB files need HDF5, and nsn was built without HDF5", path));
}

}  // namespace

FclibContent read_fclib_content(const std::string& path, Isolation) {
  refuse(path);
}
FclibSolution read_fclib_solution(const std::string& path) {
  refuse(path);
}
void write_fclib(const std::string& path, const FrictionProblem&, const FclibNotes&) {
  refuse(path);
}
void write_fclib(const std::string& path, const GlobalFrictionProblem&, const FclibNotes&) {
  refuse(path);
}

}  // namespace nsn

#endif
