/// FCLIB 3 files (HDF5): the collection format of frictional-contact problems.
///
///   /fclib_local   {spacedim, W/, vectors/{q[m], mu[nc]}, info/{title, description, ...}}
///   /fclib_global  {spacedim, M/, H/, vectors/{f[n], w[m], mu[nc]}, info/...}
///   /solution      {u[m], r[m], v[n] (global)}      velocity, impulse, velocity of the dofs
///
/// A matrix group is {m, n, nz, nzmax, p, i, x}:
///   nz = -1   compressed columns: p[n + 1], i rows
///   nz = -2   compressed rows:    p[m + 1], i columns
///   nz >= 0   triplets:           i rows, p columns, the first nz of each
///
/// Differs from FCLIB's own header: it documents p as the rows of a triplet; the files, and the
/// library's code, have the columns there. /solution is not trusted in reading: in many public
/// files it is zero.
///
/// Built without HDF5 (NSN_WITH_HDF5=OFF) every function here throws InputError saying so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nsn/core/io/friction_file.h"

namespace nsn {

/// A matrix group as stored.
struct FclibMatrix {
  std::int64_t m = 0;   ///< rows
  std::int64_t n = 0;   ///< columns
  std::int64_t nz = 0;  ///< >= 0 number of triplets, -1 compressed columns, -2 compressed rows
  std::vector<std::int64_t> p;
  std::vector<std::int64_t> i;
  std::vector<double> x;
};

/// The datasets of a file, read but not yet believed: extents fit the file, nothing else is
/// checked.
struct FclibContent {
  bool global = false;
  std::int64_t spacedim = 0;
  FclibMatrix A;          ///< W, or M of a global problem
  FclibMatrix H;          ///< global only
  std::vector<double> q;  ///< q, or f of a global problem
  std::vector<double> w;  ///< global only
  std::vector<double> mu;
};

/// Only the datasets: talks to the HDF5 library, allocates no view and starts no thread.
FclibContent read_fclib_content(const std::string& path, Isolation isolation = Isolation::kNone);

/// Checks sizes, indices and values. Errors read "name: /fclib_local/W/i: reason".
FrictionFile problem_from_fclib(const FclibContent& content, const std::string& name);

/// read_fclib_content, then problem_from_fclib.
FrictionFile read_fclib(const std::string& path, Isolation isolation = Isolation::kNone);

/// What goes into info/ and /solution besides the problem. Empty vectors: no such dataset.
struct FclibNotes {
  std::string title;
  std::string description;
  std::string math_info;
  ConstVector r{};  ///< impulses, dimension * contacts
  ConstVector u{};  ///< relative velocities, dimension * contacts
  ConstVector v{};  ///< dof velocities of a global problem
};

/// Writes a problem that read_fclib reads back to the last bit: W as compressed rows, M and H as
/// triplets. Goes to a temporary name first: `path` is either the old file or the whole new one.
/// For any program that hands a time step to others, such as `nsn export --format fclib`. Throws
/// InputError naming the path if it cannot be written, std::invalid_argument for wrong lengths.
void write_fclib(const std::string& path, const FrictionProblem& problem,
                 const FclibNotes& notes = {});
void write_fclib(const std::string& path, const GlobalFrictionProblem& problem,
                 const FclibNotes& notes = {});

/// Reads /solution of a file written by write_fclib (or by others: judge it by its residual).
struct FclibSolution {
  std::vector<double> r, u, v;  ///< empty where the dataset is absent
};
FclibSolution read_fclib_solution(const std::string& path);

}  // namespace nsn
