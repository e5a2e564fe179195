#include "precond/complementarity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/math3.h"
#include "core/options.h"

namespace nsn {
namespace {

constexpr std::array<std::pair<ComplementarityScaling, std::string_view>, 6> kNames{{
    {ComplementarityScaling::kIdentity, "identity"},
    {ComplementarityScaling::kTimeStep, "time-step"},
    {ComplementarityScaling::kEffectiveMass, "effective-mass"},
    {ComplementarityScaling::kEffectiveMassCompliance, "effective-mass-compliance"},
    {ComplementarityScaling::kSpectralNorm, "spectral-norm"},
    {ComplementarityScaling::kUser, "user"},
}};

/// D of block row i.
Mat3 effective_mass_block(const BlockCsr& J, ConstVector M_inverse, Index i) {
  Mat3 D;
  for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
    const Mat3 J_k = load9(&J.value(kBlockSize * k));
    D = D + J_k * load9(&M_inverse(kBlockSize * J.column(k))) * transpose(J_k);
  }
  return D;
}

double spectral_norm(const Mat3& D) {
  const Vec3 values = symmetric_eigen(D).values;
  return std::max({std::abs(values[0]), std::abs(values[1]), std::abs(values[2])});
}

/// rho of a contact block with effective mass D.
Vec3 contact_rho(ComplementarityScaling scaling, const Mat3& D, double h) {
  switch (scaling) {
    case ComplementarityScaling::kIdentity:
      return {1.0 / (h * h), 1.0 / h, 1.0 / h};
    case ComplementarityScaling::kTimeStep:
      return {1.0, 1.0, 1.0};
    case ComplementarityScaling::kSpectralNorm: {
      const double norm = spectral_norm(D);
      return {norm, norm, norm};
    }
    default: {
      const double tangent = 0.5 * (D(1, 1) + D(2, 2));
      return {D(0, 0), tangent, tangent};
    }
  }
}

Vec3 box_rho(ComplementarityScaling scaling, const Mat3& D, double h) {
  const double identity = 1.0 / (h * h);
  if (scaling == ComplementarityScaling::kIdentity) return {identity, identity, identity};
  if (scaling == ComplementarityScaling::kTimeStep) return {1.0, 1.0, 1.0};
  return {D(0, 0), D(1, 1), D(2, 2)};
}

void copy_user(const ComplementarityOptions& options, System& system) {
  NSN_THROW_UNLESS(size_of(options.user) == system.rows(),
                   "complementarity scaling: {} user values for {} rows", size_of(options.user),
                   system.rows());
  for (Index i = 0; i < system.rows(); ++i) {
    NSN_THROW_UNLESS(options.user(i) > 0.0 && std::isfinite(options.user(i)),
                     "complementarity scaling: user value {} of row {} is not positive",
                     options.user(i), i);
    system.rho(i) = options.multiplier * options.user(i);
  }
}

}  // namespace

std::string_view to_string(ComplementarityScaling scaling) {
  for (const auto& [value, name] : kNames) {
    if (value == scaling) return name;
  }
  return "?";
}

ComplementarityScaling complementarity_scaling_from(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
    names.emplace_back(known);
  }
  throw std::invalid_argument(
      fmt::format("unknown complementarity scaling '{}'{}", name, suggestion(name, names)));
}

void effective_mass_blocks(const BlockCsr& J, ConstVector M_inverse, Vector D) {
  for (Index i = 0; i < J.rows; ++i) {
    store9(&D(kBlockSize * i), effective_mass_block(J, M_inverse, i));
  }
}

void set_complementarity_scaling(const ComplementarityOptions& options, const BlockCsr& J,
                                 System& system) {
  NSN_THROW_UNLESS(options.multiplier > 0.0 && std::isfinite(options.multiplier),
                   "complementarity scaling: multiplier {} is not positive", options.multiplier);
  if (options.scaling == ComplementarityScaling::kUser) return copy_user(options, system);
  const bool compliant = options.scaling == ComplementarityScaling::kEffectiveMassCompliance;
  for (Index i = 0; i < system.blocks(); ++i) {
    Mat3 D = effective_mass_block(J, system.M_inverse, i);
    if (compliant) D = D + load9(&system.E(kBlockSize * i));
    const bool contact = system.laws[static_cast<std::size_t>(i)].is_contact();
    const Vec3 rho =
        contact ? contact_rho(options.scaling, D, system.h) : box_rho(options.scaling, D, system.h);
    for (int k = 0; k < kBlock; ++k) {
      system.rho(kBlock * i + k) = options.multiplier * (rho[k] > 0.0 ? rho[k] : 1.0);
    }
  }
}

}  // namespace nsn
