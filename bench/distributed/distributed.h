/// One linear system on many processes: `mpirun -np N nsn compare SYSTEM... --distributed`.
///
/// Every process reads its own rows of the PETSc files (MPI's input and output), solves with PETSc, and
/// holds nothing whole: no matrix, no vector. What is measured is the slowest process; the first
/// process alone prints and writes.
///
///   form=assembled   A as it is in the file
///   form=factored    J H^-1 J^T + C as PETSc's Schur complement, never formed; preconditioners see
///                    it formed with the block diagonal of H
///
/// On several processes icc, ilu, cholesky and lu are those of overlapping parts (asm) unless another
/// library factorises (-pc_factor_mat_solver_type).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/comparison.h"
#include "bench/compare/systems.h"

namespace nsn::bench {

/// Processes that mpirun or srun started this one among; 1: it stands alone. MPI need not run.
int processes_started();
/// The number of this one, from 0.
int process_number();

struct DistributedOptions {
  std::vector<std::string> solvers;  ///< "petsc:...", with form= beside its options
  LinearControl control;
  int repeats = 3;
  std::uint64_t seed = 1;  ///< of x* where a system has no right-hand side
  std::filesystem::path
      solutions;  ///< not empty: the answers are written there, SYSTEM-SOLVER.petsc
};

/// Throws std::invalid_argument for a solver that is not petsc, for its options, and in a build without
/// PETSc; all processes throw the same.
void check_distributed(const DistributedOptions& options);

/// To be called by all processes; the same outcome in all. Throws InputError for files that are not
/// PETSc's, cut off, or of another kind, before anything is solved.
SystemOutcome solve_distributed(const SystemSource& source, const DistributedOptions& options);

}  // namespace nsn::bench
