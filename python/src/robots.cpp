// Robots from files and our own, in a world.
#include "core.h"
#include "nsn/models/robots/own_robots.h"

namespace nsn::python {
namespace {

using Description = std::shared_ptr<const RobotDescription>;

int checked_dof(const RobotHandle& r, int d) {
  check_index("degree of freedom", d, static_cast<int>(r.robot.dofs.size()));
  NSN_THROW_UNLESS(r.robot.at(d).joint >= 0,
                   "joint '{}' is a ball or free joint: it has no single coordinate",
                   r.robot.at(d).name);
  return d;
}

std::shared_ptr<RobotHandle> build(const SharedWorld& world, const Description& description,
                                   const Array3& position, const Array4& orientation,
                                   std::vector<double> q, std::vector<double> v,
                                   const nb::dict& given) {
  RobotBuildOptions o;
  o.base = {vec3(position), normalized(quaternion(orientation))};
  o.q = std::move(q);
  o.v = std::move(v);
  o.base_body = nb::cast<int>(given["base_body"]);
  if (o.base_body >= 0) check_index("body", o.base_body, world->get().num_bodies());
  o.merge_fixed = nb::cast<bool>(given["merge_fixed"]);
  o.self_collision = nb::cast<bool>(given["self_collision"]);
  o.hulls = nb::cast<bool>(given["hulls"]);
  o.hull_points = nb::cast<int>(given["hull_points"]);
  o.shapes = nb::cast<bool>(given["shapes"]);
  o.world_shapes = nb::cast<bool>(given["world_shapes"]);
  o.group = nb::cast<int>(given["group"]);
  const nb::object mu = given["mu"];
  if (!mu.is_none()) o.mu = nb::cast<double>(mu);
  Robot robot = build_robot(world->get(), description, o);
  return std::make_shared<RobotHandle>(world, std::move(robot));
}

nb::dict joint_of(const RobotJoint& joint, const std::string& link) {
  nb::dict d;
  d["name"] = joint.name;
  d["kind"] = to_string(joint.kind);
  d["link"] = link;
  d["lower"] = joint.limit.lower;
  d["upper"] = joint.limit.upper;
  d["effort"] = joint.effort;
  d["velocity"] = joint.velocity;
  return d;
}

nb::list joints_of(const RobotDescription& robot) {
  nb::list all;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) all.append(joint_of(joint, link.name));
  }
  return all;
}

nb::list actuators_of(const RobotDescription& robot) {
  nb::list all;
  for (const RobotActuator& a : robot.actuators) {
    nb::dict d;
    d["name"] = a.name;
    d["kind"] = to_string(a.kind);
    d["joint"] = a.joint;
    d["gear"] = a.gear;
    d["gain"] = a.gain;
    d["lower"] = a.control.lower;
    d["upper"] = a.control.upper;
    all.append(d);
  }
  return all;
}

/// As the handle of another world that was built the same way.
std::shared_ptr<RobotHandle> moved_to(const RobotHandle& r, const SharedWorld& world) {
  return std::make_shared<RobotHandle>(world, r.robot);
}

void bind_description(nb::module_& m) {
  nb::class_<RobotDescription>(m, "RobotDescription")
      .def_ro("name", &RobotDescription::name)
      .def_ro("format", &RobotDescription::format)
      .def_ro("file", &RobotDescription::file)
      .def_ro("warnings", &RobotDescription::warnings)
      .def_prop_ro("links",
                   [](const RobotDescription& r) {
                     std::vector<std::string> names;
                     for (const RobotLink& link : r.links) names.push_back(link.name);
                     return names;
                   })
      .def_prop_ro("joints", &joints_of)
      .def_prop_ro("actuators", &actuators_of)
      .def_prop_ro("unsupported",
                   [](const RobotDescription& r) {
                     std::vector<std::pair<std::string, int>> all;
                     for (const UnsupportedFeature& u : r.unsupported)
                       all.emplace_back(u.name, u.count);
                     return all;
                   })
      .def_prop_ro("num_coordinates", &RobotDescription::num_coordinates)
      .def_prop_ro("num_dofs", &RobotDescription::num_dofs)
      .def("reference",
           [](const RobotDescription& r) { return as_numpy(reference_coordinates(r)); });
  m.def(
      "read_robot",
      [](const std::string& path,
         const std::vector<std::pair<std::string, std::string>>& packages) {
        RobotReadOptions o;
        for (const auto& [name, folder] : packages) o.packages[name] = folder;
        return std::const_pointer_cast<RobotDescription>(
            Description(std::make_shared<RobotDescription>(read_named_robot(path, o))));
      },
      "path"_a, "packages"_a);
  m.def("own_robots", [] {
    std::vector<std::string> names;
    for (const OwnRobot& own : own_robots()) names.emplace_back(own.name);
    return names;
  });
}

}  // namespace

