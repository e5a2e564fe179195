/// A local friction problem in the form the solvers work on: 3x3 blocks, one per contact.
///
/// The block pattern is made symmetric and gets every diagonal block; blocks that are exactly zero
/// are left out. In 2D each contact is padded by a third row that couples to nothing; its diagonal
/// is W_NN, so that |W_ii|_2 is that of the 2x2 block.
#pragma once

#include <memory>
#include <vector>

#include "nsn/core/contact/row_law.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/problems/friction_problem.h"

namespace nsn {

struct FrictionBlocks {
  BlockCsr
      W;  ///< used while this lives: where it was made of scalar rows its memory is `index` and `entries`
  Vector q;                  ///< three per contact
  std::vector<RowLaw> laws;  ///< one per contact
  bool symmetric = true;     ///< max |W - W^T| <= 1e-12 max |W|
  double asymmetry = 0.0;

  // Plain memory: an allocation of a view takes as long as solving a problem of one contact.
  std::unique_ptr<Index[]> index;
  std::unique_ptr<double[]> entries;
};

/// Throws std::invalid_argument if sizes do not agree, a number is not finite or a mu is negative.
FrictionBlocks to_friction_blocks(const FrictionProblem& problem);
/// The same; W is used where it is if its pattern is symmetric and has every diagonal block.
FrictionBlocks to_friction_blocks(const BlockFrictionProblem& problem);

/// Three numbers per contact from `dimension` numbers per contact, and back.
void pad_contacts(ConstVector given, Index dimension, Vector padded);
void unpad_contacts(ConstVector padded, Index dimension, Vector given);

/// Throws std::invalid_argument naming what is wrong with a problem.
void validate(const FrictionProblem& problem);
void validate(const GlobalFrictionProblem& problem);

}  // namespace nsn
