/// Many islands or worlds in one launch: one team per island, in which the whole loop of Newton's
/// method and of its linear solver runs, with the bodies of the grid kernels.
///
///   StepBatch<D, Real> batch(options, krylov);
///   batch.solve(islands, results);          // each: equations with records, state, warm
///
/// It has what fits in a team: islands of rigid bodies whose rows have records
/// (core/rows/step_records.h), the compliance form with its factors, pcg and pcr, constant damping,
/// no observer; takes() says whether that is what the options ask for. On host devices a team is one thread (Kokkos' host teams spin at their
/// barriers), and the answers are those of the islands solved one by one, bit for bit, up to the
/// length of a chunk (2048 rows).
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "nsn/core/device/device_solvers.h"
#include "nsn/core/step/rows_on_device.h"
#include "nsn/core/step/step_scalars.h"

namespace nsn {

/// One island of a batch.
struct BatchIsland {
  StepEquations* equations = nullptr;
  State* state = nullptr;
  bool warm = false;
};

namespace paper {

/// Where a world's rows, nodes and records are among those of all.
struct WorldRange {
  Index row = 0, row_end = 0;
  Index node = 0, node_end = 0;
  Index body = 0, body_end = 0;
  Index particle = 0, particle_end = 0;
  Index contact = 0, contact_end = 0;
  Index joint = 0, joint_end = 0;
  Index attachment = 0, attachment_end = 0;
  double speed_scale = 1.0;
  bool warm = false;
};

/// The whole of a step of one world.
template <class D, class Real>
struct TeamStep {
  using Policy = Kokkos::TeamPolicy<typename D::execution_space>;
  using Member = typename Policy::member_type;

  StepBodies<D, Real> s;
  RecordBodies<D, Real> rows;
  KrylovBodies<D, Real> k;
  Span<D, const WorldRange> worlds;
  Span<D, const Real> r_start;
  Span<D, StepStatus> answer;  ///< one a world
  Span<D, StepFlags> flags;    ///< one a world
  Span<D, KrylovRun> run;      ///< one a world
  Span<D, double> part;        ///< kPart a thread
  Span<D, Real> kept_u;
  double tolerance = 0.0;
  int iterations = 0;

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
    for (int m = 0; m < K; ++m) sums[m] = 0.0;
    for (Index i = begin + team.team_rank(); i < end; i += team.team_size()) body(i, sums);
    const Span<D, double> mine(&part(first), to_size(K * team.team_size()));
    for (int m = 0; m < K; ++m) mine(K * team.team_rank() + m) = sums[m];
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
    const bool keeps = scales && s.turns_unknowns();
    const Span<D, Real> before = keeps ? s.r_try : s.r;
    const Index T = team.team_size();
    const Index first = team.league_rank() * T * kPart * 2;
    const Span<D, double> a =
        sum_into<kRowSums>(team, first, w.row, w.row_end, [&](const Index i, double* sums) {
          s.row_error(i, s.r, sums);
          if (keeps) store_vector(before, kBlock * i, load_vector(s.r, kBlock * i));
          if (scales) s.scale(i, s.r, sums);
        });
    const Span<D, double> b = sum_into<kNodeSums>(team, first + T * kPart, w.node, w.node_end,
                                                  [&](const Index n, double* sums) {
                                                    s.node_error(n, s.u, before, sums);
                                                    if (scales) s.node_merit(n, s.u, sums);
                                                  });
    StepStatus now;
    collect(a, T, b, T, s.at.h, now);
    team.team_barrier();
    return now;
  }

