#include "bench/cli/newton_export.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "nsn/core/io/exported_system.h"
#include "nsn/core/io/fclib.h"
#include "nsn/core/problems/linearised_problem.h"

namespace nsn::cli {
namespace {

/// Block diagonal matrix of 3x3 blocks.
Csr block_diagonal(ConstVector blocks) {
  std::vector<Triplet> triplets;
  const Index n = size_of(blocks) / kBlockSize;
  for (Index i = 0; i < n; ++i) {
    for (Index r = 0; r < 3; ++r) {
      for (Index c = 0; c < 3; ++c) {
        triplets.push_back({3 * i + r, 3 * i + c, blocks(kBlockSize * i + 3 * r + c)});
      }
    }
  }
  return csr_from_triplets(3 * n, 3 * n, triplets);
}

Vector copy(ConstVector v) {
  Vector out("copy", v.extent(0));
  Kokkos::deep_copy(out, v);
  return out;
}

}  // namespace

void write_newton_system(const std::filesystem::path& folder, const NewtonSystemView& view,
                         SystemFormat format, const std::string& scene, int step, int island) {
  ExportedSystem system;
  system.A = to_scalar(*view.S);
  system.symmetric = view.symmetric;
  system.b = copy(view.b);
  const bool rows = view.form == "compliance" || view.form == "proximal";
  if (rows && view.J != nullptr && size_of(view.H) == kBlockSize * view.J->columns) {
    SystemFactors factors;
    factors.J = to_scalar(*view.J);
    factors.H = block_diagonal(view.H);
    if (view.C.extent(0) > 0) factors.C = block_diagonal(view.C);
    if (view.positions.extent(0) > 0) factors.positions = copy(view.positions);
    system.factors = factors;
  }
  const nlohmann::ordered_json description{{"scene", scene},
                                           {"step", step},
                                           {"island", island},
                                           {"newton_iteration", view.iteration},
                                           {"form", std::string(view.form)}};
  system.description = description.dump();
  write_exported_system(folder, system, format);
}

#if defined(NSN_WITH_HDF5)
std::filesystem::path write_friction_step(const std::filesystem::path& folder,
                                          StepEquations& equations, const std::string& scene,
                                          int step, int island) {
  if (!only_contacts(equations.system())) return {};
  std::filesystem::create_directories(folder);
  const auto path = folder / fmt::format("{}-step{}-island{}.hdf5", scene, step, island);
  FclibNotes notes;
  notes.title = scene;
  notes.description = fmt::format("step {}, island {}", step, island);
  write_fclib(path.string(), linearised_friction_problem(equations), notes);
  return path;
}
#else
std::filesystem::path write_friction_step(const std::filesystem::path&, StepEquations&,
                                          const std::string&, int, int) {
  return {};
}
#endif

}  // namespace nsn::cli
