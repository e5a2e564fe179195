/// Materials by name and by Young's modulus; what they are: core/elastic/materials.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/elastic/materials.h"

namespace nsn {

/// What a material is bought by.
struct MaterialParameters {
  double youngs_modulus = 1e5;  ///< Y, Pa, > 0
  double poissons_ratio = 0.3;  ///< nu, -1 < nu < 0.5
  double density = 1000.0;      ///< rho, kg/m^3, > 0
};

/// Throws std::invalid_argument for a parameter out of its range.
Lame lame_constants(const MaterialParameters& parameters);

enum class MaterialModel { kLinear, kCorotational, kNeoHookean, kNeoHookeanLog };

/// "linear", "corotational", "neo-hookean", "neo-hookean-log", in the order of the enumerators.
const std::vector<std::string>& material_names();
/// Throws std::invalid_argument that lists the names if it is none of them.
MaterialModel material_from_name(std::string_view name);

/// Throws std::invalid_argument for a parameter out of its range.
ElasticMaterial make_material(MaterialModel model, const MaterialParameters& parameters);

/// Psi(F), Pa.
double energy_density(const ElasticMaterial& material, const Mat3& F);
/// P = dPsi/dF, Pa: force per rest area.
Mat3 nominal_stress(const ElasticMaterial& material, const Mat3& F);

}  // namespace nsn
