/// The Newton system over contacts: W assembled in 3x3 blocks, any linear backend.
///
/// A backend that handles unsymmetric matrices gets the exact matrix A_s + B. Any other gets the
/// symmetric positive definite A_s and serves as the preconditioner of a GMRES on A_s + B.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nsn/core/base/room.h"
#include "nsn/core/base/work_clock.h"
#include "nsn/core/contact/contact_operator.h"
#include "nsn/core/contact/low_rank_shift.h"
#include "nsn/core/contact/newton_system.h"
#include "nsn/core/factor/contact_matrix.h"
#include "nsn/core/linear/gmres.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct DualSystemOptions {
  double rtol = 1e-8;              ///< |b - (A_s + B) z| <= rtol |b|, both paths
  int max_gmres_iterations = 100;  ///< around a symmetric backend; no restart
  int max_iterations = 2000;       ///< of an iterative backend
  /// A direct backend is trusted: no residual is formed, nothing is refined. For loops that measure
  /// what a step has brought themselves.
  bool trust = false;
  /// Residuals of a direct backend are formed from W and the linearisation, no entries are stored
  /// for them: quicker. Not for steps: of masses 1e12 apart stored entries keep the light rows, in
  /// which the linearisation cancels only once.
  bool entries_for_residuals = true;
  /// An iterative backend multiplies with a matrix rounded to single precision: for rtol >= 1e-5.
  bool single_precision = false;
};

class DualSystem final : public NewtonSystem {
 public:
  explicit DualSystem(std::unique_ptr<LinearSolver> solver, const DualSystemOptions& options = {});
  DualSystem(const DualSystem&) = delete;
  DualSystem& operator=(const DualSystem&) = delete;

  /// Takes the pattern of W (block rows = block columns, every diagonal block present, symmetric as
  /// a pattern; the values need not be symmetric) and allocates everything. The pattern of the
  /// Newton matrix stays this one, so a backend orders and analyses once.
  void analyze(const BlockCsr& W);
  /// New values on the analysed pattern; W is viewed, not copied, until the next call.
  /// symmetric: W equals its transpose to rounding (then sym(W) is not formed).
  void set_values(const BlockCsr& W, bool symmetric);

  Index blocks() const override { return W_.rows; }
  void diagonal_blocks(Vector out) const override { nsn::diagonal_blocks(given_, out); }
  void scale(ConstVector s) override;
  void apply(ConstVector x, Vector y) const override;
  void prepare(const std::vector<ncp::BlockLinearization>& blocks, ConstVector A) override;
  [[nodiscard]] NewtonSolve solve(ConstVector b, Vector z) override;
  bool prepare_shifted(double rho) override;
  [[nodiscard]] NewtonSolve solve_shifted(ConstVector b, Vector x) override;
  double factorization_flops() override;

  /// An iterative backend takes no more iterations than fit in what is left. null: none.
  void obey(WorkClock* clock) { clock_ = clock; }

  /// Called with every Newton matrix and right-hand side before it is solved; empty: nobody asks.
  using Observer = std::function<void(const LinearOperator& S, ConstVector b)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  /// S W S, for stages that work on the entries.
  const BlockCsr& scaled() const { return W_; }
  bool symmetric() const { return symmetric_; }
  LinearSolver& solver() { return *solver_; }
  /// Block of (j, i) for each block (i, j).
  const std::vector<Index>& transposed() const { return transposed_; }
  /// The last matrix handed to the backend.
  const BlockCsr& matrix() const { return *operator_->blocks(); }

 private:
  static BlockCsr same_pattern(const BlockCsr& A, Room& room);
  void store_entries();
  void apply_exact(ConstVector z, Vector y);
  NewtonSolve solve_exact(ConstVector b, Vector z);
  NewtonSolve solve_around_symmetric(ConstVector b, Vector z);
  LinearReport solve_in_time(ConstVector b, Vector z, LinearControl control);

  std::unique_ptr<LinearSolver> solver_;
  Observer observer_;
  WorkClock* clock_ = nullptr;
  DualSystemOptions options_;
  BlockCsr given_;   // as given
  BlockCsr W_;       // scaled
  BlockCsr matrix_;  // same pattern
  bool symmetric_ = true;
  std::vector<Index> transposed_;
  Room W_value_, matrix_value_, products_;
  ContactMatrix source_;            // what matrix_ is to hold
  std::vector<std::uint8_t> zero_;  // blocks of matrix_ that are zero
  std::unique_ptr<ContactOperator> operator_;
  Gmres gmres_;
  LinearMap exact_product_;  // z -> (R^T W_A C + E) z without its entries
  LinearMap symmetric_solve_;
  Vector d_;   // C z
  Vector Wd_;  // W_A C z
  int inner_iterations_ = 0;
  LinearStatus inner_status_ = LinearStatus::kDirect;
  bool exact_ = true;  // the prepared matrix is A_s + B, not A_s alone
  struct Shifted {
    std::unique_ptr<LowRankShift> shift;
    double rho = 0.0;
    bool checked = false;
    Vector c, s;  // reduced right-hand side and solution
  } shifted_;     // since prepare_shifted()
};

}  // namespace nsn
