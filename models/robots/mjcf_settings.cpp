// What a model sets for all of it: <compiler>, <default>, <option> and its flags.
#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {

void read_compiler(Model& model, const XMLElement* e) {
  model.xml.check_attributes(
      e, {"angle", "eulerseq", "meshdir", "assetdir", "autolimits", "coordinate", "inertiafromgeom",
          "texturedir", "settotalmass", "boundmass", "boundinertia"});
  Compiler& compiler = model.compiler;
  compiler.least_mass = model.xml.number_or(e, "boundmass", compiler.least_mass);
  compiler.least_inertia = model.xml.number_or(e, "boundinertia", compiler.least_inertia);
  compiler.total_mass = model.xml.number_or(e, "settotalmass", compiler.total_mass);
  if (const char* text = e->Attribute("angle")) {
    const std::string_view unit = text;
    if (unit != "degree" && unit != "radian") model.xml.fail(e, "angle is '{}'", unit);
    compiler.angle = unit == "radian" ? 1.0 : std::numbers::pi / 180.0;
  }
  if (const char* text = e->Attribute("eulerseq")) {
    compiler.eulerseq = text;
    if (compiler.eulerseq.size() != 3 ||
        compiler.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos) {
      model.xml.fail(e, "eulerseq is '{}', not three of xyzXYZ", text);
    }
  }
  for (const char* name : {"assetdir", "meshdir"}) {
    if (const char* text = e->Attribute(name)) compiler.meshdir = text;
  }
  if (const char* text = e->Attribute("autolimits")) {
    compiler.autolimits = model.xml.flag(e, "autolimits", text);
  }
  if (const char* text = e->Attribute("coordinate")) {
    if (std::string_view(text) != "local") model.xml.fail(e, "coordinate is '{}', not local", text);
  }
  if (const char* text = e->Attribute("inertiafromgeom")) {
    compiler.inertiafromgeom = text;
    if (compiler.inertiafromgeom != "auto") model.xml.flag(e, "inertiafromgeom", text);
  }
}

void read_default(Model& model, const XMLElement* e, const std::string& parent, bool top) {
  std::string name = "main";
  if (const char* own = e->Attribute("class")) name = own;
  if (!top) {
    if (e->Attribute("class") == nullptr) model.xml.fail(e, "a nested <default> needs a class");
    if (!model.classes.emplace(name, model.classes.at(parent)).second) {
      model.xml.fail(e, "a second default class '{}'", name);
    }
  } else if (name != "main") {
    model.classes.emplace(name, model.classes.at("main"));
  }
  const auto inside = model.children(e);
  for (const XMLElement* c : inside) {
    if (std::string_view(c->Name()) == "default") continue;
    Attributes& attributes = model.classes.at(name)[c->Name()];
    for (const auto* a = c->FirstAttribute(); a != nullptr; a = a->Next()) {
      attributes[a->Name()] = a->Value();
    }
  }
  for (const XMLElement* c : inside) {
    if (std::string_view(c->Name()) == "default") read_default(model, c, name, false);
  }
}

void read_option(Model& model, const XMLElement* e) {
  model.xml.check_attributes(e, {"gravity", "density", "viscosity"});
  const std::pair<const char*, double*> fluid[] = {{"density", &model.robot.fluid.density},
                                                   {"viscosity", &model.robot.fluid.viscosity}};
  for (const auto& [name, value] : fluid) {
    *value = model.xml.number_or(e, name, *value);
    if (!(*value >= 0.0)) model.xml.fail(e, "{} {} is negative", name, *value);
  }
  if (const char* text = e->Attribute("gravity"))
    model.robot.gravity = model.xml.vector(e, "gravity", text);
  for (const XMLElement* c : model.children(e)) {
    if (std::string_view(c->Name()) != "flag") {
      model.xml.unsupported(std::string("option ") + c->Name(), c);
      continue;
    }
    model.xml.check_attributes(
        c, {"constraint", "contact", "limit", "equality", "frictionloss", "gravity", "passive",
            "spring", "damper", "actuation", "energy"});
  }
}

void apply_flags(Model& model, const XMLElement* option) {
  RobotDescription& robot = model.robot;
  for (const XMLElement* c : model.children(option)) {
    if (std::string_view(c->Name()) != "flag") continue;
    const auto off = [&](const char* name) {
      const char* text = c->Attribute(name);
      return text != nullptr && std::string_view(text) == "disable";
    };
    const bool all = off("constraint");
    const auto drop_contacts = [&](std::vector<RobotGeometry>& list) {
      for (RobotGeometry& g : list) g.collides = g.collides && !all && !off("contact");
    };
    const auto drop_forces = [&](auto& joint) {  // of joints and tendons
      if (all || off("limit")) joint.limit = {};
      if (all || off("frictionloss")) joint.friction = 0.0;
      if (off("passive") || off("spring")) joint.spring.stiffness = 0.0;
      if (off("passive") || off("damper")) joint.spring.damping = 0.0;
    };
    drop_contacts(robot.world_geometry);
    for (RobotLink& link : robot.links) {
      drop_contacts(link.geometry);
      for (RobotJoint& joint : link.joints) {
        drop_forces(joint);
        if (all || off("equality")) joint.mimic.reset();
      }
    }
    for (RobotTendon& tendon : robot.tendons) {
      drop_forces(tendon);
      if (all || off("equality")) tendon.held.reset();
      if (off("actuation")) tendon.servos.clear();
    }
    if (all || off("equality")) robot.holds.clear();
    if (off("actuation")) robot.actuators.clear();
    if (off("gravity")) robot.gravity = {};
    if (off("passive")) robot.fluid = {};
  }
}

}  // namespace nsn::robots::mjcf