  NSN_FUNCTION void start(const Member& team, const WorldRange& w) const {
    const StartingIterate from = s.options.start;
    each(team, kBlock * w.row, kBlock * w.row_end,
         [&](const Index j) { s.r(j) = w.warm ? r_start(j) : Real(0); });
    each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) {
      s.mass.quasi(j) = Real(0);
      s.u(j) = from == StartingIterate::kZero       ? Real(0)
               : from == StartingIterate::kPrevious ? s.at.u_start(j)
                                                    : s.at.u_free(j);
    });
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
      each(team, w.node, w.node_end, [&](const Index n) { k.nodes(n, now); });
      const auto sums = sum<kKrylovSums>(team, w.row, w.row_end,
                                         [&](const Index i, double* one) { k.rows(i, now, one); });
      if (team.team_rank() == 0) {
        double total[kKrylovSums];
        for (int m = 0; m < kKrylovSums; ++m) total[m] = total_of(sums, T, kKrylovSums, m);
        krylov::decide_next(k.method, now, k.goal, total, k.unit());
      }
      team.team_barrier();
      each(team, w.row, w.row_end, [&](const Index i) { k.update(i, now); });
    }
    return krylov::outcome_of(now, k.goal);
  }

  /// du, dr, and whether they are finite.
  NSN_FUNCTION void recover(const Member& team, const WorldRange& w, StepFlags& flag) const {
    const Index T = team.team_size();
    const Index first = team.league_rank() * T * kPart * 2;
    const auto a =
        sum_into<kRecoverSums>(team, first, w.node, w.node_end,
                               [&](const Index n, double* sums) { s.recover_node(n, sums); });
    const auto b = sum_into<kRecoverSums>(team, first + T * kPart, w.row, w.row_end,
                                          [&](const Index i, double* sums) {
                                            s.recover_row(i);
                                            s.probe_row(i, sums);
                                          });
    if (team.team_rank() == 0) {
      judge_change(worst_of(a, T, kRecoverSums, kLargest),
                   total_of(b, T, kRecoverSums, kProbe) + total_of(a, T, kRecoverSums, kProbe),
                   flag);
    }
    team.team_barrier();
  }

  NSN_FUNCTION void update(const Member& team, const WorldRange& w, StepFlags& flag) const {
    const Real t = static_cast<Real>(s.options.step_length);
    each(team, w.node, w.node_end, [&](const Index n) { s.advance_node(n, t); });
    each(team, w.row, w.row_end, [&](const Index i) { s.advance_row(i, t); });
    if (s.options.stiffness == GeometricStiffness::kDiagonalAll) update_quasi(team, w, flag);
    each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) { s.u(j) = s.u_try(j); });
    each(team, kBlock * w.row, kBlock * w.row_end, [&](const Index j) { s.r(j) = s.r_try(j); });
  }

  NSN_FUNCTION void update_quasi(const Member& team, const WorldRange& w, StepFlags& flag) const {
    evaluate(team, w, s.u);
    const auto largest = sum<1>(team, w.node, w.node_end, [&](const Index n, double* sums) {
      s.keep_impulse(n);
      for (Index j = kBlock * n; j < kBlock * (n + 1); ++j) {
        sums[0] = worse_of(sums[0], std::fabs(static_cast<double>(s.u_try(j))));
      }
    });
    if (team.team_rank() == 0) flag.largest = worst_of(largest, team.team_size(), 1, 0);
    team.team_barrier();
    evaluate(team, w, s.u_try);
    each(team, w.node, w.node_end, [&](const Index n) { s.update_quasi(n, flag.largest); });
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Index world = static_cast<Index>(team.league_rank());
    const WorldRange w = worlds(world);
    StepFlags& flag = flags(world);
    if (team.team_rank() == 0) {
      flag = {};
      flag.best = RowLaw::kInfinity;
    }
    start(team, w);
    int linear = 0;
    for (int it = 0;; ++it) {
      evaluate(team, w, s.u);
      StepStatus now = measure(team, w, true);
      if (team.team_rank() == 0) judge(tolerance, w.speed_scale, now, flag);
      team.team_barrier();
      if (flag.stop != 0 || it == iterations) {
        finish(team, w, it, linear, world);
        return;
      }
      each(team, w.node, w.node_end, [&](const Index n) {
        s.mass_node(n);
        s.linearise_node(n);
      });
      each(team, w.row, w.row_end, [&](const Index i) { s.linearise_row(i); });
      each(team, w.node, w.node_end, [&](const Index n) { s.transpose_node(n); });
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
    evaluate(team, w, s.u);
    if (s.options.final_projection) project(team, w, flags(world));
    StepStatus now = measure(team, w, false);
    if (team.team_rank() != 0) return;
    now.stop = flags(world).stop;
    now.worst = iteration;
    now.linear_iterations = linear;
    answer(world) = now;
  }

  /// As DeviceStep::project_momentum().
  NSN_FUNCTION void project(const Member& team, const WorldRange& w, StepFlags& flag) const {
    for (int pass = 0; pass < 3; ++pass) {
      if (pass > 0) {
        each(team, w.node, w.node_end, [&](const Index n) { s.project_node(n); });
        each(team, kBlock * w.node, kBlock * w.node_end,
             [&](const Index j) { s.u(j) = s.u_try(j); });
        evaluate(team, w, s.u);
      }
      const StepStatus now = measure(team, w, false);
      if (team.team_rank() == 0) {
        flag.take = pass == 0 || now.total <= flag.best ? 1 : 0;
        if (flag.take != 0) flag.best = now.total;
      }
      team.team_barrier();
      each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) {
        if (flag.take != 0) kept_u(j) = s.u(j);
      });
    }
    each(team, kBlock * w.node, kBlock * w.node_end, [&](const Index j) { s.u(j) = kept_u(j); });
    evaluate(team, w, s.u);
  }
};

}  // namespace paper

