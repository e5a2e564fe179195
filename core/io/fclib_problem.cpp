// From the datasets of an FCLIB file to a problem: everything that needs no HDF5.
#include <cmath>
#include <limits>

#include "nsn/core/base/error.h"
#include "nsn/core/io/fclib.h"

namespace nsn {

namespace {

template <class... Arguments>
[[noreturn]] void refuse(const std::string& name, const std::string& dataset,
                         fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw InputError(fmt::format("{}: {}: {}", name, dataset,
                               fmt::format(text, std::forward<Arguments>(arguments)...)));
}

/// Where a matrix stands in a file, for messages.
struct Place {
  const std::string& name;
  std::string group;
  std::string dataset(const char* leaf) const { return group + "/" + leaf; }
};

/// Row of a compressed matrix, or column, of each entry: p must ascend from 0 to the entries.
std::vector<Index> majors(const FclibMatrix& A, std::int64_t size, const Place& place) {
  const std::string p = place.dataset("p");
  if (static_cast<std::int64_t>(A.p.size()) != size + 1) {
    refuse(place.name, p, "{} pointers, but {} are needed", A.p.size(), size + 1);
  }
  if (A.p.front() != 0) refuse(place.name, p, "starts at {}, not 0", A.p.front());
  if (A.p.back() < 0 || A.p.back() > static_cast<std::int64_t>(std::min(A.i.size(), A.x.size()))) {
    refuse(place.name, p, "ends at {}, but i has {} and x {} entries", A.p.back(), A.i.size(),
           A.x.size());
  }
  std::vector<Index> major(static_cast<std::size_t>(A.p.back()));
  for (std::size_t k = 0; k + 1 < A.p.size(); ++k) {
    if (A.p[k + 1] < A.p[k] || A.p[k + 1] > A.p.back()) {
      refuse(place.name, p, "pointer {} is {} after {}: not ascending", k + 1, A.p[k + 1], A.p[k]);
    }
    std::fill(major.begin() + A.p[k], major.begin() + A.p[k + 1], static_cast<Index>(k));
  }
  return major;
}

Index index_of(std::int64_t value, std::int64_t size, const Place& place, const char* leaf,
               std::size_t at) {
  if (value < 0 || value >= size) {
    refuse(place.name, place.dataset(leaf), "entry {} is {}, outside [0, {})", at, value, size);
  }
  return static_cast<Index>(value);
}

std::vector<Triplet> triplets_of(const FclibMatrix& A, const Place& place) {
  std::vector<Triplet> triplets;
  if (A.nz >= 0) {
    const auto entries = static_cast<std::size_t>(A.nz);
    if (entries > A.i.size() || entries > A.p.size() || entries > A.x.size()) {
      refuse(place.name, place.dataset("nz"), "{} entries, but i, p and x have {}, {} and {}", A.nz,
             A.i.size(), A.p.size(), A.x.size());
    }
    triplets.reserve(entries);
    for (std::size_t k = 0; k < entries; ++k) {
      triplets.push_back(
          {index_of(A.i[k], A.m, place, "i", k), index_of(A.p[k], A.n, place, "p", k), A.x[k]});
    }
    return triplets;
  }
  const bool by_column = A.nz == -1;
  const std::vector<Index> major = majors(A, by_column ? A.n : A.m, place);
  triplets.reserve(major.size());
  for (std::size_t k = 0; k < major.size(); ++k) {
    const Index minor = index_of(A.i[k], by_column ? A.m : A.n, place, "i", k);
    triplets.push_back({by_column ? minor : major[k], by_column ? major[k] : minor, A.x[k]});
  }
  return triplets;
}

/// The sizes are known from the vectors, whose lengths the file's own size bounds.
Csr matrix_of(const FclibMatrix& A, std::size_t rows, std::size_t columns, const Place& place) {
  if (A.m != static_cast<std::int64_t>(rows)) {
    refuse(place.name, place.dataset("m"), "{} rows, but the vectors ask for {}", A.m, rows);
  }
  if (A.n != static_cast<std::int64_t>(columns)) {
    refuse(place.name, place.dataset("n"), "{} columns, but the vectors ask for {}", A.n, columns);
  }
  if (A.nz < -2) refuse(place.name, place.dataset("nz"), "{} is not a storage", A.nz);
  if (A.x.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    refuse(place.name, place.dataset("x"), "{} entries, more than 2^31", A.x.size());
  }
  Csr result = csr_from_triplets(static_cast<Index>(rows), static_cast<Index>(columns),
                                 triplets_of(A, place));
  for (Index k = 0; k < result.nonzeros(); ++k) {
    if (!std::isfinite(result.value(k))) {
      refuse(place.name, place.dataset("x"), "a value is not finite");
    }
  }
  return result;
}

Vector vector_of(const std::vector<double>& values, const std::string& name,
                 const std::string& dataset) {
  if (values.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    refuse(name, dataset, "{} entries, more than 2^31", values.size());
  }
  Vector v("v", values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) refuse(name, dataset, "entry {} is not finite", k);
    v(k) = values[k];
  }
  return v;
}

Vector mu_of(const FclibContent& content, const std::string& name, const std::string& dataset) {
  for (std::size_t k = 0; k < content.mu.size(); ++k) {
    if (content.mu[k] < 0.0)
      refuse(name, dataset, "mu {} of contact {} is negative", content.mu[k], k);
  }
  return vector_of(content.mu, name, dataset);
}

const char* storage_name(const FclibMatrix& A) {
  return A.nz >= 0 ? "triplet" : (A.nz == -1 ? "csc" : "csr");
}

}  // namespace

FrictionFile problem_from_fclib(const FclibContent& content, const std::string& name) {
  const std::string root = content.global ? "/fclib_global" : "/fclib_local";
  if (content.spacedim != 2 && content.spacedim != 3) {
    refuse(name, root + "/spacedim", "{} is neither 2 nor 3", content.spacedim);
  }
  const auto dimension = static_cast<Index>(content.spacedim);
  const std::size_t rows = content.mu.size() * static_cast<std::size_t>(dimension);
  const Vector mu = mu_of(content, name, root + "/vectors/mu");
  const std::vector<double>& relative = content.global ? content.w : content.q;
  const std::string relative_name = root + (content.global ? "/vectors/w" : "/vectors/q");
  if (relative.size() != rows) {
    refuse(name, relative_name, "{} entries, but {} contacts in {}D need {}", relative.size(),
           mu.size(), dimension, rows);
  }
  const Vector velocity = vector_of(relative, name, relative_name);
  if (!content.global) {
    const Csr W = matrix_of(content.A, rows, rows, {name, root + "/W"});
    return {FrictionProblem{dimension, W, velocity, mu}, FrictionFormat::kFclib,
            storage_name(content.A), asymmetry(W)};
  }
  const Vector f = vector_of(content.q, name, root + "/vectors/f");
  const Csr M = matrix_of(content.A, content.q.size(), content.q.size(), {name, root + "/M"});
  const Csr H = matrix_of(content.H, content.q.size(), rows, {name, root + "/H"});
  return {GlobalFrictionProblem{dimension, M, H, f, velocity, mu}, FrictionFormat::kFclib,
          fmt::format("{}/{}", storage_name(content.A), storage_name(content.H)), asymmetry(M)};
}

FrictionFile read_fclib(const std::string& path, Isolation isolation) {
  return problem_from_fclib(read_fclib_content(path, isolation), path);
}

}  // namespace nsn
