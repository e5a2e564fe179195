/// Siconos' text dumps of frictional-contact problems and LCPs.
///
///   local   d  nc  W        q(m) mu(nc)         m = d nc,  d = 2 or 3
///   global  d  nc  M  H     f(n) w(m) mu(nc)    M n x n, H n x m
///   lcp     n  M  q(n)
///
/// Nothing in a file says which it is. It is global if what follows the first matrix is again a
/// matrix whose sizes fit and all vectors follow; otherwise local if those counts add up; otherwise
/// an LCP. What comes after the last number is ignored.
///
/// A matrix is `storage rows columns`, then
///   0 dense   rows columns again, all values column by column (one printed line per column);
///   1 blocks  nblocks nbrows nbcolumns, cumulative row sizes, cumulative column sizes,
///             filled1 filled2, row pointers[filled1], block columns[filled2], then per block its
///             number and its values column by column;
///   2 sparse  origin, a "CSparse" line, "[triplet: |csr: ]M-by-N, nzmax: a nnz: b", then triplets
///             `i j : x`, or per column (row for csr) `col j : locations a to b` and `i : x` lines.
/// Exact zeros of dense and block storage are not kept as entries.
#pragma once

#include <string>
#include <string_view>

#include "nsn/core/io/friction_file.h"

namespace nsn {

/// Parses a whole text. `name` stands in front of the line in errors. `format` is kAuto or one of
/// the three Siconos kinds; with kAuto and nothing fitting, the error is that of the attempt which
/// got furthest.
FrictionFile parse_siconos_text(std::string_view text, std::string_view name,
                                FrictionFormat format = FrictionFormat::kAuto);

/// The problem as text that parse_siconos_text and Siconos read back to the last bit: W in d x d
/// blocks, M and H as triplets, M of an LCP dense.
std::string to_siconos_text(const FrictionProblem& problem);
std::string to_siconos_text(const GlobalFrictionProblem& problem);
std::string to_siconos_text(const LinearComplementarityProblem& problem);

}  // namespace nsn
