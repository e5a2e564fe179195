// MJCF: nested bodies, default classes, includes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <sstream>

#include "nsn/core/base/types.h"
#include "nsn/models/robots/height_field.h"
#include "nsn/models/robots/kinematics.h"
#include "nsn/models/robots/xml.h"

namespace nsn::robots {
namespace {

namespace fs = std::filesystem;

using Attributes = std::map<std::string, std::string, std::less<>>;
/// Attributes by element name.
using DefaultClass = std::map<std::string, Attributes, std::less<>>;
using Names = std::initializer_list<std::string_view>;

const Names kFrameNames{"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// What <compiler> sets.
struct Compiler {
  double angle = std::numbers::pi / 180.0;  ///< rad per unit
  std::string eulerseq = "xyz";
  fs::path meshdir;
  bool autolimits = true;
  std::string inertiafromgeom = "auto";
  double total_mass = 0.0;     ///< kg; <= 0: as it is
  double least_mass = 0.0;     ///< kg, of every body
  double least_inertia = 0.0;  ///< kg m^2, of every principal axis
};

/// The shortest turn of z onto v.
Quaternion turn_z_onto(const Vec3& v) {
  const Vec3 n = normalized(v);
  if (n[2] < -1.0 + 1e-14) return {0.0, 1.0, 0.0, 0.0};
  return normalized(Quaternion{1.0 + n[2], -n[1], n[0], 0.0});
}

/// x onto v, z as close to up as it can be; where v is up itself, z onto x.
Quaternion turn_x_onto(const Vec3& v) {
  const Vec3 x = normalized(v);
  const Vec3 up = std::abs(x[2]) > 1.0 - 1e-12 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  const Vec3 z = normalized(up - dot(up, x) * x);
  return quaternion_of(columns(x, cross(z, x), z));
}

class MjcfReader {
 public:
  MjcfReader(XmlFiles& xml, const fs::path& path, const RobotReadOptions& options)
      : xml_(xml), path_(path), options_(options) {
    included_.insert(fs::weakly_canonical(path).string());
    within_.push_back(fs::weakly_canonical(path).string());
  }

  RobotDescription read(const XMLElement* root) {
    robot_.format = "MJCF";
    robot_.file = path_.string();
    if (const char* name = root->Attribute("model")) robot_.name = name;
    const auto sections = children(root);
    each(sections, "compiler", [&](const XMLElement* e) { read_compiler(e); });
    classes_["main"];
    each(sections, "default", [&](const XMLElement* e) { read_default(e, "main", true); });
    each(sections, "asset", [&](const XMLElement* e) { read_assets(e); });
    each(sections, "option", [&](const XMLElement* e) { read_option(e); });
    each(sections, "worldbody", [&](const XMLElement* e) { read_children(e, -1, {}, "main"); });
    each(sections, "contact", [&](const XMLElement* e) { read_contact(e); });
    each(sections, "tendon", [&](const XMLElement* e) { read_tendons(e); });
    each(sections, "equality", [&](const XMLElement* e) { read_equality(e); });
    each(sections, "actuator", [&](const XMLElement* e) { read_actuators(e); });
    each(sections, "deformable", [&](const XMLElement* e) { check_deformable(e); });
    keep_acting_tendons();
    each(sections, "option", [&](const XMLElement* e) { apply_flags(e); });
    note_other_sections(sections);
    if (robot_.links.empty()) xml_.fail(root, "the model has no bodies");
    bound_inertia();
    set_total_mass();
    tune_springs();
    const bool within = within_.size() > 1;  // the whole model tells
    if (!within) robot_.unsupported = xml_.take_unsupported();
    return std::move(robot_);
  }

 private:
  // ---- elements, includes, attributes ----

  /// Children with <include> replaced by what it includes.
  std::vector<const XMLElement*> children(const XMLElement* parent) {
    std::vector<const XMLElement*> list;
    for (const auto* e = parent->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (std::string_view(e->Name()) != "include") {
        list.push_back(e);
        continue;
      }
      const fs::path file = beside(e, xml_.required(e, "file"));
      std::error_code ignored;
      if (!fs::is_regular_file(file, ignored)) {
        xml_.fail(e, "included file {} is missing", file.string());
      }
      xml_.check_allowed(e, file);
      if (!included_.insert(fs::weakly_canonical(file).string()).second) {
        xml_.fail(e, "{} is included a second time", file.string());
      }
      const auto more = children(xml_.read(file));
      list.insert(list.end(), more.begin(), more.end());
    }
    return list;
  }

  /// A file that element e names: beside the model, else beside the file that e is in.
  fs::path beside(const XMLElement* e, const fs::path& name) const {
    std::error_code ignored;
    const fs::path file = path_.parent_path() / name;
    const fs::path own = fs::path(xml_.where(e).file).parent_path() / name;
    return !fs::exists(file, ignored) && fs::exists(own, ignored) ? own : file;
  }

  static void each(const std::vector<const XMLElement*>& list, std::string_view tag,
                   const std::function<void(const XMLElement*)>& visit) {
    for (const XMLElement* e : list) {
      if (tag == e->Name()) visit(e);
    }
  }

  void note_other_sections(const std::vector<const XMLElement*>& sections) {
    constexpr std::string_view kRead[] = {"compiler",  "default",   "asset",    "option",
                                          "worldbody", "contact",   "equality", "actuator",
                                          "tendon",    "deformable"};
    for (const XMLElement* e : sections) {
      if (std::find(std::begin(kRead), std::end(kRead), e->Name()) != std::end(kRead)) continue;
      xml_.unsupported(e->Name(), e);
    }
  }

  /// An element with the attributes of its default class behind its own.
  struct Element {
    const XMLElement* xml = nullptr;
    const Attributes* defaults = nullptr;

    const char* get(const char* name) const {
      if (const char* own = xml->Attribute(name)) return own;
      if (defaults == nullptr) return nullptr;
      const auto found = defaults->find(name);
      return found == defaults->end() ? nullptr : found->second.c_str();
    }
    std::string text(const char* name, const char* missing) const {
      const char* value = get(name);
      return value == nullptr ? missing : value;
    }
  };

  Element with_defaults(const XMLElement* e, const std::string& inherited) {
    return with_defaults(e, inherited, e->Name());
  }
  /// Defaults of another element than e's.
  Element with_defaults(const XMLElement* e, const std::string& inherited, const char* as) {
    const char* own = e->Attribute("class");
    const std::string name = own != nullptr ? own : inherited;
    const auto found = classes_.find(name);
    if (found == classes_.end()) xml_.fail(e, "there is no default class '{}'", name);
    const auto attributes = found->second.find(as);
    return {e, attributes == found->second.end() ? nullptr : &attributes->second};
  }

  void check(const Element& element, Names known, Names more = {}) {
    const auto listed = [&](std::string_view name) {
      return name == "class" || name == "name" ||
             std::find(known.begin(), known.end(), name) != known.end() ||
             std::find(more.begin(), more.end(), name) != more.end();
    };
    const auto note = [&](const std::string& name) {
      if (!listed(name))
        xml_.unsupported(fmt::format("{} {}", element.xml->Name(), name), element.xml);
    };
    for (const auto* a = element.xml->FirstAttribute(); a != nullptr; a = a->Next())
      note(a->Name());
    if (element.defaults == nullptr) return;
    for (const auto& [name, value] : *element.defaults) note(name);
  }

  double number(const Element& e, const char* name, double missing) const {
    const char* text = e.get(name);
    return text == nullptr ? missing : xml_.number(e.xml, name, text);
  }
  /// The first of several numbers.
  double first_number(const Element& e, const char* name, double missing) const {
    const char* text = e.get(name);
    if (text == nullptr) return missing;
    const auto values = xml_.numbers(e.xml, name, text);
    if (values.empty()) xml_.fail(e.xml, "{} is empty", name);
    return values[0];
  }
  Vec3 vector(const Element& e, const char* name, const Vec3& missing) const {
    const char* text = e.get(name);
    return text == nullptr ? missing : xml_.vector(e.xml, name, text);
  }
  Vec3 direction(const Element& e, const char* name, const Vec3& v) const {
    if (!(norm(v) > 0.0)) xml_.fail(e.xml, "{} has no direction", name);
    return normalized(v);
  }

  Quaternion rotation(const Element& e) const {
    if (const char* text = e.get("quat")) {
      const auto q = xml_.numbers(e.xml, "quat", text, 4);
      if (q == std::vector<double>(4, 0.0)) xml_.fail(e.xml, "quat is zero");
      return normalized(Quaternion{q[0], q[1], q[2], q[3]});
    }
    if (const char* text = e.get("axisangle")) {
      const auto v = xml_.numbers(e.xml, "axisangle", text, 4);
      return rotation_about(direction(e, "axisangle", {v[0], v[1], v[2]}), compiler_.angle * v[3]);
    }
    if (const char* text = e.get("euler")) return euler(xml_.vector(e.xml, "euler", text));
    if (const char* text = e.get("xyaxes")) {
      const auto v = xml_.numbers(e.xml, "xyaxes", text, 6);
      const Vec3 x = direction(e, "xyaxes", {v[0], v[1], v[2]});
      const Vec3 given{v[3], v[4], v[5]};
      const Vec3 y = direction(e, "xyaxes", given - dot(x, given) * x);
      return quaternion_of(columns(x, y, cross(x, y)));
    }
    if (const char* text = e.get("zaxis")) {
      return turn_z_onto(direction(e, "zaxis", xml_.vector(e.xml, "zaxis", text)));
    }
    return {};
  }

  Quaternion euler(const Vec3& angles) const {
    Quaternion q;
    for (int k = 0; k < 3; ++k) {
      const char c = compiler_.eulerseq[static_cast<std::size_t>(k)];
      const bool fixed_axes = c < 'a';
      Vec3 axis;
      axis[fixed_axes ? c - 'X' : c - 'x'] = 1.0;
      const Quaternion turn = rotation_about(axis, compiler_.angle * angles[k]);
      q = fixed_axes ? turn * q : q * turn;
    }
    return q;
  }

  RigidFrame frame(const Element& e) const { return {vector(e, "pos", {}), rotation(e)}; }

  /// No body is lighter, and no principal moment smaller, than the compiler allows.
  void bound_inertia() {
    if (!(compiler_.least_mass > 0.0) && !(compiler_.least_inertia > 0.0)) return;
    for (RobotLink& l : robot_.links) {
      RobotInertial all = robot_inertial(l);
      const SymmetricEigen principal = symmetric_eigen(all.inertia);
      const double smallest =
          std::min({principal.values[0], principal.values[1], principal.values[2]});
      if (all.mass >= compiler_.least_mass && smallest >= compiler_.least_inertia) continue;
      all.mass = std::max(all.mass, compiler_.least_mass);
      Vec3 moments;
      for (int i = 0; i < 3; ++i) {
        moments[i] = std::max(principal.values[i], compiler_.least_inertia);
      }
      all.inertia = principal.vectors * diagonal(moments) * transpose(principal.vectors);
      l.inertial = all;
    }
  }

  /// Springs and dampers that are told by a time constant T and a damping ratio z: with the inertia
  /// that the coordinate meets at the reference, k = I / (T z)^2 and d = 2 I / T.
  void tune_springs() {
    if (tuned_.empty()) return;
    const auto inertia = free_inertias(robot_, reference_coordinates(robot_));
    for (const auto& [k, j, time, ratio] : tuned_) {
      std::size_t dof = j;
      for (int i = 0; i < k; ++i) {
        for (const RobotJoint& joint : link(i).joints) dof += to_size(joint.num_dofs());
      }
      RobotJoint& joint = link(k).joints[j];
      joint.spring.stiffness = inertia[dof] / (time * time * ratio * ratio);
      joint.spring.damping = 2.0 * inertia[dof] / time;
    }
  }

  /// Density everywhere times what makes the mass of all bodies the stated one.
  void set_total_mass() {
    if (!(compiler_.total_mass > 0.0)) return;
    std::vector<RobotInertial> all;
    double sum = 0.0;
    for (const RobotLink& l : robot_.links) {
      all.push_back(robot_inertial(l));
      sum += all.back().mass;
    }
    if (!(sum > 0.0)) return;
    const double factor = compiler_.total_mass / sum;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!(all[k].mass > 0.0)) continue;
      all[k].mass *= factor;
      all[k].inertia = factor * all[k].inertia;
      robot_.links[k].inertial = all[k];
    }
  }

