/// NumPy archives made in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace nsn::test {

/// One stored entry of an .npz archive: a .npy array of float64, as numpy.savez writes it (without
/// the central directory, which readers of whole files do not need).
inline std::string npz_entry(const std::string& name, const std::string& shape,
                             const std::vector<double>& values, bool column_order = false) {
  const std::string header = std::string("{'descr': '<f8', 'fortran_order': ") +
                             (column_order ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string data = "\x93NUMPY\x01";
  data += '\0';
  data += static_cast<char>(header.size());
  data += '\0';
  data += header;
  data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  std::string local(30, '\0');
  std::memcpy(local.data(), "PK\x03\x04", 4);
  const auto size = static_cast<std::uint32_t>(data.size());
  const auto length = static_cast<std::uint16_t>(name.size());
  std::memcpy(local.data() + 18, &size, 4);
  std::memcpy(local.data() + 22, &size, 4);
  std::memcpy(local.data() + 26, &length, 2);
  return local + name + data;
}

}  // namespace nsn::test