void bind_robots(nb::module_& m) {
  bind_description(m);
  nb::class_<RobotHandle>(m, "Robot")
      .def_prop_ro("bodies", [](const RobotHandle& r) { return r.robot.bodies; })
      .def_prop_ro("base_body", [](const RobotHandle& r) { return r.robot.base_body; })
      .def_prop_ro("notes", [](const RobotHandle& r) { return r.robot.notes; })
      .def_prop_ro("dofs",
                   [](const RobotHandle& r) {
                     std::vector<std::string> names;
                     for (const RobotDof& d : r.robot.dofs) names.push_back(d.name);
                     return names;
                   })
      .def_prop_ro("description",
                   [](const RobotHandle& r) {
                     return std::const_pointer_cast<RobotDescription>(r.robot.description);
                   })
      .def(
          "dof", [](const RobotHandle& r, const std::string& joint) { return r.robot.dof(joint); },
          "joint"_a)
      .def(
          "joint_of",
          [](const RobotHandle& r, int d) {
            return nb::make_tuple(r.robot.at(checked_dof(r, d)).joint, r.robot.at(d).axis);
          },
          "dof"_a)
      .def("coordinates",
           [](const RobotHandle& r) { return as_numpy(coordinates(r.world->get(), r.robot)); })
      .def(
          "speed",
          [](const RobotHandle& r, int d) {
            return speed(r.world->get(), r.robot, checked_dof(r, d));
          },
          "dof"_a)
      .def(
          "position",
          [](const RobotHandle& r, int d) {
            return position(r.world->get(), r.robot, checked_dof(r, d));
          },
          "dof"_a)
      .def(
          "set_state",
          [](const RobotHandle& r, const std::vector<double>& q, const std::vector<double>& v) {
            set_state(r.world->get(), r.robot, q, v);
          },
          "q"_a, "v"_a)
      .def(
          "set_gains",
          [](const RobotHandle& r, int d, double k, double damping, std::optional<double> effort) {
            set_gains(r.world->get(), r.robot, checked_dof(r, d), k, damping, effort);
          },
          "dof"_a, "stiffness"_a, "damping"_a, "max_effort"_a.none())
      .def(
          "set_target",
          [](const RobotHandle& r, int d, double target, double rate) {
            NSN_THROW_UNLESS(std::isfinite(target) && std::isfinite(rate), "target {}, rate {}",
                             target, rate);
            set_target(r.world->get(), r.robot, checked_dof(r, d), target, rate);
          },
          "dof"_a, "target"_a, "rate"_a)
      .def(
          "add_effort",
          [](const RobotHandle& r, int d, double effort) {
            NSN_THROW_UNLESS(std::isfinite(effort), "effort {} is not finite", effort);
            add_effort(r.world->get(), r.robot, checked_dof(r, d), effort);
          },
          "dof"_a, "effort"_a)
      .def("clear_efforts", [](const RobotHandle& r) { clear_efforts(r.world->get(), r.robot); })
      .def(
          "link_pose",
          [](const RobotHandle& r, const std::string& name) {
            const int link = r.robot.description->find_link(name);
            NSN_THROW_UNLESS(link >= 0, "the robot has no link '{}'", name);
            const RigidFrame frame = link_frame(r.world->get(), r.robot, link);
            return nb::make_tuple(array(frame.position), array(frame.rotation));
          },
          "link"_a)
      .def("moved_to", &moved_to, "world"_a);
  m.def("build_robot", &build, "world"_a, "description"_a, "position"_a, "orientation"_a, "q"_a,
        "v"_a, "options"_a);
}

}  // namespace nsn::python
