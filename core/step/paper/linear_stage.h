/// Stages `linearise`, `solve` and `recover` of the paper's method on a device
/// (core/step/paper/device_step.h): the Newton matrix in compliance or stiffness form, and the change
/// (du, dr) it gives.
///
/// A linear solver that needs no entries gets S as its factors L J, H^-1 and C if they move fewer
/// bytes per product than its blocks would: finite elements, where every row meets some seventy
/// others.
#pragma once

#include <memory>

#include "nsn/core/device/device_solvers.h"
#include "nsn/core/step/paper/assembled_matrix.h"
#include "nsn/core/step/paper/device_rows.h"
#include "nsn/core/step/paper/step_memory.h"
#include "nsn/core/step/step_method.h"
#include "nsn/core/step/swept_step.h"

namespace nsn::paper {

template <class D, class Real>
class LinearStage {
 public:
  /// options must outlive it; linear: the chain of solvers.
  LinearStage(const PaperOptions& options, const std::vector<std::string>& linear,
              const SolverRegistry& registry, StepMonitor& monitor)
      : options_(options),
        monitor_(monitor),
        solver_(make_device_solver<D, Real>(linear, registry)) {
    require_matrix_free(options, solver_->capabilities(), solver_->name());
  }

  const DeviceSolver<D, Real>& solver() const { return *solver_; }

  /// Whether the blocks of S are formed: where they are needed or asked for, or fewer bytes.
  bool forms_entries(const System& system, const NodeLists& lists) const {
    const bool possible = !stiffness() && options_.friction != FrictionKind::kAlartCurnier &&
                          !monitor_.observed() && !solver_->capabilities().needs_entries;
    if (!possible || options_.operator_form == OperatorForm::kAssembled) return true;
    if (options_.operator_form == OperatorForm::kFactored) return false;
    const BlockCsr J = pattern_of_J(system);
    const double factors = 2.0 * 76.0 * J.blocks() + 120.0 * J.columns + 76.0 * J.rows;
    return !has_more_pairs(J, lists, factors / 76.0);
  }

  /// The step's arrays are in `memory`; fresh: its pattern is new.
  void start(Queue<D>& queue, const System& system, StepMemory<D, Real>& memory, bool fresh) {
    fresh = fresh || (op_.rows > 0 && !op_.entries && monitor_.observed());
    if (fresh) entries_ = forms_entries(system, memory.lists());
    MatrixBodies<D, Real>& m = matrix_;
    m.step = memory.bodies;
    if (fresh && entries_) blocks_.allocate(queue, system, memory.lists(), stiffness(), m);
    if (fresh) {
      Jt_ = allocate_on<D, Real>("J^T", entries_ ? 0 : size_of(memory.bodies.sJ));
    }
    m.step.sJt = Jt_;
    m.add_to_S = stiffness() && options_.stiffness == GeometricStiffness::kFull;
    const std::uint64_t pattern = fresh ? next_operator_id() : op_.pattern_id;
    op_ = m.as_operator(entries_, stiffness() ? m.step.at.nodes : m.step.at.rows);
    op_.pattern_id = pattern;
  }

  /// S and b at the present iterate, whose rows were scaled.
  void linearise(Queue<D>& queue, DeviceEquations<D, Real>& rows, StepEquations& equations) {
    const MatrixBodies<D, Real> m = matrix_;
    const Index nodes = m.step.at.nodes;
    const bool exact = options_.stiffness == GeometricStiffness::kExact ||
                       (options_.stiffness == GeometricStiffness::kFull && !stiffness());
    if (exact) {
      rows.stiffness(queue, m.step);
    } else {
      queue.for_each(
          "mass", nodes, KOKKOS_LAMBDA(const Index n) { m.step.mass_node(n); }, 9);
    }
    queue.for_each(
        "linearise nodes", nodes, KOKKOS_LAMBDA(const Index n) { m.step.linearise_node(n); }, 16);
    if (stiffness()) {
      assemble_stiffness(queue, equations);
    } else {
      assemble_compliance(queue);
    }
    op_.value_id = next_operator_id();
  }

  /// There is time to form the blocks of S, if they are formed.
  bool may_start(const System& system, const NodeLists& lists) const {
    return !monitor_.work().limited() || !forms_entries(system, lists) ||
           monitor_.work().fits(Work::kForm, forming_operations(system));
  }
  /// There is time for a factorisation, if the solver makes one.
  bool may_factorize(Queue<D>& queue) {
    if (!monitor_.work().limited()) return true;
    factorization_flops_ = solver_->analyze(queue, op_);
    return monitor_.work().fits(Work::kFactor, factorization_flops_);
  }

  void solve(Queue<D>& queue, const KrylovGoal& goal, int poll, Span<D, const int> stop) {
    if (monitor_.observed()) show(queue);
    DeviceControl<D> control;
    control.goal = goal;
    control.poll = poll;
    control.stop = stop;
    {
      const WorkClock::Unit unit(monitor_.work(), Work::kFactor, factorization_flops_);
      solver_->prepare(queue, op_);
    }
    solver_->solve(queue, matrix_.step.b, matrix_.step.x, control);
  }

