// Sparse products: assembled scalar CSR, assembled 3x3 blocks, factored.
#include <fmt/format.h>

#include "bench/micro/counters.h"
#include "bench/micro/systems.h"
#include "nsn/core/base/allocate.h"

namespace nsn::micro {
namespace {

void product(benchmark::State& state, const LinearOperator& op) {
  const auto n = static_cast<std::size_t>(op.rows());
  const Vector x = allocate_vector("x", n);
  const Vector y = allocate_vector("y", n);
  Kokkos::deep_copy(x, 1.0);
  for (auto _ : state) op.apply(x, y);
  count_bytes(state, op.bytes_per_apply(), op.bytes_per_apply(), [&] { op.apply(x, y); });
}

}  // namespace

void register_products(const SystemPtr& system) {
  const auto add = [&](const char* form, const LinearOperator* op) {
    if (op == nullptr) return;
    benchmark::RegisterBenchmark(fmt::format("product/{}/{}", form, system->name).c_str(),
                                 [system, op](benchmark::State& state) { product(state, *op); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("csr", system->scalars.get());
  add("blocks", system->blocks.get());
  add("factored", system->factored.get());
}

}  // namespace nsn::micro
