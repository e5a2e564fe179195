#include "nsn/core/device/device_solvers.h"

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

std::optional<DevicePreconditioning> preconditioning(const std::string& name) {
  if (name == "none") return DevicePreconditioning::kNone;
  if (name == "jacobi") return DevicePreconditioning::kJacobi;
  if (name == "block-jacobi") return DevicePreconditioning::kBlockJacobi;
  return {};
}

}  // namespace

std::optional<DeviceKrylovOptions> device_krylov(const std::string& spec,
                                                 const SolverRegistry& registry) {
  const NamedOptions named = parse_named_options(spec);
  const SolverInfo& info = registry.info(named.name);
  const Options options(info.options, named.assignments, fmt::format("'{}'", info.name));
  DeviceKrylovOptions out;
  if (named.name == "jacobi") {
    out.method = DeviceMethod::kJacobi;
    out.power_iterations = static_cast<int>(options.integer("power_iterations"));
    out.omega = options.real("omega");
  } else if (named.name == "pcg" || named.name == "pcr") {
    out.method = named.name == "pcg" ? DeviceMethod::kPcg : DeviceMethod::kPcr;
    const auto precond = preconditioning(options.text("precond"));
    if (!precond || options.text("storage") != "double") return {};
    if (named.name == "pcr" && options.flag("lift")) return {};
    out.precond = *precond;
  } else {
    return {};
  }
  out.max_iterations = static_cast<int>(options.integer("max_iterations"));
  return out;
}

}  // namespace nsn
