/// jacobi, pcg and pcr as solvers of a device: one source for all of them
/// (core/device/krylov_run.h, krylov_bodies.h), as kernels over all rows.
#pragma once

#include <string>

#include "nsn/core/base/error.h"
#include "nsn/core/device/device_solver.h"
#include "nsn/core/device/krylov_bodies.h"

namespace nsn {

struct DeviceKrylovOptions {
  DeviceMethod method = DeviceMethod::kPcr;
  DevicePreconditioning precond = DevicePreconditioning::kJacobi;
  int max_iterations = 0;  ///< 0: what the call asks for
  int power_iterations = 30;
  double omega = 0.0;  ///< jacobi; 0: from the largest eigenvalue
};

template <class D, class Real>
class KrylovSolver final : public DeviceSolver<D, Real> {
 public:
  KrylovSolver(std::string name, const DeviceKrylovOptions& options)
      : name_(std::move(name)), options_(options) {
    capabilities_.handles_singular = options.method != DeviceMethod::kPcg;
    capabilities_.takes_factors = true;
    capabilities_.device = kHostReads<D> ? "cpu" : "device";
  }

  std::string_view name() const override { return name_; }
  std::string_view runs_on() const override { return "device"; }
  const Capabilities& capabilities() const override { return capabilities_; }
  Span<D, const DeviceOutcome> outcome() const override { return outcome_; }
  double bytes_held() const override {
    const auto reals = 6 * r_.extent(0) + 2 * u_.extent(0) + P_.extent(0) + node_.extent(0);
    return static_cast<double>(reals * sizeof(Real) + part_.extent(0) * sizeof(double));
  }

  /// Throws std::invalid_argument for a matrix that is not symmetric.
  void prepare(Queue<D>& queue, const DeviceOperator<D, Real>& op) override {
    NSN_THROW_UNLESS(op.symmetric,
                     "'{}' solves symmetric systems only, and this operator is not symmetric",
                     name_);
    if (op.pattern_id != pattern_id_ || size_of(z_) != kBlock * op.rows ||
        size_of(node_) != kBlock * op.nodes) {
      pattern_id_ = op.pattern_id;
      allocate(op);
    }
    const bool values = op.value_id != value_id_;
    value_id_ = op.value_id;
    bodies_.op = op;
    bodies_.method = options_.method;
    bodies_.precond = options_.precond;
    if (!values) return;
    const Captured<D, KrylovBodies<D, Real>> k(bodies_);
    queue.for_each(
        "precondition", k->op.rows, KOKKOS_LAMBDA(const Index i) { k->set_preconditioner(i); }, 16);
    if (options_.method == DeviceMethod::kJacobi) find_largest_eigenvalue(queue);
  }

  /// The vectors with room for op, for kernels of others that run the loop themselves.
  const KrylovBodies<D, Real>& attached(const DeviceOperator<D, Real>& op) {
    if (size_of(z_) != kBlock * op.rows || size_of(node_) != kBlock * op.nodes) allocate(op);
    bodies_.op = op;
    bodies_.method = options_.method;
    bodies_.precond = options_.precond;
    return bodies_;
  }

  void solve(Queue<D>& queue, Span<D, const Real> b, Span<D, Real> x,
             const DeviceControl<D>& control) override {
    bodies_.b = b;
    bodies_.x = x;
    bodies_.goal = control.goal;
    if (options_.max_iterations > 0 && options_.max_iterations < bodies_.goal.limit) {
      bodies_.goal.limit = options_.max_iterations;
    }
    begin(queue, control);
    // A claim of convergence that is examined takes a trip, a sum that is formed again another.
    const int extra = bodies_.goal.budget ? 4 : 64;
    const int trips = bodies_.goal.limit + 1 + extra;
    int seen = -1;
    for (int k = 1; k <= trips; ++k) {
      trip(queue);
      if (control.monitor) tell(queue, control.monitor, seen);
      if (done(queue, control.monitor ? 1 : control.poll, k)) break;
    }
    const KrylovGoal goal = bodies_.goal;
    const Span<D, const KrylovRun> run = run_;
    const Span<D, DeviceOutcome> out = outcome_;
    queue.for_each(
        "outcome", 1, KOKKOS_LAMBDA(const Index) { out(0) = krylov::outcome_of(run(0), goal); });
  }

