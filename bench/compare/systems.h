/// Where `nsn compare` takes its linear systems from.
///
/// A path is one of
/// * a MatrixMarket file or a matrix in PETSc's binary format (NAME.petsc), with its right-hand side beside it where there is one: for NAME.mtx the
///   first of NAME_b.mtx, NAME_rhs.mtx, NAME.rhs.mtx, NAME.b.mtx; for A.mtx also b.mtx;
/// * a folder with an A.mtx or A.petsc: an exported system (core/io/exported_system.h), and its A_sym.mtx as a
///   second system where there is one;
/// * any other folder: every MatrixMarket and .petsc file in it that is not the right-hand side of
///   another, and every
///   sub-folder by the same rules, in alphabetical order.
///
/// Each of these files may be packed: NAME.mtx.gz.
///
/// A system without a right-hand side gets b = A x*, x* uniform in [-1, 1]^n from a seed: a system
/// that has a solution even where A is singular.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/io/exported_system.h"
#include "nsn/core/matrix/csr.h"

namespace nsn::bench {

/// A system that was found but not read yet.
struct SystemSource {
  std::string name;            ///< unique within one comparison
  std::filesystem::path path;  ///< of the matrix file, or of the exported folder
  std::optional<std::filesystem::path> rhs;
  bool exported = false;
  std::string refusal;  ///< not empty: nothing can be read here, and why
};

/// By its name: .mtx, .mtx.gz.
bool is_matrix_file(const std::filesystem::path& path);

/// All systems of all paths, in order, each once. A path that does not exist or a folder without a
/// matrix becomes a source with a refusal.
std::vector<SystemSource> find_systems(const std::vector<std::filesystem::path>& paths);

/// A system ready to be solved.
struct LinearSystem {
  std::string name;
  std::string path;
  Csr A;                  ///< square
  bool symmetric = true;  ///< by banner or by measure
  Vector b;
  std::string rhs;  ///< where b comes from
  std::optional<SystemFactors> factors;
  std::optional<Vector> positions;  ///< of the points whose displacements the rows are, m
};

/// Throws InputError for a broken file and for a matrix that is not square.
LinearSystem read_system(const SystemSource& source, std::uint64_t seed);

/// x* of n entries, uniform in [-1, 1], the same on every machine.
Vector random_solution(Index n, std::uint64_t seed);

}  // namespace nsn::bench
