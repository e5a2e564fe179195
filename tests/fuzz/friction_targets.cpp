#include "tests/fuzz/friction_targets.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/error.h"
#include "core/io/contactbench.h"
#include "core/io/siconos_text.h"

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

}  // namespace nsn::fuzz
