// nsn robot FILE: what a URDF or MJCF file describes, and how our model of it moves.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/cli/words.h"
#include "bench/report/scene_picture.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/own_robots.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/scenes/robot_overlaps.h"
#include "nsn/models/step/simulation.h"

namespace nsn::cli {
namespace {

struct RobotFlags {
  std::string file;
  std::vector<std::string> packages;
  std::string root;
  std::string poses;
  std::string picture;
  bool keep_fixed = false;
  bool triangles = false;
  int hull_points = 0;
  double time_step = 1e-4;
};

using Description = std::shared_ptr<const RobotDescription>;

Row numbers(const Vec3& v) {
  return {v[0], v[1], v[2]};
}
Row numbers(const Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}
Row numbers(const Mat3& A) {
  return {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
}

RobotReadOptions read_options(const RobotFlags& flags) {
  RobotReadOptions options;
  for (const std::string& text : flags.packages) {
    const auto [name, path] = parse_assignment(text);
    options.packages[name] = path;
  }
  options.root = flags.root;
  return options;
}

// ---- the description ----

Row link_row(const RobotDescription& robot, const RobotLink& link) {
  const RobotInertial inertial = robot_inertial(link);
  const Mat3 R = rotation_matrix(inertial.frame.rotation);
  Row row{{"name", link.name},
          {"parent", link.parent < 0 ? "world" : robot.link(link.parent).name},
          {"mass_kg", inertial.mass},
          {"centre_m", numbers(inertial.frame.position)},
          {"inertia_kgm2", numbers(R * inertial.inertia * transpose(R))},
          {"geometries", link.geometry.size()},
          {"between_joints", link.between_joints}};
  return row;
}

Row joint_row(const RobotLink& link, const RobotJoint& joint) {
  Row row{{"name", joint.name},
          {"link", link.name},
          {"type", to_string(joint.kind)},
          {"axis", numbers(joint.axis)},
          {"lower", joint.limit.lower},
          {"upper", joint.limit.upper},
          {"effort", joint.effort},
          {"stiffness", joint.spring.stiffness},
          {"damping", joint.spring.damping},
          {"armature", joint.armature},
          {"friction", joint.friction}};
  if (joint.mimic) row["mimic"] = joint.mimic->joint;
  return row;
}

Row robot_row(const RobotDescription& robot, const World& world, const Robot& built) {
  const auto frames = forward_kinematics(robot, reference_coordinates(robot));
  const RobotInertial total = total_inertial(robot, frames);
  Row row{{"robot", robot.name},
          {"format", robot.format},
          {"links", robot.num_links()},
          {"coordinates", robot.num_coordinates()},
          {"degrees_of_freedom", robot.num_dofs()},
          {"bodies", built.bodies.size()},
          {"joints", world.joints().num_joints()},
          {"shapes", world.shapes().size()},
          {"mass_kg", total.mass},
          {"centre_m", numbers(total.frame.position)},
          {"inertia_kgm2", numbers(total.inertia)}};
  for (const RobotLink& link : robot.links) {
    row["link_list"].push_back(link_row(robot, link));
    for (const RobotJoint& joint : link.joints) row["joint_list"].push_back(joint_row(link, joint));
  }
  for (const RobotActuator& a : robot.actuators) {
    row["actuator_list"].push_back({{"name", a.name},
                                    {"type", to_string(a.kind)},
                                    {"joint", a.joint},
                                    {"gear", a.gear},
                                    {"gain", a.gain}});
  }
  row["warnings"] = robot.warnings;
  for (const std::string& note : built.notes) row["warnings"].push_back(note);
  row["unsupported"] = Row::array();
  for (const UnsupportedFeature& f : robot.unsupported) {
    row["unsupported"].push_back({{"name", f.name}, {"count", f.count}, {"line", f.first.line}});
  }
  return row;
}

std::string limit_text(const RobotJoint& joint) {
  if (joint.kind == RobotJointKind::kFree) return "";
  if (joint.kind == RobotJointKind::kBall) return fmt::format("turn {:.4g}", joint.limit.upper);
  return fmt::format("{:.4g} ... {:.4g}", joint.limit.lower, joint.limit.upper);
}

void print_robot(const RobotDescription& robot, const Row& row) {
  fmt::print(
      "{} ({}): {} links, {} degrees of freedom, {:.6g} kg; {} bodies, {} joints, {} shapes\n\n",
      robot.name, robot.format, robot.num_links(), robot.num_dofs(), row["mass_kg"].get<double>(),
      row["bodies"].get<int>(), row["joints"].get<int>(), row["shapes"].get<int>());
  Table table({{"link"},
               {"parent"},
               {"mass [kg]", Align::kRight},
               {"joint"},
               {"type"},
               {"limits [rad, m]"},
               {"effort", Align::kRight},
               {"shapes", Align::kRight}});
  for (const RobotLink& link : robot.links) {
    const std::string parent = link.parent < 0 ? "world" : robot.link(link.parent).name;
    const auto shapes = std::count_if(link.geometry.begin(), link.geometry.end(),
                                      [](const RobotGeometry& g) { return g.collides; });
    std::vector<std::string> head{link.name, parent,
                                  fmt::format("{:.5g}", robot_inertial(link).mass)};
    if (link.fixed()) {
      table.add({head[0], head[1], head[2], "", "fixed", "", "", std::to_string(shapes)});
    }
    for (std::size_t j = 0; j < link.joints.size(); ++j) {
      const RobotJoint& joint = link.joints[j];
      if (j > 0) head = {"", "", ""};
      table.add({head[0], head[1], head[2], joint.name, to_string(joint.kind), limit_text(joint),
                 fmt::format("{:g}", joint.effort), j == 0 ? std::to_string(shapes) : ""});
    }
  }
  fmt::print("{}", table.text());
  for (const Row& warning : row["warnings"]) {
    fmt::print("warning: {}\n", warning.get<std::string>());
  }
  if (robot.unsupported.empty()) return;
  fmt::print("not used of this file:\n");
  for (const UnsupportedFeature& f : robot.unsupported) {
    fmt::print("  {} ({} x, first in line {})\n", f.name, f.count, f.first.line);
  }
}

// ---- poses ----

Robot place(World& world, const Description& robot, const std::vector<double>& q,
            const std::vector<double>& v) {
  RobotBuildOptions options;
  options.q = q;
  options.v = v;
  options.shapes = false;
  world.gravity = robot->gravity;
  return build_robot(world, robot, options);
}

/// Efforts of drives so stiff that nothing moves, in one step of the built model.
std::vector<double> measured_holding(const Description& description, const std::vector<double>& q) {
  constexpr double kRigid = 1e13;  // N/m, N m/rad
  World world;
  const Robot robot = place(world, description, q, {});
  int ground = robot.base_body;
  if (ground < 0) {
    Body fixed;
    fixed.kind = BodyKind::kStatic;
    ground = world.add_body(fixed);
  }
  for (int d = 0; d < static_cast<int>(robot.dofs.size()); ++d) {
    const RobotDof& dof = robot.at(d);
    if (dof.joint >= 0) {
      JointAxis& axis = world.joint(dof.joint).axes[static_cast<std::size_t>(dof.axis)];
      axis.drive = position_drive(dof.sign * (position(world, robot, d) - dof.reference), kRigid);
      axis.spring.damping = 0.0;
    }
  }
  for (const RobotLink& link : description->links) {
    if (link.fixed() || link.joints[0].num_dofs() == 1) continue;
    const int body =
        robot.body_of_link[static_cast<std::size_t>(description->find_link(link.name))];
    world.add_joint(fixed_joint(body, ground), {.point = world.body(body).position});
  }
  SimulationOptions options;
  // Rounding of positions is seen as 1e-16 m / h^2 of acceleration: a long step, since nothing
  // moves.
  options.h = 0.1;
  options.newton.tolerance = 1e-13;
  Simulation simulation(std::move(world), options, standard_backends());
  simulation.step();
  std::vector<double> efforts(robot.dofs.size(), 0.0);
  for (std::size_t d = 0; d < efforts.size(); ++d) {
    const RobotDof& dof = robot.dofs[d];
    if (dof.joint >= 0) efforts[d] = dof.sign * simulation.drive_effort(dof.joint, dof.axis);
  }
  return efforts;
}

/// Velocities of the robot's own coordinates.
std::vector<double> velocities(const World& world, const Robot& robot) {
  std::vector<double> v;
  int dof = 0;
  const RobotDescription& d = *robot.description;
  for (int k = 0; k < d.num_links(); ++k) {
    for (const RobotJoint& joint : d.link(k).joints) {
      if (joint.num_dofs() == 1) v.push_back(speed(world, robot, dof));
      if (joint.kind == RobotJointKind::kFree) {
        const ConstBodyRef body = world.body(robot.body_of_link[static_cast<std::size_t>(k)]);
        const RigidFrame frame = link_frame(world, robot, k);
        const Vec3 linear =
            body.velocity + cross(body.angular_velocity, frame.position - body.position);
        const Vec3 angular = rotation_matrix(conjugate(frame.rotation)) * body.angular_velocity;
        for (int i = 0; i < 3; ++i) v.push_back(linear[i]);
        for (int i = 0; i < 3; ++i) v.push_back(angular[i]);
      }
      dof += joint.num_dofs();
    }
  }
  return v;
}

/// (v after a step - v before it) / h, of the first and of the second step. The first one starts
/// from a velocity of an instant, the second from one that is a difference of positions, as all
/// later ones: in a motion with curvature (centripetal acceleration) only the second is comparable.
struct Accelerations {
  std::vector<double> first;
  std::vector<double> second;
};
Accelerations accelerations(const Description& description, const std::vector<double>& q,
                            const std::vector<double>& v, double h) {
  World world;
  const Robot robot = place(world, description, q, v);
  std::vector<double> before = velocities(world, robot);
  SimulationOptions options;
  options.h = h;
  options.newton.tolerance = 1e-14;  // of a speed, which is divided by h
  Simulation simulation(std::move(world), options, standard_backends());
  Accelerations result;
  for (std::vector<double>* a : {&result.first, &result.second}) {
    simulation.step();
    const std::vector<double> after = velocities(simulation.world(), robot);
    for (std::size_t i = 0; i < after.size(); ++i) a->push_back((after[i] - before[i]) / h);
    before = after;
  }
  return result;
}

Row pose_row(const Description& robot, const std::vector<double>& q, const std::vector<double>& v,
             double h) {
  const auto frames = forward_kinematics(*robot, q);
  const RobotInertial total = total_inertial(*robot, frames);
  Row row;
  World world;
  const Robot built = place(world, robot, q, v);
  for (int k = 0; k < robot->num_links(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const RigidFrame in_world = link_frame(world, built, k);
    row["frames"].push_back({{"link", robot->link(k).name},
                             {"position_m", numbers(frames[i].position)},
                             {"quaternion", numbers(frames[i].rotation)},
                             {"built_position_m", numbers(in_world.position)},
                             {"built_quaternion", numbers(in_world.rotation)}});
  }
  row["mass_kg"] = total.mass;
  row["centre_m"] = numbers(total.frame.position);
  row["inertia_kgm2"] = numbers(total.inertia);
  row["holding_efforts"] = holding_efforts(*robot, q, robot->gravity);
  row["measured_holding_efforts"] = measured_holding(robot, q);
  const Accelerations a = accelerations(robot, q, v, h);
  row["acceleration"] = a.first;
  row["second_acceleration"] = a.second;
  return row;
}

/// A list of numbers of a pose; empty where it has none of the name.
std::vector<double> numbers_of(const Row& pose, const char* key, const std::string& where) {
  const auto found = pose.find(key);
  if (found == pose.end()) return {};
  const bool good = found->is_array() && std::all_of(found->begin(), found->end(),
                                                     [](const Row& x) { return x.is_number(); });
  if (!good) throw InputError(fmt::format("{}: \"{}\" is not a list of numbers", where, key));
  return found->get<std::vector<double>>();
}

std::vector<Row> pose_rows(const Description& robot, const RobotFlags& flags, bool shows_progress) {
  const Row given = Row::parse(read_text_file(flags.poses), nullptr, false);
  if (!given.is_array()) {
    throw InputError(flags.poses + ": not a JSON list of poses {\"q\": [...], \"v\": [...]}");
  }
  std::vector<Row> rows;
  Progress progress("poses", static_cast<long>(given.size()), shows_progress);
  for (const Row& pose : given) {
    progress.step();
    const std::string where = fmt::format("{}: pose {}", flags.poses, rows.size() + 1);
    if (!pose.is_object() || !pose.contains("q")) throw InputError(where + " has no \"q\"");
    rows.push_back(pose_row(robot, numbers_of(pose, "q", where), numbers_of(pose, "v", where),
                            flags.time_step));
  }
  return rows;
}

int run(const CommonOptions& common, const RobotFlags& flags) {
  const Runtime runtime(common.threads);
  const auto robot =
      std::make_shared<const RobotDescription>(read_named_robot(flags.file, read_options(flags)));
  probe_outputs(common, {flags.picture});
  World world;
  world.gravity = robot->gravity;
  RobotBuildOptions options;
  options.merge_fixed = !flags.keep_fixed;
  options.hulls = !flags.triangles;
  options.hull_points = flags.hull_points;
  const Robot built = build_robot(world, robot, options);
  Row row = robot_row(*robot, world, built);
  for (const std::string& note : ignore_overlaps(world, built, 1e-3))
    row["warnings"].push_back(note);
  if (!flags.poses.empty()) row["poses"] = pose_rows(robot, flags, common.prints_tables());
  if (!flags.picture.empty()) render::write_png(report::picture_of(world), flags.picture);
  if (!common.json.empty()) write_json(common.json, json_report({row}));
  if (common.prints_tables()) print_robot(*robot, row);
  return 0;
}

Completion own_robot_words() {
  Candidates all;
  for (const OwnRobot& robot : own_robots())
    all.push_back({std::string(robot.name), "a robot of our own"});
  return described_words(std::move(all));
}

}  // namespace

void add_robot_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("robot", "read a robot (URDF, MJCF) and say what it is");
  auto common = std::make_shared<CommonOptions>();
  auto flags = std::make_shared<RobotFlags>();
  command
      .add_option("file", flags->file,
                  "URDF or MJCF file, or a robot of our own: " + own_robot_names())
      .required()
      .type_name("FILE")
      .completes(own_robot_words());
  command.add_option("--package", flags->packages, "NAME=PATH of a package:// in the file");
  command
      .add_option("--root", flags->root,
                  "folder outside of which no file is read (default: the nearest parent with a "
                  "package.xml, else the folder of the file)")
      .type_name("DIR");
  command.add_option("--picture", flags->picture, "PNG of its collision shapes").type_name("FILE");
  command.add_option("--poses", flags->poses,
                     "JSON list of {\"q\": [...], \"v\": [...]}: frames, holding efforts and "
                     "first accelerations in the report");
  command.add_option("--time-step", flags->time_step, "of the first acceleration, s")
      .show_default();
  command.add_flag("--keep-fixed", flags->keep_fixed, "fixed links stay bodies of their own");
  command.add_flag("--triangles", flags->triangles, "meshes as triangles, not as convex hulls");
  command
      .add_option("--hull-points", flags->hull_points,
                  "directions along which extreme points make a hull (0: hulls of all points)")
      .range(0, 1'000'000);
  add_threads_option(command, *common);
  add_json_option(command, *common);
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *flags); });
}

}  // namespace nsn::cli
