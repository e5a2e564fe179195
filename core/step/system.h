/// One time step as equations: what stays constant during it (System) and what is solved for
/// (State).
///
///   M (u - u_free) - J(u)^T r = 0                        momentum, kg m/s
///   contact block (n, t1, t2):  v = value(u) + E r,      v_N = C_n(xi(u)) / h,  v_T = slip velocity
///       0 <= v_N  orthogonal to  r_N >= 0,               Coulomb friction |r_T| <= mu r_N
///   box row:  v = value(u) + E r,   lo <= r <= hi,       v = 0 | v >= 0 at lo | v <= 0 at hi
///
/// r = h lambda are impulses over the step. Everything is made of 3x3 blocks: a node has three
/// degrees of freedom (a particle is one node, a rigid body two: linear and angular), a row block
/// has three rows (a contact, or three box rows; unused ones are padded). All rows are at velocity
/// level: a position row is divided by h. So every kind of row a model invents is one of two laws
/// (core/contact/row_law.h), and the driver knows these laws alone. E is the compliance over h^2; that of a finite
/// element changes with xi(u), as J does, and is evaluated with it.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/rows/step_records.h"

namespace nsn {

/// Constant during one step.
struct System {
  double h = 0.0;            ///< time step, s
  double speed_scale = 1.0;  ///< max(|u_free|, h g), m/s: the scale of the unit-free errors
  Vector M;                  ///< mass blocks, 9 per node, symmetric positive definite
  Vector M_inverse;          ///< their inverses
  Vector u_start;            ///< velocity at the start of the step, 3 per node
  Vector u_free;             ///< velocity without constraint impulses: u_start + h M^-1 f
  Vector weight;             ///< h M^-1 f per node, what applied forces add to the velocity
  Vector value_start;        ///< rows where the step starts, at u = 0, 3 per block
  Vector prescribed;         ///< what bodies of given motion add to the rows' velocity, 3 per block
  std::vector<RowLaw> laws;  ///< one per row block
  Vector E;  ///< compliance over h^2 at the start of the step, 9 per row block, 1/kg; zero: rigid
  bool compliance_varies = false;  ///< E changes with u: use the one that evaluate() fills
  Vector rho;                      ///< NCP scale of each row (precond/complementarity.h), 1/kg
  Vector rho_error;       ///< effective mass of each row at the start: the scale of the errors
  IndexVector row_begin;  ///< pattern of J: block row i touches nodes
  IndexVector column;     ///<   column(row_begin(i)) ... column(row_begin(i+1) - 1), ascending
  Index rigid_nodes = 0;  ///< nodes of rigid bodies; those of particles come after them
  std::uint64_t pattern_id = 0;  ///< changes with row_begin, column, or the number of nodes

  Index nodes() const { return size_of(M) / kBlockSize; }
  Index blocks() const { return static_cast<Index>(laws.size()); }
  Index rows() const { return kBlock * blocks(); }
  Index dofs() const { return kBlock * nodes(); }
};

/// Solved for.
struct State {
  Vector u;  ///< velocity at the end of the step, 3 per node: m/s and rad/s
  Vector r;  ///< impulses h lambda, 3 per row block, kg m/s
};

/// What of a geometric stiffness is wanted.
enum class StiffnessModes : std::uint8_t {
  kHardening,  ///< its positive part, element by element: H stays positive definite
  kAll         ///< all of it: exact, but H may be indefinite (elements under pressure)
};

/// The part of a step that only a model knows: rows and their derivatives at the end of the step.
/// One object per island; the driver calls it from one thread.
class StepEquations {
 public:
  virtual ~StepEquations() = default;

  virtual const System& system() const = 0;
  /// value (3 per block, without E r) and the values of J at xi(u) = xi_start + h G u, every entry of
  /// both, and E where compliance_varies (9 per block; E then holds system().E on entry, and blocks
  /// whose compliance is constant are left alone). J has the system's pattern. Allocates nothing.
  virtual void evaluate(ConstVector u, Vector value, BlockCsr& J, Vector E) = 0;
  /// H = M + positive part of the geometric stiffness -h dJ^T r / dxi at xi(u), 9 per node.
  virtual void stiffness(ConstVector u, ConstVector r, Vector H) = 0;
  /// H += the same geometric stiffness with the coupling of nodes that share a row, blocks (i, j),
  /// j >= i. H is a block matrix over the nodes in whose pattern every such pair is. Elastic rows
  /// give the modes asked for, all others their positive part.
  virtual void add_full_stiffness(ConstVector u, ConstVector r, StiffnessModes modes,
                                  BlockCsr& H) = 0;
  /// The same rows as records that a device evaluates itself; null: some kind of row has none.
  virtual const StepRecords* records() { return nullptr; }
};

}  // namespace nsn
