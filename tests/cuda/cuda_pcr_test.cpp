// cuda-pcr through the harness: products against serial references, the iteration against that of
// pcr, islands and batches, what crosses the bus, and what happens when the device fails.
#include "nsn/backends/cuda/cuda_pcr.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "nsn/backends/cuda/cuda_direct.h"
#include "nsn/backends/cuda/harness/host_device.h"
#include "nsn/backends/cuda/pcr_batch.h"
#include "nsn/backends/cuda/pcr_engine.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/delassus.h"

namespace nsn::cuda {
namespace {

using harness::HarnessError;
using harness::HostDevice;
using harness::HostDeviceOptions;
using harness::Order;

SolverRegistry harness_registry(HostDeviceOptions options = {}) {
  const DeviceFactory open = [options] { return std::make_unique<HostDevice>(options); };
  SolverRegistry registry;
  registry.add(cuda_pcr(open));
  registry.add(cuda_direct(open));
  return registry;
}

Vector vector_of(std::size_t n, double value) {
  Vector v("v", n);
  Kokkos::deep_copy(v, value);
  return v;
}

Vector random_vector(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Vector v("v", n);
  for (std::size_t i = 0; i < n; ++i) v(i) = uniform(random);
  return v;
}

Block random_block(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Block block;
  for (double& b : block) b = uniform(random);
  return block;
}

// J of `rows` constraints between neighbours in `piles` separate rows of bodies, each body two
// nodes; every seventh constraint touches nothing: its row of J is empty.
BlockCsr contacts(int rows, int piles, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BlockTriplet> triplets;
  const int bodies = rows + piles;
  for (int i = 0; i < rows; ++i) {
    if (i % 7 == 6) continue;
    const int body = i + i * piles / std::max(rows, 1);
    for (int k = 0; k < 4; ++k) triplets.push_back({i, 2 * body + k, random_block(random)});
  }
  return block_csr_from_triplets(rows, 2 * bodies, triplets);
}

struct Factors {
  BlockCsr J, C;
  Vector H_inverse;
};

// H^-1 = diag(1 ... 2), C = 1/2: S is positive definite with a condition of about 50.
Factors make_factors(int rows, int piles, unsigned seed) {
  Factors f{contacts(rows, piles, seed), {}, {}};
  f.H_inverse = vector_of(9 * static_cast<std::size_t>(f.J.columns), 0.0);
  for (Index k = 0; k < f.J.columns; ++k) {
    for (int c = 0; c < 3; ++c) f.H_inverse(9 * k + 4 * c) = 1.0 + (k % 5) / 4.0;
  }
  std::vector<BlockTriplet> diagonal;
  for (int i = 0; i < rows; ++i) diagonal.push_back({i, i, {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}});
  f.C = block_csr_from_triplets(rows, rows, diagonal);
  return f;
}

/// An independent copy: a Delassus matrix ends with the object that formed it.
BlockCsr assembled(const Factors& f) {
  Delassus delassus;
  delassus.analyze(f.J);
  delassus.assemble(f.J, f.H_inverse, f.C.value);
  const BlockCsr& W = delassus.matrix();
  const BlockCsr copy{W.rows, W.columns, IndexVector("row_begin", W.row_begin.extent(0)),
                      IndexVector("column", W.column.extent(0)),
                      Vector("value", W.value.extent(0))};
  Kokkos::deep_copy(copy.row_begin, W.row_begin);
  Kokkos::deep_copy(copy.column, W.column);
  Kokkos::deep_copy(copy.value, W.value);
  return copy;
}

double distance(ConstVector a, ConstVector b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.extent(0); ++i) sum += (a(i) - b(i)) * (a(i) - b(i));
  return std::sqrt(sum);
}

struct Solved {
  LinearReport report;
  Vector x;
};

Solved solve(LinearSolver& solver, const LinearOperator& op, ConstVector b,
             const LinearControl& control = {}, const Monitor& monitor = {}) {
  solver.prepare(op);
  Solved solved{{}, vector_of(b.extent(0), 0.0)};
  solved.report = solver.solve(b, solved.x, control, monitor);
  return solved;
}

// --- kernels -------------------------------------------------------------------------------------

// w = S z by the Product kernel against the serial product, for every number of threads and order.
template <class MakeForm>
void expect_product(const LinearOperator& op, MatrixForm form, const MakeForm& make_form) {
  const auto n = static_cast<std::size_t>(op.rows());
  const Vector z = random_vector(n, 5);
  const Vector expected("w", n);
  op.apply(z, expected);
  for (const int threads : {1, 2, 8}) {
    for (const Order order : {Order::kForward, Order::kBackward, Order::kShuffled}) {
      HostDevice device({.harness = {.order = order}, .threads = threads});
      DeviceMatrix S(device, op, form, false);
      S.upload_values(op);
      const std::size_t padded = 3 * static_cast<std::size_t>(S.block_rows());
      Buffer<double> x(device, padded), w(device, padded), P(device, padded);
      x.zero();
      x.upload(z.data(), n);
      P.zero();
      PcrVectors v;
      v.z = x.array();
      v.w = w.array();
      v.P = P.array();
      PcrControl running;
      Buffer<PcrControl> control(device, 1);
      control.upload(&running);
      const int lanes = PcrEngine::lanes_for(device, S.entries_per_row());
      const Shape shape = PcrEngine::row_shape(device, S.block_rows(), lanes);
      Buffer<double> partial(device, 4 * static_cast<std::size_t>(shape.blocks));

      make_form(device, S, v, control, partial, lanes, shape);

      const Vector result("w", n);
      w.download(result.data(), n);
      // the same few dozen products in another order
      EXPECT_LE(distance(result, expected), 1e-14 * (1.0 + norm2(expected)))
          << threads << " threads, " << n << " rows";
    }
  }
}

TEST(CudaKernels, BlockProductEqualsTheSerialOne) {
  for (const int rows : {1, 2, 5, 17, 40}) {
    const BlockOperator op(assembled(make_factors(rows, 1, 3)));
    expect_product(
        op, MatrixForm::kBlocks,
        [](Device& device, DeviceMatrix& S, const PcrVectors& v, Buffer<PcrControl>& control,
           Buffer<double>& partial, int lanes, const Shape& shape) {
          device.launch(Product<BlockForm<double>>{S.block_form<double>(), v, S.block_rows(),
                                                   control.array(), partial.array(), lanes},
                        shape);
        });
  }
}

TEST(CudaKernels, CsrProductEqualsTheSerialOneOnRaggedSizesAndEmptyRows) {
  for (const int rows : {1, 2, 4, 7, 31, 100}) {
    std::vector<Triplet> triplets;
    std::mt19937 random(static_cast<unsigned>(rows));
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < i % 6; ++k)
        triplets.push_back({i, (i * 7 + k * 5) % rows, uniform(random)});
    }
    const CsrOperator op(csr_from_triplets(rows, rows, triplets));
    expect_product(
        op, MatrixForm::kCsr,
        [](Device& device, DeviceMatrix& S, const PcrVectors& v, Buffer<PcrControl>& control,
           Buffer<double>& partial, int lanes, const Shape& shape) {
          device.launch(Product<CsrForm<double>>{S.csr_form<double>(), v, S.block_rows(),
                                                 control.array(), partial.array(), lanes},
                        shape);
        });
  }
}