/// Islands side by side as one step: block diagonal.
class JoinedEquations final : public StepEquations {
 public:
  /// Takes the systems and records of the islands; each must have records.
  void join(std::span<const BatchIsland> islands);
  const std::vector<paper::WorldRange>& worlds() const { return worlds_; }

  const System& system() const override { return system_; }
  const StepRecords* records() override { return &records_; }
  void evaluate(ConstVector, Vector, BlockCsr&, Vector) override {}
  void stiffness(ConstVector, ConstVector, Vector) override {}
  void add_full_stiffness(ConstVector, ConstVector, StiffnessModes, BlockCsr&) override {}

 private:
  void append(const System& system, const StepRecords& records);

  System system_;
  StepRecords records_;
  std::vector<paper::WorldRange> worlds_;
  std::vector<double> M_, M_inverse_, u_start_, u_free_, rho_, rho_error_, E_;
  std::vector<Index> row_begin_, column_;
};

/// Whether such islands can be solved in a batch.
bool batch_takes(const NewtonOptions& options, const SolverRegistry& registry);
bool batch_takes(StepEquations& equations);

template <class D, class Real>
class StepBatch {
 public:
  /// Throws std::invalid_argument unless batch_takes(options, registry).
  StepBatch(const NewtonOptions& options, const SolverRegistry& registry)
      : options_(options), krylov_("batch", *device_krylov(options.linear.at(0), registry)) {
    if (!batch_takes(options, registry)) {
      throw std::invalid_argument("newton: these options are not for a batch of islands");
    }
  }

  /// One launch. states: u and r of each island on return.
  std::vector<NewtonResult> solve(std::span<const BatchIsland> islands) {
    std::vector<NewtonResult> results(islands.size());
    if (islands.empty()) return results;
    const Traffic before = queue_.traffic;
    joined_.join(islands);
    memory_.start(queue_, joined_.system(), options_.paper(), options_.max_iterations);
    rows_.start(queue_, joined_);
    const paper::TeamStep<D, Real> team = make_team(islands);
    launch(team, static_cast<Index>(islands.size()));
    take(islands, results);
    results[0].traffic = queue_.traffic - before;
    return results;
  }

