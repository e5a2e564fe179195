// Geoms: shape, size, friction and density; the meshes and height fields they refer to.
#include <algorithm>
#include <cmath>

#include "nsn/core/base/types.h"
#include "nsn/models/robots/height_field.h"
#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

namespace fs = std::filesystem;

/// Vertices in the model, and faces, or the hull of the vertices.
RobotMesh vertices_of(const Element& e, const std::string& name) {
  if (e.get("vertex") == nullptr) e.fail("mesh '{}' has neither a file nor vertices", name);
  const auto x = e.numbers("vertex");
  if (x.size() < 12 || x.size() % 3 != 0) {
    e.fail("mesh '{}': {} numbers are not the coordinates of four or more vertices", name,
           x.size());
  }
  const Vec3 factors = e.vector("scale", {1, 1, 1});
  RobotMesh mesh;
  mesh.name = name;
  for (std::size_t k = 0; k < x.size(); k += 3) {
    mesh.surface.vertex.push_back({x[k], x[k + 1], x[k + 2]});
  }
  if (e.get("face") == nullptr) {
    robots::scale(mesh.surface, factors);
    try {
      mesh.surface = hull_surface(mesh.surface);
    } catch (const std::invalid_argument& error) {
      e.fail("mesh '{}': {}", name, error.what());
    }
    return mesh;
  }
  const auto corners = e.numbers("face");
  const std::size_t vertices = x.size() / 3;
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
    std::array<Index, 3> triangle{};
    for (std::size_t i = 0; i < 3; ++i) {
      const double v = corners[k + i];
      if (v != std::floor(v) || v < 0.0 || v >= static_cast<double>(vertices)) {
        e.fail("mesh '{}' has no vertex {}", name, v);
      }
      triangle[i] = static_cast<Index>(v);
    }
    mesh.surface.triangle.push_back(triangle);
  }
  robots::scale(mesh.surface, factors);
  return mesh;
}

/// Heights over a grid, 0 where none are given (programs fill them in later).
void read_terrain(Model& model, const XMLElement* e) {
  const Element element = model.element(e);
  element.check({"nrow", "ncol", "size", "elevation", "file", "content_type"});
  const std::string name = model.xml.required(e, "name");
  if (e->Attribute("file") != nullptr) {
    model.xml.fail(e, "height field '{}' is an image, which is not read; `elevation` is", name);
  }
  HeightField field;
  const double rows = model.xml.required_number(e, "nrow");
  const double columns = model.xml.required_number(e, "ncol");
  const auto size = model.xml.numbers(e, "size", model.xml.required(e, "size"), 4);
  for (const double count : {rows, columns}) {
    if (count != std::floor(count) || !(count >= 2.0) || count > 4096.0) {
      model.xml.fail(e, "height field '{}' has {} rows or columns, not 2 to 4096", name, count);
    }
  }
  for (const double length : size) {
    if (!(length > 0.0))
      model.xml.fail(e, "size {} of height field '{}' is not positive", length, name);
  }
  field.rows = static_cast<int>(rows);
  field.columns = static_cast<int>(columns);
  field.half_x = size[0];
  field.half_y = size[1];
  field.base = size[3];
  field.height.assign(static_cast<std::size_t>(rows * columns), 0.0);
  if (const char* text = e->Attribute("elevation")) {
    const auto given = model.xml.numbers(e, "elevation", text, field.height.size());
    const auto [low, high] = std::minmax_element(given.begin(), given.end());
    const double span = *high > *low ? *high - *low : 1.0;
    for (std::size_t k = 0; k < given.size(); ++k) {  // the last row of the text is that of -y
      const std::size_t row =
          field.height.size() / to_size(field.columns) - 1 - k / to_size(field.columns);
      field.height[row * to_size(field.columns) + k % to_size(field.columns)] =
          size[2] * (given[k] - *low) / span;
    }
  }
  auto mesh = std::make_shared<RobotMesh>();
  mesh->name = name;
  mesh->surface = height_field_surface(field);
  mesh->terrain = true;
  if (!model.terrains.emplace(name, mesh).second) {
    model.xml.fail(e, "a second height field called '{}'", name);
  }
}

void read_mesh_asset(Model& model, const XMLElement* c) {
  const Element element = model.with_defaults(c, "main");
  element.check({"file", "scale", "inertia", "refpos", "refquat", "vertex", "face"});
  MeshAsset asset{element, {}, nullptr};
  const char* file = element.get("file");
  if (file != nullptr) asset.file = model.beside(c, model.compiler.meshdir / file);
  std::string name = element.text("name", "");
  if (name.empty()) name = fs::path(file == nullptr ? "" : file).stem().string();
  if (name.empty()) model.xml.fail(c, "a mesh without name and file");
  if (!model.meshes.emplace(name, asset).second)
    model.xml.fail(c, "a second mesh called '{}'", name);
}

