/// MatrixMarket files, both ways.
///
///   %%MatrixMarket matrix coordinate real symmetric
///   % any number of comments
///   3 3 4            rows, columns, entries
///   1 1  2.0         row, column (from 1), value; the lower triangle of a symmetric matrix
///   ...
///
/// Read: coordinate and array; real, integer and pattern (all values 1); general, symmetric and
/// skew-symmetric; the banner in any case; CRLF; blank lines and comments anywhere. Entries with
/// the same place add up. A symmetric file may hold its upper triangle instead, but not a mixture.
///
/// Files are hostile. Counts are checked against the size of the file and 32-bit indices before
/// anything is allocated; NaN, infinity, an index out of range, too few or too many entries, and
/// anything after a line's last number are refused. Every refusal is an InputError
/// "file:line: reason".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

enum class MatrixMarketSymmetry { kGeneral, kSymmetric, kSkewSymmetric };

struct MatrixMarket {
  Csr A;  ///< both triangles of a symmetric matrix; every entry of an array, zeros included
  bool array = false;                                              ///< dense storage
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::kGeneral;  ///< what the banner says
};

MatrixMarket read_matrix_market(const std::filesystem::path& path);

/// A vector of n entries: n x 1, array or coordinate.
Vector read_matrix_market_vector(const std::filesystem::path& path);

/// The same from text in memory; `name` stands for the file in errors.
MatrixMarket parse_matrix_market(std::string_view text, std::string_view name);
Vector parse_matrix_market_vector(std::string_view text, std::string_view name);

/// True where a system with this matrix may go to symmetric solvers: the banner says symmetric, or
/// A is square with max |A - A^T| <= 1e-12 max |A| (files written with 17 digits after sums in
/// different orders; anything rounded to fewer digits is measurably unsymmetric).
bool is_symmetric(const MatrixMarket& matrix);

struct MatrixMarketFormat {
  bool symmetric = false;  ///< write the lower triangle only, symmetric banner; A must be symmetric
  std::string comment;     ///< lines of text after the banner
};

/// 17 significant digits: reading back gives the same bits. The file appears whole or not at all
/// (core/io/atomic_file.h). Throws std::invalid_argument for NaN and infinity, which the reader
/// would refuse.
void write_matrix_market(const std::filesystem::path& path, const Csr& A,
                         const MatrixMarketFormat& format = {});
/// As an n x 1 array.
void write_matrix_market(const std::filesystem::path& path, ConstVector b,
                         std::string_view comment = {});

}  // namespace nsn
