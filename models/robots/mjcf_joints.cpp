// Joints, and equalities: lengths and coordinates that follow others, bodies that are held together.
#include <algorithm>
#include <cmath>

#include "nsn/core/base/types.h"
#include "nsn/models/robots/kinematics.h"
#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

/// Of the link's last joint.
void read_spring_damper(Model& model, const Element& e, int k) {
  const auto& joints = model.link(k).joints;
  if (e.get("springdamper") == nullptr) return;
  const auto v = e.numbers("springdamper", 2);
  if (!(v[0] > 0.0 && v[1] > 0.0)) return;
  if (joints.back().num_dofs() != 1) {
    e.fail("springdamper of a joint that is neither hinge nor slide is not supported");
  }
  model.tuned.push_back({k, joints.size() - 1, v[0], v[1]});
}

/// c_0 ... c_4 of an equality.
std::array<double, 5> polynomial(const Model& model, const XMLElement* e) {
  std::array<double, 5> poly{0.0, 1.0};
  const char* text = e->Attribute("polycoef");
  if (text == nullptr) return poly;
  const auto given = model.xml.numbers(e, "polycoef", text);
  if (given.size() > poly.size()) model.xml.fail(e, "polycoef has more than five numbers");
  std::copy(given.begin(), given.end(), poly.begin());
  return poly;
}

bool linear(const std::array<double, 5>& poly) {
  return poly[2] == 0.0 && poly[3] == 0.0 && poly[4] == 0.0;
}

/// L_1 - L_1,0 = c_0 + c_1 x + ... + c_4 x^4, x = L_2 - L_2,0, L_0 at the reference.
void hold_length(Model& model, const XMLElement* e, const std::string& name,
                 const TendonLength& first, const TendonLength* second) {
  const auto poly = polynomial(model, e);
  RobotTendon held;
  held.name = name;
  held.source = model.xml.where(e);
  held.length = first;
  held.held = reference_length(model, first);
  if (second != nullptr && !linear(poly)) {
    held.leader = TendonLeader{*second, reference_length(model, *second), poly};
    model.robot.tendons.push_back(std::move(held));
    return;
  }
  *held.held += poly[0];
  if (second != nullptr) {
    *held.held -= poly[1] * reference_length(model, *second);
    for (const auto& [joint, weight] : second->joints) {
      held.length.joints.emplace_back(joint, -poly[1] * weight);
    }
    for (TendonSegment segment : second->segments) {
      segment.weight *= -poly[1];
      held.length.segments.push_back(segment);
    }
  }
  model.robot.tendons.push_back(std::move(held));
}

void hold_tendon(Model& model, const Element& element) {
  const XMLElement* const e = element.xml;
  element.check({"tendon1", "tendon2", "polycoef", "active"});
  const RobotTendon& first = used_tendon(model, e, "tendon1").tendon;
  const bool two = e->Attribute("tendon2") != nullptr;
  hold_length(model, e, first.name, first.length,
              two ? &used_tendon(model, e, "tendon2").tendon.length : nullptr);
}

void hold_joint(Model& model, const Element& element) {
  const XMLElement* const e = element.xml;
  element.check({"joint1", "joint2", "polycoef", "active"});
  const auto find = [&](const char* attribute) -> RobotJoint& {
    const std::string name = model.xml.required(e, attribute);
    RobotJoint* const found = model.find_joint(name);
    if (found == nullptr) model.xml.fail(e, "there is no joint '{}'", name);
    if (found->num_dofs() != 1) model.xml.fail(e, "joint '{}' is neither hinge nor slide", name);
    return *found;
  };
  RobotJoint& joint = find("joint1");
  const TendonLength own{{{joint.name, 1.0}}, {}};
  if (e->Attribute("joint2") == nullptr) return hold_length(model, e, joint.name, own, nullptr);
  const RobotJoint& leader = find("joint2");
  const auto poly = polynomial(model, e);
  if (!linear(poly) || joint.mimic) {
    const TendonLength other{{{leader.name, 1.0}}, {}};
    return hold_length(model, e, joint.name, own, &other);
  }
  joint.mimic =
      JointMimic{leader.name, poly[1], joint.reference + poly[0] - poly[1] * leader.reference};
}

/// Of the second anchor in the first body.
RigidFrame relative_pose(const Element& e, const RigidFrame& missing) {
  if (e.get("relpose") == nullptr) return missing;
  const auto v = e.numbers("relpose", 7);
  const Quaternion turn{v[3], v[4], v[5], v[6]};
  if (std::all_of(v.begin() + 3, v.end(), [](double x) { return x == 0.0; })) return missing;
  return {{v[0], v[1], v[2]}, normalized(turn)};
}

/// A point of two bodies, or all of both, stays where it is at the reference, or where it is told.
void hold_bodies(Model& model, const Element& element, bool weld) {
  const XMLElement* const e = element.xml;
  element.check({"body1", "body2", "anchor", "site1", "site2", "active"},
                {weld ? "relpose" : "", weld ? "torquescale" : ""});
  RobotHold hold;
  hold.name = element.text("name", "");
  hold.source = model.xml.where(e);
  hold.weld = weld && element.number("torquescale", 1.0) > 0.0;
  if (e->Attribute("site1") != nullptr) {
    const RobotSite& a = named_site(model, e, "site1");
    const RobotSite& b = named_site(model, e, "site2");
    hold.link_a = a.link;
    hold.link_b = b.link;
    hold.frame_a = a.frame;
    hold.frame_b = b.frame;
    model.robot.holds.push_back(hold);
    return;
  }
  hold.link_a = named_body(model, e, "body1");
  hold.link_b = e->Attribute("body2") == nullptr ? -1 : named_body(model, e, "body2");
  if (!weld) model.xml.required(e, "anchor");
  const RigidFrame anchor{element.vector("anchor", {}), {}};
  const RigidFrame a = reference_frame(model, hold.link_a);
  const RigidFrame b = reference_frame(model, hold.link_b);
  if (weld) {  // the anchor is one of the second body
    hold.frame_b = anchor;
    hold.frame_a = relative_pose(element, inverse(a) * b * anchor);
  } else {
    hold.frame_a = anchor;
    hold.frame_b = inverse(b) * a * anchor;
  }
  model.robot.holds.push_back(hold);
}

}  // namespace

