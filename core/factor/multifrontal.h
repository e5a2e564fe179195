/// Multifrontal factorisation of a matrix of 3x3 blocks: P A P^T = L U, or L L^T where A is
/// symmetric.
///
/// The symbolic work (core/factor/block_symbolic.h) is done once per pattern, on blocks. Each
/// factorisation says which of a block's three scalars take part: the others couple to nothing and stay
/// out of the fronts, so that a contact that is open costs nothing and one that slips two thirds.
///
/// Every supernode has a dense front
///     [ F11 F12 ]   p pivots
///     [ F21 F22 ]   u rows of later pivots
/// made of entries of A and of the updates of its children; it keeps the factors of F11, F21 and
/// F12 and hands F22 - L21 U12 on to its parent. Pivots are exchanged inside F11 only: the matrices
/// of the contact problem are positive definite up to a low-rank part, and refinement brings back
/// the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nsn/core/base/room.h"
#include "nsn/core/factor/block_symbolic.h"
#include "nsn/core/factor/contact_matrix.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class Multifrontal {
 public:
  enum class Form { kLu, kCholesky };

  /// Allocates everything. transposed: see transposed_blocks(). taking_part: only rows with a bit there may be active
  /// afterwards, and room is kept for them alone; empty: all.
  void analyze(const BlockCsr& A, std::span<const Index> transposed, const SymbolicOptions& options,
               std::span<const std::uint8_t> taking_part = {});

  /// active: a bit per scalar of each block row, bit k set: row 3 i + k takes part; a row that does
  /// not has no entry off the diagonal, in its row and its column, and solve() takes its diagonal for 1. Returns -1,
  /// or the block row where no pivot was found.
  Index factorize(const BlockCsr& A, std::span<const std::uint8_t> active, Form form,
                  double threshold);
  /// The same with the values of `source` on the pattern of A.
  Index factorize(const BlockCsr& A, const ContactMatrix& source,
                  std::span<const std::uint8_t> active, Form form, double threshold);

  /// x <- A^-1 x, three entries a block row.
  void solve(double* x);

  /// Columns of L of supernode s where every scalar takes part (Cholesky): column-major, 3 per node
  /// of the supernode wide, those and 3 per row below tall.
  const double* panel(Index s) const {
    return factor_.get() + fronts_[static_cast<std::size_t>(s)].factor;
  }

  const BlockSymbolic& symbolic() const { return symbolic_; }
  double flops() const { return flops_; }  ///< of the last factorisation
  /// Of a Cholesky factorisation with these active scalars.
  double flops_with(std::span<const std::uint8_t> active) const;
  double factor_bytes() const { return 8.0 * static_cast<double>(factor_used_); }
  double bytes_held() const;

 private:
  struct Entry {
    Index block;   // of A
    Index row;     // node of the front
    Index column;  // node of the front
  };
  struct Front {
    int pivots = 0;          // p
    int rows = 0;            // u
    std::size_t factor = 0;  // where its factors begin
    std::size_t update = 0;  // where its update lies on its stack
  };

  void list_entries(const BlockCsr& A, std::span<const Index> transposed);
  void place_children();
  void reserve_storage();
  void lay_out(std::span<const std::uint8_t> active);
  void set_front_offsets(Index s);
  template <class Source>
  Index factorize_from(const Source& source, const BlockCsr& A,
                       std::span<const std::uint8_t> active, Form form, double threshold);
  template <class Source>
  void add_entries(Index s, const Source& source, double* L, double* U);
  template <class Source>
  void gather(const Source& source, const BlockCsr& A, double* L);
  void add_child(Index child, const Front& parent, double* L, double* U, double* S);
  bool eliminate(Index s, double* L, double* U, double* S, bool fresh, double threshold);
  void forward(Index s, double* y);
  void backward(Index s, double* y);
  Index nodes_of(Index s) const;

  BlockSymbolic symbolic_;
  bool whole_ = false;  // one front in the order of A: its blocks are gathered row by row
  Form form_ = Form::kLu;
  double flops_ = 0.0;
  std::vector<Index> child_begin_, children_;
  std::vector<Index> relative_;    // of each row of a supernode: node of the parent's front
  std::vector<std::uint8_t> odd_;  // which stack a supernode's update is on
  std::vector<Index> entry_begin_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> active_;  // by place in the order
  std::vector<Index> scalar_;         // first scalar of each place, nodes + 1
  std::vector<Front> fronts_;
  std::vector<int> pivot_;
  std::vector<int> offset_;  // scalars before each node of the present front
  std::vector<int> map_;     // child's scalars in the parent's front
  Room factor_;
  std::size_t factor_used_ = 0;
  Room stack_[2];
  std::vector<double> y_;     // compact right-hand side
  std::vector<double> work_;  // update part of a front in a solve
};

}  // namespace nsn
