/// What the readers of tetrahedral meshes share: nodes by label, tetrahedra, counts of the rest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nsn/core/io/text_scanner.h"
#include "nsn/models/mesh_io/mesh_io.h"

namespace nsn {

class MeshBuilder {
 public:
  explicit MeshBuilder(std::string_view name) : name_(name) {}

  /// A node with the label its file gives it; scanner for the line of an error.
  void add_node(std::int64_t label, const Vec3& position, const TextScanner& scanner);
  /// The next node of a format that counts them.
  void add_node(const Vec3& position) { file_.mesh.node.push_back(position); }
  /// Labels may belong to nodes that are still to come: they are resolved by finish(). The line of
  /// the tetrahedron is remembered for that.
  void add_tet(const std::array<std::int64_t, 4>& labels, int region, std::int64_t line);
  void skip_element(const std::string& kind, Index number = 1) { skipped_[kind] += number; }

  /// Resolves labels (first_label: that of node 0 where nodes are counted), repairs what the
  /// options say, checks. Throws InputError.
  TetMeshFile finish(std::string format, const MeshReadOptions& options,
                     std::int64_t first_label = 0);

 private:
  Index resolve(std::int64_t label, std::int64_t line, std::int64_t first_label) const;

  std::string_view name_;
  TetMeshFile file_;
  std::unordered_map<std::int64_t, Index> node_of_label_;
  bool labelled_ = false;
  std::vector<std::array<std::int64_t, 4>> labels_;
  std::vector<std::int64_t> lines_;
  std::map<std::string, Index> skipped_;
};

/// The next three tokens as a position.
Vec3 read_position(TextScanner& scanner);

}  // namespace nsn
