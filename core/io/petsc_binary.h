/// Matrices and vectors as PETSc's MatLoad and VecLoad read them, and back; needs no PETSc.
///
///   matrix   1211216, rows, columns, entries, entries of each row, columns, values
///   vector   1211214, entries, values
///
/// Integers of 4 bytes and doubles, the most significant byte first. FILE.info beside a matrix names
/// its block size. A third of the size of text, and read many times faster.
///
/// Files are hostile: counts are checked against the size of the file before anything is allocated.
/// A file that was cut off, one with the least significant byte first, one with indices of 8 bytes
/// and one of complex numbers are refused by a sentence that says so. Every refusal is an InputError
/// "file: reason".
#pragma once

#include <filesystem>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

/// Bytes that MatView would write; the file appears whole or not at all. block_size > 1 is written to
/// FILE.info.
void write_petsc(const std::filesystem::path& path, const Csr& A, Index block_size = 1);
void write_petsc(const std::filesystem::path& path, ConstVector v);

/// What the first bytes of a matrix file say. The rest is not read, but the length of the file fits.
struct PetscHead {
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;
};
PetscHead read_petsc_matrix_head(const std::filesystem::path& path);
/// Entries of a vector file, likewise.
Index read_petsc_vector_head(const std::filesystem::path& path);

Csr read_petsc_matrix(const std::filesystem::path& path);
Vector read_petsc_vector(const std::filesystem::path& path);

}  // namespace nsn
