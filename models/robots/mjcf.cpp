// MJCF: what a model reads its sections with, and the order of these.
#include <algorithm>

#include "nsn/models/robots/mjcf_model.h"

namespace nsn::robots::mjcf {
namespace {

namespace fs = std::filesystem;

/// No body is lighter, and no principal moment smaller, than the compiler allows.
void bound_inertia(Model& model) {
  if (!(model.compiler.least_mass > 0.0) && !(model.compiler.least_inertia > 0.0)) return;
  for (RobotLink& l : model.robot.links) {
    RobotInertial all = robot_inertial(l);
    const SymmetricEigen principal = symmetric_eigen(all.inertia);
    const double smallest =
        std::min({principal.values[0], principal.values[1], principal.values[2]});
    if (all.mass >= model.compiler.least_mass && smallest >= model.compiler.least_inertia) continue;
    all.mass = std::max(all.mass, model.compiler.least_mass);
    Vec3 moments;
    for (int i = 0; i < 3; ++i) {
      moments[i] = std::max(principal.values[i], model.compiler.least_inertia);
    }
    all.inertia = principal.vectors * diagonal(moments) * transpose(principal.vectors);
    l.inertial = all;
  }
}

/// Density everywhere times what makes the mass of all bodies the stated one.
void set_total_mass(Model& model) {
  if (!(model.compiler.total_mass > 0.0)) return;
  double sum = 0.0;
  for (const RobotLink& l : model.robot.links) sum += robot_inertial(l).mass;
  if (!(sum > 0.0)) return;
  const double factor = model.compiler.total_mass / sum;
  for (RobotLink& l : model.robot.links) {
    RobotInertial all = robot_inertial(l);
    if (!(all.mass > 0.0)) continue;
    all.mass *= factor;
    all.inertia = factor * all.inertia;
    l.inertial = all;
  }
}

void read_contact(Model& model, const XMLElement* section) {
  for (const XMLElement* e : model.children(section)) {
    if (std::string_view(e->Name()) != "exclude") {
      model.xml.unsupported(std::string("contact ") + e->Name(), e);
      continue;
    }
    const int a = named_body(model, e, "body1");
    model.robot.excluded.emplace_back(a, named_body(model, e, "body2"));
  }
}

void check_deformable(Model& model, const XMLElement* section) {
  for (const XMLElement* e : model.children(section)) {
    if (std::string_view(e->Name()) == "flex") {
      model.xml.fail(e, "<flex> deforms, which is not read from this format");
    }
    model.xml.unsupported(std::string("deformable ") + e->Name(), e);
  }
}

/// In the order in which they refer to each other.
using Reader = void (*)(Model& model, const XMLElement* section);
constexpr std::pair<std::string_view, Reader> kSections[] = {
    {"compiler", read_compiler},
    {"default", [](Model& model, const XMLElement* e) { read_default(model, e, "main", true); }},
    {"asset", read_assets},
    {"option", read_option},
    {"worldbody",
     [](Model& model, const XMLElement* e) {
       read_children(model, e, {-1, {}, "main"});
     }},
    {"contact", read_contact},
    {"tendon", read_tendons},
    {"equality", read_equalities},
    {"actuator", read_actuators},
    {"deformable", check_deformable}};

}  // namespace

Model::Model(XmlFiles& files, const fs::path& file, const RobotReadOptions& read_options)
    : xml(files),
      path(file),
      options(read_options),
      within{fs::weakly_canonical(file).string()},
      included{within.front()} {}

std::vector<const XMLElement*> Model::children(const XMLElement* parent) {
  std::vector<const XMLElement*> list;
  for (const auto* e = parent->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (std::string_view(e->Name()) != "include") {
      list.push_back(e);
      continue;
    }
    const fs::path file = present_file(e, "included file");
    if (!included.insert(fs::weakly_canonical(file).string()).second) {
      xml.fail(e, "{} is included a second time", file.string());
    }
    const auto more = children(xml.read(file));
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

fs::path Model::beside(const XMLElement* e, const fs::path& name) const {
  std::error_code ignored;
  const fs::path file = path.parent_path() / name;
  const fs::path own = fs::path(xml.where(e).file).parent_path() / name;
  return !fs::exists(file, ignored) && fs::exists(own, ignored) ? own : file;
}

fs::path Model::present_file(const XMLElement* e, std::string_view what) const {
  fs::path file = beside(e, xml.required(e, "file"));
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) xml.fail(e, "{} {} is missing", what, file.string());
  xml.check_allowed(e, file);
  return file;
}

const DefaultClass& Model::default_class(const XMLElement* e, const std::string& name) const {
  const auto found = classes.find(name);
  if (found == classes.end()) xml.fail(e, "there is no default class '{}'", name);
  return found->second;
}

Element Model::with_defaults(const XMLElement* e, const std::string& inherited, const char* as) {
  const char* own = e->Attribute("class");
  const DefaultClass& defaults = default_class(e, own != nullptr ? own : inherited);
  const auto attributes = defaults.find(as != nullptr ? as : e->Name());
  return {e, attributes == defaults.end() ? nullptr : &attributes->second, &xml, &compiler};
}

std::string Model::full_name(const Element& e) const {
  const std::string name = e.text("name", "");
  return name.empty() ? name : name + copy;
}

RobotJoint* Model::find_joint(const std::string& name) {
  const auto [k, j] = robot.find_joint(name);
  return k < 0 ? nullptr : &link(k).joints[static_cast<std::size_t>(j)];
}

RobotDescription Model::read(const XMLElement* root) {
  robot.format = "MJCF";
  robot.file = path.string();
  if (const char* name = root->Attribute("model")) robot.name = name;
  const auto sections = children(root);
  const auto each = [&](std::string_view tag, const auto& visit) {
    for (const XMLElement* e : sections) {
      if (tag == e->Name()) visit(*this, e);
    }
  };
  for (const auto& [tag, reader] : kSections) each(tag, reader);
  keep_acting_tendons(*this);
  each("option", apply_flags);
  for (const XMLElement* e : sections) {
    const auto has_name = [&](const auto& section) { return section.first == e->Name(); };
    if (std::none_of(std::begin(kSections), std::end(kSections), has_name)) {
      xml.unsupported(e->Name(), e);
    }
  }
  if (robot.links.empty()) xml.fail(root, "the model has no bodies");
  bound_inertia(*this);
  set_total_mass(*this);
  tune_springs(*this);
  const bool attached = within.size() > 1;  // the model that attaches this one tells
  if (!attached) robot.unsupported = xml.take_unsupported();
  return std::move(robot);
}

}  // namespace nsn::robots::mjcf

namespace nsn::robots {

RobotDescription read_mjcf(XmlFiles& xml, const XMLElement* root, const std::filesystem::path& path,
                           const RobotReadOptions& options) {
  return mjcf::Model(xml, path, options).read(root);
}

}  // namespace nsn::robots
