#include "bench/render/rasteriser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace nsn::render {
namespace {

constexpr int kSamples = 2;        // per pixel and direction
constexpr int kShadowSize = 1536;  // texels of the sun's depth map per side
constexpr double kNear = 1e-3;     // m, in front of the eye

Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vec3 operator*(double s, const Vec3& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 normalised(const Vec3& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0.0 ? (1.0 / length) * a : Vec3{0.0, 0.0, 1.0};
}

/// Right, up, forward of a view direction, z up.
struct Frame {
  Vec3 right, up, forward;
};

Frame look_along(const Vec3& forward_direction) {
  const Vec3 forward = normalised(forward_direction);
  const Vec3 helper = std::abs(forward[2]) > 0.999 ? Vec3{0.0, 1.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  const Vec3 right = normalised(cross(forward, helper));
  return {right, cross(right, forward), forward};
}

/// A corner of a triangle on the screen: position in samples, 1/depth, and depth-divided
/// attributes.
struct Corner {
  double x = 0.0, y = 0.0, w = 0.0;  // w = 1 / distance along the view
  Vec3 world{}, normal{};
  Colour colour{};
};

Corner mix(const Corner& a, const Corner& b, double t) {
  return {0.0,
          0.0,
          0.0,
          a.world + t * (b.world - a.world),
          a.normal + t * (b.normal - a.normal),
          a.colour + t * (b.colour - a.colour)};
}

/// Calls pixel(x, y, b0, b1, b2) for the samples inside a triangle; b: barycentric on the screen.
template <class Pixel>
void scan(const std::array<Corner, 3>& c, int width, int height, const Pixel& pixel) {
  const double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
  if (!(std::abs(area) > 0.0)) return;
  const auto clamp_to = [](double v, int limit) {
    return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(limit)));
  };
  const int x0 = clamp_to(std::floor(std::min({c[0].x, c[1].x, c[2].x})), width);
  const int x1 = clamp_to(std::ceil(std::max({c[0].x, c[1].x, c[2].x})) + 1.0, width);
  const int y0 = clamp_to(std::floor(std::min({c[0].y, c[1].y, c[2].y})), height);
  const int y1 = clamp_to(std::ceil(std::max({c[0].y, c[1].y, c[2].y})) + 1.0, height);
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const double px = x + 0.5;
      const double py = y + 0.5;
      const double b0 = ((c[1].x - px) * (c[2].y - py) - (c[2].x - px) * (c[1].y - py)) / area;
      const double b1 = ((c[2].x - px) * (c[0].y - py) - (c[0].x - px) * (c[2].y - py)) / area;
      const double b2 = 1.0 - b0 - b1;
      if (b0 >= 0.0 && b1 >= 0.0 && b2 >= 0.0) pixel(x, y, b0, b1, b2);
    }
  }
}

std::vector<Vec3> vertex_normals(const Mesh& mesh) {
  std::vector<Vec3> normal(mesh.vertex.size(), Vec3{});
  for (const auto& t : mesh.triangle) {
    const auto& v = mesh.vertex;
    const auto [a, b, c] =
        std::array{static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                   static_cast<std::size_t>(t[2])};
    const Vec3 n = cross(v[b] - v[a], v[c] - v[a]);
    for (const std::size_t k : {a, b, c}) normal[k] = normal[k] + n;
  }
  return normal;
}

/// All triangles of a mesh as corners with world position, normal and colour.
template <class Use>
void for_each_triangle(const Mesh& mesh, const Use& use) {
  const std::vector<Vec3> smooth = mesh.smooth ? vertex_normals(mesh) : std::vector<Vec3>{};
  for (const auto& t : mesh.triangle) {
    std::array<Corner, 3> corner;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(t[k]);
      corner[k].world = mesh.vertex[i];
      corner[k].colour = mesh.vertex_colour.empty() ? mesh.colour : mesh.vertex_colour[i];
      if (mesh.smooth) corner[k].normal = normalised(smooth[i]);
    }
    if (!mesh.smooth) {
      const Vec3 n =
          normalised(cross(corner[1].world - corner[0].world, corner[2].world - corner[0].world));
      for (Corner& c : corner) c.normal = n;
    }
    use(corner);
  }
}