TEST(CudaKernels, FactoredProductEqualsTheSerialOneWithEmptyRows) {
  for (const int rows : {1, 3, 8, 30}) {
    const Factors f = make_factors(rows, 2, 4);
    const SchurOperator op(f.J, f.H_inverse, f.C);
    expect_product(
        op, MatrixForm::kFactored,
        [](Device& device, DeviceMatrix& S, const PcrVectors& v, Buffer<PcrControl>& control,
           Buffer<double>& partial, int lanes, const Shape& shape) {
          using Form = FactoredForm<double>;
          const Form form = S.factored_form<double>();
          device.launch(NodePass<Form>{form, v, control.array(), false, lanes}, shape);
          device.launch(
              Product<Form>{form, v, S.block_rows(), control.array(), partial.array(), lanes},
              shape);
        });
  }
}

// A copy of the team of a block whose barrier was forgotten.
template <class Thread>
struct ForgetfulTeam : BlockTeam<Thread> {
  void sync() {}
};

struct ForgetfulPcr {
  BlockForm<double> S;
  PcrVectors v;
  int rows = 0;
  bool forget = false;

  template <class Thread>
  void operator()(Thread& thread) const {
    PcrLimits limits;
    limits.max_iterations = 3;
    if (forget) {
      ForgetfulTeam<Thread> team{{thread}};
      pcr(team, S, S, v, {{}, 0, rows}, {}, limits, {}, 2);
    } else {
      BlockTeam<Thread> team{thread};
      pcr(team, S, S, v, {{}, 0, rows}, {}, limits, {}, 2);
    }
  }
};

