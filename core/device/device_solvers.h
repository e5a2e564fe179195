/// Linear solvers of a device by name, from the same names and options as those of the host.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nsn/core/device/krylov_solver.h"
#include "nsn/core/device/mirrored.h"
#include "nsn/core/linear/linear_chain.h"

namespace nsn {

/// What the template can do of a solver "name:key=value,...": jacobi, pcg and pcr with none, jacobi
/// and block-jacobi preconditioning in double storage; nothing: a solver of the host. Throws
/// std::invalid_argument for unknown names and options.
std::optional<DeviceKrylovOptions> device_krylov(const std::string& spec,
                                                 const SolverRegistry& registry);

/// What a backend offers for one device and scalar (SolverInfo::on_device).
template <class D, class Real>
using MakeOnDevice = std::function<std::unique_ptr<DeviceSolver<D, Real>>(const Options&)>;

/// The backend's own solver on this device; null: it has none.
template <class D, class Real>
std::unique_ptr<DeviceSolver<D, Real>> make_on_device(const std::string& spec,
                                                      const SolverRegistry& registry) {
  const NamedOptions named = parse_named_options(spec);
  const SolverInfo& info = registry.info(named.name);
  const auto* const make = std::any_cast<MakeOnDevice<D, Real>>(&info.on_device);
  if (make == nullptr) return nullptr;
  return (*make)(Options(info.options, named.assignments, "'" + info.name + "'"));
}

/// The solver that the names ask for; more than one: a chain, of the host.
template <class D, class Real>
std::unique_ptr<DeviceSolver<D, Real>> make_device_solver(const std::vector<std::string>& specs,
                                                          const SolverRegistry& registry) {
  if (specs.size() == 1) {
    if (auto own = make_on_device<D, Real>(specs[0], registry)) return own;
    if (const auto options = device_krylov(specs[0], registry)) {
      return std::make_unique<KrylovSolver<D, Real>>(parse_named_options(specs[0]).name, *options);
    }
  }
  return std::make_unique<Mirrored<D, Real>>(make_linear_chain(specs, registry));
}

}  // namespace nsn
