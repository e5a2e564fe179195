// One PCR iteration, Jacobi-preconditioned, in each form of the operator.
#include <fmt/format.h>

#include "bench/micro/counters.h"
#include "bench/micro/systems.h"
#include "nsn/core/base/allocate.h"
#include "nsn/core/linear/pcr.h"
#include "nsn/precond/jacobi.h"

namespace nsn::micro {
namespace {

constexpr int kIterations = 20;

void iterate(benchmark::State& state, const LinearOperator& op, const Vector& b) {
  Jacobi P;
  P.analyze(op);
  P.factorize(op);
  Pcr pcr;
  pcr.allocate(op.rows(), true);
  const Vector x = allocate_vector("x", b.extent(0));
  LinearReport report;
  const LinearControl control{.rtol = 0.0, .max_iterations = kIterations};
  const auto solve = [&] {
    Kokkos::deep_copy(x, 0.0);
    pcr.solve(op, P, b, x, control, {}, {}, report);
  };
  for (auto _ : state) solve();
  state.counters["iterations"] = report.iterations;
  state.counters["seconds_per_iteration"] = benchmark::Counter(
      static_cast<double>(report.iterations),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  count_bytes(state, report.bytes_moved, op.bytes_per_apply() + 32.0 * op.rows(), solve);
}

}  // namespace

void register_pcr_iteration(const SystemPtr& system) {
  const auto add = [&](const char* form, const LinearOperator* op) {
    if (op == nullptr || !op->symmetric()) return;
    benchmark::RegisterBenchmark(
        fmt::format("pcr-{}-iterations/{}/{}", kIterations, form, system->name).c_str(),
        [system, op](benchmark::State& state) { iterate(state, *op, system->b); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("csr", system->scalars.get());
  add("blocks", system->blocks.get());
  add("factored", system->factored.get());
}

}  // namespace nsn::micro