TEST(CudaKernels, ForgettingABarrierOfTheIterationIsCaught) {
  HostDevice device;
  const BlockOperator op(assembled(make_factors(12, 1, 3)));
  DeviceMatrix S(device, op, MatrixForm::kBlocks, false);
  S.upload_values(op);
  std::vector<Buffer<double>> buffers;
  for (int i = 0; i < 9; ++i) {
    buffers.emplace_back(device, 36);
    buffers.back().upload(std::vector<double>(36, 1.0).data());
  }
  const auto at = [&](std::size_t i) { return buffers[i].array(); };
  ForgetfulPcr kernel{S.block_form<double>(),
                      {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), 3},
                      12,
                      false};
  const Shape shape{.blocks = 1, .threads = 8, .shared_doubles = 8};

  EXPECT_NO_THROW(device.harness().run(kernel, shape));
  kernel.forget = true;
  EXPECT_THROW(device.harness().run(kernel, shape), HarnessError);
}

// --- the iteration -------------------------------------------------------------------------------

const char* const kLoops[] = {"block", "grid", "graph"};

TEST(CudaPcr, TakesTheIterationsOfPcrInEveryLoopAndForm) {
  const Factors f = make_factors(60, 1, 7);
  const BlockOperator blocks(assembled(f));
  const CsrOperator scalars(to_scalar(assembled(f)));
  const SchurOperator factored(f.J, f.H_inverse, f.C);
  const Vector b = random_vector(180, 8);
  const SolverRegistry cpu = standard_backends();
  for (const char* precond : {"none", "jacobi", "block-jacobi"}) {
    const std::string P = std::string("precond=") + precond;
    const Solved expected = solve(*cpu.make("pcr:" + P), blocks, b);
    for (const LinearOperator* op :
         {static_cast<const LinearOperator*>(&blocks), static_cast<const LinearOperator*>(&scalars),
          static_cast<const LinearOperator*>(&factored)}) {
      for (const char* loop : kLoops) {
        const auto solver =
            harness_registry().make("cuda-pcr:islands=false,loop=" + std::string(loop) + "," + P);

        const Solved solved = solve(*solver, *op, b);

        EXPECT_TRUE(solved.report.ok()) << loop << " " << precond << " " << solved.report.detail;
        // rounding may move the last iteration by one
        EXPECT_NEAR(solved.report.iterations, expected.report.iterations, 1) << loop << precond;
        // both are within rtol |b| / smallest eigenvalue (1/2) of the solution
        EXPECT_LE(distance(solved.x, expected.x), 4e-10 * norm2(b));
      }
    }
  }
}

