#include "nsn/backends/petsc_session.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
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

/// "-a 1 -b" as pairs; a word after a dash that is a number is a value.
std::vector<std::pair<std::string, std::string>> raw_options(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    const bool key =
        word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (key) {
      out.emplace_back(word.substr(1), "");
    } else if (!word.empty()) {
      NSN_THROW_UNLESS(!out.empty() && out.back().second.empty(),
                       "'petsc': '{}' in '{}' belongs to no option", word, text);
      out.back().second = word;
    }
  }
  return out;
}

LinearStatus status_of(KSPConvergedReason reason) {
  switch (reason) {
    case KSP_DIVERGED_ITS:
      return LinearStatus::kMaxIterations;
    case KSP_DIVERGED_BREAKDOWN:
    case KSP_DIVERGED_BREAKDOWN_BICG:
    case KSP_DIVERGED_NANORINF:
      return LinearStatus::kBreakdown;
    case KSP_DIVERGED_INDEFINITE_PC:
    case KSP_DIVERGED_INDEFINITE_MAT:
      return LinearStatus::kIndefinite;
    case KSP_DIVERGED_DTOL:
      return LinearStatus::kStagnation;
    case KSP_DIVERGED_PC_FAILED:
      return LinearStatus::kSingularPivot;
    default:
      return reason > 0 ? LinearStatus::kStagnation : LinearStatus::kBackendError;
  }
}

void use_true_residual(KSP ksp) {
  KSPType type = nullptr;
  check(KSPGetType(ksp, &type));
  const auto is = [&](std::initializer_list<const char*> list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const char* other) { return std::string_view(type) == other; });
  };
  const bool right = is({KSPGMRES, KSPLGMRES, KSPBCGS, KSPBCGSL});
  if (right) check(KSPSetPCSide(ksp, PC_RIGHT));
  if (right || is({KSPCG, KSPFGMRES, KSPCR, KSPGCR, KSPPIPECG, KSPIBCGS, KSPFBCGS})) {
    check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  }
}

void check(PetscErrorCode code) {
  if (code != 0) throw Failure{last_words};
}

}  // namespace nsn::petsc
