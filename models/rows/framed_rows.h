/// What contacts of every kind share: a normal, two tangents, and the impulse in these axes.
///
/// C is one contact: Vec3 normal (unit, world axes), double compliance, std::uint64_t id.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/rows/contact_body.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

template <class C>
class FramedRowSet : public RowSet {
 public:
  std::vector<C>& contacts() { return contacts_; }
  const std::vector<C>& contacts() const { return contacts_; }
  /// Forms the tangent frames; call after the contacts of a step are in place.
  void finish() {
    frames_.resize(contacts_.size());
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      frames_[k] = tangent_frame(contacts_[k].normal);
    }
  }

  int size() const override { return static_cast<int>(contacts_.size()); }
  Vec3 compliance(int k, double) const override { return {at(k).compliance, 0.0, 0.0}; }
  std::uint64_t id(int k) const override { return at(k).id; }
  Vec3 to_world(int k, const Vec3& r) const override { return contact_impulse(at(k), frame(k), r); }
  Vec3 from_world(int k, const Vec3& r) const override {
    return {dot(r, at(k).normal), dot(r, frame(k).t1), dot(r, frame(k).t2)};
  }

 protected:
  const C& at(int k) const { return contacts_[static_cast<std::size_t>(k)]; }
  const TangentFrame& frame(int k) const { return frames_[static_cast<std::size_t>(k)]; }

 private:
  std::vector<C> contacts_;
  std::vector<TangentFrame> frames_;
};

}  // namespace nsn