TEST(CudaPcr, PreconditionedResidualNeverRises) {
  const BlockOperator op(assembled(make_factors(40, 1, 9)));
  const Vector b = random_vector(120, 10);
  for (const char* loop : kLoops) {
    std::vector<double> curve;
    const auto solver = harness_registry().make("cuda-pcr:loop=" + std::string(loop));

    const Solved solved = solve(*solver, op, b, {}, [&](const IterationInfo& info) {
      curve.push_back(info.preconditioned);
    });

    ASSERT_EQ(static_cast<int>(curve.size()), solved.report.iterations + 1);
    // one unit of rounding per iteration
    for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_LE(curve[i], curve[i - 1] * (1 + 1e-14));
  }
}

TEST(CudaPcr, ResultDoesNotDependOnTheOrderOfThreads) {
  const BlockOperator op(assembled(make_factors(30, 3, 11)));
  const Vector b = random_vector(90, 12);
  for (const char* loop : kLoops) {
    std::vector<Solved> solved;
    for (const Order order : {Order::kForward, Order::kBackward, Order::kShuffled}) {
      const auto solver = harness_registry({.harness = {.order = order}})
                              .make("cuda-pcr:loop=" + std::string(loop));
      solved.push_back(solve(*solver, op, b));
    }
    EXPECT_EQ(distance(solved[0].x, solved[1].x), 0.0);
    EXPECT_EQ(distance(solved[0].x, solved[2].x), 0.0);
  }
}

TEST(CudaPcr, OneThreadIsEnough) {
  const BlockOperator op(assembled(make_factors(9, 2, 13)));
  const Vector b = random_vector(27, 14);
  for (const char* loop : kLoops) {
    const auto solver = harness_registry({.multiprocessors = 1, .threads = 1})
                            .make("cuda-pcr:loop=" + std::string(loop));

    EXPECT_TRUE(solve(*solver, op, b).report.ok());
  }
}

TEST(CudaPcr, FloatStorageReachesDoubleAccuracy) {
  const Factors f = make_factors(40, 1, 15);
  const BlockOperator blocks(assembled(f));
  const SchurOperator factored(f.J, f.H_inverse, f.C);
  const Vector b = random_vector(120, 16);
  for (const char* loop : kLoops) {
    for (const LinearOperator* op : {static_cast<const LinearOperator*>(&blocks),
                                     static_cast<const LinearOperator*>(&factored)}) {
      const auto solver =
          harness_registry().make("cuda-pcr:storage=float,loop=" + std::string(loop));

      const Solved solved = solve(*solver, *op, b, {.rtol = 1e-12});

      EXPECT_EQ(solved.report.status, LinearStatus::kConvergedRelative) << solved.report.detail;
      EXPECT_LE(solved.report.relative_residual(), 1e-12);
    }
  }
}

// --- islands and batches -------------------------------------------------------------------------

TEST(CudaIslands, AreTheConnectedPartsOfThePattern) {
  const Factors f = make_factors(20, 4, 17);

  const Islands of_S = find_islands(assembled(f));
  const Islands of_factors = find_islands(f.J, &f.C);

  EXPECT_EQ(of_S.rows, of_factors.rows);
  EXPECT_EQ(of_S.row_begin, of_factors.row_begin);
  EXPECT_GE(of_S.count(), 4);
  EXPECT_EQ(static_cast<int>(of_S.rows.size()), 20);
}

TEST(CudaPcr, MoreIslandsThanThreadBlocks) {
  const Factors f = make_factors(120, 40, 18);
  const BlockCsr S = assembled(f);
  ASSERT_GT(find_islands(S).count(), 8);  // one multiprocessor: eight blocks
  const BlockOperator blocks(S);
  const SchurOperator factored(f.J, f.H_inverse, f.C);
  const Vector b = random_vector(360, 19);
  for (const LinearOperator* op : {static_cast<const LinearOperator*>(&blocks),
                                   static_cast<const LinearOperator*>(&factored)}) {
    const auto solver = harness_registry({.multiprocessors = 1}).make("cuda-pcr");

    const Solved solved = solve(*solver, *op, b);

    EXPECT_EQ(solved.report.status, LinearStatus::kConvergedRelative);
    EXPECT_LE(solved.report.true_residual, 1e-10 * norm2(b));
    EXPECT_EQ(solved.report.kernel_launches, op == &blocks ? 3 : 3);  // P twice, then one solve
  }
}

