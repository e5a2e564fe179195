#include "bench/cli/doctor.h"

#include <array>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <Kokkos_Core.hpp>
#include <fmt/ranges.h>

#include "bench/support/machine.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

/// A part that a build may leave out.
struct Part {
  std::string_view name;
  bool built;
  std::string_view brings;
  std::string_view cost;  ///< of leaving it out
};

constexpr std::array<Part, 14> kParts{{
    {"CHOLMOD", NSN_PART_CHOLMOD, "the linear solver cholmod", "no linear solver cholmod"},
    {"CHOLMOD's supernodal module (GPL)", NSN_PART_CHOLMOD&& NSN_PART_GPL,
     "cholmod on dense fronts", "cholmod is slower on large systems"},
    {"METIS in CHOLMOD", NSN_PART_CHOLMOD_METIS, "orderings with less fill",
     "cholmod orders by AMD alone: more fill on large systems"},
    {"METIS", NSN_PART_METIS, "contact-lu: nested dissection of large systems",
     "contact-lu orders by minimum degree alone: more fill on large systems"},
    {"KLU", NSN_PART_KLU, "the linear solver klu", "no linear solver klu"},
    {"Eigen", NSN_PART_EIGEN, "the linear solver eigen-ldlt", "no linear solver eigen-ldlt"},
    {"AMGCL", NSN_PART_AMG, "the linear solver amg", "no linear solver amg, no preconditioner amg"},
    {"PETSc", NSN_PART_PETSC, "the linear solver petsc",
     "no linear solver petsc (off unless asked for: NSN_WITH_PETSC)"},
    {"HDF5", NSN_PART_HDF5, "FCLIB files", "FCLIB files cannot be read or written"},
    {"qhull", NSN_PART_QHULL, "convex hulls of points",
     "meshes of robots and point clouds have no convex hulls"},
    {"assimp", NSN_PART_ASSIMP, "COLLADA and other meshes",
     "robots whose collision meshes are COLLADA (.dae), PLY, glTF cannot be read"},
    {"tinyxml2", NSN_PART_TINYXML2, "URDF and MJCF files",
     "no scene with a robot: URDF and MJCF files cannot be read"},
    {"zlib", NSN_PART_ZLIB, "compressed .vtu meshes", "compressed .vtu meshes cannot be read"},
    {"CUDA", NSN_PART_CUDA, "the device cuda, cuda-pcr, cuda-direct", "nothing runs on a GPU"},
}};

std::string instruction_set() {
#if defined(__AVX512F__)
  const char* const name = "AVX-512";
#elif defined(__AVX2__)
  const char* const name = "AVX2";
#elif defined(__SSE2__)
  const char* const name = "SSE2, which every x86-64 processor has";
#elif defined(__ARM_NEON)
  const char* const name = "NEON";
#else
  const char* const name = "the compiler's default";
#endif
  return name;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "not set";
}

void add_build(std::vector<Finding>& all) {
  const bench::Machine machine = bench::this_machine();
  all.push_back({"build", "nsn", Health::kGood, bench::version(), "", true});
  all.push_back({"build", "compiler", Health::kGood, machine.compiler, "", true});
  const bool optimised = machine.build_type.starts_with("Rel");
  all.push_back(
      {"build", "build type", optimised ? Health::kGood : Health::kMissing, machine.build_type,
       optimised ? "" : "steps take several times as long as those of a Release build", false});
  all.push_back({"build", "instruction set", Health::kGood, instruction_set(), "", false});
  all.push_back({"build", "Kokkos", Health::kGood, machine.kokkos, "", true});
  std::string cost;
  if (std::is_same_v<Kokkos::DefaultHostExecutionSpace, Kokkos::Serial>) {
    cost = "this Kokkos has no OpenMP: one core does all the work";
  } else if (machine.threads > machine.cores) {
    cost = "more threads than cores wait for each other: set OMP_NUM_THREADS or --threads";
  }
  all.push_back({"build", "threads", cost.empty() ? Health::kGood : Health::kMissing,
                 fmt::format("{} on {} cores", machine.threads, machine.cores), cost, false});
}

void add_parts(std::vector<Finding>& all) {
  for (const Part& part : kParts) {
    all.push_back({"part", std::string(part.name), part.built ? Health::kGood : Health::kMissing,
                   part.built ? std::string(part.brings) : "left out of this build",
                   part.built ? "" : std::string(part.cost), false});
  }
}

