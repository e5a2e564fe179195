#include "nsn/models/deformable/materials.h"

#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/elastic/signed_svd.h"

namespace nsn {
namespace {

template <bool WithLog>
NeoHookean<WithLog> neo_hookean(double m, double L) {
  return {m, L, 1.0 + (WithLog ? 0.75 : 1.0) * m / L};
}

template <class Material>
struct Evaluate {
  static double energy(const Material& material, const Mat3& F) {
    return material.energy(signed_svd(F).s);
  }
  static Mat3 stress(const Material& material, const Mat3& F) {
    const SignedSvd svd = signed_svd(F);
    return svd.U * (diagonal(material.gradient(svd.s)) * transpose(svd.V));
  }
};

template <>
struct Evaluate<LinearElastic> {
  static double energy(const LinearElastic& material, const Mat3& F) {
    return material.energy(LinearElastic::strain(F));
  }
  static Mat3 stress(const LinearElastic& material, const Mat3& F) {
    const Strain p = material.stress(LinearElastic::strain(F));
    return {{p.normal[0], p.shear[2], p.shear[1], p.shear[2], p.normal[1], p.shear[0], p.shear[1],
             p.shear[0], p.normal[2]}};
  }
};

}  // namespace

Lame lame_constants(const MaterialParameters& parameters) {
  const double Y = parameters.youngs_modulus;
  const double nu = parameters.poissons_ratio;
  NSN_THROW_UNLESS(Y > 0.0 && std::isfinite(Y), "Young's modulus {} Pa is not positive", Y);
  NSN_THROW_UNLESS(nu > -1.0 && nu < 0.5,
                   "Poisson's ratio {} is outside (-1, 0.5): at 0.5 a material is incompressible",
                   nu);
  NSN_THROW_UNLESS(parameters.density > 0.0 && std::isfinite(parameters.density),
                   "density {} kg/m^3 is not positive", parameters.density);
  return {Y / (2.0 * (1.0 + nu)), Y * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))};
}

const std::vector<std::string>& material_names() {
  static const std::vector<std::string> names = {"linear", "corotational", "neo-hookean",
                                                 "neo-hookean-log"};
  return names;
}

MaterialModel material_from_name(std::string_view name) {
  const auto& names = material_names();
  const auto found = std::find(names.begin(), names.end(), name);
  NSN_THROW_UNLESS(found != names.end(), "unknown material '{}'; known: {}", name,
                   fmt::join(names, ", "));
  return static_cast<MaterialModel>(found - names.begin());
}

ElasticMaterial make_material(MaterialModel model, const MaterialParameters& parameters) {
  const auto [G, Lambda] = lame_constants(parameters);
  switch (model) {
    case MaterialModel::kLinear:
      return LinearElastic{G, Lambda};
    case MaterialModel::kCorotational:
      return Corotational{G, Lambda};
    case MaterialModel::kNeoHookean:
      return neo_hookean<false>(G, Lambda + G);
    case MaterialModel::kNeoHookeanLog:
      break;
  }
  return neo_hookean<true>(4.0 / 3.0 * G, Lambda + 5.0 / 6.0 * G);
}

double energy_density(const ElasticMaterial& material, const Mat3& F) {
  return std::visit(
      [&](const auto& m) { return Evaluate<std::decay_t<decltype(m)>>::energy(m, F); }, material);
}

Mat3 nominal_stress(const ElasticMaterial& material, const Mat3& F) {
  return std::visit(
      [&](const auto& m) { return Evaluate<std::decay_t<decltype(m)>>::stress(m, F); }, material);
}

}  // namespace nsn
