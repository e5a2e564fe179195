// Bodies and what they are made of: frames, copies, inertials, sites, cables, bodies of other models.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

namespace fs = std::filesystem;

/// x onto v, z as close to up as it can be; where v is up itself, z onto x.
Quaternion turn_x_onto(const Vec3& v) {
  const Vec3 x = normalized(v);
  const Vec3 up = std::abs(x[2]) > 1.0 - 1e-12 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 0.0, 1.0};
  const Vec3 z = normalized(up - dot(up, x) * x);
  return quaternion_of(columns(x, cross(z, x), z));
}

/// Of a curve like "s 0 s", not normalised.
Vec3 curve_direction(Model& model, const XMLElement* e) {
  const std::string curve = model.xml.required(e, "curve");
  std::istringstream words(curve);
  Vec3 direction;
  for (int i = 0; i < 3; ++i) {
    std::string word;
    words >> word;
    if (word != "s" && word != "0") {
      model.xml.fail(e, "curve '{}' is not straight: three of s and 0", curve);
    }
    direction[i] = word == "s" ? 1.0 : 0.0;
  }
  if (!(norm(direction) > 0.0)) model.xml.fail(e, "curve '{}' has no direction", curve);
  return direction;
}

/// One body of a cable; returns its link.
int read_rod(Model& model, const XMLElement* e, const Place& at, const std::string& end,
             double length, const std::string& held) {
  const std::string prefix = model.element(e).text("prefix", "");
  RobotLink rod;
  rod.source = model.xml.where(e);
  rod.parent = at.link;
  rod.frame = at.frame;
  rod.name = prefix + "B_" + end + model.copy;
  model.robot.links.push_back(rod);
  const int self = model.robot.num_links() - 1;
  RobotJoint joint;
  joint.name = prefix + "J_" + end + model.copy;
  joint.source = rod.source;
  joint.kind = held == "free" ? RobotJointKind::kFree : RobotJointKind::kBall;
  if (held == "free" && at.link >= 0)
    model.xml.fail(e, "a free cable is not on a body of the world");
  for (const XMLElement* c : model.children(e)) {
    const std::string_view tag = c->Name();
    if (tag == "joint" && held == "ball") {
      read_joint_details(model.with_defaults(c, at.inherited), {}, joint, "ball");
    } else if (tag == "geom") {
      read_geom(model, c, {self, {}, at.inherited});
      RobotGeometry& g = model.link(self).geometry.back();
      if (g.kind != GeometryKind::kCapsule && g.kind != GeometryKind::kCylinder) {
        model.xml.fail(c, "rods of a cable are capsules or cylinders here, not a {}",
                       to_string(g.kind));
      }
      g.size[1] = 0.5 * length;
      g.frame = {{0.5 * length, 0.0, 0.0}, turn_z_onto({-1.0, 0.0, 0.0})};
    } else if (tag != "joint" && tag != "skin") {
      model.xml.fail(c, "<{}> of a cable is not supported", tag);
    }
  }
  if (held != "none") model.link(self).joints.push_back(joint);
  if (end == "first") model.robot.sites.push_back({prefix + "S_first" + model.copy, self, {}});
  if (end == "last") {
    model.robot.sites.push_back({prefix + "S_last" + model.copy, self, {{length, 0.0, 0.0}, {}}});
  }
  return self;
}

/// A straight chain of rods along x of their bodies, a ball joint each. It has no stiffness: in the format a plugin
/// has that.
void read_cable(Model& model, const XMLElement* e, const Place& at) {
  const Element element = model.element(e);
  element.check({"type", "count", "offset", "curve", "size", "initial", "prefix"});
  const auto count = model.xml.numbers(e, "count", model.xml.required(e, "count"));
  const auto given = model.xml.numbers(e, "size", element.text("size", "1"));
  if (count.empty() || count[0] != std::floor(count[0]) || !(count[0] >= 3.0) || count[0] > 1e5 ||
      std::any_of(count.begin() + 1, count.end(), [](double n) { return n != 1.0; })) {
    model.xml.fail(e, "count of a cable is not a whole number from 3, and ones");
  }
  if (given.empty() || !(given[0] > 0.0)) model.xml.fail(e, "size of a cable is not positive");
  const Vec3 direction = curve_direction(model, e);
  const int rods = static_cast<int>(count[0]) - 1;
  const double length = given[0] * norm(direction) / rods;
  const std::string initial = element.text("initial", "ball");
  if (initial != "free" && initial != "ball" && initial != "none") {
    model.xml.fail(e, "initial is '{}', not free, ball or none", initial);
  }
  Place rod = at;
  rod.frame = at.frame * RigidFrame{element.vector("offset", {}), turn_x_onto(direction)};
  for (int k = 0; k < rods; ++k) {
    const std::string end = k == 0 ? "first" : k + 1 == rods ? "last" : std::to_string(k);
    rod.link = read_rod(model, e, rod, end, length, k == 0 ? initial : "ball");
    rod.frame = {{length, 0.0, 0.0}, {}};
  }
}

