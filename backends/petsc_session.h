/// PETSc's life in this process: started by the first solver that needs it, ended at exit.
///
/// A program that owns MPI or PETSc starts it first; what it started is then left to it. Calls of
/// PETSc are made under one lock: a PETSc of a distribution is not thread safe. The only header of
/// PETSc that others see is petscksp.h.
#pragma once

#include <mutex>
#include <petscksp.h>
#include <string>
#include <utility>
#include <vector>

#include "nsn/core/linear/linear_status.h"

namespace nsn::petsc {

/// Starts MPI and PETSc where nobody has. Throws std::invalid_argument if PETSc was ended already.
void start();
/// False after PetscFinalize(): nothing may be destroyed any more.
bool alive();

std::recursive_mutex& lock();

/// "-a 1 -b" as pairs of keys without their dash and values; a word after a dash that is a number is a
/// value. Throws std::invalid_argument for a word that belongs to no option.
std::vector<std::pair<std::string, std::string>> raw_options(const std::string& text);
/// What the end of a method that did not converge is called here; a claim of convergence that was not
/// confirmed stagnates.
LinearStatus status_of(KSPConvergedReason reason);
/// The method stops by |b - S x|, where it has that norm.
void use_true_residual(KSP ksp);

/// A call of PETSc failed; what() is PETSc's own words. Objects of the failed call may not even be
/// destroyed: they are left to the process.
struct Failure {
  std::string text;
};
/// Throws Failure unless the code is 0.
void check(PetscErrorCode code);

}  // namespace nsn::petsc
