#include "nsn/models/collision/convex_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "nsn/core/base/error.h"
#include "nsn/models/collision/triangle_mesh.h"

#if defined(NSN_WITH_QHULL)
#include <cstdio>
#include <map>
#include <memory>
extern "C" {
#include <libqhull_r/qhull_ra.h>
}
#endif

namespace nsn {
namespace {

void check_points(const std::vector<Vec3>& points) {
  NSN_THROW_UNLESS(points.size() >= 4, "hull: {} points, four are needed", points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    NSN_THROW_UNLESS(all_finite(points[k]), "hull: point {} is not finite", k);
  }
}

/// Smallest extent over the largest one, by the spread along the principal axes.
double thinness(const std::vector<Vec3>& points) {
  Vec3 mean;
  for (const Vec3& p : points) mean += p;
  mean = (1.0 / static_cast<double>(points.size())) * mean;
  Mat3 spread;
  for (const Vec3& p : points) spread += outer(p - mean, p - mean);
  const Mat3 axes = symmetric_eigen(spread).vectors;
  Vec3 extent;
  for (int k = 0; k < 3; ++k) {
    double low = 1e300;
    double high = -1e300;
    for (const Vec3& p : points) {
      const double along = dot(column(axes, k), p - mean);
      low = std::min(low, along);
      high = std::max(high, along);
    }
    extent[k] = high - low;
  }
  const double largest = std::max({extent[0], extent[1], extent[2]});
  return largest > 0.0 ? std::min({extent[0], extent[1], extent[2]}) / largest : 0.0;
}

#if defined(NSN_WITH_QHULL)

/// A run of qhull and its memory.
class QhullRun {
 public:
  explicit QhullRun(const std::vector<Vec3>& points) {
    for (const Vec3& p : points) coordinates_.insert(coordinates_.end(), {p[0], p[1], p[2]});
    qh_zero(&qh_, nullptr);
    // Qt is not asked for: facets in one plane stay merged.
    char command[] = "qhull";
    sink_ = std::tmpfile();
    const int code = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), 0,
                                  command, nullptr, sink_);
    status_ = code;
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    qh_freeqhull(&qh_, qh_ALL);
    int long_memory = 0;
    int blocks = 0;
    qh_memfreeshort(&qh_, &long_memory, &blocks);
    if (sink_ != nullptr) std::fclose(sink_);
  }

  int status() const { return status_; }

  /// Vertices in the order of their points, polygons counter-clockwise seen from outside.
  SurfaceMesh surface(const std::vector<Vec3>& points) {
    qhT* qh = &qh_;  // the macros of qhull want this name
    std::map<int, int> number;
    SurfaceMesh mesh;
    vertexT* vertex = nullptr;
    FORALLvertices {
      number[qh_pointid(qh, vertex->point)] = 0;
    }
    for (auto& [point, index] : number) {
      index = static_cast<int>(mesh.points.size());
      mesh.points.push_back(points[static_cast<std::size_t>(point)]);
    }
    facetT* facet = nullptr;
    FORALLfacets {
      mesh.polygons.push_back(polygon(facet, number));
    }
    return mesh;
  }

 private:
  std::vector<int> polygon(facetT* facet, const std::map<int, int>& number) {
    std::vector<int> corners;
    setT* vertices = qh_facet3vertex(&qh_, facet);  // in order around the facet
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(vertices) {
      corners.push_back(number.at(qh_pointid(&qh_, vertex->point)));
    }
    qh_settempfree(&qh_, &vertices);
    return corners;
  }

  qhT qh_{};
  std::vector<double> coordinates_;
  std::FILE* sink_ = nullptr;
  int status_ = 0;
};

/// Turns a polygon whose corners run clockwise seen from outside, and starts it at its least
/// corner.
void orient(SurfaceMesh& mesh, const Vec3& inside) {
  for (auto& polygon : mesh.polygons) {
    Vec3 area;
    const auto point = [&](std::size_t k) {
      return mesh.points[static_cast<std::size_t>(polygon[k])];
    };
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      area += cross(point(k - 1) - point(0), point(k) - point(0));
    }
    if (dot(area, point(0) - inside) < 0.0) std::reverse(polygon.begin(), polygon.end());
    std::rotate(polygon.begin(), std::min_element(polygon.begin(), polygon.end()), polygon.end());
  }
  std::sort(mesh.polygons.begin(), mesh.polygons.end());
}

#endif

}  // namespace

bool ConvexHull::has_qhull() {
#if defined(NSN_WITH_QHULL)
  return true;
#else
  return false;
#endif
}

ConvexHull ConvexHull::of_points(const std::vector<Vec3>& points) {
  check_points(points);
  NSN_THROW_UNLESS(thinness(points) > 1e-9, "hull: {} points lie in one plane", points.size());
#if defined(NSN_WITH_QHULL)
  const auto run = std::make_unique<QhullRun>(points);
  NSN_THROW_UNLESS(run->status() == 0, "hull: qhull failed with code {} on {} points",
                   run->status(), points.size());
  SurfaceMesh mesh = run->surface(points);
  Vec3 middle;
  for (const Vec3& p : mesh.points) middle += p;
  orient(mesh, (1.0 / static_cast<double>(mesh.points.size())) * middle);
  return of_faces(mesh);
#else
  throw std::invalid_argument("hull: nsn was built without qhull; give the faces instead");
#endif
}

ConvexHull ConvexHull::of_faces(const SurfaceMesh& mesh, double radius) {
  NSN_THROW_UNLESS(radius >= 0.0 && std::isfinite(radius), "hull: radius {} is negative", radius);
  return {polytope_from_faces(mesh, "hull"), radius};
}

SurfaceMesh ConvexHull::surface() const {
  SurfaceMesh mesh;
  mesh.points = core().vertices;
  for (const Polytope::Face& face : core().faces) {
    mesh.polygons.emplace_back(core().loop.begin() + face.begin, core().loop.begin() + face.end);
  }
  return mesh;
}

Solid ConvexHull::solid() const {
  NSN_THROW_UNLESS(radius() == 0.0, "hull: rounded by {} m, its mass is not known", radius());
  const SurfaceMesh mesh = surface();
  std::vector<std::array<int, 3>> triangles;
  for (const std::vector<int>& polygon : mesh.polygons) {
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      triangles.push_back({polygon[0], polygon[k - 1], polygon[k]});
    }
  }
  return TriangleMesh(mesh.points, triangles, {.name = "hull"}).solid();
}

}  // namespace nsn
