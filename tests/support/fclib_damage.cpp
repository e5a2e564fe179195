#include "tests/support/fclib_damage.h"

#include <stdexcept>
#include <vector>

#include <hdf5.h>

#include "nsn/core/io/hdf5_file.h"

namespace nsn::test {

namespace {

class DamagedFile {
 public:
  DamagedFile(const std::string& path, FclibDamage damage)
      : damage_(std::move(damage)),
        file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    if (!file_.valid()) throw std::runtime_error("cannot write " + path);
    H5Pset_create_intermediate_group(links_.get(), 1);
  }

  void put(const std::string& name, const std::vector<int>& values) {
    put(name, H5T_NATIVE_INT, values.size(), values.data());
  }
  void put(const std::string& name, const std::vector<double>& values) {
    put(name, H5T_NATIVE_DOUBLE, values.size(), values.data());
  }

 private:
  void put(const std::string& name, hid_t type, hsize_t length, const void* data) {
    if (name == damage_.omit) return;
    if (name == damage_.link) {
      H5Lcreate_soft("/nowhere", file_.get(), name.c_str(), links_.get(), H5P_DEFAULT);
      return;
    }
    if (name == damage_.group) {
      const Hdf5Handle group(
          H5Gcreate2(file_.get(), name.c_str(), links_.get(), H5P_DEFAULT, H5P_DEFAULT));
      return;
    }
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t huge = 1000000000000;
    const hsize_t chunk = 1000;
    const hsize_t table[2] = {length, 1};
    const bool is_table = name == damage_.table;
    const bool is_huge = name == damage_.huge;
    if (is_huge) H5Pset_chunk(creation.get(), 1, &chunk);
    if (name == damage_.elsewhere) H5Pset_external(creation.get(), "/etc/hostname", 0, length * 8);
    const Hdf5Handle space(H5Screate_simple(
        is_table ? 2 : 1, is_table ? table : (is_huge ? &huge : &length), nullptr));
    const Hdf5Handle string(H5Tcopy(H5T_C_S1));
    const hid_t stored = name == damage_.text ? string.get() : type;
    const Hdf5Handle set(H5Dcreate2(file_.get(), name.c_str(), stored, space.get(), links_.get(),
                                    creation.get(), H5P_DEFAULT));
    if (!is_huge && name != damage_.text && name != damage_.elsewhere) {
      H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    }
  }

  FclibDamage damage_;
  Hdf5Handle file_;
  Hdf5Handle links_;
};

}  // namespace

void write_damaged_fclib(const std::string& path, const FclibDamage& damage) {
  const Hdf5ErrorSilence silence;
  DamagedFile file(path, damage);
  const std::string root = "/fclib_local";
  file.put(root + "/spacedim", std::vector<int>{3});
  file.put(root + "/W/m", std::vector<int>{3});
  file.put(root + "/W/n", std::vector<int>{3});
  file.put(root + "/W/nz", std::vector<int>{-2});
  file.put(root + "/W/nzmax", std::vector<int>{3});
  file.put(root + "/W/p", std::vector<int>{0, 1, 2, 3});
  file.put(root + "/W/i", std::vector<int>{0, 1, 2});
  file.put(root + "/W/x", std::vector<double>{1.0, 1.0, 1.0});
  file.put(root + "/vectors/q", std::vector<double>{-1.0, 0.0, 0.0});
  file.put(root + "/vectors/mu", std::vector<double>{damage.negative_mu ? -1.0 : 0.5});
}

}  // namespace nsn::test
