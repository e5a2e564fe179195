#include "nsn/backends/cholmod.h"

#if defined(NSN_WITH_CHOLMOD)
#include <algorithm>
#include <cmath>
#include <memory>

#include <cholmod.h>

#include "nsn/core/base/error.h"
#endif

#include "nsn/core/linear/direct_solver.h"

namespace nsn {
namespace {

#if defined(NSN_WITH_GPL)
constexpr const char* kLicence =
    "LGPL-2.1+ (CHOLMOD Core, Cholesky, Partition) and GPL-2+ (CHOLMOD Supernodal)";
const std::vector<std::string> kMethods = {"auto", "simplicial", "supernodal"};
#else
constexpr const char* kLicence =
    "LGPL-2.1+ (CHOLMOD Core, Cholesky, Partition; its GPL modules are not called)";
const std::vector<std::string> kMethods = {"auto", "simplicial"};
#endif

Capabilities capabilities_of_cholmod() {
  Capabilities can;
  can.needs_entries = true;
  can.direct = true;
  return can;
}

SolverInfo description() {
  SolverInfo info;
  info.name = "cholmod";
  info.summary = "sparse Cholesky factorisation, SuiteSparse";
  info.licence = kLicence;
  info.capabilities = capabilities_of_cholmod();
  info.options = {
      OptionSpec::choice("method", "auto", kMethods,
                         "column by column, in dense panels, or by the flops per entry of L"),
      OptionSpec::choice("ordering", "best", {"best", "amd", "metis", "natural"},
                         "order of elimination; best: AMD, then METIS where that leaves much fill"),
      OptionSpec::real("regularisation", 0.0, 0.0, 1.0,
                       "factorise S + this |diag S| (refinement then works on S itself)"),
      OptionSpec::real("pivot_tolerance", 1e-14, 0.0, 1.0,
                       "a pivot below this times its diagonal entry of S counts as zero"),
      refine_option()};
  return info;
}

#if defined(NSN_WITH_CHOLMOD)

/// One cholmod_common and what was allocated with it.
class Cholmod final : public DirectSolver {
 public:
  explicit Cholmod(const Options& options)
      : DirectSolver("cholmod", capabilities_of_cholmod(), options,
                     options.real("regularisation") > 0.0 ? ScalarEntries::Diagonal::kComplete
                                                          : ScalarEntries::Diagonal::kAsStored),
        regularisation_(options.real("regularisation")),
        pivot_tolerance_(options.real("pivot_tolerance")) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.grow2 = 0;  // L is never modified
    choose_method(options.text("method"));
    choose_ordering(options.text("ordering"));
  }
  ~Cholmod() override {
    release();
    cholmod_finish(&common_);
  }

 private:
  void analyze_entries(const Csr& A) override;
  Preparation factorize_entries(const Csr& A) override;
  void solve_in_place(Vector v) override;
  // L is read forwards and backwards; X, Y and the vector pass six times.
  double bytes_per_solve() const override {
    return 2.0 * factor_bytes() + 48.0 * static_cast<double>(L_->n);
  }
  double factor_bytes_held() const override {
    return static_cast<double>(common_.memory_inuse) + 8.0 * static_cast<double>(diagonal_.size());
  }

  void choose_method(const std::string& method);
  void choose_ordering(const std::string& ordering);
  void release();
  cholmod_sparse view(const Csr& A) const;
  void take_diagonal(const Csr& A);
  void regularise(const Csr& A);
  Preparation check_pivots() const;
  Preparation failed_pivot(Index k, double pivot) const;
  double pivot_of(Index k) const;
  double failed_supernodal_pivot(Index k) const;
  Preparation library_failure(std::string_view phase) const;
  double factor_bytes() const;

