#include "nsn/models/deformable/springs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

// Below this share of its rest length a spring has no direction to speak of: x is taken.
constexpr double kNoLength = 1e-9;

Vec3 node_position(ConstVector x, Index node) {
  return vec3(x(3 * node), x(3 * node + 1), x(3 * node + 2));
}

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

Vec3 Springs::difference(ConstVector x, const Spring& spring) const {
  return node_position(x, spring.a) - node_position(x, spring.b);
}

void Springs::do_start_step(ConstVector x) {
  for (std::size_t i = 0; i < springs_.size(); ++i) start_[i] = difference(x, springs_[i]);
}

Index Springs::do_evaluate(ConstVector x, double h) {
  Index bad = -1;
  for (Index i = num_elements() - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    const Spring& spring = springs_[k];
    const Vec3 r = difference(x, spring);
    const double N = spring.stiffness + spring.damping / h;
    Mat3 J = identity<3>();
    Vec3 c = spring.stiffness * r + (spring.damping / h) * (r - start_[k]);
    across_[k] = Mat3{};
    if (spring.rest_length > 0.0) {
      const double l = norm(r);
      const Vec3 d = l > kNoLength * spring.rest_length ? (1.0 / l) * r : vec3(1.0, 0.0, 0.0);
      const double force =
          spring.stiffness * (l - spring.rest_length) + spring.damping / h * (l - norm(start_[k]));
      J = Mat3{{d[0], d[1], d[2]}};
      c = vec3(force, 0.0, 0.0);
      const double safe_length = std::max(l, kNoLength * spring.rest_length);
      across_[k] = (force / safe_length) * (identity<3>() - outer(d, d));
    }
    stiffness_[k] = N * (transpose(J) * J);
    if (!all_finite(c)) bad = i;
    for (Index e = 0; e < kBlockSize; ++e) {
      rows_.J.value(2 * kBlockSize * i + e) = J.a[e];
      rows_.J.value(2 * kBlockSize * i + kBlockSize + e) = -J.a[e];
      rows_.E(kBlockSize * i + e) = e % 4 == 0 ? 1.0 / N : 0.0;
    }
    for (Index e = 0; e < kBlock; ++e) {
      rows_.c(kBlock * i + e) = c[e];
      rows_.Ec(kBlock * i + e) = c[e] / N;
    }
  }
  return bad;
}

double Springs::do_energy(ConstVector x) const {
  double sum = 0.0;
  for (const Spring& spring : springs_) {
    const double stretch = norm(difference(x, spring)) - spring.rest_length;
    sum += 0.5 * spring.stiffness * stretch * stretch;
  }
  return sum;
}

Block Springs::do_stiffness(Index element, int a, int b, StiffnessPart part) const {
  const auto k = static_cast<std::size_t>(element);
  Mat3 sum;
  const bool pulls = trace(across_[k]) > 0.0;  // a pressed spring gives way sideways
  if (part == StiffnessPart::kExactGeometric || (part != StiffnessPart::kRows && pulls)) {
    sum += across_[k];
  }
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) sum += stiffness_[k];
  Block block;
  std::transform(sum.a, sum.a + kBlockSize, block.begin(),
                 [&](double value) { return a == b ? value : -value; });
  return block;
}

}  // namespace nsn
