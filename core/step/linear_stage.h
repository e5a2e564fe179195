/// Stages `linearise`, `solve` and `recover` of the paper's method on a device
/// (core/step/device_step.h): the Newton matrix in compliance or stiffness form, and the change
/// (du, dr) it gives.
///
/// A linear solver that needs no entries gets S as its factors L J, H^-1 and C if they move fewer
/// bytes per product than its blocks would: finite elements, where every row meets some seventy
/// others.
#pragma once

#include <memory>

#include "nsn/core/device/device_solvers.h"
#include "nsn/core/step/device_rows.h"
#include "nsn/core/step/matrix_bodies.h"
#include "nsn/core/step/step_memory.h"
#include "nsn/core/step/step_method.h"

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

  /// The step's arrays are in `memory`; fresh: its pattern is new.
  void start(Queue<D>& queue, const System& system, StepMemory<D, Real>& memory, bool fresh) {
    fresh = fresh || (op_.rows > 0 && !op_.entries && monitor_.observed());
    if (fresh) choose_form(system, memory.lists());
    MatrixBodies<D, Real>& m = matrix_;
    m.step = memory.bodies;
    if (fresh && entries_) allocate(queue, system, memory.lists());
    if (fresh) {
      Jt_ = allocate_on<D, Real>("J^T", entries_ ? 0 : size_of(memory.bodies.sJ));
    }
    m.step.sJt = Jt_;
    m.add_to_S = stiffness() && options_.stiffness == GeometricStiffness::kFull;
    const StepBodies<D, Real>& s = memory.bodies;
    op_.rows = stiffness() ? s.at.nodes : s.at.rows;
    op_.nodes = entries_ ? 0 : s.at.nodes;
    op_.entries = entries_;
    op_.symmetric = s.symmetric();
    op_.row_begin = s.at.row_begin;
    op_.column = s.at.column;
    op_.node_begin = s.at.node_begin;
    op_.node_row = s.at.node_row;
    op_.node_block = s.at.node_block;
    op_.J = s.sJ;
    op_.Jt = Jt_;
    op_.H_inverse = s.mass.inverse;
    op_.C = s.C;
    op_.S_begin = m.row_begin;
    op_.S_column = m.column;
    op_.S = m.S;
    if (fresh) op_.pattern_id = next_operator_id();
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

  void solve(Queue<D>& queue, const KrylovGoal& goal, int poll, Span<D, const int> stop) {
    if (monitor_.observed()) show(queue);
    DeviceControl<D> control;
    control.goal = goal;
    control.poll = poll;
    control.stop = stop;
    solver_->prepare(queue, op_);
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

  void choose_form(const System& system, const NodeLists& lists) {
    entries_ = true;
    const bool possible = !stiffness() && options_.friction != FrictionKind::kAlartCurnier &&
                          !monitor_.observed() && !solver_->capabilities().needs_entries;
    if (!possible || options_.operator_form == OperatorForm::kAssembled) return;
    entries_ = false;
    if (options_.operator_form == OperatorForm::kFactored) return;
    const BlockCsr J{system.blocks(), system.nodes(), system.row_begin, system.column, {}};
    const double factors = 2.0 * 76.0 * J.blocks() + 120.0 * J.columns + 76.0 * J.rows;
    entries_ = factors >= 76.0 * count_pairs(J, lists);
  }

  void allocate(Queue<D>& queue, const System& system, const NodeLists& lists) {
    const BlockCsr J{system.blocks(), system.nodes(), system.row_begin, system.column, {}};
    products_ = stiffness() ? stiffness_products(J, lists) : compliance_products(J, lists);
    MatrixBodies<D, Real>& m = matrix_;
    m.row_begin = row_begin_.take(queue, products_.row_begin);
    m.column = column_.take(queue, products_.column);
    m.upper = upper_.take(queue, products_.upper);
    m.mirror = mirror_.take(queue, products_.mirror);
    m.begin = begin_.take(queue, products_.begin);
    m.left = left_.take(queue, products_.left);
    m.right = right_.take(queue, products_.right);
    const Index blocks = static_cast<Index>(products_.column.size());
    S_ = allocate_on<D, Real>("S", kBlockSize * blocks);
    Y_ = allocate_on<D, Real>("Y", kBlockSize * J.blocks());
    K_ = allocate_on<D, Real>("K", stiffness() ? kBlockSize * J.rows : 0);
    pushed_ = allocate_on<D, Real>("pushed", stiffness() ? kBlock * J.rows : 0);
    m.S = S_;
    m.Y = Y_;
    m.K = K_;
    m.pushed = pushed_;
  }

  /// S on the host: its pattern and `value`.
  BlockCsr host_matrix(Vector value) {
    const Index rows = static_cast<Index>(products_.row_begin.size()) - 1;
    return {rows, rows, IndexVector(products_.row_begin.data(), products_.row_begin.size()),
            IndexVector(products_.column.data(), products_.column.size()), value};
  }

  /// The coupling part of the geometric stiffness, from the host.
  void couple(Queue<D>& queue, StepEquations& equations) {
    const Vector value = S_host_.room(matrix_.S);
    std::fill_n(value.data(), value.extent(0), 0.0);
    BlockCsr S = host_matrix(value);
    equations.add_full_stiffness(u_host_.read(queue, matrix_.step.u),
                                 r_host_.read(queue, matrix_.step.r), StiffnessModes::kHardening,
                                 S);
    S_host_.write(queue, matrix_.S);
  }

  /// S = J H^-1 J^T + C holds for the J that is shown: its rows are scaled as those of the system.
  void show(Queue<D>& queue) {
    const StepBodies<D, Real>& s = matrix_.step;
    const BlockCsr S = host_matrix(S_host_.read(queue, matrix_.S));
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
  MatrixBodies<D, Real> matrix_;
  DeviceOperator<D, Real> op_;
  ProductLists products_;
  Uploaded<D, Index> row_begin_, column_, upper_, mirror_, begin_, left_, right_;
  DeviceArray<D, Real> S_, Y_, K_, pushed_, Jt_;
  HostCopy<D, Real> S_host_, u_host_, r_host_;
};

}  // namespace nsn::paper