  // ---- stages; public because of their lambdas

  void begin(Queue<D>& queue, const DeviceControl<D>& control) {
    const Captured<D, KrylovBodies<D, Real>> k(bodies_);
    const Span<D, double> part = part_;
    const Span<D, KrylovRun> run = run_;
    const Span<D, const int> stop = control.stop;
    const double omega = options_.omega;
    const Index chunks = queue.template sum_chunks<1>(
        "krylov begin", k->op.rows,
        KOKKOS_LAMBDA(const Index i, double* sum) { k->begin(i, true, sum); }, part);
    queue.for_each(
        "krylov start", 1, KOKKOS_LAMBDA(const Index) {
          const bool skipped = stop.extent(0) > 0 && stop(0) != 0;
          krylov::start(run(0), k->goal, total_of(part, chunks, 1, 0), true, skipped);
          if (omega > 0.0) run(0).omega = omega;
        });
  }

  void trip(Queue<D>& queue) {
    const Captured<D, KrylovBodies<D, Real>> k(bodies_);
    const Span<D, double> part = part_;
    const Span<D, KrylovRun> run = run_;
    if (k->op.two_passes()) {
      queue.for_each(
          "krylov nodes", k->op.nodes,
          KOKKOS_LAMBDA(const Index n) {
            if (!run(0).done()) k->nodes(n, run(0));
          },
          8);
    }
    const Index chunks = queue.template sum_chunks<kKrylovSums>(
        "krylov rows", k->op.rows,
        KOKKOS_LAMBDA(const Index from, const Index to, double* sum) {
          if (!run(0).done()) k->rows(from, to, run(0), sum);
        },
        part);
    queue.for_each(
        "krylov decide", 1, KOKKOS_LAMBDA(const Index) {
          KrylovRun now = run(0);
          if (now.done()) {
            now.step = now.save_best = now.restore_best = false;
          } else {
            double sum[kKrylovSums];
            for (int m = 0; m < kKrylovSums; ++m) sum[m] = total_of(part, chunks, kKrylovSums, m);
            krylov::decide_next(k->method, now, k->goal, sum, k->unit());
          }
          run(0) = now;
        });
    queue.for_parts(
        "krylov update", k->op.rows,
        KOKKOS_LAMBDA(const Index from, const Index to) { k->update(from, to, run(0)); }, 4);
  }

  void find_largest_eigenvalue(Queue<D>& queue) {
    const Captured<D, KrylovBodies<D, Real>> k(bodies_);
    const Span<D, double> part = part_;
    const Span<D, KrylovRun> run = run_;
    queue.for_each(
        "power start", k->op.rows, KOKKOS_LAMBDA(const Index i) { k->power_start(i); });
    queue.for_each(
        "power start", 1, KOKKOS_LAMBDA(const Index) { run(0).lambda = 0.0; });
    for (int it = 0; it < options_.power_iterations; ++it) {
      if (k->op.two_passes()) {
        queue.for_each(
            "power nodes", k->op.nodes,
            KOKKOS_LAMBDA(const Index n) { k->op.product_node(n, k->z, k->node); }, 8);
      }
      const Index chunks = queue.template sum_chunks<kKrylovSums>(
          "power rows", k->op.rows,
          KOKKOS_LAMBDA(const Index i, double* sum) { k->power_rows(i, sum); }, part);
      queue.for_each(
          "power decide", 1, KOKKOS_LAMBDA(const Index) {
            const double zz = total_of(part, chunks, kKrylovSums, kSumRz);
            const double zw = total_of(part, chunks, kKrylovSums, kSumZw);
            const double ww = total_of(part, chunks, kKrylovSums, kSumWPw);
            if (!(zz > 0.0) || !pcr::finite(ww)) return;
            run(0).lambda =
                std::fmax(run(0).lambda, std::fmax(std::fabs(zw) / zz, std::sqrt(ww / zz)));
          });
      queue.for_each(
          "power scale", k->op.rows, KOKKOS_LAMBDA(const Index i) {
            k->power_scale(i, total_of(part, chunks, kKrylovSums, kSumWPw));
          });
    }
  }

