// COLLADA, glTF, PLY and whatever else assimp reads. Only where nsn is built with assimp.
#include <array>
#include <assimp/DefaultLogger.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <cmath>
#include <exception>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/surface_builder.h"

namespace nsn {
namespace {

/// Files that a file names (materials, buffers beside it) are not opened: they might lie anywhere.
class NoOtherFiles final : public Assimp::IOSystem {
 public:
  bool Exists(const char*) const override { return false; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
  void Close(Assimp::IOStream*) override {}
};

Vec3 position(const aiVector3D& x, std::string_view name) {
  const Vec3 v{static_cast<double>(x.x), static_cast<double>(x.y), static_cast<double>(x.z)};
  if (!all_finite(v)) throw InputError(fmt::format("{}: a vertex has no finite position", name));
  return v;
}

void add_mesh(const aiMesh& mesh, std::string_view name, SoupBuilder& soup) {
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines
    std::array<Vec3, 3> corners;
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned v = face.mIndices[k];
      if (v >= mesh.mNumVertices)
        throw InputError(fmt::format("{}: there is no vertex {}", name, v));
      corners[k] = position(mesh.mVertices[v], name);
    }
    soup.add(corners);
  }
}

}  // namespace

bool reads_by_assimp(std::string_view ending) {
  return Assimp::Importer().IsExtensionSupported(std::string(ending));
}

/// All meshes of the scene where its nodes put them, in metres, with the axes as the file has them: robots
/// mean it so.
SurfaceMeshFile parse_by_assimp(std::string_view text, std::string_view ending,
                                std::string_view name) {
  Assimp::Importer importer;
  importer.SetIOHandler(new NoOtherFiles);  // the importer's from now on
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const std::string hint(ending.substr(ending.empty() ? 0 : 1));
  const aiScene* const scene = importer.ReadFileFromMemory(
      text.data(), text.size(), aiProcess_Triangulate | aiProcess_PreTransformVertices,
      hint.c_str());
  if (scene == nullptr) {
    throw InputError(fmt::format("{}: {}", name, printable(importer.GetErrorString())));
  }
  SoupBuilder soup(name);
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) add_mesh(*scene->mMeshes[m], name, soup);
  return soup.finish(fmt::format("{} by assimp", hint));
}

}  // namespace nsn
