#include "bench/cli/vtk_series.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/models/deformable/tetrahedra.h"

namespace nsn::cli {
namespace {

constexpr int kVtkPolygon = 7;
constexpr int kVtkTetra = 10;

/// One data array in ASCII.
std::string data_array(const char* type, const char* name, int components,
                       const std::string& text) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
      "format=\"ascii\">{}</DataArray>\n",
      type, name, components, text);
}

/// Points and polygons of a world.
struct Cells {
  std::string points, connectivity, offsets, types, body, speed, volume;
  int num_points = 0;
  int num_cells = 0;
  std::size_t entries = 0;

  void add(const World& world, const PlacedShape& placed) {
    const ConstBodyRef owner = world.body(placed.body);
    const SurfaceMesh mesh = placed.shape->surface();
    for (const Vec3& point : mesh.points) {
      const Vec3 p = owner.to_world(placed.offset + rotation_matrix(placed.rotation) * point);
      points += fmt::format("{:.9g} {:.9g} {:.9g}\n", p[0], p[1], p[2]);
    }
    for (const auto& polygon : mesh.polygons) {
      for (const int k : polygon) connectivity += fmt::format("{} ", num_points + k);
      entries += polygon.size();
      offsets += fmt::format("{} ", entries);
      types += fmt::format("{} ", kVtkPolygon);
      body += fmt::format("{} ", placed.body);
      speed += fmt::format("{:.6g} ", norm(owner.velocity));
      volume += "1 ";
      ++num_cells;
    }
    num_points += static_cast<int>(mesh.points.size());
  }

  /// Tetrahedra; body counts on after the rigid ones.
  void add(const World& world, const Deformable& soft, int number) {
    const std::vector<Vec3> x = positions(world, soft);
    for (const Vec3& one : x) {
      points += fmt::format("{:.9g} {:.9g} {:.9g}\n", one[0], one[1], one[2]);
    }
    for (Index t = 0; t < soft.mesh.num_tets(); ++t) {
      double fastest = 0.0;
      for (const Index n : soft.mesh.tet[static_cast<std::size_t>(t)]) {
        connectivity += fmt::format("{} ", num_points + n);
        fastest = std::max(fastest, norm(world.particle(soft.particle(n)).velocity));
      }
      entries += 4;
      offsets += fmt::format("{} ", entries);
      types += fmt::format("{} ", kVtkTetra);
      body += fmt::format("{} ", world.num_bodies() + number);
      speed += fmt::format("{:.6g} ", fastest);
      volume +=
          fmt::format("{:.6g} ", determinant(soft.elements->deformation_gradient(t, flat(x))));
      ++num_cells;
    }
    num_points += soft.num_nodes();
  }
};

std::string frame_name(const std::string& name, std::size_t frame) {
  return fmt::format("{}_{:06}.vtu", name, frame);
}

}  // namespace

VtkSeries::VtkSeries(std::filesystem::path folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)) {}

void VtkSeries::add(const World& world) {
  Cells cells;
  for (const PlacedShape& placed : world.shapes()) cells.add(world, placed);
  for (std::size_t d = 0; d < world.deformables().size(); ++d) {
    cells.add(world, world.deformables()[d], static_cast<int>(d));
  }
  const std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" "
      "NumberOfCells=\"{}\">\n<Points>\n{}</Points>\n<Cells>\n{}{}{}</Cells>\n<CellData>\n{}{}{}"
      "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
      cells.num_points, cells.num_cells, data_array("Float64", "Points", 3, cells.points),
      data_array("Int32", "connectivity", 1, cells.connectivity),
      data_array("Int32", "offsets", 1, cells.offsets),
      data_array("UInt8", "types", 1, cells.types), data_array("Int32", "body", 1, cells.body),
      data_array("Float64", "speed", 1, cells.speed),
      data_array("Float64", "volume_ratio", 1, cells.volume));
  write_file(folder_ / frame_name(name_, times_.size()), text);
  times_.push_back(world.time);
}

void VtkSeries::finish(const std::string& stopped) const {
  std::string text = "<?xml version=\"1.0\"?>\n" +
                     (stopped.empty() ? "" : fmt::format("<!-- partial: {} -->\n", stopped)) +
                     "<VTKFile type=\"Collection\" version=\"0.1\" "
                     "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (std::size_t frame = 0; frame < times_.size(); ++frame) {
    text += fmt::format("<DataSet timestep=\"{:.9g}\" part=\"0\" file=\"{}\"/>\n", times_[frame],
                        frame_name(name_, frame));
  }
  write_file(folder_ / (name_ + ".pvd"), text + "</Collection>\n</VTKFile>\n");
  // An earlier run of this name may have been longer.
  std::size_t frame = times_.size();
  while (std::filesystem::remove(folder_ / frame_name(name_, frame))) ++frame;
}

}  // namespace nsn::cli
