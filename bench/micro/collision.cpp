// Cost of collision detection: capsules in dense random packings, from 1e2 to 1e5 contacts each,
// and one pair of each kind of shape.
//
//   build/release/bin/nsn_bench_collision
//
// Columns: processor time; `contacts` of a packing; `us_per_contact` of processor time.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "nsn/core/base/runtime.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/step/contact_finder.h"

namespace nsn {
namespace {

constexpr int kMostCapsules = 10000;

/// Capsules turned at random on a grid narrower than they are long.
World packing(int count, unsigned seed) {
  World world;
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  SceneRandom random(seed);
  for (int i = 0; i < count; ++i) {
    const Vec3 cell{0.1 * (i % side), 0.1 * (i / side % side), 0.1 * (i / (side * side))};
    add_capsule(world, 0.05, 0.15, 1.0, cell, 0.5, random.orientation());
  }
  return world;
}

/// As many different capsules whatever the size of a packing: one that has been seen a thousand
/// times is foreseen, branch by branch, by the processor and found in its caches.
void detect_capsules(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  std::vector<World> worlds;
  for (int k = 0; k < kMostCapsules / count; ++k) worlds.push_back(packing(count, 1U + k));
  std::vector<ContactFinder> finders(worlds.size());
  ContactRowSet rows;
  double contacts = 0.0;
  for (auto _ : state) {
    contacts = 0.0;
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      finders[k].find(worlds[k], 1.0 / 120.0, rows);
      contacts += rows.size();
    }
  }
  state.counters["packings"] = static_cast<double>(worlds.size());
  state.counters["contacts"] = contacts / static_cast<double>(worlds.size());
  state.counters["us_per_contact"] = benchmark::Counter(
      1e-6 * contacts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(detect_capsules)
    ->Arg(50)
    ->Arg(300)
    ->Arg(1000)
    ->Arg(kMostCapsules)
    ->Unit(benchmark::kMillisecond);

std::shared_ptr<const Shape> shape_of(int kind) {
  switch (kind) {
    case 0:
      return std::make_shared<Sphere>(0.5);
    case 1:
      return std::make_shared<Capsule>(0.3, 0.5);
    case 2:
      return std::make_shared<Box>(Vec3{1, 1, 1});
    case 3:
      return std::make_shared<Cylinder>(0.5, 1.0);
    default: {
      const SurfaceMesh ball = icosphere(1);
      std::vector<std::array<int, 3>> triangles;
      for (const auto& t : ball.polygons) triangles.push_back({t[0], t[1], t[2]});
      return std::make_shared<TriangleMesh>(ball.points, triangles);
    }
  }
}

/// Poses around touching.
void collide_pair(benchmark::State& state) {
  const auto a = shape_of(static_cast<int>(state.range(0)));
  const auto b = shape_of(static_cast<int>(state.range(1)));
  state.SetLabel(std::string(a->type()) + " - " + std::string(b->type()));
  const PairTable table = standard_pairs();
  const PairTable::Entry entry = table.find(a->type(), b->type());
  SceneRandom random(2);
  Manifold out;
  for (auto _ : state) {
    const Pose p{{random.uniform(0.8, 1.2), random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)},
                 rotation_matrix(random.orientation())};
    const Pose q{{}, rotation_matrix(random.orientation())};
    out.clear();
    if (entry.swapped) {
      entry.collide(*b, q, *a, p, 0.01, out);
    } else {
      entry.collide(*a, p, *b, q, 0.01, out);
    }
    benchmark::DoNotOptimize(out.data());
  }
}

void all_pairs(benchmark::internal::Benchmark* bench) {
  for (int i = 0; i < 5; ++i) {
    for (int j = i; j < 5; ++j) bench->Args({i, j});
  }
}
BENCHMARK(collide_pair)->Apply(all_pairs)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  const nsn::Runtime runtime(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