TEST(CudaPcrBatch, EachSystemEndsOnItsOwn) {
  std::vector<BlockCsr> systems;
  std::vector<ConstVector> b;
  std::vector<Vector> x;
  for (int k = 0; k < 20; ++k) {
    const int rows = 1 + k % 6;
    systems.push_back(assembled(make_factors(rows, 1, static_cast<unsigned>(k))));
    b.push_back(random_vector(3 * static_cast<std::size_t>(rows), 50 + static_cast<unsigned>(k)));
    x.push_back(vector_of(3 * static_cast<std::size_t>(rows), 0.0));
  }
  for (std::size_t i = 0; i < 9; ++i) systems[4].value(i) *= -1.0;  // indefinite
  Kokkos::deep_copy(systems[7].value, 0.0);                         // zero: least squares at once
  PcrBatch batch(
      [] { return std::make_unique<HostDevice>(HostDeviceOptions{.multiprocessors = 1}); },
      {.precond = Scaling::kBlockJacobi});
  batch.prepare(systems);

  const std::vector<LinearReport> reports = batch.solve(b, x);

  for (std::size_t k = 0; k < systems.size(); ++k) {
    if (k == 4 || k == 7) continue;
    EXPECT_EQ(reports[k].status, LinearStatus::kConvergedRelative) << k;
    const Vector r("r", b[k].extent(0));
    multiply(systems[k], x[k], r);
    EXPECT_LE(residual_norm(b[k], r, r), 1e-10 * norm2(b[k])) << k;
  }
  EXPECT_EQ(reports[4].status, LinearStatus::kIndefinite);
  EXPECT_EQ(reports[7].status, LinearStatus::kConvergedLeastSquares);
}

TEST(CudaPcrBatch, SecondPrepareUploadsOnlyValues) {
  const std::vector<BlockCsr> systems = {assembled(make_factors(4, 1, 1)),
                                         assembled(make_factors(6, 1, 2))};
  const std::vector<ConstVector> b = {random_vector(12, 1), random_vector(18, 2)};
  const std::vector<Vector> x = {vector_of(12, 0.0), vector_of(18, 0.0)};
  PcrBatch batch([] { return std::make_unique<HostDevice>(); }, {});
  batch.prepare(systems);
  static_cast<void>(batch.solve(b, x));

  batch.prepare(systems);
  const std::vector<LinearReport> reports = batch.solve(b, x);

  const auto values = systems[0].value.extent(0) + systems[1].value.extent(0);
  // values, b, x, and a target per system
  EXPECT_EQ(reports[0].bytes_to_device, 8.0 * static_cast<double>(values + 30 + 30 + 2));
}

// --- what crosses the bus ------------------------------------------------------------------------

TEST(CudaPcr, NothingCrossesTheBusPerIteration) {
  const BlockOperator op(assembled(make_factors(60, 1, 20)));
  const Vector b = random_vector(180, 21);
  for (const char* loop : {"block", "grid"}) {
    std::vector<LinearReport> reports;
    for (const int budget : {2, 20}) {
      const auto solver =
          harness_registry().make("cuda-pcr:islands=false,loop=" + std::string(loop));
      reports.push_back(solve(*solver, op, b, {.iteration_budget = budget}).report);
      ASSERT_EQ(reports.back().iterations, budget);
    }
    EXPECT_EQ(reports[0].bytes_to_device, reports[1].bytes_to_device);
    EXPECT_EQ(reports[0].bytes_from_device, reports[1].bytes_from_device);
    EXPECT_EQ(reports[1].bytes_from_device, 8.0 * 180 + sizeof(PcrOutcome));
    EXPECT_EQ(reports[0].kernel_launches, reports[1].kernel_launches);
    EXPECT_EQ(reports[1].kernel_launches, 3);  // diagonal, its inverse, the solve
  }
}