MeshAsset& mesh_asset(Model& model, const XMLElement* user, const std::string& name) {
  const auto found = model.meshes.find(name);
  if (found == model.meshes.end()) model.xml.fail(user, "there is no mesh '{}'", name);
  return found->second;
}

std::shared_ptr<const RobotMesh> load_mesh(Model& model, const XMLElement* user,
                                           const std::string& name) {
  MeshAsset& asset = mesh_asset(model, user, name);
  if (asset.mesh) return asset.mesh;
  const Element& e = asset.element;
  auto loaded = std::make_shared<RobotMesh>(
      asset.file.empty()
          ? vertices_of(e, name)
          : *read_mesh(model.xml, e.xml, name, asset.file, e.vector("scale", {1, 1, 1})));
  const RigidFrame reference{e.vector("refpos", {}), e.quaternion("refquat")};
  const RigidFrame back = inverse(reference);
  for (Vec3& v : loaded->surface.vertex) v = back.point(v);
  const std::string how = e.text("inertia", "legacy");
  if (how == "convex") loaded->inertia = MeshInertia::kConvex;
  if (how == "exact") loaded->inertia = MeshInertia::kExact;
  if (how != "convex" && how != "exact" && how != "legacy") e.unsupported("mesh inertia=" + how);
  asset.mesh = loaded;
  return asset.mesh;
}

/// condim: 1 slides freely, 3 has friction, 4 resists spinning as well, 6 rolling too.
void read_friction(const Element& e, Surface& surface) {
  auto friction = e.numbers("friction");
  constexpr double kMissing[] = {1.0, 0.005, 0.0001};
  for (std::size_t k = friction.size(); k < 3; ++k) friction.push_back(kMissing[k]);
  const double condim = e.number("condim", 3.0);
  if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0) {
    e.fail("condim {} is not 1, 3, 4 or 6", condim);
  }
  const double priority = e.number("priority", 0.0);
  if (priority != std::floor(priority) || std::abs(priority) > 1e6) {
    e.fail("priority {} is not an integer", priority);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(friction[k] >= 0.0)) e.fail("friction {} of a geom is negative", friction[k]);
  }
  surface.mu = friction[0];
  surface.combine = Surface::Combine::kLarger;
  surface.priority = static_cast<int>(priority);
  surface.slick = condim == 1.0;
  if (condim >= 4.0) surface.spinning = friction[1];
  if (condim == 6.0) surface.rolling = friction[2];
}

unsigned bits(const Element& e, const char* name) {
  const double value = e.number(name, 1.0);
  if (!(value >= 0.0) || value > 2147483647.0 || value != std::floor(value)) {
    e.fail("{} {} is not a bit mask", name, value);
  }
  return static_cast<unsigned>(value);
}

bool read_terrain_geom(Model& model, const Element& e, RobotGeometry& g) {
  const auto found = model.terrains.find(e.text("hfield", ""));
  if (found == model.terrains.end()) e.fail("there is no height field '{}'", e.text("hfield", ""));
  g.kind = GeometryKind::kMesh;
  g.frame = e.frame();
  g.mesh = found->second;
  g.mass = 0.0;
  return true;
}

/// The numbers of `size`, or of `fromto` and a radius.
void read_size(const Element& e, RobotGeometry& g) {
  auto size = e.numbers("size");
  std::size_t needed = 3;
  if (g.kind == GeometryKind::kSphere) needed = 1;
  if (g.kind == GeometryKind::kCapsule || g.kind == GeometryKind::kCylinder) needed = 2;
  if (e.get("fromto") != nullptr) {
    if (g.kind == GeometryKind::kSphere) e.fail("a sphere has no fromto");
    const auto [from, to] = e.ends();
    const double half = 0.5 * norm(from - to);
    if (!(half > 0.0)) e.fail("fromto has no length");
    g.frame = {0.5 * (from + to), turn_z_onto(from - to)};
    if (size.empty()) e.fail("the geom has no size");
    if (needed == 3 && size.size() < 2) size.push_back(size[0]);
    size.resize(needed - 1);
    size.push_back(half);
  }
  const bool rod = std::string_view(e.xml->Parent()->Value()) == "composite";
  if (rod && size.size() == 1 && needed == 2) size.push_back(1.0);  // read_rod() tells its length
  if (size.size() < needed) {
    e.fail("size of a {} has {} numbers, {} are needed", to_string(g.kind), size.size(), needed);
  }
  for (std::size_t i = 0; i < needed; ++i) {
    if (!(size[i] > 0.0)) e.fail("size {} of a {} is not positive", size[i], to_string(g.kind));
    g.size[static_cast<int>(i)] = size[i];
  }
}

