// MJCF: nested bodies, default classes, includes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <set>

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
  double total_mass = 0.0;  ///< kg; <= 0: as it is
};

/// The shortest turn of z onto v.
Quaternion turn_z_onto(const Vec3& v) {
  const Vec3 n = normalized(v);
  if (n[2] < -1.0 + 1e-14) return {0.0, 1.0, 0.0, 0.0};
  return normalized(Quaternion{1.0 + n[2], -n[1], n[0], 0.0});
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
    note_other_sections(sections);
    if (robot_.links.empty()) xml_.fail(root, "the model has no bodies");
    set_total_mass();
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
    xml_.check_attributes(e, {"angle", "eulerseq", "meshdir", "assetdir", "autolimits",
                              "coordinate", "inertiafromgeom", "texturedir", "settotalmass"});
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
    xml_.check_attributes(e, {"gravity"});
    if (const char* text = e->Attribute("gravity"))
      robot_.gravity = xml_.vector(e, "gravity", text);
    for (const XMLElement* c : children(e)) xml_.unsupported(std::string("option ") + c->Name(), c);
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
    for (RobotTendon tendon : from.tendons) {
      bool here = true;
      for (auto& [joint, weight] : tendon.joints) {
        here = here && place.count(from.find_joint(joint).first) > 0;
        rename(joint);
      }
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
      } else if (tag == "flexcomp" || tag == "composite") {
        xml_.fail(e, "<{}> makes bodies that deform, which are not read from this format", tag);
      } else if (tag != "inertial") {
        xml_.unsupported("body " + std::string(tag), e);
      }
    }
  }

  /// The name of an element, and of which copy it is.
  std::string named(const Element& e) const {
    const std::string name = e.text("name", "");
    return name.empty() ? name : name + copy_;
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
    check(element, kFrameNames, {"childclass"});
    RobotLink link;
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
    const bool alone = joint.kind == RobotJointKind::kFree || joint.kind == RobotJointKind::kBall;
    for (const RobotJoint& other : link(k).joints) {
      if (alone || other.num_dofs() > 1) {
        xml_.fail(e, "body '{}': a {} joint beside another one is not supported", link(k).name,
                  to_string(alone ? joint.kind : other.kind));
      }
    }
    link(k).joints.push_back(joint);
  }

  void read_joint_details(const Element& e, const RigidFrame& where, RobotJoint& joint) {
    check(e, {"type", "pos", "axis", "range", "limited", "damping", "stiffness", "springref", "ref",
              "armature", "frictionloss", "actuatorfrcrange", "actuatorfrclimited"});
    const std::string type = e.text("type", "hinge");
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
    if (joint.kind == RobotJointKind::kFree) return;
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
           "mass", "condim", "priority", "margin", "gap"});
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

  bool read_shape(const Element& e, int k, RobotGeometry& g) {
    static const std::map<std::string, GeometryKind> kinds{
        {"plane", GeometryKind::kPlane},     {"sphere", GeometryKind::kSphere},
        {"capsule", GeometryKind::kCapsule}, {"cylinder", GeometryKind::kCylinder},
        {"box", GeometryKind::kBox},         {"ellipsoid", GeometryKind::kEllipsoid},
        {"mesh", GeometryKind::kMesh}};
    const std::string type = e.text("type", e.get("mesh") != nullptr ? "mesh" : "sphere");
    const auto kind = kinds.find(type);
    if (kind == kinds.end()) {
      if (type != "hfield" && type != "sdf") {
        xml_.fail(e.xml, "geom of the unknown type '{}'", type);
      }
      xml_.unsupported("geom type=" + type, e.xml);
      return false;
    }
    g.kind = kind->second;
    if (g.kind == GeometryKind::kMesh) return read_mesh_geom(e, k, g);
    if (e.get("mesh") != nullptr) {
      xml_.fail(e.xml, "fitting a {} to a mesh is not supported", type);
    }
    g.frame = frame(e);
    if (g.kind == GeometryKind::kPlane) {
      if (k >= 0 && robot_.moving_link(k) >= 0) xml_.fail(e.xml, "a plane on a body that moves");
      return true;
    }
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

  /// Sums of coordinates. Those along paths through space are known by name only.
  void read_tendons(const XMLElement* section) {
    for (const XMLElement* e : children(section)) {
      const Element element = with_defaults(e, "main", "tendon");
      check(element, {"range", "limited", "stiffness", "damping", "frictionloss", "springlength"});
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
        tendon.spring.rest = rest_length(element, tendon);
      } else if (tendon.acts()) {
        refuse_path(e, tendon.name, "acts on what it passes");
      }
      if (!tendons_.emplace(tendon.name, tendon).second) {
        xml_.fail(e, "a second tendon called '{}'", tendon.name);
      }
    }
  }

  [[noreturn]] void refuse_path(const XMLElement* e, const std::string& name,
                                std::string_view why) const {
    xml_.fail(e, "tendon '{}' {}; only fixed tendons, sums of joints, are supported", name, why);
  }

  void read_fixed_tendon(const XMLElement* e, RobotTendon& tendon) {
    for (const XMLElement* c : children(e)) {
      const std::string name = xml_.required(c, "joint");
      const auto [k, j] = robot_.find_joint(name);
      if (k < 0) xml_.fail(c, "there is no joint '{}'", name);
      if (link(k).joints[static_cast<std::size_t>(j)].num_dofs() != 1) {
        xml_.fail(c, "tendon '{}': '{}' is neither hinge nor slide", tendon.name, name);
      }
      tendon.joints.emplace_back(name, xml_.number(c, "coef", xml_.required(c, "coef")));
    }
    if (tendon.joints.empty()) xml_.fail(e, "tendon '{}' has no joints", tendon.name);
  }

  /// L where all coordinates are at their reference.
  double reference_length(const RobotTendon& tendon) const {
    double sum = 0.0;
    for (const auto& [name, weight] : tendon.joints) {
      const auto [k, j] = robot_.find_joint(name);
      sum += weight * robot_.link(k).joints[static_cast<std::size_t>(j)].reference;
    }
    return sum;
  }

  /// Of its spring: as given, or where it starts.
  double rest_length(const Element& e, const RobotTendon& tendon) {
    const char* text = e.get("springlength");
    if (text == nullptr) return reference_length(tendon);
    const auto given = xml_.numbers(e.xml, "springlength", text);
    if (given.empty()) xml_.fail(e.xml, "springlength is empty");
    if (given.size() > 1 && given[1] != given[0]) {
      xml_.fail(e.xml, "tendon '{}' is slack from {} to {}, which is not supported", tendon.name,
                given[0], given[1]);
    }
    return given[0] < 0.0 ? reference_length(tendon) : given[0];
  }

  /// The tendon that attribute `name` of e names: one that something depends on.
  RobotTendon& used_tendon(const XMLElement* e, const char* attribute) {
    const std::string name = xml_.required(e, attribute);
    const auto found = tendons_.find(name);
    if (found == tendons_.end()) xml_.fail(e, "there is no tendon '{}'", name);
    if (found->second.joints.empty()) refuse_path(e, name, "is driven or held");
    return found->second;
  }

  /// L_1 - L_1,0 = c_0 + c_1 (L_2 - L_2,0), L_0 at the reference.
  void hold_tendon(const XMLElement* e) {
    check({e, nullptr}, {"tendon1", "tendon2", "polycoef"});
    const RobotTendon& first = used_tendon(e, "tendon1");
    RobotTendon held;
    held.name = first.name;
    held.joints = first.joints;
    held.source = xml_.where(e);
    std::vector<double> poly{0.0, 1.0};
    if (const char* text = e->Attribute("polycoef")) poly = xml_.numbers(e, "polycoef", text);
    poly.resize(5, 0.0);
    const bool two = e->Attribute("tendon2") != nullptr;
    if (two && (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0)) {
      xml_.fail(e, "tendons held by more than first order are not supported");
    }
    if (two) {
      for (const auto& [name, weight] : used_tendon(e, "tendon2").joints) {
        held.joints.emplace_back(name, -poly[1] * weight);
      }
    }
    held.held = poly[0] + reference_length(held);
    robot_.tendons.push_back(std::move(held));
  }

  void drive_tendon(const Element& e, const std::string& tag) {
    RobotTendon& tendon = used_tendon(e.xml, "tendon");
    if (tendon.servo) {
      xml_.fail(e.xml, "a second actuator of tendon '{}' is not supported", tendon.name);
    }
    RobotActuator actuator = actuator_of(e);
    if (!read_law(e, tag, actuator)) {
      xml_.fail(e.xml, "actuator '{}' of tendon '{}' is neither motor nor servo", actuator.name,
                tendon.name);
    }
    tendon.servo = actuator;
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
      const std::string tag = e->Name();
      if (tag == "tendon") {
        hold_tendon(e);
        continue;
      }
      const char* other = e->Attribute("joint2");
      if (tag != "joint" || other == nullptr) {
        xml_.unsupported("equality " + tag, e);
        continue;
      }
      const Element element{e, nullptr};
      check(element, {"joint1", "joint2", "polycoef"});
      const std::string name = xml_.required(e, "joint1");
      const auto [k, j] = robot_.find_joint(name);
      const auto [other_k, other_j] = robot_.find_joint(other);
      if (k < 0 || other_k < 0) {
        xml_.fail(e, "there is no joint '{}'", k < 0 ? name : std::string(other));
      }
      std::vector<double> poly{0, 1};
      if (const char* text = e->Attribute("polycoef")) poly = xml_.numbers(e, "polycoef", text);
      poly.resize(5, 0.0);
      if (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0) {
        xml_.unsupported("equality joint of more than first order", e);
        continue;
      }
      RobotJoint& joint = link(k).joints[static_cast<std::size_t>(j)];
      const RobotJoint& leader = link(other_k).joints[static_cast<std::size_t>(other_j)];
      joint.mimic =
          JointMimic{other, poly[1], joint.reference + poly[0] - poly[1] * leader.reference};
    }
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
      if (element.get("tendon") != nullptr && known) {
        drive_tendon(element, tag);
        continue;
      }
      if (element.get("joint") == nullptr || !known) {
        xml_.unsupported(
            "actuator " + tag + (element.get("joint") == nullptr ? " without joint" : ""), e);
        continue;
      }
      RobotActuator actuator = actuator_of(element);
      if (!read_law(element, tag, actuator)) continue;
      robot_.actuators.push_back(actuator);
    }
  }

  /// All but its law.
  RobotActuator actuator_of(const Element& e) {
    RobotActuator actuator;
    actuator.source = xml_.where(e.xml);
    actuator.name = e.text("name", "");
    actuator.joint = e.text("joint", "");
    actuator.gear = first_number(e, "gear", 1.0);
    if (actuator.gear == 0.0) xml_.fail(e.xml, "actuator '{}' has the gear 0", actuator.name);
    actuator.control = range(e, "ctrlrange", "ctrllimited", 1.0);
    actuator.effort = range(e, "forcerange", "forcelimited", 1.0);
    if (!(actuator.effort.lower <= 0.0 && actuator.effort.upper >= 0.0)) {
      xml_.fail(e.xml, "forcerange of actuator '{}' does not hold 0", actuator.name);
    }
    return actuator;
  }

  bool read_law(const Element& e, const std::string& tag, RobotActuator& actuator) {
    const Names common{"joint",       "tendon",     "gear",        "ctrlrange",
                       "ctrllimited", "forcerange", "forcelimited"};
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
    const bool plain = e.text("gaintype", "fixed") == "fixed" && gain >= 0.0 && bias[0] == 0.0;
    if (plain && bias[1] == 0.0 && bias[2] == 0.0) return true;
    if (plain && bias[1] < 0.0 && bias[2] <= 0.0) {
      actuator.kind = ActuatorKind::kPosition;
      actuator.gain = -bias[1];
      actuator.scale = gain / actuator.gain;
      actuator.damping = -bias[2];
      return true;
    }
    if (plain && bias[1] == 0.0 && bias[2] == -gain) {
      actuator.kind = ActuatorKind::kVelocity;
      return true;
    }
    xml_.unsupported("general actuator that is not a motor, position or velocity servo", e.xml);
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
  std::map<std::string, RobotDescription> models_;  // that can be attached
  std::map<std::string, RobotTendon> tendons_;
  std::vector<std::string> within_;  // this file, and those that attach it
  std::set<std::string> missing_;
};

}  // namespace

RobotDescription read_mjcf(XmlFiles& xml, const XMLElement* root, const fs::path& path,
                           const RobotReadOptions& options) {
  return MjcfReader(xml, path, options).read(root);
}

}  // namespace nsn::robots
