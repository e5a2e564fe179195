#include "nsn/core/io/hdf5_file.h"

#include <limits>

#include "nsn/core/base/error.h"

namespace nsn {

namespace {

/// DEFLATE expands at most 1032 times; what claims more is not compressed data.
constexpr std::uint64_t kLargestExpansion = 1100;

herr_t keep_description(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr && *error->desc != '\0')
    *static_cast<std::string*>(text) = error->desc;
  return 0;
}

/// The name is only a label: nothing reaches the disk.
Hdf5Handle create_in_memory(const std::string& name) {
  constexpr std::size_t kIncrement = 1U << 20U;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.get(), kIncrement, 0);
  return Hdf5Handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
}

}  // namespace

Hdf5ErrorSilence::Hdf5ErrorSilence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5ErrorSilence::~Hdf5ErrorSilence() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string Hdf5ErrorSilence::last_error() {
  std::string text = "unknown failure";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_description, &text);
  return text;
}

Hdf5Reader::Hdf5Reader(const std::string& path)
    : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
  if (!file_.valid()) {
    throw InputError(fmt::format("{}: not a readable HDF5 file ({})", path, silence_.last_error()));
  }
  std::error_code error;
  file_bytes_ = std::filesystem::file_size(path, error);
  if (error) throw InputError(fmt::format("{}: {}", path, error.message()));
}

void Hdf5Reader::fail(const std::string& dataset, const std::string& reason) const {
  throw InputError(fmt::format("{}: {}: {}", path_, dataset, reason));
}

void Hdf5Reader::check_links(const std::string& dataset) const {
  for (std::size_t slash = dataset.find('/', 1); slash != 0;
       slash = slash == std::string::npos ? 0 : dataset.find('/', slash + 1)) {
    const std::string prefix = dataset.substr(0, slash);
    if (H5Lexists(file_.get(), prefix.c_str(), H5P_DEFAULT) <= 0) fail(dataset, "is missing");
    H5L_info_t info;
    if (H5Lget_info(file_.get(), prefix.c_str(), &info, H5P_DEFAULT) < 0) {
      fail(dataset, silence_.last_error());
    }
    if (info.type != H5L_TYPE_HARD)
      fail(prefix, "is a link to somewhere else, which is not followed");
  }
}

bool Hdf5Reader::has(const std::string& path) const {
  for (std::size_t slash = path.find('/', 1); slash != 0;
       slash = slash == std::string::npos ? 0 : path.find('/', slash + 1)) {
    if (H5Lexists(file_.get(), path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

Hdf5Handle Hdf5Reader::open(const std::string& dataset) const {
  check_links(dataset);
  Hdf5Handle object(H5Oopen(file_.get(), dataset.c_str(), H5P_DEFAULT));
  if (!object.valid()) fail(dataset, silence_.last_error());
  if (H5Iget_type(object.get()) != H5I_DATASET) fail(dataset, "is not a dataset");
  return object;
}

void Hdf5Reader::check_storage(const Hdf5Handle& dataset, const std::string& name,
                               std::uint64_t bytes) const {
  const Hdf5Handle creation(H5Dget_create_plist(dataset.get()));
  if (!creation.valid()) fail(name, silence_.last_error());
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.get()) != 0) {
    fail(name, "keeps its values in another file, which is not followed");
  }
  const std::uint64_t stored = H5Dget_storage_size(dataset.get());
  if (stored > file_bytes_) {
    fail(name, fmt::format("claims {} bytes in a file of {}", stored, file_bytes_));
  }
  const bool filtered = H5Pget_nfilters(creation.get()) > 0;
  const std::uint64_t most = stored > std::numeric_limits<std::uint64_t>::max() / kLargestExpansion
                                 ? std::numeric_limits<std::uint64_t>::max()
                                 : stored * (filtered ? kLargestExpansion : 1);
  if (bytes > most) {
    fail(name, fmt::format("declares {} bytes of values but stores {}", bytes, stored));
  }
}

std::size_t Hdf5Reader::checked_length(const Hdf5Handle& dataset, const std::string& name,
                                       bool integer) const {
  const Hdf5Handle type(H5Dget_type(dataset.get()));
  const Hdf5Handle space(H5Dget_space(dataset.get()));
  if (!type.valid() || !space.valid()) fail(name, silence_.last_error());
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && (integer || kind != H5T_FLOAT)) {
    fail(name, integer ? "is not of an integer type" : "is not of a number type");
  }
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0 || rank > 1) fail(name, fmt::format("has {} dimensions, not one", rank));
  const hssize_t length = H5Sget_simple_extent_npoints(space.get());
  if (length < 0) fail(name, silence_.last_error());
  const std::uint64_t width = H5Tget_size(type.get());
  if (width == 0 || width > 16) fail(name, fmt::format("has numbers of {} bytes", width));
  const auto entries = static_cast<std::uint64_t>(length);
  if (entries > std::numeric_limits<std::uint64_t>::max() / width) {
    fail(name, fmt::format("declares {} entries", entries));
  }
  check_storage(dataset, name, entries * width);
  return static_cast<std::size_t>(entries);
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& dataset) const {
  const Hdf5Handle handle = open(dataset);
  std::vector<std::int64_t> values(checked_length(handle, dataset, true));
  if (values.empty()) return values;
  if (H5Dread(handle.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(dataset, silence_.last_error());
  }
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& dataset) const {
  const Hdf5Handle handle = open(dataset);
  std::vector<double> values(checked_length(handle, dataset, false));
  if (values.empty()) return values;
  if (H5Dread(handle.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(dataset, silence_.last_error());
  }
  return values;
}

std::int64_t Hdf5Reader::integer(const std::string& dataset) const {
  const std::vector<std::int64_t> values = integers(dataset);
  if (values.size() != 1) fail(dataset, fmt::format("has {} entries, not one", values.size()));
  return values.front();
}

Hdf5Writer::Hdf5Writer(std::string name)
    : name_(std::move(name)), links_(H5Pcreate(H5P_LINK_CREATE)), file_(create_in_memory(name_)) {
  H5Pset_create_intermediate_group(links_.get(), 1);
  if (!file_.valid()) fail("");
}

void Hdf5Writer::fail(const std::string& dataset) const {
  throw InputError(
      fmt::format("{}: {}: cannot be written: {}", name_, dataset, silence_.last_error()));
}

void Hdf5Writer::write(const std::string& dataset, hid_t stored, hid_t in_memory,
                       const Hdf5Handle& space, const void* data) {
  const Hdf5Handle handle(H5Dcreate2(file_.get(), dataset.c_str(), stored, space.get(),
                                     links_.get(), H5P_DEFAULT, H5P_DEFAULT));
  const bool written =
      handle.valid() && H5Dwrite(handle.get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (!written) fail(dataset);
}

void Hdf5Writer::integers(const std::string& dataset, const std::vector<int>& values) {
  const hsize_t length = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &length, nullptr));
  write(dataset, H5T_STD_I32LE, H5T_NATIVE_INT, space, values.data());
}

void Hdf5Writer::integer(const std::string& dataset, int value) {
  integers(dataset, {value});
}

void Hdf5Writer::numbers(const std::string& dataset, const double* values, std::size_t length) {
  const hsize_t extent = length;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr));
  write(dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, values);
}

void Hdf5Writer::text(const std::string& dataset, const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), value.size() + 1);
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  write(dataset, type.get(), type.get(), space, value.c_str());
}

std::string Hdf5Writer::bytes() const {
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) fail("/");
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  if (size < 0) fail("/");
  std::string image(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file_.get(), image.data(), image.size()) < 0) fail("/");
  return image;
}

}  // namespace nsn