  /// A range that holds only if it is limited.
  JointLimit range(const Element& e, const char* name, const char* limited, double unit) const {
    const char* text = e.get(name);
    const std::string when = e.text(limited, "auto");
    if (when != "true" && when != "false" && when != "auto") {
      xml_.fail(e.xml, "{} is '{}', not true, false or auto", limited, when);
    }
    if (when == "false" || (when == "auto" && (text == nullptr || !compiler_.autolimits)))
      return {};
    if (text == nullptr) xml_.fail(e.xml, "{} is true, but there is no {}", limited, name);
    const auto v = xml_.numbers(e.xml, name, text, 2);
    if (v[0] > v[1]) xml_.fail(e.xml, "{} [{}, {}] is crossed", name, v[0], v[1]);
    return {unit * v[0], unit * v[1]};
  }

  // ---- settings ----

  void read_compiler(const XMLElement* e) {
    xml_.check_attributes(
        e, {"angle", "eulerseq", "meshdir", "assetdir", "autolimits", "coordinate",
            "inertiafromgeom", "texturedir", "settotalmass", "boundmass", "boundinertia"});
    const std::pair<const char*, double*> bounds[] = {{"boundmass", &compiler_.least_mass},
                                                      {"boundinertia", &compiler_.least_inertia}};
    for (const auto& [name, value] : bounds) {
      if (const char* text = e->Attribute(name)) *value = xml_.number(e, name, text);
    }
    if (const char* text = e->Attribute("settotalmass")) {
      compiler_.total_mass = xml_.number(e, "settotalmass", text);
    }
    if (const char* text = e->Attribute("angle")) {
      const std::string_view unit = text;
      if (unit != "degree" && unit != "radian") xml_.fail(e, "angle is '{}'", unit);
      compiler_.angle = unit == "radian" ? 1.0 : std::numbers::pi / 180.0;
    }
    if (const char* text = e->Attribute("eulerseq")) {
      compiler_.eulerseq = text;
      if (compiler_.eulerseq.size() != 3 ||
          compiler_.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos) {
        xml_.fail(e, "eulerseq is '{}', not three of xyzXYZ", text);
      }
    }
    for (const char* name : {"assetdir", "meshdir"}) {
      if (const char* text = e->Attribute(name)) compiler_.meshdir = text;
    }
    if (const char* text = e->Attribute("autolimits")) {
      compiler_.autolimits = xml_.flag(e, "autolimits", text);
    }
    if (const char* text = e->Attribute("coordinate")) {
      if (std::string_view(text) != "local") xml_.fail(e, "coordinate is '{}', not local", text);
    }
    if (const char* text = e->Attribute("inertiafromgeom")) {
      compiler_.inertiafromgeom = text;
      if (compiler_.inertiafromgeom != "auto") xml_.flag(e, "inertiafromgeom", text);
    }
  }

  void read_option(const XMLElement* e) {
    xml_.check_attributes(e, {"gravity", "density", "viscosity"});
    const std::pair<const char*, double*> fluid[] = {{"density", &robot_.fluid.density},
                                                     {"viscosity", &robot_.fluid.viscosity}};
    for (const auto& [name, value] : fluid) {
      const char* text = e->Attribute(name);
      if (text != nullptr) *value = xml_.number(e, name, text);
      if (!(*value >= 0.0)) xml_.fail(e, "{} {} is negative", name, *value);
    }
    if (const char* text = e->Attribute("gravity"))
      robot_.gravity = xml_.vector(e, "gravity", text);
    for (const XMLElement* c : children(e)) {
      if (std::string_view(c->Name()) != "flag") {
        xml_.unsupported(std::string("option ") + c->Name(), c);
        continue;
      }
      xml_.check_attributes(c, {"constraint", "contact", "limit", "equality", "frictionloss",
                                "gravity", "passive", "spring", "damper", "actuation", "energy"});
    }
  }

  /// What <flag> turns off is gone.
  void apply_flags(const XMLElement* option) {
    for (const XMLElement* c : children(option)) {
      if (std::string_view(c->Name()) != "flag") continue;
      const auto off = [&](const char* name) {
        const char* text = c->Attribute(name);
        return text != nullptr && std::string_view(text) == "disable";
      };
      const bool all = off("constraint");
      if (off("gravity")) robot_.gravity = {};
      if (all || off("contact")) drop_contacts();
      if (all || off("equality")) drop_equalities();
      if (off("actuation")) robot_.actuators.clear();
      for_each_joint([&](auto& joint) {  // of joints and tendons
        if (all || off("limit")) joint.limit = {};
        if (all || off("frictionloss")) joint.friction = 0.0;
        if (off("passive") || off("spring")) joint.spring.stiffness = 0.0;
        if (off("passive") || off("damper")) joint.spring.damping = 0.0;
      });
      if (off("passive")) robot_.fluid = {};
      for (RobotTendon& tendon : robot_.tendons) {
        if (off("actuation")) tendon.servos.clear();
      }
    }
  }

  template <class Visit>
  void for_each_joint(const Visit& visit) {
    for (RobotLink& l : robot_.links) {
      for (RobotJoint& joint : l.joints) visit(joint);
    }
    for (RobotTendon& tendon : robot_.tendons) visit(tendon);
  }

  void drop_contacts() {
    for (RobotGeometry& g : robot_.world_geometry) g.collides = false;
    for (RobotLink& l : robot_.links) {
      for (RobotGeometry& g : l.geometry) g.collides = false;
    }
  }

  void drop_equalities() {
    robot_.holds.clear();
    for (RobotTendon& tendon : robot_.tendons) tendon.held.reset();
    for (RobotLink& l : robot_.links) {
      for (RobotJoint& joint : l.joints) joint.mimic.reset();
    }
  }

  void read_default(const XMLElement* e, const std::string& parent, bool top) {
    std::string name = "main";
    if (const char* own = e->Attribute("class")) name = own;
    if (!top) {
      if (e->Attribute("class") == nullptr) xml_.fail(e, "a nested <default> needs a class");
      if (!classes_.emplace(name, classes_.at(parent)).second) {
        xml_.fail(e, "a second default class '{}'", name);
      }
    } else if (name != "main") {
      classes_.emplace(name, classes_.at("main"));
    }
    const auto inside = children(e);
    for (const XMLElement* c : inside) {
      if (std::string_view(c->Name()) == "default") continue;
      Attributes& attributes = classes_.at(name)[c->Name()];
      for (const auto* a = c->FirstAttribute(); a != nullptr; a = a->Next()) {
        attributes[a->Name()] = a->Value();
      }
    }
    for (const XMLElement* c : inside) {
      if (std::string_view(c->Name()) == "default") read_default(c, name, false);
    }
  }

