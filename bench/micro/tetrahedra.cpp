// Cost of finite elements per tetrahedron: rows, geometric stiffness, full stiffness, forces, the
// decomposition alone; and the memory a body takes.
//
//   build/release/bin/nsn_bench_tetrahedra --benchmark_filter=evaluate
//
// Columns: ns_per_tet of processor time (all threads together), and bytes_per_tet held by the body
// (growth of the resident set: of use for 1e5 tetrahedra, where memory is fresh).
#include "nsn/models/deformable/tetrahedra.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/elastic/signed_svd.h"
#include "nsn/models/deformable/mesh_generators.h"

namespace nsn {
namespace {

constexpr double kStep = 1.0 / 120.0;

struct Law {
  const char* name;
  MaterialModel model;
  ElementRows rows;
};
constexpr Law kLaws[] = {
    {"linear", MaterialModel::kLinear, ElementRows::kStrains},
    {"corotational-6", MaterialModel::kCorotational, ElementRows::kStrains},
    {"corotational-3", MaterialModel::kCorotational, ElementRows::kStretches},
    {"neo-hookean", MaterialModel::kNeoHookean, ElementRows::kStretches},
    {"neo-hookean-log", MaterialModel::kNeoHookeanLog, ElementRows::kStretches}};

double resident_bytes() {
  long total = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0.0;
  const int read = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE))
                   : 0.0;
}

// A bar of about this many tetrahedra, bent, so that every element has its own stretches.
struct Body {
  Body(const Law& kind, Index tets) : mesh(make_mesh(tets)) {
    const double before = resident_bytes();
    TetrahedraOptions options;
    options.rows = kind.rows;
    law = std::make_unique<Tetrahedra>(mesh, kind.model, MaterialParameters{1e5, 0.45, 1000.0},
                                       options);
    bytes = resident_bytes() - before;
    x = Vector("x", 3 * mesh.node.size());
    for (std::size_t n = 0; n < mesh.node.size(); ++n) {
      const Vec3& p = mesh.node[n];
      x(3 * n) = 1.2 * p[0] + 0.1 * std::sin(3.0 * p[1]);
      x(3 * n + 1) = 0.9 * p[1] + 0.2 * p[0] * p[2];
      x(3 * n + 2) = p[2] + 0.3 * p[0] * p[0];
    }
  }
  static TetMesh make_mesh(Index tets) {
    const auto n = static_cast<Index>(std::lround(std::cbrt(tets / 5.0 / 4.0)));
    return bar_mesh(vec3(1.0, 0.5, 0.5), {4 * n, n, n}, CellPattern::kFive);
  }
  TetMesh mesh;
  std::unique_ptr<Tetrahedra> law;
  Vector x;
  double bytes = 0.0;
};

template <class Work>
void run(benchmark::State& state, const Law& kind, const Work& work) {
  Body body(kind, static_cast<Index>(state.range(0)));
  if (body.law->evaluate(body.x, kStep) >= 0) state.SkipWithError("not finite");
  work(body, true);
  for (auto _ : state) work(body, false);
  const double tets = body.law->num_tets();
  state.counters["tets"] = tets;
  state.counters["ns_per_tet"] = benchmark::Counter(
      1e-9 * tets, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_tet"] = body.bytes / tets;
}

void add(const std::string& name, const Law& kind,
         void (*function)(benchmark::State&, const Law&)) {
  benchmark::RegisterBenchmark((name + "/" + kind.name).c_str(),
                               [kind, function](benchmark::State& state) { function(state, kind); })
      ->Arg(2340)
      ->Arg(100000)
      ->MeasureProcessCPUTime();
}

void evaluate(benchmark::State& state, const Law& kind) {
  run(state, kind,
      [](Body& body, bool) { benchmark::DoNotOptimize(body.law->evaluate(body.x, kStep)); });
}

void node_stiffness(benchmark::State& state, const Law& kind) {
  Vector blocks;
  run(state, kind, [&](Body& body, bool first) {
    if (first) blocks = Vector("H", 9 * body.mesh.node.size());
    body.law->add_node_stiffness(StiffnessPart::kGeometric, 1e-4, blocks);
  });
}

void full_stiffness(benchmark::State& state, const Law& kind) {
  BlockCsr A;
  run(state, kind, [&](Body& body, bool first) {
    if (first) A = body.law->stiffness_pattern();
    body.law->add_stiffness(StiffnessPart::kTotal, 1e-4, A);
  });
}

void force(benchmark::State& state, const Law& kind) {
  Vector f;
  run(state, kind, [&](Body& body, bool first) {
    if (first) f = Vector("f", 3 * body.mesh.node.size());
    body.law->add_force(f);
  });
}

void decomposition(benchmark::State& state) {
  const Body body(kLaws[3], 2340);
  std::vector<Mat3> F;
  for (Index t = 0; t < body.law->num_tets(); ++t) {
    F.push_back(body.law->deformation_gradient(t, body.x));
  }
  for (auto _ : state) {
    for (const Mat3& A : F) benchmark::DoNotOptimize(signed_svd(A));
  }
  state.counters["ns_per_tet"] = benchmark::Counter(
      1e-9 * static_cast<double>(F.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  const nsn::Runtime runtime;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const nsn::Law& kind : nsn::kLaws) nsn::add("evaluate", kind, nsn::evaluate);
  for (const nsn::Law& kind : {nsn::kLaws[1], nsn::kLaws[3]}) {
    nsn::add("node_stiffness", kind, nsn::node_stiffness);
    nsn::add("full_stiffness", kind, nsn::full_stiffness);
    nsn::add("force", kind, nsn::force);
  }
  benchmark::RegisterBenchmark("signed_svd", nsn::decomposition);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
