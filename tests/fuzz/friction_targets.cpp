#include "tests/fuzz/friction_targets.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "nsn/core/base/error.h"
#include "nsn/core/io/contactbench.h"
#include "nsn/core/io/siconos_text.h"
#if defined(NSN_WITH_HDF5)
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/hdf5_file.h"
#endif

namespace nsn::fuzz {

namespace {

void require(bool condition, const char* promise) {
  if (condition) return;
  std::fprintf(stderr, "an accepted input breaks a promise: %s\n", promise);
  std::abort();
}

void check(const Csr& A, Index rows, Index columns) {
  require(A.rows == rows && A.columns == columns, "a matrix fits the counts");
  require(size_of(A.row_begin) == rows + 1 && A.row_begin(rows) == A.nonzeros(),
          "rows are complete");
  for (Index i = 0; i < rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      require(A.column(k) >= 0 && A.column(k) < columns, "a column is in range");
      require(k == A.row_begin(i) || A.column(k - 1) < A.column(k), "columns ascend");
      require(std::isfinite(A.value(k)), "entries are finite");
    }
  }
}

void check(const Vector& v, Index length, const char* promise) {
  require(size_of(v) == length, promise);
  for (Index i = 0; i < length; ++i) require(std::isfinite(v(i)), "vectors are finite");
}

void check_mu(const Vector& mu) {
  for (Index i = 0; i < size_of(mu); ++i) require(mu(i) >= 0.0, "mu is not negative");
}

void check(const FrictionProblem& p) {
  const Index m = p.dimension * p.contacts();
  check(p.W, m, m);
  check(p.q, m, "q fits");
  check_mu(p.mu);
}

void check(const GlobalFrictionProblem& p) {
  const Index m = p.dimension * p.contacts();
  check(p.M, p.dofs(), p.dofs());
  check(p.H, p.dofs(), m);
  check(p.f, p.dofs(), "f fits");
  check(p.w, m, "w fits");
  check_mu(p.mu);
}

void check(const LinearComplementarityProblem& p) {
  check(p.M, size_of(p.q), size_of(p.q));
  check(p.q, p.M.rows, "q fits");
}

FrictionFormat format_of(std::string_view input) {
  constexpr unsigned kFormats = 4;  // auto and the three kinds of text
  return static_cast<FrictionFormat>(static_cast<unsigned char>(input.front()) % kFormats);
}

bool accept(const FrictionFile& file) {
  require(file.format != FrictionFormat::kAuto, "the format is known after reading");
  require(std::isfinite(file.asymmetry), "the asymmetry is a number");
  std::visit([](const auto& problem) { check(problem); }, file.problem);
  return true;
}

#if defined(NSN_WITH_HDF5)

/// As the format stores it: 32 bit, what does not fit is cut.
std::vector<int> narrow(const std::vector<std::int64_t>& values) {
  std::vector<int> result;
  for (const std::int64_t x : values) result.push_back(static_cast<int>(x & 0xffffffff));
  return result;
}

void put_matrix(Hdf5Writer& file, const std::string& group, const FclibMatrix& A) {
  file.integers(group + "/m", narrow({A.m}));
  file.integers(group + "/n", narrow({A.n}));
  file.integers(group + "/nz", narrow({A.nz}));
  file.integers(group + "/p", narrow(A.p));
  file.integers(group + "/i", narrow(A.i));
  file.numbers(group + "/x", A.x.data(), A.x.size());
}

std::string file_bytes(const FclibContent& content) {
  const std::string root = content.global ? "/fclib_global" : "/fclib_local";
  Hdf5Writer file("input");
  file.integers(root + "/spacedim", narrow({content.spacedim}));
  put_matrix(file, root + (content.global ? "/M" : "/W"), content.A);
  if (content.global) {
    put_matrix(file, root + "/H", content.H);
    file.numbers(root + "/vectors/w", content.w.data(), content.w.size());
  }
  file.numbers(root + (content.global ? "/vectors/f" : "/vectors/q"), content.q.data(),
               content.q.size());
  file.numbers(root + "/vectors/mu", content.mu.data(), content.mu.size());
  return file.bytes();
}

#endif

}  // namespace

bool feed_text(std::string_view input) {
  if (input.empty()) return false;
  try {
    const FrictionFile file = parse_siconos_text(input.substr(1), "input", format_of(input));
    accept(file);
    const std::string text =
        std::visit([](const auto& problem) { return to_siconos_text(problem); }, file.problem);
    return accept(parse_siconos_text(text, "written", file.format));
  } catch (const InputError&) {
    return false;
  }
}

bool feed_archive(std::string_view input) {
  try {
    return accept(parse_contactbench(input, "input"));
  } catch (const InputError&) {
    return false;
  }
}

bool feed_content(const FclibContent& content) {
  try {
    return accept(problem_from_fclib(content, "input"));
  } catch (const InputError&) {
    return false;
  }
}

#if defined(NSN_WITH_HDF5)

bool feed_file(const FclibContent& content, const std::string& path) {
  write_file(path, file_bytes(content));
  try {
    return accept(read_fclib(path));
  } catch (const InputError&) {
    return false;
  }
}

#else

bool feed_file(const FclibContent&, const std::string&) {
  return false;
}

#endif

}  // namespace nsn::fuzz
