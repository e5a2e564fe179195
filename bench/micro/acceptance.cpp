// Prints whether the linear iteration reaches its yardsticks:
//   1  one PCR iteration on at least 3e5 rows takes at most 1.4 x (bytes moved / triad bandwidth),
//      and the factored product beats assembled scalar CSR on a pile of >= 6 contacts per body;
//   2  a PCR iteration is not slower than one of Eigen's ConjugateGradient with the same diagonal
//      preconditioner on the same CSR matrix and one thread, and at least 1.3 x faster on two.
// Every figure is the minimum of repeats taken in turn with what it is compared to.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <fmt/core.h>

#include "bench/support/bandwidth.h"
#include "bench/support/generated_systems.h"
#include "bench/support/passive_waiting.h"
#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/pcr.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"
#include "nsn/precond/jacobi.h"

namespace {

using nsn::Index;
using nsn::Vector;
using Clock = std::chrono::steady_clock;
using EigenCsr = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;

constexpr int kRepeats = 20;
constexpr int kShort = 1;  // iterations; the time of one is the slope between two solves
constexpr int kLong = 4;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// An operator that takes the time between the products of a PCR loop: one iteration each.
class TimedOperator final : public nsn::LinearOperator {
 public:
  explicit TimedOperator(const nsn::LinearOperator& op) : op_(op) {}

  Index rows() const override { return op_.rows(); }
  void apply(nsn::ConstVector x, Vector y) const override {
    running_ = false;
    op_.apply(x, y);
  }
  nsn::ProductSums apply_with_sums(nsn::ConstVector x, nsn::ConstVector d, nsn::ConstVector q,
                                   Vector y) const override {
    const auto now = Clock::now();
    if (running_) {
      fastest_ = std::min(fastest_, std::chrono::duration<double>(now - start_).count());
    }
    running_ = q.extent(0) > 0;  // the product before the first direction is a little shorter
    start_ = now;
    return op_.apply_with_sums(x, d, q, y);
  }
  void diagonal(Vector out) const override { op_.diagonal(out); }
  void diagonal_blocks(Vector out) const override { op_.diagonal_blocks(out); }
  std::uint64_t pattern_id() const override { return op_.pattern_id(); }
  std::uint64_t value_id() const override { return op_.value_id(); }
  double bytes_per_apply() const override { return op_.bytes_per_apply(); }

  /// Shortest iteration so far, s.
  double fastest() const { return fastest_; }

 private:
  const nsn::LinearOperator& op_;
  mutable Clock::time_point start_;
  mutable bool running_ = false;
  mutable double fastest_ = HUGE_VAL;
};

/// PCR with Jacobi on one operator, from zero, for a fixed number of iterations.
class PcrRun {
 public:
  PcrRun(const nsn::LinearOperator& op, Vector b)
      : op_(op), b_(std::move(b)), x_(nsn::allocate_vector("x", b_.extent(0))) {
    P_.analyze(op);
    P_.factorize(op);
    pcr_.allocate(op.rows(), true);
  }

  void iterate(int iterations) {
    Kokkos::deep_copy(x_, 0.0);
    nsn::LinearReport report;
    pcr_.solve(op_, P_, b_, x_, {.rtol = 0.0, .max_iterations = iterations}, {}, {}, report);
  }
  double fastest() const { return op_.fastest(); }
  /// The product with its vectors, d and q; p, q, x, z updated with w and d.
  double bytes_per_iteration() const {
    return op_.bytes_per_apply() + 16.0 * op_.rows() + 80.0 * op_.rows();
  }
  /// Everything an iteration touches: the matrix and w, z, p, q, x, d.
  double working_set() const {
    return op_.bytes_per_apply() - 16.0 * op_.rows() + 48.0 * op_.rows();
  }

 private:
  TimedOperator op_;
  Vector b_, x_;
  nsn::Jacobi P_;
  nsn::Pcr pcr_;
};

/// Smallest seconds of one iteration of each contender, all measured in turn. The fixed part of a
/// solve cancels in the difference of a long and a short one.
std::vector<double> per_iteration(const std::vector<std::function<void(int)>>& contenders) {
  std::vector<double> short_run(contenders.size(), HUGE_VAL);
  std::vector<double> long_run(contenders.size(), HUGE_VAL);
  for (int k = 0; k < kRepeats; ++k) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      short_run[c] = std::min(short_run[c], seconds_of([&] { contenders[c](kShort); }));
      long_run[c] = std::min(long_run[c], seconds_of([&] { contenders[c](kLong); }));
    }
  }
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    long_run[c] = (long_run[c] - short_run[c]) / (kLong - kShort);
  }
  return long_run;
}

bool verdict(const char* what, double value, double limit, bool at_most) {
  const bool met = at_most ? value <= limit : value >= limit;
  fmt::print("  {:<66} {:6.2f}  {} {:.2f}  {}\n", what, value, at_most ? "<=" : ">=", limit,
             met ? "reached" : "MISSED");
  return met;
}

void describe(const char* name, double seconds, double bytes, double bandwidth) {
  fmt::print(
      "  {:<22} {:8.3f} ms per iteration, {:7.1f} MB moved, {:5.1f} GB/s, {:3.0f} % of the triad\n",
      name, 1e3 * seconds, 1e-6 * bytes, 1e-9 * bytes / seconds,
      100.0 * bytes / seconds / bandwidth);
}

