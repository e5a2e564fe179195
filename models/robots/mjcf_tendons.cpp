// Tendons: sums of coordinates, and lengths of paths through sites.
#include <algorithm>

#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

[[noreturn]] void refuse_path(const Model& model, const XMLElement* e, const std::string& name,
                              std::string_view why) {
  model.xml.fail(e, "tendon '{}' {}, and winds around a geom, which is not supported", name, why);
}

void read_fixed_tendon(Model& model, const XMLElement* e, RobotTendon& tendon) {
  for (const XMLElement* c : model.children(e)) {
    const std::string name = model.xml.required(c, "joint");
    const RobotJoint* const joint = model.find_joint(name);
    if (joint == nullptr) model.xml.fail(c, "there is no joint '{}'", name);
    if (joint->num_dofs() != 1) {
      model.xml.fail(c, "tendon '{}': '{}' is neither hinge nor slide", tendon.name, name);
    }
    tendon.length.joints.emplace_back(name, model.xml.required_number(c, "coef"));
  }
  if (tendon.length.empty()) model.xml.fail(e, "tendon '{}' has no joints", tendon.name);
}

/// Straight from site to site; a pulley begins a new branch, whose length counts by 1 / divisor.
/// False: it winds around a geom.
bool read_path(Model& model, const XMLElement* e, RobotTendon& tendon) {
  const RobotSite* last = nullptr;
  double weight = 1.0;
  for (const XMLElement* c : model.children(e)) {
    const std::string_view tag = c->Name();
    if (tag == "geom") return false;
    if (tag == "pulley") {
      const double divisor = model.xml.required_number(c, "divisor");
      if (!(divisor > 0.0)) model.xml.fail(c, "divisor {} is not positive", divisor);
      weight = 1.0 / divisor;
      last = nullptr;
      continue;
    }
    if (tag != "site") model.xml.fail(c, "a tendon passes no <{}>", tag);
    const RobotSite* const next = &named_site(model, c, "site");
    if (last != nullptr) {
      tendon.length.segments.push_back(
          {last->link, last->frame.position, next->link, next->frame.position, weight});
    }
    last = next;
  }
  if (tendon.length.empty())
    model.xml.fail(e, "tendon '{}' passes less than two sites", tendon.name);
  return true;
}

/// Where its spring exerts nothing: as given, from one length to another, or where it starts.
void read_rest(Model& model, const Element& e, RobotTendon& tendon) {
  tendon.spring.rest = reference_length(model, tendon.length);
  if (e.get("springlength") == nullptr) return;
  const auto given = e.numbers("springlength");
  if (given.empty() || given.size() > 2) e.fail("springlength is not one or two numbers");
  if (given[0] < 0.0) return;
  tendon.spring.rest = given[0];
  if (given.size() < 2) return;
  tendon.slack = given[1] - given[0];
  if (!(tendon.slack >= 0.0)) e.fail("springlength [{}, {}] is crossed", given[0], given[1]);
}

/// Of one joint it is armature of that joint.
void read_armature(Model& model, const Element& e, RobotTendon& tendon) {
  const double armature = e.number("armature", 0.0);
  if (armature == 0.0) return;
  if (!(armature > 0.0)) e.fail("armature {} of a tendon is negative", armature);
  const TendonLength& length = tendon.length;
  if (length.joints.size() == 1) {
    const auto& [name, weight] = length.joints.front();
    model.find_joint(name)->armature += weight * weight * armature;
  } else if (length.segments.size() == 1) {
    tendon.armature = armature;
  } else {
    e.fail("armature of a tendon over more than one joint or two sites is not supported");
  }
}

}  // namespace

double reference_length(Model& model, const TendonLength& length) {
  double sum = 0.0;
  for (const auto& [name, weight] : length.joints) {
    sum += weight * model.find_joint(name)->reference;
  }
  for (const TendonSegment& s : length.segments) {
    sum += s.weight * norm(reference_frame(model, s.link_a).point(s.point_a) -
                           reference_frame(model, s.link_b).point(s.point_b));
  }
  return sum;
}

void read_tendons(Model& model, const XMLElement* section) {
  for (const XMLElement* e : model.children(section)) {
    const Element element = model.with_defaults(e, "main", "tendon");
    element.check({"range", "limited", "stiffness", "damping", "frictionloss", "springlength",
                   "actuatorfrcrange", "actuatorfrclimited", "armature"});
    TendonEntry entry;
    RobotTendon& tendon = entry.tendon;
    tendon.source = model.xml.where(e);
    tendon.name = element.text("name", "");
    if (tendon.name.empty()) tendon.name = fmt::format("tendon {}", model.tendons.size() + 1);
    tendon.limit = element.range("range", "limited", 1.0);
    tendon.friction = element.number("frictionloss", 0.0);
    tendon.spring = {element.first_number("stiffness", 0.0), element.first_number("damping", 0.0),
                     0.0};
    for (const double value : {tendon.friction, tendon.spring.stiffness, tendon.spring.damping}) {
      if (!(value >= 0.0))
        model.xml.fail(e, "tendon '{}' has the negative value {}", tendon.name, value);
    }
    const bool fixed = std::string_view(e->Name()) == "fixed";
    if (fixed) {
      read_fixed_tendon(model, e, tendon);
    } else if (!read_path(model, e, tendon)) {
      entry.winds = true;
      if (tendon.acts()) refuse_path(model, e, tendon.name, "acts on what it passes");
    }
    if (!fixed && tendon.limit.lower <= 0.0) tendon.limit.lower = -kInfinity;  // a length is >= 0
    if (!entry.winds) read_rest(model, element, tendon);
    read_armature(model, element, tendon);
    entry.efforts = element.range("actuatorfrcrange", "actuatorfrclimited", 1.0);
    if (!model.tendons.emplace(tendon.name, entry).second) {
      model.xml.fail(e, "a second tendon called '{}'", tendon.name);
    }
  }
}

TendonEntry& used_tendon(Model& model, const XMLElement* e, const char* attribute) {
  const std::string name = model.xml.required(e, attribute);
  const auto found = model.tendons.find(name);
  if (found == model.tendons.end()) model.xml.fail(e, "there is no tendon '{}'", name);
  if (found->second.winds) refuse_path(model, e, name, "is driven or held");
  return found->second;
}

void keep_acting_tendons(Model& model) {
  for (auto& [name, entry] : model.tendons) {
    if (entry.tendon.acts()) model.robot.tendons.push_back(std::move(entry.tendon));
  }
}

}  // namespace nsn::robots::mjcf
