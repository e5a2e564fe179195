/// Single-reduction PCR on a device, as one kernel for the whole solve or as a few per iteration.
///
///   PcrIslands   one thread block per island (or system of a batch), each with its own alpha, beta
///                and end; the barrier is that of the block. Also the small single system.
///   PcrGrid      one system on the whole device in one cooperative launch; the barrier is that of
///                the grid.
///   Product, NodePass, Dots, Decide, Update, Recompute, Resume
///                the same steps as kernels of their own, for a CUDA graph (the form that lets
///                cuSPARSE form the product).
///
/// One iteration: w = S z with the four sums of pcr_control.h in one reduction, then
///   p = z + beta p,  q = w + beta q,  x += alpha p,  r -= alpha q,  z = P r
/// in one pass over the vectors. P is diagonal (3 numbers per block row) or block diagonal (9).
/// Every thread of a team takes the same decision from the same sums: nothing is sent to the host.
#pragma once

#include "nsn/backends/cuda/matrices.cuh"
#include "nsn/backends/cuda/pcr_control.h"

namespace nsn::cuda {

/// Device vectors of a solve, padded to whole block rows.
struct PcrVectors {
  Array<double> b, x, r, z, w, p, q, best;
  Array<double> P;    ///< 3 or 9 numbers per block row
  int P_numbers = 3;  ///< 3: diagonal, 9: blocks row by row
};

/// Block rows (or nodes) that a team works on: list[begin] ... list[end-1]; no list: begin ...
/// end-1.
struct Members {
  Array<const int> list;
  int begin = 0;
  int end = 0;

  NSN_DEVICE int at(int k) const { return list.size > 0 ? list[k] : k; }
};

/// What the host learns of one system.
struct PcrOutcome {
  int end = 0;  ///< PcrEnd
  int iterations = 0;
  double rr = 0.0;  ///< |r|^2 of the recurrence
};

/// P y for one block row; y itself where P is left out.
NSN_DEVICE Triple precondition(const PcrVectors& v, int row, const Triple& y, bool plain) {
  if (plain) return y;
  Triple out;
  if (v.P_numbers == 3) {
    for (int r = 0; r < 3; ++r) out.v[r] = v.P[3 * row + r] * y.v[r];
    return out;
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.v[r] += v.P[9 * row + 3 * r + c] * y.v[c];
  }
  return out;
}

/// Sum over a block in a fixed order; every thread gets it. Ends with a barrier, so that whatever a
/// thread wrote before is seen by the block after. Scratch: K numbers per warp of shared memory.
template <int K, class Thread>
NSN_DEVICE void sum_over_block(Thread& thread, double (&v)[K]) {
  const int warp = thread.warp_size() < thread.threads() ? thread.warp_size() : thread.threads();
  const int warps = thread.threads() / warp;
  const Array<double> scratch = thread.shared();
  sum_over_group(thread, v, warp);
  if (thread.thread() % warp == 0) {
    for (int k = 0; k < K; ++k) scratch.set(thread.thread() / warp * K + k, v[k]);
  }
  thread.sync_block();
  for (int k = 0; k < K; ++k) {
    v[k] = 0.0;
    for (int i = 0; i < warps; ++i) v[k] += scratch[i * K + k];
  }
  thread.sync_block();
}

/// The threads of one block.
template <class Thread>
struct BlockTeam {
  Thread& thread;

  NSN_DEVICE int rank() const { return thread.thread(); }
  NSN_DEVICE int size() const { return thread.threads(); }
  NSN_DEVICE void sync() { thread.sync_block(); }
  template <int K>
  NSN_DEVICE void sum(double (&v)[K]) {
    sum_over_block(thread, v);
  }
};

/// All threads of a cooperative launch. `partial` holds K numbers per block.
template <class Thread>
struct GridTeam {
  Thread& thread;
  Array<double> partial;

