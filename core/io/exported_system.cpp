#include "nsn/core/io/exported_system.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/petsc_binary.h"
#include "nsn/core/io/text_file.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw InputError(fmt::format("{}: {}", file.string(), reason));
}

/// First entry of H outside its diagonal 3x3 blocks, as text; empty if there is none.
std::string outside_blocks(const Csr& H) {
  for (Index i = 0; i < H.rows; ++i) {
    for (Index k = H.row_begin(i); k < H.row_begin(i + 1); ++k) {
      if (H.column(k) / kBlock != i / kBlock && H.value(k) != 0.0) {
        return fmt::format("({}, {})", i + 1, H.column(k) + 1);
      }
    }
  }
  return {};
}

/// The parts of a folder in one of the two formats.
class Parts {
 public:
  Parts(fs::path folder, SystemFormat format) : folder_(std::move(folder)), format_(format) {}

  fs::path file(const char* part) const { return folder_ / (part + std::string(ending(format_))); }
  bool has(const char* part) const { return is_there(file(part)); }
  bool petsc() const { return format_ == SystemFormat::kPetsc; }

  Csr matrix(const char* part) const {
    return petsc() ? read_petsc_matrix(file(part)) : read_matrix_market(file(part)).A;
  }
  Vector vector(const char* part) const {
    return petsc() ? read_petsc_vector(file(part)) : read_matrix_market_vector(file(part));
  }
  void put(const char* part, const Csr& A, bool one_triangle = false) {
    if (petsc()) {
      write_petsc(file(part), A, A.rows % kBlock == 0 && A.columns % kBlock == 0 ? kBlock : 1);
    } else {
      write_matrix_market(file(part), A, MatrixMarketFormat{one_triangle, {}});
    }
    written_.push_back(file(part).filename().string());
  }
  void put(const char* part, const Vector& v) {
    if (petsc()) {
      write_petsc(file(part), ConstVector(v));
    } else {
      write_matrix_market(file(part), ConstVector(v));
    }
    written_.push_back(file(part).filename().string());
  }
  const Json& written() const { return written_; }

 private:
  fs::path folder_;
  SystemFormat format_;
  Json written_ = Json::array();
};

/// A vector of as many entries as the matrix `of` has rows, where it is there.
std::optional<Vector> read_beside(const Parts& parts, const char* part, const char* of,
                                  Index rows) {
  if (!parts.has(part)) return std::nullopt;
  const Vector v = parts.vector(part);
  if (size_of(v) != rows) {
    refuse(parts.file(part), fmt::format("has {} entries, {} has {} rows", v.extent(0),
                                         parts.file(of).filename().string(), rows));
  }
  return v;
}

SystemFactors read_factors(const Parts& parts, Index rows) {
  if (!parts.has("H"))
    refuse(parts.file("J"), "comes without " + parts.file("H").filename().string());
  SystemFactors factors{parts.matrix("J"), parts.matrix("H"), std::nullopt};
  const Csr& J = factors.J;
  const Csr& H = factors.H;
  const std::string A = parts.file("A").filename().string();
  if (J.rows != rows) {
    refuse(parts.file("J"), fmt::format("has {} rows, {} has {}", J.rows, A, rows));
  }
  if (H.rows != J.columns || H.columns != J.columns) {
    refuse(parts.file("H"), fmt::format("is {} x {}, {} has {} columns", H.rows, H.columns,
                                        parts.file("J").filename().string(), J.columns));
  }
  const std::string outside = outside_blocks(H);
  if (!outside.empty()) {
    refuse(parts.file("H"), fmt::format("entry {} is outside the 3x3 diagonal blocks", outside));
  }
  if (parts.has("C")) {
    factors.C = parts.matrix("C");
    if (factors.C->rows != rows || factors.C->columns != rows) {
      refuse(parts.file("C"), fmt::format("is {} x {}, {} has {} rows", factors.C->rows,
                                          factors.C->columns, A, rows));
    }
  }
  factors.positions = read_beside(parts, "nodes", "H", H.rows);
  return factors;
}

Json parse_description(const std::string& text, const std::string& name) {
  try {
    Json json = Json::parse(text);
    if (!json.is_object()) throw InputError(fmt::format("{}: is not a JSON object", name));
    return json;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", name, printable(error.what(), 160)));
  }
}

