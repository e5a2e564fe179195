#include "nsn/core/step/paper/step_batch.h"

namespace nsn {
namespace {

bool has_only_contacts_and_joints(const StepRecords& records) {
  return records.attachments.empty() && records.mimics.empty() && records.resistances.empty() &&
         records.soft_contacts.empty() && records.laws.empty() && records.directions.empty();
}

}  // namespace

bool batch_takes(const NewtonOptions& options, const SolverRegistry& registry) {
  if (options.linear.size() != 1 || options.time_budget > 0.0 || options.cancel) return false;
  const auto krylov = device_krylov(options.linear[0], registry);
  const PaperOptions& own = options.paper();
  return krylov && krylov->method != DeviceMethod::kJacobi &&
         own.formulation == Formulation::kCompliance &&
         own.friction != FrictionKind::kAlartCurnier && own.damping == Damping::kConstant &&
         own.stiffness != GeometricStiffness::kExact &&
         own.stiffness != GeometricStiffness::kFull && !own.eisenstat_walker && !own.best_iterate;
}

bool batch_takes(StepEquations& equations) {
  const System& system = equations.system();
  return system.blocks() <= paper::kTeamRows && system.rigid_nodes == system.nodes() &&
         !system.compliance_varies && equations.records() != nullptr &&
         has_only_contacts_and_joints(*equations.records());
}

}  // namespace nsn
