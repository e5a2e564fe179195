#include "backends/eigen_ldlt.h"

#if defined(NSN_WITH_EIGEN)
#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/SparseCholesky>

#include "core/error.h"
#include "core/refinement.h"
#include "core/scalar_entries.h"
#endif

namespace nsn {
namespace {

Capabilities capabilities_of_eigen_ldlt() {
  Capabilities can;
  can.needs_entries = true;
  can.direct = true;
  return can;
}

SolverInfo description() {
  SolverInfo info;
  info.name = "eigen-ldlt";
  info.summary = "sparse L D L^T factorisation without pivoting, Eigen";
  info.licence = "MPL-2.0 (Eigen)";
  info.capabilities = capabilities_of_eigen_ldlt();
  info.options = {
      OptionSpec::choice("ordering", "amd", {"amd", "natural"}, "order of elimination"),
      OptionSpec::real("pivot_tolerance", 1e-14, 0.0, 1.0,
                       "a pivot below this times its diagonal entry of S counts as zero"),
      OptionSpec::integer("refine", 2, 0, 100,
                          "most steps of refinement, taken while the tolerance is missed")};
  return info;
}

#if defined(NSN_WITH_EIGEN)

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;
using Dense = Eigen::VectorXd;

template <class Factorisation>
class EigenLdlt final : public LinearSolver {
 public:
  explicit EigenLdlt(const Options& options)
      : pivot_tolerance_(options.real("pivot_tolerance")),
        refine_(static_cast<int>(options.integer("refine"))) {}

  std::string_view name() const override { return "eigen-ldlt"; }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override;

  Preparation check_pivots() const;
  void solve_in_place(Vector v);
  double factor_entries() const {
    return static_cast<double>(factorisation_.matrixL().nestedExpression().nonZeros());
  }

  Capabilities capabilities_ = capabilities_of_eigen_ldlt();
  double pivot_tolerance_;
  int refine_;
  ScalarEntries entries_;
  Refinement refinement_;
  Sparse A_;
  Dense work_;
  Factorisation factorisation_;
};

// The rows of a symmetric matrix are its columns.
template <class F>
void EigenLdlt<F>::do_analyze(const LinearOperator& op) {
  entries_.analyze(op);
  refinement_.analyze(op.rows());
  const Csr& A = entries_.matrix();
  A_ = Eigen::Map<const Sparse>(A.rows, A.columns, A.nonzeros(), A.row_begin.data(),
                                A.column.data(), A.value.data());
  work_.resize(A.rows);
  factorisation_.analyzePattern(A_);
}

template <class F>
LinearSolver::Preparation EigenLdlt<F>::do_factorize(const LinearOperator& op) {
  const Csr& A = entries_.update(op);
  if (!all_finite(A.value)) {
    return {false, LinearStatus::kNonFinite, "the matrix holds NaN or infinity"};
  }
  std::copy_n(A.value.data(), A.value.extent(0), A_.valuePtr());
  factorisation_.factorize(A_);
  return check_pivots();
}

// Eigen stops at the first D(k) that is exactly zero; those before it are valid and not zero.
template <class F>
LinearSolver::Preparation EigenLdlt<F>::check_pivots() const {
  const auto D = factorisation_.vectorD();
  const Dense diagonal = A_.diagonal();
  const bool natural = factorisation_.permutationPinv().size() == 0;
  for (Index k = 0; k < A_.rows(); ++k) {
    const Index row = natural ? k : factorisation_.permutationPinv().indices()(k);
    if (std::abs(D(k)) > pivot_tolerance_ * std::abs(diagonal(row))) continue;
    return {false, LinearStatus::kSingularPivot,
            fmt::format("pivot {:.3e} at row {}, whose diagonal entry is {:.3e}", D(k), row,
                        diagonal(row))};
  }
  return {};
}

// v = S^-1 v
template <class F>
void EigenLdlt<F>::solve_in_place(Vector v) {
  Eigen::Map<Dense> view(v.data(), static_cast<Eigen::Index>(v.extent(0)));
  work_ = factorisation_.solve(view);
  view = work_;
}

template <class F>
void EigenLdlt<F>::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                            const LinearControl& control, const Monitor& /*monitor*/,
                            LinearReport& report) {
  // L is read forwards and backwards; D and the vector pass six times.
  const double per_solve = 24.0 * factor_entries() + 56.0 * op.rows();
  refinement_.solve_and_improve(
      op, b, x, control, refine_, per_solve, [this](Vector v) { solve_in_place(v); }, report);
}

template <class F>
double EigenLdlt<F>::bytes_held() const {
  return 12.0 * (factor_entries() + static_cast<double>(A_.nonZeros())) +
         32.0 * static_cast<double>(A_.rows()) + entries_.bytes_held() + refinement_.bytes_held();
}

template <class Ordering>
using Ldlt = Eigen::SimplicialLDLT<Sparse, Eigen::Upper, Ordering>;

#endif  // NSN_WITH_EIGEN

}  // namespace

SolverInfo eigen_ldlt_backend() {
  SolverInfo info = description();
#if defined(NSN_WITH_EIGEN)
  info.make = [](const Options& options, const SolverRegistry&) -> std::unique_ptr<LinearSolver> {
    if (options.text("ordering") == "natural") {
      return std::make_unique<EigenLdlt<Ldlt<Eigen::NaturalOrdering<Index>>>>(options);
    }
    return std::make_unique<EigenLdlt<Ldlt<Eigen::AMDOrdering<Index>>>>(options);
  };
#else
  info.built = false;
  info.reason = "built without Eigen: install it and configure with -DNSN_WITH_EIGEN=ON";
#endif
  return info;
}

}  // namespace nsn