/// Copies of what refers to links and joints, where all of these have copies: `place` of each.
void attach_what_acts(Model& model, const XMLElement* e, const RobotDescription& from,
                      std::map<int, int>& place, const std::function<void(std::string&)>& rename) {
  // One that ends at its world has none.
  const auto both = [&](int a, int b, const std::string& what) {
    if ((a < 0 && place.count(b) > 0) || (b < 0 && place.count(a) > 0)) {
      model.xml.fail(e, "'{}' ends at the world of its own model, which is not attached", what);
    }
    return place.count(a) > 0 && place.count(b) > 0;
  };
  for (RobotActuator actuator : from.actuators) {
    if (place.count(from.find_joint(actuator.joint).first) == 0) continue;
    rename(actuator.joint);
    rename(actuator.name);
    model.robot.actuators.push_back(std::move(actuator));
  }
  for (const auto& [a, b] : from.excluded) {
    if (place.count(a) > 0 && place.count(b) > 0)
      model.robot.excluded.emplace_back(place[a], place[b]);
  }
  for (RobotSite site : from.sites) {
    if (place.count(site.link) == 0) continue;
    site.link = place[site.link];
    rename(site.name);
    model.robot.sites.push_back(std::move(site));
  }
  for (RobotHold hold : from.holds) {
    if (!both(hold.link_a, hold.link_b, hold.name)) continue;
    hold.link_a = place[hold.link_a];
    hold.link_b = place[hold.link_b];
    rename(hold.name);
    model.robot.holds.push_back(std::move(hold));
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
    if (here) model.robot.tendons.push_back(std::move(tendon));
  }
}

/// A body of another model and everything below it, here, with a prefix before every name.
void attach(Model& model, const XMLElement* e, const Place& at) {
  model.element(e).check({"model", "body", "prefix"});
  const std::string name = model.xml.required(e, "model");
  const auto found = model.models.find(name);
  if (found == model.models.end()) model.xml.fail(e, "there is no model '{}'", name);
  const RobotDescription& from = found->second;
  const std::string body = model.xml.required(e, "body");
  const int top = from.find_link(body);
  if (top < 0) model.xml.fail(e, "model '{}' has no body '{}'", name, body);
  const char* given = e->Attribute("prefix");
  const std::string prefix = given == nullptr ? "" : given;
  const auto rename = [&](std::string& text) {
    if (!text.empty()) text = prefix + text + model.copy;
  };
  std::map<int, int> place;  // here, of the links there
  for (int k = top; k < from.num_links(); ++k) {
    RobotLink link = from.link(k);
    if (k != top && place.count(link.parent) == 0) continue;
    link.parent = k == top ? at.link : place[link.parent];
    if (k == top) link.frame = at.frame * link.frame;
    rename(link.name);
    for (RobotJoint& joint : link.joints) {
      if (joint.kind == RobotJointKind::kFree && link.parent >= 0) {
        model.xml.fail(e, "the free joint '{}' would not be on a body of the world", joint.name);
      }
      rename(joint.name);
      if (joint.mimic) rename(joint.mimic->joint);
    }
    place[k] = model.robot.num_links();
    model.robot.links.push_back(std::move(link));
  }
  attach_what_acts(model, e, from, place, rename);
}

std::string childclass(Model& model, const XMLElement* e, const std::string& inherited) {
  const char* own = e->Attribute("childclass");
  if (own == nullptr) return inherited;
  model.default_class(e, own);
  return own;
}

RigidFrame site_frame(const Element& e) {
  if (e.get("fromto") == nullptr) return e.frame();
  const auto [from, to] = e.ends();
  return {0.5 * (from + to), turn_z_onto(e.direction("fromto", from - to))};
}

void read_inertial(Model& model, const XMLElement* e, int k) {
  if (model.compiler.inertiafromgeom == "true") return;
  const Element element = model.element(e);
  element.check(kFrameNames, {"mass", "diaginertia", "fullinertia"});
  RobotInertial inertial;
  inertial.frame = element.frame();
  inertial.mass = model.xml.required_number(e, "mass");
  if (!(inertial.mass >= 0.0))
    model.xml.fail(e, "body '{}' has the mass {} kg", model.link(k).name, inertial.mass);
  if (const char* text = e->Attribute("fullinertia")) {
    const auto v = model.xml.numbers(e, "fullinertia", text, 6);
    inertial.inertia = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
  } else if (const char* diagonal_text = e->Attribute("diaginertia")) {
    inertial.inertia = diagonal(model.xml.vector(e, "diaginertia", diagonal_text));
  } else {
    model.xml.fail(e, "the inertial of '{}' needs diaginertia or fullinertia", model.link(k).name);
  }
  model.link(k).inertial = inertial;
}

