#include "nsn/precond/complementarity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/options.h"

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

/// Its diagonal alone.
Vec3 effective_masses(const BlockCsr& J, ConstVector M_inverse, Index i) {
  Vec3 d;
  for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
    const double* const W = &M_inverse(kBlockSize * J.column(k));
    const double* const J_k = &J.value(kBlockSize * k);
    for (int r = 0; r < 3; ++r) {
      const double x = J_k[3 * r];
      const double y = J_k[3 * r + 1];
      const double z = J_k[3 * r + 2];
      d[r] += (x * W[0] + y * W[3] + z * W[6]) * x + (x * W[1] + y * W[4] + z * W[7]) * y +
              (x * W[2] + y * W[5] + z * W[8]) * z;
    }
  }
  return d;
}

/// rho of block i.
Vec3 block_rho(ComplementarityScaling scaling, const BlockCsr& J, const System& system, Index i) {
  const bool contact = system.laws[static_cast<std::size_t>(i)].is_contact();
  const double h = system.h;
  if (scaling == ComplementarityScaling::kTimeStep) return {1.0, 1.0, 1.0};
  if (scaling == ComplementarityScaling::kIdentity) {
    const double other = contact ? 1.0 / h : 1.0 / (h * h);
    return {1.0 / (h * h), other, other};
  }
  if (scaling == ComplementarityScaling::kSpectralNorm && contact) {
    const double norm = spectral_norm(effective_mass_block(J, system.M_inverse, i));
    return {norm, norm, norm};
  }
  Vec3 d = effective_masses(J, system.M_inverse, i);
  if (scaling == ComplementarityScaling::kEffectiveMassCompliance) {
    for (int r = 0; r < 3; ++r) d[r] += system.E(kBlockSize * i + 4 * r);
  }
  if (contact) d[1] = d[2] = 0.5 * (d[1] + d[2]);
  return d;
}

void copy_user(const ComplementarityOptions& options, System& system) {
  NSN_THROW_UNLESS(static_cast<Index>(options.user.size()) == system.rows(),
                   "complementarity scaling: {} user values for {} rows", options.user.size(),
                   system.rows());
  for (Index i = 0; i < system.rows(); ++i) {
    NSN_THROW_UNLESS(options.user[to_size(i)] > 0.0 && std::isfinite(options.user[to_size(i)]),
                     "complementarity scaling: user value {} of row {} is not positive",
                     options.user[to_size(i)], i);
    system.rho(i) = options.multiplier * options.user[to_size(i)];
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

void set_complementarity_scaling(const ComplementarityOptions& options, const BlockCsr& J,
                                 System& system) {
  NSN_THROW_UNLESS(options.multiplier > 0.0 && std::isfinite(options.multiplier),
                   "complementarity scaling: multiplier {} is not positive", options.multiplier);
  if (options.scaling == ComplementarityScaling::kUser) return copy_user(options, system);
  for (Index i = 0; i < system.blocks(); ++i) {
    const Vec3 rho = block_rho(options.scaling, J, system, i);
    for (int k = 0; k < kBlock; ++k) {
      system.rho(kBlock * i + k) = options.multiplier * (rho[k] > 0.0 ? rho[k] : 1.0);
    }
  }
}

}  // namespace nsn
