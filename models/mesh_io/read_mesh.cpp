#include <algorithm>
#include <cctype>
#include <string>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/mesh_io.h"

namespace nsn {
namespace {

#ifdef NSN_WITH_ASSIMP
constexpr bool kWithAssimp = true;
#else
constexpr bool kWithAssimp = false;
#endif

std::string ending(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TetMeshFile read_tetgen(const std::filesystem::path& path, const MeshReadOptions& options) {
  std::filesystem::path node = path;
  std::filesystem::path ele = path;
  node.replace_extension(".node");
  ele.replace_extension(".ele");
  return parse_tetgen(read_text_file(node), node.string(), read_text_file(ele), ele.string(),
                      options);
}

}  // namespace

TetMeshFile read_tet_mesh(const std::filesystem::path& path, const MeshReadOptions& options) {
  const std::string kind = ending(path);
  if (kind == ".node" || kind == ".ele") return read_tetgen(path, options);
  const std::string name = path.string();
  const auto parse = kind == ".msh"   ? parse_gmsh
                     : kind == ".vtk" ? parse_vtk_legacy
                     : kind == ".vtu" ? parse_vtu
                     : kind == ".tet" ? parse_tet_text
                                      : nullptr;
  if (parse == nullptr) {
    throw InputError(fmt::format(
        "{}: tetrahedra are read from .msh, .vtk, .vtu, .node/.ele and .tet, not from '{}'", name,
        kind));
  }
  return parse(read_text_file(path), name, options);
}

SurfaceMeshFile read_surface_mesh(const std::filesystem::path& path) {
  const std::string kind = ending(path);
  const std::string name = path.string();
  if (kind == ".obj") return parse_obj(read_text_file(path), name);
  if (kind == ".stl") return parse_stl(read_text_file(path), name);
  if (kind == ".msh") return parse_surface_msh(read_text_file(path), name);
  if (reads_by_assimp(kind)) return parse_by_assimp(read_text_file(path), kind, name);
  throw InputError(fmt::format(
      "{}: surfaces are read from .obj, .stl and .msh{}, not from '{}'", name,
      kWithAssimp ? ", and what assimp reads" : " (a build with assimp reads COLLADA and others)",
      kind));
}

#ifndef NSN_WITH_ASSIMP

bool reads_by_assimp(std::string_view) {
  return false;
}

SurfaceMeshFile parse_by_assimp(std::string_view, std::string_view, std::string_view name) {
  throw InputError(fmt::format("{}: nsn was built without assimp", name));
}

#endif

}  // namespace nsn
