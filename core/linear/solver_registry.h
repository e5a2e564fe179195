/// Linear solvers and their preconditioners by name, the standard ones and a user's own.
///
///   nsn::SolverRegistry registry = nsn::standard_backends();      // backends/standard_backends.h
///   registry.add({.name = "mine", .make = ...});                  // a user's backend
///   auto solver = registry.make("pcr:precond=block-jacobi");
///
/// A registry is an ordinary object: there is no global one.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class SolverRegistry;

/// What is known of a solver before one is made.
struct SolverInfo {
  std::string name;
  std::string summary;                 ///< one line
  std::string licence = "Apache-2.0";  ///< licence a program takes on by using it
  Capabilities capabilities;           ///< with default options
  std::vector<OptionSpec> options;
  bool built = true;   ///< compiled into this library
  std::string reason;  ///< not empty: why it cannot be used here (not built, no device)
  std::function<std::unique_ptr<LinearSolver>(const Options&, const SolverRegistry&)> make;
  /// The solver as one of a device: a MakeOnDevice<D, Real> (core/device/device_solvers.h), or empty.
  std::any on_device;

  /// What a solver with these options can take, where that depends on them; empty: it does not.
  std::function<Capabilities(const Options&)> capabilities_with;

  bool available() const { return reason.empty(); }
};

/// SolverInfo::make of a class whose constructor takes the options, and the registry if it needs it.
template <class Solver>
std::unique_ptr<LinearSolver> make_solver(const Options& options, const SolverRegistry& registry) {
  if constexpr (std::is_constructible_v<Solver, const Options&, const SolverRegistry&>) {
    return std::make_unique<Solver>(options, registry);
  } else {
    return std::make_unique<Solver>(options);
  }
}

/// What is known of a preconditioner before one is made.
struct PreconditionerInfo {
  std::string name;
  std::string reason;  ///< not empty: why it cannot be used here
  std::function<std::unique_ptr<Preconditioner>(const PreconditionerOptions&)> make;
};

class StepMethod;
class StepMonitor;
struct NewtonOptions;

/// What is known of a device (core/step/devices.h).
struct DeviceInfo {
  std::string name;
  std::string memory;    ///< whose memory it works in
  std::string reason;    ///< not empty: why it cannot be used here
  bool host = false;     ///< islands may be solved side by side on the host's threads
  bool batches = false;  ///< small islands are solved in one launch (StepMethod::solve_all)
  /// The paper's method there.
  std::function<std::unique_ptr<StepMethod>(const NewtonOptions&, const SolverRegistry&,
                                            StepMonitor&)>
      make;

  bool available() const { return reason.empty(); }
};

class SolverRegistry {
 public:
  /// Throws std::invalid_argument if the name is taken or not made of a-z, 0-9 and '-'.
  void add(SolverInfo info);
  void add(PreconditionerInfo info);
  /// A device beside those of the library.
  void add(DeviceInfo info);

  /// In the order of registration.
  const std::vector<SolverInfo>& solvers() const { return solvers_; }
  const std::vector<PreconditionerInfo>& preconditioners() const { return preconditioners_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  /// Throws std::invalid_argument with the nearest names for an unknown one.
  const SolverInfo& info(std::string_view name) const;

  /// What "name:key=value,..." can take. Throws as make() does, but for what is not available.
  Capabilities capabilities(std::string_view spec) const;

  /// "name" or "name:key=value,...". Throws std::invalid_argument for unknown or unavailable names
  /// and for invalid options.
  std::unique_ptr<LinearSolver> make(std::string_view spec) const;
  std::unique_ptr<Preconditioner> make_preconditioner(
      std::string_view name, const PreconditionerOptions& options = {}) const;

 private:
  std::vector<SolverInfo> solvers_;
  std::vector<PreconditionerInfo> preconditioners_;
  std::vector<DeviceInfo> devices_;
};

}  // namespace nsn
