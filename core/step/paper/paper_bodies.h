/// The stages of the paper's method as bodies: one row block, node or block of a matrix at a time,
/// on any device, in double or in single precision. Grid kernels (core/step/paper/device_step.h) and team
/// kernels (core/step/paper/step_batch.h) call the same bodies.
///
/// Rows are scaled and errors are measured in double whatever Real is; what is stored, assembled and
/// multiplied is Real.
#pragma once

#include "nsn/core/device/operator.h"
#include "nsn/core/step/paper/paper_rows.h"

namespace nsn::paper {

/// Constant during a step; in the memory of the device.
template <class D, class Real>
struct StepData {
  Index rows = 0;  ///< row blocks
  Index nodes = 0;
  Index rigid_nodes = 0;
  double h = 0.0;
  double speed_scale = 1.0;
  Span<D, const RowLaw> laws;
  Span<D, const Real> M, M_inverse, u_start, u_free, rho, rho_error;
  Span<D, const Index> row_begin, column;                 ///< J
  Span<D, const Index> node_begin, node_row, node_block;  ///< its blocks node by node
};

/// H = M + the quasi-Newton diagonal, of the nodes.
template <class D, class Real>
struct EffectiveMass {
  Span<D, Real> H, inverse;   ///< blocks
  Span<D, Real> quasi;        ///< what H has beyond M
  Span<D, Real> impulse_old;  ///< J^T r of the iterate before, for the difference that gives it
};

/// Sums over rows and over nodes that `measure` leaves.
enum RowSum { kWorst, kWorstRow, kNormal, kFriction, kBox, kRowMerit, kRowSums };
enum NodeSum { kMomentum, kNodeMerit, kNodeSums };
/// Sums of `recover`: not a number where the answer is none.
enum RecoverSum { kLargest, kProbe, kRecoverSums };

template <class D, class Real>
struct StepBodies {
  StepData<D, Real> at;
  PaperOptions options;
  Span<D, Real> u, r;                    ///< the iterate
  Span<D, Real> u_try, r_try;            ///< the next one
  Span<D, Real> value, J, E;             ///< rows at the velocity evaluated last
  Span<D, Real> L, C, U, h, phi, force;  ///< what rows ask for; U of Alart-Curnier alone
  Span<D, Real> g, sJ, node;
  EffectiveMass<D, Real> mass;
  Span<D, Real> sJt;  ///< of the factored form: blocks of (L J)^T, node by node
  Span<D, Real> b, x, du, dr;

  NSN_FUNCTION bool turns_unknowns() const {
    return options.friction == FrictionKind::kAlartCurnierSymmetric;
  }
  /// R = L: the scaled rows are on both sides of S.
  NSN_FUNCTION bool symmetric() const { return options.friction != FrictionKind::kAlartCurnier; }

  // ---- scale and measure

  NSN_FUNCTION Vec3 velocity(Index i, const Vec3& impulse) const {
    return converted<double>(load_vector(value, kBlock * i)) +
           converted<double>(load_block(E, kBlockSize * i)) * impulse;
  }

  NSN_FUNCTION void scale(Index i, const Span<D, Real>& impulses, double* sum) const {
    Vec3 impulse = converted<double>(load_vector(impulses, kBlock * i));
    const Vec3 rho = converted<double>(load_vector(at.rho, kBlock * i));
    const Mat3 E_i = converted<double>(load_block(E, kBlockSize * i));
    Row row;
    scale_row(options, at.laws(i), rho, E_i, velocity(i, impulse), impulse, row);
    store_block(L, kBlockSize * i, converted<Real>(row.L));
    store_block(C, kBlockSize * i, converted<Real>(row.C));
    store_vector(h, kBlock * i, converted<Real>(row.h));
    store_vector(phi, kBlock * i, converted<Real>(row.phi));
    store_vector(force, kBlock * i, converted<Real>(row.force));
    sum[kRowMerit] += dot(row.phi, row.phi);
    if (!turns_unknowns()) return;
    store_block(U, kBlockSize * i, converted<Real>(row.U));
    store_vector(impulses, kBlock * i, converted<Real>(impulse));
  }

  NSN_FUNCTION void row_error(Index i, const Span<D, Real>& impulses, double* sum) const {
    const Vec3 impulse = converted<double>(load_vector(impulses, kBlock * i));
    const Vec3 rho = converted<double>(load_vector(at.rho_error, kBlock * i));
    const BlockError e = block_error(at.laws(i), velocity(i, impulse), impulse, rho);
    const double largest = worse_of(worse_of(e.normal, e.friction), e.box);
    if (!(largest <= sum[kWorst]) && sum[kWorst] == sum[kWorst]) {
      sum[kWorst] = largest;
      sum[kWorstRow] = i + 1.0;
    }
    sum[kNormal] = std::fmax(sum[kNormal], e.normal);
    sum[kFriction] = std::fmax(sum[kFriction], e.friction);
    sum[kBox] = std::fmax(sum[kBox], e.box);
  }