  // ---- meshes ----

  struct MeshAsset {
    Element element;
    fs::path file;
    std::shared_ptr<const RobotMesh> mesh;
  };

  void read_assets(const XMLElement* e) {
    for (const XMLElement* c : children(e)) {
      if (std::string_view(c->Name()) == "model") {
        read_model(c);
        continue;
      }
      if (std::string_view(c->Name()) == "hfield") {
        read_terrain(c);
        continue;
      }
      if (std::string_view(c->Name()) != "mesh") {
        xml_.unsupported(std::string("asset ") + c->Name(), c);
        continue;
      }
      const Element element = with_defaults(c, "main");
      check(element, {"file", "scale", "inertia", "refpos", "refquat", "vertex", "face"});
      MeshAsset asset{element, {}, nullptr};
      const char* file = element.get("file");
      if (file != nullptr) asset.file = beside(c, compiler_.meshdir / file);
      std::string name = element.text("name", "");
      if (name.empty()) name = fs::path(file == nullptr ? "" : file).stem().string();
      if (name.empty()) xml_.fail(c, "a mesh without name and file");
      if (!meshes_.emplace(name, asset).second) xml_.fail(c, "a second mesh called '{}'", name);
    }
  }

  /// Heights over a grid, 0 where none are given (programs fill them in later).
  void read_terrain(const XMLElement* e) {
    const Element element{e, nullptr};
    check(element, {"nrow", "ncol", "size", "elevation", "file", "content_type"});
    const std::string name = xml_.required(e, "name");
    if (e->Attribute("file") != nullptr) {
      xml_.fail(e, "height field '{}' is an image, which is not read; `elevation` is", name);
    }
    HeightField field;
    const double rows = xml_.number(e, "nrow", xml_.required(e, "nrow"));
    const double columns = xml_.number(e, "ncol", xml_.required(e, "ncol"));
    const auto size = xml_.numbers(e, "size", xml_.required(e, "size"), 4);
    for (const double count : {rows, columns}) {
      if (count != std::floor(count) || !(count >= 2.0) || count > 4096.0) {
        xml_.fail(e, "height field '{}' has {} rows or columns, not 2 to 4096", name, count);
      }
    }
    for (const double length : size) {
      if (!(length > 0.0))
        xml_.fail(e, "size {} of height field '{}' is not positive", length, name);
    }
    field.rows = static_cast<int>(rows);
    field.columns = static_cast<int>(columns);
    field.half_x = size[0];
    field.half_y = size[1];
    field.base = size[3];
    field.height.assign(static_cast<std::size_t>(rows * columns), 0.0);
    if (const char* text = e->Attribute("elevation")) {
      const auto given = xml_.numbers(e, "elevation", text, field.height.size());
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
    if (!terrains_.emplace(name, mesh).second) {
      xml_.fail(e, "a second height field called '{}'", name);
    }
  }

  // ---- models within the model ----

  void read_model(const XMLElement* e) {
    const fs::path file = beside(e, xml_.required(e, "file"));
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) xml_.fail(e, "model {} is missing", file.string());
    xml_.check_allowed(e, file);
    const std::string real = fs::weakly_canonical(file).string();
    if (std::find(within_.begin(), within_.end(), real) != within_.end()) {
      xml_.fail(e, "{} attaches itself", file.string());
    }
    const char* name = e->Attribute("name");
    const XMLElement* const root = xml_.read(file);
    MjcfReader reader(xml_, file, options_);
    reader.within_.insert(reader.within_.end(), within_.begin(), within_.end());
    models_[name != nullptr                       ? name
            : root->Attribute("model") != nullptr ? root->Attribute("model")
                                                  : file.stem().string()] = reader.read(root);
  }

  /// A body of another model and everything below it, here, with a prefix before every name.
  void attach(const XMLElement* e, int to, const RigidFrame& where) {
    check({e, nullptr}, {"model", "body", "prefix"});
    const std::string name = xml_.required(e, "model");
    const auto model = models_.find(name);
    if (model == models_.end()) xml_.fail(e, "there is no model '{}'", name);
    const RobotDescription& from = model->second;
    const std::string body = xml_.required(e, "body");
    const int top = from.find_link(body);
    if (top < 0) xml_.fail(e, "model '{}' has no body '{}'", name, body);
    const char* given = e->Attribute("prefix");
    const std::string prefix = given == nullptr ? "" : given;
    const auto rename = [&](std::string& text) {
      if (!text.empty()) text = prefix + text + copy_;
    };
    std::map<int, int> place;  // here, of the links there
    for (int k = top; k < from.num_links(); ++k) {
      RobotLink link = from.link(k);
      if (k != top && place.count(link.parent) == 0) continue;
      link.parent = k == top ? to : place[link.parent];
      if (k == top) link.frame = where * link.frame;
      rename(link.name);
      for (RobotJoint& joint : link.joints) {
        if (joint.kind == RobotJointKind::kFree && link.parent >= 0) {
          xml_.fail(e, "the free joint '{}' would not be on a body of the world", joint.name);
        }
        rename(joint.name);
        if (joint.mimic) rename(joint.mimic->joint);
      }
      place[k] = robot_.num_links();
      robot_.links.push_back(std::move(link));
    }
    attach_what_acts(e, from, place, rename);
  }

  /// Copies of what refers to links and joints, where all of these have copies: `place` of each.
  void attach_what_acts(const XMLElement* e, const RobotDescription& from,
                        std::map<int, int>& place,
                        const std::function<void(std::string&)>& rename) {
    const auto both = [&](int a, int b,
                          const std::string& what) {  // one that ends at its world has none
      if ((a < 0 && place.count(b) > 0) || (b < 0 && place.count(a) > 0)) {
        xml_.fail(e, "'{}' ends at the world of its own model, which is not attached", what);
      }
      return place.count(a) > 0 && place.count(b) > 0;
    };
    for (RobotActuator actuator : from.actuators) {
      if (place.count(from.find_joint(actuator.joint).first) == 0) continue;
      rename(actuator.joint);
      rename(actuator.name);
      robot_.actuators.push_back(std::move(actuator));
    }
    for (const auto& [a, b] : from.excluded) {
      if (place.count(a) > 0 && place.count(b) > 0)
        robot_.excluded.emplace_back(place[a], place[b]);
    }
    for (RobotSite site : from.sites) {
      if (place.count(site.link) == 0) continue;
      site.link = place[site.link];
      rename(site.name);
      robot_.sites.push_back(std::move(site));
    }
    for (RobotHold hold : from.holds) {
      if (!both(hold.link_a, hold.link_b, hold.name)) continue;
      hold.link_a = place[hold.link_a];
      hold.link_b = place[hold.link_b];
      rename(hold.name);
      robot_.holds.push_back(std::move(hold));
    }
    for (RobotTendon tendon : from.tendons) {
      bool here = true;
      for (TendonLength* length :
           {&tendon.length, tendon.leader ? &tendon.leader->length : nullptr}) {
        if (length == nullptr) continue;
        for (auto& [joint, weight] : length->joints) {
          here = here && place.count(from.find_joint(joint).first) > 0;
          rename(joint);
        }
      }
      for_each_segment(tendon, [&](TendonSegment& segment) {
        here = both(segment.link_a, segment.link_b, tendon.name) && here;
        if (!here) return;
        segment.link_a = place[segment.link_a];
        segment.link_b = place[segment.link_b];
      });
      rename(tendon.name);
      if (here) robot_.tendons.push_back(std::move(tendon));
    }
  }

  std::shared_ptr<const RobotMesh> mesh(const XMLElement* user, const std::string& name) {
    const auto found = meshes_.find(name);
    if (found == meshes_.end()) xml_.fail(user, "there is no mesh '{}'", name);
    MeshAsset& asset = found->second;
    if (asset.mesh) return asset.mesh;
    const Element& e = asset.element;
    auto loaded =
        std::make_shared<RobotMesh>(asset.file.empty() ? vertices_of(e, name)
                                                       : *read_mesh(xml_, e.xml, name, asset.file,
                                                                    vector(e, "scale", {1, 1, 1})));
    const RigidFrame reference{vector(e, "refpos", {}), reference_turn(e)};
    const RigidFrame back = inverse(reference);
    for (Vec3& v : loaded->surface.vertex) v = back.point(v);
    const std::string how = e.text("inertia", "legacy");
    if (how == "convex") loaded->inertia = MeshInertia::kConvex;
    if (how == "exact") loaded->inertia = MeshInertia::kExact;
    if (how != "convex" && how != "exact" && how != "legacy") {
      xml_.unsupported("mesh inertia=" + how, e.xml);
    }
    asset.mesh = loaded;
    return asset.mesh;
  }