/// (A + A^T) / 2
Csr symmetric_part(const Csr& A) {
  std::vector<Triplet> triplets;
  triplets.reserve(2 * A.column.extent(0));
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      triplets.push_back({i, A.column(k), 0.5 * A.value(k)});
      triplets.push_back({A.column(k), i, 0.5 * A.value(k)});
    }
  }
  return csr_from_triplets(A.rows, A.columns, triplets);
}

}  // namespace

std::string_view ending(SystemFormat format) {
  return format == SystemFormat::kPetsc ? ".petsc" : ".mtx";
}

SystemFormat system_format_from(std::string_view word) {
  for (const SystemFormat format : {SystemFormat::kMatrixMarket, SystemFormat::kPetsc}) {
    if (ending(format).substr(1) == word) return format;
  }
  throw std::invalid_argument(fmt::format("'{}' is neither mtx nor petsc", word));
}

bool is_exported_system(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) &&
         (is_there(folder / "A.petsc") || is_there(folder / "A.mtx"));
}

fs::path matrix_of(const fs::path& folder) {
  return folder / (is_there(folder / "A.petsc") ? "A.petsc" : "A.mtx");
}

ExportedSystem read_exported_system(const fs::path& folder) {
  const bool petsc = matrix_of(folder).extension() == ".petsc";
  const Parts parts(folder, petsc ? SystemFormat::kPetsc : SystemFormat::kMatrixMarket);
  MatrixMarket A;
  if (petsc) {
    A.A = parts.matrix("A");
  } else {
    A = read_matrix_market(parts.file("A"));
  }
  if (A.A.rows != A.A.columns) {
    refuse(parts.file("A"), fmt::format("is {} x {}, a system is square", A.A.rows, A.A.columns));
  }
  ExportedSystem system{A.A, is_symmetric(A), {}, {}, "{}", {}};
  system.b = read_beside(parts, "b", "A", A.A.rows);
  bool proximal = false;
  if (is_there(folder / "system.json")) {
    system.description = read_text_file(folder / "system.json");
    const Json json = parse_description(system.description, (folder / "system.json").string());
    proximal = json.contains("form") && json["form"] == "proximal";
  }
  if (!parts.has("J")) {
    system.positions = read_beside(parts, "nodes", "A", A.A.rows);
  } else if (!proximal) {
    system.factors = read_factors(parts, A.A.rows);
  }
  return system;
}

void write_exported_system(const fs::path& folder, const ExportedSystem& system,
                           SystemFormat format) {
  static_cast<void>(parse_description(system.description, "description of a system"));
  std::error_code absent;
  fs::remove(folder / "system.json", absent);
  for (const char* part : {"A", "A_sym", "b", "J", "H", "C", "nodes"}) {
    for (const char* end : {".mtx", ".petsc", ".petsc.info"}) {
      fs::remove(folder / (std::string(part) + end),
                 absent);  // no part of an older system may stay
    }
  }
  add_format(folder, system, format);
}

void add_format(const fs::path& folder, const ExportedSystem& system, SystemFormat format) {
  Json description = parse_description(system.description, "description of a system");
  Parts parts(folder, format);
  // One triangle only where nothing is lost by it.
  parts.put("A", system.A, system.symmetric && asymmetry(system.A) == 0.0);
  if (!system.symmetric) parts.put("A_sym", symmetric_part(system.A), true);
  if (system.b) parts.put("b", *system.b);
  if (system.positions && !system.factors) parts.put("nodes", *system.positions);
  if (system.factors) {
    if (system.factors->positions) parts.put("nodes", *system.factors->positions);
    parts.put("J", system.factors->J);
    parts.put("H", system.factors->H);
    if (system.factors->C) parts.put("C", *system.factors->C);
  }
  description["format"] = "nsn-system-1";
  description["rows"] = system.A.rows;
  description["nonzeros"] = system.A.nonzeros();
  description["symmetric"] = system.symmetric;
  Json files = parts.written();
  if (description.contains("files") && is_there(folder / "system.json")) {
    for (const Json& file : description["files"]) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
  }
  description["files"] = std::move(files);
  write_file(folder / "system.json", description.dump(2) + "\n");
}

}  // namespace nsn
