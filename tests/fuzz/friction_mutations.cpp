#include "tests/fuzz/friction_mutations.h"

#include <array>
#include <cmath>
#include <limits>

#include "nsn/core/io/siconos_text.h"
#include "tests/support/friction_samples.h"
#include "tests/support/npz_samples.h"

namespace nsn::fuzz {

namespace {

constexpr std::array<const char*, 36> kHostileTokens = {"-1",
                                                        "0",
                                                        "1",
                                                        "2",
                                                        "3",
                                                        "5",
                                                        "nan",
                                                        "-nan",
                                                        "inf",
                                                        "-inf",
                                                        "1e999",
                                                        "-1e999",
                                                        "1e-999",
                                                        "1e308",
                                                        "1000000000000",
                                                        "2147483647",
                                                        "2147483648",
                                                        "-2147483648",
                                                        "4294967296",
                                                        "9223372036854775807",
                                                        "9223372036854775808",
                                                        "99999999999999999999999999",
                                                        ":",
                                                        "col",
                                                        "row",
                                                        "to",
                                                        "locations",
                                                        "CSparse",
                                                        "triplet:",
                                                        "csr:",
                                                        "0x10",
                                                        "+3",
                                                        "--1",
                                                        "1.5",
                                                        "",
                                                        "2-by-2, nzmax: 1 nnz: 1000000000000"};

std::size_t below(std::size_t n, Random& random) {
  return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

/// A short stretch of the text.
std::pair<std::size_t, std::size_t> piece(const std::string& text, Random& random) {
  const std::size_t begin = below(text.size() + 1, random);
  return {begin, below(std::min<std::size_t>(text.size() - begin, 64) + 1, random)};
}

/// The token around a random place.
std::pair<std::size_t, std::size_t> token(const std::string& text, Random& random) {
  constexpr const char* kSpace = " \t\n";
  const std::size_t at = below(text.size() + 1, random);
  const std::size_t before = text.find_last_of(kSpace, at == 0 ? 0 : at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
  return {begin, end - begin};
}

void change(std::string& text, const std::vector<std::string>& corpus, Random& random) {
  const auto [begin, length] = piece(text, random);
  switch (below(9, random)) {
    case 0:
      if (begin < text.size())
        text[begin] = static_cast<char>(text[begin] ^ (1 << below(8, random)));
      break;
    case 1:
      if (begin < text.size()) text[begin] = static_cast<char>(below(256, random));
      break;
    case 2:
      text.erase(begin, length);
      break;
    case 3:
      text.insert(begin, text.substr(begin, length));
      break;
    case 4:
      text.insert(below(text.size() + 1, random), text.substr(begin, length));
      break;
    case 5: {
      const std::string& other = corpus[below(corpus.size(), random)];
      const auto [from, count] = piece(other, random);
      text.insert(begin, other.substr(from, count));
      break;
    }
    case 6:
      if (below(4, random) == 0) text.resize(begin);
      break;
    default: {
      const auto [at, size] = token(text, random);
      text.replace(at, size, kHostileTokens[below(kHostileTokens.size(), random)]);
    }
  }
}

std::int64_t hostile_integer(Random& random) {
  constexpr std::array<std::int64_t, 12> kValues = {-1,
                                                    0,
                                                    1,
                                                    -2,
                                                    -3,
                                                    2,
                                                    1000000000000,
                                                    2147483647,
                                                    2147483648,
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::numeric_limits<std::int64_t>::min(),
                                                    5};
  return kValues[below(kValues.size(), random)];
}

double hostile_number(Random& random) {
  constexpr std::array<double, 7> kValues = {-1.0,
                                             0.0,
                                             1e308,
                                             -1e308,
                                             1e-320,
                                             std::numeric_limits<double>::infinity(),
                                             std::numeric_limits<double>::quiet_NaN()};
  return kValues[below(kValues.size(), random)];
}

void change(std::vector<std::int64_t>& values, Random& random) {
  if (values.empty() || below(4, random) == 0)
    return values.resize(below(values.size() + 3, random));
  values[below(values.size(), random)] = hostile_integer(random);
}

void change(std::vector<double>& values, Random& random) {
  if (values.empty() || below(4, random) == 0)
    return values.resize(below(values.size() + 3, random));
  values[below(values.size(), random)] = hostile_number(random);
}

void change(FclibMatrix& A, Random& random) {
  switch (below(6, random)) {
    case 0:
      A.m = hostile_integer(random);
      break;
    case 1:
      A.n = hostile_integer(random);
      break;
    case 2:
      A.nz = hostile_integer(random);
      break;
    case 3:
      change(A.p, random);
      break;
    case 4:
      change(A.i, random);
      break;
    default:
      change(A.x, random);
  }
}

void change(FclibContent& content, Random& random) {
  switch (below(8, random)) {
    case 0:
      content.spacedim = hostile_integer(random);
      break;
    case 1:
      content.global = !content.global;
      break;
    case 2:
      change(content.q, random);
      break;
    case 3:
      change(content.w, random);
      break;
    case 4:
      change(content.mu, random);
      break;
    case 5:
      change(content.H, random);
      break;
    default:
      change(content.A, random);
  }
}

FclibMatrix triplets(const Csr& A) {
  FclibMatrix result{A.rows, A.columns, A.nonzeros(), {}, {}, {}};
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      result.i.push_back(i);
      result.p.push_back(A.column(k));
      result.x.push_back(A.value(k));
    }
  }
  return result;
}

/// Compressed rows, or columns when the storage says so: the counts fit either way as A is square.
FclibMatrix compressed(const Csr& A, std::int64_t storage) {
  FclibMatrix result = triplets(A);
  result.nz = storage;
  result.p.clear();
  for (Index i = 0; i <= A.rows; ++i) result.p.push_back(A.row_begin(i));
  for (Index k = 0; k < A.nonzeros(); ++k) result.i[static_cast<std::size_t>(k)] = A.column(k);
  return result;
}

std::vector<double> values(const Vector& v) {
  return {v.data(), v.data() + v.extent(0)};
}

}  // namespace

std::vector<std::string> text_corpus() {
  const FrictionProblem local = test::two_contacts();
  const std::string any(1, '\0');
  const std::array<std::string, 4> forced = {any, std::string(1, '\1'), std::string(1, '\2'),
                                             std::string(1, '\3')};
  const std::string tail = "-1 2\n0.5\n";
  return {
      any + to_siconos_text(test::two_contacts(2)),
      any + to_siconos_text(local),
      forced[1] + to_siconos_text(local),
      any + to_siconos_text(test::one_contact_between_two_particles()),
      forced[2] + to_siconos_text(test::one_contact_between_two_particles()),
      any + to_siconos_text(LinearComplementarityProblem{local.W, local.q}),
      forced[3] + to_siconos_text(LinearComplementarityProblem{local.W, local.q}),
      any + "2 1\n0 2 2\n2 2\n1 2\n4 3\n-1 0.25\n0.5\n",
      any +
          "2 1 2 2 2 2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 3\n col 0 : locations 0 to 1\n"
          " 0 : 7\n 1 : 8\n col 1 : locations 2 to 1\n" +
          tail,
      any +
          "2 1 2 2 2 3\nCSparse\ncsr: 2-by-2, nzmax: 2 nnz: 2\n row 0 : locations 0 to 0\n 0 : 7\n"
          " row 1 : locations 1 to 1\n 1 : 8\n" +
          tail,
      any + "3 0 1 0 0 0",
      any + "5\n1\n0\n5\n5\n5 5\n1 2 3"};
}

std::vector<std::string> archive_corpus() {
  return {test::npz_entry("G.npy", "(3, 3)", {0, 1, 2, 10, 11, 12, 20, 21, 22}) +
          test::npz_entry("g.npy", "(3, 1)", {5, 6, 7}) +
          test::npz_entry("mus.npy", "(1,)", {0.9})};
}

std::vector<FclibContent> content_corpus() {
  const FrictionProblem local = test::two_contacts();
  const GlobalFrictionProblem global = test::one_contact_between_two_particles();
  std::vector<FclibContent> corpus;
  for (const std::int64_t storage : {-1, -2}) {
    corpus.push_back(
        {false, 3, compressed(local.W, storage), {}, values(local.q), {}, values(local.mu)});
  }
  corpus.push_back({true, 3, triplets(global.M), triplets(global.H), values(global.f),
                    values(global.w), values(global.mu)});
  return corpus;
}

std::string mutate(const std::vector<std::string>& corpus, Random& random) {
  std::string text = corpus[below(corpus.size(), random)];
  const std::size_t changes = 1 + below(8, random);
  for (std::size_t i = 0; i < changes; ++i) change(text, corpus, random);
  return text;
}

FclibContent mutate(const std::vector<FclibContent>& corpus, Random& random) {
  FclibContent content = corpus[below(corpus.size(), random)];
  const std::size_t changes = 1 + below(4, random);
  for (std::size_t i = 0; i < changes; ++i) change(content, random);
  return content;
}

}  // namespace nsn::fuzz