struct Bounds {
  Vec3 low{1e300, 1e300, 1e300};
  Vec3 high{-1e300, -1e300, -1e300};
  void add(const Vec3& p) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  bool empty() const { return low[0] > high[0]; }
  Vec3 centre() const { return 0.5 * (low + high); }
  double radius() const { return 0.5 * std::sqrt(dot(high - low, high - low)); }
};

Bounds bounds_of(const std::vector<Mesh>& meshes) {
  Bounds bounds;
  for (const Mesh& mesh : meshes) {
    if (!mesh.casts_shadow) continue;
    for (const Vec3& p : mesh.vertex) bounds.add(p);
  }
  if (bounds.empty()) bounds.add({0.0, 0.0, 0.0});
  return bounds;
}

/// Depth of the nearest surface along the sun's rays, orthographic around the scene.
class ShadowMap {
 public:
  ShadowMap(const std::vector<Mesh>& meshes, const Vec3& sun)
      : frame_(look_along(-1.0 * sun)), depth_(kShadowSize * kShadowSize, 1e300) {
    const Bounds bounds = bounds_of(meshes);
    centre_ = bounds.centre();
    const double radius = std::max(bounds.radius(), 1e-6);
    scale_ = 0.49 * kShadowSize / radius;
    bias_ = 3.0 / scale_;
    for (const Mesh& mesh : meshes) {
      if (!mesh.casts_shadow) continue;
      for_each_triangle(mesh, [&](std::array<Corner, 3>& c) { add(c); });
    }
  }

  /// Share of the sun that reaches the point p of a surface with normal n, 0..1.
  double light(const Vec3& p, const Vec3& n) const {
    const Vec3 s = project(p + bias_ * n);  // a little off the surface: no shadow on itself
    double sum = 0.0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const double x =
            std::floor(s[0]) + dx;  // far away, or infinite, where nothing casts a shadow
        const double y = std::floor(s[1]) + dy;
        const bool inside = x >= 0.0 && y >= 0.0 && x < kShadowSize && y < kShadowSize;
        const auto texel = inside ? static_cast<std::size_t>(y * kShadowSize + x) : 0;
        sum += !inside || s[2] <= depth_[texel] + bias_ ? 1.0 : 0.0;
      }
    }
    return sum / 9.0;
  }

 private:
  Vec3 project(const Vec3& p) const {
    const Vec3 d = p - centre_;
    return {0.5 * kShadowSize + scale_ * dot(d, frame_.right),
            0.5 * kShadowSize + scale_ * dot(d, frame_.up), dot(d, frame_.forward)};
  }

  void add(std::array<Corner, 3>& corner) {
    Vec3 depth{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 s = project(corner[k].world);
      corner[k].x = s[0];
      corner[k].y = s[1];
      depth[k] = s[2];
    }
    scan(corner, kShadowSize, kShadowSize, [&](int x, int y, double b0, double b1, double b2) {
      double& nearest = depth_[static_cast<std::size_t>(y * kShadowSize + x)];
      nearest = std::min(nearest, b0 * depth[0] + b1 * depth[1] + b2 * depth[2]);
    });
  }

  Frame frame_;
  Vec3 centre_{};
  double scale_ = 1.0;
  double bias_ = 0.0;
  std::vector<double> depth_;
};