  double regularisation_;
  double pivot_tolerance_;
  Vector diagonal_;  // of the matrix that is factorised
  cholmod_common common_{};
  cholmod_factor* L_ = nullptr;
  cholmod_dense* X_ = nullptr;  // kept between solves, as are the work spaces Y and E
  cholmod_dense* Y_ = nullptr;
  cholmod_dense* E_ = nullptr;
};

void Cholmod::choose_method(const std::string& method) {
  common_.final_ll = 0;  // simplicial: L D L^T, whose D shows every pivot
  common_.supernodal = CHOLMOD_SIMPLICIAL;
#if defined(NSN_WITH_GPL)
  if (method == "auto") common_.supernodal = CHOLMOD_AUTO;
  if (method == "supernodal") common_.supernodal = CHOLMOD_SUPERNODAL;
#else
  static_cast<void>(method);
#endif
}

void Cholmod::choose_ordering(const std::string& ordering) {
  if (ordering == "best") return;
  common_.nmethods = 1;
  common_.method[0].ordering = ordering == "amd"     ? CHOLMOD_AMD
                               : ordering == "metis" ? CHOLMOD_METIS
                                                     : CHOLMOD_NATURAL;
  common_.postorder = ordering == "natural" ? 0 : 1;
}

void Cholmod::release() {
  cholmod_free_factor(&L_, &common_);
  cholmod_free_dense(&X_, &common_);
  cholmod_free_dense(&Y_, &common_);
  cholmod_free_dense(&E_, &common_);
}

// The rows of a symmetric matrix are its columns; CHOLMOD reads the upper triangle and skips the
// rest.
cholmod_sparse Cholmod::view(const Csr& A) const {
  cholmod_sparse S{};
  S.nrow = S.ncol = static_cast<std::size_t>(A.rows);
  S.nzmax = A.value.extent(0);
  S.p = A.row_begin.data();
  S.i = A.column.data();
  S.x = A.value.data();
  S.stype = 1;
  S.itype = CHOLMOD_INT;
  S.xtype = CHOLMOD_REAL;
  S.dtype = CHOLMOD_DOUBLE;
  S.sorted = 1;
  S.packed = 1;
  return S;
}

void Cholmod::analyze_entries(const Csr& A) {
  release();
  diagonal_ = Vector("diagonal", static_cast<std::size_t>(A.rows));
  cholmod_sparse S = view(A);
  L_ = cholmod_analyze(&S, &common_);
}

void Cholmod::take_diagonal(const Csr& A) {
  for (Index i = 0; i < A.rows; ++i) {
    diagonal_(i) = 0.0;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (A.column(k) == i) diagonal_(i) = A.value(k);
    }
  }
}

// A += regularisation |diag A|; a diagonal entry of zero takes the largest one's share.
void Cholmod::regularise(const Csr& A) {
  const double largest = norm_max(diagonal_);
  for (Index i = 0; i < A.rows; ++i) {
    const double size = diagonal_(i) == 0.0 ? largest : std::abs(diagonal_(i));
    diagonal_(i) += regularisation_ * size;
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (A.column(k) == i) A.value(k) = diagonal_(i);
    }
  }
}

LinearSolver::Preparation Cholmod::factorize_entries(const Csr& A) {
  if (L_ == nullptr) return library_failure("analysis");
  take_diagonal(A);
  if (regularisation_ > 0.0) regularise(A);
  cholmod_sparse S = view(A);
  cholmod_factorize(&S, L_, &common_);
  if (common_.status < CHOLMOD_OK) return library_failure("factorisation");
  return check_pivots();
}

LinearSolver::Preparation Cholmod::check_pivots() const {
  const auto n = static_cast<Index>(L_->n);
  const auto minor = static_cast<Index>(L_->minor);  // first column that failed, n: none
  const auto* const row = static_cast<const int*>(L_->Perm);
  for (Index k = 0; k < minor; ++k) {
    const double pivot = pivot_of(k);
    if (!(pivot > pivot_tolerance_ * std::abs(diagonal_(row[k])))) return failed_pivot(k, pivot);
  }
  if (minor == n) return {};
  const double pivot = L_->is_super != 0 ? failed_supernodal_pivot(minor) : pivot_of(minor);
  return failed_pivot(minor, pivot);
}

LinearSolver::Preparation Cholmod::failed_pivot(Index k, double pivot) const {
  const int row = static_cast<const int*>(L_->Perm)[k];
  const double noise = pivot_tolerance_ * std::abs(diagonal_(row));
  if (pivot < -noise) {
    return {false, LinearStatus::kIndefinite,
            fmt::format("negative pivot {:.3e} at row {}: the matrix is not positive definite",
                        pivot, row)};
  }
  return {false, LinearStatus::kSingularPivot,
          fmt::format("pivot {:.3e} at row {}, whose diagonal entry is {:.3e}: the matrix is "
                      "singular to rounding",
                      pivot, row, diagonal_(row))};
}

