/// Of DeviceStep: included where it is instantiated for a device (core/step/paper/device_*.cpp).
#pragma once

#include <algorithm>

#include "nsn/core/step/paper/device_step.h"
#include "nsn/core/step/paper/make_device_step.h"
#include "nsn/core/step/paper/step_scalars.h"

namespace nsn {

template <class D, class Real>
void DeviceStep<D, Real>::start_iterate(const State& state, bool warm) {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  const Span<D, paper::StepFlags> flags = memory_.flags;
  const bool keep = warm && options_.warm_start;
  Span<D, const Real> r;
  if (keep) r = r_start_.take(queue_, state.r);
  const StartingIterate start = own_.start;
  queue_.for_each(
      "start rows", s.at.rows, KOKKOS_LAMBDA(const Index i) {
        for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) s.r(k) = keep ? r(k) : Real(0);
      });
  queue_.for_each(
      "start nodes", s.at.nodes, KOKKOS_LAMBDA(const Index n) {
        for (Index k = kBlock * n; k < kBlock * (n + 1); ++k) {
          s.mass.quasi(k) = Real(0);
          s.u(k) = start == StartingIterate::kZero       ? Real(0)
                   : start == StartingIterate::kPrevious ? s.at.u_start(k)
                                                         : s.at.u_free(k);
        }
      });
  queue_.for_each(
      "start flags", 1, KOKKOS_LAMBDA(const Index) {
        flags(0) = {};
        flags(0).best = RowLaw::kInfinity;
      });
  search_ = {.t = own_.step_length, .watch_merit = std::numeric_limits<double>::infinity()};
  forcing_ = 0.1;
  last_ = {};
}

/// Errors at (u, r) where the rows were evaluated; scales: what the rows ask for, and the merit.
template <class D, class Real>
void DeviceStep<D, Real>::sum_rows(Span<D, Real> u, Span<D, Real> r, bool scales) {
  using namespace paper;
  const StepBodies<D, Real> s = memory_.bodies;
  // Alart-Curnier sets r while it scales: the momentum is measured with the r before.
  const bool keeps = scales && s.turns_unknowns();
  const Span<D, Real> before = keeps ? s.r_try : r;
  row_chunks_ = queue_.template sum_chunks<kRowSums>(
      "error, scale", s.at.rows,
      KOKKOS_LAMBDA(const Index i, double* sum) {
        s.row_error(i, r, sum);
        if (keeps) store_vector(before, kBlock * i, load_vector(r, kBlock * i));
        if (scales) s.scale(i, r, sum);
      },
      memory_.row_part);
  node_chunks_ = queue_.template sum_chunks<kNodeSums>(
      "momentum", s.at.nodes,
      KOKKOS_LAMBDA(const Index n, double* sum) {
        s.node_error(n, u, before, sum);
        if (scales) s.node_merit(n, u, sum);
      },
      memory_.node_part);
}

/// Rows, errors and merit at the present iterate, in slot k of the history.
template <class D, class Real>
void DeviceStep<D, Real>::measure(int k) {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  evaluate(s.u);
  sum_rows(s.u, s.r, true);
  const Span<D, paper::StepFlags> flags = memory_.flags;
  const Span<D, Status> history = memory_.history;
  const Span<D, const DeviceOutcome> outcome = linear_.solver().outcome();
  const Span<D, double> row_part = memory_.row_part;
  const Span<D, double> node_part = memory_.node_part;
  const Index rows = row_chunks_;
  const Index nodes = node_chunks_;
  const double tolerance = options_.tolerance;
  const Index slot = k;
  queue_.for_each(
      "measure", 1, KOKKOS_LAMBDA(const Index) {
        Status now;
        paper::collect(row_part, rows, node_part, nodes, s.at.h, now);
        if (slot > 0) paper::add_outcome(outcome(0), now);
        paper::judge(tolerance, s.at.speed_scale, now, flags(0));
        history(slot) = now;
      });
  if (own_.best_iterate) offer_best();
}

/// Copies the iterate where it is the best so far.
template <class D, class Real>
void DeviceStep<D, Real>::offer_best() {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  const Span<D, paper::StepFlags> flags = memory_.flags;
  const Span<D, Real> best_u = memory_.best_u;
  const Span<D, Real> best_r = memory_.best_r;
  queue_.for_each(
      "best nodes", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) {
        if (flags(0).take != 0) best_u(k) = s.u(k);
      });
  queue_.for_each(
      "best rows", kBlock * s.at.rows, KOKKOS_LAMBDA(const Index k) {
        if (flags(0).take != 0) best_r(k) = s.r(k);
      });
}