  /// J^T f at node n, by the node's list: one order on every device.
  NSN_FUNCTION Vector3<Real> gather(Index n, const Span<D, Real>& blocks,
                                    const Span<D, Real>& f) const {
    Vector3<Real> sum;
    for (Index e = at.node_begin(n); e < at.node_begin(n + 1); ++e) {
      sum += transpose_times(load_block(blocks, kBlockSize * at.node_block(e)),
                             load_vector(f, kBlock * at.node_row(e)));
    }
    return sum;
  }

  /// m per rad of a node: about the axis across the longest side, sqrt(tr I / 2 m); 1 for
  /// velocities.
  NSN_FUNCTION double arm(Index n) const {
    if (n >= at.rigid_nodes || n % 2 == 0) return 1.0;
    const Index I = kBlockSize * n;
    const double inertia = static_cast<double>(at.M(I) + at.M(I + 4) + at.M(I + 8));
    return std::sqrt(inertia / (2.0 * static_cast<double>(at.M(I - kBlockSize))));
  }

  NSN_FUNCTION void node_error(Index n, const Span<D, Real>& velocities,
                               const Span<D, Real>& impulses, double* sum) const {
    const Vector3<Real> change = load_block(at.M_inverse, kBlockSize * n) * gather(n, J, impulses);
    double largest = 0.0;
    for (int k = 0; k < 3; ++k) {
      const Real e = velocities(kBlock * n + k) - at.u_free(kBlock * n + k) - change[k];
      largest = worse_of(largest, std::fabs(static_cast<double>(e)));
    }
    sum[kMomentum] = worse_of(sum[kMomentum], arm(n) * largest);
  }

  /// Forms g = M (u - u_free) - J^T F(r) on the way.
  NSN_FUNCTION void node_merit(Index n, const Span<D, Real>& velocities, double* sum) const {
    const Vector3<Real> change =
        load_vector(velocities, kBlock * n) - load_vector(at.u_free, kBlock * n);
    const Vector3<Real> g_n = load_block(at.M, kBlockSize * n) * change - gather(n, J, force);
    store_vector(g, kBlock * n, g_n);
    const Vector3<Real> e = load_block(at.M_inverse, kBlockSize * n) * g_n;
    sum[kNodeMerit] += static_cast<double>(dot(e, e));
  }

  // ---- linearise

  /// H = M + the quasi-Newton diagonal.
  NSN_FUNCTION void mass_node(Index n) const {
    Matrix3<Real> M_n = load_block(at.M, kBlockSize * n);
    for (int k = 0; k < 3; ++k) M_n(k, k) += mass.quasi(kBlock * n + k);
    store_block(mass.H, kBlockSize * n, M_n);
  }
  /// H^-1, and H^-1 g in `node`.
  NSN_FUNCTION void linearise_node(Index n) const {
    const Matrix3<Real> inverse_n = inverse(load_block(mass.H, kBlockSize * n));
    store_block(mass.inverse, kBlockSize * n, inverse_n);
    store_vector(node, kBlock * n, inverse_n * load_vector(g, kBlock * n));
  }

