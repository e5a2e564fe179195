/// Coordinates of two joints that follow each other: gears, fingers of a gripper, parallel
/// linkages.
///
///   C = s_a C_a - m s_b C_b - o = 0,     value = C / h,     r without bounds
///
/// C_a, C_b coordinates of two joints (models/joints/joint_coordinate.h), s their signs. A row
/// touches up to four bodies. Angles are taken in (-pi, pi].
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/models/joints/joint.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

class MimicRowSet final : public RowSet {
 public:
  struct Side {
    Joint joint;
    int axis = 0;
    double factor = 1.0;  ///< s_a, or -m s_b
  };

  void add(const Side& follower, const Side& leader, double offset);

  std::unique_ptr<RowSet> clone() const override { return std::make_unique<MimicRowSet>(*this); }
  int size() const override { return static_cast<int>(entries_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;
  bool record(int k, const RecordTarget& to) const override;

 private:
  struct Entry {
    MimicData data;
    int axis[2] = {0, 0};
    std::vector<int> bodies;  // each once
  };
  const Entry& at(int k) const { return entries_[static_cast<std::size_t>(k)]; }

  std::vector<Entry> entries_;
};

}  // namespace nsn
