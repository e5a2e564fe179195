#include "nsn/core/linear/solver_registry.h"

#include <algorithm>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

template <class Info>
void check_new_name(const std::vector<Info>& known, const std::string& name) {
  const bool well_formed = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  NSN_THROW_UNLESS(well_formed, "'{}' is not a name: use a-z, 0-9 and '-'", name);
  for (const Info& info : known) {
    NSN_THROW_UNLESS(info.name != name, "the name '{}' is taken", name);
  }
}

template <class Info>
const Info& find(const std::vector<Info>& known, std::string_view name, std::string_view what) {
  std::vector<std::string> names;
  for (const Info& info : known) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown {} '{}'{}", what, name, suggestion(name, names)));
}

}  // namespace

void SolverRegistry::add(SolverInfo info) {
  check_new_name(solvers_, info.name);
  solvers_.push_back(std::move(info));
}

void SolverRegistry::add(PreconditionerInfo info) {
  check_new_name(preconditioners_, info.name);
  preconditioners_.push_back(std::move(info));
}

void SolverRegistry::add(DeviceInfo info) {
  check_new_name(devices_, info.name);
  devices_.push_back(std::move(info));
}

const SolverInfo& SolverRegistry::info(std::string_view name) const {
  return find(solvers_, name, "linear solver");
}

Capabilities SolverRegistry::capabilities(std::string_view spec) const {
  const NamedOptions named = parse_named_options(spec);
  const SolverInfo& solver = info(named.name);
  const Options options(solver.options, named.assignments, fmt::format("'{}'", solver.name));
  return solver.capabilities_with ? solver.capabilities_with(options) : solver.capabilities;
}

std::unique_ptr<LinearSolver> SolverRegistry::make(std::string_view spec) const {
  const NamedOptions named = parse_named_options(spec);
  const SolverInfo& solver = info(named.name);
  NSN_THROW_UNLESS(solver.available(), "linear solver '{}' cannot be used here: {}", solver.name,
                   solver.reason);
  return solver.make(Options(solver.options, named.assignments, fmt::format("'{}'", solver.name)),
                     *this);
}

std::unique_ptr<Preconditioner> SolverRegistry::make_preconditioner(
    std::string_view name, const PreconditionerOptions& options) const {
  const PreconditionerInfo& info = find(preconditioners_, name, "preconditioner");
  NSN_THROW_UNLESS(info.reason.empty(), "preconditioner '{}' cannot be used here: {}", info.name,
                   info.reason);
  return info.make(options);
}

}  // namespace nsn
