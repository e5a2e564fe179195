/// A linear system in a folder, as `nsn export` writes it and `nsn compare` reads it.
///
///   A.mtx        the matrix handed to the linear solver
///   A_sym.mtx    its symmetric part, where it is not symmetric
///   b.mtx        its right-hand side
///   J.mtx        optional: the factors of A = J H^-1 J^T + C, H block diagonal with 3x3 blocks
///   H.mtx, C.mtx
///   system.json  where it comes from: scene, step, Newton iteration, form
///
/// Only A.mtx must be there. Of a system whose form is "proximal" J, H and C are the unreduced rows
/// of the step, not factors of A: they are written, and left unread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

/// The factors of A = J H^-1 J^T + C, for J of (rows of A) x n and H of n x n.
struct SystemFactors {
  Csr J;                 ///< rows of A x n
  Csr H;                 ///< n x n, 3x3 blocks on the diagonal
  std::optional<Csr> C;  ///< rows of A squared; absent: zero
};

struct ExportedSystem {
  Csr A;                  ///< square
  bool symmetric = true;  ///< by A.mtx's banner or by measure (is_symmetric)
  std::optional<Vector> b;
  std::optional<SystemFactors> factors;
  std::string description = "{}";  ///< system.json: the text of a JSON object
};

/// True for a folder that holds an A.mtx.
bool is_exported_system(const std::filesystem::path& folder);

/// Throws InputError naming the file for a broken file and for sizes that do not fit together: A
/// not square, b of another length, J and H of other sizes, H not block diagonal, J without H.
ExportedSystem read_exported_system(const std::filesystem::path& folder);

/// Makes the folder and writes every part; the keys format, rows, nonzeros, symmetric and files are
/// added to the description. system.json is written last: a folder that has one is complete.
void write_exported_system(const std::filesystem::path& folder, const ExportedSystem& system);

}  // namespace nsn
