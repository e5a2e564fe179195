/// Rolling and spinning resistance of contacts: a disc and an interval, bounded by a length times
/// the normal force.
///
///   rolling    |M_T| <= l_r F_n,   against the turning of a relative to b about tangential axes
///   spinning   |M_n| <= l_s F_n,   against its turning about the normal
///
/// As rows: the disc is a block of the contact law with mu = 1 whose first row is no gap but
/// v_N = E (r_N - l_r R), so that r_N = l_r R and |r_T| <= l_r R; the interval is a box row with
/// bounds -+ l_s R. R is the normal impulse of the contact: held while a step is solved, then
/// updated and the step solved again from there until it no longer changes (two rounds where the
/// resistance does not act back on the normal force).
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/rows/resistance_body.h"
#include "nsn/models/rows/contact_rows.h"
#include "nsn/models/rows/row_set.h"
#include "nsn/models/world/world.h"

namespace nsn {

class ResistanceRowSet final : public RowSet {
 public:
  /// One block per contact with a rolling length, and one per contact with a spinning length.
  void build(const World& world, const ContactRowSet& contacts);

  /// The contact that block k belongs to.
  int contact(int k) const { return at(k).contact; }
  /// R of block k, kg m/s, >= 0.
  double normal_impulse(int k) const { return at(k).normal_impulse; }
  void set_normal_impulse(int k, double impulse);

  int size() const override { return static_cast<int>(blocks_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int, const Configuration&, const Vec3&, std::span<Mat3>) const override {}
  bool record(int k, const RecordTarget& to) const override;
  Vec3 to_world(int k, const Vec3& r) const override;
  Vec3 from_world(int k, const Vec3& r) const override;

 private:
  struct Block : ResistanceData {
    int contact = 0;
    int body_a = 0;
    int body_b = 0;
    std::uint64_t id = 0;
  };
  const Block& at(int k) const { return blocks_[static_cast<std::size_t>(k)]; }

  std::vector<Block> blocks_;
};

}  // namespace nsn