  /// Vertices in the model, and faces, or the hull of the vertices.
  RobotMesh vertices_of(const Element& e, const std::string& name) const {
    const char* text = e.get("vertex");
    if (text == nullptr) xml_.fail(e.xml, "mesh '{}' has neither a file nor vertices", name);
    const auto x = xml_.numbers(e.xml, "vertex", text);
    if (x.size() < 12 || x.size() % 3 != 0) {
      xml_.fail(e.xml, "mesh '{}': {} numbers are not the coordinates of four or more vertices",
                name, x.size());
    }
    const Vec3 scale = vector(e, "scale", {1, 1, 1});
    RobotMesh mesh;
    mesh.name = name;
    for (std::size_t k = 0; k < x.size(); k += 3) {
      mesh.surface.vertex.push_back({scale[0] * x[k], scale[1] * x[k + 1], scale[2] * x[k + 2]});
    }
    const char* faces = e.get("face");
    if (faces == nullptr) {
      try {
        mesh.surface = hull_surface(mesh.surface);
      } catch (const std::invalid_argument& error) {
        xml_.fail(e.xml, "mesh '{}': {}", name, error.what());
      }
      return mesh;
    }
    const auto corners = xml_.numbers(e.xml, "face", faces);
    const std::size_t vertices = x.size() / 3;
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
      std::array<Index, 3> triangle{};
      for (std::size_t i = 0; i < 3; ++i) {
        const double v = corners[k + i];
        if (v != std::floor(v) || v < 0.0 || v >= static_cast<double>(vertices)) {
          xml_.fail(e.xml, "mesh '{}' has no vertex {}", name, v);
        }
        triangle[i] = static_cast<Index>(v);
      }
      mesh.surface.triangle.push_back(triangle);
    }
    if (scale[0] * scale[1] * scale[2] < 0.0) {  // mirrored: the outside stays outside
      for (auto& t : mesh.surface.triangle) std::swap(t[1], t[2]);
    }
    return mesh;
  }

  Quaternion reference_turn(const Element& e) const {
    const char* text = e.get("refquat");
    if (text == nullptr) return {};
    const auto q = xml_.numbers(e.xml, "refquat", text, 4);
    if (q == std::vector<double>(4, 0.0)) xml_.fail(e.xml, "refquat is zero");
    return normalized(Quaternion{q[0], q[1], q[2], q[3]});
  }

  // ---- bodies ----

  void read_children(const XMLElement* parent, int link, const RigidFrame& where,
                     const std::string& inherited) {
    const auto list = children(parent);
    if (link >= 0) {
      each(list, "inertial", [&](const XMLElement* e) { read_inertial(e, link); });
    }
    for (const XMLElement* e : list) {
      const std::string_view tag = e->Name();
      if (tag == "body") {
        read_body(e, link, where, inherited);
      } else if (tag == "geom") {
        read_geom(e, link, where, inherited);
      } else if (tag == "joint" || tag == "freejoint") {
        read_joint(e, link, where, inherited);
      } else if (tag == "frame") {
        const Element element{e, nullptr};
        check(element, kFrameNames, {"childclass"});
        read_children(e, link, where * frame(element), childclass(e, inherited));
      } else if (tag == "replicate") {
        read_replicate(e, link, where, inherited);
      } else if (tag == "attach") {
        attach(e, link, where);
      } else if (tag == "composite" && e->Attribute("type") != nullptr &&
                 std::string_view(e->Attribute("type")) == "cable") {
        read_cable(e, link, where, inherited);
      } else if (tag == "flexcomp" || tag == "composite") {
        xml_.fail(e, "<{}> makes bodies that deform, which are not read from this format", tag);
      } else if (tag == "site") {
        const Element site = with_defaults(e, inherited);
        robot_.sites.push_back({named(site), link, where * site_frame(site)});
      } else if (tag != "inertial") {
        xml_.unsupported("body " + std::string(tag), e);
      }
    }
  }

  RigidFrame site_frame(const Element& e) const {
    const char* ends = e.get("fromto");
    if (ends == nullptr) return frame(e);
    const auto v = xml_.numbers(e.xml, "fromto", ends, 6);
    const Vec3 from{v[0], v[1], v[2]};
    const Vec3 to{v[3], v[4], v[5]};
    return {0.5 * (from + to), turn_z_onto(direction(e, "fromto", from - to))};
  }

  /// The name of an element, and of which copy it is.
  std::string named(const Element& e) const {
    const std::string name = e.text("name", "");
    return name.empty() ? name : name + copy_;
  }

  /// A straight chain of rods along x of their bodies, a ball joint each; no stiffness of its own (a plugin
  /// has that).
  void read_cable(const XMLElement* e, int parent, const RigidFrame& where,
                  const std::string& inherited) {
    const Element element{e, nullptr};
    check(element, {"type", "count", "offset", "curve", "size", "initial", "prefix"});
    const auto count = xml_.numbers(e, "count", xml_.required(e, "count"));
    const auto given = xml_.numbers(e, "size", element.text("size", "1"));
    if (count.empty() || count[0] != std::floor(count[0]) || !(count[0] >= 3.0) || count[0] > 1e5 ||
        std::any_of(count.begin() + 1, count.end(), [](double n) { return n != 1.0; })) {
      xml_.fail(e, "count of a cable is not a whole number from 3, and ones");
    }
    if (given.empty() || !(given[0] > 0.0)) xml_.fail(e, "size of a cable is not positive");
    const Vec3 direction = curve_direction(e);
    const int rods = static_cast<int>(count[0]) - 1;
    const double length = given[0] * norm(direction) / rods;
    const std::string initial = element.text("initial", "ball");
    if (initial != "free" && initial != "ball" && initial != "none") {
      xml_.fail(e, "initial is '{}', not free, ball or none", initial);
    }
    RigidFrame at = where * RigidFrame{vector(element, "offset", {}), turn_x_onto(direction)};
    for (int k = 0; k < rods; ++k) {
      const std::string end = k == 0 ? "first" : k + 1 == rods ? "last" : std::to_string(k);
      parent = read_rod(e, parent, at, inherited, element.text("prefix", ""), end, length,
                        k == 0 ? initial : "ball");
      at = {{length, 0.0, 0.0}, {}};
    }
  }

  /// One body of a cable; returns its link.
  int read_rod(const XMLElement* e, int parent, const RigidFrame& at, const std::string& inherited,
               const std::string& prefix, const std::string& end, double length,
               const std::string& held) {
    RobotLink rod;
    rod.source = xml_.where(e);
    rod.parent = parent;
    rod.frame = at;
    rod.name = prefix + "B_" + end + copy_;
    robot_.links.push_back(rod);
    const int self = robot_.num_links() - 1;
    RobotJoint joint;
    joint.name = prefix + "J_" + end + copy_;
    joint.source = rod.source;
    joint.kind = held == "free" ? RobotJointKind::kFree : RobotJointKind::kBall;
    if (held == "free" && parent >= 0) xml_.fail(e, "a free cable is not on a body of the world");
    for (const XMLElement* c : children(e)) {
      const std::string_view tag = c->Name();
      if (tag == "joint" && held == "ball") {
        read_joint_details(with_defaults(c, inherited), {}, joint, "ball");
      } else if (tag == "geom") {
        read_geom(c, self, {}, inherited);
        RobotGeometry& g = link(self).geometry.back();
        if (g.kind != GeometryKind::kCapsule && g.kind != GeometryKind::kCylinder) {
          xml_.fail(c, "rods of a cable are capsules or cylinders here, not a {}",
                    to_string(g.kind));
        }
        g.size[1] = 0.5 * length;
        g.frame = {{0.5 * length, 0.0, 0.0}, turn_z_onto({-1.0, 0.0, 0.0})};
      } else if (tag != "joint" && tag != "skin") {
        xml_.fail(c, "<{}> of a cable is not supported", tag);
      }
    }
    if (held != "none") link(self).joints.push_back(joint);
    if (end == "first") robot_.sites.push_back({prefix + "S_first" + copy_, self, {}});
    if (end == "last") {
      robot_.sites.push_back({prefix + "S_last" + copy_, self, {{length, 0.0, 0.0}, {}}});
    }
    return self;
  }

  /// Of a curve like "s 0 s", not normalised.
  Vec3 curve_direction(const XMLElement* e) const {
    const std::string curve = xml_.required(e, "curve");
    std::istringstream words(curve);
    Vec3 direction;
    for (int i = 0; i < 3; ++i) {
      std::string word;
      words >> word;
      if (word != "s" && word != "0") {
        xml_.fail(e, "curve '{}' is not straight: three of s and 0", curve);
      }
      direction[i] = word == "s" ? 1.0 : 0.0;
    }
    if (!(norm(direction) > 0.0)) xml_.fail(e, "curve '{}' has no direction", curve);
    return direction;
  }

  /// Copies, each moved against the one before; the names of copy k end in `sep` and k.
  void read_replicate(const XMLElement* e, int link, const RigidFrame& where,
                      const std::string& inherited) {
    const Element element{e, nullptr};
    check(element, {"count", "offset", "euler", "sep"}, {"childclass"});
    const double count = xml_.number(e, "count", xml_.required(e, "count"));
    if (!(count >= 1.0) || count != std::floor(count) || count > 1e5) {
      xml_.fail(e, "count {} of <replicate> is not a whole number from 1 to 100000", count);
    }
    const RigidFrame step{vector(element, "offset", {}), rotation(element)};
    const std::string before = copy_;
    const std::size_t digits = fmt::format("{}", count - 1.0).size();
    RigidFrame copy;
    for (int k = 0; k < static_cast<int>(count); ++k) {
      copy_ = fmt::format("{}{:0{}}", element.text("sep", ""), k, digits) + before;
      read_children(e, link, where * copy, childclass(e, inherited));
      copy = copy * step;
    }
    copy_ = before;
  }

