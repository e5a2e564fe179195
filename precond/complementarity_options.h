/// The complementarity preconditioner: rho of the NCP functions phi(v_N, rho r_N), one number per
/// row.
///
/// rho makes gap velocity (m/s) and impulse (kg m/s) comparable, so its unit is 1/kg. The paper's r
/// acts on forces and positions: r_N = h^2 rho_N for normal rows, r_T = h rho_T for friction rows.
/// With D = [J M^-1 J^T]_ii the 3x3 diagonal block of a contact (n, t1, t2):
///
///   identity                  r = 1:             rho_N = 1 / h^2,  rho_T = 1 / h
///   time step                 r = (h^2, h):      rho_N = rho_T = 1
///   effective mass (default)  rho_N = D_nn,      rho_T = (D_t1t1 + D_t2t2) / 2
///   effective mass with compliance               the same with D + E
///   block spectral norm       rho_N = rho_T = |D|_2
///   user                      as given
///
/// each times a multiplier. Box rows take their own diagonal entry in place of D_nn.
#pragma once

#include <string_view>
#include <vector>

namespace nsn {

enum class ComplementarityScaling {
  kIdentity,
  kTimeStep,
  kEffectiveMass,
  kEffectiveMassCompliance,
  kSpectralNorm,
  kUser,
};

/// "identity", "time-step", "effective-mass", "effective-mass-compliance", "spectral-norm", "user".
std::string_view to_string(ComplementarityScaling scaling);
/// Throws std::invalid_argument with the nearest names for an unknown one.
ComplementarityScaling complementarity_scaling_from(std::string_view name);

struct ComplementarityOptions {
  ComplementarityScaling scaling = ComplementarityScaling::kEffectiveMass;
  double multiplier = 1.0;     ///< > 0; 1 measures best (docs/choosing.md)
  std::vector<double> user{};  ///< kUser: rho of every row, 1/kg, > 0

  bool is_default() const {
    return scaling == ComplementarityScaling::kEffectiveMass && multiplier == 1.0;
  }
};

}  // namespace nsn
