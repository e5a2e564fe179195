#include "nsn/models/deformable/tetrahedra.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/elastic/signed_svd.h"
#include "nsn/models/deformable/strain_rows.h"
#include "nsn/models/deformable/tet_shape.h"

namespace nsn {
namespace {

// Tetrahedra per chunk: one evaluation takes about half a microsecond.
constexpr Index kTetGrain = 64;

template <class Body>
void for_each_tet(Index num_tets, const Body& body) {
  for_range(
      num_tets,
      [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) body(t);
      },
      kTetGrain);
}

// View of n doubles; Kokkos sets them to zero.
Vector zeros(const char* name, Index n) {
  return Vector(std::string(name), static_cast<std::size_t>(n));
}

void check_options(const TetrahedraOptions& options, MaterialModel model, Index num_tets) {
  NSN_THROW_UNLESS(options.stiffness_floor > 0.0 && options.stiffness_floor <= 1.0,
                   "stiffness floor {} is outside (0, 1]", options.stiffness_floor);
  NSN_THROW_UNLESS(options.rows == ElementRows::kStretches || model == MaterialModel::kLinear ||
                       model == MaterialModel::kCorotational,
                   "strain rows go with the linear and the corotational material, not with '{}'",
                   material_names()[static_cast<std::size_t>(model)]);
  const auto& scale = options.stiffness_scale;
  NSN_THROW_UNLESS(scale.empty() || static_cast<Index>(scale.size()) == num_tets,
                   "{} stiffness factors for {} tetrahedra", scale.size(), num_tets);
  for (std::size_t t = 0; t < scale.size(); ++t) {
    NSN_THROW_UNLESS(scale[t] > 0.0 && std::isfinite(scale[t]),
                     "stiffness factor {} of tetrahedron {} is not positive", scale[t], t);
  }
}

}  // namespace

// Everything times V_e and the stiffness factor.
struct Tetrahedra::Element {
  SignedSvd svd;
  Vec3 c;     // generalised forces of the stretches, with activation
  Mat3 N;     // their stiffness
  Vec3 flip;  // total, of the pairs (1,2), (2,0), (0,1)
  Vec3 twist;
};

Tetrahedra::Tetrahedra(const TetMesh& mesh, MaterialModel model,
                       const MaterialParameters& parameters, TetrahedraOptions options)
    : material_(make_material(model, parameters)),
      lame_(lame_constants(parameters)),
      options_(std::move(options)) {
  if (model == MaterialModel::kLinear) options_.rows = ElementRows::kStrains;
  check_mesh(mesh);
  check_options(options_, model, mesh.num_tets());
  const Index tets = mesh.num_tets();
  const Index blocks = blocks_per_tet();
  gradient_ = zeros("gradient", 12 * tets);
  volume_ = zeros("volume", tets);
  weight_ = zeros("weight", tets);
  mass_ = zeros("mass", mesh.num_nodes());
  activation_ = zeros("activation", tets);
  stiffness_ = zeros("stiffness", kBlockSize * blocks * tets);
  start_ = zeros("start", kBlockSize * tets);
  frames_ = zeros("frames", 18 * tets);
  modes_ = zeros("modes", 6 * tets);
  shortfall_ = zeros("shortfall", blocks == 1 ? kBlockSize * tets : 0);

  std::vector<Index> begin(1, 0);
  std::vector<Index> nodes;
  for (Index t = 0; t < tets; ++t) {
    const TetShape shape = tet_shape(mesh, t);
    for (Index a = 0; a < 4; ++a) {
      store3(&gradient_(12 * t + 3 * a), shape.gradient[static_cast<std::size_t>(a)]);
    }
    store9(&start_(kBlockSize * t), identity<3>());
    store9(&frames_(18 * t), identity<3>());
    store9(&frames_(18 * t + 9), identity<3>());
    volume_(t) = shape.volume;
    weight_(t) = volume_(t) * (options_.stiffness_scale.empty()
                                   ? 1.0
                                   : options_.stiffness_scale[static_cast<std::size_t>(t)]);
    for (const Index n : shape.node) mass_(n) += 0.25 * parameters.density * volume_(t);
    for (Index b = 0; b < blocks; ++b) {
      nodes.insert(nodes.end(), shape.node.begin(), shape.node.end());
      begin.push_back(static_cast<Index>(nodes.size()));
    }
  }
  set_pattern(mesh.num_nodes(), begin, nodes, blocks);
}

