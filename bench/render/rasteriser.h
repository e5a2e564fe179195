/// Shaded pictures of triangle meshes without a display.
///
/// A z-buffer with four samples a pixel, one sun with soft shadows (a depth map seen from the sun),
/// a sky that lights from above, and lines for forces. Right-handed world coordinates in metres, z
/// up.
#pragma once

#include <array>
#include <vector>

#include "bench/render/image.h"

namespace nsn::render {

using Vec3 = std::array<double, 3>;
using Colour = std::array<double, 3>;  ///< linear RGB, 0..1

struct Mesh {
  std::vector<Vec3> vertex;                  ///< m, world frame
  std::vector<std::array<int, 3>> triangle;  ///< counter-clockwise seen from outside
  Colour colour{0.7, 0.7, 0.7};
  std::vector<Colour> vertex_colour;  ///< empty, or one per vertex (strain colouring)
  bool smooth = false;                ///< normals averaged over the triangles of a vertex
  bool casts_shadow = true;
};

struct Line {
  Vec3 from{};
  Vec3 to{};
  Colour colour{0.8, 0.1, 0.1};
  double width = 2.0;  ///< pixels
};

struct Camera {
  Vec3 eye{3.0, -4.0, 2.0};
  Vec3 target{0.0, 0.0, 0.0};
  double field_of_view = 35.0;  ///< degrees, vertical
};

struct Picture {
  std::vector<Mesh> meshes;
  std::vector<Line> lines;  ///< drawn where nothing hides them
  Camera camera;
  Vec3 sun{-0.7, -0.35, 1.0};  ///< direction towards the sun
  Colour background{0.93, 0.95, 0.97};
};

Image render(const Picture& picture, int width, int height);

/// The nearest camera, looking against `from` (the direction towards the eye), that sees every vertex of
/// the meshes that cast shadows, with `margin` of the picture free at its edges. aspect: width over height.
Camera frame_all(const std::vector<Mesh>& meshes, const Vec3& from, double aspect = 1.5,
                 double margin = 0.06, double field_of_view = 35.0);

/// Bodies around the origin; the caller moves the vertices.
Mesh box_mesh(const Vec3& half_extents);
Mesh sphere_mesh(double radius, int segments = 24);
Mesh cylinder_mesh(double radius, double half_length, int segments = 32);  ///< axis z
Mesh capsule_mesh(double radius, double half_length, int segments = 24);   ///< axis z
/// A square patch of the plane z = 0 with a chequered pattern, side and tile in m.
Mesh ground_mesh(double side, double tile);

/// Colours for body i: distinct, friendly to colour-blind readers.
Colour body_colour(int i);
/// A value in [0, 1] on a perceptually even map from blue over white to red.
Colour diverging_colour(double value);

}  // namespace nsn::render