void read_joint_details(const Element& e, const RigidFrame& where, RobotJoint& joint,
                        const char* missing) {
  e.check({"kind", "springdamper", "type", "pos", "axis", "range", "limited", "damping",
           "stiffness", "springref", "ref", "armature", "frictionloss", "actuatorfrcrange",
           "actuatorfrclimited"});
  const std::string type = e.text("type", missing);
  static const std::map<std::string, RobotJointKind> kinds{{"hinge", RobotJointKind::kHinge},
                                                           {"slide", RobotJointKind::kSlide},
                                                           {"ball", RobotJointKind::kBall},
                                                           {"free", RobotJointKind::kFree}};
  const auto kind = kinds.find(type);
  if (kind == kinds.end()) e.fail("joint '{}' is of the unknown type '{}'", joint.name, type);
  joint.kind = kind->second;
  if (joint.kind == RobotJointKind::kFree) {
    joint.spring.damping = e.first_number("damping", 0.0);
    joint.armature = e.number("armature", 0.0);
    for (const char* name : {"stiffness", "frictionloss"}) {
      if (e.first_number(name, 0.0) != 0.0) e.unsupported(fmt::format("free joint {}", name));
    }
    return;
  }
  joint.anchor = where.point(e.vector("pos", {}));
  joint.axis = where.direction(e.direction("axis", e.vector("axis", {0, 0, 1})));
  const double unit = joint.kind == RobotJointKind::kSlide ? 1.0 : e.compiler->angle;
  const bool locked = joint.kind == RobotJointKind::kBall && e.get("range") == nullptr &&
                      e.text("limited", "auto") == "true";  // a turn of 0 at most
  joint.limit = locked ? JointLimit{0.0, 0.0} : e.range("range", "limited", unit);
  joint.armature = e.number("armature", 0.0);
  joint.friction = e.number("frictionloss", 0.0);
  joint.spring = {e.first_number("stiffness", 0.0), e.first_number("damping", 0.0), 0.0};
  if (joint.kind == RobotJointKind::kBall) {  // its first number means nothing: an angle is >= 0
    joint.limit.lower = -kInfinity;
    return;
  }
  joint.reference = unit * e.number("ref", 0.0);
  joint.spring.rest = unit * e.number("springref", 0.0);
  const JointLimit effort = e.range("actuatorfrcrange", "actuatorfrclimited", 1.0);
  joint.effort = std::min(-effort.lower, effort.upper);
  if (std::abs(effort.lower + effort.upper) > 0.0) {
    e.unsupported("joint actuatorfrcrange that is not symmetric (the smaller side is taken)");
  }
}

void read_joint(Model& model, const XMLElement* e, const Place& at) {
  if (at.link < 0) model.xml.fail(e, "the world cannot have a joint");
  RobotLink& link = model.link(at.link);
  RobotJoint joint;
  joint.source = model.xml.where(e);
  const bool free = std::string_view(e->Name()) == "freejoint";
  const Element element = free ? model.element(e) : model.with_defaults(e, at.inherited);
  joint.name = model.full_name(element);
  if (joint.name.empty()) joint.name = fmt::format("{}/{}", link.name, link.joints.size() + 1);
  if (free) {
    element.check({});
    joint.kind = RobotJointKind::kFree;
  } else {
    read_joint_details(element, at.frame, joint);
  }
  if (joint.kind == RobotJointKind::kFree && link.parent >= 0) {
    model.xml.fail(e, "the free joint '{}' is not on a body of the world", joint.name);
  }
  for (const RobotJoint& other : link.joints) {
    if (joint.kind == RobotJointKind::kFree || other.kind == RobotJointKind::kFree) {
      model.xml.fail(e, "body '{}': a free joint beside another one is not supported", link.name);
    }
  }
  link.joints.push_back(joint);
  if (!free) read_spring_damper(model, element, at.link);
}

void tune_springs(Model& model) {
  if (model.tuned.empty()) return;
  const auto inertia = free_inertias(model.robot, reference_coordinates(model.robot));
  for (const auto& [k, j, time, ratio] : model.tuned) {
    std::size_t dof = j;
    for (int i = 0; i < k; ++i) {
      for (const RobotJoint& joint : model.link(i).joints) dof += to_size(joint.num_dofs());
    }
    RobotJoint& joint = model.link(k).joints[j];
    joint.spring.stiffness = inertia[dof] / (time * time * ratio * ratio);
    joint.spring.damping = 2.0 * inertia[dof] / time;
  }
}

void read_equalities(Model& model, const XMLElement* section) {
  for (const XMLElement* e : model.children(section)) {
    const std::string_view tag = e->Name();
    const Element element = model.with_defaults(e, "main", "equality");
    if (element.text("active", "true") == "false") {
      model.xml.unsupported("equality that is not active", e);
      continue;
    }
    if (tag == "tendon") {
      hold_tendon(model, element);
    } else if (tag == "joint") {
      hold_joint(model, element);
    } else if (tag == "connect" || tag == "weld") {
      hold_bodies(model, element, tag == "weld");
    } else {
      model.xml.fail(e, "equality <{}> is not supported", tag);
    }
  }
}

}  // namespace nsn::robots::mjcf
