/// Deformable bodies: tetrahedra (models/deformable/tetrahedra.h) between particles of a world,
/// with a surface that touches other things.
///
///   const int ball = world.add_deformable(nsn::ball_mesh(0.04, 320),
///                                         {.model = nsn::MaterialModel::kNeoHookean,
///                                          .material = {1e5, 0.45, 1000.0},
///                                          .surface = {.mu = 0.75}});
///
/// Node k of the mesh is particle first_particle + k. Particles are pinned by making them static or
/// kinematic, and attached to a rigid body by models/rows/attachment_rows.h.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/deformable/element_options.h"
#include "nsn/models/deformable/materials.h"
#include "nsn/models/deformable/tet_mesh.h"
#include "nsn/models/world/surface.h"

namespace nsn {

class ComplianceRowSet;
class Tetrahedra;
class World;

struct DeformableOptions {
  std::string name{};  ///< for messages and files; may be empty
  MaterialModel model = MaterialModel::kNeoHookean;
  MaterialParameters material{};
  TetrahedraOptions elements{};
  double damping = 0.0;  ///< relaxation time of strain rates (strain_rate_damping.h), s, >= 0
  Surface surface{};
  bool self_contact = false;          ///< its surface also meets itself
  std::vector<int> ignored_bodies{};  ///< rigid bodies it never touches (those it is attached to)
  Vec3 position{};                    ///< of the mesh's origin, m
  Quaternion orientation{};           ///< from mesh to world axes
};

struct Deformable {
  std::string name;
  TetMesh mesh;  ///< rest shape, as given
  TriangleSurface boundary;
  std::vector<std::array<Index, 2>> edges;  ///< of the boundary, each once, vertices ascending
  Surface surface;
  bool self_contact = false;
  std::vector<int> ignored_bodies;
  int first_particle = 0;
  ComplianceRowSet* rows = nullptr;  ///< owned by the world
  Tetrahedra* elements = nullptr;    ///< owned by rows

  int num_nodes() const { return static_cast<int>(mesh.node.size()); }
  int particle(Index node) const { return first_particle + node; }
  /// Particle of a vertex of the boundary.
  int boundary_particle(Index vertex) const {
    return first_particle + boundary.node[static_cast<std::size_t>(vertex)];
  }
};

/// Node positions in world, m.
std::vector<Vec3> positions(const World& world, const Deformable& deformable);
/// Mass (kg), centre of mass (m), and volume over rest volume where the body is now.
double mass(const World& world, const Deformable& deformable);
Vec3 centre_of_mass(const World& world, const Deformable& deformable);
double volume_ratio(const World& world, const Deformable& deformable);

}  // namespace nsn
