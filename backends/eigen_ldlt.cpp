#include "nsn/backends/eigen_ldlt.h"

#if defined(NSN_WITH_EIGEN)
#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/SparseCholesky>

#include "nsn/core/base/error.h"
#endif

#include "nsn/core/linear/direct_solver.h"

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
      refine_option()};
  return info;
}

#if defined(NSN_WITH_EIGEN)

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;
using Dense = Eigen::VectorXd;

template <class Factorisation>
class EigenLdlt final : public DirectSolver {
 public:
  explicit EigenLdlt(const Options& options)
      : DirectSolver("eigen-ldlt", capabilities_of_eigen_ldlt(), options),
        pivot_tolerance_(options.real("pivot_tolerance")) {}

 private:
  void analyze_entries(const Csr& A) override;
  Preparation factorize_entries(const Csr& A) override;
  void solve_in_place(Vector v) override;
  // L is read forwards and backwards; D and the vector pass six times.
  double bytes_per_solve() const override {
    return 24.0 * factor_entries() + 56.0 * static_cast<double>(A_.rows());
  }
  double factor_bytes_held() const override {
    return 12.0 * (factor_entries() + static_cast<double>(A_.nonZeros())) +
           32.0 * static_cast<double>(A_.rows());
  }

  Preparation check_pivots() const;
  double factor_entries() const {
    return static_cast<double>(factorisation_.matrixL().nestedExpression().nonZeros());
  }

  double pivot_tolerance_;
  Sparse A_;
  Dense work_;
  Factorisation factorisation_;
};

// The rows of a symmetric matrix are its columns.
template <class F>
void EigenLdlt<F>::analyze_entries(const Csr& A) {
  A_ = Eigen::Map<const Sparse>(A.rows, A.columns, A.nonzeros(), A.row_begin.data(),
                                A.column.data(), A.value.data());
  work_.resize(A.rows);
  factorisation_.analyzePattern(A_);
}

template <class F>
LinearSolver::Preparation EigenLdlt<F>::factorize_entries(const Csr& A) {
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
