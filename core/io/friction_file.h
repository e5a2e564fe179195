/// Frictional-contact problems of other programs, from files: one entry for every format.
///
/// | format         | what it is                                          | becomes               |
/// |----------------|-----------------------------------------------------|-----------------------|
/// | siconos-local  | Siconos text `d nc W q mu`                          | FrictionProblem       |
/// | siconos-global | Siconos text `d nc M H f w mu`                      | GlobalFrictionProblem |
/// | siconos-lcp    | Siconos text `n M q`                                | LinearComplementarity |
/// | fclib          | FCLIB 3 HDF5, /fclib_local or /fclib_global         | either of the first 2 |
/// | contactbench   | NumPy .npz with G, g, mus; its rows (t1, t2, n) are | FrictionProblem       |
/// |                | turned to (n, t1, t2)                               |                       |
///
/// `auto` looks at the first bytes (HDF5 and zip have signatures) and takes everything else for
/// text, whose kind follows from its counts. Files are hostile: whatever they contain, the outcome
/// is a problem whose sizes fit, whose numbers are finite and whose mu are >= 0, or an InputError
/// that names the line or dataset. No memory is taken that the file's own size does not justify.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nsn/core/problems/friction_problem.h"

namespace nsn {

using AnyFrictionProblem =
    std::variant<FrictionProblem, GlobalFrictionProblem, LinearComplementarityProblem>;

enum class FrictionFormat {
  kAuto,
  kSiconosLocal,
  kSiconosGlobal,
  kSiconosLcp,
  kFclib,
  kContactBench
};

/// "auto", "siconos-local", ... Throws std::invalid_argument with the nearest name if unknown.
FrictionFormat friction_format_from_name(std::string_view name);
std::string_view name_of(FrictionFormat format);
/// All names, in the order of the enumerators.
const std::vector<std::string>& friction_format_names();

/// A problem and what its file said about itself.
struct FrictionFile {
  AnyFrictionProblem problem;
  FrictionFormat format = FrictionFormat::kAuto;  ///< as found, never kAuto after reading
  std::string storage;     ///< of the matrices, e.g. "sbm", "triplet/triplet"
  double asymmetry = 0.0;  ///< max|A - A^T| / max|A| of W, or of M
};

/// How much the HDF5 library is trusted with the container of an FCLIB file.
enum class Isolation {
  kNone,         ///< read in this process
  kChildProcess  ///< read in a forked child: a container that crashes or hangs the HDF5 library
                 ///< becomes an InputError here
};

/// Throws InputError for anything that is not a usable problem, a missing file or a directory.
FrictionFile read_friction_file(const std::string& path,
                                FrictionFormat format = FrictionFormat::kAuto,
                                Isolation isolation = Isolation::kNone);

/// Number of contacts, or of unknowns of an LCP.
Index contacts_of(const AnyFrictionProblem& problem);

}  // namespace nsn
