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
#include "nsn/core/base/vector_kernels.h"
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

Tetrahedra::Tetrahedra(const TetMesh& mesh, MaterialModel model,
                       const MaterialParameters& parameters, TetrahedraOptions options)
    : project_geometric_(options.project_geometric) {
  const ElasticMaterial material = make_material(model, parameters);
  if (model == MaterialModel::kLinear) options.rows = ElementRows::kStrains;
  check_mesh(mesh);
  check_options(options, model, mesh.num_tets());
  const Index tets = mesh.num_tets();
  const Index blocks = options.rows == ElementRows::kStrains ? 2 : 1;
  std::visit(
      [&](const auto& one) {
        law_ = TetrahedronLaw<std::decay_t<decltype(one)>>{one,
                                                           lame_constants(parameters),
                                                           options.rows,
                                                           options.compliance,
                                                           options.stiffness_floor,
                                                           options.project_geometric};
      },
      material);
  volume_ = zeros("volume", tets);
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
    const auto& scale = options.stiffness_scale;
    const TetElement& e = elements_.emplace_back(
        tet_element(mesh, t, scale.empty() ? 1.0 : scale[static_cast<std::size_t>(t)]));
    store9(&start_(kBlockSize * t), identity<3>());
    store9(&frames_(18 * t), identity<3>());
    store9(&frames_(18 * t + 9), identity<3>());
    volume_(t) = e.volume;
    for (const Index n : e.node) mass_(n) += 0.25 * parameters.density * e.volume;
    for (Index b = 0; b < blocks; ++b) {
      nodes.insert(nodes.end(), e.node, e.node + 4);
      begin.push_back(static_cast<Index>(nodes.size()));
    }
  }
  set_pattern(mesh.num_nodes(), begin, nodes, blocks);
}

bool Tetrahedra::record(LawRecord& out) const {
  std::visit([&](const auto& law) { out.law = law; }, law_);
  out.tets = elements_;
  out.pressure = std::span(activation_.data(), activation_.extent(0));
  return true;
}

void Tetrahedra::set_activation(Index tet, double pressure) {
  NSN_THROW_UNLESS(tet >= 0 && tet < num_tets(), "tetrahedron {} is not one of {}", tet,
                   num_tets());
  NSN_THROW_UNLESS(std::isfinite(pressure), "activation {} Pa is not finite", pressure);
  activation_(tet) = pressure;
}

Mat3 Tetrahedra::nominal_stress(const Mat3& F) const {
  return std::visit([&](const auto& law) { return nsn::nominal_stress(law.material, F); }, law_);
}

double Tetrahedra::deformed_volume(ConstVector x) const {
  return sum_range<1>(num_tets(), [&](Index begin, Index end, std::array<double, 1>& sum) {
    for (Index t = begin; t < end; ++t) {
      sum[0] += volume_(t) * determinant(deformation_gradient(t, x));
    }
  })[0];
}

void Tetrahedra::do_start_step(ConstVector x) {
  std::visit(
      [&](const auto& law) {
        for_each_tet(num_tets(), [&](Index t) {
          law.start(element(t), NodePositions{x}, &start_(kBlockSize * t));
        });
      },
      law_);
}

struct Tetrahedra::Stored : StoredRows {
  Tetrahedra& to;
  Index t;

  void stiffness(int b, const Mat3& N) const {
    store9(&to.stiffness_(kBlockSize * (first + b)), N);
  }
  void modes(const Mat3& U, const Mat3& V, const Vec3& flip, const Vec3& twist,
             const Mat3& shortfall) const {
    store9(&to.frames_(18 * t), U);
    store9(&to.frames_(18 * t + 9), V);
    store3(&to.modes_(6 * t), flip);
    store3(&to.modes_(6 * t + 3), twist);
    if (to.blocks_per_tet() == 1) store9(&to.shortfall_(kBlockSize * t), shortfall);
  }
};

Index Tetrahedra::do_evaluate(ConstVector x, double h) {
  std::visit(
      [&](const auto& law) {
        for_each_tet(num_tets(), [&](Index t) {
          const Stored out{{rows_, t * blocks_per_tet()}, *this, t};
          law.evaluate(element(t), activation_(t), NodePositions{x}, &start_(kBlockSize * t), h,
                       out);
        });
      },
      law_);
  const Index stride = kBlock * blocks_per_tet();
  for (Index k = 0; k < size_of(rows_.c); ++k) {
    if (!std::isfinite(rows_.c(k))) return k / stride;
  }
  return -1;
}

