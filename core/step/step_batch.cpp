#include "nsn/core/step/step_batch.h"

#include <algorithm>

#include "nsn/core/linear/linear_operator.h"

namespace nsn {
namespace {

void append(std::vector<double>& to, ConstVector from) {
  to.insert(to.end(), from.data(), from.data() + from.extent(0));
}
template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}
bool has_only_contacts_and_joints(const StepRecords& records) {
  return records.attachments.empty() && records.mimics.empty() && records.resistances.empty() &&
         records.soft_contacts.empty() && records.laws.empty() && records.directions.empty();
}
Vector view(std::vector<double>& v) {
  return Vector(v.data(), v.size());
}
template <class T>
Index length(const std::vector<T>& v) {
  return static_cast<Index>(v.size());
}

}  // namespace

void JoinedEquations::join(std::span<const BatchIsland> islands) {
  system_ = {};
  records_.clear();
  worlds_.clear();
  for (auto* v : {&M_, &M_inverse_, &u_start_, &u_free_, &rho_, &rho_error_, &E_}) v->clear();
  row_begin_.assign(1, 0);
  column_.clear();
  for (const BatchIsland& one : islands) {
    append(one.equations->system(), *one.equations->records());
    worlds_.back().warm = one.warm;
  }
  system_.M = view(M_);
  system_.M_inverse = view(M_inverse_);
  system_.u_start = view(u_start_);
  system_.u_free = view(u_free_);
  system_.rho = view(rho_);
  system_.rho_error = view(rho_error_);
  system_.E = view(E_);
  system_.row_begin = IndexVector(row_begin_.data(), row_begin_.size());
  system_.column = IndexVector(column_.data(), column_.size());
  system_.rigid_nodes = system_.nodes();
  system_.pattern_id = next_operator_id();
}

void JoinedEquations::append(const System& system, const StepRecords& records) {
  paper::WorldRange w;
  const Index node = length(M_) / kBlockSize;
  const Index row = length(system_.laws);
  const Index body = length(records_.bodies);
  const Index particle = length(records_.particles);
  const Index block = length(column_);
  system_.h = records_.h = system.h;
  system_.speed_scale = system.speed_scale;
  nsn::append(M_, system.M);
  nsn::append(M_inverse_, system.M_inverse);
  nsn::append(u_start_, system.u_start);
  nsn::append(u_free_, system.u_free);
  nsn::append(rho_, system.rho);
  nsn::append(rho_error_, system.rho_error);
  nsn::append(E_, system.E);
  nsn::append(system_.laws, system.laws);
  for (Index i = 0; i < system.blocks(); ++i) row_begin_.push_back(block + system.row_begin(i + 1));
  for (Index k = 0; k < size_of(system.column); ++k) column_.push_back(node + system.column(k));
  const auto shift = [&](auto record) {
    record.row += row;
    return record;
  };
  for (BodyRecord one : records.bodies) {
    if (one.node >= 0) one.node += node;
    records_.bodies.push_back(one);
  }
  w.contact = length(records_.contacts);
  for (const ContactRecord& one : records.contacts) {
    records_.contacts.push_back(shift(one));
    records_.contacts.back().a += body;
    records_.contacts.back().b += body;
  }
  w.joint = length(records_.joints);
  for (const JointRecord& one : records.joints) {
    records_.joints.push_back(shift(one));
    records_.joints.back().a += body;
    records_.joints.back().b += body;
  }
  w.row = row, w.row_end = length(system_.laws);
  w.node = node, w.node_end = length(M_) / kBlockSize;
  w.body = body, w.body_end = length(records_.bodies);
  w.particle = w.particle_end = particle;
  w.contact_end = length(records_.contacts);
  w.joint_end = length(records_.joints);
  w.speed_scale = system.speed_scale;
  worlds_.push_back(w);
}

bool batch_takes(const NewtonOptions& options, const SolverRegistry& registry) {
  if (options.linear.size() != 1) return false;
  const auto krylov = device_krylov(options.linear[0], registry);
  const PaperOptions& own = options.paper();
  return krylov && krylov->method != DeviceMethod::kJacobi &&
         own.formulation == Formulation::kCompliance &&
         own.operator_form != OperatorForm::kAssembled &&
         own.friction != FrictionKind::kAlartCurnier && own.damping == Damping::kConstant &&
         own.stiffness != GeometricStiffness::kExact &&
         own.stiffness != GeometricStiffness::kFull && !own.eisenstat_walker && !own.best_iterate;
}

bool batch_takes(StepEquations& equations) {
  const System& system = equations.system();
  return system.rigid_nodes == system.nodes() && !system.compliance_varies &&
         equations.records() != nullptr && has_only_contacts_and_joints(*equations.records());
}

}  // namespace nsn