/// Whether what the presets take by default is here.
void add_solvers(std::vector<Finding>& all) {
  const SolverRegistry registry = standard_backends();
  for (const std::string& preset : preset_names()) {
    const std::vector<std::string> linear = newton_preset(preset).linear;
    Finding finding{"solver",
                    "preset " + preset,
                    Health::kGood,
                    fmt::format("{}", fmt::join(linear, ", then ")),
                    "",
                    true};
    for (const std::string& spec : linear) {
      const SolverInfo& info = registry.info(parse_named_options(spec).name);
      if (info.available()) continue;
      finding.health = Health::kBroken;
      finding.cost = fmt::format("{} cannot be used: {}", info.name, info.reason);
    }
    all.push_back(std::move(finding));
  }
  for (const DeviceInfo& device : all_devices(registry)) {
    const bool here = device.available();
    all.push_back({"solver", "device " + device.name, here ? Health::kGood : Health::kMissing,
                   here ? device.memory : device.reason, here ? "" : "no --device " + device.name,
                   false});
  }
}

void add_machine(std::vector<Finding>& all) {
  const bench::Machine machine = bench::this_machine();
  all.push_back({"machine", "processor", Health::kGood, machine.cpu, "", false});
  all.push_back({"machine", "memory", Health::kGood, fmt::format("{:.1f} GiB", machine.memory_gib),
                 "", false});
  all.push_back({"machine", "OpenMP", Health::kGood,
                 fmt::format("OMP_NUM_THREADS {}, OMP_PROC_BIND {}, OMP_WAIT_POLICY {}",
                             variable("OMP_NUM_THREADS"), variable("OMP_PROC_BIND"),
                             variable("OMP_WAIT_POLICY")),
                 "", false});
}

/// Numbers are written and read with a point, whatever the locale.
void add_locale(std::vector<Finding>& all) {
  const bool point = std::string_view(std::localeconv()->decimal_point) == ".";
  const char* language = std::getenv("LC_ALL");
  if (language == nullptr) language = std::getenv("LANG");
  all.push_back({"machine", "locale", point ? Health::kGood : Health::kBroken,
                 fmt::format("{}; numbers with '{}'", language != nullptr ? language : "C",
                             std::localeconv()->decimal_point),
                 point ? "" : "files of numbers are misread", true});
}

void add_folders(std::vector<Finding>& all) {
  const fs::path file = fmt::format(".nsn-doctor-{}", ::getpid());
  const bool writable = static_cast<bool>(std::ofstream(file) << "nsn\n");
  std::error_code ignored;
  fs::remove(file, ignored);
  all.push_back(
      {"machine", "working folder", writable ? Health::kGood : Health::kMissing,
       fs::current_path(ignored).string(),
       writable ? "" : "it cannot be written to: give --out, --json, --picture another folder",
       false});
  const char* given = std::getenv("NSN_DATA_DIR");
  const fs::path data = given != nullptr ? given : NSN_DATA_DIR;
  const bool there = fs::is_directory(data, ignored);
  all.push_back(
      {"machine", "data by others", there ? Health::kGood : Health::kMissing,
       there              ? data.lexically_normal().string()
       : given != nullptr ? fmt::format("no folder {}", given)
                          : "none",
       there ? ""
             : "public robots are given by their full path; tests of public problems are skipped "
               "(docs/data.md, NSN_DATA_DIR)",
       false});
}

/// The default preset on a small scene.
void add_run(std::vector<Finding>& all) {
  Finding finding{"run", "five steps of the scene arch", Health::kGood, "", "", true};
  try {
    Simulation simulation(make_scene("arch"), {}, standard_backends());
    double error = 0.0;
    bool converged = true;
    for (int k = 0; k < 5; ++k) {
      converged = simulation.step().converged() && converged;
      error = std::max(error, simulation.report().error.total);
    }
    finding.found = fmt::format("largest error {:.1e} m/s", error);
    if (!converged) finding.health = Health::kBroken, finding.cost = "steps do not converge";
  } catch (const std::exception& error) {
    finding.health = Health::kBroken;
    finding.cost = error.what();
  }
  all.push_back(std::move(finding));
}

}  // namespace

std::string to_string(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kMissing:
      return "missing";
    case Health::kBroken:
      return "broken";
  }
  return {};
}

std::vector<Finding> findings() {
  std::vector<Finding> all;
  add_build(all);
  add_parts(all);
  add_solvers(all);
  add_machine(all);
  add_locale(all);
  add_folders(all);
  add_run(all);
  return all;
}

}  // namespace nsn::cli