TEST(CudaPcr, AGraphIsLookedAtOncePerPoll) {
  const BlockOperator op(assembled(make_factors(60, 1, 20)));
  const Vector b = random_vector(180, 21);
  const auto solver = harness_registry().make("cuda-pcr:loop=graph,poll=8");

  const LinearReport report = solve(*solver, op, b, {.iteration_budget = 20}).report;

  ASSERT_EQ(report.iterations, 20);
  // graphs of 8 iterations: the 21st decision ends it
  EXPECT_EQ(report.bytes_from_device, 8.0 * 180 + 3.0 * sizeof(PcrControl));
  // diagonal, inverse, residual, resume; then product, decision and update per iteration
  EXPECT_EQ(report.kernel_launches, 4 + 3 * 8 * 3);
}

TEST(CudaSolvers, RepeatedSolveWithTheSamePatternUploadsOnlyValues) {
  const BlockCsr S = assembled(make_factors(30, 1, 22));
  const Vector b = random_vector(90, 23);
  const auto values = 8.0 * static_cast<double>(S.value.extent(0));
  for (const char* spec :
       {"cuda-pcr:loop=grid", "cuda-pcr:loop=graph", "cuda-pcr:loop=graph,matrix=csr",
        "cuda-direct", "cuda-direct:method=sparse"}) {
    BlockOperator op(S);
    const auto solver = harness_registry().make(spec);
    static_cast<void>(solve(*solver, op, b));
    op.values_changed();

    const LinearReport again = solve(*solver, op, b).report;
    const LinearReport unchanged = solve(*solver, op, b).report;

    const bool direct = std::string(spec).find("direct") != std::string::npos;
    const bool graph = std::string(spec).find("graph") != std::string::npos;
    // b, the guess of an iterative solver, the initial state of a graph
    const double vectors = 8.0 * 90 * (direct ? 1 : 2) + (graph ? sizeof(PcrControl) : 0);
    EXPECT_EQ(again.bytes_to_device, values + vectors) << spec;
    EXPECT_EQ(unchanged.bytes_to_device, vectors) << spec;
  }
}

TEST(CudaPcr, FactorsGoUpOnceWithoutTheirTranspose) {
  const Factors f = make_factors(30, 1, 24);
  SchurOperator op(f.J, f.H_inverse, f.C);
  const Vector b = random_vector(90, 25);
  const auto solver = harness_registry().make("cuda-pcr:loop=grid");
  static_cast<void>(solve(*solver, op, b));
  op.values_changed();

  const LinearReport report = solve(*solver, op, b).report;

  const auto values = f.J.value.extent(0) + f.H_inverse.extent(0) + f.C.value.extent(0);
  EXPECT_EQ(report.bytes_to_device, 8.0 * static_cast<double>(values + 90 + 90));
}

// --- failures ------------------------------------------------------------------------------------

TEST(CudaSolvers, EveryFailingCallIsAStatusWithWords) {
  const BlockOperator op(assembled(make_factors(6, 1, 26)));
  const Vector b = random_vector(18, 27);
  for (const char* spec :
       {"cuda-pcr:loop=block", "cuda-pcr:loop=grid", "cuda-pcr:loop=graph,matrix=csr",
        "cuda-direct", "cuda-direct:method=sparse,storage=float"}) {
    int survived = 0;
    for (int fail_at = 1; survived == 0 && fail_at < 500; ++fail_at) {
      const auto solver = harness_registry({.fail_at = fail_at}).make(spec);

      const Solved solved = solve(*solver, op, b, {.rtol = 1e-6});

      if (solved.report.ok()) {
        survived = fail_at;
        continue;
      }
      EXPECT_EQ(solved.report.status, LinearStatus::kBackendError) << spec << " at " << fail_at;
      EXPECT_NE(solved.report.detail.find("told to fail"), std::string::npos);
      EXPECT_TRUE(all_finite(solved.x));
    }
    EXPECT_GT(survived, 10) << spec;  // so many calls could fail, and did
  }
}