  NSN_FUNCTION Real regularisation(Real diagonal) const {
    const Real size = static_cast<Real>(options.regularization);
    if (!options.relative_regularization) return size;
    return size * (diagonal < Real(0) ? -diagonal : diagonal);
  }
  /// Diagonal of A H^-1 A^T in block row i, A = J or the scaled rows.
  NSN_FUNCTION Vector3<Real> row_diagonal(Index i, const Span<D, Real>& A) const {
    Vector3<Real> sum;
    for (Index k = at.row_begin(i); k < at.row_begin(i + 1); ++k) {
      const Matrix3<Real> A_k = load_block(A, kBlockSize * k);
      const Matrix3<Real> AH = A_k * load_block(mass.inverse, kBlockSize * at.column(k));
      for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) sum[d] += AH(d, e) * A_k(d, e);
      }
    }
    return sum;
  }
  NSN_FUNCTION void regularise(Index i, const Span<D, Real>& A) const {
    const Vector3<Real> D_i =
        options.relative_regularization ? row_diagonal(i, A) : Vector3<Real>{};
    for (int d = 0; d < 3; ++d) {
      Real& entry = C(kBlockSize * i + 4 * d);
      entry += regularisation(D_i[d] + entry);
    }
  }

  /// Compliance form: sJ = L J, b = L J H^-1 g - h, and the regularisation in C.
  NSN_FUNCTION void linearise_row(Index i) const {
    const Matrix3<Real> L_i = load_block(L, kBlockSize * i);
    Vector3<Real> Jg;
    for (Index k = at.row_begin(i); k < at.row_begin(i + 1); ++k) {
      const Matrix3<Real> J_k = load_block(J, kBlockSize * k);
      Jg += J_k * load_vector(node, kBlock * at.column(k));
      store_block(sJ, kBlockSize * k, L_i * J_k);
    }
    store_vector(b, kBlock * i, L_i * Jg - load_vector(h, kBlock * i));
    regularise(i, sJ);
  }

  /// A product of S reads them twenty times, one after another.
  NSN_FUNCTION void transpose_node(Index n) const {
    for (Index e = at.node_begin(n); e < at.node_begin(n + 1); ++e) {
      store_block(sJt, kBlockSize * e, transpose(load_block(sJ, kBlockSize * at.node_block(e))));
    }
  }

  // ---- recover and update

  /// dr = U^T x.
  NSN_FUNCTION void recover_row(Index i) const {
    const Vector3<Real> x_i = load_vector(x, kBlock * i);
    store_vector(dr, kBlock * i,
                 turns_unknowns() ? transpose_times(load_block(U, kBlockSize * i), x_i) : x_i);
  }
  /// Stiffness form: dr = -U^T C^-1 (h + L J du).
  NSN_FUNCTION void recover_row_from_velocity(Index i) const {
    Vector3<Real> Jdu;
    for (Index k = at.row_begin(i); k < at.row_begin(i + 1); ++k) {
      add_product(J, kBlockSize * k, load_vector(du, kBlock * at.column(k)), Jdu);
    }
    const Vector3<Real> push = load_vector(h, kBlock * i) + load_block(L, kBlockSize * i) * Jdu;
    const Vector3<Real> x_i = Real(-1) * (inverse(load_block(C, kBlockSize * i)) * push);
    store_vector(dr, kBlock * i,
                 turns_unknowns() ? transpose_times(load_block(U, kBlockSize * i), x_i) : x_i);
  }
  NSN_FUNCTION void probe_row(Index i, double* sum) const {
    for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
      sum[kProbe] += 0.0 * static_cast<double>(dr(k));
    }
  }
  /// du = H^-1 (J^T R^T x - g)
  NSN_FUNCTION void recover_node(Index n, double* sum) const {
    const Vector3<Real> push = gather(n, symmetric() ? sJ : J, x) - load_vector(g, kBlock * n);
    store_vector(du, kBlock * n, load_block(mass.inverse, kBlockSize * n) * push);
    measure_node(n, sum);
  }
  NSN_FUNCTION void measure_node(Index n, double* sum) const {
    const double length = arm(n);
    for (Index k = kBlock * n; k < kBlock * (n + 1); ++k) {
      const double d = static_cast<double>(du(k));
      sum[kLargest] = worse_of(sum[kLargest], length * std::fabs(d));
      sum[kProbe] += 0.0 * d;
    }
  }
  /// Stiffness form: du = x.
  NSN_FUNCTION void take_node(Index n, double* sum) const {
    store_vector(du, kBlock * n, load_vector(x, kBlock * n));
    measure_node(n, sum);
  }

  NSN_FUNCTION void advance_node(Index n, Real t) const {
    for (Index k = kBlock * n; k < kBlock * (n + 1); ++k) u_try(k) = t * du(k) + u(k);
  }
  NSN_FUNCTION void advance_row(Index i, Real t) const {
    for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) r_try(k) = t * dr(k) + r(k);
  }

  // ---- quasi-Newton stiffness

  NSN_FUNCTION void keep_impulse(Index n) const {
    store_vector(mass.impulse_old, kBlock * n, gather(n, J, r_try));
  }
  /// c_k = [(J_new - J_old)^T r]_k / du_k with r held at its newest value;
  /// H_kk = M_kk - min(0, c_k).
  NSN_FUNCTION void update_quasi(Index n, double largest) const {
    const double floor = 1e-9 * std::fmax(largest, 1e-12);
    const Vector3<Real> now = gather(n, J, r_try);
    for (int k = 0; k < 3; ++k) {
      const Index dof = kBlock * n + k;
      const Real moved = u_try(dof) - u(dof);
      if (std::fabs(static_cast<double>(moved)) < floor) continue;  // keep the last value
      const Real c = (now[k] - mass.impulse_old(dof)) / moved;
      mass.quasi(dof) = c < Real(0) ? -c : Real(0);
    }
  }

  // ---- final projection

  /// u = u_free + M^-1 J^T r
  NSN_FUNCTION void project_node(Index n) const {
    store_vector(u_try, kBlock * n,
                 load_vector(at.u_free, kBlock * n) +
                     load_block(at.M_inverse, kBlockSize * n) * gather(n, J, r));
  }
};

}  // namespace nsn::paper