double Tetrahedra::row_length(Index tet) const {
  return std::cbrt(volume_(tet));
}

void Tetrahedra::set_activation(Index tet, double pressure) {
  NSN_THROW_UNLESS(tet >= 0 && tet < num_tets(), "tetrahedron {} is not one of {}", tet,
                   num_tets());
  NSN_THROW_UNLESS(std::isfinite(pressure), "activation {} Pa is not finite", pressure);
  activation_(tet) = pressure;
}

Vec3 Tetrahedra::gradient(Index t, int a) const {
  return load3(&gradient_(12 * t + 3 * a));
}

// F = sum_a x_a g_a^T
Mat3 Tetrahedra::deformation_gradient(Index t, ConstVector x) const {
  const Index first = rows_.J.row_begin(t * blocks_per_tet());
  Mat3 F;
  for (int a = 0; a < 4; ++a) {
    F += outer(load3(&x(kBlock * rows_.J.column(first + a))), gradient(t, a));
  }
  return F;
}

double Tetrahedra::deformed_volume(ConstVector x) const {
  return sum_range<1>(num_tets(), [&](Index begin, Index end, std::array<double, 1>& sum) {
    for (Index t = begin; t < end; ++t) {
      sum[0] += volume_(t) * determinant(deformation_gradient(t, x));
    }
  })[0];
}

/// From scratch: a step depends on where it starts, not on what was evaluated before.
void Tetrahedra::do_start_step(ConstVector x) {
  if (std::holds_alternative<LinearElastic>(material_)) return;
  for_each_tet(num_tets(), [&](Index t) {
    store9(&start_(kBlockSize * t), stretch_frame(deformation_gradient(t, x)));
  });
}

Index Tetrahedra::do_evaluate(ConstVector x, double) {
  std::visit(
      [&](const auto& material) {
        for_each_tet(num_tets(),
                     [&](Index t) { evaluate_tet(material, t, deformation_gradient(t, x)); });
      },
      material_);
  const Index stride = kBlock * blocks_per_tet();
  for (Index k = 0; k < size_of(rows_.c); ++k) {
    if (!std::isfinite(rows_.c(k))) return k / stride;
  }
  return -1;
}

template <class Material>
void Tetrahedra::evaluate_tet(const Material& material, Index t, const Mat3& F) {
  if constexpr (std::is_same_v<Material, LinearElastic>) {
    store_linear_rows(material, t, F);
  } else {
    const Element element = stretch_element(material, t, F);
    if (options_.rows == ElementRows::kStretches) {
      store_stretch_rows(t, element);
    } else {
      store_strain_rows(t, element);
    }
  }
}

template <class Material>
Tetrahedra::Element Tetrahedra::stretch_element(const Material& material, Index t,
                                                const Mat3& F) const {
  const double w = weight_(t);
  Element element{signed_svd(F, load9(&start_(kBlockSize * t))), {}, {}, {}, {}};
  const Vec3& s = element.svd.s;
  element.c = material.gradient(s);
  element.N = material.hessian(s);
  element.flip = material.flip(s);
  element.twist = material.twist(s);
  element.c *= w;
  element.N *= w;
  element.flip *= w;
  element.twist *= w;
  const double p = activation_(t) * volume_(t);
  for (int k = 0; k < 3; ++k) {
    element.c[k] -= p;
    element.twist[k] -=
        2.0 * p / std::fmax(s[(k + 1) % 3] + s[(k + 2) % 3], Corotational::kSmallestSum);
  }
  return element;
}

void Tetrahedra::store_block(Index block_row, const Vec3& c, const Mat3& E) {
  store3(&rows_.c(kBlock * block_row), c);
  store3(&rows_.Ec(kBlock * block_row), E * c);
  store9(&rows_.E(kBlockSize * block_row), E);
}

void Tetrahedra::store_modes(Index t, const Element& element) {
  store9(&frames_(18 * t), element.svd.U);
  store9(&frames_(18 * t + 9), element.svd.V);
  store3(&modes_(6 * t), element.flip);
  store3(&modes_(6 * t + 3), element.twist);
}

Tetrahedra::Modes Tetrahedra::modes(Index t, StiffnessPart part) const {
  const bool exact = part == StiffnessPart::kExactGeometric || !options_.project_geometric;
  const double least = exact ? -INFINITY : 0.0;
  Modes out;
  for (int k = 0; k < 3; ++k) {
    const double flip = std::max(modes_(6 * t + k), least);
    const double twist = std::max(modes_(6 * t + 3 + k), least);
    out.mean[k] = 0.5 * (flip + twist);
    out.half[k] = 0.5 * (flip - twist);
  }
  return out;
}

