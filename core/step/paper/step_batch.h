/// Many islands or worlds in one launch: one team per island (core/step/paper/team_step.h).
///
///   StepBatch<D, Real> batch(options, registry);
///   batch.solve(islands, entries);          // equations with records, state, warm; leaves results
///
/// Islands of rigid bodies whose rows have records (core/rows/step_records.h), solved by pcg or pcr
/// without time budget and observer: batch_takes() says whether options and equations are such.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "nsn/core/device/device_solvers.h"
#include "nsn/core/step/joined_equations.h"
#include "nsn/core/step/paper/assembled_matrix.h"

namespace nsn {

/// Whether such islands can be solved in a batch.
bool batch_takes(const NewtonOptions& options, const SolverRegistry& registry);
bool batch_takes(StepEquations& equations);

template <class D, class Real>
class StepBatch {
 public:
  /// Throws std::invalid_argument unless batch_takes(options, registry).
  StepBatch(const NewtonOptions& options, const SolverRegistry& registry)
      : options_(options), krylov_("batch", checked(options, registry)) {}

  /// One launch; entries: with S assembled. The first result has the traffic of all.
  void solve(std::span<IslandStep* const> islands, bool entries) {
    if (islands.empty()) return;
    const Traffic before = queue_.traffic;
    joined_.join(islands);
    const System& system = joined_.system();
    const bool fresh = memory_.start(queue_, system, options_.paper(), options_.max_iterations) ||
                       entries != entries_;
    entries_ = entries;
    rows_.start(queue_, joined_);
    if (fresh) allocate(static_cast<Index>(islands.size()));
    const paper::TeamStep<D, Real> team = make_team(islands);
    launch(team, static_cast<Index>(islands.size()));
    take(islands);
    islands[0]->result.traffic = queue_.traffic - before;
  }

  /// After a failure of the device.
  void forget() { memory_.forget(); }

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

 private:
  /// One thread on the host.
  static constexpr int team_size() { return ChunkShape<typename D::execution_space>::team; }

  static DeviceKrylovOptions checked(const NewtonOptions& options, const SolverRegistry& registry) {
    if (!batch_takes(options, registry)) {
      throw std::invalid_argument("newton: these options are not for a batch of islands");
    }
    return *device_krylov(options.linear.at(0), registry);
  }

  void allocate(Index worlds) {
    const paper::StepBodies<D, Real>& s = memory_.bodies;
    Jt_ = allocate_on<D, Real>("J^T", entries_ ? 0 : size_of(s.sJ));
    if (entries_) {
      blocks_.allocate(queue_, joined_.system(), memory_.lists(), false, matrix_);
    }
    answer_ = allocate_on<D, paper::WorldAnswer>("answer", worlds);
    flags_ = allocate_on<D, paper::StepFlags>("flags", worlds);
    run_ = allocate_on<D, KrylovRun>("run", worlds);
    part_ =
        allocate_on<D, double>("parts", worlds * team_size() * paper::TeamStep<D, Real>::kPart * 2);
    kept_ = allocate_on<D, Real>("kept u", size_of(s.u));
  }

  paper::TeamStep<D, Real> make_team(std::span<IslandStep* const> islands) {
    const PaperOptions& own = options_.paper();
    matrix_.step = memory_.bodies;
    matrix_.step.sJt = Jt_;
    paper::TeamStep<D, Real> team;
    team.m = matrix_;
    team.rows = rows_.bodies();
    team.rows.value = matrix_.step.value;
    team.rows.J = matrix_.step.J;
    find_blocks();
    team.worlds = worlds_.take(queue_, joined_.worlds());
    r_start_host_.clear();
    for (const IslandStep* one : islands) {
      const double* const r = one->state->r.data();
      r_start_host_.insert(r_start_host_.end(), r, r + one->state->r.extent(0));
    }
    team.r_start = r_start_.take(queue_, r_start_host_);
    team.k = krylov_.attached(matrix_.as_operator(entries_, matrix_.step.at.rows));
    team.k.b = matrix_.step.b;
    team.k.x = matrix_.step.x;
    team.k.goal = {own.linear_tolerance, 0.0,
                   own.linear_iterations > 0 ? own.linear_iterations : 10000,
                   own.linear_iterations > 0};
    team.answer = answer_;
    team.flags = flags_;
    team.run = run_;
    team.part = part_;
    team.kept_u = kept_;
    team.tolerance = options_.tolerance;
    team.iterations = options_.max_iterations;
    return team;
  }

  /// S is block diagonal: the blocks of a world follow each other.
  void find_blocks() {
    if (!entries_) return;
    const paper::ProductLists& lists = blocks_.products();
    std::size_t k = 0;
    for (paper::WorldRange& w : joined_.worlds()) {
      w.upper = static_cast<Index>(k);
      while (k < lists.upper.size() && lists.column[to_size(lists.upper[k])] < w.row_end) ++k;
      w.upper_end = static_cast<Index>(k);
    }
  }

  void take(std::span<IslandStep* const> islands) {
    std::vector<paper::WorldAnswer> answer(islands.size());
    queue_.copy(HostSpan<paper::WorldAnswer>(answer.data(), answer.size()), answer_);
    const Vector u = u_host_.read(queue_, memory_.bodies.u);
    const Vector r = r_host_.read(queue_, memory_.bodies.r);
    for (std::size_t w = 0; w < islands.size(); ++w) {
      const paper::WorldRange& range = joined_.worlds()[w];
      State& state = *islands[w]->state;
      std::copy_n(u.data() + kBlock * range.node, kBlock * (range.node_end - range.node),
                  state.u.data());
      std::copy_n(r.data() + kBlock * range.row, kBlock * (range.row_end - range.row),
                  state.r.data());
      const paper::StepStatus& one = answer[w].status;
      NewtonResult& result = islands[w]->result;
      result = {};
      result.iterations = answer[w].iterations;
      result.linear_iterations = one.linear_iterations;
      result.status =
          one.stop > 0 ? static_cast<NewtonStatus>(one.stop - 1) : NewtonStatus::kBudgetReached;
      result.error = paper::error_of(one, range.speed_scale);
      if (one.worst >= 0) result.error.worst = one.worst - range.row;
      result.evaluate_on = result.solve_on = "device";
      result.linear_solver = options_.linear[0];
    }
  }

  NewtonOptions options_;
  Queue<D> queue_;
  JoinedEquations joined_;
  paper::StepMemory<D, Real> memory_;
  RowsOnDevice<D, Real> rows_;
  KrylovSolver<D, Real> krylov_;
  bool entries_ = false;
  paper::AssembledMatrix<D, Real> blocks_;
  paper::MatrixBodies<D, Real> matrix_;
  Uploaded<D, paper::WorldRange> worlds_;
  Uploaded<D, Real> r_start_;
  std::vector<double> r_start_host_;
  DeviceArray<D, paper::WorldAnswer> answer_;
  DeviceArray<D, paper::StepFlags> flags_;
  DeviceArray<D, KrylovRun> run_;
  DeviceArray<D, double> part_;
  DeviceArray<D, Real> kept_, Jt_;
  HostCopy<D, Real> u_host_, r_host_;
};

}  // namespace nsn
