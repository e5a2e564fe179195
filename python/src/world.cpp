// Worlds: shapes, bodies, joints, deformables, and their state as live arrays.
#include "core.h"
#include "nsn/models/deformable/tetrahedra.h"
#include "nsn/models/mesh_io/mesh_io.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::python {

World& WorldHandle::get() {
  const std::thread::id stepping = stepping_.load();
  if (stepping != std::thread::id{} && stepping != std::this_thread::get_id()) {
    throw std::runtime_error("this world is being stepped by another thread");
  }
  return simulation_ ? simulation_->world() : *own_;
}

std::shared_ptr<Simulation> WorldHandle::give(const SimulationOptions& options,
                                              const SolverRegistry& registry) {
  NSN_THROW_UNLESS(!taken(),
                   "this world is in a simulation already; copy.copy(world) makes another one");
  // An empty world tries the options first: what is refused leaves this one as it is.
  static_cast<void>(Simulation(World(), options, registry));
  auto simulation = std::make_shared<Simulation>(World(), options, registry);
  simulation = std::make_shared<Simulation>(std::move(*own_), options, registry);
  own_.reset();
  simulation_ = simulation;
  return simulation;
}

template <class Do>
void WorldHandle::with_simulation(const Do& action) {
  static_cast<void>(get());
  if (taken()) {
    action(*simulation_);
    return;
  }
  Simulation simulation(std::move(*own_));
  const auto move_back = [&] { own_ = std::make_unique<World>(std::move(simulation.world())); };
  try {
    action(simulation);
  } catch (...) {
    move_back();
    throw;
  }
  move_back();
}

std::string WorldHandle::state() {
  std::string bytes;
  with_simulation([&](Simulation& s) { bytes = s.state(); });
  return bytes;
}
void WorldHandle::set_state(std::string_view bytes) {
  with_simulation([&](Simulation& s) { s.set_state(bytes); });
}

WorldHandle::Stepping::Stepping(WorldHandle& of) : of_(of) {
  std::thread::id nobody{};
  if (of_.stepping_.compare_exchange_strong(nobody, std::this_thread::get_id())) return;
  throw std::runtime_error(nobody == std::this_thread::get_id()
                               ? "a simulation cannot be stepped or restored from its own callback"
                               : "this simulation is being stepped by another thread");
}

namespace {

using SharedShape = std::shared_ptr<const Shape>;

std::vector<Vec3> points_of(const char* what, const Doubles2& a) {
  NSN_THROW_UNLESS(a.shape(1) == 3, "{}: {} numbers per row, not 3", what, a.shape(1));
  std::vector<Vec3> out(a.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load3(a.data() + 3 * i);
  return out;
}
template <std::size_t k>
std::vector<std::array<int, k>> indices_of(const char* what, const Ints2& a) {
  NSN_THROW_UNLESS(a.shape(1) == k, "{}: {} indices per row, not {}", what, a.shape(1), k);
  std::vector<std::array<int, k>> out(a.shape(0));
  for (std::size_t i = 0; i < out.size(); ++i) std::copy_n(a.data() + k * i, k, out[i].begin());
  return out;
}
template <class Rows>
nb::object array_of(const Rows& rows, std::size_t width) {
  std::vector<double> flat;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < width; ++k) flat.push_back(row[static_cast<int>(k)]);
  }
  return as_numpy(std::move(flat), {rows.size(), width});
}
template <class Rows>
nb::object int_array_of(const Rows& rows, std::size_t width) {
  auto* const flat = new std::vector<int>;
  for (const auto& row : rows) flat->insert(flat->end(), row.begin(), row.end());
  const nb::capsule owner(flat, [](void* p) noexcept { delete static_cast<std::vector<int>*>(p); });
  const std::size_t shape[] = {rows.size(), width};
  return nb::cast(nb::ndarray<nb::numpy, int>(flat->data(), 2, shape, owner));
}

// ---- shapes

