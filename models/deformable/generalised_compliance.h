/// Generalised compliance: one form for springs, finite elements and soft joints.
///
/// A force law is given by three factors at a configuration xi (docs/notation.md),
///
///     f(xi) = -J^T c,      dc/dxi = N J,      E = N^-1,                        [Macklin19, Sec. 8.1]
///
/// c the generalised forces (N for rows measured in metres, N m for strains and angles), J their
/// directions, N the stiffness. With a multiplier lambda = -c the force is J^T lambda, and one
/// Newton step on c + lambda = 0, multiplied by E, reads
///
///     J dxi + E dlambda = -E (c + lambda)
///
/// so that stiffness enters as a small compliance instead of a large number. In a time step of
/// length h (unknown impulses x = h dlambda, dxi = h du) these are box rows without bounds,
///
///     J du + (E/h^2) x = -(E c + E lambda)/h      value (E c + E lambda)/h, compliance E/h^2.
///
/// | instance           | rows | c                    | J               | E                      |
/// |--------------------|------|----------------------|-----------------|------------------------|
/// | spring             | 1    | k (length - L)       | direction       | 1/k                    |
/// | linear tetrahedron | 6    | V_e K_e e            | de/dxi, constant | (V_e K_e)^-1, constant |
/// | hyperelastic one   | 3    | V_e dPsi/ds          | ds/dxi           | (V_e d2Psi/ds2)^-1     |
/// | soft joint         | any  | phi/compliance       | dphi/dxi         | compliance             |
/// | rigid joint        | any  | unbounded, E c = phi | dphi/dxi         | 0                      |
///
/// The rows carry E c, not c: it stays finite for the rigid joint.
///
/// What the rows leave out is the geometric stiffness
///
///     K = df/dxi + J^T N J      ( = d(J^T lambda)/dxi at lambda = -c where dc/dxi = N J ),
///
/// so that M + h^2 (J^T N J - K) is the exact matrix of the step: K belongs into H = M - h^2 K. Its
/// negative-semidefinite part keeps H positive definite. The signs below: what is added to H is -K,
/// the "geometric stiffness that hardens", never negative when projected.
///
/// Differs from the paper: K is taken at the elastic force c(xi), not at the iterate lambda. At
/// coincident stretches J turns infinitely fast, and only the c of the material itself makes the
/// limit finite; where Newton converges the two are the same.
#pragma once

#include <memory>
#include <span>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/rows/law_record.h"

namespace nsn {

/// The rows of one or many force laws at one configuration. Three rows a block; what a law does not
/// need of its last block are unit rows: J = 0, E c = 0, E > 0, so that their lambda is 0.
struct ComplianceRows {
  BlockCsr J;  ///< block rows x nodes; the pattern never changes
  Vector c;    ///< generalised forces, 3 per block row
  Vector Ec;   ///< E c, 3 per block row
  Vector E;    ///< 9 per block row: E is 3x3 block diagonal, symmetric positive semidefinite

  Index block_rows() const { return J.rows; }
};

/// Keeps what the body of one element yields (core/elastic/tetrahedron.h) in block rows first ...
struct StoredRows {
  const ComplianceRows& rows;
  Index first = 0;

  void direction(int b, int a, const Mat3& J) const {
    store9(&rows.J.value(kBlockSize * (rows.J.row_begin(first + b) + a)), J);
  }
  void force(int b, const Vec3& c, const Vec3& Ec, const Mat3& E) const {
    store3(&rows.c(kBlock * (first + b)), c);
    store3(&rows.Ec(kBlock * (first + b)), Ec);
    store9(&rows.E(kBlockSize * (first + b)), E);
  }
};
/// Node n of positions x.
struct NodePositions {
  ConstVector x;
  Vec3 operator()(Index n) const { return load3(&x(kBlock * n)); }
};

/// value = (E c + E lambda)/h; lambda and value have 3 * block_rows() entries.
void compliance_residual(const ComplianceRows& rows, ConstVector lambda, double h, Vector value);
/// C = E/h^2, 9 * block_rows() entries.
void scaled_compliance(const ComplianceRows& rows, double h, Vector C);

/// Which part of the stiffness -df/dxi is meant.
enum class StiffnessPart {
  kGeometric,       ///< -K, its positive part: what the rows leave out
  kExactGeometric,  ///< -K, exact: may be indefinite
  kRows,            ///< J^T E^-1 J: what the rows carry
  kTotal            ///< kGeometric and kRows: the rows eliminated
};

/// A force law over nodes of three unknowns. Usage, once per Newton iteration:
///
///     law.start_step(x0);                          // at the start of a time step
///     if (law.evaluate(x, h) >= 0) ...             // not finite: a numerical status
///     use law.rows();                              // c, J, E at x
///     law.add_node_stiffness(StiffnessPart::kGeometric, h * h, H_blocks);
///
/// evaluate() and everything after it allocate nothing.
class GeneralisedCompliance {
 public:
  virtual ~GeneralisedCompliance() = default;
  /// With memory of its own.
  virtual std::unique_ptr<GeneralisedCompliance> clone() const = 0;
  GeneralisedCompliance& operator=(const GeneralisedCompliance&) = delete;