bool Tetrahedra::falls_short(Index t) const {
  if (blocks_per_tet() != 1) return false;
  const double* const D = &shortfall_(kBlockSize * t);
  return std::any_of(D, D + kBlockSize, [](double x) { return x != 0.0; });
}

// J_a = diag(V^T g_a) U^T
void Tetrahedra::store_stretch_rows(Index t, const Element& element) {
  const double floor = options_.stiffness_floor * 2.0 * lame_.mu * weight_(t);
  const StiffnessAndCompliance safe = safe_compliance(element.N, options_.compliance, floor);
  const Mat3 Ut = transpose(element.svd.U);
  const Mat3 Vt = transpose(element.svd.V);
  double* J = &rows_.J.value(kBlockSize * rows_.J.row_begin(t));
  for (int a = 0; a < 4; ++a) {
    const Vec3 scale = Vt * gradient(t, a);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) J[9 * a + 3 * i + j] = scale[i] * Ut(i, j);
    }
  }
  store_block(t, element.c, safe.E);
  store9(&stiffness_(kBlockSize * t), safe.N);
  const bool projected = options_.compliance == ComplianceKind::kProjected;
  store9(&shortfall_(kBlockSize * t), projected ? element.N - safe.N : Mat3{});
  store_modes(t, element);
}

// The tensor V diag(c) V^T as six components; what strain rows carry is taken off the flips.
void Tetrahedra::store_strain_rows(Index t, const Element& element) {
  const Mat3& V = element.svd.V;
  const Mat3 sigma = V * (diagonal(element.c) * transpose(V));
  store_strain_jacobian(t, element.svd.U * transpose(V));
  store_strain_compliance(t);
  store_block(2 * t, vec3(sigma(0, 0), sigma(1, 1), sigma(2, 2)),
              load9(&rows_.E(kBlockSize * 2 * t)));
  store_block(2 * t + 1, vec3(sigma(1, 2), sigma(0, 2), sigma(0, 1)),
              load9(&rows_.E(kBlockSize * (2 * t + 1))));
  Element rest = element;
  const double carried = 2.0 * lame_.mu * weight_(t);
  rest.flip -= vec3(carried, carried, carried);
  store_modes(t, rest);
}

void Tetrahedra::store_linear_rows(const LinearElastic& material, Index t, const Mat3& F) {
  Strain sigma = material.stress(LinearElastic::strain(F));
  const double p = activation_(t) * volume_(t);
  sigma.normal = weight_(t) * sigma.normal - vec3(p, p, p);
  sigma.shear *= weight_(t);
  store_strain_jacobian(t, identity<3>());
  store_strain_compliance(t);
  store_block(2 * t, sigma.normal, load9(&rows_.E(kBlockSize * 2 * t)));
  store_block(2 * t + 1, sigma.shear, load9(&rows_.E(kBlockSize * (2 * t + 1))));
}

void Tetrahedra::store_strain_jacobian(Index t, const Mat3& R) {
  const Vec3 g[] = {gradient(t, 0), gradient(t, 1), gradient(t, 2), gradient(t, 3)};
  strain_jacobian(g, R, &rows_.J.value(kBlockSize * rows_.J.row_begin(2 * t)),
                  &rows_.J.value(kBlockSize * rows_.J.row_begin(2 * t + 1)));
}

void Tetrahedra::store_strain_compliance(Index t) {
  const double w = weight_(t);
  const Mat3 shear = w * lame_.mu * identity<3>();
  const Mat3 normal = w * strain_stiffness(lame_);
  const bool exact = options_.compliance == ComplianceKind::kProjected;
  const StiffnessAndCompliance safe =
      exact ? StiffnessAndCompliance{normal, (1.0 / w) * strain_compliance(lame_)}
            : safe_compliance(normal, options_.compliance, 2.0 * lame_.mu * w);
  store9(&stiffness_(kBlockSize * 2 * t), safe.N);
  store9(&rows_.E(kBlockSize * 2 * t), safe.E);
  store9(&stiffness_(kBlockSize * (2 * t + 1)), shear);
  store9(&rows_.E(kBlockSize * (2 * t + 1)), (1.0 / (w * lame_.mu)) * identity<3>());
}

