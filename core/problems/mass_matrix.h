/// M of a global problem, factorised once: v = M^-1 f.
///
/// Rigid bodies and particles make M block diagonal: its connected parts of a few degrees of
/// freedom are inverted densely, and a diagonal M is cut into parts of three. A finite-element M is
/// given to a sparse backend (Cholesky where it is symmetric, LU where it is not).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

class MassMatrix {
 public:
  /// backend: the sparse solver that is made where a part of M is large.
  MassMatrix(const Csr& M, const SolverRegistry& registry, const std::string& backend);

  /// false: M is singular to rounding; detail() says where.
  bool ok() const { return detail_.empty(); }
  const std::string& detail() const { return detail_; }
  bool block_diagonal() const { return sparse_ == nullptr; }
  /// M is diagonal: its parts have no inverses but inverse_diagonal(), a number per degree of
  /// freedom.
  bool diagonal() const { return diagonal_; }
  const double* inverse_diagonal() const { return inverse_.data(); }
  double asymmetry() const { return asymmetry_; }
  /// Operations of one solve().
  double solve_flops() const;

  /// v = M^-1 f; false if the backend fails.
  [[nodiscard]] bool solve(ConstVector f, Vector v);

  /// Block diagonal M: connected parts, their degrees of freedom (ascending) and inverses (row by
  /// row).
  Index parts() const { return static_cast<Index>(begin_.size()) - 1; }
  Index part_of(Index dof) const { return part_[static_cast<std::size_t>(dof)]; }
  Index place_of(Index dof) const { return place_[static_cast<std::size_t>(dof)]; }
  Index part_size(Index part) const {
    return begin_[static_cast<std::size_t>(part) + 1] - begin_[static_cast<std::size_t>(part)];
  }
  const double* part_inverse(Index part) const {
    return inverse_.data() + inverse_begin_[static_cast<std::size_t>(part)];
  }

 private:
  bool invert_diagonal(const Csr& M);
  void find_parts(const Csr& M);
  void invert_parts(const Csr& M);

  Csr M_;
  double asymmetry_ = 0.0;
  bool diagonal_ = false;
  std::string detail_;
  std::vector<Index> part_, place_;  // of each degree of freedom
  std::vector<Index> begin_, dofs_;  // of each part
  std::vector<std::size_t> inverse_begin_;
  std::vector<double> inverse_;
  std::unique_ptr<CsrOperator> operator_;
  std::unique_ptr<LinearSolver> sparse_;
};

}  // namespace nsn
