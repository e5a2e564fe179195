/// A thin, checked layer over the HDF5 C library: datasets in, datasets out, errors with names.
///
/// The library's own error printing is silenced while one of these objects lives and its innermost
/// message becomes the text of an InputError "path: /dataset: reason". No extent is believed: a
/// dataset may declare any size, so its extent is held against the bytes it stores, and these
/// against the size of the file, before memory is taken. Links and storage that lead out of the
/// file are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <hdf5.h>

namespace nsn {

/// Owns one HDF5 identifier of any kind.
class Hdf5Handle {
 public:
  explicit Hdf5Handle(hid_t id = H5I_INVALID_HID) : id_(id) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_) { other.id_ = H5I_INVALID_HID; }
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
};

/// Silences the library's error printing for a scope and gives it back afterwards.
class Hdf5ErrorSilence {
 public:
  Hdf5ErrorSilence();
  ~Hdf5ErrorSilence();
  Hdf5ErrorSilence(const Hdf5ErrorSilence&) = delete;
  Hdf5ErrorSilence& operator=(const Hdf5ErrorSilence&) = delete;
  /// Innermost message on the library's error stack, or "unknown failure".
  static std::string last_error();

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// A file opened for reading.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);

  /// Whether the path names something in the file: every link on the way exists.
  bool has(const std::string& path) const;
  std::int64_t integer(const std::string& dataset) const;
  std::vector<std::int64_t> integers(const std::string& dataset) const;
  std::vector<double> numbers(const std::string& dataset) const;

  [[noreturn]] void fail(const std::string& dataset, const std::string& reason) const;

 private:
  Hdf5Handle open(const std::string& dataset) const;
  void check_links(const std::string& dataset) const;
  void check_storage(const Hdf5Handle& dataset, const std::string& name, std::uint64_t bytes) const;
  std::size_t checked_length(const Hdf5Handle& dataset, const std::string& name,
                             bool integer) const;

  Hdf5ErrorSilence silence_;
  std::string path_;
  std::uint64_t file_bytes_ = 0;
  Hdf5Handle file_;
};

/// A new file, built in memory. Groups on the way to a dataset are made as needed.
class Hdf5Writer {
 public:
  /// `name` stands in errors.
  explicit Hdf5Writer(std::string name);

  void integer(const std::string& dataset, int value);
  void integers(const std::string& dataset, const std::vector<int>& values);
  void numbers(const std::string& dataset, const double* values, std::size_t length);
  void text(const std::string& dataset, const std::string& value);
  /// The whole file, to be written at once.
  std::string bytes() const;

 private:
  [[noreturn]] void fail(const std::string& dataset) const;
  void write(const std::string& dataset, hid_t stored, hid_t in_memory, const Hdf5Handle& space,
             const void* data);

  Hdf5ErrorSilence silence_;
  std::string name_;
  Hdf5Handle links_;
  Hdf5Handle file_;
};

}  // namespace nsn
