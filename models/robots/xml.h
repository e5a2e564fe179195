/// XML with the file and line of everything. Only where nsn is built with tinyxml2.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tinyxml2.h>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/models/robots/read_robot.h"

namespace nsn::robots {

using tinyxml2::XMLElement;

/// The documents a robot is read from, and what was noticed in them.
class XmlFiles {
 public:
  /// Throws InputError where the text is not XML. The document lives as long as this.
  const XMLElement* parse(std::string_view text, const std::string& file);
  const XMLElement* read(const std::filesystem::path& path);

  /// Files in this folder may be read; links are followed.
  void allow(const std::filesystem::path& folder);
  /// Throws InputError for a file that lies in none of the allowed folders.
  void check_allowed(const XMLElement* element, const std::filesystem::path& file) const;

  SourceLine where(const XMLElement* element) const;
  template <class... Arguments>
  [[noreturn]] void fail(const XMLElement* element, fmt::format_string<Arguments...> text,
                         Arguments&&... values) const {
    throw InputError(to_string(where(element)) + ": " +
                     fmt::format(text, std::forward<Arguments>(values)...));
  }

  /// Counts a feature that is not supported.
  void unsupported(const std::string& name, const XMLElement* element);
  /// Every attribute of the element that is not among `known` counts as such.
  void check_attributes(const XMLElement* element, std::initializer_list<std::string_view> known);
  std::vector<UnsupportedFeature> take_unsupported() { return std::move(unsupported_); }

  /// Finite numbers separated by blanks; throws InputError with the attribute's name.
  std::vector<double> numbers(const XMLElement* element, std::string_view what,
                              std::string_view text) const;
  /// Exactly n of them.
  std::vector<double> numbers(const XMLElement* element, std::string_view what,
                              std::string_view text, std::size_t n) const;
  double number(const XMLElement* element, std::string_view what, std::string_view text) const;
  Vec3 vector(const XMLElement* element, std::string_view what, std::string_view text) const;
  /// Four numbers as they stand, not all 0.
  std::vector<double> quaternion(const XMLElement* element, std::string_view what,
                                 std::string_view text) const;
  bool flag(const XMLElement* element, std::string_view what, std::string_view text) const;

  /// An attribute that must be there.
  std::string required(const XMLElement* element, const char* name) const;
  double required_number(const XMLElement* element, const char* name) const;
  double number_or(const XMLElement* element, const char* name, double missing) const;

 private:
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;
  std::map<const tinyxml2::XMLDocument*, std::string> files_;
  std::vector<std::filesystem::path> allowed_;
  std::vector<UnsupportedFeature> unsupported_;
};

/// A mesh file as a surface; errors name the element that asks for it.
std::shared_ptr<const RobotMesh> read_mesh(const XmlFiles& xml, const XMLElement* element,
                                           const std::string& name,
                                           const std::filesystem::path& path, const Vec3& scale);

/// Scales about the origin; where that mirrors, triangles turn round, so that the outside stays outside.
void scale(TriangleSurface& surface, const Vec3& factors);

RobotDescription read_urdf(XmlFiles& xml, const XMLElement* root, const std::filesystem::path& path,
                           const RobotReadOptions& options);
RobotDescription read_mjcf(XmlFiles& xml, const XMLElement* root, const std::filesystem::path& path,
                           const RobotReadOptions& options);

}  // namespace nsn::robots
