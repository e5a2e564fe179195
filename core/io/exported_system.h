/// A linear system in a folder, as `nsn export` writes it and `nsn compare` reads it.
///
///   A.mtx        the matrix handed to the linear solver
///   A_sym.mtx    its symmetric part, where it is not symmetric
///   b.mtx        its right-hand side
///   J.mtx        optional: the factors of A = J H^-1 J^T + C, H block diagonal with 3x3 blocks
///   H.mtx, C.mtx
///   system.json  where it comes from: scene, step, Newton iteration, form
///
///   nodes.mtx    optional: points, three coordinates each, m, one below the other. Beside J and H the
///                nodes of H; without them the points whose displacements the rows of A are
///
/// In PETSc's binary format the files end in .petsc (core/io/petsc_binary.h).
///
/// Only A must be there. Of a system whose form is "proximal" J, H and C are the unreduced rows
/// of the step, not factors of A: they are written, and left unread, as nodes.mtx is then.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

/// The factors of A = J H^-1 J^T + C, for J of (rows of A) x n and H of n x n.
struct SystemFactors {
  Csr J;                 ///< rows of A x n
  Csr H;                 ///< n x n, 3x3 blocks on the diagonal
  std::optional<Csr> C;  ///< rows of A squared; absent: zero
  std::optional<Vector>
      positions{};  ///< of the nodes of H, n coordinates, m, where they are points
};

struct ExportedSystem {
  Csr A;                  ///< square
  bool symmetric = true;  ///< by A.mtx's banner or by measure (is_symmetric)
  std::optional<Vector> b;
  std::optional<SystemFactors> factors;
  std::string description = "{}";     ///< system.json: the text of a JSON object
  std::optional<Vector> positions{};  ///< without factors: rows of A coordinates, m
};

enum class SystemFormat { kMatrixMarket, kPetsc };
/// ".mtx" or ".petsc"
std::string_view ending(SystemFormat format);
/// "mtx" or "petsc"; throws std::invalid_argument for another word.
SystemFormat system_format_from(std::string_view word);

/// True for a folder that holds an A.petsc or an A.mtx.
bool is_exported_system(const std::filesystem::path& folder);

/// Throws InputError naming the file for a broken file and for sizes that do not fit together: A
/// not square, b of another length, J and H of other sizes, H not block diagonal, J without H.
/// The matrix of such a folder.
std::filesystem::path matrix_of(const std::filesystem::path& folder);

/// A folder that holds both formats is read in PETSc's, which is quicker.
ExportedSystem read_exported_system(const std::filesystem::path& folder);

/// Makes the folder and writes every part; the keys format, rows, nonzeros, symmetric and files are
/// added to the description. system.json is written last: a folder that has one is complete.
/// Files of other parts and of the other format are removed first.
void write_exported_system(const std::filesystem::path& folder, const ExportedSystem& system,
                           SystemFormat format = SystemFormat::kMatrixMarket);
/// Writes every part in this format beside what the folder holds.
void add_format(const std::filesystem::path& folder, const ExportedSystem& system,
                SystemFormat format);

}  // namespace nsn
