/// Two kinds of failure, two tools.
///
/// * The caller's mistake (sizes, unknown names, a mass that is not positive) throws
///   std::invalid_argument through NSN_THROW_UNLESS; the text names the offending value.
/// * A broken file throws nsn::InputError, which names the file and the line or dataset.
///
/// A numerical outcome (no convergence, a singular pivot) is neither: it is a status in a result.
#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace nsn {

/// A file that cannot be used: what() reads "file:line: reason" or "file: dataset: reason".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nsn

/// Throws std::invalid_argument with a formatted text unless the condition holds. Always on.
#define NSN_THROW_UNLESS(condition, ...)                     \
  do {                                                       \
    if (!(condition)) {                                      \
      throw std::invalid_argument(fmt::format(__VA_ARGS__)); \
    }                                                        \
  } while (false)

/// Internal invariant: aborts with the expression in builds with NSN_CHECK_INVARIANTS (debug,
/// tests).
#if defined(NSN_CHECK_INVARIANTS)
#include <cstdio>
#include <cstdlib>
#define NSN_ASSERT(condition)                                                                \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: invariant broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
#define NSN_ASSERT(condition) static_cast<void>(0)
#endif