class Canvas {
 public:
  Canvas(const Picture& picture, int width, int height)
      : picture_(picture),
        width_(kSamples * width),
        height_(kSamples * height),
        frame_(look_along(picture.camera.target - picture.camera.eye)),
        focal_(0.5 * height_ /
               std::tan(0.5 * picture.camera.field_of_view * std::numbers::pi / 180.0)),
        sun_(normalised(picture.sun)),
        shadow_(picture.meshes, picture.sun),
        inverse_depth_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0.0),
        colour_(inverse_depth_.size(), picture.background) {}

  void draw(const Mesh& mesh) {
    for_each_triangle(mesh, [&](std::array<Corner, 3>& c) { clip_and_fill(c); });
  }

  /// A line as a thin ribbon that faces the eye.
  void draw(const Line& line) {
    const Vec3 direction = line.to - line.from;
    const Vec3 middle = 0.5 * (line.from + line.to);
    const double distance = std::max(kNear, dot(middle - picture_.camera.eye, frame_.forward));
    const double half = 0.5 * line.width * kSamples * distance / focal_;
    const Vec3 side = half * normalised(cross(direction, middle - picture_.camera.eye));
    Mesh ribbon;
    ribbon.vertex = {line.from - side, line.from + side, line.to + side, line.to - side};
    ribbon.triangle = {{0, 1, 2}, {0, 2, 3}};
    ribbon.colour = line.colour;
    unlit_ = true;
    draw(ribbon);
    unlit_ = false;
  }

  Image resolve() const {
    Image image(width_ / kSamples, height_ / kSamples);
    std::size_t at = 0;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        Colour sum{};
        for (int s = 0; s < kSamples * kSamples; ++s) {
          sum = sum + colour_[index(kSamples * x + s % kSamples, kSamples * y + s / kSamples)];
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double linear = std::clamp(sum[k] / (kSamples * kSamples), 0.0, 1.0);
          image.rgb[at++] =
              static_cast<std::uint8_t>(std::lround(255.0 * std::pow(linear, 1.0 / 2.2)));
        }
      }
    }
    return image;
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  double distance(const Corner& c) const {
    return dot(c.world - picture_.camera.eye, frame_.forward);
  }

  /// Cuts off what lies behind the eye, then fills the rest as a fan.
  void clip_and_fill(const std::array<Corner, 3>& corner) {
    std::array<Corner, 4> kept;
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Corner& a = corner[k];
      const Corner& b = corner[(k + 1) % 3];
      const double da = distance(a) - kNear;
      const double db = distance(b) - kNear;
      if (da >= 0.0) kept[count++] = a;
      if ((da >= 0.0) != (db >= 0.0)) kept[count++] = mix(a, b, da / (da - db));
    }
    for (std::size_t k = 0; k < count; ++k) project(kept[k]);
    for (std::size_t k = 2; k < count; ++k) fill({kept[0], kept[k - 1], kept[k]});
  }

  void project(Corner& c) const {
    const Vec3 d = c.world - picture_.camera.eye;
    c.w = 1.0 / std::max(dot(d, frame_.forward), kNear);
    c.x = 0.5 * width_ + focal_ * dot(d, frame_.right) * c.w;
    c.y = 0.5 * height_ - focal_ * dot(d, frame_.up) * c.w;
  }

  void fill(const std::array<Corner, 3>& c) {
    scan(c, width_, height_, [&](int x, int y, double b0, double b1, double b2) {
      const double w = b0 * c[0].w + b1 * c[1].w + b2 * c[2].w;
      double& nearest = inverse_depth_[index(x, y)];
      if (w <= nearest) return;
      nearest = w;
      const double p0 = b0 * c[0].w / w;  // perspective-correct weights
      const double p1 = b1 * c[1].w / w;
      const double p2 = b2 * c[2].w / w;
      const auto blend = [&](const Vec3& a, const Vec3& b, const Vec3& d) {
        return p0 * a + p1 * b + p2 * d;
      };
      const Colour albedo = blend(c[0].colour, c[1].colour, c[2].colour);
      colour_[index(x, y)] = unlit_
                                 ? albedo
                                 : shade(albedo, blend(c[0].world, c[1].world, c[2].world),
                                         normalised(blend(c[0].normal, c[1].normal, c[2].normal)));
    });
  }

  Colour shade(const Colour& albedo, const Vec3& p, Vec3 n) const {
    const Vec3 to_eye = normalised(picture_.camera.eye - p);
    if (dot(n, to_eye) < 0.0) n = -1.0 * n;
    const double sunlight = std::max(0.0, dot(n, sun_)) * shadow_.light(p, n);
    const double sky = 0.5 + 0.5 * n[2];
    const double gloss = std::pow(std::max(0.0, dot(n, normalised(sun_ + to_eye))), 40.0);
    const double diffuse = 0.72 * sunlight + 0.16 + 0.22 * sky;
    const double highlight = 0.10 * gloss * sunlight;
    return diffuse * albedo + Colour{highlight, highlight, highlight};
  }

  const Picture& picture_;
  int width_, height_;
  Frame frame_;
  double focal_;
  Vec3 sun_;
  ShadowMap shadow_;
  bool unlit_ = false;
  std::vector<double> inverse_depth_;
  std::vector<Colour> colour_;
};

