/// Linear systems of the shapes that contact steps bring, made from a seed: the same on every
/// machine.
///
///   S x = b,   S = J H^-1 J^T + C,   b = J w + C y   (in the range of S, whatever its rank)
///
/// Units are SI: masses in kg, lengths in m; b are velocities, x impulses. Rigid bodies are two
/// nodes (linear, angular), particles one; static bodies are none.
#pragma once

#include <cstdint>
#include <string>

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

struct GeneratedSystem {
  std::string name;
  BlockCsr J;        ///< constraints x nodes
  Vector H_inverse;  ///< 9 doubles a node
  BlockCsr C;        ///< block diagonal
  Vector b;          ///< 3 * constraints, m/s
  Index bodies = 0;  ///< moving ones; particles for the bar
  Vector positions;  ///< of the bar: of its nodes, 3 each, m
};

struct PileOptions {
  Index contacts = 10000;       ///< wanted; the pile is cut off at this number
  Index contacts_per_body = 6;  ///< 1 ... 9: spheres of a lattice with 2 ... 18 neighbours
  double redundant = 0.25;      ///< share of touching pairs that bring two points instead of one
  double sliding = 0.3;         ///< share of contacts whose tangential rows are compliant (W > 0)
  double mass_ratio = 10.0;     ///< heaviest over lightest sphere, log-uniform
  std::uint64_t seed = 1;
};

/// Spheres in a jittered face-centred lattice on the ground. With three rows per contact and six
/// degrees of freedom a body S is singular from 2 contacts per body on.
GeneratedSystem sphere_pile(const PileOptions& options);

/// Rigid links in a row, each held to the one before by a spherical joint, the first to the world.
/// S is block tridiagonal and definite; its condition grows with the square of the length.
GeneratedSystem chain(Index links, std::uint64_t seed = 1);

/// Boxes upon each other, four contacts between two (redundant: 12 rows, 6 degrees of freedom),
/// masses growing evenly in the logarithm from 1 kg at the ground to mass_ratio on top.
GeneratedSystem heavy_stack(Index boxes, double mass_ratio = 1e4, std::uint64_t seed = 1);

/// A bar of cells x cells x (8 cells) cubes of 2 cm, six tetrahedra each, of three principal
/// stretches (one block row of four blocks) a tetrahedron; held at one end. Young's modulus 1e5 Pa,
/// Poisson's ratio 0.45, time step 1/120 s.
GeneratedSystem tetrahedral_bar(Index cells, std::uint64_t seed = 1);

}  // namespace nsn
