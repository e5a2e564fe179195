/// Solves a friction problem that another program made, from its own arrays in one call:
///
///   u = W r + q,    K* contains u + mu |u_T| e_N, orthogonal to r in K = { |r_T| <= mu r_N }
///
///   const nsn::FrictionAnswer answer = nsn::solve_friction({row_begin, column, value}, q, mu);
///   if (answer.solved) use(answer.r);
///
/// r are impulses, u relative velocities, normal component first: (n, t1, t2) in 3D, (n, t) in 2D. W,
/// q and mu are read where they are. core/problems/friction_solver.h has everything the method can
/// be asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace nsn {

/// A square matrix in compressed rows: entries of row i are value[row_begin[i]] ...
/// value[row_begin[i + 1] - 1], by strictly ascending column.
struct CsrSpans {
  std::span<const int> row_begin;
  std::span<const int> column;
  std::span<const double> value;
};

struct FrictionRequest {
  int dimension = 3;                  ///< 2 or 3
  std::string method = "auto";        ///< `nsn solve --help` lists them
  std::string linear = "contact-lu";  ///< "name:key=value,..." (`nsn solvers`)
  double tolerance = 1e-8;            ///< of Siconos' error; the unit-free one: 100 times that
  double time_limit = 0.0;            ///< s; 0: none
  std::span<const double> start{};    ///< r to start from; empty: zero
};

struct FrictionAnswer {
  bool solved = false;  ///< the errors, recomputed from the data as given, are within the tolerance
  std::string status;   ///< "solved", or why not
  std::vector<double> r;
  std::vector<double> u;
  double error = 0.0;            ///< Siconos' error of r
  double unit_free_error = 0.0;  ///< docs/friction_problems.md
  int factorizations = 0;
  double seconds = 0.0;
};

/// mu: one per contact, >= 0. Throws std::invalid_argument naming what does not agree: sizes, columns
/// that do not ascend, numbers that are not finite, unknown names.
FrictionAnswer solve_friction(const CsrSpans& W, std::span<const double> q,
                              std::span<const double> mu, const FrictionRequest& request = {});

}  // namespace nsn
