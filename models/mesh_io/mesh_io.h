/// Meshes from files.
///
/// | ending      | format                                                                      |
/// |-------------|-----------------------------------------------------------------------------|
/// | .msh        | Gmsh 2.2 and 4.1, text and binary (both byte orders)                        |
/// | .vtk        | VTK legacy unstructured grid, text and binary, versions 1 to 5.1            |
/// | .vtu        | VTK XML unstructured grid: text, base64, appended raw or base64, zlib       |
/// | .node, .ele | TetGen; either of the pair is named, the other stands beside it             |
/// | .tet        | lines `v x y z` and `t a b c d`, or `n vertices`, `m tets`, then both lists |
/// | .obj, .stl  | surfaces: Wavefront OBJ, STL text and binary                                |
/// | .dae, .ply, .glb, ... | surfaces: COLLADA and what else assimp reads, in a build with it |
///
/// Files are hostile: whatever they contain, the outcome is a mesh that can be simulated (finite
/// positions, positive tetrahedra, no index out of range) or an InputError that names file and
/// line. No memory is taken that the file's own size does not justify, and nothing is half loaded.
/// Elements that are no linear tetrahedra are skipped and counted.
///
/// The readers are our own. The libraries that read these formats (Gmsh's, VTK) come with some
/// hundred megabytes of dependencies (OpenCASCADE, OpenGL, MPI) for the thousand lines needed here,
/// stop the program or print on broken input, and know no line numbers. A general XML parser does
/// not help with .vtu: appended raw data is not XML. zlib is a library's work and is left to zlib.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

/// What to do about defects that a program can repair. Without these they are errors.
struct MeshReadOptions {
  bool remove_unused_nodes = false;  ///< nodes of no tetrahedron are left out
  bool orient_tets = false;          ///< inverted tetrahedra get two nodes swapped
};

struct TetMeshFile {
  TetMesh mesh;                ///< region: Gmsh physical group (2.2) or entity (4.1), TetGen's
                               ///< region attribute, 0 in other formats
  std::string format;          ///< as found, e.g. "gmsh 4.1 binary"
  Index skipped_elements = 0;  ///< elements that are no linear tetrahedra
  Index removed_nodes = 0;     ///< see MeshReadOptions
  Index oriented_tets = 0;
  std::vector<std::string> notes;  ///< a sentence each: what was skipped or repaired
};

struct SurfaceMeshFile {
  TriangleSurface surface;
  std::string format;
  std::vector<std::string> notes;  ///< what was skipped; whether the surface is closed
};

/// By the ending of the file's name. Throws InputError.
TetMeshFile read_tet_mesh(const std::filesystem::path& path, const MeshReadOptions& options = {});
SurfaceMeshFile read_surface_mesh(const std::filesystem::path& path);

/// From memory; `name` stands in front of the line in errors.
TetMeshFile parse_gmsh(std::string_view text, std::string_view name,
                       const MeshReadOptions& options = {});
TetMeshFile parse_vtk_legacy(std::string_view text, std::string_view name,
                             const MeshReadOptions& options = {});
TetMeshFile parse_vtu(std::string_view text, std::string_view name,
                      const MeshReadOptions& options = {});
TetMeshFile parse_tetgen(std::string_view node_text, std::string_view node_name,
                         std::string_view ele_text, std::string_view ele_name,
                         const MeshReadOptions& options = {});
TetMeshFile parse_tet_text(std::string_view text, std::string_view name,
                           const MeshReadOptions& options = {});
SurfaceMeshFile parse_obj(std::string_view text, std::string_view name);
SurfaceMeshFile parse_surface_msh(std::string_view text, std::string_view name);  ///< MuJoCo's
SurfaceMeshFile parse_stl(std::string_view text, std::string_view name);

/// By assimp: an ending as in ".dae".
SurfaceMeshFile parse_by_assimp(std::string_view text, std::string_view ending,
                                std::string_view name);
/// Whether this build has assimp, and it reads files of this ending.
bool reads_by_assimp(std::string_view ending);

/// Whether compressed .vtu files can be read: nsn was built with zlib.
bool reads_compressed_vtu();

}  // namespace nsn