/// Rings of a surface of revolution around z: (radius, height) from bottom to top.
Mesh revolved(const std::vector<std::array<double, 2>>& profile, int segments) {
  Mesh mesh;
  mesh.smooth = true;
  for (const auto& [radius, height] : profile) {
    for (int s = 0; s < segments; ++s) {
      const double angle = 2.0 * std::numbers::pi * s / segments;
      mesh.vertex.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
  }
  for (int r = 0; r + 1 < static_cast<int>(profile.size()); ++r) {
    for (int s = 0; s < segments; ++s) {
      const int a = r * segments + s;
      const int b = r * segments + (s + 1) % segments;
      mesh.triangle.push_back({a, b, b + segments});
      mesh.triangle.push_back({a, b + segments, a + segments});
    }
  }
  return mesh;
}

std::vector<std::array<double, 2>> half_circles(double radius, double half_length, int segments) {
  std::vector<std::array<double, 2>> profile;
  const int half = std::max(4, segments / 2);
  for (int k = 0; k <= half; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) / half - 0.5);
    const double shift = 2 * k < half ? -half_length : (2 * k > half ? half_length : 0.0);
    if (2 * k == half && half_length > 0.0) profile.push_back({radius, -half_length});
    profile.push_back({radius * std::cos(angle),
                       radius * std::sin(angle) + (2 * k == half ? half_length : shift)});
  }
  return profile;
}

}  // namespace

Image render(const Picture& picture, int width, int height) {
  Canvas canvas(picture, width, height);
  for (const Mesh& mesh : picture.meshes) canvas.draw(mesh);
  for (const Line& line : picture.lines) canvas.draw(line);
  return canvas.resolve();
}

Camera frame_all(const std::vector<Mesh>& meshes, const Vec3& from, double aspect, double margin,
                 double field_of_view) {
  // With x, y, z along right, up and towards the eye, D the eye's distance from the origin and (cx, cy) the
  // target: |x - cx| <= a (D - z) for every vertex, a the tangent of half the view. Both sides of each
  // axis are met by D >= max(z + x/a) - cx/a and D >= max(z - x/a) + cx/a: the best cx makes them equal.
  const Vec3 back = normalised(from);
  const Vec3 right = normalised(cross(Vec3{0.0, 0.0, 1.0}, back));
  const Vec3 up = cross(back, right);
  const double half = (1.0 - margin) * std::tan(0.5 * field_of_view * std::numbers::pi / 180.0);
  const double tangent[2] = {half * aspect, half};
  double above[2] = {-1e300, -1e300};
  double below[2] = {-1e300, -1e300};
  double nearest = -1e300;
  for (const Mesh& mesh : meshes) {
    if (!mesh.casts_shadow) continue;
    for (const Vec3& p : mesh.vertex) {
      const double z = dot(p, back);
      nearest = std::max(nearest, z);
      for (int k = 0; k < 2; ++k) {
        const double x = dot(p, k == 0 ? right : up) / tangent[k];
        above[k] = std::max(above[k], z + x);
        below[k] = std::max(below[k], z - x);
      }
    }
  }
  if (nearest < -1e299) return {normalised(from), {}, field_of_view};
  const double distance = std::max(0.5 * (above[0] + below[0]), 0.5 * (above[1] + below[1]));
  const Vec3 across = 0.5 * tangent[0] * (above[0] - below[0]) * right +
                      0.5 * tangent[1] * (above[1] - below[1]) * up;
  const Vec3 eye = across + std::max(distance, nearest + 1e-6) * back;
  return {eye, eye - back, field_of_view};
}