void read_body(Model& model, const XMLElement* e, const Place& at) {
  const Element element = model.element(e);
  element.check(kFrameNames, {"childclass", "gravcomp"});
  RobotLink link;
  link.carried = element.number("gravcomp", 0.0);
  link.source = model.xml.where(e);
  link.parent = at.link;
  link.frame = at.frame * element.frame();
  link.name = model.full_name(element);
  if (link.name.empty()) link.name = fmt::format("body {}", model.robot.num_links() + 1);
  model.robot.links.push_back(link);
  read_children(model, e, {model.robot.num_links() - 1, {}, childclass(model, e, at.inherited)});
}

/// Copies, each moved against the one before; the names of copy k end in `sep` and k.
void read_replicate(Model& model, const XMLElement* e, const Place& at) {
  const Element element = model.element(e);
  element.check({"count", "offset", "euler", "sep"}, {"childclass"});
  const double count = model.xml.required_number(e, "count");
  if (!(count >= 1.0) || count != std::floor(count) || count > 1e5) {
    model.xml.fail(e, "count {} of <replicate> is not a whole number from 1 to 100000", count);
  }
  const RigidFrame step{element.vector("offset", {}), element.rotation()};
  const std::string before = model.copy;
  const std::size_t digits = fmt::format("{}", count - 1.0).size();
  RigidFrame copy;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    model.copy = fmt::format("{}{:0{}}", element.text("sep", ""), k, digits) + before;
    read_children(model, e, {at.link, at.frame * copy, childclass(model, e, at.inherited)});
    copy = copy * step;
  }
  model.copy = before;
}

}  // namespace

void read_other_model(Model& model, const XMLElement* e) {
  const fs::path file = model.present_file(e, "model");
  const std::string real = fs::weakly_canonical(file).string();
  if (std::find(model.within.begin(), model.within.end(), real) != model.within.end()) {
    model.xml.fail(e, "{} attaches itself", file.string());
  }
  const char* name = e->Attribute("name");
  const XMLElement* const root = model.xml.read(file);
  Model other(model.xml, file, model.options);
  other.within.insert(other.within.end(), model.within.begin(), model.within.end());
  model.models[name != nullptr                       ? name
               : root->Attribute("model") != nullptr ? root->Attribute("model")
                                                     : file.stem().string()] = other.read(root);
}

int named_body(Model& model, const XMLElement* e, const char* attribute) {
  const std::string name = model.xml.required(e, attribute);
  if (name == "world") return -1;
  const int k = model.robot.find_link(name);
  if (k < 0) model.xml.fail(e, "there is no body '{}'", name);
  return k;
}

const RobotSite& named_site(Model& model, const XMLElement* e, const char* attribute) {
  const std::string name = model.xml.required(e, attribute);
  const auto found = std::find_if(model.robot.sites.begin(), model.robot.sites.end(),
                                  [&](const RobotSite& s) { return s.name == name; });
  if (found == model.robot.sites.end()) model.xml.fail(e, "there is no site '{}'", name);
  return *found;
}

RigidFrame reference_frame(const Model& model, int k) {
  RigidFrame at;
  for (; k >= 0; k = model.robot.link(k).parent) at = model.robot.link(k).frame * at;
  return at;
}

void read_children(Model& model, const XMLElement* parent, const Place& at) {
  const auto list = model.children(parent);
  for (const XMLElement* e : list) {  // geoms ask whether there is one
    if (at.link >= 0 && std::string_view(e->Name()) == "inertial") read_inertial(model, e, at.link);
  }
  for (const XMLElement* e : list) {
    const std::string_view tag = e->Name();
    if (tag == "body") {
      read_body(model, e, at);
    } else if (tag == "geom") {
      read_geom(model, e, at);
    } else if (tag == "joint" || tag == "freejoint") {
      read_joint(model, e, at);
    } else if (tag == "frame") {
      const Element element = model.element(e);
      element.check(kFrameNames, {"childclass"});
      read_children(model, e,
                    {at.link, at.frame * element.frame(), childclass(model, e, at.inherited)});
    } else if (tag == "replicate") {
      read_replicate(model, e, at);
    } else if (tag == "attach") {
      attach(model, e, at);
    } else if (tag == "composite" && e->Attribute("type") != nullptr &&
               std::string_view(e->Attribute("type")) == "cable") {
      read_cable(model, e, at);
    } else if (tag == "flexcomp" || tag == "composite") {
      model.xml.fail(e, "<{}> makes bodies that deform, which are not read from this format", tag);
    } else if (tag == "site") {
      const Element site = model.with_defaults(e, at.inherited);
      model.robot.sites.push_back({model.full_name(site), at.link, at.frame * site_frame(site)});
    } else if (tag != "inertial") {
      model.xml.unsupported("body " + std::string(tag), e);
    }
  }
}

}  // namespace nsn::robots::mjcf