  NSN_DEVICE int rank() const { return thread.block() * thread.threads() + thread.thread(); }
  NSN_DEVICE int size() const { return thread.blocks() * thread.threads(); }
  NSN_DEVICE void sync() { thread.sync_grid(); }
  /// Every block adds the partial sums of all blocks in the same order.
  template <int K>
  NSN_DEVICE void sum(double (&v)[K]) {
    sum_over_block(thread, v);
    if (thread.thread() == 0) {
      for (int k = 0; k < K; ++k) partial.set(thread.block() * K + k, v[k]);
    }
    thread.sync_grid();
    for (int k = 0; k < K; ++k) v[k] = 0.0;
    for (int i = thread.thread(); i < thread.blocks(); i += thread.threads()) {
      for (int k = 0; k < K; ++k) v[k] += partial[i * K + k];
    }
    sum_over_block(thread, v);
  }
};

// --- the steps, over the members of a team -----------------------------------------------------

/// t = H^-1 J^T y over nodes; nothing for assembled forms.
template <class Thread, class Form>
NSN_DEVICE void node_pass(Thread& thread, int rank, int size, const Form& S, const Members& nodes,
                          const Array<double>& y, int lanes) {
  for (int k = nodes.begin + rank / lanes; k < nodes.end; k += size / lanes) {
    S.node_row(thread, nodes.at(k), y, lanes);
  }
}

/// w = S z, adds to (z,w) and (w,Pw).
template <class Thread, class Form>
NSN_DEVICE void product_pass(Thread& thread, int rank, int size, const Form& S, const Members& rows,
                             const PcrVectors& v, int lanes, bool plain, PcrSums& sums) {
  for (int k = rows.begin + rank / lanes; k < rows.end; k += size / lanes) {
    const int row = rows.at(k);
    const Triple w = S.row_times(thread, row, v.z, lanes);
    if (rank % lanes != 0) continue;
    store_triple(v.w, row, w);
    sums.zw += dot(load_triple(v.z, row), w);
    sums.wPw += dot(w, precondition(v, row, w, plain));
  }
}

/// r = b - S x, z = P r, adds to (r,r) and (r,z).
template <class Thread, class Form>
NSN_DEVICE void residual_pass(Thread& thread, int rank, int size, const Form& S,
                              const Members& rows, const PcrVectors& v, int lanes, bool plain,
                              PcrSums& sums) {
  for (int k = rows.begin + rank / lanes; k < rows.end; k += size / lanes) {
    const int row = rows.at(k);
    const Triple Sx = S.row_times(thread, row, v.x, lanes);
    if (rank % lanes != 0) continue;
    const Triple b = load_triple(v.b, row);
    Triple r;
    for (int c = 0; c < 3; ++c) r.v[c] = b.v[c] - Sx.v[c];
    const Triple z = precondition(v, row, r, plain);
    store_triple(v.r, row, r);
    store_triple(v.z, row, z);
    sums.rr += dot(r, r);
    sums.rz += dot(r, z);
  }
}

/// to = from over the team's rows.
NSN_DEVICE void copy_pass(int rank, int size, const Members& rows, const Array<double>& from,
                          const Array<double>& to) {
  for (int k = rows.begin + rank; k < rows.end; k += size) {
    store_triple(to, rows.at(k), load_triple(from, rows.at(k)));
  }
}

/// p = z + beta p, q = w + beta q, x += alpha p, r -= alpha q, z = P r; adds to (r,r) and (r,z).
/// With beta = 0 the old p and q are not read.
NSN_DEVICE void update_pass(int rank, int size, const Members& rows, const PcrVectors& v,
                            double alpha, double beta, bool plain, PcrSums& sums) {
  for (int k = rows.begin + rank; k < rows.end; k += size) {
    const int row = rows.at(k);
    Triple r = load_triple(v.r, row);
    Triple x = load_triple(v.x, row);
    Triple p = precondition(v, row, r, plain);
    Triple q = load_triple(v.w, row);
    if (beta != 0.0) {
      const Triple old_p = load_triple(v.p, row);
      const Triple old_q = load_triple(v.q, row);
      for (int c = 0; c < 3; ++c) p.v[c] += beta * old_p.v[c];
      for (int c = 0; c < 3; ++c) q.v[c] += beta * old_q.v[c];
    }
    for (int c = 0; c < 3; ++c) x.v[c] += alpha * p.v[c];
    for (int c = 0; c < 3; ++c) r.v[c] -= alpha * q.v[c];
    const Triple z = precondition(v, row, r, plain);
    store_triple(v.p, row, p);
    store_triple(v.q, row, q);
    store_triple(v.x, row, x);
    store_triple(v.r, row, r);
    store_triple(v.z, row, z);
    sums.rr += dot(r, r);
    sums.rz += dot(r, z);
  }
}

/// history[2 i], history[2 i + 1]: |r|^2 and |r|_P^2 after iteration i, where they are wanted.
NSN_DEVICE void record(const Array<double>& history, int iteration, const PcrSums& sums) {
  if (2 * iteration + 1 >= history.size) return;
  history.set(2 * iteration, sums.rr);
  history.set(2 * iteration + 1, sums.rz);
}

/// x takes the place of the best iterate or the other way round, as decide() asks.
NSN_DEVICE void keep_or_restore(int rank, int size, const Members& rows, const PcrVectors& v,
                                const PcrState& state) {
  if (state.save_best != 0) copy_pass(rank, size, rows, v.x, v.best);
  if (state.restore_best != 0) copy_pass(rank, size, rows, v.best, v.x);
}

/// A whole solve by one team. S is streamed in every iteration, S_true where the residual is
/// recomputed from x: the same matrix but for float storage.
template <class Team, class Form, class TrueForm>
NSN_DEVICE PcrOutcome pcr(Team& team, const Form& S, const TrueForm& S_true, const PcrVectors& v,
                          const Members& rows, const Members& nodes, const PcrLimits& limits,
                          const Array<double>& history, int lanes) {
  const int rank = team.rank();
  const int size = team.size();
  PcrState state;
  state.action = PcrAction::kRecompute;
  while (state.action != PcrAction::kStop) {
    PcrSums own;
    const bool plain = state.plain != 0;
    if (state.action == PcrAction::kRecompute) {
      if constexpr (TrueForm::kFactored) {
        node_pass(team.thread, rank, size, S_true, nodes, v.x, lanes);
        team.sync();
      }
      residual_pass(team.thread, rank, size, S_true, rows, v, lanes, plain, own);
    } else {
      update_pass(rank, size, rows, v, state.alpha, state.beta, plain, own);
    }
    team.sync();  // z is complete
    if constexpr (Form::kFactored) {
      node_pass(team.thread, rank, size, S, nodes, v.z, lanes);
      team.sync();  // t is complete
    }
    product_pass(team.thread, rank, size, S, rows, v, lanes, plain, own);
    double sums[4] = {own.zw, own.wPw, own.rr, own.rz};
    team.sum(sums);  // w is complete, too
    const PcrSums all{sums[0], sums[1], sums[2], sums[3]};
    if (rank == 0) record(history, state.iteration, all);
    decide(state, all, limits);
    keep_or_restore(rank, size, rows, v, state);
    if (state.restore_best != 0) team.sync();  // x is complete
  }
  return {static_cast<int>(state.end), state.iteration, state.rr};
}

// --- whole solves ------------------------------------------------------------------------------

/// Block rows and nodes by island: island k owns rows[row_begin[k]] ... rows[row_begin[k+1] - 1].
struct IslandLists {
  int count = 0;
  Array<const int> rows, row_begin;
  Array<const int> nodes, node_begin;  ///< factored form only
};

/// Islands k = block, block + blocks, ...
template <class Form, class TrueForm>
struct PcrIslands {
  Form S;
  TrueForm S_true;
  PcrVectors v;
  IslandLists islands;
  Array<const double> target;  ///< per island, in place of limits.target
  PcrLimits limits;
  Array<double> history;  ///< single island only
  Array<PcrOutcome> outcome;
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    for (int k = thread.block(); k < islands.count; k += thread.blocks()) {
      BlockTeam<Thread> team{thread};
      PcrLimits own = limits;
      own.target = target[k];
      const Members rows{islands.rows, islands.row_begin[k], islands.row_begin[k + 1]};
      Members nodes;
      if constexpr (Form::kFactored) {
        nodes = {islands.nodes, islands.node_begin[k], islands.node_begin[k + 1]};
      }
      const PcrOutcome result = pcr(team, S, S_true, v, rows, nodes, own, history, lanes);
      if (thread.thread() == 0) outcome.set(k, result);
    }
  }
};

