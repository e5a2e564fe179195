// What four formulas of [Macklin19] give as printed and as corrected, where the answer is known.
// Prints docs/data/corrections.csv.
#include <cmath>
#include <cstdio>

#include "nsn/bodies.h"
#include "nsn/deformables.h"
#include "nsn/ncp.h"

namespace {

constexpr double kStep = 1.0 / 120.0;

void print(const char* what, double printed, double corrected, double exact) {
  std::printf("%s,%.6g,%.6g,%.6g\n", what, printed, corrected, exact);
}

// A contact that slips at v with its force on the cone: the row v - W F must vanish.
void friction_compliance() {
  const double v = 0.5, F = 5.0, rho = 0.1;
  const double square = rho * v / (v * v + rho * F - v);
  print("friction row at the slip solution (m/s)", v - square * F,
        v - nsn::ncp::FischerBurmeisterFriction{}(v, F, F, rho) * F, 0.0);
}

// Stable Neo-Hookean, stress of the rest shape over the shear modulus.
void rest_stress() {
  const nsn::Lame lame = nsn::lame_constants({1e5, 0.45, 1000.0});
  const nsn::NeoHookean<false> material{lame.G, lame.Lambda + lame.G,
                                        1.0 + lame.G / (lame.Lambda + lame.G)};
  const nsn::Vec3 rest = nsn::vec3(1.0, 1.0, 1.0);
  const double printed = material.m + material.L * (1.0 - 1.0);
  print("stress at rest over G", printed / lame.G, material.gradient(rest)[0] / lame.G, 0.0);
}

// A particle of 1 kg across a string under tension: H = M + h^2 T / L from two iterates.
void quasi_newton_stiffness() {
  const double M = 1.0, T = 1000.0, L = 0.1, du = 1e-6;
  const double dg = (M + kStep * kStep * T / L) * du;  // momentum residual, force along the string
  const auto H = [&](double sign) { return M - std::fmin(0.0, -(dg + sign * M * du) / du); };
  print("quasi-Newton diagonal (kg)", H(+1.0), H(-1.0), M + kStep * kStep * T / L);
}

// A fast body turns freely for two seconds: energy over its value at the start.
void gyroscopic_term() {
  const nsn::Mat3 I{1, 0, 0, 0, 2, 0, 0, 0, 4};
  const auto energy_after = [&](bool implicit) {
    nsn::Body body;
    body.mass = 1.0;
    body.inertia = I;
    body.angular_velocity = {1.0, 20.0, 1.0};
    const double start = nsn::kinetic_energy(body);
    for (int k = 0; k < 240; ++k) {
      const nsn::Mat3 world = nsn::world_inertia(body);
      const nsn::Vec3 w = body.angular_velocity;
      const nsn::Vec3 torque = -1.0 * nsn::cross(w, world * w);
      body.angular_velocity = implicit ? nsn::gyroscopic_update(world, w, kStep)
                                       : w + kStep * (nsn::inverse(world) * torque);
      body.orientation =
          nsn::normalized(nsn::rotation_exp(kStep * body.angular_velocity) * body.orientation);
    }
    return nsn::kinetic_energy(body) / start;
  };
  print("energy of a free body after 2 s over its start", energy_after(false), energy_after(true),
        1.0);
}

}  // namespace

int main() {
  std::printf("quantity,as printed,corrected,exact\n");
  friction_compliance();
  rest_stress();
  quasi_newton_stiffness();
  gyroscopic_term();
}
