/// Reference solutions beside the public problems: one contact per line, r then u.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace nsn::test {

struct Reference {
  std::vector<double> r;
  std::vector<double> u;
};

/// Nothing where there is no such file.
inline std::optional<Reference> read_reference(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  Reference reference;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream in(line);
    std::vector<double> values;
    for (double x = 0.0; in >> x;) values.push_back(x);
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    reference.r.insert(reference.r.end(), values.begin(), half);
    reference.u.insert(reference.u.end(), half, values.end());
  }
  return reference;
}

/// FCLIB files need HDF5.
inline bool readable_here([[maybe_unused]] const std::filesystem::path& path) {
#if defined(NSN_WITH_HDF5)
  return true;
#else
  return path.extension() != ".hdf5";
#endif
}

}  // namespace nsn::test
