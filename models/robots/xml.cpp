#include "nsn/models/robots/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/mesh_io.h"

namespace nsn::robots {

const XMLElement* XmlFiles::parse(std::string_view text, const std::string& file) {
  documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
  tinyxml2::XMLDocument& document = *documents_.back();
  files_[&document] = file;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const std::string reason = tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID());
    throw InputError(
        fmt::format("{}:{}: not well-formed XML ({})", file, document.ErrorLineNum(), reason));
  }
  if (document.RootElement() == nullptr) throw InputError(file + ":1: no XML element");
  return document.RootElement();
}

const XMLElement* XmlFiles::read(const std::filesystem::path& path) {
  return parse(read_text_file(path), path.string());
}

void XmlFiles::allow(const std::filesystem::path& folder) {
  allowed_.push_back(std::filesystem::weakly_canonical(folder));
}

void XmlFiles::check_allowed(const XMLElement* element, const std::filesystem::path& file) const {
  const std::filesystem::path real = std::filesystem::weakly_canonical(file);
  const bool inside = std::any_of(allowed_.begin(), allowed_.end(), [&](const auto& folder) {
    return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first ==
           folder.end();
  });
  if (inside) return;
  fail(element, "{} lies outside {}, the root of this model (another one: --root DIR)",
       file.string(), allowed_.front().string());
}

SourceLine XmlFiles::where(const XMLElement* element) const {
  return {files_.at(element->GetDocument()), element->GetLineNum()};
}

void XmlFiles::unsupported(const std::string& name, const XMLElement* element) {
  const auto known = std::find_if(unsupported_.begin(), unsupported_.end(),
                                  [&](const UnsupportedFeature& f) { return f.name == name; });
  if (known != unsupported_.end()) {
    ++known->count;
  } else {
    unsupported_.push_back({name, 1, where(element)});
  }
}

void XmlFiles::check_attributes(const XMLElement* element,
                                std::initializer_list<std::string_view> known) {
  for (const auto* a = element->FirstAttribute(); a != nullptr; a = a->Next()) {
    if (std::find(known.begin(), known.end(), a->Name()) != known.end()) continue;
    unsupported(fmt::format("{} {}", element->Name(), a->Name()), element);
  }
}

std::vector<double> XmlFiles::numbers(const XMLElement* element, std::string_view what,
                                      std::string_view text) const {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (at != end && blank(*at)) ++at;
    if (at == end) break;
    const char* const begin = at;
    if (*at == '+') ++at;
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next != end && !blank(*next)) || !std::isfinite(value)) {
      fail(element, "{}: '{}' is not a finite number", what,
           printable(std::string_view(begin, static_cast<std::size_t>(end - begin))));
    }
    values.push_back(value);
    at = next;
  }
  return values;
}

std::vector<double> XmlFiles::numbers(const XMLElement* element, std::string_view what,
                                      std::string_view text, std::size_t n) const {
  auto values = numbers(element, what, text);
  if (values.size() != n) {
    fail(element, "{} has {} numbers, {} are needed", what, values.size(), n);
  }
  return values;
}

double XmlFiles::number(const XMLElement* element, std::string_view what,
                        std::string_view text) const {
  return numbers(element, what, text, 1)[0];
}

Vec3 XmlFiles::vector(const XMLElement* element, std::string_view what,
                      std::string_view text) const {
  const auto v = numbers(element, what, text, 3);
  return {v[0], v[1], v[2]};
}

std::vector<double> XmlFiles::quaternion(const XMLElement* element, std::string_view what,
                                         std::string_view text) const {
  auto q = numbers(element, what, text, 4);
  if (q == std::vector<double>(4, 0.0)) fail(element, "{} is zero", what);
  return q;
}

bool XmlFiles::flag(const XMLElement* element, std::string_view what, std::string_view text) const {
  if (text == "true") return true;
  if (text != "false") fail(element, "{} is '{}', not true or false", what, printable(text));
  return false;
}

std::string XmlFiles::required(const XMLElement* element, const char* name) const {
  const char* value = element->Attribute(name);
  if (value == nullptr || *value == '\0') {
    fail(element, "<{}> needs the attribute '{}'", element->Name(), name);
  }
  return value;
}

double XmlFiles::required_number(const XMLElement* element, const char* name) const {
  return number(element, name, required(element, name));
}

double XmlFiles::number_or(const XMLElement* element, const char* name, double missing) const {
  const char* text = element->Attribute(name);
  return text == nullptr ? missing : number(element, name, text);
}

void scale(TriangleSurface& surface, const Vec3& factors) {
  for (Vec3& v : surface.vertex) {
    for (int i = 0; i < 3; ++i) v[i] *= factors[i];
  }
  if (factors[0] * factors[1] * factors[2] < 0.0) {
    for (auto& t : surface.triangle) std::swap(t[1], t[2]);
  }
}

std::shared_ptr<const RobotMesh> read_mesh(const XmlFiles& xml, const XMLElement* element,
                                           const std::string& name,
                                           const std::filesystem::path& path, const Vec3& scale) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    xml.fail(element, "mesh file {} is missing", path.string());
  }
  xml.check_allowed(element, path);
  auto mesh = std::make_shared<RobotMesh>();
  mesh->name = name;
  mesh->path = path.string();
  try {
    mesh->surface = read_surface_mesh(path).surface;
  } catch (const InputError& error) {
    xml.fail(element, "mesh '{}': {}", name, error.what());
  }
  nsn::robots::scale(mesh->surface, scale);
  return mesh;
}

}  // namespace nsn::robots
