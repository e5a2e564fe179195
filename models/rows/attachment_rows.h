/// Attachments: a particle stays at a point of a rigid body, three bilateral rows.
///
///   C = x_p - (x_b + R l),    value = C / h
///
/// Along single axes (of the world) where not all three are wanted: the others are padding.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/models/rows/row_set.h"

namespace nsn {

class World;

struct Attachment {
  int particle = 0;
  int body = 0;
  Vec3 local{};                                ///< point of the body, body axes, m
  std::array<bool, 3> axes{true, true, true};  ///< held along the world's x, y, z
  double compliance = 0.0;                     ///< m/N, >= 0
};

class AttachmentRowSet final : public RowSet {
 public:
  /// Throws std::invalid_argument unless particle and body exist and the compliance is not
  /// negative.
  void add(const Attachment& attachment, const World& world);

  std::unique_ptr<RowSet> clone() const override {
    return std::make_unique<AttachmentRowSet>(*this);
  }
  int size() const override { return static_cast<int>(attachments_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override {
    return std::uint64_t{5} << 60U | static_cast<std::uint64_t>(at(k).particle);
  }
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;
  bool record(int k, const RecordTarget& to) const override;

 private:
  const Attachment& at(int k) const { return attachments_[static_cast<std::size_t>(k)]; }

  std::vector<Attachment> attachments_;
};

/// Attaches a particle to a body where both are now.
Attachment attach_in_place(const World& world, int particle, int body);

}  // namespace nsn
