#include "nsn/models/deformable/deformable.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/deformable/strain_rate_damping.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/rows/compliance_rows.h"
#include "nsn/models/world/world.h"

namespace nsn {
namespace {

std::vector<std::array<Index, 2>> edges_of(const TriangleSurface& surface) {
  std::vector<std::array<Index, 2>> edges;
  edges.reserve(3 * surface.triangle.size());
  for (const auto& t : surface.triangle) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = t[k];
      const Index b = t[(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Null where there is none.
std::unique_ptr<StrainRateDamping> damping_of(const TetMesh& mesh,
                                              const DeformableOptions& options) {
  if (options.damping == 0.0) return nullptr;
  return std::make_unique<StrainRateDamping>(mesh, options.material, options.damping,
                                             options.elements.stiffness_scale);
}

}  // namespace

int World::add_deformable(const TetMesh& mesh, const DeformableOptions& options) {
  const Surface& surface = options.surface;
  NSN_THROW_UNLESS(surface.mu >= 0.0 && surface.compliance >= 0.0 && surface.thickness >= 0.0,
                   "deformable {}: friction {}, compliance {}, thickness {}: one is negative",
                   deformables_.size(), surface.mu, surface.compliance, surface.thickness);
  auto law = std::make_unique<Tetrahedra>(mesh, options.model, options.material, options.elements);
  auto damping = damping_of(mesh, options);
  Deformable body;
  body.name = options.name;
  body.mesh = mesh;
  body.boundary = extract_surface(mesh).surface;
  body.edges = edges_of(body.boundary);
  body.surface = surface;
  body.self_contact = options.self_contact;
  body.ignored_bodies = options.ignored_bodies;
  body.first_particle = num_particles();
  body.elements = law.get();
  const Mat3 R = rotation_matrix(normalized(options.orientation));
  std::vector<int> nodes;
  for (Index n = 0; n < mesh.num_nodes(); ++n) {
    Particle particle;
    particle.mass = law->node_mass()(n);
    particle.position = options.position + R * mesh.node[static_cast<std::size_t>(n)];
    nodes.push_back(add_particle(particle));
  }
  auto rows =
      std::make_unique<ComplianceRowSet>(std::move(law), nodes, static_cast<int>(rows_.size()));
  body.rows = rows.get();
  add_rows(std::move(rows));
  if (damping != nullptr) {
    add_rows(std::make_unique<ComplianceRowSet>(std::move(damping), std::move(nodes),
                                                static_cast<int>(rows_.size())));
  }
  deformables_.push_back(std::move(body));
  return static_cast<int>(deformables_.size()) - 1;
}

std::vector<Vec3> positions(const World& world, const Deformable& deformable) {
  std::vector<Vec3> x;
  x.reserve(to_size(deformable.num_nodes()));
  for (int n = 0; n < deformable.num_nodes(); ++n) {
    x.push_back(world.particle(deformable.particle(n)).position);
  }
  return x;
}

double mass(const World& world, const Deformable& deformable) {
  double sum = 0.0;
  for (int n = 0; n < deformable.num_nodes(); ++n) {
    sum += world.particle(deformable.particle(n)).mass;
  }
  return sum;
}

Vec3 centre_of_mass(const World& world, const Deformable& deformable) {
  Vec3 sum{};
  for (int n = 0; n < deformable.num_nodes(); ++n) {
    const ConstParticleRef particle = world.particle(deformable.particle(n));
    sum += particle.mass * particle.position;
  }
  return (1.0 / mass(world, deformable)) * sum;
}

double volume_ratio(const World& world, const Deformable& deformable) {
  return deformable.elements->deformed_volume(flat(positions(world, deformable))) /
         volume(deformable.mesh);
}

}  // namespace nsn
