// AMGCL's and Eigen's conjugate gradients as they come, for nsn compare --plugin: peers of ours that no
// backend of nsn stands in for.
//
//   amgcl-ilu0   CG with ILU(0), 3x3 values where the operator stores blocks
//   amgcl-amg    CG with aggregation and ILU(0), the same values
//   eigen-ic     CG with the incomplete Cholesky factors of scalars
#include <algorithm>
#include <memory>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/as_preconditioner.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/solver/cg.hpp>
#include <amgcl/value_type/static_matrix.hpp>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/plugin.h"

namespace {

using nsn::ConstVector;
using nsn::Index;
using nsn::LinearOperator;
using nsn::Vector;

/// The library's iteration, judged by the residual of the operator.
class Peer : public nsn::LinearSolver {
 public:
  Peer(std::string name) : name_(std::move(name)) { capabilities_.needs_entries = true; }
  std::string_view name() const override { return name_; }
  const nsn::Capabilities& capabilities() const override { return capabilities_; }

 protected:
  struct Outcome {
    int iterations = 0;
  };

 private:
  /// x from zero to a relative residual of rtol.
  virtual Outcome iterate(ConstVector b, Vector x, double rtol, int most) = 0;

  void do_analyze(const LinearOperator& op) override { r_ = Vector("r", nsn::to_size(op.rows())); }
  void do_solve(const LinearOperator& op, ConstVector b, Vector x,
                const nsn::LinearControl& control, const nsn::Monitor&,
                nsn::LinearReport& report) override {
    report.iterations = iterate(b, x, control.rtol, control.max_iterations).iterations;
    op.apply(x, r_);
    const double residual = nsn::residual_norm(b, r_, r_);
    report.recurrence_residual = residual;
    report.bytes_moved = (report.iterations + 1.0) * op.bytes_per_apply();
    report.status = residual <= control.rtol * report.rhs_norm
                        ? nsn::LinearStatus::kConvergedRelative
                        : nsn::LinearStatus::kStagnation;
  }
  double bytes_held() const override { return 8.0 * static_cast<double>(r_.size()); }

  std::string name_;
  nsn::Capabilities capabilities_;
  Vector r_;
};

template <class Value>
using BackendOf = amgcl::backend::builtin<Value, Index, Index>;
template <class Value>
using Ilu0 = amgcl::relaxation::as_preconditioner<BackendOf<Value>, amgcl::relaxation::ilu0>;
template <class Value>
using Amg = amgcl::amg<BackendOf<Value>, amgcl::coarsening::aggregation, amgcl::relaxation::ilu0>;

/// AMGCL's CG around P of a value type.
template <class Value, template <class> class P>
class AmgclCg {
  using Solver = amgcl::make_solver<P<Value>, amgcl::solver::cg<BackendOf<Value>>>;
  using Part = typename amgcl::math::rhs_of<Value>::type;

 public:
  template <class Matrix>
  void take(const Matrix& S) {
    const Index* const begin = S.row_begin.data();
    const Index* const column = S.column.data();
    const auto* const value = reinterpret_cast<const Value*>(S.value.data());
    const auto entries = static_cast<std::ptrdiff_t>(S.column.extent(0));
    A_ = std::make_shared<typename BackendOf<Value>::matrix>(
        static_cast<std::size_t>(S.rows), static_cast<std::size_t>(S.columns),
        amgcl::make_iterator_range(begin, begin + S.rows + 1),
        amgcl::make_iterator_range(column, column + entries),
        amgcl::make_iterator_range(value, value + entries));
    solver_.reset();
  }
  int solve(ConstVector b, Vector x, double rtol, int most) {
    typename Solver::params params;
    params.solver.tol = rtol;
    params.solver.maxiter = static_cast<std::size_t>(most);
    if (solver_ == nullptr) solver_ = std::make_unique<Solver>(A_, params);
    const auto n = static_cast<std::ptrdiff_t>(b.extent(0) * sizeof(double) / sizeof(Part));
    const auto* const in = reinterpret_cast<const Part*>(b.data());
    auto* const out = reinterpret_cast<Part*>(x.data());
    const auto rhs = amgcl::make_iterator_range(in, in + n);
    auto to = amgcl::make_iterator_range(out, out + n);
    const auto [iterations, error] = (*solver_)(rhs, to);
    return static_cast<int>(iterations);
  }

 private:
  std::shared_ptr<typename BackendOf<Value>::matrix> A_;
  std::unique_ptr<Solver> solver_;
};

template <template <class> class P>
class Amgcl final : public Peer {
 public:
  using Peer::Peer;

 private:
  Preparation do_factorize(const LinearOperator& op) override {
    blocks_ = op.blocks() != nullptr;
    if (blocks_) {
      three_.take(*op.blocks());
    } else {
      one_.take(*op.scalars());
    }
    return {};
  }
  Outcome iterate(ConstVector b, Vector x, double rtol, int most) override {
    return {blocks_ ? three_.solve(b, x, rtol, most) : one_.solve(b, x, rtol, most)};
  }

  bool blocks_ = false;
  AmgclCg<amgcl::static_matrix<double, 3, 3>, P> three_;
  AmgclCg<double, P> one_;
};

class EigenIc final : public Peer {
 public:
  using Peer::Peer;

 private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;

  Preparation do_factorize(const LinearOperator& op) override {
    const nsn::Csr scalar = op.blocks() != nullptr ? nsn::to_scalar(*op.blocks()) : *op.scalars();
    A_ = Eigen::Map<const Matrix>(scalar.rows, scalar.columns, scalar.nonzeros(),
                                  scalar.row_begin.data(), scalar.column.data(),
                                  scalar.value.data());  // symmetric: rows are columns
    solver_.compute(A_);
    return {};
  }
  Outcome iterate(ConstVector b, Vector x, double rtol, int most) override {
    solver_.setTolerance(rtol);
    solver_.setMaxIterations(most);
    const Eigen::Map<const Eigen::VectorXd> rhs(b.data(), static_cast<Eigen::Index>(b.extent(0)));
    Eigen::Map<Eigen::VectorXd>(x.data(), rhs.size()) = solver_.solve(rhs);
    return {static_cast<int>(solver_.iterations())};
  }

  Matrix A_;
  Eigen::ConjugateGradient<
      Matrix, Eigen::Lower | Eigen::Upper,
      Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::AMDOrdering<Index>>>
      solver_;
};

template <class Solver>
void add(nsn::SolverRegistry& registry, const std::string& name, const std::string& summary) {
  nsn::SolverInfo info;
  info.name = name;
  info.summary = summary;
  info.capabilities.needs_entries = true;
  info.make = [name](const nsn::Options&, const nsn::SolverRegistry&) {
    return std::make_unique<Solver>(name);
  };
  registry.add(std::move(info));
}

}  // namespace

NSN_PLUGIN(registry) {
  add<Amgcl<Ilu0>>(registry, "amgcl-ilu0", "AMGCL: CG, ILU(0) in 3x3 values");
  add<Amgcl<Amg>>(registry, "amgcl-amg", "AMGCL: CG, aggregation, ILU(0) in 3x3 values");
  add<EigenIc>(registry, "eigen-ic", "Eigen: CG, incomplete Cholesky");
}
