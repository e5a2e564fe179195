/// The vectors of jacobi, pcg and pcr on a device: one row or node at a time. Grid kernels
/// (core/device/krylov_solver.h) and team kernels (one team per island) call the same bodies.
///
///   r = b - S x,  z = P r,  w = S z,  u = P w;   p, q = S p, s = P q: the last direction
#pragma once

#include "nsn/core/device/krylov_run.h"
#include "nsn/core/device/operator.h"
#include "nsn/core/matrix/block_inverse.h"

namespace nsn {

/// P of a device: the inverse of S, of its diagonal or of its diagonal blocks; 1: none.
enum class DevicePreconditioning : int { kNone, kJacobi, kBlockJacobi };

template <class D, class Real>
struct KrylovBodies {
  DeviceMethod method = DeviceMethod::kPcr;
  DevicePreconditioning precond = DevicePreconditioning::kJacobi;
  KrylovGoal goal;
  DeviceOperator<D, Real> op;
  Span<D, const Real> b;
  Span<D, Real> x, r, z, w, u, p, q, s, best, node;  ///< u, s: pcr only
  Span<D, Real> P;                                   ///< 9 a row of blocks, or 3

  NSN_FUNCTION bool unit() const { return precond == DevicePreconditioning::kNone; }

  NSN_INLINE Vector3<Real> preconditioned(Index i, const Vector3<Real>& v, bool plain) const {
    if (plain || unit()) return v;
    if (precond == DevicePreconditioning::kBlockJacobi) {
      Vector3<Real> out;
      add_product(P, kBlockSize * i, v, out);
      return out;
    }
    return {{P(kBlock * i) * v[0], P(kBlock * i + 1) * v[1], P(kBlock * i + 2) * v[2]}};
  }

  /// P of row block i. Adds 1 to bad where the block or an entry of its diagonal had to be replaced.
  NSN_FUNCTION void set_preconditioner(Index i) const {
    if (unit()) return;
    const bool blocks = precond == DevicePreconditioning::kBlockJacobi;
    Mat3 B = converted<double>(op.diagonal_block(i, blocks));
    if (!blocks || !invert_spd_block(B.a)) invert_diagonal(B.a);
    if (blocks) return store_block(P, kBlockSize * i, converted<Real>(B));
    for (int k = 0; k < 3; ++k) P(kBlock * i + k) = static_cast<Real>(B(k, k));
  }

  /// zero: x = 0. Sums b^T b.
  NSN_FUNCTION void begin(Index i, bool zero, double* sum) const {
    const Vector3<Real> b_i = load_vector(b, kBlock * i);
    if (zero) {
      store_vector(x, kBlock * i, {});
      store_vector(r, kBlock * i, b_i);
      store_vector(z, kBlock * i, preconditioned(i, b_i, false));
    }
    for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) best(k) = x(k);
    sum[0] += static_cast<double>(dot(b_i, b_i));
  }

  NSN_INLINE void nodes(Index n, const KrylovRun& run) const {
    if (run.phase == KrylovPhase::kProduct) op.product_node(n, z, node);
    if (run.phase == KrylovPhase::kRecompute) op.product_node(n, x, node);
  }

  /// The part of an iteration that sums, for row blocks [from, to).
  NSN_FUNCTION void rows(Index from, Index to, const KrylovRun& run, double* sum) const {
    if (run.phase == KrylovPhase::kProduct) {
      double total[kKrylovSums] = {};
      for (Index i = from; i < to; ++i) product(i, run, total);
      for (int k = 0; k < kKrylovSums; ++k) sum[k] += total[k];
    }
    if (run.phase == KrylovPhase::kRecompute) {
      for (Index i = from; i < to; ++i) {
        const Vector3<Real> r_i = load_vector(b, kBlock * i) - op.product_row(i, x, node);
        store_vector(r, kBlock * i, r_i);
        store_vector(z, kBlock * i, preconditioned(i, r_i, run.plain));
      }
    }
    if (run.phase == KrylovPhase::kDelta) {
      const Real beta = static_cast<Real>(run.beta);
      for (Index k = kBlock * from; k < kBlock * to; ++k) {
        sum[kSumQPq] += static_cast<double>((w(k) + beta * q(k)) * (u(k) + beta * s(k)));
      }
    }
  }

