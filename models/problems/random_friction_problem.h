/// Seeded random frictional-contact problems that are known to have a solution.
///
/// A solution (r, u) is planted: each contact is open, sticking or slipping, and q = u - W r.
/// W = J M^-1 J^T has a rank from 10 % to full, either from bodies (sparse: each contact joins two
/// of them) or from dense random rows; masses differ by up to 1e6, W and u are scaled by up to 1e6
/// either way, mu goes to 2. The same seed gives the same problem on every machine with IEEE
/// arithmetic and this standard library.
#pragma once

#include <cstdint>

#include "nsn/core/problems/friction_problem.h"

namespace nsn {

struct RandomFrictionProblem {
  FrictionProblem problem;
  Vector r;             ///< planted impulses
  Vector u;             ///< planted velocities, W r + q up to rounding
  double mu = 0.0;      ///< largest friction coefficient
  double rank = 1.0;    ///< degrees of freedom / (3 contacts), at most 1 counts
  double masses = 1.0;  ///< largest / smallest mass
  bool bodies = true;   ///< W from bodies, else from dense rows
};

/// From where to where the properties are drawn; the defaults are those of seeds named elsewhere.
struct RandomFrictionLimits {
  Index max_contacts = 300;  ///< min_contacts ... this, by a logarithmic law
  Index min_contacts = 1;
  double min_mu = 0.0;  ///< largest friction coefficient of a problem
  double max_mu = 2.0;
  double min_rank = 0.1;  ///< degrees of freedom / (3 contacts)
  double max_rank = 1.0;
};

RandomFrictionProblem random_friction_problem(std::uint64_t seed,
                                              const RandomFrictionLimits& limits = {});

}  // namespace nsn
