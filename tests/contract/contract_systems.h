/// The small systems of the contract suite, each with an answer known beforehand where there is
/// one.
#pragma once

#include <vector>

#include "nsn/core/matrix/csr.h"

namespace nsn::contract {

/// S x = b with b = S x_star; x_star is empty where no solution exists.
struct ContractSystem {
  Csr S;
  std::vector<double> x_star;
  std::vector<double> b;
};

/// Contact-shaped and well conditioned (about 10): 3x3 blocks along a chain, diagonally dominant.
/// rows need not be a multiple of three. Systems of one size share their pattern.
ContractSystem chain_of_contacts(Index rows, unsigned seed);
/// The same with a random sign pattern that makes it unsymmetric.
ContractSystem unsymmetric_chain(Index rows, unsigned seed);
/// Springs between masses without a support, null vector (1, ..., 1).
ContractSystem free_springs(Index rows);
/// The same with a right-hand side that has a part along the null vector.
ContractSystem free_springs_pulled(Index rows);
/// S = J J^T with more rows than columns, as redundant contacts give: rank columns.
ContractSystem redundant_contacts(Index rows, Index columns, unsigned seed);
/// 2x2 blocks with one eigenvalue of each sign, between 1 and 3 in size, as S is a pile of them.
ContractSystem indefinite(Index rows, unsigned seed);
/// [[D, 1], [1, 0]]: nonsingular, with zeros on the diagonal.
ContractSystem saddle(Index pairs);
/// Entries of 10^-12 ... 10^12 on the diagonal, x_star = 1.
ContractSystem wide_diagonal();
/// A chain of contacts beside rows of their own and a decoupled block.
ContractSystem isolated_rows();
/// A chain of contacts with one row and column of stored and one of absent zeros; b is 0 there.
ContractSystem zero_rows();
/// diag(values), b = S 1.
ContractSystem diagonal(const std::vector<double>& values);

/// S x in plain loops.
std::vector<double> product(const Csr& S, const std::vector<double>& x);

}  // namespace nsn::contract