TEST(CudaSolvers, ALostDeviceMayComeBack) {
  const BlockOperator op(assembled(make_factors(6, 1, 28)));
  const Vector b = random_vector(18, 29);
  for (const char* name : {"cuda-pcr", "cuda-direct"}) {
    for (const int fail_at : {2, 10, 18}) {
      int opened = 0;
      const DeviceFactory open = [&opened, fail_at] {
        return std::make_unique<HostDevice>(
            HostDeviceOptions{.fail_at = opened++ == 0 ? fail_at : 0});
      };
      SolverRegistry registry;
      registry.add(cuda_pcr(open));
      registry.add(cuda_direct(open));
      BlockOperator changing(assembled(make_factors(6, 1, 28)));
      const auto solver = registry.make(name);
      EXPECT_EQ(solve(*solver, changing, b).report.status, LinearStatus::kBackendError) << name;

      changing.values_changed();
      LinearReport second = solve(*solver, changing, b).report;
      if (!second.ok()) {
        changing.values_changed();
        second = solve(*solver, changing, b).report;
      }

      EXPECT_TRUE(second.ok()) << name << " " << fail_at << ": " << second.detail;
      EXPECT_EQ(opened, 2);
    }
  }
}

TEST(CudaSolvers, OutOfMemoryIsAStatusWithWords) {
  const BlockOperator op(assembled(make_factors(60, 1, 30)));
  const Vector b = random_vector(180, 31);
  for (const char* spec : {"cuda-pcr", "cuda-direct", "cuda-direct:method=sparse"}) {
    const auto solver = harness_registry({.harness = {.memory_bytes = 16384}}).make(spec);

    const LinearReport report = solve(*solver, op, b).report;

    EXPECT_EQ(report.status, LinearStatus::kBackendError) << spec;
    EXPECT_NE(report.detail.find("out of memory"), std::string::npos) << report.detail;
  }
}

TEST(CudaPcr, AskedForFactorsThatThereAreNotRefuses) {
  const BlockOperator op(assembled(make_factors(3, 1, 32)));
  const auto solver = harness_registry().make("cuda-pcr:matrix=factored");

  EXPECT_THROW(solver->prepare(op), std::invalid_argument);
}

TEST(CudaDirect, IslandsOfManySizesAreBatched) {
  const BlockCsr S = assembled(make_factors(60, 15, 33));
  const BlockOperator op(S);
  const Vector b = random_vector(180, 34);
  const auto solver = harness_registry().make("cuda-direct:method=dense");

  const Solved solved = solve(*solver, op, b, {.rtol = 1e-13});

  EXPECT_TRUE(solved.report.ok()) << solved.report.detail;
  // fewer launches than islands: scatter, one factorisation and one solve per size class, the rest
  EXPECT_LT(solved.report.kernel_launches, find_islands(S).count());
}

TEST(CudaDirect, NamesTheRowOfABadPivot) {
  BlockCsr S = assembled(make_factors(5, 1, 35));
  for (Index k = S.row_begin(3); k < S.row_begin(4); ++k) {
    if (S.column(k) == 3) S.value(9 * k + 4) = -100.0;
  }
  const BlockOperator op(S);
  for (const char* method : {"dense", "sparse"}) {
    const auto solver = harness_registry().make("cuda-direct:method=" + std::string(method));

    const LinearReport report = solve(*solver, op, random_vector(15, 36)).report;

    EXPECT_EQ(report.status, LinearStatus::kSingularPivot);
    if (std::string(method) == "dense") {
      EXPECT_NE(report.detail.find("row 10"), std::string::npos) << report.detail;
    }
  }
}

}  // namespace
}  // namespace nsn::cuda
