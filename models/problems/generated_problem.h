/// Seeded friction problems of the kinds that are hard, each of spheres or boxes in one time step of 1/100 s:
///
///   closed-box        spheres pressed together between six walls, gaps up to a tenth of a millimetre
///   heap              spheres on a floor, open above
///   stack             boxes of random mass on top of each other, pushed sideways
///   wall              bricks in running bond
///   bridge            blocks held between two banks by friction alone
///   chain             spheres in a row, each held by two rings of contacts
///   parallel-normals  one body on many contacts whose normals differ by a millionth
///   random-delassus   W of a given rank from dense random rows or random bodies (random_friction_problem.h)
///   squeeze           spheres in a row between walls that close in on them: no solution
///
/// The same seed gives the same problem on every machine with IEEE arithmetic and this standard library.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "nsn/core/problems/friction_problem.h"

namespace nsn {

/// What is known of solutions before anybody looks for one.
enum class Existence {
  kPlanted,           ///< a solution was chosen first
  kStrictlyFeasible,  ///< a motion exists that opens every contact: then there is a solution
  kUnknown,
  kInfeasible,  ///< no motion is admissible
};
std::string_view to_string(Existence existence);

struct GeneratorOptions {
  std::string kind = "closed-box";
  Index contacts = 200;  ///< about as many, >= 1
  double mu = 0.5;       ///< >= 0
  std::uint64_t seed = 1;
  double rank = 0.5;  ///< random-delassus: degrees of freedom / (3 contacts), in (0, 1]
};

struct GeneratedProblem {
  std::variant<FrictionProblem, GlobalFrictionProblem> problem;
  Existence existence = Existence::kUnknown;
  std::string description;  ///< kind, parameters and what is known of a solution
  Vector r, u;              ///< planted solution; empty: none
};

const std::vector<std::string>& generated_kinds();
/// Throws std::invalid_argument for an unknown kind and sizes that cannot be, naming the option.
GeneratedProblem generate_problem(const GeneratorOptions& options);

}  // namespace nsn