double Tetrahedra::do_energy(ConstVector x) const {
  const auto density = [&](const auto& material, const Mat3& F, double& growth) {
    if constexpr (std::is_same_v<std::decay_t<decltype(material)>, LinearElastic>) {
      growth = trace(F) - 3.0;
      return material.energy(LinearElastic::strain(F));
    } else {
      const Vec3 s = signed_svd(F).s;
      growth = s[0] + s[1] + s[2] - 3.0;
      return material.energy(s);
    }
  };
  return std::visit(
      [&](const auto& material) {
        return sum_range<1>(num_tets(), [&](Index begin, Index end, std::array<double, 1>& sum) {
          for (Index t = begin; t < end; ++t) {
            double growth = 0.0;
            const double psi = density(material, deformation_gradient(t, x), growth);
            sum[0] += weight_(t) * psi - volume_(t) * activation_(t) * growth;
          }
        })[0];
      },
      material_);
}

// In the frame of U: the modes of pair (i, j) couple the components i and j of V^T g.
Block Tetrahedra::geometric_block(Index t, int a, int b, StiffnessPart part) const {
  const Mat3 U = load9(&frames_(18 * t));
  const Mat3 Vt = transpose(load9(&frames_(18 * t + 9)));
  const Modes m = modes(t, part);
  const Vec3 ga = Vt * gradient(t, a);
  const Vec3 gb = Vt * gradient(t, b);
  Mat3 K;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    K(i, i) += m.mean[k] * ga[j] * gb[j];
    K(j, j) += m.mean[k] * ga[i] * gb[i];
    K(i, j) += m.half[k] * ga[j] * gb[i];
    K(j, i) += m.half[k] * ga[i] * gb[j];
  }
  K = U * (K * transpose(U));
  Block block;
  store9(block.data(), K);
  return block;
}

// out += J_a^T E^-1 J_b over the rows of the tetrahedron
void Tetrahedra::add_row_block(Index t, int a, int b, Block& out) const {
  for (Index block_row = t * blocks_per_tet(); block_row < (t + 1) * blocks_per_tet();
       ++block_row) {
    const Index first = rows_.J.row_begin(block_row);
    const Mat3 Ja = load9(&rows_.J.value(kBlockSize * (first + a)));
    const Mat3 Jb = load9(&rows_.J.value(kBlockSize * (first + b)));
    const Mat3 sum =
        load9(out.data()) + transpose(Ja) * (load9(&stiffness_(kBlockSize * block_row)) * Jb);
    store9(out.data(), sum);
  }
}

void Tetrahedra::do_element_stiffness(Index t, StiffnessPart part, std::span<Block> upper) const {
  const bool geometric =
      part == StiffnessPart::kGeometric || part == StiffnessPart::kExactGeometric;
  if (!geometric || std::holds_alternative<LinearElastic>(material_)) {
    return GeneralisedCompliance::do_element_stiffness(t, part, upper);
  }
  const Mat3 U = load9(&frames_(18 * t));
  const Mat3 Ut = transpose(U);
  const Mat3 Vt = transpose(load9(&frames_(18 * t + 9)));
  const Modes m = modes(t, part);
  const bool add_shortfall = part == StiffnessPart::kExactGeometric && falls_short(t);
  const Mat3 D = add_shortfall ? load9(&shortfall_(kBlockSize * t)) : Mat3{};
  Vec3 g[4];
  for (int a = 0; a < 4; ++a) g[a] = Vt * gradient(t, a);
  std::size_t pair = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a; b < 4; ++b) {
      Mat3 K;
      for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        K(i, i) += m.mean[k] * g[a][j] * g[b][j];
        K(j, j) += m.mean[k] * g[a][i] * g[b][i];
        K(i, j) = m.half[k] * g[a][j] * g[b][i];
        K(j, i) = m.half[k] * g[a][i] * g[b][j];
      }
      // J_a = diag(V^T g_a) U^T
      if (add_shortfall) K += diagonal(g[a]) * (D * diagonal(g[b]));
      store9(upper[pair++].data(), U * (K * Ut));
    }
  }
}

Block Tetrahedra::do_stiffness(Index element, int a, int b, StiffnessPart part) const {
  Block block{};
  if (part != StiffnessPart::kRows && !std::holds_alternative<LinearElastic>(material_)) {
    block = geometric_block(element, a, b, part);
  }
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) {
    add_row_block(element, a, b, block);
  }
  return block;
}

}  // namespace nsn
