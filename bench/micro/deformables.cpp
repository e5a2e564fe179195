// Yardsticks of deformable bodies on the pneunet scene, ratios within one run:
//
//   build/release/bin/nsn_bench_deformables [STEPS]
//
//   operator      80 PCR iterations on a Newton matrix, assembled S against the factors J, H^-1, C
//   elimination   one accurate step with elastic rows eliminated, and what the rows' form would cost
//   presets       time and error of a step, realtime and paper (4 Newton x 80 linear) in turn
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "bench/support/quantile.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/elastic_mass.h"
#include "nsn/core/step/step_method.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return 1e3 * std::chrono::duration<double>(Clock::now() - start).count();
}

NewtonOptions paper_options() {
  NewtonOptions paper = newton_preset("paper");
  paper.max_iterations = 4;
  paper.paper().linear_iterations = 80;
  return paper;
}

Simulation pneunet(const NewtonOptions& newton) {
  SimulationOptions options;
  options.newton = newton;
  options.islands = false;  // one system, as large as it gets
  return Simulation(make_scene("pneunet"), options, standard_backends());
}

Vector copy_of(ConstVector from) {
  Vector to("copy", from.extent(0));
  copy(from, to);
  return to;
}

BlockCsr copy_of(const BlockCsr& from) {
  BlockCsr to = from;
  to.value = copy_of(ConstVector(from.value));
  return to;
}

BlockCsr diagonal_matrix(ConstVector blocks) {
  BlockCsr C;
  C.rows = C.columns = size_of(blocks) / kBlockSize;
  C.row_begin = IndexVector("row_begin", static_cast<std::size_t>(C.rows) + 1);
  C.column = IndexVector("column", static_cast<std::size_t>(C.rows));
  C.value = copy_of(blocks);
  for (Index i = 0; i < C.rows; ++i) {
    C.row_begin(i + 1) = i + 1;
    C.column(i) = i;
  }
  return C;
}

void compare_operators() {
  Simulation simulation = pneunet(paper_options());
  BlockCsr S;
  BlockCsr J;
  BlockCsr C;
  Vector b;
  Vector H_inverse;
  simulation.observe([&](int, const NewtonSystemView& view) {
    if (view.iteration != 2 || view.J == nullptr) return;
    S = copy_of(*view.S);
    J = copy_of(*view.J);
    C = diagonal_matrix(view.C);
    b = copy_of(view.b);
    H_inverse = copy_of(view.H);
    invert_blocks(view.H, H_inverse);
  });
  for (int k = 0; k < 3; ++k) simulation.step();
  const BlockOperator assembled(S);
  const SchurOperator factored(J, H_inverse, C);
  const auto registry = standard_backends();
  const auto solver = registry.make("pcr");
  Vector x("x", b.extent(0));
  const auto time = [&](const LinearOperator& op) {
    fill(x, 0.0);
    solver->prepare(op);
    const auto start = Clock::now();
    const LinearReport report = solver->solve(b, x, {.rtol = 0.0, .iteration_budget = 80});
    const double ms = milliseconds_since(start);
    return std::pair(ms, report.true_residual / report.rhs_norm);
  };
  double least[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  double residual[2] = {};
  for (int repeat = 0; repeat < 7; ++repeat) {  // in turn
    const auto [ms_S, r_S] = time(assembled);
    const auto [ms_F, r_F] = time(factored);
    least[0] = std::min(least[0], ms_S);
    least[1] = std::min(least[1], ms_F);
    residual[0] = r_S;
    residual[1] = r_F;
  }
  fmt::print("operator: {} rows, {} blocks of S, {} of J; 80 PCR iterations, least of 7\n",
             S.scalar_rows(), S.blocks(), J.blocks());
  fmt::print("  assembled {:8.2f} ms  {:6.1f} MB a product  residual {:.1e}\n", least[0],
             1e-6 * assembled.bytes_per_apply(), residual[0]);
  fmt::print("  factored  {:8.2f} ms  {:6.1f} MB a product  residual {:.1e}\n", least[1],
             1e-6 * factored.bytes_per_apply(), residual[1]);
  fmt::print("  ratio     {:8.2f}\n", least[0] / least[1]);
}

void compare_forms() {
  Simulation simulation = pneunet(newton_preset("accurate"));
  simulation.inspect([](int, StepEquations& equations, const NewtonResult& result) {
    StepEvaluation at;
    at.fit(equations.system());
    ElasticMass mass;
    const AccurateOptions options;
    mass.analyze(equations.system(), at.J, options.elimination, options.stiffness);
    fmt::print(
        "elimination: {} of {} row blocks leave; {:.1f} Mflop a linearisation, at least "
        "{:.0f} Mflop in the rows' form; {} iterations, {:.1e} m/s\n",
        mass.eliminated().size(), equations.system().blocks(), 1e-6 * mass.eliminated_flops(),
        1e-6 * mass.rows_flops(), result.iterations, result.error.total);
  });
  simulation.step();
}

struct Series {
  std::vector<double> solve, assemble, error, penetration;

  void add(const StepReport& report) {
    solve.push_back(1e3 * report.solve_seconds);
    assemble.push_back(1e3 * report.assemble_seconds);
    error.push_back(report.error.total);
    penetration.push_back(report.penetration);
  }
  void print(const char* name) const {
    fmt::print(
        "  {:9} solve {:7.2f} ms median, {:7.2f} least; assemble {:5.2f} ms ({:.0f} %); error "
        "{:.1e} m/s median, {:.1e} largest\n",
        name, bench::median(solve), *std::min_element(solve.begin(), solve.end()),
        bench::median(assemble), 100.0 * bench::median(assemble) / bench::median(solve),
        bench::median(error), *std::max_element(error.begin(), error.end()));
  }
};

void compare_presets(int steps) {
  NewtonOptions fast = newton_preset("realtime");
  fast.max_iterations = 4;
  Simulation realtime = pneunet(fast);
  Simulation paper = pneunet(paper_options());
  Series a;
  Series b;
  int tets = 0;
  for (const Deformable& d : realtime.world().deformables()) tets += d.mesh.num_tets();
  for (int k = 0; k < steps; ++k) {  // in turn
    a.add(realtime.step());
    b.add(paper.step());
  }
  fmt::print("presets: {} tetrahedra, {} steps\n", tets, steps);
  a.print("realtime");
  b.print("paper");
}

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  const nsn::Runtime runtime;
  nsn::compare_operators();
  nsn::compare_forms();
  nsn::compare_presets(argc > 1 ? std::max(1, std::atoi(argv[1])) : 120);
  return 0;
}
