#include "nsn/models/mesh_io/mesh_builder.h"

#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {

Vec3 read_position(TextScanner& scanner) {
  const double x = scanner.number("x");
  const double y = scanner.number("y");
  return vec3(x, y, scanner.number("z"));
}

void MeshBuilder::add_node(std::int64_t label, const Vec3& position, const TextScanner& scanner) {
  labelled_ = true;
  const bool fresh = node_of_label_.emplace(label, file_.mesh.num_nodes()).second;
  if (!fresh) scanner.fail("node {} occurs twice", label);
  if (!all_finite(position)) scanner.fail("node {} has no finite position", label);
  file_.mesh.node.push_back(position);
}

void MeshBuilder::add_tet(const std::array<std::int64_t, 4>& labels, int region,
                          std::int64_t line) {
  labels_.push_back(labels);
  lines_.push_back(line);
  file_.mesh.region.push_back(region);
}

Index MeshBuilder::resolve(std::int64_t label, std::int64_t line, std::int64_t first_label) const {
  const auto refuse = [&] {
    throw InputError(fmt::format("{}:{}: a tetrahedron has node {}, which is not in the file",
                                 name_, line, label));
  };
  if (labelled_) {
    const auto found = node_of_label_.find(label);
    if (found == node_of_label_.end()) refuse();
    return found->second;
  }
  if (label < first_label || label - first_label >= file_.mesh.num_nodes()) refuse();
  return static_cast<Index>(label - first_label);
}

TetMeshFile MeshBuilder::finish(std::string format, const MeshReadOptions& options,
                                std::int64_t first_label) {
  TetMesh& mesh = file_.mesh;
  for (std::size_t t = 0; t < labels_.size(); ++t) {
    std::array<Index, 4> tet{};
    for (std::size_t a = 0; a < 4; ++a) tet[a] = resolve(labels_[t][a], lines_[t], first_label);
    mesh.tet.push_back(tet);
  }
  file_.format = std::move(format);
  for (const auto& [kind, number] : skipped_) {
    file_.skipped_elements += number;
    file_.notes.push_back(fmt::format("skipped {} elements of type {}", number, kind));
  }
  if (options.remove_unused_nodes) file_.removed_nodes = remove_unused_nodes(mesh);
  if (file_.removed_nodes > 0) {
    file_.notes.push_back(fmt::format("left out {} unused nodes", file_.removed_nodes));
  }
  if (options.orient_tets) file_.oriented_tets = orient_tets(mesh);
  if (file_.oriented_tets > 0) {
    file_.notes.push_back(fmt::format("turned {} inverted tetrahedra", file_.oriented_tets));
  }
  const std::string defect = find_defect(mesh);
  if (!defect.empty()) throw InputError(fmt::format("{}: {}", name_, defect));
  return std::move(file_);
}

}  // namespace nsn