  void launch(const paper::TeamStep<D, Real>& team, Index worlds) {
    ++queue_.traffic.launches;
    const KernelScope<D> scope;
    Kokkos::parallel_for("worlds",
                         Kokkos::Experimental::require(
                             typename paper::TeamStep<D, Real>::Policy(worlds, team_size()),
                             Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                         team);
    queue_.fence();
  }

  paper::TeamStep<D, Real> make_team(std::span<const BatchIsland> islands) {
    const auto count = static_cast<Index>(islands.size());
    const PaperOptions& own = options_.paper();
    paper::TeamStep<D, Real> team;
    team.s = memory_.bodies;
    if (Jt_.extent(0) != team.s.sJ.extent(0)) Jt_ = allocate_on<D, Real>("J^T", size_of(team.s.sJ));
    team.s.sJt = Jt_;
    team.rows = rows_.bodies();
    team.rows.value = team.s.value;
    team.rows.J = team.s.J;
    team.worlds = worlds_.take(queue_, joined_.worlds());
    r_start_host_.clear();
    for (const BatchIsland& one : islands) {
      const double* const r = one.state->r.data();
      r_start_host_.insert(r_start_host_.end(), r, r + one.state->r.extent(0));
    }
    team.r_start = r_start_.take(queue_, r_start_host_);
    team.k = krylov_.attached(operator_of(team.s));
    team.k.b = team.s.b;
    team.k.x = team.s.x;
    team.k.goal = {own.linear_tolerance, 0.0,
                   own.linear_iterations > 0 ? own.linear_iterations : 10000,
                   own.linear_iterations > 0};
    if (size_of(answer_) < count) {
      answer_ = allocate_on<D, paper::StepStatus>("answer", count);
      flags_ = allocate_on<D, paper::StepFlags>("flags", count);
      run_ = allocate_on<D, KrylovRun>("run", count);
      part_ = allocate_on<D, double>("parts",
                                     count * team_size() * paper::TeamStep<D, Real>::kPart * 2);
    }
    if (kept_.extent(0) != team.s.u.extent(0)) {
      kept_ = allocate_on<D, Real>("kept u", size_of(team.s.u));
    }
    team.answer = answer_;
    team.flags = flags_;
    team.run = run_;
    team.part = part_;
    team.kept_u = kept_;
    team.tolerance = options_.tolerance;
    team.iterations = options_.max_iterations;
    const Span<D, KrylovRun> run = run_;
    queue_.for_each(
        "runs", count, KOKKOS_LAMBDA(const Index w) { run(w) = {}; });
    return team;
  }

 private:
  /// One thread on the host.
  static constexpr int team_size() { return ChunkShape<typename D::execution_space>::team; }

  static DeviceOperator<D, Real> operator_of(const paper::StepBodies<D, Real>& s) {
    DeviceOperator<D, Real> op;
    op.rows = s.at.rows;
    op.nodes = s.at.nodes;
    op.row_begin = s.at.row_begin;
    op.column = s.at.column;
    op.node_begin = s.at.node_begin;
    op.node_row = s.at.node_row;
    op.node_block = s.at.node_block;
    op.J = s.sJ;
    op.Jt = s.sJt;
    op.H_inverse = s.mass.inverse;
    op.C = s.C;
    op.pattern_id = op.value_id = next_operator_id();
    return op;
  }

  void take(std::span<const BatchIsland> islands, std::vector<NewtonResult>& results) {
    const Kokkos::View<paper::StepStatus*, Memory> answer("answer", islands.size());
    queue_.copy(answer,
                Kokkos::subview(answer_, Kokkos::make_pair(std::size_t{0}, islands.size())));
    const Vector u = u_host_.read(queue_, memory_.bodies.u);
    const Vector r = r_host_.read(queue_, memory_.bodies.r);
    for (std::size_t w = 0; w < islands.size(); ++w) {
      const paper::WorldRange& range = joined_.worlds()[w];
      std::copy_n(u.data() + kBlock * range.node, kBlock * (range.node_end - range.node),
                  islands[w].state->u.data());
      std::copy_n(r.data() + kBlock * range.row, kBlock * (range.row_end - range.row),
                  islands[w].state->r.data());
      NewtonResult& result = results[w];
      const paper::StepStatus& one = answer(w);
      result.iterations = one.worst;  // what a batch keeps there
      result.linear_iterations = one.linear_iterations;
      result.status =
          one.stop > 0 ? static_cast<NewtonStatus>(one.stop - 1) : NewtonStatus::kBudgetReached;
      result.error.normal = one.normal;
      result.error.friction = one.friction;
      result.error.box = one.box;
      result.error.momentum = one.momentum;
      result.error.total = one.total;
      result.error.relative = one.total / range.speed_scale;
      result.evaluate_on = result.solve_on = "device";
      result.linear_solver = "batch";
    }
  }

  NewtonOptions options_;
  Queue<D> queue_;
  JoinedEquations joined_;
  paper::StepMemory<D, Real> memory_;
  RowsOnDevice<D, Real> rows_;
  KrylovSolver<D, Real> krylov_;
  Uploaded<D, paper::WorldRange> worlds_;
  Uploaded<D, Real> r_start_;
  std::vector<double> r_start_host_;
  DeviceArray<D, paper::StepStatus> answer_;
  DeviceArray<D, paper::StepFlags> flags_;
  DeviceArray<D, KrylovRun> run_;
  DeviceArray<D, double> part_;
  DeviceArray<D, Real> kept_, Jt_;
  HostCopy<D, Real> u_host_, r_host_;
};

}  // namespace nsn
