/// The arrays of a step on a device: the system, the iterate, and what the stages leave.
#pragma once

#include <vector>

#include "nsn/core/device/mirror.h"
#include "nsn/core/step/paper/paper_bodies.h"
#include "nsn/core/step/step_assembly.h"
#include "nsn/core/step/system.h"

namespace nsn::paper {

/// State of one iterate, in the memory of the device.
struct StepStatus {
  double normal = 0.0;    ///< m/s
  double friction = 0.0;  ///< m/s
  double box = 0.0;       ///< m/s
  double momentum = 0.0;  ///< m/s
  double total = 0.0;     ///< m/s; infinite if the iterate is not finite
  double merit = 0.0;     ///< m/s
  double step = 0.0;      ///< max |du| of the step before it, m/s
  double residual = 0.0;  ///< relative, of the linear solve before it
  int worst = -1;         ///< row block of the largest row error
  int linear_iterations = 0;
  int linear_status = 0;  ///< LinearStatus
  int stop = 0;           ///< 0: goes on; else 1 + NewtonStatus
};

/// Decisions that stay on the device.
struct StepFlags {
  int stop = 0;  ///< 0: goes on; else 1 + NewtonStatus: nothing changes any more
  int take = 0;  ///< the present iterate is the best so far
  double best = 0.0;
  double step = 0.0;     ///< max |du|, m/s
  double largest = 0.0;  ///< max |u| of the trial
};

/// The arrays of a step's system; where the device reads the host's memory they are not copied.
template <class D, class Real>
struct UploadedSystem {
  Uploaded<D, RowLaw> laws;
  Uploaded<D, Real> M, M_inverse, u_start, u_free, rho, rho_error, E;
  Uploaded<D, Index> row_begin, column, node_begin, node_row, node_block;
};

template <class D, class Real>
class StepMemory {
 public:
  StepBodies<D, Real> bodies;
  Span<D, StepStatus> history;  ///< one per iteration, and one for what is returned
  Span<D, StepFlags> flags;
  Span<D, double> row_part, node_part;
  Span<D, Real> best_u, best_r;

  /// Takes the system of a step: its arrays, and room where its pattern is new.
  /// J: its pattern on the host. Returns true if the pattern is new.
  bool start(Queue<D>& queue, const System& system, const PaperOptions& options, int iterations) {
    const bool fresh = pattern_id_ != system.pattern_id || iterations_ != iterations;
    pattern_id_ = system.pattern_id;
    iterations_ = iterations;
    bodies.options = options;
    if (fresh) fit(system, options);
    upload(queue, system, fresh);
    return fresh;
  }
  /// Takes the next pattern for a new one: after a failure of the device.
  void forget() { pattern_id_ = 0; }
  const NodeLists& lists() const { return lists_; }

 private:
  template <class T>
  Span<D, T> room(std::vector<DeviceArray<D, T>>& owner, const char* label, Index n) {
    owner.push_back(allocate_on<D, T>(label, n));
    return owner.back();
  }

  void fit(const System& system, const PaperOptions& options) {
    BlockCsr J{system.blocks(), system.nodes(), system.row_begin, system.column, {}};
    lists_ = node_lists(J);
    owned_.clear();
    const Index rows = system.rows();
    const Index dofs = system.dofs();
    StepBodies<D, Real>& s = bodies;
    for (Span<D, Real>* v :
         {&s.u, &s.u_try, &s.g, &s.node, &s.mass.quasi, &s.mass.impulse_old, &s.du}) {
      *v = room(owned_, "node vector", dofs);
    }
    for (Span<D, Real>* v : {&s.r, &s.r_try, &s.value, &s.h, &s.phi, &s.force, &s.dr}) {
      *v = room(owned_, "row vector", rows);
    }
    s.L = room(owned_, "L", kBlock * rows);
    s.C = room(owned_, "C", kBlock * rows);
    s.U = room(owned_, "U", s.turns_unknowns() ? kBlock * rows : 0);
    s.mass.H = room(owned_, "H", kBlock * dofs);
    s.mass.inverse = room(owned_, "H^-1", kBlock * dofs);
    s.J = room(owned_, "J", kBlockSize * J.blocks());
    s.sJ = room(owned_, "scaled J", kBlockSize * J.blocks());
    const bool stiffness = options.formulation == Formulation::kStiffness;
    s.b = room(owned_, "b", stiffness ? dofs : rows);
    s.x = room(owned_, "x", stiffness ? dofs : rows);
    best_u = room(owned_, "best u", options.best_iterate || options.final_projection ? dofs : 0);
    best_r = room(owned_, "best r", options.best_iterate ? rows : 0);
    history_ = allocate_on<D, StepStatus>("history", iterations_ + 2);
    history = history_;
    flags_ = allocate_on<D, StepFlags>("flags", 1);
    flags = flags_;
    row_part_ = allocate_on<D, double>("parts", Queue<D>::parts(kRowSums));
    row_part = row_part_;
    node_part_ = allocate_on<D, double>("parts", Queue<D>::parts(kRowSums));
    node_part = node_part_;
  }

  void upload(Queue<D>& queue, const System& system, bool fresh) {
    StepBodies<D, Real>& s = bodies;
    StepData<D, Real>& at = s.at;
    at.rows = system.blocks();
    at.nodes = system.nodes();
    at.rigid_nodes = system.rigid_nodes;
    at.h = system.h;
    at.speed_scale = system.speed_scale;
    at.laws = up_.laws.take(queue, system.laws);
    at.M = up_.M.take(queue, system.M);
    at.M_inverse = up_.M_inverse.take(queue, system.M_inverse);
    at.u_start = up_.u_start.take(queue, system.u_start);
    at.u_free = up_.u_free.take(queue, system.u_free);
    at.rho = up_.rho.take(queue, system.rho);
    at.rho_error = up_.rho_error.take(queue, system.rho_error);
    if (fresh || kHostReads<D>) {  // the views of a system end with its step
      at.row_begin = up_.row_begin.take(queue, system.row_begin);
      at.column = up_.column.take(queue, system.column);
      at.node_begin = up_.node_begin.take(queue, lists_.begin);
      at.node_row = up_.node_row.take(queue, lists_.row);
      at.node_block = up_.node_block.take(queue, lists_.block);
    }
    if (E_.extent(0) != system.E.extent(0)) {
      E_ = allocate_on<D, Real>("E", static_cast<Index>(system.E.extent(0)));
    }
    queue.copy(E_, up_.E.take(queue, system.E));
    s.E = E_;
  }

  std::uint64_t pattern_id_ = 0;
  int iterations_ = 0;
  NodeLists lists_;
  std::vector<DeviceArray<D, Real>> owned_;
  DeviceArray<D, Real> E_;
  DeviceArray<D, double> row_part_, node_part_;
  DeviceArray<D, StepStatus> history_;
  DeviceArray<D, StepFlags> flags_;
  UploadedSystem<D, Real> up_;
};

}  // namespace nsn::paper
