// URDF: links and joints in any order, a tree by their names.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "nsn/models/robots/xml.h"

namespace nsn::robots {
namespace {

namespace fs = std::filesystem;

constexpr double kDefaultDensity = 1000.0;  // kg/m^3, for links without inertial

struct UrdfJoint {
  std::string child;
  std::string parent;
  RigidFrame frame;
  std::vector<RobotJoint> joints;
  const XMLElement* element = nullptr;
};

class UrdfReader {
 public:
  UrdfReader(XmlFiles& xml, const fs::path& path, const RobotReadOptions& options)
      : xml_(xml), path_(path), options_(options) {}

  RobotDescription read(const XMLElement* root) {
    robot_.format = "URDF";
    robot_.file = path_.string();
    if (const char* name = root->Attribute("name")) robot_.name = name;
    xml_.check_attributes(root, {"name", "version", "xmlns:xacro"});
    for (const auto* e = root->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string_view tag = e->Name();
      if (tag == "link") {
        read_link(e);
      } else if (tag == "joint") {
        read_joint(e);
      } else if (tag != "material") {  // colours
        xml_.unsupported(std::string(tag), e);
      }
    }
    if (links_.empty()) xml_.fail(root, "the robot has no links");
    order_links(root);
    robot_.unsupported = xml_.take_unsupported();
    return std::move(robot_);
  }

 private:
  RigidFrame origin(const XMLElement* parent) {
    RigidFrame frame;
    const XMLElement* e = parent->FirstChildElement("origin");
    if (e == nullptr) return frame;
    xml_.check_attributes(e, {"xyz", "rpy", "quat_xyzw"});
    if (const char* xyz = e->Attribute("xyz")) frame.position = xml_.vector(e, "xyz", xyz);
    if (const char* rpy = e->Attribute("rpy")) {
      const Vec3 a = xml_.vector(e, "rpy", rpy);
      frame.rotation = rotation_about({0, 0, 1}, a[2]) * rotation_about({0, 1, 0}, a[1]) *
                       rotation_about({1, 0, 0}, a[0]);
    }
    if (const char* quat = e->Attribute("quat_xyzw")) {
      const auto q = xml_.quaternion(e, "quat_xyzw", quat);
      frame.rotation = normalized(Quaternion{q[3], q[0], q[1], q[2]});
    }
    return frame;
  }

