#include "nsn/models/rows/compliance_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/models/world/world.h"

namespace nsn {
namespace {

constexpr Index kRowGrain = 256;  // block rows copied in about a microsecond

void store_scaled(double factor, const double* from, double* to) {
  for (int k = 0; k < 9; ++k) to[k] = factor * from[k];
}

}  // namespace

class ComplianceRowSet::Batch final : public RowBatch {
 public:
  Batch(GeneralisedCompliance& law, const std::vector<int>& particles);

  void start_step(const World& world) override;
  void evaluate(const Configuration& where, const RowTarget& target) override;
  void add_stiffness(const Configuration& where, const NodeMap& nodes, Vector H) override;
  void add_stiffness(const Configuration& where, const NodeMap& nodes, StiffnessModes modes,
                     BlockCsr& H) override;
  bool record(const RecordTarget& to) const override;

 private:
  /// Evaluates the law unless it already was at this configuration.
  void evaluate_law(const Configuration& where);

  GeneralisedCompliance* law_;
  const std::vector<int>& particles_;
  std::uint64_t id_ = next_operator_id();
  std::vector<double> length_;  // l of each block row
  Vector x_;                    // where the law was evaluated
  double h_ = 0.0;              // with which step; 0: nowhere yet
  Vector node_blocks_;          // 9 per node of the law
};

ComplianceRowSet::ComplianceRowSet(std::unique_ptr<GeneralisedCompliance> law,
                                   std::vector<int> nodes, int serial)
    : law_(std::move(law)),
      particles_(std::move(nodes)),
      first_id_(std::uint64_t{3} << 60U | static_cast<std::uint64_t>(serial) << 36U) {
  NSN_THROW_UNLESS(static_cast<Index>(particles_.size()) == law_->num_nodes(),
                   "{} particles for a force law over {} nodes", particles_.size(),
                   law_->num_nodes());
  batch_ = std::make_unique<Batch>(*law_, particles_);
}

ComplianceRowSet::~ComplianceRowSet() = default;

std::unique_ptr<RowSet> ComplianceRowSet::clone() const {
  auto copy = std::make_unique<ComplianceRowSet>(law_->clone(), particles_, 0);
  copy->first_id_ = first_id_;
  copy->removed_ = removed_;
  return copy;
}

NodeList ComplianceRowSet::nodes(int k) const {
  const BlockCsr& J = law_->rows().J;
  NodeList list;
  for (Index e = J.row_begin(k); e < J.row_begin(k + 1); ++e) {
    list.push(particle_node(particles_[to_size(J.column(e))]));
  }
  return list;
}

RowBatch* ComplianceRowSet::batch() const {
  return batch_.get();
}

double ComplianceRowSet::energy(const World& world) const {
  if (removed_) return 0.0;
  Vector x("x", 3 * particles_.size());
  for (std::size_t n = 0; n < particles_.size(); ++n) {
    store3(&x(3 * n), world.particle(particles_[n]).position);
  }
  return law_->energy(x);
}

ComplianceRowSet::Batch::Batch(GeneralisedCompliance& law, const std::vector<int>& particles)
    : law_(&law), particles_(particles) {
  x_ = Vector("x", 3 * particles_.size());
  node_blocks_ = Vector("node blocks", 9 * particles_.size());
  const Index per_element = law_->blocks_per_element();
  for (Index i = 0; i < law_->rows().block_rows(); ++i) {
    length_.push_back(law_->row_length(i / per_element));
  }
}

void ComplianceRowSet::Batch::start_step(const World& world) {
  for (std::size_t n = 0; n < particles_.size(); ++n) {
    store3(&x_(3 * n), world.particle(particles_[n]).position);
  }
  law_->start_step(x_);
  h_ = 0.0;
}

/// A device counts the places of an element's nodes in a row of J upwards.
bool ComplianceRowSet::Batch::record(const RecordTarget& to) const {
  LawRecord record;
  const bool has_body = law_->record(record);
  if (!has_body || !std::is_sorted(particles_.begin(), particles_.end())) return false;
  record.id = id_;
  record.row = to.row;
  record.particle = to.particles(particles_);
  to.records.laws.push_back(record);
  return true;
}

void ComplianceRowSet::Batch::evaluate_law(const Configuration& where) {
  bool same = h_ == where.h();
  for (std::size_t n = 0; n < particles_.size(); ++n) {
    const Vec3& x = where.particle(particles_[n]).x;
    for (int i = 0; i < 3; ++i) {
      double& known = x_(3 * n + static_cast<std::size_t>(i));
      same = same && known == x[i];
      known = x[i];
    }
  }
  if (same) return;
  h_ = where.h();
  // A force that is not finite shows in the rows' value, and so in the error of the step.
  if (law_->evaluate(x_, h_) >= 0) h_ = 0.0;
}

void ComplianceRowSet::Batch::evaluate(const Configuration& where, const RowTarget& target) {
  evaluate_law(where);
  const ComplianceRows& rows = law_->rows();
  const double h = where.h();
  for_range(
      rows.block_rows(),
      [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Index row = target.first + i;
          const RowScale scale = row_scale(length_[to_size(i)], h);
          store3(&target.value(kBlock * row), scale.value * load3(&rows.Ec(kBlock * i)));
          store_scaled(scale.E, &rows.E(kBlockSize * i), &target.E(kBlockSize * row));
          const Index from = rows.J.row_begin(i);
          const Index to = target.J->row_begin(row);
          for (Index k = 0; k < rows.J.row_begin(i + 1) - from; ++k) {
            // NOLINTNEXTLINE(bugprone-signed-char-misuse): -1 is a fixed node
            const int slot = target.slot[i][to_size(k)];
            if (slot < 0) continue;
            store_scaled(scale.J, &rows.J.value(kBlockSize * (from + k)),
                         &target.J->value(kBlockSize * (to + slot)));
          }
        }
      },
      kRowGrain);
}