bool read_mesh_geom(Model& model, const Element& e, int k, RobotGeometry& g) {
  g.frame = e.frame();
  const char* name = e.get("mesh");
  if (name == nullptr) e.fail("a geom of type mesh names no mesh");
  const bool weighs = k >= 0 && !model.link(k).inertial &&
                      model.compiler.inertiafromgeom != "false" &&
                      (g.mass ? *g.mass > 0.0 : g.density > 0.0);
  if (g.collides || weighs || model.options.visual_meshes) {
    g.mesh = load_mesh(model, e.xml, name);
    return true;
  }
  const fs::path& file = mesh_asset(model, e.xml, name).file;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored) && model.missing.insert(name).second) {
    model.robot.warnings.push_back(fmt::format("{}: visual mesh '{}' is missing ({})",
                                               to_string(g.source), name, file.string()));
  }
  return false;
}

bool read_shape(Model& model, const Element& e, int k, RobotGeometry& g) {
  static const std::map<std::string, GeometryKind> kinds{
      {"plane", GeometryKind::kPlane},     {"sphere", GeometryKind::kSphere},
      {"capsule", GeometryKind::kCapsule}, {"cylinder", GeometryKind::kCylinder},
      {"box", GeometryKind::kBox},         {"ellipsoid", GeometryKind::kEllipsoid},
      {"mesh", GeometryKind::kMesh}};
  const std::string type = e.text("type", e.get("mesh") != nullptr ? "mesh" : "sphere");
  if (type == "hfield") return read_terrain_geom(model, e, g);
  const auto kind = kinds.find(type);
  if (kind == kinds.end()) {
    if (type == "sdf") e.fail("geom of type sdf: distances of plugins are not known");
    e.fail("geom of the unknown type '{}'", type);
  }
  g.kind = kind->second;
  if (g.kind == GeometryKind::kMesh) return read_mesh_geom(model, e, k, g);
  if (e.get("mesh") != nullptr) e.fail("fitting a {} to a mesh is not supported", type);
  g.frame = e.frame();
  if (g.kind == GeometryKind::kPlane) return true;
  read_size(e, g);
  return true;
}

}  // namespace

void read_assets(Model& model, const XMLElement* e) {
  for (const XMLElement* c : model.children(e)) {
    const std::string_view tag = c->Name();
    if (tag == "model") {
      read_other_model(model, c);
    } else if (tag == "hfield") {
      read_terrain(model, c);
    } else if (tag == "mesh") {
      read_mesh_asset(model, c);
    } else {
      model.xml.unsupported(std::string("asset ") + c->Name(), c);
    }
  }
}

void read_geom(Model& model, const XMLElement* xml, const Place& at) {
  const Element e = model.with_defaults(xml, at.inherited);
  e.check(kFrameNames, {"type", "size", "fromto", "mesh", "contype", "conaffinity", "friction",
                        "density", "mass", "condim", "priority", "margin", "gap", "hfield"});
  RobotGeometry g;
  g.source = e.where();
  g.name = model.full_name(e);
  g.contype = bits(e, "contype");
  g.conaffinity = bits(e, "conaffinity");
  g.collides = g.contype != 0 || g.conaffinity != 0;
  read_friction(e, g.surface);
  // A contact pushes within the margins of both; `gap` beyond it finds contacts that do not.
  g.surface.thickness = e.number("margin", 0.0);
  if (!(g.surface.thickness >= 0.0)) e.fail("margin {} of a geom is negative", g.surface.thickness);
  g.density = e.number("density", 1000.0);
  if (e.get("mass") != nullptr) g.mass = e.number("mass", 0.0);
  if (!(g.density >= 0.0) || (g.mass && !(*g.mass >= 0.0))) {
    e.fail("density or mass of a geom is negative");
  }
  if (!read_shape(model, e, at.link, g)) return;
  g.frame = at.frame * g.frame;
  if (at.link < 0) {
    model.robot.world_geometry.push_back(g);
  } else {
    if (model.compiler.inertiafromgeom == "false") g.mass = 0.0;
    model.link(at.link).geometry.push_back(g);
  }
}

}  // namespace nsn::robots::mjcf