// D(k,k), or L(k,k)^2 of a supernodal factor. Column k of supernode s holds its entries at the rows
// Ls[Lpi[s]...], of which the first are the supernode's own columns.
double Cholmod::pivot_of(Index k) const {
  const auto* const x = static_cast<const double*>(L_->x);
  if (L_->is_super == 0) return x[static_cast<const int*>(L_->p)[k]];
  const auto* const super = static_cast<const int*>(L_->super);
  const auto* const px = static_cast<const int*>(L_->px);
  const auto* const pi = static_cast<const int*>(L_->pi);
  const auto s = std::upper_bound(super, super + L_->nsuper + 1, k) - super - 1;
  const std::ptrdiff_t rows = pi[s + 1] - pi[s];
  const std::ptrdiff_t column = k - super[s];
  const double diagonal = x[px[s] + column * rows + column];
  return diagonal * diagonal;
}

// A(k,k) - sum of L(k,j)^2 over the columns j < k, which are valid although column k is not.
double Cholmod::failed_supernodal_pivot(Index k) const {
  const auto* const x = static_cast<const double*>(L_->x);
  const auto* const super = static_cast<const int*>(L_->super);
  const auto* const px = static_cast<const int*>(L_->px);
  const auto* const pi = static_cast<const int*>(L_->pi);
  const auto* const row = static_cast<const int*>(L_->s);
  double pivot = diagonal_(static_cast<const int*>(L_->Perm)[k]);
  for (std::size_t s = 0; s < L_->nsuper && super[s] < k; ++s) {
    const int* const found = std::lower_bound(row + pi[s], row + pi[s + 1], k);
    if (found == row + pi[s + 1] || *found != k) continue;
    const std::ptrdiff_t rows = pi[s + 1] - pi[s];
    const std::ptrdiff_t at = found - (row + pi[s]);
    for (Index j = super[s]; j < std::min(super[s + 1], k); ++j) {
      const double entry = x[px[s] + (j - super[s]) * rows + at];
      pivot -= entry * entry;
    }
  }
  return pivot;
}

LinearSolver::Preparation Cholmod::library_failure(std::string_view phase) const {
  const char* reason = "unknown status";
  if (common_.status == CHOLMOD_OUT_OF_MEMORY) reason = "out of memory";
  if (common_.status == CHOLMOD_TOO_LARGE) reason = "problem too large for 32-bit indices";
  if (common_.status == CHOLMOD_NOT_INSTALLED) reason = "method not installed";
  if (common_.status == CHOLMOD_INVALID) reason = "invalid input";
  return {false, LinearStatus::kBackendError,
          fmt::format("CHOLMOD {} failed: {} (status {})", phase, reason, common_.status)};
}

// v = F^-1 v
void Cholmod::solve_in_place(Vector v) {
  cholmod_dense B{};
  B.nrow = B.nzmax = B.d = v.extent(0);
  B.ncol = 1;
  B.x = v.data();
  B.xtype = CHOLMOD_REAL;
  B.dtype = CHOLMOD_DOUBLE;
  cholmod_solve2(CHOLMOD_A, L_, &B, nullptr, &X_, nullptr, &Y_, &E_, &common_);
  std::copy_n(static_cast<const double*>(X_->x), v.extent(0), v.data());
}

// Values and row indices of L, once.
double Cholmod::factor_bytes() const {
  if (L_->is_super != 0) {
    return 8.0 * static_cast<double>(L_->xsize) + 4.0 * static_cast<double>(L_->ssize);
  }
  return 12.0 * static_cast<double>(L_->nzmax);
}

#endif  // NSN_WITH_CHOLMOD

}  // namespace

SolverInfo cholmod_backend() {
  SolverInfo info = description();
#if defined(NSN_WITH_CHOLMOD)
  info.make = make_solver<Cholmod>;
#else
  info.built = false;
  info.reason =
      "built without CHOLMOD: install SuiteSparse and configure with -DNSN_WITH_CHOLMOD=ON";
#endif
  return info;
}

}  // namespace nsn
