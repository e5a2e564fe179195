#include "nsn/models/deformable/strain_rate_damping.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/models/deformable/strain_rows.h"

namespace nsn {
namespace {

constexpr Index kTetGrain = 128;  // an evaluation takes a quarter of a microsecond

Strain green_strain(const Mat3& F) {
  const Mat3 C = transpose(F) * F;
  return {0.5 * (vec3(C(0, 0), C(1, 1), C(2, 2)) - vec3(1.0, 1.0, 1.0)),
          vec3(C(1, 2), C(0, 2), C(0, 1))};
}

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
  material_ = {lame.mu, lame.lambda};
  normal_stiffness_ = strain_stiffness(lame);
  normal_compliance_ = strain_compliance(lame);
  const auto tets = to_size(mesh.num_tets());
  start_.resize(tets);
  stress_ = Vector("stress", kBlockSize * tets);
  std::vector<Index> begin(1, 0);
  std::vector<Index> nodes;
  for (std::size_t t = 0; t < tets; ++t) {
    const TetShape& shape = shape_.emplace_back(tet_shape(mesh, static_cast<Index>(t)));
    const double scale = stiffness_scale.empty() ? 1.0 : stiffness_scale[t];
    weight_.push_back(shape.volume * scale * relaxation_time);
    for (int block = 0; block < 2; ++block) {
      nodes.insert(nodes.end(), shape.node.begin(), shape.node.end());
      begin.push_back(static_cast<Index>(nodes.size()));
    }
  }
  set_pattern(mesh.num_nodes(), begin, nodes, 2);
}

double StrainRateDamping::row_length(Index tet) const {
  return std::cbrt(shape_[to_size(tet)].volume);
}

Mat3 StrainRateDamping::deformation_gradient(Index t, ConstVector x) const {
  const TetShape& shape = shape_[to_size(t)];
  Mat3 F;
  for (std::size_t a = 0; a < 4; ++a) {
    F += outer(load3(&x(kBlock * shape.node[a])), shape.gradient[a]);
  }
  return F;
}

void StrainRateDamping::do_start_step(ConstVector x) {
  for_range(
      num_elements(),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
          start_[to_size(t)] = green_strain(deformation_gradient(t, x));
        }
      },
      kTetGrain);
}

Index StrainRateDamping::do_evaluate(ConstVector x, double h) {
  rate_ = 1.0 / h;
  for_range(
      num_elements(),
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) evaluate_tet(t, deformation_gradient(t, x), h);
      },
      kTetGrain);
  for (Index k = 0; k < size_of(rows_.c); ++k) {
    if (!std::isfinite(rows_.c(k))) return k / (2 * kBlock);
  }
  return -1;
}

void StrainRateDamping::evaluate_tet(Index t, const Mat3& F, double h) {
  const double w = weight_[to_size(t)] / h;
  const Strain G = green_strain(F);
  const Strain& G0 = start_[to_size(t)];
  const Strain change = {G.normal - G0.normal, G.shear - G0.shear};
  const Strain S = material_.stress(change);
  const Vec3 n = w * S.normal;
  const Vec3 s = w * S.shear;
  store9(&stress_(kBlockSize * t), {{n[0], s[2], s[1], s[2], n[1], s[0], s[1], s[0], n[2]}});
  const Index normal = 2 * t;
  const Index shear = 2 * t + 1;
  store3(&rows_.c(kBlock * normal), n);
  store3(&rows_.c(kBlock * shear), s);
  store3(&rows_.Ec(kBlock * normal), change.normal);
  store3(&rows_.Ec(kBlock * shear), change.shear);
  store9(&rows_.E(kBlockSize * normal), (1.0 / w) * normal_compliance_);
  store9(&rows_.E(kBlockSize * shear), (1.0 / (w * material_.mu)) * identity<3>());
  strain_jacobian(shape_[to_size(t)].gradient, F,
                  &rows_.J.value(kBlockSize * rows_.J.row_begin(normal)),
                  &rows_.J.value(kBlockSize * rows_.J.row_begin(shear)));
}

Mat3 StrainRateDamping::prestress(Index t, StiffnessPart part) const {
  const Mat3 S = load9(&stress_(kBlockSize * t));
  return part == StiffnessPart::kExactGeometric ? S : positive_part(S);
}

// J_a^T N J_b
Mat3 StrainRateDamping::row_block(Index t, int a, int b) const {
  const double w = weight_[to_size(t)] * rate_;
  const Mat3 N[] = {w * normal_stiffness_, (w * material_.mu) * identity<3>()};
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
    const auto& g = shape_[to_size(t)].gradient;
    sum = dot(g[to_size(a)], prestress(t, part) * g[to_size(b)]) * identity<3>();
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
  const auto& g = shape_[to_size(t)].gradient;
  std::size_t pair = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a; b < 4; ++b) {
      store9(upper[pair++].data(), dot(g[a], S * g[b]) * identity<3>());
    }
  }
}

}  // namespace nsn
