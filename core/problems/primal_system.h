/// The Newton system over degrees of freedom: through M and H, W = H^T M^-1 H is never formed.
///
/// With D = R^T A C + E, a positive number per unknown (A is the same in both tangential
/// directions), the system of newton_system.h
///     (R^T W C + D) z = b       is       S y = H C D^-1 b,    z = D^-1 (b - R^T H^T y),
///     S = M + sum over contacts of H_i C_i D_i^-1 R_i^T H_i^T.
/// S has a block of three rows for every three degrees of freedom that a contact reaches, whatever
/// the contacts do: where many contacts share a body, or M is a sparse matrix of finite elements,
/// it is smaller or sparser than W. D falls with alpha, and what S loses in digits refinement
/// brings back.
#pragma once

#include <memory>
#include <vector>

#include "nsn/core/contact/contact_operator.h"
#include "nsn/core/contact/newton_system.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/problems/friction_problem.h"
#include "nsn/core/problems/mass_matrix.h"

namespace nsn {

class PrimalSystem final : public NewtonSystem {
 public:
  /// problem, Ht = H^T by rows and mass must live as long as this object. solver must take
  /// unsymmetric matrices by their entries. Allocates everything; S is analysed on demand.
  PrimalSystem(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass,
               std::unique_ptr<LinearSolver> solver);
  PrimalSystem(const PrimalSystem&) = delete;
  PrimalSystem& operator=(const PrimalSystem&) = delete;

  Index blocks() const override { return static_cast<Index>(contact_begin_.size()) - 1; }
  void diagonal_blocks(Vector out) const override;
  void scale(ConstVector s) override;
  void apply(ConstVector x, Vector y) const override;
  void prepare(const std::vector<ncp::BlockLinearization>& blocks, ConstVector A) override;
  [[nodiscard]] NewtonSolve solve(ConstVector b, Vector z) override;
  double factorization_flops() override;

  /// Degrees of freedom of S, whole blocks of three.
  Index degrees() const { return K_.scalar_rows(); }

 private:
  /// What contact i does to one block of degrees of freedom: rows of H^T, 3 x 3, scaled.
  struct Touch {
    Index node;
    double given[9];
    double scaled[9];
  };

  void find_touches(const Csr& Ht, Index dimension);
  std::vector<Index> number_nodes(const Csr& M);
  void build_pattern(const Csr& M, const std::vector<Index>& number);
  std::vector<std::vector<Index>> find_neighbours(const Csr& M,
                                                  const std::vector<Index>& number) const;
  void set_mass_values(const Csr& M, const std::vector<Index>& number);
  template <class Visit>
  void for_pairs(Index i, const Visit& visit) const;
  void add_contact(Index i, const ncp::BlockLinearization& block, const double* A);
  void solve_once(ConstVector b, Vector z);
  double residual(ConstVector b, ConstVector z, Vector out) const;

  const GlobalFrictionProblem& problem_;
  const Csr& Ht_;
  MassMatrix& mass_;
  std::unique_ptr<LinearSolver> solver_;
  bool symmetric_mass_;
  std::vector<Index> contact_begin_{0};  // touches of each contact
  std::vector<Touch> touches_;
  std::vector<Index> node_of_;     // node of S -> block of three degrees of freedom
  std::vector<Index> pair_begin_;  // of each contact: blocks of S, touches x touches
  std::vector<Index> pair_;
  BlockCsr K_;
  std::vector<double> mass_values_;  // M in the pattern of S
  std::unique_ptr<ContactOperator> operator_;
  const std::vector<ncp::BlockLinearization>* linearization_ = nullptr;
  const double* A_ = nullptr;
  Vector force_, velocity_;           // all degrees of freedom
  mutable Vector impulse_, product_;  // of apply()
  Vector d_, Wd_, residual_, z_;      // by contacts
};

}  // namespace nsn
