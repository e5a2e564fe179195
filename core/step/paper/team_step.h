/// The whole step of one island in one team of threads: Newton's method with pcg or pcr inside, by the
/// bodies of the grid kernels (core/step/paper/device_step.h). On host devices a team is one thread, since
/// Kokkos' host teams spin at their barriers.
///
/// It has the compliance form, assembled or factored, with constant damping; sums are those of one
/// chunk (core/device/space.h), so that an island of at most kTeamRows row blocks gets the bits of
/// a solve of its own on a host device.
#pragma once

#include <algorithm>

#include "nsn/core/device/krylov_bodies.h"
#include "nsn/core/step/paper/matrix_bodies.h"
#include "nsn/core/step/paper/rows_on_device.h"
#include "nsn/core/step/paper/step_scalars.h"

namespace nsn::paper {

/// Row blocks of the largest island that a team solves: those of one chunk of a sum.
inline constexpr Index kTeamRows = kChunk;

/// Where a world's rows, nodes and records are among those of all.
struct WorldRange {
  Index row = 0, row_end = 0;
  Index node = 0, node_end = 0;
  Index body = 0, body_end = 0;
  Index particle = 0, particle_end = 0;
  Index contact = 0, contact_end = 0;
  Index joint = 0, joint_end = 0;
  Index attachment = 0, attachment_end = 0;
  Index upper = 0, upper_end = 0;  ///< blocks of S's upper half
  double speed_scale = 1.0;
  bool warm = false;
};

/// What a world leaves.
struct WorldAnswer {
  StepStatus status;
  int iterations = 0;
};

template <class D, class Real>
struct TeamStep {
  using Policy = Kokkos::TeamPolicy<typename D::execution_space>;
  using Member = typename Policy::member_type;

  MatrixBodies<D, Real> m;
  RecordBodies<D, Real> rows;
  KrylovBodies<D, Real> k;
  Span<D, const WorldRange> worlds;
  Span<D, const Real> r_start;
  Span<D, WorldAnswer> answer;  ///< one a world
  Span<D, StepFlags> flags;     ///< one a world
  Span<D, KrylovRun> run;       ///< one a world
  Span<D, double> part;         ///< 2 kPart a thread
  Span<D, Real> kept_u;
  double tolerance = 0.0;
  int iterations = 0;

  NSN_FUNCTION const StepBodies<D, Real>& s() const { return m.step; }

  static constexpr Index kPart = std::max(Index{kKrylovSums}, Index{kRowSums});

  template <class Body>
  NSN_FUNCTION void each(const Member& team, Index begin, Index end, const Body& body) const {
    for (Index i = begin + team.team_rank(); i < end; i += team.team_size()) body(i);
    team.team_barrier();
  }
  /// What is summed is in part(first + K t), t the thread.
  template <int K, class Body>
  NSN_FUNCTION Span<D, double> sum(const Member& team, Index begin, Index end,
                                   const Body& body) const {
    const Index first = team.league_rank() * team.team_size() * kPart * 2;
    return sum_into<K>(team, first, begin, end, body);
  }
  template <int K, class Body>
  NSN_FUNCTION Span<D, double> sum_into(const Member& team, Index first, Index begin, Index end,
                                        const Body& body) const {
    double sums[K];
    for (int q = 0; q < K; ++q) sums[q] = 0.0;
    for (Index i = begin + team.team_rank(); i < end; i += team.team_size()) body(i, sums);
    const Span<D, double> mine(&part(first), to_size(K * team.team_size()));
    for (int q = 0; q < K; ++q) mine(K * team.team_rank() + q) = sums[q];
    team.team_barrier();
    return mine;
  }

  NSN_FUNCTION void evaluate(const Member& team, const WorldRange& w,
                             const Span<D, Real>& u) const {
    RecordBodies<D, Real> at = rows;
    at.u = u;
    each(team, w.body, w.body_end, [&](const Index i) { at.move_body_of(i); });
    each(team, w.particle, w.particle_end, [&](const Index i) { at.move_particle(i); });
    each(team, w.contact, w.contact_end, [&](const Index i) { at.contact(i); });
    each(team, w.joint, w.joint_end, [&](const Index i) { at.joint(i); });
    each(team, w.attachment, w.attachment_end, [&](const Index i) { at.attachment(i); });
  }

