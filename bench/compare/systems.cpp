#include "bench/compare/systems.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <system_error>

#include "nsn/core/base/error.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/petsc_binary.h"

namespace nsn::bench {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_system_file(const fs::path& path) {
  return (path.extension() == ".petsc" || is_matrix_file(path)) && is_file(path);
}

/// Without .mtx, .mtx.gz or .petsc.
std::string stem_of(const fs::path& matrix) {
  const fs::path unpacked = matrix.extension() == ".gz" ? matrix.stem() : matrix;
  return unpacked.stem().string();
}

/// Right-hand sides that would belong to a matrix file, best first.
std::vector<fs::path> rhs_candidates(const fs::path& matrix) {
  const std::string stem = stem_of(matrix);
  std::vector<std::string> names;
  if (stem == "A" || stem == "A_sym") names.emplace_back("b.mtx");
  for (const char* ending : {"_b.mtx", "_rhs.mtx", ".rhs.mtx", ".b.mtx"})
    names.push_back(stem + ending);
  std::vector<fs::path> out;
  for (const std::string& name : names) {
    if (matrix.extension() == ".petsc") {
      out.push_back(matrix.parent_path() / fs::path(name).replace_extension(".petsc"));
      continue;
    }
    out.push_back(matrix.parent_path() / name);
    out.push_back(matrix.parent_path() / (name + ".gz"));
  }
  return out;
}

SystemSource matrix_file(const fs::path& path, std::string name) {
  SystemSource source{std::move(name), path, std::nullopt, false, {}};
  for (const fs::path& rhs : rhs_candidates(path)) {
    if (!source.rhs && is_file(rhs)) source.rhs = rhs;
  }
  return source;
}

/// Name of something found under a root folder: its path from there, without the ending.
std::string name_below(const fs::path& root, const fs::path& path) {
  const fs::path relative = path.lexically_relative(root);
  if (relative.empty() || relative == ".") return fs::weakly_canonical(path).filename().string();
  return (relative.parent_path() / stem_of(relative)).generic_string();
}

void find_below(const fs::path& root, const fs::path& folder, std::vector<SystemSource>& out) {
  if (is_exported_system(folder)) {
    const fs::path relative = folder.lexically_relative(root);
    const std::string name = relative == "." || relative.empty()
                                 ? fs::weakly_canonical(folder).filename().string()
                                 : relative.generic_string();
    out.push_back({name, folder, std::nullopt, true, {}});
    const fs::path symmetric =
        folder / fmt::format("A_sym{}", matrix_of(folder).extension().string());
    if (is_file(symmetric)) out.push_back(matrix_file(symmetric, name + " (A_sym)"));
    return;
  }
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry) && !fs::is_symlink(entry)) {
      find_below(root, entry, out);
    } else if (is_system_file(entry)) {
      out.push_back(matrix_file(entry, name_below(root, entry)));
    }
  }
}

void find_in_folder(const fs::path& folder, std::vector<SystemSource>& out) {
  const std::size_t before = out.size();
  find_below(folder, folder, out);
  if (out.size() == before) {
    out.push_back({folder.string(), folder, std::nullopt, false, "the folder holds no .mtx file"});
  }
}

/// Right-hand sides of other systems and second mentions are no systems of their own.
void drop_right_hand_sides_and_repeats(std::vector<SystemSource>& sources) {
  std::set<fs::path> taken;
  for (const SystemSource& source : sources) {
    if (source.rhs) taken.insert(fs::weakly_canonical(*source.rhs));
  }
  std::erase_if(sources, [&](const SystemSource& source) {
    return !taken.insert(fs::weakly_canonical(source.path)).second;
  });
}

void make_names_unique(std::vector<SystemSource>& sources) {
  std::map<std::string, int> uses;
  for (const SystemSource& source : sources) ++uses[source.name];
  for (SystemSource& source : sources) {
    if (uses[source.name] > 1) source.name = source.path.string();
  }
}

/// The matrix of a file, square or refused.
MatrixMarket read_square(const fs::path& path) {
  MatrixMarket matrix;
  if (path.extension() == ".petsc") {
    matrix.A = read_petsc_matrix(path);
  } else {
    matrix = read_matrix_market(path);
  }
  const Csr& A = matrix.A;
  if (A.rows != A.columns) {
    throw InputError(A.columns == 1
                         ? fmt::format("{}: {} x 1 is a vector, a system needs a square matrix",
                                       path.string(), A.rows)
                         : fmt::format("{}: {} x {} is rectangular, a system needs a square matrix",
                                       path.string(), A.rows, A.columns));
  }
  return matrix;
}

Vector read_rhs(const fs::path& path, Index rows) {
  const Vector b =
      path.extension() == ".petsc" ? read_petsc_vector(path) : read_matrix_market_vector(path);
  if (size_of(b) != rows) {
    throw InputError(
        fmt::format("{}: {} entries for a system of {} rows", path.string(), b.extent(0), rows));
  }
  return b;
}

}  // namespace

bool is_matrix_file(const fs::path& path) {
  return path.extension() == ".mtx" ||
         (path.extension() == ".gz" && path.stem().extension() == ".mtx");
}

std::vector<SystemSource> find_systems(const std::vector<fs::path>& paths) {
  std::vector<SystemSource> sources;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      find_in_folder(path, sources);
    } else {
      sources.push_back(matrix_file(path, stem_of(path)));
    }
  }
  drop_right_hand_sides_and_repeats(sources);
  make_names_unique(sources);
  return sources;
}

LinearSystem read_system(const SystemSource& source, std::uint64_t seed) {
  if (!source.refusal.empty()) {
    throw InputError(fmt::format("{}: {}", source.path.string(), source.refusal));
  }
  LinearSystem system{source.name, source.path.string(), {},          true, {},
                      {},          std::nullopt,         std::nullopt};
  std::optional<Vector> b;
  if (source.exported) {
    ExportedSystem exported = read_exported_system(source.path);
    system.A = exported.A;
    system.symmetric = exported.symmetric;
    system.factors = std::move(exported.factors);
    b = exported.b;
    system.positions = exported.positions;
    system.rhs = fmt::format("b{}", matrix_of(source.path).extension().string());
  } else {
    const MatrixMarket matrix = read_square(source.path);
    system.A = matrix.A;
    system.symmetric = is_symmetric(matrix);
    if (source.rhs) {
      b = read_rhs(*source.rhs, system.A.rows);
      system.rhs = source.rhs->filename().string();
    }
  }
  if (b) {
    system.b = *b;
  } else {
    system.b = Vector("b", static_cast<std::size_t>(system.A.rows));
    multiply(system.A, random_solution(system.A.rows, seed), system.b);
    system.rhs = fmt::format("A x*, x* uniform in [-1, 1], seed {}", seed);
  }
  return system;
}

Vector random_solution(Index n, std::uint64_t seed) {
  const Vector x("x*", static_cast<std::size_t>(n));
  std::mt19937_64 random(seed);
  // 53 random bits: std::uniform_real_distribution differs between libraries.
  for (Index i = 0; i < n; ++i) x(i) = static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0;
  return x;
}

}  // namespace nsn::bench
