// The vector kernels that iterations are made of.
#include "nsn/core/base/vector_kernels.h"

#include <fmt/format.h>

#include "bench/micro/counters.h"
#include "bench/micro/systems.h"
#include "nsn/core/base/allocate.h"

namespace nsn::micro {
namespace {

void kernel(benchmark::State& state, double bytes, double working_set,
            const std::function<void()>& work) {
  for (auto _ : state) work();
  count_bytes(state, bytes, working_set, work);
}

}  // namespace

void register_vector_kernels(Index n) {
  const auto add = [n](const char* name, double vectors,
                       const std::function<void(const Vector&, const Vector&, const Vector&)>& f) {
    benchmark::RegisterBenchmark(fmt::format("vectors/{}/{}", name, n).c_str(),
                                 [=](benchmark::State& state) {
                                   const auto size = static_cast<std::size_t>(n);
                                   const Vector x = allocate_vector("x", size);
                                   const Vector y = allocate_vector("y", size);
                                   const Vector z = allocate_vector("z", size);
                                   const double bytes = 8.0 * vectors * n;
                                   kernel(state, bytes, bytes, [&] { f(x, y, z); });
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("dot", 2.0,
      [](const Vector& x, const Vector& y, const Vector&) { benchmark::DoNotOptimize(dot(x, y)); });
  add("axpby", 3.0, [](const Vector& x, const Vector& y, const Vector&) { axpby(1.5, x, 0.5, y); });
  add("residual_norm", 3.0, [](const Vector& x, const Vector& y, const Vector& z) {
    benchmark::DoNotOptimize(residual_norm(x, y, z));
  });
}

}  // namespace nsn::micro