  /// Errors, and where `scales` what the rows ask for and the merit.
  NSN_FUNCTION StepStatus measure(const Member& team, const WorldRange& w, bool scales) const {
    const bool keeps = scales && s().turns_unknowns();
    const Span<D, Real> before = keeps ? s().r_try : s().r;
    const Index T = team.team_size();
    const Index first = team.league_rank() * T * kPart * 2;
    const Span<D, double> a =
        sum_into<kRowSums>(team, first, w.row, w.row_end, [&](const Index i, double* sums) {
          s().row_error(i, s().r, sums);
          if (keeps) store_vector(before, kBlock * i, load_vector(s().r, kBlock * i));
          if (scales) s().scale(i, s().r, sums);
        });
    const Span<D, double> b = sum_into<kNodeSums>(team, first + T * kPart, w.node, w.node_end,
                                                  [&](const Index n, double* sums) {
                                                    s().node_error(n, s().u, before, sums);
                                                    if (scales) s().node_merit(n, s().u, sums);
                                                  });
    StepStatus now;
    collect(a, T, b, T, s().at.h, now);
    team.team_barrier();
    return now;
  }

  NSN_FUNCTION void start(const Member& team, const WorldRange& w) const {
    const StartingIterate from = s().options.start;
    each(team, kBlock * w.row, kBlock * w.row_end,
         [&](const Index j) { s().r(j) = w.warm ? r_start(j) : Real(0); });
    each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) {
      s().mass.quasi(j) = Real(0);
      s().u(j) = from == StartingIterate::kZero       ? Real(0)
                 : from == StartingIterate::kPrevious ? s().at.u_start(j)
                                                      : s().at.u_free(j);
    });
  }

  /// As LinearStage::linearise().
  NSN_FUNCTION void linearise(const Member& team, const WorldRange& w) const {
    each(team, w.node, w.node_end, [&](const Index n) {
      s().mass_node(n);
      s().linearise_node(n);
    });
    each(team, w.row, w.row_end, [&](const Index i) {
      s().linearise_row(i);
      if (k.op.entries) m.factor_row(i);
    });
    if (k.op.entries) {
      each(team, w.upper, w.upper_end, [&](const Index b) { m.assemble_compliance(b); });
    } else {
      each(team, w.node, w.node_end, [&](const Index n) { s().transpose_node(n); });
    }
  }

  NSN_FUNCTION DeviceOutcome solve(const Member& team, const WorldRange& w, KrylovRun& now) const {
    each(team, w.row, w.row_end, [&](const Index i) { k.set_preconditioner(i); });
    const Index T = team.team_size();
    const auto bb = sum<1>(team, w.row, w.row_end,
                           [&](const Index i, double* sums) { k.begin(i, true, sums); });
    if (team.team_rank() == 0) krylov::start(now, k.goal, total_of(bb, T, 1, 0), true, false);
    team.team_barrier();
    const int trips = k.goal.limit + 1 + (k.goal.budget ? 4 : 64);
    for (int trip = 0; trip < trips && !now.done(); ++trip) {
      if (k.op.two_passes()) {
        each(team, w.node, w.node_end, [&](const Index n) { k.nodes(n, now); });
      }
      const auto sums = sum<kKrylovSums>(
          team, w.row, w.row_end, [&](const Index i, double* one) { k.rows(i, i + 1, now, one); });
      if (team.team_rank() == 0) {
        double total[kKrylovSums];
        for (int q = 0; q < kKrylovSums; ++q) total[q] = total_of(sums, T, kKrylovSums, q);
        krylov::decide_next(k.method, now, k.goal, total, k.unit());
      }
      team.team_barrier();
      each(team, w.row, w.row_end, [&](const Index i) { k.update(i, i + 1, now); });
    }
    return krylov::outcome_of(now, k.goal);
  }

  /// du, dr, and whether they are finite.
  NSN_FUNCTION void recover(const Member& team, const WorldRange& w, StepFlags& flag) const {
    const Index T = team.team_size();
    const Index first = team.league_rank() * T * kPart * 2;
    const auto a =
        sum_into<kRecoverSums>(team, first, w.node, w.node_end,
                               [&](const Index n, double* sums) { s().recover_node(n, sums); });
    const auto b = sum_into<kRecoverSums>(team, first + T * kPart, w.row, w.row_end,
                                          [&](const Index i, double* sums) {
                                            s().recover_row(i);
                                            s().probe_row(i, sums);
                                          });
    if (team.team_rank() == 0) {
      judge_change(worst_of(a, T, kRecoverSums, kLargest),
                   total_of(b, T, kRecoverSums, kProbe) + total_of(a, T, kRecoverSums, kProbe),
                   flag);
    }
    team.team_barrier();
  }

  NSN_FUNCTION void update(const Member& team, const WorldRange& w, StepFlags& flag) const {
    const Real t = static_cast<Real>(s().options.step_length);
    each(team, w.node, w.node_end, [&](const Index n) { s().advance_node(n, t); });
    each(team, w.row, w.row_end, [&](const Index i) { s().advance_row(i, t); });
    if (s().options.stiffness == GeometricStiffness::kDiagonalAll) update_quasi(team, w, flag);
    each(team, kBlock * w.node, kBlock * w.node_end,
         [&](const Index j) { s().u(j) = s().u_try(j); });
    each(team, kBlock * w.row, kBlock * w.row_end, [&](const Index j) { s().r(j) = s().r_try(j); });
  }

  NSN_FUNCTION void update_quasi(const Member& team, const WorldRange& w, StepFlags& flag) const {
    evaluate(team, w, s().u);
    const auto largest = sum<1>(team, w.node, w.node_end, [&](const Index n, double* sums) {
      s().keep_impulse(n);
      for (Index j = kBlock * n; j < kBlock * (n + 1); ++j) {
        sums[0] = worse_of(sums[0], std::fabs(static_cast<double>(s().u_try(j))));
      }
    });
    if (team.team_rank() == 0) flag.largest = worst_of(largest, team.team_size(), 1, 0);
    team.team_barrier();
    evaluate(team, w, s().u_try);
    each(team, w.node, w.node_end, [&](const Index n) { s().update_quasi(n, flag.largest); });
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Index world = static_cast<Index>(team.league_rank());
    const WorldRange w = worlds(world);
    StepFlags& flag = flags(world);
    if (team.team_rank() == 0) {
      flag = {};
      flag.best = RowLaw::kInfinity;
      run(world) = {};
    }
    start(team, w);
    int linear = 0;
    for (int it = 0;; ++it) {
      evaluate(team, w, s().u);
      StepStatus now = measure(team, w, true);
      if (team.team_rank() == 0) judge(tolerance, w.speed_scale, now, flag);
      team.team_barrier();
      if (flag.stop != 0 || it == iterations) {
        finish(team, w, it, linear, world);
        return;
      }
      linearise(team, w);
      linear += solve(team, w, run(world)).iterations;
      recover(team, w, flag);
      if (flag.stop != 0) {
        finish(team, w, it + 1, linear, world);
        return;
      }
      update(team, w, flag);
    }
  }

  NSN_FUNCTION void finish(const Member& team, const WorldRange& w, int iteration, int linear,
                           Index world) const {
    evaluate(team, w, s().u);
    if (s().options.final_projection) project(team, w, flags(world));
    StepStatus now = measure(team, w, false);
    if (team.team_rank() != 0) return;
    now.stop = flags(world).stop;
    now.linear_iterations = linear;
    answer(world) = {now, iteration};
  }

  /// As DeviceStep::project_momentum().
  NSN_FUNCTION void project(const Member& team, const WorldRange& w, StepFlags& flag) const {
    for (int pass = 0; pass < 3; ++pass) {
      if (pass > 0) {
        each(team, w.node, w.node_end, [&](const Index n) { s().project_node(n); });
        each(team, kBlock * w.node, kBlock * w.node_end,
             [&](const Index j) { s().u(j) = s().u_try(j); });
        evaluate(team, w, s().u);
      }
      const StepStatus now = measure(team, w, false);
      if (team.team_rank() == 0) {
        flag.take = pass == 0 || now.total <= flag.best ? 1 : 0;
        if (flag.take != 0) flag.best = now.total;
      }
      team.team_barrier();
      each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) {
        if (flag.take != 0) kept_u(j) = s().u(j);
      });
    }
    each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) { s().u(j) = kept_u(j); });
    evaluate(team, w, s().u);
  }
};

}  // namespace nsn::paper
