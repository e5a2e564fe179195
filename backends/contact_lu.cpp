#include "nsn/backends/contact_lu.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/contact/contact_operator.h"
#include "nsn/core/factor/multifrontal.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/refinement.h"

namespace nsn {
namespace {

// Operations of a factorisation that take as long as to order and analyse one block of the pattern.
constexpr double kAnalysisPerBlock = 500.0;
// Share of the analysed rows that are active, below which they are analysed again.
constexpr double kMostlyActive = 0.8;

Capabilities capabilities_of_contact_lu() {
  Capabilities can;
  can.needs_entries = true;
  can.handles_unsymmetric = true;
  can.direct = true;
  return can;
}

class ContactLu final : public LinearSolver {
 public:
  explicit ContactLu(const Options& options)
      : threshold_(options.real("threshold")),
        cholesky_(options.flag("cholesky")),
        refine_(static_cast<int>(options.integer("refine"))) {
    symbolic_.relax = options.real("relax");
  }

  std::string_view name() const override { return "contact-lu"; }
  const Capabilities& capabilities() const override { return capabilities_; }
  double factorization_flops() const override { return full_flops_; }

 private:
  void do_analyze(const LinearOperator& op) override;
  Preparation do_factorize(const LinearOperator& op) override;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override;
  double bytes_held() const override {
    return factors_.bytes_held() + entries_.bytes_held() + refinement_.bytes_held() +
           8.0 * static_cast<double>(padded_.size());
  }

  void fit_to_active(const BlockCsr& A);
  void find_active(const BlockCsr& A);
  void mark_coupled(const BlockCsr& A);
  void solve_in_place(Vector v);

  Capabilities capabilities_ = capabilities_of_contact_lu();
  double threshold_;
  bool cholesky_;
  int refine_;
  SymbolicOptions symbolic_;
  BlockEntries entries_;
  Multifrontal factors_;
  Refinement refinement_;
  std::vector<Index> diagonal_;  // block of (i, i)
  std::vector<std::uint8_t> active_;
  // What the symbolic work stands for: rows that may be active, empty where all may.
  std::vector<std::uint8_t> taking_part_;
  std::vector<std::uint8_t> before_;             // active at the last factorisation
  std::vector<std::pair<Index, double>> alone_;  // rows that rest, and their diagonal
  double full_flops_ = 0.0;                      // where every row is active
  bool one_front_ = false;                       // then: no order has anything to gain
  std::vector<double> padded_;                   // a right-hand side completed to whole blocks
};

void ContactLu::do_analyze(const LinearOperator& op) {
  const ContactOperator* const contacts = op.contacts();
  if (contacts != nullptr && !contacts->transposed().empty()) {
    entries_.analyze(contacts->pattern(), contacts->transposed());
  } else {
    entries_.analyze(op);
  }
  const BlockCsr& A = entries_.matrix();
  factors_.analyze(A, entries_.transposed(), symbolic_);
  full_flops_ = factors_.symbolic().flops;
  one_front_ = factors_.symbolic().supernodes() <= 1;
  taking_part_.clear();
  before_.clear();
  refinement_.analyze(op.rows());
  active_.assign(static_cast<std::size_t>(A.rows), 7);
  padded_.resize(op.rows() < A.scalar_rows() ? static_cast<std::size_t>(A.scalar_rows()) : 0);
  if (contacts != nullptr) return;
  diagonal_.resize(static_cast<std::size_t>(A.rows));
  for (Index i = 0; i < A.rows; ++i) diagonal_[static_cast<std::size_t>(i)] = find_block(A, i, i);
}

/// Orders and analyses the active rows alone where a factorisation takes longer than that: their graph has far
/// smaller fronts than the whole one where their rows are left out. What was analysed serves again as long as
/// no other row becomes active and few of its rows rest.
void ContactLu::fit_to_active(const BlockCsr& A) {
  const double analysis = kAnalysisPerBlock * A.blocks();
  if (one_front_ || full_flops_ < analysis) return;
  const std::vector<std::uint8_t>& known = taking_part_;
  Index active = 0;
  Index analysed = 0;
  bool missing = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const bool takes_part = known.empty() || known[i] != 0;
    if (active_[i] != 0) ++active;
    if (takes_part) ++analysed;
    missing = missing || (active_[i] != 0 && !takes_part);
  }
  const bool many_rest = active < kMostlyActive * analysed;
  if (missing || (many_rest && factors_.flops_with(active_) > analysis)) {
    taking_part_ = active_;
    // Rows that have just come to rest may wake up again.
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (taking_part_[i] == 0) taking_part_[i] = before_[i];
    }
    factors_.analyze(A, entries_.transposed(), symbolic_, taking_part_);
  }
  before_ = active_;
}

