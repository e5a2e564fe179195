#include "nsn/models/deformable/springs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

void check(const Spring& s, std::size_t i, Index num_nodes) {
  NSN_THROW_UNLESS(s.a >= 0 && s.a < num_nodes && s.b >= 0 && s.b < num_nodes && s.a != s.b,
                   "spring {}: nodes {} and {} are not two of {}", i, s.a, s.b, num_nodes);
  NSN_THROW_UNLESS(s.rest_length >= 0.0 && std::isfinite(s.rest_length),
                   "spring {}: rest length {} m is negative or not finite", i, s.rest_length);
  NSN_THROW_UNLESS(s.stiffness > 0.0 && std::isfinite(s.stiffness),
                   "spring {}: stiffness {} N/m is not positive", i, s.stiffness);
  NSN_THROW_UNLESS(s.damping >= 0.0 && std::isfinite(s.damping),
                   "spring {}: damping {} N s/m is negative or not finite", i, s.damping);
}

}  // namespace

Springs::Springs(Index num_nodes, std::vector<Spring> springs) : springs_(std::move(springs)) {
  std::vector<Index> begin(1, 0);
  std::vector<Index> nodes;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    check(springs_[i], i, num_nodes);
    if (springs_[i].a > springs_[i].b) std::swap(springs_[i].a, springs_[i].b);
    nodes.insert(nodes.end(), {springs_[i].a, springs_[i].b});
    begin.push_back(static_cast<Index>(nodes.size()));
  }
  set_pattern(num_nodes, begin, nodes, 1);
  start_.resize(springs_.size());
  across_.resize(springs_.size());
  stiffness_.resize(springs_.size());
  for (std::size_t i = 0; i < springs_.size(); ++i) start_[i][0] = springs_[i].rest_length;
}

bool Springs::record(LawRecord& out) const {
  out.law = SpringLaw{};
  out.springs = springs_;
  return true;
}

void Springs::do_start_step(ConstVector x) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    SpringLaw{}.start(springs_[i], NodePositions{x}, start_[i].a);
  }
}

namespace {
struct StoredSpring : StoredRows {
  Mat3& rows_stiffness;
  Mat3& lateral;

  void stiffness(int, const Mat3& N) const { rows_stiffness = N; }
  void across(const Mat3& K) const { lateral = K; }
};
}  // namespace

Index Springs::do_evaluate(ConstVector x, double h) {
  Index bad = -1;
  for (Index i = num_elements() - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    const StoredSpring out{{rows_, i}, stiffness_[k], across_[k]};
    SpringLaw{}.evaluate(springs_[k], 0.0, NodePositions{x}, start_[k].a, h, out);
    if (!all_finite(load3(&rows_.c(kBlock * i)))) bad = i;
  }
  return bad;
}

double Springs::do_energy(ConstVector x) const {
  const NodePositions at{x};
  double sum = 0.0;
  for (const Spring& spring : springs_) {
    const double stretch = norm(at(spring.a) - at(spring.b)) - spring.rest_length;
    sum += 0.5 * spring.stiffness * stretch * stretch;
  }
  return sum;
}

Block Springs::do_stiffness(Index element, int a, int b, StiffnessPart part) const {
  const auto k = static_cast<std::size_t>(element);
  Mat3 sum;
  if (part != StiffnessPart::kRows) {
    sum += part == StiffnessPart::kExactGeometric ? across_[k] : hardening_across(across_[k]);
  }
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) sum += stiffness_[k];
  Block block;
  std::transform(sum.a, sum.a + kBlockSize, block.begin(),
                 [&](double value) { return a == b ? value : -value; });
  return block;
}

std::unique_ptr<GeneralisedCompliance> Springs::clone() const {
  auto copy = std::make_unique<Springs>(*this);
  return copy;
}

}  // namespace nsn