/// One system of `rows` block rows by the whole grid; cooperative.
template <class Form, class TrueForm>
struct PcrGrid {
  Form S;
  TrueForm S_true;
  PcrVectors v;
  int rows = 0;
  PcrLimits limits;
  Array<double> partial;  ///< 4 per block
  Array<double> history;
  Array<PcrOutcome> outcome;  ///< one
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    GridTeam<Thread> team{thread, partial};
    const PcrOutcome result =
        pcr(team, S, S_true, v, {{}, 0, rows}, {{}, 0, S.nodes()}, limits, history, lanes);
    if (team.rank() == 0) outcome.set(0, result);
  }
};

// --- the same steps for a graph ----------------------------------------------------------------

/// State and limits of a solve in device memory, so that one recorded graph serves every solve.
struct PcrControl {
  PcrState state;
  PcrLimits limits;
};

/// Adds a thread's sums over its block into partial[4 block + first], partial[4 block + first + 1].
template <class Thread>
NSN_DEVICE void store_partial(Thread& thread, double a, double b, int first,
                              const Array<double>& partial) {
  double sums[2] = {a, b};
  sum_over_block(thread, sums);
  if (thread.thread() != 0) return;
  partial.set(4 * thread.block() + first, sums[0]);
  partial.set(4 * thread.block() + first + 1, sums[1]);
}