  /// The residual of a trip is that before its step.
  void tell(Queue<D>& queue, const Monitor& monitor, int& seen) {
    KrylovRun now;
    queue.copy(HostSpan<KrylovRun>(&now, 1), Span<D, const KrylovRun>(run_));
    const int iteration = now.step ? now.iteration - 1 : now.iteration;
    if (iteration > seen) monitor({iteration, std::sqrt(now.r_r), 0.0, 0.0});
    seen = std::max(seen, iteration);
  }

  /// Where the host reads the run it asks after every trip.
  bool done(Queue<D>& queue, int poll, int trip) {
    if constexpr (kHostReads<D>) {
      return run_(0).done();
    } else {
      if (poll <= 0 || trip % poll != 0) return false;
      const Span<D, const KrylovRun> run = run_;
      const Span<D, int> flag = flag_;
      queue.for_each(
          "krylov done", 1, KOKKOS_LAMBDA(const Index) { flag(0) = run(0).done() ? 1 : 0; });
      queue.copy(host_flag_, flag);
      return host_flag_(0) != 0;
    }
  }

 private:
  void allocate(const DeviceOperator<D, Real>& op) {
    const Index n = kBlock * op.rows;
    for (DeviceArray<D, Real>* v : {&r_, &z_, &w_, &p_, &q_, &best_}) {
      *v = allocate_on<D, Real>("krylov", n);
    }
    for (DeviceArray<D, Real>* v : {&u_, &s_}) {
      *v = allocate_on<D, Real>("krylov", options_.method == DeviceMethod::kPcr ? n : 0);
    }
    const bool blocks = options_.precond == DevicePreconditioning::kBlockJacobi;
    P_ = allocate_on<D, Real>("P", (blocks ? kBlockSize : kBlock) * op.rows);
    node_ = allocate_on<D, Real>("krylov node", kBlock * op.nodes);
    part_ = allocate_on<D, double>("parts", Queue<D>::parts(kKrylovSums));
    run_ = allocate_on<D, KrylovRun>("run", 1);
    outcome_ = allocate_on<D, DeviceOutcome>("outcome", 1);
    flag_ = allocate_on<D, int>("flag", 1);
    host_flag_ = Kokkos::View<int*, Memory>("flag", 1);
    bodies_ = {};
    bodies_.r = r_, bodies_.z = z_, bodies_.w = w_, bodies_.u = u_, bodies_.p = p_;
    bodies_.q = q_, bodies_.s = s_, bodies_.best = best_, bodies_.node = node_, bodies_.P = P_;
    value_id_ = 0;
  }

  std::string name_;
  DeviceKrylovOptions options_;
  Capabilities capabilities_;
  KrylovBodies<D, Real> bodies_;
  std::uint64_t pattern_id_ = 0;
  std::uint64_t value_id_ = 0;
  DeviceArray<D, Real> r_, z_, w_, u_, p_, q_, s_, best_, P_, node_;
  DeviceArray<D, double> part_;
  DeviceArray<D, KrylovRun> run_;
  DeviceArray<D, DeviceOutcome> outcome_;
  DeviceArray<D, int> flag_;
  Kokkos::View<int*, Memory> host_flag_;
};

}  // namespace nsn
