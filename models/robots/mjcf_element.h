/// An element of MJCF: its attributes, those of its default class behind them, as numbers, vectors and frames in SI
/// units.
#pragma once

#include <numbers>

#include "nsn/models/robots/xml.h"

namespace nsn::robots::mjcf {

using Attributes = std::map<std::string, std::string, std::less<>>;
/// Attributes by element name.
using DefaultClass = std::map<std::string, Attributes, std::less<>>;
using Names = std::initializer_list<std::string_view>;

/// Attributes of a frame, which many elements have.
inline const Names kFrameNames{"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// What <compiler> sets.
struct Compiler {
  double angle = std::numbers::pi / 180.0;  ///< rad per unit
  std::string eulerseq = "xyz";
  std::filesystem::path meshdir;
  bool autolimits = true;
  std::string inertiafromgeom = "auto";
  double total_mass = 0.0;     ///< kg; <= 0: as it is
  double least_mass = 0.0;     ///< kg, of every body
  double least_inertia = 0.0;  ///< kg m^2, of every principal axis
};

/// Methods with a `name` read that attribute; `missing` is the answer where it is not given. All throw InputError
/// with file and line.
struct Element {
  const XMLElement* xml = nullptr;
  const Attributes* defaults = nullptr;  ///< null: none
  XmlFiles* files = nullptr;
  const Compiler* compiler = nullptr;

  /// Null: neither the element nor its class has it.
  const char* get(const char* name) const;
  std::string text(const char* name, const char* missing) const;
  double number(const char* name, double missing) const;
  /// The first of several numbers.
  double first_number(const char* name, double missing) const;
  Vec3 vector(const char* name, const Vec3& missing) const;
  /// v / |v|; `name` is the attribute that v comes from.
  Vec3 direction(const char* name, const Vec3& v) const;
  /// The two points of `fromto`, which must be there.
  std::pair<Vec3, Vec3> ends() const;
  /// A unit quaternion w x y z; the identity where it is missing.
  Quaternion quaternion(const char* name) const;
  /// By any of the attributes of a rotation.
  Quaternion rotation() const;
  RigidFrame frame() const { return {vector("pos", {}), rotation()}; }
  /// A range times `unit`, if the attribute `limited` says that it holds; else without bounds.
  JointLimit range(const char* name, const char* limited, double unit) const;

  /// None where it is missing.
  std::vector<double> numbers(const char* name) const;
  /// Exactly n of them; the attribute must be there.
  std::vector<double> numbers(const char* name, std::size_t n) const {
    return files->numbers(xml, name, get(name), n);
  }

  SourceLine where() const { return files->where(xml); }
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... values) const {
    files->fail(xml, text, std::forward<Arguments>(values)...);
  }
  void unsupported(const std::string& feature) const { files->unsupported(feature, xml); }
  /// Counts each attribute as unsupported that is in neither list.
  void check(Names known, Names more = {}) const;
};

/// The shortest turn of z onto v.
Quaternion turn_z_onto(const Vec3& v);

}  // namespace nsn::robots::mjcf