Mesh box_mesh(const Vec3& half_extents) {
  Mesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertex.push_back({(k & 1 ? 1.0 : -1.0) * half_extents[0],
                           (k & 2 ? 1.0 : -1.0) * half_extents[1],
                           (k & 4 ? 1.0 : -1.0) * half_extents[2]});
  }
  mesh.triangle = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

Mesh sphere_mesh(double radius, int segments) {
  return revolved(half_circles(radius, 0.0, segments), segments);
}

Mesh capsule_mesh(double radius, double half_length, int segments) {
  return revolved(half_circles(radius, half_length, segments), segments);
}

Mesh cylinder_mesh(double radius, double half_length, int segments) {
  // The rims stand twice, so that caps and side keep their own normals.
  Mesh mesh = revolved({{radius, -half_length}, {radius, half_length}}, segments);
  for (const double side : {-1.0, 1.0}) {
    const int base = static_cast<int>(mesh.vertex.size());
    for (int s = 0; s < segments; ++s) {
      const double angle = 2.0 * std::numbers::pi * s / segments;
      mesh.vertex.push_back(
          {radius * std::cos(angle), radius * std::sin(angle), side * half_length});
    }
    for (int s = 1; s + 1 < segments; ++s) {
      mesh.triangle.push_back(side > 0.0 ? std::array{base, base + s, base + s + 1}
                                         : std::array{base, base + s + 1, base + s});
    }
  }
  return mesh;
}

Mesh ground_mesh(double side, double tile) {
  Mesh mesh;
  mesh.casts_shadow = false;
  const int tiles = std::clamp(static_cast<int>(std::ceil(side / tile)), 1, 200);
  const double start = -0.5 * tiles * tile;
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j < tiles; ++j) {
      const int base = static_cast<int>(mesh.vertex.size());
      const double shade = (i + j) % 2 == 0 ? 0.80 : 0.70;
      for (const auto& [a, b] :
           {std::array{0, 0}, std::array{1, 0}, std::array{1, 1}, std::array{0, 1}}) {
        mesh.vertex.push_back({start + (i + a) * tile, start + (j + b) * tile, 0.0});
        mesh.vertex_colour.push_back({shade, shade, shade + 0.02});
      }
      mesh.triangle.push_back({base, base + 1, base + 2});
      mesh.triangle.push_back({base, base + 2, base + 3});
    }
  }
  return mesh;
}

Colour body_colour(int i) {
  constexpr std::array<Colour, 7> kPalette{{{0.02, 0.17, 0.45},
                                            {0.80, 0.35, 0.02},
                                            {0.02, 0.35, 0.20},
                                            {0.60, 0.20, 0.38},
                                            {0.10, 0.46, 0.82},
                                            {0.79, 0.62, 0.07},
                                            {0.32, 0.32, 0.34}}};
  return kPalette[static_cast<std::size_t>(i) % kPalette.size()];
}

Colour diverging_colour(double value) {
  const double t = std::clamp(value, 0.0, 1.0);
  const Colour low{0.03, 0.16, 0.55};
  const Colour middle{0.88, 0.88, 0.88};
  const Colour high{0.62, 0.05, 0.04};
  return t < 0.5 ? low + 2.0 * t * (middle - low) : middle + (2.0 * t - 1.0) * (high - middle);
}

}  // namespace nsn::render