  Index num_elements() const { return num_elements_; }
  /// Consecutive block rows of one element.
  Index blocks_per_element() const { return blocks_per_element_; }
  /// A length, m: a row measured in strain times this one is in metres. 1 where rows are in metres.
  virtual double row_length(Index) const { return 1.0; }
  /// Nodes the law acts on; positions x and forces have 3 * num_nodes() entries.
  Index num_nodes() const { return num_nodes_; }
  /// Remembers what rates are measured against: the configuration at the start of the step.
  void start_step(ConstVector x);
  /// Evaluates rows and stiffness at x, end of a step of length h > 0 s. Returns the first element
  /// whose force is not finite, -1 if there is none.
  [[nodiscard]] Index evaluate(ConstVector x, double h);
  /// Potential energy at x, J: of the elastic forces and activations, not of rates.
  double energy(ConstVector x) const;

  /// The law and its elements for a device that evaluates them itself, but for where they are;
  /// false: this kind has no body.
  virtual bool record(LawRecord&) const { return false; }

  /// As of the last evaluate().
  const ComplianceRows& rows() const { return rows_; }
  /// f += -J^T c, the force of the last evaluate(), N.
  void add_force(Vector f) const;
  /// blocks += factor * (diagonal 3x3 blocks of the stiffness), 9 * num_nodes() entries.
  void add_node_stiffness(StiffnessPart part, double factor, Vector blocks) const;
  /// Blocks (a, b), a <= b, of one element's stiffness, row by row, a and b counting its nodes in
  /// ascending order.
  void element_stiffness(Index element, StiffnessPart part, std::span<Block> upper) const {
    do_element_stiffness(element, part, upper);
  }
  /// A square block matrix over the nodes in which the whole stiffness has its place, all zero.
  BlockCsr stiffness_pattern() const;
  /// A += factor * stiffness; A from stiffness_pattern() of this law.
  void add_stiffness(StiffnessPart part, double factor, BlockCsr& A) const;

 protected:
  GeneralisedCompliance() = default;
  /// Patterns are shared, numbers are not.
  GeneralisedCompliance(const GeneralisedCompliance& other);
  /// Without a better answer: from do_stiffness().
  virtual void do_element_stiffness(Index element, StiffnessPart part,
                                    std::span<Block> upper) const;

  /// Sets up J's pattern and all vectors. The nodes of block row i are nodes[begin[i]] ...
  /// nodes[begin[i + 1] - 1], ascending. An element is `blocks_per_element` consecutive block rows
  /// over the same nodes.
  void set_pattern(Index num_nodes, std::span<const Index> begin, std::span<const Index> nodes,
                   Index blocks_per_element);

  ComplianceRows rows_;

 private:
  virtual void do_start_step(ConstVector) {}
  virtual Index do_evaluate(ConstVector x, double h) = 0;
  virtual double do_energy(ConstVector x) const = 0;
  /// Block (a, b) of one element's stiffness, a and b counting its nodes in ascending order.
  virtual Block do_stiffness(Index element, int a, int b, StiffnessPart part) const = 0;

  Index num_nodes_ = 0;
  Index num_elements_ = 0;
  Index blocks_per_element_ = 1;
  // Where a node occurs: element and place among its nodes, for race-free sums in a fixed order.
  IndexVector use_begin_;    // num_nodes + 1
  IndexVector use_element_;  // one entry per element and node
  IndexVector use_place_;
};

}  // namespace nsn