TetModes Tetrahedra::modes(Index t, StiffnessPart part) const {
  const bool exact = part == StiffnessPart::kExactGeometric || !project_geometric_;
  return tet_modes(load3(&modes_(6 * t)), load3(&modes_(6 * t + 3)), !exact);
}

bool Tetrahedra::falls_short(Index t) const {
  if (blocks_per_tet() != 1) return false;
  const double* const D = &shortfall_(kBlockSize * t);
  return std::any_of(D, D + kBlockSize, [](double x) { return x != 0.0; });
}

double Tetrahedra::do_energy(ConstVector x) const {
  const auto energy = [&](const auto& law, const TetElement& e, double pressure) {
    const Mat3 F = nsn::deformation_gradient(e, NodePositions{x});
    if constexpr (std::decay_t<decltype(law)>::kLinear) {
      return e.weight * law.material.energy(LinearElastic::strain(F)) -
             e.volume * pressure * (trace(F) - 3.0);
    } else {
      const Vec3 s = signed_svd(F).s;
      return e.weight * law.material.energy(s) - e.volume * pressure * (s[0] + s[1] + s[2] - 3.0);
    }
  };
  return std::visit(
      [&](const auto& law) {
        return sum_range<1>(num_tets(), [&](Index begin, Index end, std::array<double, 1>& sum) {
          for (Index t = begin; t < end; ++t) sum[0] += energy(law, element(t), activation_(t));
        })[0];
      },
      law_);
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

/// -K of one element between pairs of its nodes, with what projected rows leave out where that is asked for.
class Tetrahedra::Geometry {
 public:
  Geometry(const Tetrahedra& of, Index t, StiffnessPart part)
      : U_(load9(&of.frames_(18 * t))),
        Ut_(transpose(U_)),
        Vt_(transpose(load9(&of.frames_(18 * t + 9)))),
        modes_(of.modes(t, part)),
        falls_short_(part == StiffnessPart::kExactGeometric && of.falls_short(t)),
        D_(falls_short_ ? load9(&of.shortfall_(kBlockSize * t)) : Mat3{}),
        element_(of.element(t)) {}

  /// V^T g of node a.
  Vec3 gradient(int a) const { return Vt_ * element_.gradient[a]; }
  /// Of the nodes with these gradients; J_a = diag(g_a) U^T.
  Mat3 block(const Vec3& g_a, const Vec3& g_b) const {
    Mat3 K = mode_block(modes_, g_a, g_b);
    if (falls_short_) K += diagonal(g_a) * (D_ * diagonal(g_b));
    return U_ * (K * Ut_);
  }

 private:
  Mat3 U_, Ut_, Vt_;
  TetModes modes_;
  bool falls_short_;
  Mat3 D_;
  const TetElement& element_;
};

void Tetrahedra::do_element_stiffness(Index t, StiffnessPart part, std::span<Block> upper) const {
  const bool geometric =
      part == StiffnessPart::kGeometric || part == StiffnessPart::kExactGeometric;
  if (!geometric || linear()) {
    return GeneralisedCompliance::do_element_stiffness(t, part, upper);
  }
  const Geometry geometry(*this, t, part);
  Vec3 g[4];
  for (int a = 0; a < 4; ++a) g[a] = geometry.gradient(a);
  std::size_t pair = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a; b < 4; ++b) store9(upper[pair++].data(), geometry.block(g[a], g[b]));
  }
}

Block Tetrahedra::do_stiffness(Index t, int a, int b, StiffnessPart part) const {
  Block block{};
  if (part != StiffnessPart::kRows && !linear()) {
    const Geometry geometry(*this, t, part);
    store9(block.data(), geometry.block(geometry.gradient(a), geometry.gradient(b)));
  }
  if (part == StiffnessPart::kRows || part == StiffnessPart::kTotal) add_row_block(t, a, b, block);
  return block;
}

std::unique_ptr<GeneralisedCompliance> Tetrahedra::clone() const {
  auto copy = std::make_unique<Tetrahedra>(*this);
  for (Vector* const v :
       {&copy->activation_, &copy->start_, &copy->frames_, &copy->modes_, &copy->shortfall_})
    *v = duplicate(*v);
  return copy;
}

}  // namespace nsn