/// Rows and columns without an entry but on the diagonal stay out: found in one pass over the values, each block
/// marking the rows and columns in which it has an entry.
void ContactLu::find_active(const BlockCsr& A) {
  bool any = false;
  const auto diagonal_block = [&](std::size_t i) {
    return A.value.data() + static_cast<std::ptrdiff_t>(diagonal_[i]) * kBlockSize;
  };
  for (Index i = 0; i < A.rows; ++i) {
    const double* const d = diagonal_block(to_size(i));
    unsigned active = 7;
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned l = (k + 1) % 3;
      const unsigned m = (k + 2) % 3;
      const bool alone = std::isnormal(d[4 * k]) && d[3 * k + l] == 0.0 && d[3 * k + m] == 0.0 &&
                         d[3 * l + k] == 0.0 && d[3 * m + k] == 0.0;
      if (alone) active &= ~(1U << k);
    }
    active_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(active);
    any = any || active != 7;
  }
  alone_.clear();
  if (!any) return;
  mark_coupled(A);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    for (unsigned k = 0; k < 3; ++k) {
      const double d = diagonal_block(i)[4 * k];
      if ((active_[i] & 1U << k) == 0 && d != 1.0) {
        alone_.emplace_back(kBlock * static_cast<Index>(i) + static_cast<Index>(k), d);
      }
    }
  }
}

void ContactLu::mark_coupled(const BlockCsr& A) {
  const double* a = A.value.data();
  for (Index i = 0; i < A.rows; ++i) {
    const unsigned own = active_[static_cast<std::size_t>(i)];
    unsigned row = 0;
    for (Index e = A.row_begin(i); e < A.row_begin(i + 1); ++e, a += kBlockSize) {
      // Only blocks in a row or a column with candidates can say anything new.
      const unsigned known = active_[static_cast<std::size_t>(A.column(e))] & own;
      if (known == 7 || A.column(e) == i) continue;
      unsigned bits = 0;
      for (unsigned k = 0; k < 9; ++k) bits |= static_cast<unsigned>(a[k] != 0.0) << k;
      if (bits == 0) continue;
      row |= static_cast<unsigned>((bits & 7U) != 0) |
             static_cast<unsigned>((bits & 56U) != 0) << 1U |
             static_cast<unsigned>((bits & 448U) != 0) << 2U;
      const unsigned column = (bits | bits >> 3U | bits >> 6U) & 7U;
      active_[static_cast<std::size_t>(A.column(e))] |= static_cast<std::uint8_t>(column);
    }
    active_[static_cast<std::size_t>(i)] |= static_cast<std::uint8_t>(row);
  }
}

LinearSolver::Preparation ContactLu::do_factorize(const LinearOperator& op) {
  using Form = Multifrontal::Form;
  const ContactOperator* const contacts = op.contacts();
  const ContactMatrix* const source = contacts != nullptr ? contacts->source() : nullptr;
  const BlockCsr& A = source != nullptr ? entries_.matrix() : entries_.update(op);
  if (contacts != nullptr) {
    std::copy(contacts->active().begin(), contacts->active().end(), active_.begin());
  } else {
    find_active(A);
  }
  fit_to_active(A);
  const auto factorize = [&](Form form) {
    return source != nullptr ? factors_.factorize(A, *source, active_, form, threshold_)
                             : factors_.factorize(A, active_, form, threshold_);
  };
  const bool symmetric = cholesky_ && op.symmetric();
  Index bad = symmetric ? factorize(Form::kCholesky) : 0;
  if (bad >= 0) bad = factorize(Form::kLu);
  if (bad < 0) return {};
  return {false, LinearStatus::kSingularPivot,
          fmt::format("no pivot in the front of block row {} (rows {} to {})", bad, 3 * bad,
                      3 * bad + 2)};
}

void ContactLu::solve_in_place(Vector v) {
  double* x = v.data();
  if (!padded_.empty()) {
    std::copy_n(v.data(), v.extent(0), padded_.data());
    x = padded_.data();
  }
  factors_.solve(x);
  for (const auto& [row, diagonal] : alone_) x[row] /= diagonal;
  if (!padded_.empty()) std::copy_n(padded_.data(), v.extent(0), v.data());
}

void ContactLu::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                         const LinearControl& control, const Monitor&, LinearReport& report) {
  std::copy_n(b.data(), b.extent(0), x.data());
  solve_in_place(x);
  if (control.trust) {
    report.bytes_moved = factors_.factor_bytes() + 48.0 * op.rows();
    return;
  }
  const double target = std::max(control.rtol * report.rhs_norm, control.atol);
  const auto outcome =
      refinement_.improve(op, b, x, target, refine_, [this](Vector v) { solve_in_place(v); });
  report.recurrence_residual = outcome.residual;
  if (!outcome.non_finite) set_true_residual(outcome.residual);
  report.bytes_moved = (1 + outcome.solves) * (factors_.factor_bytes() + 48.0 * op.rows()) +
                       outcome.products * op.bytes_per_apply();
  if (outcome.steps > 0) report.detail = "refined";
}

}  // namespace

SolverInfo contact_lu_backend() {
  SolverInfo info;
  info.name = "contact-lu";
  info.summary = "multifrontal LU over contacts, uncoupled rows left out, one thread";
  info.capabilities = capabilities_of_contact_lu();
  info.options = {
      OptionSpec::real("threshold", 0.1, 0.0, 1.0,
                       "the diagonal is the pivot if it reaches this times the largest candidate"),
      OptionSpec::flag("cholesky", true, "factorise symmetric matrices as L L^T"),
      OptionSpec::real("relax", 0.1, 0.0, 1.0, "share of zeros that a merged front may hold"),
      refine_option()};
  info.make = make_solver<ContactLu>;
  return info;
}

}  // namespace nsn