  std::string childclass(const XMLElement* e, const std::string& inherited) {
    const char* own = e->Attribute("childclass");
    if (own == nullptr) return inherited;
    if (classes_.count(own) == 0) xml_.fail(e, "there is no default class '{}'", own);
    return own;
  }

  void read_body(const XMLElement* e, int parent, const RigidFrame& where,
                 const std::string& inherited) {
    const Element element{e, nullptr};
    check(element, kFrameNames, {"childclass", "gravcomp"});
    RobotLink link;
    link.carried = number(element, "gravcomp", 0.0);
    link.source = xml_.where(e);
    link.parent = parent;
    link.frame = where * frame(element);
    link.name = named(element);
    if (link.name.empty()) link.name = fmt::format("body {}", robot_.num_links() + 1);
    robot_.links.push_back(link);
    read_children(e, robot_.num_links() - 1, {}, childclass(e, inherited));
  }

  RobotLink& link(int k) { return robot_.links[static_cast<std::size_t>(k)]; }

  void read_inertial(const XMLElement* e, int k) {
    if (compiler_.inertiafromgeom == "true") return;
    const Element element{e, nullptr};
    check(element, kFrameNames, {"mass", "diaginertia", "fullinertia"});
    RobotInertial inertial;
    inertial.frame = frame(element);
    inertial.mass = xml_.number(e, "mass", xml_.required(e, "mass"));
    if (!(inertial.mass >= 0.0))
      xml_.fail(e, "body '{}' has the mass {} kg", link(k).name, inertial.mass);
    if (const char* text = e->Attribute("fullinertia")) {
      const auto v = xml_.numbers(e, "fullinertia", text, 6);
      inertial.inertia = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
    } else if (const char* diagonal_text = e->Attribute("diaginertia")) {
      inertial.inertia = diagonal(xml_.vector(e, "diaginertia", diagonal_text));
    } else {
      xml_.fail(e, "the inertial of '{}' needs diaginertia or fullinertia", link(k).name);
    }
    link(k).inertial = inertial;
  }

  void read_joint(const XMLElement* e, int k, const RigidFrame& where,
                  const std::string& inherited) {
    if (k < 0) xml_.fail(e, "the world cannot have a joint");
    RobotJoint joint;
    joint.source = xml_.where(e);
    const bool free = std::string_view(e->Name()) == "freejoint";
    const Element element = free ? Element{e, nullptr} : with_defaults(e, inherited);
    joint.name = named(element);
    if (joint.name.empty()) {
      joint.name = fmt::format("{}/{}", link(k).name, link(k).joints.size() + 1);
    }
    if (free) {
      check(element, {});
      joint.kind = RobotJointKind::kFree;
    } else {
      read_joint_details(element, where, joint);
    }
    if (joint.kind == RobotJointKind::kFree && link(k).parent >= 0) {
      xml_.fail(e, "the free joint '{}' is not on a body of the world", joint.name);
    }
    for (const RobotJoint& other : link(k).joints) {
      if (joint.kind == RobotJointKind::kFree || other.kind == RobotJointKind::kFree) {
        xml_.fail(e, "body '{}': a free joint beside another one is not supported", link(k).name);
      }
    }
    link(k).joints.push_back(joint);
    if (!free) read_spring_damper(element, k);
  }

  /// Of the link's last joint.
  void read_spring_damper(const Element& e, int k) {
    const char* text = e.get("springdamper");
    if (text == nullptr) return;
    const auto v = xml_.numbers(e.xml, "springdamper", text, 2);
    if (!(v[0] > 0.0 && v[1] > 0.0)) return;
    if (link(k).joints.back().num_dofs() != 1) {
      xml_.fail(e.xml, "springdamper of a joint that is neither hinge nor slide is not supported");
    }
    tuned_.push_back({k, link(k).joints.size() - 1, v[0], v[1]});
  }

  void read_joint_details(const Element& e, const RigidFrame& where, RobotJoint& joint,
                          const char* missing = "hinge") {
    check(e, {"kind", "springdamper", "type", "pos", "axis", "range", "limited", "damping",
              "stiffness", "springref", "ref", "armature", "frictionloss", "actuatorfrcrange",
              "actuatorfrclimited"});
    const std::string type = e.text("type", missing);
    if (type == "hinge")
      joint.kind = RobotJointKind::kHinge;
    else if (type == "slide")
      joint.kind = RobotJointKind::kSlide;
    else if (type == "ball")
      joint.kind = RobotJointKind::kBall;
    else if (type == "free")
      joint.kind = RobotJointKind::kFree;
    else
      xml_.fail(e.xml, "joint '{}' is of the unknown type '{}'", joint.name, type);
    if (joint.kind == RobotJointKind::kFree) {
      joint.spring.damping = first_number(e, "damping", 0.0);
      joint.armature = number(e, "armature", 0.0);
      for (const char* name : {"stiffness", "frictionloss"}) {
        if (first_number(e, name, 0.0) != 0.0)
          xml_.unsupported(fmt::format("free joint {}", name), e.xml);
      }
      return;
    }
    joint.anchor = where.point(vector(e, "pos", {}));
    joint.axis = where.direction(direction(e, "axis", vector(e, "axis", {0, 0, 1})));
    const double unit = joint.kind == RobotJointKind::kSlide ? 1.0 : compiler_.angle;
    const bool locked = joint.kind == RobotJointKind::kBall && e.get("range") == nullptr &&
                        e.text("limited", "auto") == "true";  // a turn of 0 at most
    const JointLimit limit = locked ? JointLimit{0.0, 0.0} : range(e, "range", "limited", unit);
    joint.armature = number(e, "armature", 0.0);
    joint.friction = number(e, "frictionloss", 0.0);
    joint.spring = {first_number(e, "stiffness", 0.0), first_number(e, "damping", 0.0), 0.0};
    joint.limit = limit;
    if (joint.kind == RobotJointKind::kBall) {  // its first number means nothing: an angle is >= 0
      joint.limit.lower = -kInfinity;
      return;
    }
    joint.reference = unit * number(e, "ref", 0.0);
    joint.spring.rest = unit * number(e, "springref", 0.0);
    const JointLimit effort = range(e, "actuatorfrcrange", "actuatorfrclimited", 1.0);
    joint.effort = std::min(-effort.lower, effort.upper);
    if (std::abs(effort.lower + effort.upper) > 0.0) {
      xml_.unsupported("joint actuatorfrcrange that is not symmetric (the smaller side is taken)",
                       e.xml);
    }
  }

  // ---- geometry ----

  void read_geom(const XMLElement* xml_element, int k, const RigidFrame& where,
                 const std::string& inherited) {
    const Element e = with_defaults(xml_element, inherited);
    check(e, kFrameNames,
          {"type", "size", "fromto", "mesh", "contype", "conaffinity", "friction", "density",
           "mass", "condim", "priority", "margin", "gap", "hfield"});
    RobotGeometry g;
    g.source = xml_.where(e.xml);
    g.name = named(e);
    g.contype = bits(e, "contype");
    g.conaffinity = bits(e, "conaffinity");
    g.collides = g.contype != 0 || g.conaffinity != 0;
    read_friction(e, g.surface);
    // A contact pushes within the margins of both; `gap` beyond it finds contacts that do not.
    g.surface.thickness = number(e, "margin", 0.0);
    if (!(g.surface.thickness >= 0.0)) {
      xml_.fail(e.xml, "margin {} of a geom is negative", g.surface.thickness);
    }
    g.density = number(e, "density", 1000.0);
    if (e.get("mass") != nullptr) g.mass = number(e, "mass", 0.0);
    if (!(g.density >= 0.0) || (g.mass && !(*g.mass >= 0.0))) {
      xml_.fail(e.xml, "density or mass of a geom is negative");
    }
    if (!read_shape(e, k, g)) return;
    g.frame = where * g.frame;
    if (k < 0) {
      robot_.world_geometry.push_back(g);
    } else {
      if (compiler_.inertiafromgeom == "false") g.mass = 0.0;
      link(k).geometry.push_back(g);
    }
  }

