#include "nsn/core/io/exported_system.h"

#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/matrix_market.h"
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

SystemFactors read_factors(const fs::path& folder, Index rows) {
  if (!is_there(folder / "H.mtx")) refuse(folder / "J.mtx", "comes without H.mtx");
  SystemFactors factors{read_matrix_market(folder / "J.mtx").A,
                        read_matrix_market(folder / "H.mtx").A, std::nullopt};
  const Csr& J = factors.J;
  const Csr& H = factors.H;
  if (J.rows != rows) {
    refuse(folder / "J.mtx", fmt::format("has {} rows, A.mtx has {}", J.rows, rows));
  }
  if (H.rows != J.columns || H.columns != J.columns) {
    refuse(folder / "H.mtx",
           fmt::format("is {} x {}, J.mtx has {} columns", H.rows, H.columns, J.columns));
  }
  const std::string outside = outside_blocks(H);
  if (!outside.empty()) {
    refuse(folder / "H.mtx", fmt::format("entry {} is outside the 3x3 diagonal blocks", outside));
  }
  if (is_there(folder / "C.mtx")) {
    factors.C = read_matrix_market(folder / "C.mtx").A;
    if (factors.C->rows != rows || factors.C->columns != rows) {
      refuse(folder / "C.mtx", fmt::format("is {} x {}, A.mtx has {} rows", factors.C->rows,
                                           factors.C->columns, rows));
    }
  }
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

bool is_exported_system(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && is_there(folder / "A.mtx");
}

ExportedSystem read_exported_system(const fs::path& folder) {
  const MatrixMarket A = read_matrix_market(folder / "A.mtx");
  if (A.A.rows != A.A.columns) {
    refuse(folder / "A.mtx", fmt::format("is {} x {}, a system is square", A.A.rows, A.A.columns));
  }
  ExportedSystem system{A.A, is_symmetric(A), std::nullopt, std::nullopt, "{}"};
  if (is_there(folder / "b.mtx")) {
    system.b = read_matrix_market_vector(folder / "b.mtx");
    if (size_of(*system.b) != A.A.rows) {
      refuse(folder / "b.mtx",
             fmt::format("has {} entries, A.mtx has {} rows", system.b->extent(0), A.A.rows));
    }
  }
  bool proximal = false;
  if (is_there(folder / "system.json")) {
    system.description = read_text_file(folder / "system.json");
    const Json json = parse_description(system.description, (folder / "system.json").string());
    proximal = json.contains("form") && json["form"] == "proximal";
  }
  if (is_there(folder / "J.mtx") && !proximal) system.factors = read_factors(folder, A.A.rows);
  return system;
}

void write_exported_system(const fs::path& folder, const ExportedSystem& system) {
  Json description = parse_description(system.description, "description of a system");
  std::error_code absent;
  for (const char* name :
       {"system.json", "A.mtx", "A_sym.mtx", "b.mtx", "J.mtx", "H.mtx", "C.mtx"}) {
    fs::remove(folder / name, absent);  // no part of an older system may stay
  }
  Json files = Json::array();
  const auto put = [&](const char* name, const auto& part, const auto&... format) {
    write_matrix_market(folder / name, part, format...);
    files.push_back(name);
  };
  // One triangle only where nothing is lost by it.
  const bool one_triangle = system.symmetric && asymmetry(system.A) == 0.0;
  put("A.mtx", system.A, MatrixMarketFormat{one_triangle, {}});
  if (!system.symmetric) {
    put("A_sym.mtx", symmetric_part(system.A), MatrixMarketFormat{true, {}});
  }
  if (system.b) put("b.mtx", ConstVector(*system.b));
  if (system.factors) {
    put("J.mtx", system.factors->J);
    put("H.mtx", system.factors->H);
    if (system.factors->C) put("C.mtx", *system.factors->C);
  }
  description["format"] = "nsn-system-1";
  description["rows"] = system.A.rows;
  description["nonzeros"] = system.A.nonzeros();
  description["symmetric"] = system.symmetric;
  description["files"] = std::move(files);
  write_file(folder / "system.json", description.dump(2) + "\n");
}

}  // namespace nsn