  void read_inertial(const XMLElement* e, RobotLink& link) {
    RobotInertial inertial;
    inertial.frame = origin(e);
    const XMLElement* mass = e->FirstChildElement("mass");
    if (mass == nullptr) xml_.fail(e, "the inertial of link '{}' has no <mass>", link.name);
    inertial.mass = xml_.number(mass, "mass value", xml_.required(mass, "value"));
    if (inertial.mass < 0.0)
      xml_.fail(mass, "link '{}' has the mass {} kg", link.name, inertial.mass);
    if (const XMLElement* i = e->FirstChildElement("inertia")) {
      const auto entry = [&](const char* name) { return xml_.number_or(i, name, 0.0); };
      const double xy = entry("ixy");
      const double xz = entry("ixz");
      const double yz = entry("iyz");
      inertial.inertia = {entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz")};
      xml_.check_attributes(i, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    }
    if (inertial.mass > 0.0) link.inertial = inertial;
    if (inertial.mass == 0.0) massless_[link.name] = mass;
  }

  /// package://NAME/rest, file://..., or a path beside the file.
  fs::path resolve(const XMLElement* e, const std::string& name) const {
    if (name.rfind("file://", 0) == 0) return name.substr(7);
    if (name.rfind("package://", 0) != 0) {
      return fs::path(name).is_absolute() ? fs::path(name) : path_.parent_path() / name;
    }
    const std::string rest = name.substr(10);
    const auto slash = rest.find('/');
    if (slash == std::string::npos) xml_.fail(e, "'{}' names no file in a package", name);
    const std::string package = rest.substr(0, slash);
    const fs::path file = rest.substr(slash + 1);
    const auto given = options_.packages.find(package);
    const fs::path folder =
        given != options_.packages.end() ? given->second : find_package(package, file);
    xml_.allow(folder);
    return folder / file;
  }

  /// The folder above the file that is called like the package, or that holds it or what is asked for. That of the
  /// system ("/") is none: package://etc/... names no package.
  fs::path find_package(const std::string& package, const fs::path& file) const {
    std::error_code ignored;
    fs::path folder = fs::absolute(path_, ignored).lexically_normal().parent_path();
    fs::path guess = folder;
    for (; folder != folder.root_path(); folder = folder.parent_path()) {
      if (folder.filename() == package) return folder;
      if (fs::exists(folder / package / file, ignored)) return folder / package;
      if (fs::exists(folder / file, ignored)) return folder;
      if (fs::exists(folder / *file.begin(), ignored)) guess = folder;
    }
    return guess;
  }

  std::shared_ptr<const RobotMesh> mesh(const XMLElement* e, bool needed) {
    const std::string name = xml_.required(e, "filename");
    Vec3 scale{1, 1, 1};
    if (const char* text = e->Attribute("scale")) scale = xml_.vector(e, "scale", text);
    const fs::path file = resolve(e, name);
    std::error_code ignored;
    if (!needed) {
      if (!fs::is_regular_file(file, ignored)) {
        missing_visual(e, name);
        return nullptr;
      }
      if (!options_.visual_meshes) return nullptr;
    }
    const std::string key = fmt::format("{} {} {} {}", file.string(), scale[0], scale[1], scale[2]);
    auto& known = meshes_[key];
    if (!known) {
      if (needed && !fs::is_regular_file(file, ignored)) {
        xml_.fail(e, "collision mesh '{}' is missing (looked for {})", name, file.string());
      }
      known = read_mesh(xml_, e, name, file, scale);
    }
    return known;
  }

  void missing_visual(const XMLElement* e, const std::string& name) {
    if (!missing_.insert(name).second) return;
    robot_.warnings.push_back(
        fmt::format("{}: visual mesh '{}' is missing", to_string(xml_.where(e)), name));
  }

  void read_geometry(const XMLElement* e, RobotLink& link, bool collides) {
    RobotGeometry g;
    g.source = xml_.where(e);
    g.frame = origin(e);
    g.collides = collides;
    g.density = collides ? kDefaultDensity : 0.0;
    g.surface.mu = 0.5;
    if (const char* name = e->Attribute("name")) g.name = name;
    const XMLElement* geometry = e->FirstChildElement("geometry");
    const XMLElement* shape = geometry == nullptr ? nullptr : geometry->FirstChildElement();
    if (shape == nullptr) xml_.fail(e, "<{}> of link '{}' has no geometry", e->Name(), link.name);
    if (!read_shape(shape, collides, g)) return;
    link.geometry.push_back(g);
  }

  double positive(const XMLElement* e, const char* name) {
    const double value = xml_.required_number(e, name);
    if (!(value > 0.0)) xml_.fail(e, "{} {} is not positive", name, value);
    return value;
  }

  bool read_shape(const XMLElement* e, bool collides, RobotGeometry& g) {
    const std::string_view tag = e->Name();
    if (tag == "sphere") {
      if (xml_.required_number(e, "radius") == 0.0) {
        robot_.warnings.push_back(
            fmt::format("{}: a sphere of radius 0 is left out", to_string(xml_.where(e))));
        return false;
      }
      g.kind = GeometryKind::kSphere;
      g.size = {positive(e, "radius"), 0, 0};
    } else if (tag == "cylinder" || tag == "capsule") {
      g.kind = tag == "capsule" ? GeometryKind::kCapsule : GeometryKind::kCylinder;
      g.size = {positive(e, "radius"), 0.5 * positive(e, "length"), 0};
    } else if (tag == "box") {
      g.kind = GeometryKind::kBox;
      g.size = 0.5 * xml_.vector(e, "size", xml_.required(e, "size"));
      if (!(g.size[0] > 0.0 && g.size[1] > 0.0 && g.size[2] > 0.0)) {
        xml_.fail(e, "a box without extent");
      }
    } else if (tag == "mesh") {
      xml_.check_attributes(e, {"filename", "scale"});
      g.kind = GeometryKind::kMesh;
      g.mesh = mesh(e, collides);
      return g.mesh != nullptr;
    } else {
      xml_.unsupported("geometry " + std::string(tag), e);
      if (collides) xml_.fail(e, "collision geometry <{}> is not known", tag);
      return false;
    }
    return true;
  }

  void read_link(const XMLElement* e) {
    RobotLink link;
    link.name = xml_.required(e, "name");
    link.source = xml_.where(e);
    xml_.check_attributes(e, {"name"});
    if (links_.count(link.name) > 0) xml_.fail(e, "a second link called '{}'", link.name);
    for (const auto* c = e->FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view tag = c->Name();
      if (tag == "inertial") {
        read_inertial(c, link);
      } else if (tag == "collision" || tag == "visual") {
        read_geometry(c, link, tag == "collision");
      } else {
        xml_.unsupported("link " + std::string(tag), c);
      }
    }
    link_order_.push_back(link.name);
    links_[link.name] = {link, e};
  }

  void read_limit(const XMLElement* e, bool bounded, RobotJoint& joint) {
    const XMLElement* limit = e->FirstChildElement("limit");
    if (limit == nullptr) {
      if (bounded) xml_.fail(e, "joint '{}' needs a <limit>", joint.name);
      return;
    }
    xml_.check_attributes(limit, {"lower", "upper", "effort", "velocity"});
    if (bounded) {
      joint.limit = {xml_.number_or(limit, "lower", 0.0), xml_.number_or(limit, "upper", 0.0)};
    }
    joint.effort = xml_.number_or(limit, "effort", joint.effort);
    joint.velocity = xml_.number_or(limit, "velocity", joint.velocity);
    if (std::isfinite(joint.velocity))
      xml_.unsupported("limit velocity (kept, not enforced)", limit);
  }

  void read_axis(const XMLElement* e, RobotJoint& joint) {
    joint.axis = {1, 0, 0};
    const XMLElement* axis = e->FirstChildElement("axis");
    if (axis == nullptr) return;
    joint.axis = xml_.vector(axis, "xyz", xml_.required(axis, "xyz"));
    if (!(norm(joint.axis) > 0.0)) xml_.fail(axis, "joint '{}' has a zero axis", joint.name);
    joint.axis = normalized(joint.axis);
  }

  void read_dynamics(const XMLElement* e, RobotJoint& joint) {
    if (const XMLElement* d = e->FirstChildElement("dynamics")) {
      xml_.check_attributes(d, {"damping", "friction"});
      joint.spring.damping = xml_.number_or(d, "damping", joint.spring.damping);
      joint.friction = xml_.number_or(d, "friction", joint.friction);
    }
    if (const XMLElement* m = e->FirstChildElement("mimic")) {
      JointMimic mimic;
      mimic.joint = xml_.required(m, "joint");
      mimic.multiplier = xml_.number_or(m, "multiplier", mimic.multiplier);
      mimic.offset = xml_.number_or(m, "offset", mimic.offset);
      joint.mimic = mimic;
    }
  }

  std::string link_name(const XMLElement* e, const char* tag) {
    const XMLElement* c = e->FirstChildElement(tag);
    if (c == nullptr) xml_.fail(e, "joint '{}' has no <{}>", xml_.required(e, "name"), tag);
    return xml_.required(c, "link");
  }

  void read_joint(const XMLElement* e) {
    UrdfJoint entry;
    entry.element = e;
    RobotJoint joint;
    joint.name = xml_.required(e, "name");
    joint.source = xml_.where(e);
    const std::string type = xml_.required(e, "type");
    entry.parent = link_name(e, "parent");
    entry.child = link_name(e, "child");
    entry.frame = origin(e);
    for (const auto* c = e->FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      const std::string_view tag = c->Name();
      constexpr std::string_view kKnown[] = {"parent", "child",    "origin", "axis",
                                             "limit",  "dynamics", "mimic"};
      if (std::find(std::begin(kKnown), std::end(kKnown), tag) == std::end(kKnown)) {
        xml_.unsupported("joint " + std::string(tag), c);
      }
    }
    const bool has_axis = type != "fixed" && type != "floating" && type != "spherical";
    if (has_axis) read_axis(e, joint);  // others have one that means nothing, often zero
    read_dynamics(e, joint);
    if (type == "revolute" || type == "continuous" || type == "prismatic") {
      joint.kind = type == "prismatic" ? RobotJointKind::kSlide : RobotJointKind::kHinge;
      read_limit(e, type != "continuous", joint);
      entry.joints.push_back(joint);
    } else if (type == "floating" || type == "spherical") {
      joint.kind = type == "floating" ? RobotJointKind::kFree : RobotJointKind::kBall;
      entry.joints.push_back(joint);
    } else if (type == "planar") {
      add_planar(joint, entry);
    } else if (type != "fixed") {
      xml_.fail(e, "joint '{}' is of the unknown type '{}'", joint.name, type);
    }
    if (!by_child_.emplace(entry.child, entry).second) {
      xml_.fail(e, "link '{}' has a second parent: the links form no tree", entry.child);
    }
  }

  /// Two slides in the plane across the axis, then a turn about it.
  void add_planar(const RobotJoint& joint, UrdfJoint& entry) {
    const TangentFrame plane = tangent_frame(joint.axis);
    for (int k = 0; k < 3; ++k) {
      RobotJoint part = joint;
      part.kind = k < 2 ? RobotJointKind::kSlide : RobotJointKind::kHinge;
      if (k < 2) part.axis = k == 0 ? plane.t1 : plane.t2;
      part.name = joint.name + (k == 0 ? "/x" : k == 1 ? "/y" : "/turn");
      entry.joints.push_back(part);
    }
  }

  /// Parents before children, otherwise in the order of the file.
  void order_links(const XMLElement* root) {
    std::vector<std::string> roots;
    for (const std::string& name : link_order_) {
      if (by_child_.count(name) == 0) roots.push_back(name);
    }
    for (const auto& [child, joint] : by_child_) {
      for (const std::string& name : {child, joint.parent}) {
        if (links_.count(name) == 0) {
          xml_.fail(joint.element, "there is no link '{}'", name);
        }
      }
    }
    if (roots.empty()) xml_.fail(root, "the links form a cycle: none of them has no parent");
    if (roots.size() > 1) {
      xml_.fail(links_[roots[1]].second, "links '{}' and '{}' both have no parent: not one robot",
                roots[0], roots[1]);
    }
    place_tree(roots[0]);
    for (const std::string& name : link_order_) {
      if (placed_.count(name) == 0) {
        xml_.fail(by_child_[name].element, "link '{}' is part of a cycle", name);
      }
    }
  }

  /// The tree below a link, depth first.
  void place_tree(const std::string& root_name) {
    std::map<std::string, std::vector<std::string>> children;
    for (const std::string& name : link_order_) {
      const auto joint = by_child_.find(name);
      if (joint != by_child_.end()) children[joint->second.parent].push_back(name);
    }
    std::vector<std::pair<std::string, int>> open{{root_name, -1}};
    while (!open.empty()) {
      const auto [name, parent] = open.back();
      open.pop_back();
      const int self = place(name, parent);
      const auto& below = children[name];
      for (auto child = below.rbegin(); child != below.rend(); ++child)
        open.emplace_back(*child, self);
    }
  }

  int place(const std::string& name, int parent) {
    RobotLink link = links_[name].first;
    link.parent = parent;
    const auto joint = by_child_.find(name);
    if (joint != by_child_.end()) {
      link.frame = joint->second.frame;
      link.joints = joint->second.joints;
      const auto massless = massless_.find(name);
      if (massless != massless_.end() && !link.joints.empty()) {
        xml_.fail(massless->second, "link '{}' moves, but its mass is 0", name);
      }
    }
    if (massless_.count(name) > 0) {  // its shapes do not tell otherwise
      for (RobotGeometry& g : link.geometry) g.mass = 0.0;
    }
    placed_.insert(name);
    robot_.links.push_back(std::move(link));
    return robot_.num_links() - 1;
  }

  XmlFiles& xml_;
  const fs::path& path_;
  const RobotReadOptions& options_;
  RobotDescription robot_;
  std::map<std::string, std::pair<RobotLink, const XMLElement*>> links_;
  std::vector<std::string> link_order_;
  std::map<std::string, UrdfJoint> by_child_;
  std::set<std::string> placed_;
  std::map<std::string, const XMLElement*> massless_;
  std::map<std::string, std::shared_ptr<const RobotMesh>> meshes_;
  std::set<std::string> missing_;
};

}  // namespace

RobotDescription read_urdf(XmlFiles& xml, const XMLElement* root, const fs::path& path,
                           const RobotReadOptions& options) {
  return UrdfReader(xml, path, options).read(root);
}

}  // namespace nsn::robots
