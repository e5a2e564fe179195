#include "nsn/backends/klu.h"

#if defined(NSN_WITH_KLU)
#include <algorithm>
#include <cmath>
#include <memory>

#include <klu.h>

#include "nsn/core/base/error.h"
#endif

#include "nsn/core/linear/direct_solver.h"

namespace nsn {
namespace {

Capabilities capabilities_of_klu() {
  Capabilities can;
  can.needs_entries = true;
  can.handles_indefinite = true;
  can.handles_unsymmetric = true;
  can.direct = true;
  return can;
}

SolverInfo description() {
  SolverInfo info;
  info.name = "klu";
  info.summary = "sparse LU factorisation with partial pivoting, SuiteSparse";
  info.licence = "LGPL-2.1+ (KLU, BTF)";
  info.capabilities = capabilities_of_klu();
  info.options = {
      OptionSpec::choice("ordering", "amd", {"amd", "colamd"}, "order of elimination"),
      OptionSpec::real("threshold", 1e-3, 0.0, 1.0,
                       "the diagonal is the pivot if it reaches this times the largest candidate"),
      OptionSpec::real("pivot_tolerance", 1e-14, 0.0, 1.0,
                       "a pivot below this times the largest entry of its row counts as zero"),
      OptionSpec::flag("refactor", true, "try the pivots of the last matrix of the same pattern"),
      refine_option()};
  return info;
}

#if defined(NSN_WITH_KLU)

/// Entries that grow by more than this during a refactorisation condemn the old pivots: about half
/// of the digits would be lost.
constexpr double kPoorGrowth = 1e-8;
/// So does a pivot this small beside the largest entry of its row of S: the square root of the
/// default pivot tolerance, half way to singular in decades.
constexpr double kPoorPivot = 1e-7;

class Klu final : public DirectSolver {
 public:
  explicit Klu(const Options& options)
      : DirectSolver("klu", capabilities_of_klu(), options),
        pivot_tolerance_(options.real("pivot_tolerance")),
        refactor_(options.flag("refactor")) {
    klu_defaults(&common_);
    common_.ordering = options.text("ordering") == "amd" ? 0 : 1;
    common_.tol = options.real("threshold");
  }
  ~Klu() override { release(); }

 private:
  void analyze_entries(const Csr& A) override;
  Preparation factorize_entries(const Csr& A) override;
  void solve_in_place(Vector v) override;
  double bytes_per_solve() const override;
  double factor_bytes_held() const override { return static_cast<double>(common_.memusage); }
  std::string note() const override { return note_; }

  void release();
  bool old_pivots_serve(const Csr& A);
  Preparation factorize_anew(const Csr& A);
  struct WeakestPivot {
    Index row = -1;         // of S
    double pivot = 0.0;     // scaled as KLU scales
    double relative = 1.0;  // to the largest entry of that row, scaled alike
  };
  WeakestPivot weakest_pivot(const Csr& A) const;
  Preparation singular(Index row, double relative) const;
  Preparation library_failure(std::string_view phase) const;

