/// Generalised compliance (models/deformable/generalised_compliance.h) as rows of a world: a force
/// law over particles, evaluated in one batch.
///
///   value = l E c / h,    J <- l J,    E <- l^2 E / h^2
///
/// l is a length of the element: strains times l are metres, so that errors of these rows are in
/// m/s as those of all others.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nsn/models/deformable/generalised_compliance.h"
#include "nsn/models/rows/row_batch.h"

namespace nsn {

class ComplianceRowSet final : public RowSet {
 public:
  /// nodes: the particle of each node of the law, ascending. serial: its number among the world's
  /// row sets, for the ids. Throws std::invalid_argument where the counts differ.
  ComplianceRowSet(std::unique_ptr<GeneralisedCompliance> law, std::vector<int> nodes, int serial);
  ~ComplianceRowSet() override;
  std::unique_ptr<RowSet> clone() const override;

  GeneralisedCompliance& law() const { return *law_; }
  const std::vector<int>& particles() const { return particles_; }

  /// From now on it has no rows.
  void remove() { removed_ = true; }
  int size() const override { return removed_ ? 0 : static_cast<int>(law_->rows().block_rows()); }
  NodeList nodes(int k) const override;
  RowLaw law(int, double) const override { return RowLaw::elastic_element(); }
  Vec3 compliance(int, double) const override { return {}; }
  std::uint64_t id(int k) const override { return first_id_ + static_cast<std::uint64_t>(k); }
  void evaluate(int, const Configuration&, RowBlock&) const override {}
  void add_stiffness(int, const Configuration&, const Vec3&, std::span<Mat3>) const override {}
  RowBatch* batch() const override;
  double energy(const World& world) const override;

 private:
  class Batch;

  std::unique_ptr<GeneralisedCompliance> law_;
  std::vector<int> particles_;
  std::uint64_t first_id_;
  bool removed_ = false;
  std::unique_ptr<Batch> batch_;
};

}  // namespace nsn