/// t = H^-1 J^T y with y = z, or x ahead of a Recompute.
template <class Form>
struct NodePass {
  Form S;
  PcrVectors v;
  Array<PcrControl> control;
  bool from_x = false;
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    if (!from_x && control[0].state.action != PcrAction::kUpdate) return;
    node_pass(thread, thread.block() * thread.threads() + thread.thread(),
              thread.blocks() * thread.threads(), S, {{}, 0, S.nodes()}, from_x ? v.x : v.z, lanes);
  }
};

/// w = S z, (z,w), (w,Pw).
template <class Form>
struct Product {
  Form S;
  PcrVectors v;
  int rows = 0;
  Array<PcrControl> control;
  Array<double> partial;
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    if (control[0].state.action != PcrAction::kUpdate) return;
    PcrSums sums;
    product_pass(thread, thread.block() * thread.threads() + thread.thread(),
                 thread.blocks() * thread.threads(), S, {{}, 0, rows}, v, lanes,
                 control[0].state.plain != 0, sums);
    store_partial(thread, sums.zw, sums.wPw, 0, partial);
  }
};

/// (z,w), (w,Pw) of a w that a library formed.
struct Dots {
  PcrVectors v;
  int rows = 0;
  Array<PcrControl> control;
  Array<double> partial;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    if (control[0].state.action != PcrAction::kUpdate) return;
    PcrSums sums;
    const bool plain = control[0].state.plain != 0;
    const int size = thread.blocks() * thread.threads();
    for (int row = thread.block() * thread.threads() + thread.thread(); row < rows; row += size) {
      const Triple w = load_triple(v.w, row);
      sums.zw += dot(load_triple(v.z, row), w);
      sums.wPw += dot(w, precondition(v, row, w, plain));
    }
    store_partial(thread, sums.zw, sums.wPw, 0, partial);
  }
};

/// Adds the partial sums and decides; one block.
struct Decide {
  Array<PcrControl> control;
  Array<double> partial;  ///< 4 per block of the other kernels
  Array<double> history;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    PcrControl c = control[0];
    if (c.state.action != PcrAction::kUpdate) return;
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = thread.thread(); i < partial.size / 4; i += thread.threads()) {
      for (int k = 0; k < 4; ++k) sums[k] += partial[4 * i + k];
    }
    sum_over_block(thread, sums);
    if (thread.thread() != 0) return;
    const PcrSums all{sums[0], sums[1], sums[2], sums[3]};
    record(history, c.state.iteration, all);
    decide(c.state, all, c.limits);
    control.set(0, c);
  }
};

/// What decide() asked of the vectors.
struct Update {
  PcrVectors v;
  int rows = 0;
  Array<PcrControl> control;
  Array<double> partial;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    const PcrState state = control[0].state;
    const int rank = thread.block() * thread.threads() + thread.thread();
    const int size = thread.blocks() * thread.threads();
    const Members all{{}, 0, rows};
    keep_or_restore(rank, size, all, v, state);
    if (state.action != PcrAction::kUpdate) return;
    PcrSums sums;
    update_pass(rank, size, all, v, state.alpha, state.beta, state.plain != 0, sums);
    store_partial(thread, sums.rr, sums.rz, 2, partial);
  }
};

/// r = b - S x, z = P r.
template <class Form>
struct Recompute {
  Form S;
  PcrVectors v;
  int rows = 0;
  Array<PcrControl> control;
  Array<double> partial;
  int lanes = 1;

  template <class Thread>
  NSN_DEVICE void operator()(Thread& thread) const {
    PcrSums sums;
    residual_pass(thread, thread.block() * thread.threads() + thread.thread(),
                  thread.blocks() * thread.threads(), S, {{}, 0, rows}, v, lanes,
                  control[0].state.plain != 0, sums);
    store_partial(thread, sums.rr, sums.rz, 2, partial);
  }
};

/// After a Recompute the iteration may go on; one thread.
struct Resume {
  Array<PcrControl> control;

  template <class Thread>
  NSN_DEVICE void operator()(Thread&) const {
    PcrControl c = control[0];
    c.state.action = PcrAction::kUpdate;
    control.set(0, c);
  }
};

}  // namespace nsn::cuda
