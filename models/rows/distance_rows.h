/// Rigid links: two body points at a given distance, one bilateral row.
///
///   C = |a - b| - L,    value = C / h;  the other two rows of the block are padding.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rows/row_set.h"

namespace nsn {

/// A link between two points given in body axes.
struct Distance {
  int body_a = 0;
  int body_b = 0;
  Vec3 local_a{};
  Vec3 local_b{};
  double length = 1.0;      ///< L, m, > 0
  double compliance = 0.0;  ///< m/N, >= 0
};

class DistanceRowSet final : public RowSet {
 public:
  /// Throws std::invalid_argument unless the bodies differ and exist and the length is positive.
  void add(const Distance& distance, int num_bodies);

  int size() const override { return static_cast<int>(distances_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override {
    return (std::uint64_t{1} << 62U) + static_cast<std::uint64_t>(k);
  }
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;

 private:
  const Distance& at(int k) const { return distances_[static_cast<std::size_t>(k)]; }

  std::vector<Distance> distances_;
};

}  // namespace nsn