SharedShape triangle_mesh(const Doubles2& vertices, const Ints2& triangles, bool two_sided,
                          double depth) {
  MeshOptions options;
  options.two_sided = two_sided;
  if (depth > 0.0) options.depth = depth;
  return std::make_shared<TriangleMesh>(points_of("vertices", vertices),
                                        indices_of<3>("triangles", triangles), options);
}

/// Points (n, 3) and triangles (m, 3) of a shape's surface.
nb::tuple surface_of(const Shape& shape) {
  const SurfaceMesh mesh = shape.surface();
  std::vector<std::array<int, 3>> triangles;
  for (const std::vector<int>& face : mesh.polygons) {
    for (std::size_t k = 2; k < face.size(); ++k)
      triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return nb::make_tuple(array_of(mesh.points, 3), int_array_of(triangles, 3));
}

void bind_shapes(nb::module_& m) {
  nb::class_<Shape>(m, "Shape")
      .def_prop_ro("type", [](const Shape& s) { return std::string(s.type()); })
      .def("surface", &surface_of);
  m.def(
      "box", [](const Array3& size) -> SharedShape { return std::make_shared<Box>(vec3(size)); },
      "size"_a);
  m.def(
      "sphere", [](double radius) -> SharedShape { return std::make_shared<Sphere>(radius); },
      "radius"_a);
  m.def(
      "capsule",
      [](double radius, double length) -> SharedShape {
        return std::make_shared<Capsule>(radius, length);
      },
      "radius"_a, "length"_a);
  m.def(
      "cylinder",
      [](double radius, double height) -> SharedShape {
        return std::make_shared<Cylinder>(radius, height);
      },
      "radius"_a, "height"_a);
  m.def(
      "plane", [](double extent) -> SharedShape { return std::make_shared<Plane>(extent); },
      "extent"_a);
  m.def(
      "hull",
      [](const Doubles2& points) -> SharedShape {
        return std::make_shared<ConvexHull>(ConvexHull::of_points(points_of("points", points)));
      },
      "points"_a);
  m.def("triangle_mesh", &triangle_mesh, "vertices"_a, "triangles"_a, "two_sided"_a, "depth"_a);
}

// ---- meshes

TetMesh tet_mesh(const Doubles2& nodes, const Ints2& tets) {
  TetMesh mesh;
  mesh.node = points_of("nodes", nodes);
  for (const auto& t : indices_of<4>("tets", tets)) mesh.tet.push_back({t[0], t[1], t[2], t[3]});
  check_mesh(mesh);
  return mesh;
}

void bind_meshes(nb::module_& m) {
  nb::class_<TetMesh>(m, "TetMesh")
      .def_prop_ro("nodes", [](const TetMesh& mesh) { return array_of(mesh.node, 3); })
      .def_prop_ro("tets", [](const TetMesh& mesh) { return int_array_of(mesh.tet, 4); })
      .def_prop_ro("regions", [](const TetMesh& mesh) { return mesh.region; })
      .def_prop_ro("num_nodes", &TetMesh::num_nodes)
      .def_prop_ro("num_tets", &TetMesh::num_tets)
      .def_prop_ro("volume", [](const TetMesh& mesh) { return volume(mesh); });
  m.def("tet_mesh", &tet_mesh, "nodes"_a, "tets"_a);
  m.def("ball_mesh", &ball_mesh, "radius"_a, "tets"_a);
  m.def(
      "bar_mesh",
      [](const Array3& size, const std::array<Index, 3>& cells) {
        return bar_mesh(vec3(size), cells);
      },
      "size"_a, "cells"_a);
  m.def(
      "finger_mesh",
      [](Index chambers, double length, double width) {
        FingerMesh finger;
        finger.chambers = chambers, finger.length = length, finger.width = width;
        return finger_mesh(finger);
      },
      "chambers"_a, "length"_a, "width"_a);
  m.def(
      "read_tet_mesh",
      [](const std::string& path, bool repair) {
        return read_tet_mesh(path, {.remove_unused_nodes = repair, .orient_tets = repair}).mesh;
      },
      "path"_a, "repair"_a);
  m.def(
      "read_surface",
      [](const std::string& path) {
        const SurfaceMeshFile file = read_surface_mesh(path);
        return nb::make_tuple(array_of(file.surface.vertex, 3),
                              int_array_of(file.surface.triangle, 3));
      },
      "path"_a);
  m.def("material_names", &material_names);
}

// ---- bodies

BodyKind kind_from(const std::string& name) {
  if (name == "dynamic") return BodyKind::kDynamic;
  if (name == "static") return BodyKind::kStatic;
  if (name == "kinematic") return BodyKind::kKinematic;
  throw std::invalid_argument(
      fmt::format("kind '{}' is not one of dynamic, static, kinematic", name));
}
const char* name_of(BodyKind kind) {
  return kind == BodyKind::kDynamic  ? "dynamic"
         : kind == BodyKind::kStatic ? "static"
                                     : "kinematic";
}

int add_body(WorldHandle& w, const std::string& name, const std::string& kind, double mass,
             const std::optional<std::array<double, 9>>& inertia, double density,
             const Array3& position, const Array4& orientation, const Array3& velocity,
             const Array3& angular_velocity) {
  Body body;
  body.name = name;
  body.kind = kind_from(kind);
  body.mass = mass;
  if (inertia) body.inertia = load9(inertia->data());
  body.density = density;
  body.position = vec3(position);
  body.orientation = quaternion(orientation);
  body.velocity = vec3(velocity);
  body.angular_velocity = vec3(angular_velocity);
  return w.get().add_body(body);
}

Surface surface_from(const nb::dict& d) {
  Surface s;
  const auto take = [&](const char* key, double& into) {
    if (d.contains(key)) into = nb::cast<double>(d[key]);
  };
  take("mu", s.mu);
  take("compliance", s.compliance);
  take("thickness", s.thickness);
  take("restitution", s.restitution);
  take("rolling", s.rolling);
  take("spinning", s.spinning);
  return s;
}

int add_shape(WorldHandle& w, int body, const SharedShape& shape, const nb::dict& surface,
              const Array3& offset, const Array4& rotation) {
  World& world = w.get();
  const Quaternion q = quaternion(rotation);
  const double length = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  NSN_THROW_UNLESS(length > 0.0 && std::isfinite(length),
                   "rotation is not a quaternion that can be scaled to 1");
  return world.add_shape(body, shape, surface_from(surface), vec3(offset), q);
}

/// An array of the block that holds the bodies or particles; it stays valid when the world grows, with the
/// values of then.
template <class Block, class Row>
nb::object rows_of(Block& block, std::vector<Row> std::decay_t<decltype(block.arrays())>::*member) {
  const auto arrays = block.share();
  auto& rows = (*arrays).*member;
  constexpr std::size_t width = sizeof(Row) / sizeof(double);
  static_assert(sizeof(Row) == width * sizeof(double));
  auto* const data = reinterpret_cast<double*>(rows.data());
  if constexpr (width == 1)
    return live(data, {rows.size()}, arrays);
  else if constexpr (width == 9)
    return live(data, {rows.size(), 3, 3}, arrays);
  else
    return live(data, {rows.size(), width}, arrays);
}

template <class Row>
auto body_array(std::vector<Row> BodyArrays::*member) {
  return [member](WorldHandle& w) { return rows_of(w.get().bodies(), member); };
}
template <class Row>
auto particle_array(std::vector<Row> ParticleArrays::*member) {
  return [member](WorldHandle& w) { return rows_of(w.get().particles(), member); };
}

void bind_bodies(nb::class_<WorldHandle>& world) {
  world
      .def("add_body", &add_body, "name"_a, "kind"_a, "mass"_a, "inertia"_a.none(), "density"_a,
           "position"_a, "orientation"_a, "velocity"_a, "angular_velocity"_a)
      .def("add_shape", &add_shape, "body"_a, "shape"_a, "surface"_a, "offset"_a, "rotation"_a)
      .def(
          "remove_body", [](WorldHandle& w, int b) { w.get().remove_body(b); }, "body"_a)
      .def(
          "remove_shape", [](WorldHandle& w, int s) { w.get().remove_shape(s); }, "shape"_a)
      .def(
          "remove_joint", [](WorldHandle& w, int j) { w.get().remove_joint(j); }, "joint"_a)
      .def(
          "remove_deformable", [](WorldHandle& w, int d) { w.get().remove_deformable(d); },
          "deformable"_a)
      .def(
          "has_body",
          [](WorldHandle& w, int b) {
            return b >= 0 && b < w.get().num_bodies() && w.get().has_body(b);
          },
          "body"_a)
      .def(
          "set_pair_friction",
          [](WorldHandle& w, int a, int b, double mu) {
            World& world_ = w.get();
            const auto shapes = static_cast<int>(world_.shapes().size());
            check_index("shape", a, shapes);
            check_index("shape", b, shapes);
            world_.set_pair({a, b, mu});
          },
          "shape_a"_a, "shape_b"_a, "mu"_a)
      .def(
          "ignore_pair",
          [](WorldHandle& w, int a, int b) {
            check_index("body", a, w.get().num_bodies());
            check_index("body", b, w.get().num_bodies());
            w.get().ignore_pair(a, b);
          },
          "body_a"_a, "body_b"_a)
      .def(
          "set_filter",
          [](WorldHandle& w, int shape, std::uint32_t category, std::uint32_t mask, int group) {
            w.get().set_filter(shape, {.category = category, .mask = mask, .group = group});
          },
          "shape"_a, "category"_a, "mask"_a, "group"_a)
      .def(
          "set_kind",
          [](WorldHandle& w, int b, const std::string& kind) {
            check_index("body", b, w.get().num_bodies());
            const BodyRef body = w.get().body(b);
            const BodyKind before = body.kind;
            body.kind = kind_from(kind);
            try {
              validate(ConstBodyRef(body), b);
            } catch (...) {
              body.kind = before;
              throw;
            }
          },
          "body"_a, "kind"_a)
      .def(
          "kind",
          [](WorldHandle& w, int b) {
            check_index("body", b, w.get().num_bodies());
            return std::string(name_of(w.get().body(b).kind));
          },
          "body"_a)
      .def("body_names", [](WorldHandle& w) { return w.get().bodies().arrays().name; })
      .def("shapes",
           [](WorldHandle& w) {
             nb::list all;
             for (const PlacedShape& s : w.get().shapes()) {
               all.append(nb::make_tuple(s.body,
                                         s.shape ? std::string(s.shape->type()) : std::string(),
                                         s.surface.mu, array(s.offset), array(s.rotation)));
             }
             return all;
           })
      .def(
          "shape",
          [](WorldHandle& w, int s) {
            check_index("shape", s, static_cast<int>(w.get().shapes().size()));
            return w.get().shapes()[to_size(s)].shape;
          },
          "shape"_a)
      .def_prop_ro("num_bodies", [](WorldHandle& w) { return w.get().num_bodies(); })
      .def_prop_ro("num_particles", [](WorldHandle& w) { return w.get().num_particles(); })
      .def_prop_ro("num_joints", [](WorldHandle& w) { return w.get().num_joints(); })
      .def_prop_ro("position", body_array(&BodyArrays::position))
      .def_prop_ro("orientation", body_array(&BodyArrays::orientation))
      .def_prop_ro("velocity", body_array(&BodyArrays::velocity))
      .def_prop_ro("angular_velocity", body_array(&BodyArrays::angular_velocity))
      .def_prop_ro("force", body_array(&BodyArrays::force))
      .def_prop_ro("torque", body_array(&BodyArrays::torque))
      .def_prop_ro("mass", body_array(&BodyArrays::mass))
      .def_prop_ro("inertia", body_array(&BodyArrays::inertia))
      .def_prop_ro("particle_mass", particle_array(&ParticleArrays::mass))
      .def_prop_ro("particle_position", particle_array(&ParticleArrays::position))
      .def_prop_ro("particle_velocity", particle_array(&ParticleArrays::velocity))
      .def_prop_ro("particle_force", particle_array(&ParticleArrays::force));
}

// ---- joints

using Numbers = std::vector<std::pair<std::string, double>>;

double* number_of(JointAxis& axis, const std::string& key) {
  const std::pair<const char*, double*> all[] = {{"lower", &axis.limit.lower},
                                                 {"upper", &axis.limit.upper},
                                                 {"stiffness", &axis.drive.stiffness},
                                                 {"gain", &axis.drive.damping},
                                                 {"target", &axis.drive.target},
                                                 {"speed", &axis.drive.speed},
                                                 {"max_effort", &axis.drive.max_effort},
                                                 {"friction", &axis.friction},
                                                 {"spring", &axis.spring.stiffness},
                                                 {"damping", &axis.spring.damping},
                                                 {"rest", &axis.spring.rest},
                                                 {"armature", &axis.armature}};
  for (const auto& [name, number] : all) {
    if (key == name) return number;
  }
  throw std::invalid_argument(fmt::format("'{}' is not a number of a joint's axis", key));
}

void set_axis(Joint& joint, int axis, const Numbers& numbers) {
  NSN_THROW_UNLESS(axis >= 0 && static_cast<std::size_t>(axis) < joint.axes.size(),
                   "axis {} of a {} joint, which has {}", axis, joint.type, joint.axes.size());
  for (const auto& [key, value] : numbers) *number_of(joint.axes[to_size(axis)], key) = value;
}

Joint make_joint(const std::string& kind, int a, int b) {
  const std::pair<const char*, Joint (*)(int, int)> all[] = {{"revolute", &revolute_joint},
                                                             {"prismatic", &prismatic_joint},
                                                             {"spherical", &spherical_joint},
                                                             {"universal", &universal_joint},
                                                             {"fixed", &fixed_joint},
                                                             {"cylindrical", &cylindrical_joint},
                                                             {"ball", &ball_joint}};
  std::vector<std::string> names;
  for (const auto& [name, make] : all) {
    if (kind == name) return make(a, b);
    names.emplace_back(name);
  }
  names.insert(names.end(), {"distance", "weld"});
  throw std::invalid_argument(fmt::format("no joint '{}'{}", kind, suggestion(kind, names)));
}

int add_joint(WorldHandle& w, const std::string& kind, int a, int b, const Array3& point,
              const Array3& axis, const std::vector<Numbers>& axes, const std::string& name,
              bool collide) {
  World& world = w.get();
  check_index("body", a, world.num_bodies());
  check_index("body", b, world.num_bodies());
  Joint joint = make_joint(kind, a, b);
  joint.name = name;
  joint.collide = collide;
  for (std::size_t k = 0; k < axes.size(); ++k) set_axis(joint, static_cast<int>(k), axes[k]);
  return world.add_joint(joint, {.point = vec3(point), .axis = vec3(axis)});
}

int add_weld(WorldHandle& w, int a, int b, const Array3& point, const Array3& axis,
             const std::array<Array3, 4>& yields, const std::string& name, bool collide) {
  World& world = w.get();
  check_index("body", a, world.num_bodies());
  check_index("body", b, world.num_bodies());
  Joint joint =
      weld_joint(a, b, {vec3(yields[0]), vec3(yields[1]), vec3(yields[2]), vec3(yields[3])});
  joint.name = name;
  joint.collide = collide;
  return world.add_joint(joint, {.point = vec3(point), .axis = vec3(axis)});
}

/// Points in world axes, where the bodies are now; shortest = longest: a rod.
int add_distance(WorldHandle& w, int a, int b, const Array3& point_a, const Array3& point_b,
                 double shortest, double longest, double compliance, const std::string& name,
                 bool collide) {
  World& world = w.get();
  check_index("body", a, world.num_bodies());
  check_index("body", b, world.num_bodies());
  const auto local = [&](int body, const Array3& p) {
    const ConstBodyRef at = std::as_const(world).body(body);
    return rotation_matrix(conjugate(at.orientation)) * (vec3(p) - at.position);
  };
  Joint joint =
      shortest == longest
          ? distance_joint(a, local(a, point_a), b, local(b, point_b), shortest, compliance)
          : distance_range_joint(a, local(a, point_a), b, local(b, point_b), shortest, longest);
  joint.name = name;
  joint.collide = collide;
  return world.add_joint(joint);
}

void bind_joints(nb::class_<WorldHandle>& world) {
  world
      .def("add_joint", &add_joint, "kind"_a, "a"_a, "b"_a, "point"_a, "axis"_a, "axes"_a, "name"_a,
           "collide"_a)
      .def("add_weld", &add_weld, "a"_a, "b"_a, "point"_a, "axis"_a, "yields"_a, "name"_a,
           "collide"_a)
      .def("add_distance", &add_distance, "a"_a, "b"_a, "point_a"_a, "point_b"_a, "shortest"_a,
           "longest"_a, "compliance"_a, "name"_a, "collide"_a)
      .def(
          "set_axis",
          [](WorldHandle& w, int j, int axis, const Numbers& numbers) {
            World& of = w.get();
            check_index("joint", j, of.num_joints());
            Joint changed = of.joint(j);
            set_axis(changed, axis, numbers);
            validate(changed, j, of.num_bodies());
            of.joint(j).axes = changed.axes;
          },
          "joint"_a, "axis"_a, "numbers"_a)
      .def(
          "axis_number",
          [](WorldHandle& w, int j, int axis, const std::string& key) {
            check_index("joint", j, w.get().num_joints());
            Joint& joint = w.get().joint(j);
            check_index("axis", axis, static_cast<int>(joint.axes.size()));
            return *number_of(joint.axes[to_size(axis)], key);
          },
          "joint"_a, "axis"_a, "key"_a)
      .def(
          "joint",
          [](WorldHandle& w, int j) {
            check_index("joint", j, w.get().num_joints());
            const Joint& joint = w.get().joint(j);
            return nb::make_tuple(joint.name, joint.type, joint.body_a, joint.body_b,
                                  joint.axes.size());
          },
          "joint"_a);
}

// ---- deformables

int add_deformable(WorldHandle& w, const TetMesh& mesh, const std::string& name,
                   const std::string& model, double young, double poisson, double density,
                   double damping, const nb::dict& surface, bool self_contact,
                   const std::vector<int>& ignored, const Array3& position,
                   const Array4& orientation) {
  World& world = w.get();
  DeformableOptions o;
  o.name = name;
  o.model = material_from_name(model);
  o.material = {young, poisson, density};
  o.damping = damping;
  o.surface = surface_from(surface);
  o.self_contact = self_contact;
  for (const int b : ignored) check_index("body", b, world.num_bodies());
  o.ignored_bodies = ignored;
  o.position = vec3(position);
  o.orientation = quaternion(orientation);
  return world.add_deformable(mesh, o);
}

Deformable& deformable_of(WorldHandle& w, int d) {
  check_index("deformable", d, static_cast<int>(w.get().deformables().size()));
  return w.get().deformable(d);
}

void set_activation(WorldHandle& w, int d, const Doubles& pressure) {
  const Deformable& body = deformable_of(w, d);
  const auto tets = static_cast<std::size_t>(body.mesh.num_tets());
  NSN_THROW_UNLESS(pressure.size() == tets || pressure.size() == 1,
                   "pressure: {} numbers for {} tetrahedra", pressure.size(), tets);
  for (std::size_t t = 0; t < pressure.size(); ++t) {
    NSN_THROW_UNLESS(std::isfinite(pressure.data()[t]), "pressure: number {} is not finite", t);
  }
  for (std::size_t t = 0; t < tets; ++t) {
    body.elements->set_activation(static_cast<Index>(t),
                                  pressure.data()[pressure.size() == 1 ? 0 : t]);
  }
}

void bind_deformables(nb::class_<WorldHandle>& world) {
  world
      .def("add_deformable", &add_deformable, "mesh"_a, "name"_a, "model"_a, "young"_a, "poisson"_a,
           "density"_a, "damping"_a, "surface"_a, "self_contact"_a, "ignored"_a, "position"_a,
           "orientation"_a)
      .def("set_activation", &set_activation, "deformable"_a, "pressure"_a)
      .def(
          "fix_particle",
          [](WorldHandle& w, int p, bool fixed) {
            check_index("particle", p, w.get().num_particles());
            const ParticleRef particle = w.get().particle(p);
            particle.kind = fixed ? BodyKind::kStatic : BodyKind::kDynamic;
            if (fixed) particle.velocity = {};
          },
          "particle"_a, "fixed"_a)
      .def(
          "deformable",
          [](WorldHandle& w, int d) {
            const Deformable& body = deformable_of(w, d);
            std::vector<int> boundary;
            for (Index v = 0; v < body.boundary.num_vertices(); ++v)
              boundary.push_back(body.boundary_particle(v));
            return nb::make_tuple(body.name, body.first_particle, body.num_nodes(),
                                  body.mesh.num_tets(), boundary,
                                  int_array_of(body.boundary.triangle, 3));
          },
          "deformable"_a)
      .def(
          "deformable_measures",
          [](WorldHandle& w, int d) {
            const Deformable& body = deformable_of(w, d);
            return nb::make_tuple(mass(w.get(), body), array(centre_of_mass(w.get(), body)),
                                  volume_ratio(w.get(), body));
          },
          "deformable"_a)
      .def_prop_ro("num_deformables", [](WorldHandle& w) { return w.get().deformables().size(); });
}

nb::list scene_list() {
  nb::list all;
  for (const SceneInfo& scene : scenes()) {
    nb::list options;
    for (const OptionSpec& o : scene.options) {
      options.append(nb::make_tuple(o.key, std::string(to_string(o.kind)), o.default_value, o.min,
                                    o.max, o.choices, o.help));
    }
    all.append(nb::make_tuple(scene.name, scene.summary, scene.default_steps, options));
  }
  return all;
}

}  // namespace

