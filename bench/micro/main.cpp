// nsn_bench: micro-benchmarks of linear algebra, one name per piece of work and system:
//   product/csr/pile-10000-6   vectors/dot/300000   pcr-20-iterations/factored/...   solve/pcr/...
//
//   nsn_bench                        a selection of about a minute
//   nsn_bench --all                  everything, piles of 1e5 contacts included
//   nsn_bench DIR|FILE.mtx ...       the same over matrices of yours
// and every flag of Google Benchmark (--benchmark_filter=..., --benchmark_out=FILE ...).
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "bench/micro/systems.h"
#include "bench/support/passive_waiting.h"
#include "nsn/core/base/runtime.h"

namespace {

constexpr int kBadInput = 2;

/// Flags that a selection of a minute wants unless the user said otherwise.
std::vector<std::string> arguments(int argc, char** argv, bool& all,
                                   std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> flags = {argv[0], "--benchmark_min_time=0.05"};
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--all") {
      all = true;
    } else if (text.starts_with("-")) {
      flags.push_back(text);
    } else {
      paths.emplace_back(text);
    }
  }
  return flags;
}

void register_all(bool all, const std::vector<std::filesystem::path>& paths) {
  const bool generated = paths.empty();
  const std::vector<nsn::micro::SystemPtr> systems =
      generated ? nsn::micro::generated(all) : nsn::micro::from_paths(paths);
  for (const auto& system : systems) nsn::micro::register_products(system);
  if (generated) {
    for (const nsn::Index n : {3000, 300000}) nsn::micro::register_vector_kernels(n);
  }
  for (const auto& system : systems) nsn::micro::register_pcr_iteration(system);
  for (const auto& system : systems) {
    const bool quick = system->scalars->rows() <= 5000;
    if (all || !generated || quick) nsn::micro::register_backends(system);
  }
}

}  // namespace

int main(int argc, char** argv) {
  nsn::bench::wait_passively(argv);
  const nsn::Runtime runtime;
  bool all = false;
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> flags = arguments(argc, argv, all, paths);
  std::vector<char*> pointers;
  for (std::string& flag : flags) pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return kBadInput;
  try {
    register_all(all, paths);
  } catch (const std::exception& error) {
    fmt::print(stderr, "nsn_bench: {}\n", error.what());
    return kBadInput;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  benchmark::ClearRegisteredBenchmarks();  // the systems go before Kokkos does
  return 0;
}