void ComplianceRowSet::Batch::add_stiffness(const Configuration& where, const NodeMap& nodes,
                                            Vector H) {
  evaluate_law(where);
  const double h = where.h();
  fill(node_blocks_, 0.0);
  law_->add_node_stiffness(StiffnessPart::kGeometric, h * h, node_blocks_);
  for (std::size_t n = 0; n < particles_.size(); ++n) {
    const Index local = nodes.local(particle_node(particles_[n]));
    if (local < 0) continue;
    store9(&H(kBlockSize * local), load9(&H(kBlockSize * local)) + load9(&node_blocks_(9 * n)));
  }
}

void ComplianceRowSet::Batch::add_stiffness(const Configuration& where, const NodeMap& nodes,
                                            StiffnessModes modes, BlockCsr& H) {
  evaluate_law(where);
  const StiffnessPart part =
      modes == StiffnessModes::kAll ? StiffnessPart::kExactGeometric : StiffnessPart::kGeometric;
  const double h = where.h();
  const BlockCsr& J = law_->rows().J;
  std::array<Block, kMaxNodesPerBlock*(kMaxNodesPerBlock + 1) / 2> upper;
  for (Index e = 0; e < law_->num_elements(); ++e) {
    law_->element_stiffness(e, part, upper);
    const Index row = e * law_->blocks_per_element();
    std::size_t pair = 0;
    for (Index p = J.row_begin(row); p < J.row_begin(row + 1); ++p) {
      const Index i = nodes.local(particle_node(particles_[to_size(J.column(p))]));
      for (Index q = p; q < J.row_begin(row + 1); ++q, ++pair) {
        const Index j = nodes.local(particle_node(particles_[to_size(J.column(q))]));
        if (i < 0 || j < 0) continue;
        double* const out = &H.value(kBlockSize * find_block(H, i, j));
        for (std::size_t k = 0; k < kBlockSize; ++k) out[k] += h * h * upper[pair][k];
      }
    }
  }
}

}  // namespace nsn