  /// du and dr from the solution of either form. Leaves the sums of RecoverSum in both parts.
  void recover(Queue<D>& queue, Span<D, double> row_part, Span<D, double> node_part,
               Index& row_chunks, Index& node_chunks) {
    const StepBodies<D, Real> s = matrix_.step;
    const bool from_velocity = stiffness();
    node_chunks = queue.template sum_chunks<kRecoverSums>(
        "recover nodes", s.at.nodes,
        KOKKOS_LAMBDA(const Index n, double* sum) {
          if (from_velocity) {
            s.take_node(n, sum);
          } else {
            s.recover_node(n, sum);
          }
        },
        node_part);
    row_chunks = queue.template sum_chunks<kRecoverSums>(
        "recover rows", s.at.rows,
        KOKKOS_LAMBDA(const Index i, double* sum) {
          if (from_velocity) {
            s.recover_row_from_velocity(i);
          } else {
            s.recover_row(i);
          }
          s.probe_row(i, sum);
        },
        row_part);
  }

  // ---- public because of their lambdas

  void assemble_compliance(Queue<D>& queue) {
    const MatrixBodies<D, Real> m = matrix_;
    const bool entries = entries_;
    queue.for_each(
        "linearise rows", m.step.at.rows,
        KOKKOS_LAMBDA(const Index i) {
          m.step.linearise_row(i);
          if (entries) m.factor_row(i);
        },
        32);
    if (!entries) {
      queue.for_each(
          "transpose", m.step.at.nodes, KOKKOS_LAMBDA(const Index n) { m.step.transpose_node(n); },
          16);
      return;
    }
    queue.for_each(
        "assemble", size_of(m.upper), KOKKOS_LAMBDA(const Index k) { m.assemble_compliance(k); },
        8);
  }
  void assemble_stiffness(Queue<D>& queue, StepEquations& equations) {
    const MatrixBodies<D, Real> m = matrix_;
    if (m.add_to_S) couple(queue, equations);
    queue.for_each(
        "stiffness rows", m.step.at.rows, KOKKOS_LAMBDA(const Index i) { m.stiffness_row(i); }, 32);
    queue.for_each(
        "assemble", size_of(m.upper), KOKKOS_LAMBDA(const Index k) { m.assemble_stiffness(k); }, 8);
    queue.for_each(
        "right side", m.step.at.nodes, KOKKOS_LAMBDA(const Index n) { m.right_side_node(n); }, 8);
  }

 private:
  bool stiffness() const { return options_.formulation == Formulation::kStiffness; }

  /// The coupling part of the geometric stiffness, from the host.
  void couple(Queue<D>& queue, StepEquations& equations) {
    const Vector value = S_host_.room(matrix_.S);
    std::fill_n(value.data(), value.extent(0), 0.0);
    BlockCsr S = blocks_.on_host(value);
    equations.add_full_stiffness(u_host_.read(queue, matrix_.step.u),
                                 r_host_.read(queue, matrix_.step.r), StiffnessModes::kHardening,
                                 S);
    S_host_.write(queue, matrix_.S);
  }

  /// S = J H^-1 J^T + C holds for the J that is shown: its rows are scaled as those of the system.
  void show(Queue<D>& queue) {
    const StepBodies<D, Real>& s = matrix_.step;
    const BlockCsr S = blocks_.on_host(S_host_.read(queue, matrix_.S));
    HostCopy<D, Real> J_host, H_host, C_host, b_host;
    BlockCsr J;
    J.rows = s.at.rows;
    J.columns = s.at.nodes;
    J.row_begin = host_index(queue, s.at.row_begin);
    J.column = host_index(queue, s.at.column);
    J.value = J_host.read(queue, s.sJ);
    NewtonSystemView view;
    view.S = &S;
    view.b = b_host.read(queue, s.b);
    view.symmetric = s.symmetric();
    view.J = view.symmetric ? &J : nullptr;
    view.H = H_host.read(queue, s.mass.H);
    view.C = C_host.read(queue, s.C);
    view.form = stiffness() ? "stiffness" : "compliance";
    monitor_.show(view);
  }
  static IndexVector host_index(Queue<D>& queue, Span<D, const Index> from) {
    IndexVector to("host index", from.extent(0));
    queue.copy(to, from);
    return to;
  }

  const PaperOptions& options_;
  StepMonitor& monitor_;
  std::unique_ptr<DeviceSolver<D, Real>> solver_;
  bool entries_ = false;
  double factorization_flops_ = 0.0;
  MatrixBodies<D, Real> matrix_;
  DeviceOperator<D, Real> op_;
  AssembledMatrix<D, Real> blocks_;
  DeviceArray<D, Real> Jt_;
  HostCopy<D, Real> S_host_, u_host_, r_host_;
};

}  // namespace nsn::paper
