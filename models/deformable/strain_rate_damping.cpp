#include "nsn/models/deformable/strain_rate_damping.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/deformable/tet_shape.h"

namespace nsn {
namespace {

constexpr Index kTetGrain = 128;  // an evaluation takes a quarter of a microsecond

}  // namespace

StrainRateDamping::StrainRateDamping(const TetMesh& mesh, const MaterialParameters& parameters,
                                     double relaxation_time,
                                     std::span<const double> stiffness_scale) {
  check_mesh(mesh);
  NSN_THROW_UNLESS(relaxation_time > 0.0 && std::isfinite(relaxation_time),
                   "relaxation time {} s is not positive", relaxation_time);
  NSN_THROW_UNLESS(
      stiffness_scale.empty() || static_cast<Index>(stiffness_scale.size()) == mesh.num_tets(),
      "{} stiffness factors for {} tetrahedra", stiffness_scale.size(), mesh.num_tets());
  const Lame lame = lame_constants(parameters);
  law_.material = {lame.G, lame.Lambda};
  normal_stiffness_ = strain_stiffness(lame);
  const auto tets = to_size(mesh.num_tets());
  start_ = Vector("start", StrainRateLaw::kStart * tets);
  stress_ = Vector("stress", kBlockSize * tets);
  std::vector<Index> begin(1, 0);
  std::vector<Index> nodes;
  for (std::size_t t = 0; t < tets; ++t) {
    const double scale = stiffness_scale.empty() ? 1.0 : stiffness_scale[t];
    TetElement& e = elements_.emplace_back(tet_element(mesh, static_cast<Index>(t), scale));
    e.weight = e.volume * scale * relaxation_time;
    for (int block = 0; block < 2; ++block) {
      nodes.insert(nodes.end(), e.node, e.node + 4);
      begin.push_back(static_cast<Index>(nodes.size()));
    }
  }
  set_pattern(mesh.num_nodes(), begin, nodes, 2);
}

bool StrainRateDamping::record(LawRecord& out) const {
  out.law = law_;
  out.tets = elements_;
  return true;
}

void StrainRateDamping::do_start_step(ConstVector x) {
  for_range(
      num_elements(),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
          law_.start(element(t), NodePositions{x}, &start_(StrainRateLaw::kStart * t));
        }
      },
      kTetGrain);
}

struct StrainRateDamping::Stored : StoredRows {
  double* tensor;

  void stress(const Mat3& S) const { store9(tensor, S); }
};

Index StrainRateDamping::do_evaluate(ConstVector x, double h) {
  rate_ = 1.0 / h;
  for_range(
      num_elements(),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
          const Stored out{{rows_, 2 * t}, &stress_(kBlockSize * t)};
          law_.evaluate(element(t), 0.0, NodePositions{x}, &start_(StrainRateLaw::kStart * t), h,
                        out);
        }
      },
      kTetGrain);
  for (Index k = 0; k < size_of(rows_.c); ++k) {
    if (!std::isfinite(rows_.c(k))) return k / (2 * kBlock);
  }
  return -1;
}

Mat3 StrainRateDamping::prestress(Index t, StiffnessPart part) const {
  const Mat3 S = load9(&stress_(kBlockSize * t));
  return part == StiffnessPart::kExactGeometric ? S : positive_part(S);
}

// J_a^T N J_b
Mat3 StrainRateDamping::row_block(Index t, int a, int b) const {
  const double w = element(t).weight * rate_;
  const Mat3 N[] = {w * normal_stiffness_, (w * law_.material.G) * identity<3>()};
  Mat3 sum;
  for (Index block = 0; block < 2; ++block) {
    const Index first = rows_.J.row_begin(2 * t + block);
    const Mat3 Ja = load9(&rows_.J.value(kBlockSize * (first + a)));
    const Mat3 Jb = load9(&rows_.J.value(kBlockSize * (first + b)));
    sum += transpose(Ja) * (N[block] * Jb);
  }
  return sum;
}

Block StrainRateDamping::do_stiffness(Index t, int a, int b, StiffnessPart part) const {
  Mat3 sum;
  if (part != StiffnessPart::kRows) {
    const auto& g = element(t).gradient;
    sum = dot(g[a], prestress(t, part) * g[b]) * identity<3>();
  }
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) sum += row_block(t, a, b);
  Block block;
  store9(block.data(), sum);
  return block;
}

void StrainRateDamping::do_element_stiffness(Index t, StiffnessPart part,
                                             std::span<Block> upper) const {
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) {
    return GeneralisedCompliance::do_element_stiffness(t, part, upper);
  }
  const Mat3 S = prestress(t, part);
  const auto& g = element(t).gradient;
  std::size_t pair = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a; b < 4; ++b) {
      store9(upper[pair++].data(), dot(g[a], S * g[b]) * identity<3>());
    }
  }
}

std::unique_ptr<GeneralisedCompliance> StrainRateDamping::clone() const {
  auto copy = std::make_unique<StrainRateDamping>(*this);
  for (Vector* const v : {&copy->start_, &copy->stress_}) *v = duplicate(*v);
  return copy;
}

}  // namespace nsn