struct Operators {
  explicit Operators(const nsn::GeneratedSystem& system)
      : factored(system.J, system.H_inverse, system.C),
        blocks(assembled(system)),
        scalars(nsn::to_scalar(delassus.matrix())) {}

  const nsn::BlockCsr& assembled(const nsn::GeneratedSystem& system) {
    delassus.analyze(system.J);
    delassus.assemble(system.J, system.H_inverse, system.C.value);
    return delassus.matrix();
  }

  nsn::Delassus delassus;
  nsn::SchurOperator factored;
  nsn::BlockOperator blocks;
  nsn::CsrOperator scalars;
};

bool bandwidth_part(const nsn::GeneratedSystem& system, const Operators& op) {
  PcrRun csr(op.scalars, system.b);
  PcrRun bsr(op.blocks, system.b);
  PcrRun factored(op.factored, system.b);
  struct Entry {
    const char* name;
    PcrRun& run;
    double seconds = 0.0;
    double ratio = 0.0;
  };
  Entry entries[] = {{"assembled scalar CSR", csr},
                     {"assembled 3x3 blocks", bsr},
                     {"factored J H^-1 J^T + C", factored}};
  bool met = true;
  for (Entry& entry : entries) {
    nsn::Triad triad(entry.run.working_set());
    double bandwidth = 0.0;
    for (int k = 0; k < kRepeats; ++k) {
      entry.run.iterate(kLong);
      bandwidth = std::max(bandwidth, triad.run());
    }
    entry.seconds = entry.run.fastest();
    const double bytes = entry.run.bytes_per_iteration();
    entry.ratio = entry.seconds * bandwidth / bytes;
    describe(entry.name, entry.seconds, bytes, bandwidth);
  }
  for (const Entry& entry : entries) {
    met &= verdict(fmt::format("PCR iteration / (bytes / triad), {}", entry.name).c_str(),
                   entry.ratio, 1.4, true);
  }
  for (int k = 0; k < kRepeats; ++k) {  // in turn
    csr.iterate(kLong);
    factored.iterate(kLong);
  }
  met &= verdict("assembled CSR / factored, PCR iteration", csr.fastest() / factored.fastest(), 1.0,
                 false);
  return met;
}

bool eigen_part(const nsn::GeneratedSystem& system, const Operators& op) {
  const nsn::Csr& S = *op.scalars.scalars();
  const EigenCsr A(S.rows, S.columns, S.nonzeros(), S.row_begin.data(), S.column.data(),
                   S.value.data());
  Eigen::ConjugateGradient<EigenCsr::PlainObject, Eigen::Lower | Eigen::Upper,
                           Eigen::DiagonalPreconditioner<double>>
      cg;
  cg.compute(A);  // keeps a reference: both read the same arrays
  cg.setTolerance(0.0);
  const Eigen::Map<const Eigen::VectorXd> b(system.b.data(), S.rows);
  Eigen::VectorXd x(S.rows);
  const auto eigen = [&](int k) {
    Eigen::setNbThreads(1);
    cg.setMaxIterations(k);
    x = cg.solve(b);
  };
  PcrRun csr(op.scalars, system.b);
  PcrRun bsr(op.blocks, system.b);
  const auto alone = [](PcrRun& run) {
    return [&run](int k) {
      const nsn::SerialScope scope;
      run.iterate(k);
    };
  };
  const auto all = [](PcrRun& run) { return [&run](int k) { run.iterate(k); }; };
  const std::vector<double> t = per_iteration({eigen, alone(csr), alone(bsr), all(csr), all(bsr)});
  fmt::print(
      "  Eigen CG {:.3f} ms; ours on one thread: CSR {:.3f}, blocks {:.3f}; on {}: CSR {:.3f}, "
      "blocks {:.3f} ms per iteration\n",
      1e3 * t[0], 1e3 * t[1], 1e3 * t[2], nsn::concurrency(), 1e3 * t[3], 1e3 * t[4]);
  bool met =
      verdict("Eigen CG / our PCR on the same CSR, one thread each", t[0] / t[1], 1.0, false);
  met &= verdict("Eigen CG on one thread / our PCR on two, same CSR", t[0] / t[3], 1.3, false);
  met &= verdict("Eigen CG on one thread / our PCR on two, 3x3 blocks", t[0] / t[4], 1.3, false);
  return met;
}

}  // namespace

int main(int, char** argv) {
  nsn::bench::wait_passively(argv);
  const nsn::Runtime runtime;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  fmt::print("threads: {}\n", nsn::concurrency());
  bool met = true;
  for (const Index contacts : {120000}) {
    nsn::PileOptions options;
    options.contacts = contacts;
    const nsn::GeneratedSystem system = nsn::sphere_pile(options);
    const Operators op(system);
    fmt::print(
        "sphere pile: {} contacts, {} bodies ({:.1f} contacts per body), {} rows, {} nonzeros\n",
        system.J.rows, system.bodies, 1.0 * system.J.rows / system.bodies, op.scalars.rows(),
        op.scalars.scalars()->nonzeros());
    met &= bandwidth_part(system, op);
    met &= eigen_part(system, op);
  }
  return met ? 0 : 1;
}