  /// condim: 1 slides freely, 3 has friction, 4 resists spinning as well, 6 rolling too.
  void read_friction(const Element& e, Surface& surface) const {
    std::vector<double> friction;
    if (const char* text = e.get("friction")) friction = xml_.numbers(e.xml, "friction", text);
    constexpr double kMissing[] = {1.0, 0.005, 0.0001};
    for (std::size_t k = friction.size(); k < 3; ++k) friction.push_back(kMissing[k]);
    const double condim = number(e, "condim", 3.0);
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0) {
      xml_.fail(e.xml, "condim {} is not 1, 3, 4 or 6", condim);
    }
    const double priority = number(e, "priority", 0.0);
    if (priority != std::floor(priority) || std::abs(priority) > 1e6) {
      xml_.fail(e.xml, "priority {} is not an integer", priority);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(friction[k] >= 0.0)) xml_.fail(e.xml, "friction {} of a geom is negative", friction[k]);
    }
    surface.mu = friction[0];
    surface.combine = Surface::Combine::kLarger;
    surface.priority = static_cast<int>(priority);
    surface.slick = condim == 1.0;
    if (condim >= 4.0) surface.spinning = friction[1];
    if (condim == 6.0) surface.rolling = friction[2];
  }

  unsigned bits(const Element& e, const char* name) const {
    const double value = number(e, name, 1.0);
    if (!(value >= 0.0) || value > 2147483647.0 || value != std::floor(value)) {
      xml_.fail(e.xml, "{} {} is not a bit mask", name, value);
    }
    return static_cast<unsigned>(value);
  }

  bool read_terrain_geom(const Element& e, RobotGeometry& g) {
    const auto found = terrains_.find(e.text("hfield", ""));
    if (found == terrains_.end()) {
      xml_.fail(e.xml, "there is no height field '{}'", e.text("hfield", ""));
    }
    g.kind = GeometryKind::kMesh;
    g.frame = frame(e);
    g.mesh = found->second;
    g.mass = 0.0;
    return true;
  }

  bool read_shape(const Element& e, int k, RobotGeometry& g) {
    static const std::map<std::string, GeometryKind> kinds{
        {"plane", GeometryKind::kPlane},     {"sphere", GeometryKind::kSphere},
        {"capsule", GeometryKind::kCapsule}, {"cylinder", GeometryKind::kCylinder},
        {"box", GeometryKind::kBox},         {"ellipsoid", GeometryKind::kEllipsoid},
        {"mesh", GeometryKind::kMesh}};
    const std::string type = e.text("type", e.get("mesh") != nullptr ? "mesh" : "sphere");
    if (type == "hfield") return read_terrain_geom(e, g);
    const auto kind = kinds.find(type);
    if (kind == kinds.end()) {
      if (type == "sdf") xml_.fail(e.xml, "geom of type sdf: distances of plugins are not known");
      xml_.fail(e.xml, "geom of the unknown type '{}'", type);
    }
    g.kind = kind->second;
    if (g.kind == GeometryKind::kMesh) return read_mesh_geom(e, k, g);
    if (e.get("mesh") != nullptr) {
      xml_.fail(e.xml, "fitting a {} to a mesh is not supported", type);
    }
    g.frame = frame(e);
    if (g.kind == GeometryKind::kPlane) return true;
    read_size(e, g);
    return true;
  }

  /// The numbers of `size`, or of `fromto` and a radius.
  void read_size(const Element& e, RobotGeometry& g) {
    const char* text = e.get("size");
    std::vector<double> size;
    if (text != nullptr) size = xml_.numbers(e.xml, "size", text);
    std::size_t needed = 3;
    if (g.kind == GeometryKind::kSphere) needed = 1;
    if (g.kind == GeometryKind::kCapsule || g.kind == GeometryKind::kCylinder) needed = 2;
    if (const char* ends = e.get("fromto")) {
      if (g.kind == GeometryKind::kSphere) xml_.fail(e.xml, "a sphere has no fromto");
      const auto v = xml_.numbers(e.xml, "fromto", ends, 6);
      const Vec3 from{v[0], v[1], v[2]};
      const Vec3 to{v[3], v[4], v[5]};
      const double half = 0.5 * norm(from - to);
      if (!(half > 0.0)) xml_.fail(e.xml, "fromto has no length");
      g.frame = {0.5 * (from + to), turn_z_onto(from - to)};
      if (size.empty()) xml_.fail(e.xml, "the geom has no size");
      if (needed == 3 && size.size() < 2) size.push_back(size[0]);
      size.resize(needed - 1);
      size.push_back(half);
    }
    const bool rod = std::string_view(e.xml->Parent()->Value()) == "composite";
    if (rod && size.size() == 1 && needed == 2) size.push_back(1.0);  // read_rod() tells its length
    if (size.size() < needed) {
      xml_.fail(e.xml, "size of a {} has {} numbers, {} are needed", to_string(g.kind), size.size(),
                needed);
    }
    for (std::size_t i = 0; i < needed; ++i) {
      if (!(size[i] > 0.0))
        xml_.fail(e.xml, "size {} of a {} is not positive", size[i], to_string(g.kind));
      g.size[static_cast<int>(i)] = size[i];
    }
  }

  bool read_mesh_geom(const Element& e, int k, RobotGeometry& g) {
    g.frame = frame(e);
    const char* name = e.get("mesh");
    if (name == nullptr) xml_.fail(e.xml, "a geom of type mesh names no mesh");
    const bool weighs = k >= 0 && !link(k).inertial && compiler_.inertiafromgeom != "false" &&
                        (g.mass ? *g.mass > 0.0 : g.density > 0.0);
    if (g.collides || weighs || options_.visual_meshes) {
      g.mesh = mesh(e.xml, name);
      return true;
    }
    const auto found = meshes_.find(name);
    if (found == meshes_.end()) xml_.fail(e.xml, "there is no mesh '{}'", name);
    std::error_code ignored;
    if (!fs::is_regular_file(found->second.file, ignored) && missing_.insert(name).second) {
      robot_.warnings.push_back(fmt::format("{}: visual mesh '{}' is missing ({})",
                                            to_string(g.source), name,
                                            found->second.file.string()));
    }
    return false;
  }

  // ---- everything that refers to names ----

  int body(const XMLElement* e, const char* attribute) {
    const std::string name = xml_.required(e, attribute);
    if (name == "world") return -1;
    const int k = robot_.find_link(name);
    if (k < 0) xml_.fail(e, "there is no body '{}'", name);
    return k;
  }

  void read_contact(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      if (std::string_view(e->Name()) != "exclude") {
        xml_.unsupported(std::string("contact ") + e->Name(), e);
        continue;
      }
      const int a = body(e, "body1");
      robot_.excluded.emplace_back(a, body(e, "body2"));
    }
  }

  // ---- tendons ----

  /// Sums of coordinates, and lengths through sites. Those around geoms are known by name only.
  void read_tendons(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      const Element element = with_defaults(e, "main", "tendon");
      check(element, {"range", "limited", "stiffness", "damping", "frictionloss", "springlength",
                      "actuatorfrcrange", "actuatorfrclimited", "armature"});
      RobotTendon tendon;
      tendon.source = xml_.where(e);
      tendon.name = element.text("name", "");
      if (tendon.name.empty()) tendon.name = fmt::format("tendon {}", tendons_.size() + 1);
      tendon.limit = range(element, "range", "limited", 1.0);
      tendon.friction = number(element, "frictionloss", 0.0);
      tendon.spring = {first_number(element, "stiffness", 0.0),
                       first_number(element, "damping", 0.0), 0.0};
      for (const double value : {tendon.friction, tendon.spring.stiffness, tendon.spring.damping}) {
        if (!(value >= 0.0))
          xml_.fail(e, "tendon '{}' has the negative value {}", tendon.name, value);
      }
      const bool fixed = std::string_view(e->Name()) == "fixed";
      if (fixed) {
        read_fixed_tendon(e, tendon);
      } else if (!read_path(e, tendon)) {
        wrapped_.insert(tendon.name);
        if (tendon.acts()) refuse_path(e, tendon.name, "acts on what it passes");
      }
      if (!fixed && tendon.limit.lower <= 0.0) tendon.limit.lower = -kInfinity;  // a length is >= 0
      if (wrapped_.count(tendon.name) == 0) read_rest(element, tendon);
      read_armature(element, tendon);
      tendon_efforts_[tendon.name] = range(element, "actuatorfrcrange", "actuatorfrclimited", 1.0);
      if (!tendons_.emplace(tendon.name, tendon).second) {
        xml_.fail(e, "a second tendon called '{}'", tendon.name);
      }
    }
  }

  /// Of one joint it is armature of that joint.
  void read_armature(const Element& e, RobotTendon& tendon) {
    const double armature = number(e, "armature", 0.0);
    if (armature == 0.0) return;
    if (!(armature > 0.0)) xml_.fail(e.xml, "armature {} of a tendon is negative", armature);
    const TendonLength& length = tendon.length;
    if (length.joints.size() == 1) {
      const auto& [name, weight] = length.joints.front();
      const auto [k, j] = robot_.find_joint(name);
      link(k).joints[static_cast<std::size_t>(j)].armature += weight * weight * armature;
    } else if (length.segments.size() == 1) {
      tendon.armature = armature;
    } else {
      xml_.fail(e.xml,
                "armature of a tendon over more than one joint or two sites is not supported");
    }
  }

  [[noreturn]] void refuse_path(const XMLElement* e, const std::string& name,
                                std::string_view why) const {
    xml_.fail(e, "tendon '{}' {}, and winds around a geom, which is not supported", name, why);
  }

  void read_fixed_tendon(const XMLElement* e, RobotTendon& tendon) {
    for (const XMLElement* c : children(e)) {
      const std::string name = xml_.required(c, "joint");
      const auto [k, j] = robot_.find_joint(name);
      if (k < 0) xml_.fail(c, "there is no joint '{}'", name);
      if (link(k).joints[static_cast<std::size_t>(j)].num_dofs() != 1) {
        xml_.fail(c, "tendon '{}': '{}' is neither hinge nor slide", tendon.name, name);
      }
      tendon.length.joints.emplace_back(name, xml_.number(c, "coef", xml_.required(c, "coef")));
    }
    if (tendon.length.empty()) xml_.fail(e, "tendon '{}' has no joints", tendon.name);
  }

  const RobotSite& site(const XMLElement* e, const char* attribute) const {
    const std::string name = xml_.required(e, attribute);
    const auto found = std::find_if(robot_.sites.begin(), robot_.sites.end(),
                                    [&](const RobotSite& s) { return s.name == name; });
    if (found == robot_.sites.end()) xml_.fail(e, "there is no site '{}'", name);
    return *found;
  }

  /// Straight from site to site; a pulley begins a new branch, whose length counts by 1 / divisor.
  /// False: it winds around a geom.
  bool read_path(const XMLElement* e, RobotTendon& tendon) {
    const RobotSite* last = nullptr;
    double weight = 1.0;
    for (const XMLElement* c : children(e)) {
      const std::string_view tag = c->Name();
      if (tag == "geom") return false;
      if (tag == "pulley") {
        const double divisor = xml_.number(c, "divisor", xml_.required(c, "divisor"));
        if (!(divisor > 0.0)) xml_.fail(c, "divisor {} is not positive", divisor);
        weight = 1.0 / divisor;
        last = nullptr;
        continue;
      }
      if (tag != "site") xml_.fail(c, "a tendon passes no <{}>", tag);
      const RobotSite* const next = &site(c, "site");
      if (last != nullptr) {
        tendon.length.segments.push_back(
            {last->link, last->frame.position, next->link, next->frame.position, weight});
      }
      last = next;
    }
    if (tendon.length.empty()) xml_.fail(e, "tendon '{}' passes less than two sites", tendon.name);
    return true;
  }

  /// Of a link where all coordinates are at their reference; -1: the world.
  RigidFrame reference_frame(int k) const {
    RigidFrame at;
    for (; k >= 0; k = robot_.link(k).parent) at = robot_.link(k).frame * at;
    return at;
  }

  /// L where all coordinates are at their reference.
  double reference_length(const TendonLength& length) const {
    double sum = 0.0;
    for (const auto& [name, weight] : length.joints) {
      const auto [k, j] = robot_.find_joint(name);
      sum += weight * robot_.link(k).joints[static_cast<std::size_t>(j)].reference;
    }
    for (const TendonSegment& s : length.segments) {
      sum += s.weight * norm(reference_frame(s.link_a).point(s.point_a) -
                             reference_frame(s.link_b).point(s.point_b));
    }
    return sum;
  }

  /// Where its spring exerts nothing: as given, from one length to another, or where it starts.
  void read_rest(const Element& e, RobotTendon& tendon) {
    tendon.spring.rest = reference_length(tendon.length);
    const char* text = e.get("springlength");
    if (text == nullptr) return;
    const auto given = xml_.numbers(e.xml, "springlength", text);
    if (given.empty() || given.size() > 2)
      xml_.fail(e.xml, "springlength is not one or two numbers");
    if (given[0] < 0.0) return;
    tendon.spring.rest = given[0];
    if (given.size() < 2) return;
    tendon.slack = given[1] - given[0];
    if (!(tendon.slack >= 0.0)) {
      xml_.fail(e.xml, "springlength [{}, {}] is crossed", given[0], given[1]);
    }
  }

  /// The tendon that attribute `name` of e names: one that something depends on.
  RobotTendon& used_tendon(const XMLElement* e, const char* attribute) {
    const std::string name = xml_.required(e, attribute);
    const auto found = tendons_.find(name);
    if (found == tendons_.end()) xml_.fail(e, "there is no tendon '{}'", name);
    if (wrapped_.count(name) > 0) refuse_path(e, name, "is driven or held");
    return found->second;
  }

  /// c_0 ... c_4 of an equality.
  std::array<double, 5> polynomial(const XMLElement* e) const {
    std::array<double, 5> poly{0.0, 1.0};
    const char* text = e->Attribute("polycoef");
    if (text == nullptr) return poly;
    const auto given = xml_.numbers(e, "polycoef", text);
    if (given.size() > poly.size()) xml_.fail(e, "polycoef has more than five numbers");
    std::copy(given.begin(), given.end(), poly.begin());
    return poly;
  }
  static bool linear(const std::array<double, 5>& poly) {
    return poly[2] == 0.0 && poly[3] == 0.0 && poly[4] == 0.0;
  }

  /// L_1 - L_1,0 = c_0 + c_1 x + ... + c_4 x^4, x = L_2 - L_2,0, L_0 at the reference.
  void hold_length(const XMLElement* e, const std::string& name, const TendonLength& first,
                   const TendonLength* second) {
    const auto poly = polynomial(e);
    RobotTendon held;
    held.name = name;
    held.source = xml_.where(e);
    held.length = first;
    held.held = reference_length(first);
    if (second != nullptr && !linear(poly)) {
      held.leader = TendonLeader{*second, reference_length(*second), poly};
      robot_.tendons.push_back(std::move(held));
      return;
    }
    *held.held += poly[0];
    if (second != nullptr) {
      *held.held -= poly[1] * reference_length(*second);
      for (const auto& [joint, weight] : second->joints) {
        held.length.joints.emplace_back(joint, -poly[1] * weight);
      }
      for (TendonSegment segment : second->segments) {
        segment.weight *= -poly[1];
        held.length.segments.push_back(segment);
      }
    }
    robot_.tendons.push_back(std::move(held));
  }

  void hold_tendon(const Element& element) {
    const XMLElement* const e = element.xml;
    check(element, {"tendon1", "tendon2", "polycoef", "active"});
    const RobotTendon& first = used_tendon(e, "tendon1");
    const bool two = e->Attribute("tendon2") != nullptr;
    hold_length(e, first.name, first.length, two ? &used_tendon(e, "tendon2").length : nullptr);
  }

  void drive_tendon(const Element& e, const std::string& tag) {
    RobotTendon& tendon = used_tendon(e.xml, "tendon");
    RobotActuator actuator = actuator_of(e);
    if (!read_law(e, tag, actuator)) return;
    const JointLimit& all = tendon_efforts_[tendon.name];
    const bool servo = actuator.kind != ActuatorKind::kMotor;
    const auto more = std::count_if(
        tendon.servos.begin(), tendon.servos.end(),
        [](const RobotActuator& other) { return other.kind != ActuatorKind::kMotor; });
    if (servo && (std::isfinite(all.lower) || std::isfinite(all.upper))) {
      if (more > 0 || std::abs(actuator.gear) != 1.0) {
        xml_.fail(e.xml,
                  "actuatorfrcrange of tendon '{}' with servos that share it or have a gear "
                  "is not supported",
                  tendon.name);
      }
      const double sign = actuator.gear;
      const double one = sign * all.lower;
      const double other = sign * all.upper;
      actuator.effort.lower = std::max(actuator.effort.lower, std::min(one, other));
      actuator.effort.upper = std::min(actuator.effort.upper, std::max(one, other));
    }
    tendon.servos.push_back(actuator);
  }

  void keep_acting_tendons() {
    for (auto& [name, tendon] : tendons_) {
      if (tendon.acts()) robot_.tendons.push_back(std::move(tendon));
    }
  }

  void check_deformable(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      if (std::string_view(e->Name()) == "flex") {
        xml_.fail(e, "<flex> deforms, which is not read from this format");
      }
      xml_.unsupported(std::string("deformable ") + e->Name(), e);
    }
  }

  void read_equality(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      const std::string_view tag = e->Name();
      const Element element = with_defaults(e, "main", "equality");
      if (element.text("active", "true") == "false") {
        xml_.unsupported("equality that is not active", e);
        continue;
      }
      if (tag == "tendon") {
        hold_tendon(element);
      } else if (tag == "joint") {
        hold_joint(element);
      } else if (tag == "connect" || tag == "weld") {
        hold_bodies(element, tag == "weld");
      } else {
        xml_.fail(e, "equality <{}> is not supported", tag);
      }
    }
  }

  void hold_joint(const Element& element) {
    const XMLElement* const e = element.xml;
    check(element, {"joint1", "joint2", "polycoef", "active"});
    const auto find = [&](const char* attribute) -> RobotJoint& {
      const std::string name = xml_.required(e, attribute);
      const auto [k, j] = robot_.find_joint(name);
      if (k < 0) xml_.fail(e, "there is no joint '{}'", name);
      RobotJoint& found = link(k).joints[static_cast<std::size_t>(j)];
      if (found.num_dofs() != 1) xml_.fail(e, "joint '{}' is neither hinge nor slide", name);
      return found;
    };
    RobotJoint& joint = find("joint1");
    const TendonLength own{{{joint.name, 1.0}}, {}};
    if (e->Attribute("joint2") == nullptr) return hold_length(e, joint.name, own, nullptr);
    const RobotJoint& leader = find("joint2");
    const auto poly = polynomial(e);
    if (!linear(poly) || joint.mimic) {
      const TendonLength other{{{leader.name, 1.0}}, {}};
      return hold_length(e, joint.name, own, &other);
    }
    joint.mimic =
        JointMimic{leader.name, poly[1], joint.reference + poly[0] - poly[1] * leader.reference};
  }

  /// A point of two bodies, or all of both, stays where it is at the reference, or where it is told.
  void hold_bodies(const Element& element, bool weld) {
    const XMLElement* const e = element.xml;
    check(element, {"body1", "body2", "anchor", "site1", "site2", "active"},
          {weld ? "relpose" : "", weld ? "torquescale" : ""});
    RobotHold hold;
    hold.name = element.text("name", "");
    hold.source = xml_.where(e);
    hold.weld = weld && number(element, "torquescale", 1.0) > 0.0;
    if (e->Attribute("site1") != nullptr) {
      const RobotSite& a = site(e, "site1");
      const RobotSite& b = site(e, "site2");
      hold.link_a = a.link;
      hold.link_b = b.link;
      hold.frame_a = a.frame;
      hold.frame_b = b.frame;
      robot_.holds.push_back(hold);
      return;
    }
    hold.link_a = body(e, "body1");
    hold.link_b = e->Attribute("body2") == nullptr ? -1 : body(e, "body2");
    if (!weld) xml_.required(e, "anchor");
    const RigidFrame anchor{vector(element, "anchor", {}), {}};
    const RigidFrame a = reference_frame(hold.link_a);
    const RigidFrame b = reference_frame(hold.link_b);
    if (weld) {  // the anchor is one of the second body
      hold.frame_b = anchor;
      hold.frame_a = relative_pose(element, inverse(a) * b * anchor);
    } else {
      hold.frame_a = anchor;
      hold.frame_b = inverse(b) * a * anchor;
    }
    robot_.holds.push_back(hold);
  }

  /// Of the second anchor in the first body.
  RigidFrame relative_pose(const Element& e, const RigidFrame& missing) const {
    const char* text = e.get("relpose");
    if (text == nullptr) return missing;
    const auto v = xml_.numbers(e.xml, "relpose", text, 7);
    const Quaternion turn{v[3], v[4], v[5], v[6]};
    if (std::all_of(v.begin() + 3, v.end(), [](double x) { return x == 0.0; })) return missing;
    return {{v[0], v[1], v[2]}, normalized(turn)};
  }

  void read_actuators(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      const std::string tag = e->Name();
      const Element element = with_defaults(e, "main");
      if (tag == "muscle" || element.text("gaintype", "") == "muscle") {
        xml_.fail(e, "a muscle acts at rest too, and is not supported");
      }
      const bool known =
          tag == "motor" || tag == "position" || tag == "velocity" || tag == "general";
      const bool of_joint =
          element.get("joint") != nullptr || element.get("jointinparent") != nullptr;
      if (known && element.get("tendon") != nullptr) {
        drive_tendon(element, tag);
      } else if (known && of_joint) {
        drive_joint(element, tag);
      } else {
        check_rest(element, tag);
      }
    }
  }

  void drive_joint(const Element& e, const std::string& tag) {
    const bool in_parent = e.get("joint") == nullptr;  // the same for hinges and slides
    const std::string name = e.text(in_parent ? "jointinparent" : "joint", "");
    const auto [k, j] = robot_.find_joint(name);
    if (k < 0) {
      xml_.fail(e.xml, "actuator '{}': there is no joint '{}'", e.text("name", ""), name);
    }
    const RobotJointKind kind = link(k).joints[static_cast<std::size_t>(j)].kind;
    const bool one = kind == RobotJointKind::kHinge || kind == RobotJointKind::kSlide;
    int axis = 0;
    if (!one) {
      const int count = kind == RobotJointKind::kBall ? 3 : 6;
      std::vector<double> gear{1.0};
      if (const char* text = e.get("gear")) gear = xml_.numbers(e.xml, "gear", text);
      gear.resize(static_cast<std::size_t>(count), 0.0);
      axis = static_cast<int>(
          std::find_if(gear.begin(), gear.end(), [](double g) { return g != 0.0; }) - gear.begin());
      const bool single = std::count(gear.begin(), gear.end(), 0.0) == count - 1;
      if (kind == RobotJointKind::kFree || !single || in_parent) return check_rest(e, tag);
    }
    RobotActuator actuator = actuator_of(e, axis);
    actuator.joint = name;
    if (read_law(e, tag, actuator)) robot_.actuators.push_back(actuator);
  }

  /// An actuator that is not read: it may only be one that exerts nothing while its control is 0.
  void check_rest(const Element& e, const std::string& tag) {
    const bool passive = tag == "motor" || tag == "adhesion" || tag == "damper";
    bool off = passive || tag == "general" || tag == "cylinder";
    std::vector<double> bias;
    const bool biased = tag == "cylinder" || e.text("biastype", "none") != "none";
    const char* const name = tag == "cylinder" ? "bias" : "biasprm";
    if (biased && e.get(name) != nullptr) bias = xml_.numbers(e.xml, name, e.get(name));
    if (!passive)
      off = off && std::all_of(bias.begin(), bias.end(), [](double b) { return b == 0.0; });
    const std::string what = e.get("joint") == nullptr ? tag + " without joint" : tag;
    if (!off) xml_.fail(e.xml, "actuator <{}> acts at rest too, and is not supported", what);
    xml_.unsupported("actuator " + what, e.xml);
  }

  /// All but its law.
  RobotActuator actuator_of(const Element& e, int axis = 0) {
    RobotActuator actuator;
    actuator.source = xml_.where(e.xml);
    actuator.name = e.text("name", "");
    actuator.joint = e.text("joint", "");
    actuator.axis = axis;
    actuator.gear = 1.0;
    if (const char* text = e.get("gear")) {
      const auto gear = xml_.numbers(e.xml, "gear", text);
      if (gear.empty()) xml_.fail(e.xml, "gear is empty");
      actuator.gear = gear[static_cast<std::size_t>(axis)];
    }
    if (actuator.gear == 0.0) xml_.fail(e.xml, "actuator '{}' has the gear 0", actuator.name);
    actuator.control = range(e, "ctrlrange", "ctrllimited", 1.0);
    actuator.effort = range(e, "forcerange", "forcelimited", 1.0);
    if (!(actuator.effort.lower <= 0.0 && actuator.effort.upper >= 0.0)) {
      xml_.fail(e.xml, "forcerange of actuator '{}' does not hold 0", actuator.name);
    }
    return actuator;
  }

  /// False: it is none of these, and exerts nothing at control 0.
  bool read_law(const Element& e, const std::string& tag, RobotActuator& actuator) {
    const Names common{"joint",     "jointinparent", "tendon",     "gear",
                       "ctrlrange", "ctrllimited",   "forcerange", "forcelimited"};
    if (tag == "motor") {
      check(e, common);
    } else if (tag == "position") {
      check(e, common, {"kp", "kv"});
      actuator.kind = ActuatorKind::kPosition;
      actuator.gain = number(e, "kp", 1.0);
      actuator.damping = number(e, "kv", 0.0);
    } else if (tag == "velocity") {
      check(e, common, {"kv"});
      actuator.kind = ActuatorKind::kVelocity;
      actuator.gain = number(e, "kv", 1.0);
    } else {
      check(e, common, {"gainprm", "biasprm", "gaintype", "biastype"});
      return read_general(e, actuator);
    }
    if (!(actuator.gain >= 0.0) || !(actuator.damping >= 0.0)) {
      xml_.fail(e.xml, "actuator '{}' has a negative gain", actuator.name);
    }
    return true;
  }

  /// gain u + b0 + b1 q + b2 v: a motor, a position or a velocity servo where it is one.
  bool read_general(const Element& e, RobotActuator& actuator) {
    const double gain = first_number(e, "gainprm", 1.0);
    std::vector<double> bias;
    if (e.text("biastype", "none") == "affine" && e.get("biasprm") != nullptr) {
      bias = xml_.numbers(e.xml, "biasprm", e.get("biasprm"));
    }
    bias.resize(3, 0.0);
    actuator.gain = gain;
    const bool none = bias[0] == 0.0 && bias[1] == 0.0 && bias[2] == 0.0;
    const bool fixed = e.text("gaintype", "fixed") == "fixed";
    if (fixed && none) return true;
    if (fixed && bias[1] < 0.0 && bias[2] <= 0.0) {
      actuator.kind = ActuatorKind::kPosition;
      actuator.gain = -bias[1];
      actuator.scale = gain / actuator.gain;
      actuator.offset = bias[0] / actuator.gain;
      actuator.damping = -bias[2];
      return true;
    }
    if (fixed && gain >= 0.0 && bias[0] == 0.0 && bias[1] == 0.0 && bias[2] == -gain) {
      actuator.kind = ActuatorKind::kVelocity;
      return true;
    }
    if (!none) {
      xml_.fail(e.xml, "actuator '{}' acts at rest, and is neither a position nor a velocity servo",
                actuator.name);
    }
    xml_.unsupported("general actuator whose gain depends on the pose", e.xml);
    return false;
  }

  XmlFiles& xml_;
  const fs::path& path_;
  const RobotReadOptions& options_;
  RobotDescription robot_;
  Compiler compiler_;
  std::string copy_;  // what the names of the present copies end in
  std::set<std::string> included_;
  std::map<std::string, DefaultClass> classes_;
  std::map<std::string, MeshAsset> meshes_;
  std::map<std::string, std::shared_ptr<const RobotMesh>> terrains_;
  std::map<std::string, RobotDescription> models_;  // that can be attached
  struct TunedSpring {
    int link = 0;
    std::size_t joint = 0;
    double time = 0.0;   // s
    double ratio = 0.0;  // 1: critical
  };
  std::vector<TunedSpring> tuned_;
  std::map<std::string, RobotTendon> tendons_;
  std::map<std::string, JointLimit> tendon_efforts_;  // of all actuators of a tendon
  std::set<std::string> wrapped_;                     // tendons around geoms
  std::vector<std::string> within_;                   // this file, and those that attach it
  std::set<std::string> missing_;
};

}  // namespace

RobotDescription read_mjcf(XmlFiles& xml, const XMLElement* root, const fs::path& path,
                           const RobotReadOptions& options) {
  return MjcfReader(xml, path, options).read(root);
}

}  // namespace nsn::robots