  NSN_INLINE void product(Index i, const KrylovRun& run, double* sum) const {
    const Vector3<Real> z_i = load_vector(z, kBlock * i);
    const Vector3<Real> r_i = load_vector(r, kBlock * i);
    const Vector3<Real> w_i = op.product_row(i, z, node);
    store_vector(w, kBlock * i, w_i);
    sum[kSumZw] += static_cast<double>(dot(z_i, w_i));
    sum[kSumRr] += static_cast<double>(dot(r_i, r_i));
    sum[kSumRz] += static_cast<double>(dot(r_i, z_i));
    if (method == DeviceMethod::kPcg) return;
    const Vector3<Real> u_i = preconditioned(i, w_i, run.plain);
    sum[kSumWPw] += static_cast<double>(dot(w_i, u_i));
    if (method == DeviceMethod::kJacobi) return;
    store_vector(u, kBlock * i, u_i);
    if (run.pcr.fresh) return;
    const Vector3<Real> q_i = load_vector(q, kBlock * i);
    const Vector3<Real> s_i = load_vector(s, kBlock * i);
    sum[kSumZq] += static_cast<double>(dot(z_i, q_i));
    sum[kSumWPq] += static_cast<double>(dot(w_i, s_i));
    sum[kSumQPq] += static_cast<double>(dot(q_i, s_i));
  }

  /// The end of an iteration for row blocks [from, to).
  NSN_FUNCTION void update(Index from, Index to, const KrylovRun& run) const {
    const Span<D, Real>& source = run.restore_best ? best : x;
    const Span<D, Real>& target = run.restore_best ? x : best;
    if (run.restore_best || run.save_best) {
      for (Index k = kBlock * from; k < kBlock * to; ++k) target(k) = source(k);
    }
    if (run.step) advance(from, to, run);
  }

  NSN_FUNCTION void advance(Index from, Index to, const KrylovRun& run) const {
    const Real alpha = static_cast<Real>(run.alpha);
    if (method == DeviceMethod::kJacobi) {
      add(alpha, z, x, from, to);
      add(-alpha, w, r, from, to);
    } else {
      move(run, alpha, z, p, x, from, to);
      move(run, -alpha, w, q, r, from, to);
    }
    if (method == DeviceMethod::kPcr) return move(run, -alpha, u, s, z, from, to);
    for (Index i = from; i < to; ++i) {
      store_vector(z, kBlock * i, preconditioned(i, load_vector(r, kBlock * i), false));
    }
  }

  /// last = change + beta last, the new direction; target += step last
  NSN_FUNCTION static void move(const KrylovRun& run, Real step, const Span<D, Real>& change,
                                const Span<D, Real>& last, const Span<D, Real>& target, Index from,
                                Index to) {
    const Real beta = static_cast<Real>(run.beta);
    const Real* __restrict__ now = change.data();
    Real* __restrict__ d = last.data();
    if (run.new_direction) {
      for (Index k = kBlock * from; k < kBlock * to; ++k) d[k] = now[k];
    } else {
      for (Index k = kBlock * from; k < kBlock * to; ++k) d[k] = now[k] + beta * d[k];
    }
    add(step, last, target, from, to);
  }
  /// target += step v
  NSN_FUNCTION static void add(Real step, const Span<D, Real>& v, const Span<D, Real>& target,
                               Index from, Index to) {
    const Real* __restrict__ d = v.data();
    Real* __restrict__ t = target.data();
    for (Index k = kBlock * from; k < kBlock * to; ++k) t[k] += step * d[k];
  }

  // ---- jacobi: power iteration on D^-1 S; z and r = D z

  /// A start without a pattern, within +-[1/2, 3/2).
  NSN_FUNCTION void power_start(Index i) const {
    for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
      std::uint64_t h = static_cast<std::uint64_t>(k) + 0x9E3779B97F4A7C15ULL;
      h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
      h = (h ^ (h >> 27U)) * 0x94D049BB133111EBULL;
      h ^= h >> 31U;
      const double size = 0.5 + static_cast<double>(h >> 40U) * 0x1p-24;
      z(k) = static_cast<Real>((h & 1U) != 0U ? -size : size);
    }
  }
  /// w = S z; sums (z,w), (w, D^-1 w), (z, D z).
  NSN_FUNCTION void power_rows(Index i, double* sum) const {
    const Vector3<Real> z_i = load_vector(z, kBlock * i);
    const Vector3<Real> w_i = op.product_row(i, z, node);
    const Vector3<Real> u_i = preconditioned(i, w_i, false);
    store_vector(w, kBlock * i, u_i);
    sum[kSumZw] += static_cast<double>(dot(z_i, w_i));
    sum[kSumWPw] += static_cast<double>(dot(w_i, u_i));
    for (int k = 0; k < 3; ++k) {
      sum[kSumRz] += static_cast<double>(z_i[k] * z_i[k] / P(kBlock * i + k));
    }
  }
  /// z = D^-1 S z / |.|
  NSN_FUNCTION void power_scale(Index i, double y_Py) const {
    const Real scale = static_cast<Real>(y_Py > 0.0 ? 1.0 / std::sqrt(y_Py) : 0.0);
    for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) z(k) = scale * w(k);
  }
};

}  // namespace nsn
