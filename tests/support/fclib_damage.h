/// FCLIB files with one thing wrong, for tests of bad input.
#pragma once

#include <string>

namespace nsn::test {

/// Each names the dataset it strikes.
struct FclibDamage {
  std::string omit{};       ///< is left out
  std::string huge{};       ///< declares 1e12 entries and stores none
  std::string text{};       ///< is a string
  std::string table{};      ///< has two dimensions
  std::string link{};       ///< is a soft link
  std::string elsewhere{};  ///< keeps its values in another file
  std::string group{};      ///< is a group
  bool negative_mu = false;
};

/// One contact in 3D, W = I, with the damage. Needs HDF5.
void write_damaged_fclib(const std::string& path, const FclibDamage& damage);

}  // namespace nsn::test
