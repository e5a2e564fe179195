#include "nsn/core/io/friction_file.h"

#include <algorithm>
#include <filesystem>

#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"
#include "nsn/core/io/contactbench.h"
#include "nsn/core/io/fclib.h"
#include "nsn/core/io/siconos_text.h"
#include "nsn/core/io/text_file.h"

namespace nsn {

namespace {

constexpr std::string_view kHdf5Signature{"\x89HDF\r\n\x1a\n", 8};
constexpr std::string_view kZipSignature{"PK\x03\x04", 4};

bool is_hdf5(std::string_view bytes, const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  // A user block may precede the signature, so a name that says HDF5 is believed.
  return bytes.starts_with(kHdf5Signature) || extension == ".hdf5" || extension == ".h5";
}

}  // namespace

const std::vector<std::string>& friction_format_names() {
  static const std::vector<std::string> names = {"auto",        "siconos-local", "siconos-global",
                                                 "siconos-lcp", "fclib",         "contactbench"};
  return names;
}

std::string_view name_of(FrictionFormat format) {
  return friction_format_names()[static_cast<std::size_t>(format)];
}

FrictionFormat friction_format_from_name(std::string_view name) {
  const auto& names = friction_format_names();
  const auto at = std::find(names.begin(), names.end(), name);
  NSN_THROW_UNLESS(at != names.end(), "unknown format '{}'{}", name, suggestion(name, names));
  return static_cast<FrictionFormat>(at - names.begin());
}

FrictionFile read_friction_file(const std::string& path, FrictionFormat format,
                                Isolation isolation) {
  const std::string bytes = read_text_file(path);
  if (format == FrictionFormat::kAuto && is_hdf5(bytes, path)) format = FrictionFormat::kFclib;
  if (format == FrictionFormat::kAuto && bytes.starts_with(kZipSignature)) {
    format = FrictionFormat::kContactBench;
  }
  if (format == FrictionFormat::kFclib) return read_fclib(path, isolation);
  if (format == FrictionFormat::kContactBench) return parse_contactbench(bytes, path);
  return parse_siconos_text(bytes, path, format);
}

Index contacts_of(const AnyFrictionProblem& problem) {
  struct Count {
    Index operator()(const FrictionProblem& p) const { return p.contacts(); }
    Index operator()(const GlobalFrictionProblem& p) const { return p.contacts(); }
    Index operator()(const LinearComplementarityProblem& p) const { return size_of(p.q); }
  };
  return std::visit(Count(), problem);
}

}  // namespace nsn
