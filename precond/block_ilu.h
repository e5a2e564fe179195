/// P = (L D U)^-1, the incomplete factors of S without fill (precond/incomplete_lu.h): in 3x3 blocks
/// where S is stored so, else in scalars.
///
/// Where S couples everything that its elimination would fill in, as contacts of the same two bodies
/// and chains of joints do, the factors are those of S. They are those of S + shift diag S where a
/// shift is asked for: it lifts a singular S. Where a block on the diagonal is not positive definite
/// all the same, or not regular if the iteration needs no more, the shift rises tenfold and the
/// factorisation begins again, kMostRises times; then P is that of the diagonal blocks alone, and of the
/// diagonal where such a block is of no use. note() says what was done.
#pragma once

#include <string>
#include <vector>

#include "nsn/core/linear/preconditioner.h"
#include "nsn/precond/incomplete_lu.h"

namespace nsn {

class BlockIlu final : public Preconditioner {
 public:
  static constexpr int kMostRises = 9;  ///< 1e-8 to 10: far beyond any use

  explicit BlockIlu(const PreconditionerOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return "block-ilu"; }
  bool needs_entries() const override { return true; }
  void analyze(const LinearOperator& op) override;
  void factorize(const LinearOperator& op) override;
  void apply(ConstVector r, Vector z) const override;
  std::string_view note() const override { return note_; }
  double bytes_per_apply() const override;
  double bytes_held() const override;

  /// The shift of the present factors.
  double shift() const { return shift_; }
  /// Diagonal blocks that could not be taken as they were.
  Index replaced() const;

 private:
  bool factorize(const LinearOperator& op, Pivots pivots);

  PreconditionerOptions options_;
  bool blocks_ = false;  // else scalars
  IncompleteLu<3> three_;
  IncompleteLu<1> one_;
  double shift_ = 0.0;
  std::string note_;
};

}  // namespace nsn