  double pivot_tolerance_;
  bool refactor_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  std::string note_;  // how the last factorisation came about
};

void Klu::release() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

void Klu::analyze_entries(const Csr& A) {
  release();
  symbolic_ = klu_analyze(A.rows, A.row_begin.data(), A.column.data(), &common_);
}

LinearSolver::Preparation Klu::factorize_entries(const Csr& A) {
  note_.clear();
  if (symbolic_ == nullptr) {
    return common_.status == KLU_SINGULAR
               ? Preparation{false, LinearStatus::kSingularPivot, "structurally singular"}
               : library_failure("analysis");
  }
  if (refactor_ && numeric_ != nullptr) {
    if (old_pivots_serve(A)) return {};
    note_ = "the pivots of the last matrix were poor for this one; new ones were chosen";
  }
  return factorize_anew(A);
}

bool Klu::old_pivots_serve(const Csr& A) {
  int* const p = A.row_begin.data();
  int* const i = A.column.data();
  double* const x = A.value.data();
  if (klu_refactor(p, i, x, symbolic_, numeric_, &common_) == 0) return false;
  if (common_.status != KLU_OK) return false;
  if (klu_rgrowth(p, i, x, symbolic_, numeric_, &common_) == 0) return false;
  return common_.rgrowth > kPoorGrowth && weakest_pivot(A).relative > kPoorPivot;
}

LinearSolver::Preparation Klu::factorize_anew(const Csr& A) {
  klu_free_numeric(&numeric_, &common_);
  numeric_ = klu_factor(A.row_begin.data(), A.column.data(), A.value.data(), symbolic_, &common_);
  if (common_.status == KLU_SINGULAR) {
    const Index row = common_.singular_col;
    klu_free_numeric(&numeric_, &common_);
    return singular(row, 0.0);
  }
  if (numeric_ == nullptr) return library_failure("factorisation");
  const WeakestPivot weakest = weakest_pivot(A);
  if (weakest.relative > pivot_tolerance_) return {};
  klu_free_numeric(&numeric_, &common_);
  return singular(weakest.row, weakest.relative);
}

// Column k of U belongs to column Q(k) of S^T, which is a row of S; KLU divides row j of S^T by
// Rs(j).
Klu::WeakestPivot Klu::weakest_pivot(const Csr& A) const {
  WeakestPivot weakest;
  const auto* const diagonal = static_cast<const double*>(numeric_->Udiag);
  // Rs is kept in the order of the pivots: Rs(k) belongs to row Pnum(k).
  for (Index k = 0; k < A.rows; ++k) {
    const Index row = symbolic_->Q[k];
    double largest = 0.0;
    for (Index e = A.row_begin(row); e < A.row_begin(row + 1); ++e) {
      const double scale =
          numeric_->Rs == nullptr ? 1.0 : numeric_->Rs[numeric_->Pinv[A.column(e)]];
      largest = std::max(largest, std::abs(A.value(e)) / scale);
    }
    const double relative = largest > 0.0 ? std::abs(diagonal[k]) / largest : 0.0;
    if (!(relative >= weakest.relative)) weakest = {row, diagonal[k], relative};
  }
  return weakest;
}

LinearSolver::Preparation Klu::singular(Index row, double relative) const {
  return {false, LinearStatus::kSingularPivot,
          fmt::format("pivot {:.1e} times the largest entry at row {}: the matrix is singular to "
                      "rounding",
                      relative, row)};
}

LinearSolver::Preparation Klu::library_failure(std::string_view phase) const {
  const char* reason = "unknown status";
  if (common_.status == KLU_OUT_OF_MEMORY) reason = "out of memory";
  if (common_.status == KLU_TOO_LARGE) reason = "problem too large for 32-bit indices";
  if (common_.status == KLU_INVALID) reason = "invalid input";
  return {false, LinearStatus::kBackendError,
          fmt::format("KLU {} failed: {} (status {})", phase, reason, common_.status)};
}

// v = S^-1 v
void Klu::solve_in_place(Vector v) {
  klu_tsolve(symbolic_, numeric_, symbolic_->n, 1, v.data(), &common_);
}

// L, U and the blocks outside them are read once; the vector passes six times.
double Klu::bytes_per_solve() const {
  return 12.0 * (numeric_->lnz + numeric_->unz + numeric_->nzoff) + 48.0 * symbolic_->n;
}

#endif  // NSN_WITH_KLU

}  // namespace

SolverInfo klu_backend() {
  SolverInfo info = description();
#if defined(NSN_WITH_KLU)
  info.make = make_solver<Klu>;
#else
  info.built = false;
  info.reason = "built without KLU: install SuiteSparse and configure with -DNSN_WITH_KLU=ON";
#endif
  return info;
}

}  // namespace nsn
