#include "bench/cli/scene_picture.h"

#include <array>
#include <vector>

#include "bench/render/image.h"
#include "bench/render/rasteriser.h"
#include "models/collision/plane.h"
#include "models/collision/sphere.h"

namespace nsn::cli {
namespace {

render::Mesh shape_mesh(const World& world, const PlacedShape& placed) {
  const Body& body = world.body(placed.body);
  const SurfaceMesh surface = placed.shape->surface();
  render::Mesh mesh;
  for (const Vec3& point : surface.points) {
    const Vec3 p = body.to_world(placed.offset + rotation_matrix(placed.rotation) * point);
    mesh.vertex.push_back({p[0], p[1], p[2]});
  }
  for (const auto& polygon : surface.polygons) {
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      mesh.triangle.push_back({polygon[0], polygon[k - 1], polygon[k]});
    }
  }
  mesh.smooth = placed.shape->type() == Sphere::kType;
  mesh.colour = render::body_colour(placed.body);
  if (placed.shape->type() == Plane::kType) {
    mesh.colour = {0.55, 0.57, 0.6};
    mesh.casts_shadow = false;
  }
  return mesh;
}

}  // namespace

void write_picture(const World& world, const std::filesystem::path& path, int width, int height) {
  render::Picture picture;
  for (const PlacedShape& placed : world.shapes()) {
    picture.meshes.push_back(shape_mesh(world, placed));
  }
  picture.camera = render::frame_all(picture.meshes, {0.6, -1.0, 0.45});
  render::write_png(render::render(picture, width, height), path);
}

}  // namespace nsn::cli