/// After a linear solve: its size, and whether it is finite; if not, nothing changes any more.
template <class D, class Real>
void DeviceStep<D, Real>::check_change() {
  using namespace paper;
  Index rows = 0;
  Index nodes = 0;
  linear_.recover(queue_, memory_.row_part, memory_.node_part, rows, nodes);
  const Span<D, StepFlags> flags = memory_.flags;
  const Span<D, double> row_part = memory_.row_part;
  const Span<D, double> node_part = memory_.node_part;
  queue_.for_each(
      "change", 1, KOKKOS_LAMBDA(const Index) {
        const double probe = total_of(row_part, rows, kRecoverSums, kProbe) +
                             total_of(node_part, nodes, kRecoverSums, kProbe);
        judge_change(worst_of(node_part, nodes, kRecoverSums, kLargest), probe, flags(0));
      });
}

/// (u_try, r_try) = (u, r) + t (du, dr)
template <class D, class Real>
void DeviceStep<D, Real>::advance(double t) {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  const Real length = static_cast<Real>(t);
  queue_.for_each(
      "advance nodes", s.at.nodes, KOKKOS_LAMBDA(const Index n) { s.advance_node(n, length); }, 3);
  queue_.for_each(
      "advance rows", s.at.rows, KOKKOS_LAMBDA(const Index i) { s.advance_row(i, length); }, 3);
}

template <class D, class Real>
double DeviceStep<D, Real>::trial_merit(double t) {
  advance(t);
  const paper::StepBodies<D, Real> s = memory_.bodies;
  evaluate(s.u_try);
  sum_rows(s.u_try, s.r_try, true);
  const Span<D, Status> history = memory_.history;
  const Span<D, double> row_part = memory_.row_part;
  const Span<D, double> node_part = memory_.node_part;
  const Index rows = row_chunks_;
  const Index nodes = node_chunks_;
  const Index slot = size_of(history) - 1;
  queue_.for_each(
      "trial", 1, KOKKOS_LAMBDA(const Index) {
        Status now;
        paper::collect(row_part, rows, node_part, nodes, s.at.h, now);
        history(slot) = now;
      });
  return read_status(static_cast<int>(slot)).merit;
}

template <class D, class Real>
void DeviceStep<D, Real>::update_quasi_newton() {
  using namespace paper;
  const StepBodies<D, Real> s = memory_.bodies;
  const Span<D, StepFlags> flags = memory_.flags;
  const Span<D, double> part = memory_.node_part;
  const Index first = own_.stiffness == GeometricStiffness::kDiagonalAll ? 0 : s.at.rigid_nodes;
  evaluate(s.u);
  const Index chunks = queue_.template sum_chunks<1>(
      "old impulse", s.at.nodes,
      KOKKOS_LAMBDA(const Index n, double* sum) {
        s.keep_impulse(n);
        for (Index k = kBlock * n; k < kBlock * (n + 1); ++k) {
          sum[0] = worse_of(sum[0], std::fabs(static_cast<double>(s.u_try(k))));
        }
      },
      part);
  queue_.for_each(
      "largest", 1,
      KOKKOS_LAMBDA(const Index) { flags(0).largest = worst_of(part, chunks, 1, 0); });
  evaluate(s.u_try);
  queue_.for_each(
      "quasi-Newton", s.at.nodes - first,
      KOKKOS_LAMBDA(const Index k) {
        if (flags(0).stop == 0) s.update_quasi(first + k, flags(0).largest);
      },
      16);
}

/// (u, r) = (u_try, r_try), unless the step has ended.
template <class D, class Real>
void DeviceStep<D, Real>::accept() {
  const paper::StepBodies<D, Real> s = memory_.bodies;
  const Span<D, paper::StepFlags> flags = memory_.flags;
  queue_.for_each(
      "accept nodes", kBlock * s.at.nodes, KOKKOS_LAMBDA(const Index k) {
        if (flags(0).stop == 0) s.u(k) = s.u_try(k);
      });
  queue_.for_each(
      "accept rows", kBlock * s.at.rows, KOKKOS_LAMBDA(const Index k) {
        if (flags(0).stop == 0) s.r(k) = s.r_try(k);
      });
}

template <class D>
std::unique_ptr<StepMethod> make_device_step(const NewtonOptions& options,
                                             const SolverRegistry& registry, StepMonitor& monitor) {
  if (options.paper().precision == Precision::kSingle) {
    return std::make_unique<DeviceStep<D, float>>(options, registry, monitor);
  }
  return std::make_unique<DeviceStep<D, double>>(options, registry, monitor);
}

}  // namespace nsn

#include "nsn/core/step/paper/device_step_loop.h"
