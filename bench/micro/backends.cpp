// Set-up, refactorisation and solution by every backend that can take a system.
#include <fmt/format.h>

#include "bench/micro/counters.h"
#include "bench/micro/systems.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/allocate.h"

namespace nsn::micro {
namespace {

/// The same entries under fresh ids: a solver that sees it has everything to do again.
class Renewed final : public LinearOperator {
 public:
  explicit Renewed(const LinearOperator& op) : op_(op) {}
  void new_pattern() { pattern_id_ = value_id_ = next_operator_id(); }
  void new_values() { value_id_ = next_operator_id(); }

  Index rows() const override { return op_.rows(); }
  void apply(ConstVector x, Vector y) const override { op_.apply(x, y); }
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                              Vector y) const override {
    return op_.apply_with_sums(x, d, q, y);
  }
  void diagonal(Vector out) const override { op_.diagonal(out); }
  void diagonal_blocks(Vector out) const override { op_.diagonal_blocks(out); }
  const BlockCsr* blocks() const override { return op_.blocks(); }
  const Csr* scalars() const override { return op_.scalars(); }
  std::uint64_t pattern_id() const override { return pattern_id_; }
  std::uint64_t value_id() const override { return value_id_; }
  double bytes_per_apply() const override { return op_.bytes_per_apply(); }
  bool symmetric() const override { return op_.symmetric(); }

 private:
  const LinearOperator& op_;
  std::uint64_t pattern_id_ = next_operator_id();
  std::uint64_t value_id_ = next_operator_id();
};

void set_up(benchmark::State& state, const std::string& spec, const LinearOperator& op) {
  const auto solver = standard_backends().make(spec);
  Renewed renewed(op);
  for (auto _ : state) {
    renewed.new_pattern();
    solver->prepare(renewed);
  }
}

void refactor(benchmark::State& state, const std::string& spec, const LinearOperator& op) {
  const auto solver = standard_backends().make(spec);
  Renewed renewed(op);
  solver->prepare(renewed);
  for (auto _ : state) {
    renewed.new_values();
    solver->prepare(renewed);
  }
}

void solve(benchmark::State& state, const std::string& spec, const LinearOperator& op,
           const Vector& b) {
  const auto solver = standard_backends().make(spec);
  solver->prepare(op);
  const Vector x = allocate_vector("x", b.extent(0));
  LinearReport report;
  const auto work = [&] {
    Kokkos::deep_copy(x, 0.0);
    report = solver->solve(b, x, {.rtol = 1e-6, .max_iterations = 300});
  };
  for (auto _ : state) work();
  state.SetLabel(std::string(to_string(report.status)));
  state.counters["iterations"] = report.iterations;
  state.counters["relative_residual"] = report.relative_residual();
  state.counters["memory"] = report.bytes_held;
  count_bytes(state, report.bytes_moved, op.bytes_per_apply() + 32.0 * op.rows(), work);
}

}  // namespace

void register_backends(const SystemPtr& system) {
  const LinearOperator& op =
      system->blocks ? static_cast<const LinearOperator&>(*system->blocks) : *system->scalars;
  const auto add = [&](const char* phase, const std::string& name, auto run) {
    benchmark::RegisterBenchmark(
        fmt::format("{}/{}/{}", phase, name, system->name).c_str(),
        [system, &op, name, run](benchmark::State& state) { run(state, name, op); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  };
  const SolverRegistry registry = standard_backends();
  for (const SolverInfo& info : registry.solvers()) {
    if (!info.available()) continue;
    if (!op.symmetric() && !info.capabilities.handles_unsymmetric) continue;
    add("setup", info.name, set_up);
    add("refactor", info.name, refactor);
    add("solve", info.name,
        [b = system->b](benchmark::State& state, const std::string& name,
                        const LinearOperator& matrix) { solve(state, name, matrix, b); });
  }
}

}  // namespace nsn::micro