void bind_world(nb::module_& m) {
  bind_shapes(m);
  bind_meshes(m);
  nb::class_<WorldHandle> world(m, "World");
  world.def(nb::init<>())
      .def("copy", [](WorldHandle& w) { return std::make_shared<WorldHandle>(World(w.get())); })
      .def_prop_ro("taken", &WorldHandle::taken)
      .def_prop_rw(
          "time", [](WorldHandle& w) { return w.get().time; },
          [](WorldHandle& w, double time) {
            NSN_THROW_UNLESS(std::isfinite(time), "time {} is not finite", time);
            w.get().time = time;
          })
      .def_prop_rw(
          "gravity", [](WorldHandle& w) { return array(w.get().gravity); },
          [](WorldHandle& w, const Array3& g) {
            NSN_THROW_UNLESS(all_finite(vec3(g)), "gravity is not finite");
            w.get().gravity = vec3(g);
          })
      .def_prop_rw(
          "margin", [](WorldHandle& w) { return w.get().margin; },
          [](WorldHandle& w, double margin) {
            NSN_THROW_UNLESS(margin >= 0.0 && std::isfinite(margin), "margin {}: it must be >= 0",
                             margin);
            w.get().margin = margin;
          })
      .def_prop_ro("energy", [](WorldHandle& w) { return energy(w.get()); })
      .def("state",
           [](WorldHandle& w) {
             const std::string bytes = w.state();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "set_state",
          [](WorldHandle& w, const nb::bytes& state) {
            w.set_state({state.c_str(), state.size()});
          },
          "state"_a)
      .def("drop_control",
           [](WorldHandle& w) {
             w.get().control = {};
             w.get().control_state = {};
           })
      .def("has_control", [](WorldHandle& w) { return static_cast<bool>(w.get().control); });
  bind_bodies(world);
  bind_joints(world);
  bind_deformables(world);
  m.def("scenes", &scene_list);
  m.def(
      "make_scene",
      [](const std::string& name, const Options::Assignments& parameters) {
        const Unlocked unlocked;
        return std::make_shared<WorldHandle>(make_scene(name, parameters));
      },
      "name"_a, "parameters"_a);
}

}  // namespace nsn::python
