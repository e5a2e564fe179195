#include "nsn/backends/petsc_session.h"

#include <cstdlib>
#include <type_traits>

#include <fmt/format.h>

#include "nsn/core/base/error.h"

static_assert(std::is_same_v<PetscScalar, double>, "a PETSc of real doubles is needed");

namespace nsn::petsc {
namespace {

bool started_mpi = false;
std::string last_words;

PetscErrorCode keep_words(MPI_Comm /*comm*/, int line, const char* function, const char* /*file*/,
                          PetscErrorCode code, PetscErrorType kind, const char* text,
                          void* /*context*/) {
  if (kind != PETSC_ERROR_INITIAL) return code;
  const char* general = nullptr;
  PetscErrorMessage(code, &general, nullptr);
  last_words = fmt::format("PETSc: {}: {} ({}, line {})", general == nullptr ? "error" : general,
                           text == nullptr ? "" : text, function == nullptr ? "?" : function, line);
  for (char& c : last_words) {
    if (c == '\n') c = ' ';
  }
  return code;
}

void end() {
  if (alive()) PetscFinalize();
  int ended = 0;
  MPI_Finalized(&ended);
  if (started_mpi && ended == 0) MPI_Finalize();
}

void start_once() {
  int mpi = 0;
  MPI_Initialized(&mpi);
  if (mpi == 0) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    started_mpi = true;
  }
  PetscBool initialized = PETSC_FALSE;
  PetscInitialized(&initialized);
  if (initialized == PETSC_FALSE) {
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
    PetscInitializeNoArguments();
    std::atexit(end);
  }
  PetscPushErrorHandler(keep_words, nullptr);
}

}  // namespace

void start() {
  static std::once_flag once;
  std::call_once(once, start_once);
  NSN_THROW_UNLESS(alive(), "'petsc': PETSc was ended in this process");
}

bool alive() {
  PetscBool initialized = PETSC_FALSE;
  PetscBool finalized = PETSC_FALSE;
  PetscInitialized(&initialized);
  PetscFinalized(&finalized);
  return initialized == PETSC_TRUE && finalized == PETSC_FALSE;
}

std::recursive_mutex& lock() {
  static std::recursive_mutex one;
  return one;
}

void check(PetscErrorCode code) {
  if (code != 0) throw Failure{last_words};
}

}  // namespace nsn::petsc
