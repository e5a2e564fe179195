// Actuators of joints and tendons: motors, position and velocity servos.
#include <algorithm>
#include <cmath>

#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

/// All but its law.
RobotActuator actuator_of(const Element& e, int axis = 0) {
  RobotActuator actuator;
  actuator.source = e.where();
  actuator.name = e.text("name", "");
  actuator.joint = e.text("joint", "");
  actuator.axis = axis;
  actuator.gear = 1.0;
  if (e.get("gear") != nullptr) {
    const auto gear = e.numbers("gear");
    if (gear.empty()) e.fail("gear is empty");
    actuator.gear = gear[static_cast<std::size_t>(axis)];
  }
  if (actuator.gear == 0.0) e.fail("actuator '{}' has the gear 0", actuator.name);
  actuator.control = e.range("ctrlrange", "ctrllimited", 1.0);
  actuator.effort = e.range("forcerange", "forcelimited", 1.0);
  if (!(actuator.effort.lower <= 0.0 && actuator.effort.upper >= 0.0)) {
    e.fail("forcerange of actuator '{}' does not hold 0", actuator.name);
  }
  return actuator;
}

/// gain u + b0 + b1 q + b2 v: a motor, a position or a velocity servo where it is one.
bool read_general(const Element& e, RobotActuator& actuator) {
  const double gain = e.first_number("gainprm", 1.0);
  std::vector<double> bias;
  if (e.text("biastype", "none") == "affine") bias = e.numbers("biasprm");
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
    e.fail("actuator '{}' acts at rest, and is neither a position nor a velocity servo",
           actuator.name);
  }
  e.unsupported("general actuator whose gain depends on the pose");
  return false;
}

/// False: it is none of these, and exerts nothing at control 0.
bool read_law(const Element& e, const std::string& tag, RobotActuator& actuator) {
  const Names common{"joint",     "jointinparent", "tendon",     "gear",
                     "ctrlrange", "ctrllimited",   "forcerange", "forcelimited"};
  if (tag == "motor") {
    e.check(common);
  } else if (tag == "position") {
    e.check(common, {"kp", "kv"});
    actuator.kind = ActuatorKind::kPosition;
    actuator.gain = e.number("kp", 1.0);
    actuator.damping = e.number("kv", 0.0);
  } else if (tag == "velocity") {
    e.check(common, {"kv"});
    actuator.kind = ActuatorKind::kVelocity;
    actuator.gain = e.number("kv", 1.0);
  } else {
    e.check(common, {"gainprm", "biasprm", "gaintype", "biastype"});
    return read_general(e, actuator);
  }
  if (!(actuator.gain >= 0.0) || !(actuator.damping >= 0.0)) {
    e.fail("actuator '{}' has a negative gain", actuator.name);
  }
  return true;
}

/// An actuator that is not read: it may only be one that exerts nothing while its control is 0.
void check_rest(const Element& e, const std::string& tag) {
  const bool passive = tag == "motor" || tag == "adhesion" || tag == "damper";
  bool off = passive || tag == "general" || tag == "cylinder";
  std::vector<double> bias;
  const bool biased = tag == "cylinder" || e.text("biastype", "none") != "none";
  if (biased) bias = e.numbers(tag == "cylinder" ? "bias" : "biasprm");
  if (!passive)
    off = off && std::all_of(bias.begin(), bias.end(), [](double b) { return b == 0.0; });
  const std::string what = e.get("joint") == nullptr ? tag + " without joint" : tag;
  if (!off) e.fail("actuator <{}> acts at rest too, and is not supported", what);
  e.unsupported("actuator " + what);
}

void drive_joint(Model& model, const Element& e, const std::string& tag) {
  const bool in_parent = e.get("joint") == nullptr;  // the same for hinges and slides
  const std::string name = e.text(in_parent ? "jointinparent" : "joint", "");
  const RobotJoint* const joint = model.find_joint(name);
  if (joint == nullptr) e.fail("actuator '{}': there is no joint '{}'", e.text("name", ""), name);
  int axis = 0;
  if (joint->num_dofs() > 1) {
    const int count = joint->num_dofs();
    auto gear = e.get("gear") == nullptr ? std::vector<double>{1.0} : e.numbers("gear");
    gear.resize(static_cast<std::size_t>(count), 0.0);
    axis = static_cast<int>(
        std::find_if(gear.begin(), gear.end(), [](double g) { return g != 0.0; }) - gear.begin());
    const bool single = std::count(gear.begin(), gear.end(), 0.0) == count - 1;
    if (joint->kind == RobotJointKind::kFree || !single || in_parent) return check_rest(e, tag);
  }
  RobotActuator actuator = actuator_of(e, axis);
  actuator.joint = name;
  if (read_law(e, tag, actuator)) model.robot.actuators.push_back(actuator);
}

void drive_tendon(Model& model, const Element& e, const std::string& tag) {
  TendonEntry& entry = used_tendon(model, e.xml, "tendon");
  RobotTendon& tendon = entry.tendon;
  RobotActuator actuator = actuator_of(e);
  if (!read_law(e, tag, actuator)) return;
  const JointLimit& all = entry.efforts;
  const auto servo = [](const RobotActuator& any) { return any.kind != ActuatorKind::kMotor; };
  const bool shared = std::any_of(tendon.servos.begin(), tendon.servos.end(), servo);
  if (servo(actuator) && (std::isfinite(all.lower) || std::isfinite(all.upper))) {
    if (shared || std::abs(actuator.gear) != 1.0) {
      e.fail(
          "actuatorfrcrange of tendon '{}' with servos that share it or have a gear "
          "is not supported",
          tendon.name);
    }
    const JointLimit own = scaled(all, actuator.gear);
    actuator.effort.lower = std::max(actuator.effort.lower, own.lower);
    actuator.effort.upper = std::min(actuator.effort.upper, own.upper);
  }
  tendon.servos.push_back(actuator);
}

}  // namespace

void read_actuators(Model& model, const XMLElement* section) {
  for (const XMLElement* e : model.children(section)) {
    const std::string tag = e->Name();
    const Element element = model.with_defaults(e, "main");
    if (tag == "muscle" || element.text("gaintype", "") == "muscle") {
      model.xml.fail(e, "a muscle acts at rest too, and is not supported");
    }
    const bool known = tag == "motor" || tag == "position" || tag == "velocity" || tag == "general";
    const bool of_joint =
        element.get("joint") != nullptr || element.get("jointinparent") != nullptr;
    if (known && element.get("tendon") != nullptr) {
      drive_tendon(model, element, tag);
    } else if (known && of_joint) {
      drive_joint(model, element, tag);
    } else {
      check_rest(element, tag);
    }
  }
}

}  // namespace nsn::robots::mjcf
