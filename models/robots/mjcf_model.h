/// A model of MJCF while it is read, and what reads its sections.
///
/// The sections are read in the order in which they refer to each other: settings, default classes, assets, bodies,
/// contacts, tendons, equalities, actuators. Each adds to the description, and to what later ones look up by name.
#pragma once

#include <array>
#include <set>

#include "nsn/models/robots/mjcf_element.h"

namespace nsn::robots::mjcf {

struct MeshAsset {
  Element element;
  std::filesystem::path file;             ///< empty: the element has the vertices
  std::shared_ptr<const RobotMesh> mesh;  ///< null until a geom needs it
};

/// A joint whose spring and damper are told by a time constant and a damping ratio.
struct TunedSpring {
  int link = 0;
  std::size_t joint = 0;  ///< of the link
  double time = 0.0;      ///< s
  double ratio = 0.0;     ///< 1: critical
};

struct TendonEntry {
  RobotTendon tendon;
  JointLimit efforts;  ///< of all its actuators together
  bool winds = false;  ///< around a geom: known by name only
};

/// Where the children of an element go.
struct Place {
  int link = -1;          ///< -1: the world
  RigidFrame frame;       ///< in the link, of the <frame> or the copy around them
  std::string inherited;  ///< default class
};

struct Model {
  XmlFiles& xml;
  std::filesystem::path path;
  const RobotReadOptions& options;
  std::vector<std::string> within;  ///< this file, and those that attach it
  std::set<std::string> included;   ///< files
  RobotDescription robot{};
  Compiler compiler{};
  std::map<std::string, DefaultClass> classes{{"main", {}}};
  std::map<std::string, MeshAsset> meshes{};
  std::map<std::string, std::shared_ptr<const RobotMesh>> terrains{};
  std::map<std::string, RobotDescription> models{};  ///< that can be attached
  std::map<std::string, TendonEntry> tendons{};
  std::vector<TunedSpring> tuned{};
  std::set<std::string> missing{};  ///< meshes for pictures
  std::string copy{};               ///< what the names of the present copies end in

  Model(const Model&) = delete;  // elements point into it
  Model(XmlFiles& files, const std::filesystem::path& file, const RobotReadOptions& read_options);
  RobotDescription read(const XMLElement* root);

  /// Children with <include> replaced by what it includes.
  std::vector<const XMLElement*> children(const XMLElement* parent);
  /// A file that element e names: beside the model, else beside the file that e is in.
  std::filesystem::path beside(const XMLElement* e, const std::filesystem::path& name) const;
  /// The same for its attribute `file`: it exists and may be read. `what` it is called where it is missing.
  std::filesystem::path present_file(const XMLElement* e, std::string_view what) const;

  const DefaultClass& default_class(const XMLElement* e, const std::string& name) const;
  /// An element of a kind that has no defaults.
  Element element(const XMLElement* e) { return {e, nullptr, &xml, &compiler}; }
  /// With the defaults of elements of its name, or of those called `as`.
  Element with_defaults(const XMLElement* e, const std::string& inherited,
                        const char* as = nullptr);
  /// The name of an element, and of which copy it is.
  std::string full_name(const Element& e) const;

  RobotLink& link(int k) { return robot.links[static_cast<std::size_t>(k)]; }
  /// Null: none of that name.
  RobotJoint* find_joint(const std::string& name);
};

// mjcf_settings.cpp
void read_compiler(Model& model, const XMLElement* e);
/// A default class, which starts as `parent`; `top`: not within another one.
void read_default(Model& model, const XMLElement* e, const std::string& parent, bool top);
void read_option(Model& model, const XMLElement* e);
/// What <flag> turns off is gone.
void apply_flags(Model& model, const XMLElement* option);

// mjcf_bodies.cpp
void read_children(Model& model, const XMLElement* parent, const Place& at);
/// A model that <attach> may name.
void read_other_model(Model& model, const XMLElement* e);
/// The body that an attribute names; -1: the world.
int named_body(Model& model, const XMLElement* e, const char* attribute);
const RobotSite& named_site(Model& model, const XMLElement* e, const char* attribute);
/// Of a link where all coordinates are at their reference; -1: the world.
RigidFrame reference_frame(const Model& model, int k);

// mjcf_geoms.cpp
void read_assets(Model& model, const XMLElement* section);
void read_geom(Model& model, const XMLElement* xml, const Place& at);

// mjcf_joints.cpp
void read_joint(Model& model, const XMLElement* e, const Place& at);
/// All but the name; `missing` is its type where none is given.
void read_joint_details(const Element& e, const RigidFrame& where, RobotJoint& joint,
                        const char* missing = "hinge");
/// Springs and dampers that are told by a time constant T and a damping ratio z: with the inertia I
/// that the coordinate meets at the reference, k = I / (T z)^2 and d = 2 I / T.
void tune_springs(Model& model);
void read_equalities(Model& model, const XMLElement* section);

// mjcf_tendons.cpp
void read_tendons(Model& model, const XMLElement* section);
/// The tendon that an attribute names: one that something depends on.
TendonEntry& used_tendon(Model& model, const XMLElement* e, const char* attribute);
/// L where all coordinates are at their reference.
double reference_length(Model& model, const TendonLength& length);
/// Those that nothing depends on are left out of the description.
void keep_acting_tendons(Model& model);

// mjcf_actuators.cpp
void read_actuators(Model& model, const XMLElement* section);

}  // namespace nsn::robots::mjcf
