#include "bench/micro/systems.h"

#include <fmt/format.h>

#include "nsn/core/base/error.h"

namespace nsn::micro {
SystemPtr prepare(GeneratedSystem factors) {
  auto system = std::make_shared<BenchSystem>();
  system->name = factors.name;
  system->b = factors.b;
  system->delassus.analyze(factors.J);
  system->delassus.assemble(factors.J, factors.H_inverse, factors.C.value);
  const BlockCsr& S = system->delassus.matrix();
  system->scalars = std::make_unique<CsrOperator>(to_scalar(S));
  system->blocks = std::make_unique<BlockOperator>(S);
  system->factored = std::make_unique<SchurOperator>(factors.J, factors.H_inverse, factors.C);
  system->factors = std::move(factors);
  return system;
}

SystemPtr prepare(const bench::LinearSystem& file) {
  auto system = std::make_shared<BenchSystem>();
  system->name = file.name;
  system->b = file.b;
  system->scalars = std::make_unique<CsrOperator>(file.A, file.symmetric);
  if (file.A.rows % kBlock == 0) {
    system->blocks = std::make_unique<BlockOperator>(to_blocks(file.A), file.symmetric);
  }
  return system;
}

std::vector<SystemPtr> generated(bool all) {
  std::vector<SystemPtr> systems;
  std::vector<Index> contacts = {1000, 10000};
  if (all) contacts.push_back(100000);
  for (const Index count : contacts) systems.push_back(prepare(sphere_pile({.contacts = count})));
  systems.push_back(prepare(chain(10000)));
  systems.push_back(prepare(heavy_stack(20)));
  systems.push_back(prepare(tetrahedral_bar(all ? 12 : 6)));
  return systems;
}

std::vector<SystemPtr> from_paths(const std::vector<std::filesystem::path>& paths) {
  std::vector<SystemPtr> systems;
  std::string reason = "no matrix found";
  for (const bench::SystemSource& source : bench::find_systems(paths)) {
    try {
      if (!source.refusal.empty()) throw InputError(source.refusal);
      systems.push_back(prepare(bench::read_system(source, 1)));
    } catch (const InputError& error) {
      reason = error.what();
      fmt::print(stderr, "nsn_bench: left out: {}\n", reason);
    }
  }
  if (systems.empty()) throw InputError(reason);
  return systems;
}

}  // namespace nsn::micro
