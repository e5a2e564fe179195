#include "nsn/core/step/paper_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"

namespace nsn {
namespace {

constexpr double kMinAlpha = 1e-4;  // row-scaled form: 1e-2 and 1e-8 measured worse

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

Vector buffer(const std::string& name, Index n) {
  return Vector(name, at(n));
}

ncp::NcpValue<double> ncp_value(const PaperOptions& options, double a, double b) {
  if (options.ncp == NcpKind::kMinimumMap) return ncp::MinimumMap{}(a, b);
  return ncp::FischerBurmeister{options.origin}(a, b);
}

void set_unit_row(Mat3& A, int k, double value) {
  for (int j = 0; j < 3; ++j) A(k, j) = 0.0;
  A(k, k) = value;
}

/// Pattern of H + J^T C^-1 J: nodes that share a row block.
BlockCsr stiffness_pattern(const BlockCsr& J) {
  std::vector<BlockTriplet> triplets;
  for (Index n = 0; n < J.columns; ++n) triplets.push_back({n, n, {}});
  for (Index i = 0; i < J.rows; ++i) {
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      for (Index q = J.row_begin(i); q < J.row_begin(i + 1); ++q) {
        triplets.push_back({J.column(p), J.column(q), {}});
      }
    }
  }
  return block_csr_from_triplets(J.columns, J.columns, triplets);
}

/// Blocks of J H^-1 J^T: pairs of rows that share a node.
double count_pairs(const BlockCsr& J) {
  const BlockTranspose Jt = transpose(J);
  std::vector<Index> seen(at(J.rows), -1);
  double count = 0.0;
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      for (Index e = Jt.matrix.row_begin(n); e < Jt.matrix.row_begin(n + 1); ++e) {
        Index& last = seen[at(Jt.matrix.column(e))];
        count += last == i ? 0.0 : 1.0;
        last = i;
      }
    }
  }
  return count;
}

}  // namespace

PaperStep::PaperStep(const NewtonOptions& options, const SolverRegistry& registry,
                     StepMonitor& monitor)
    : options_(options),
      own_(options.paper()),
      monitor_(monitor),
      linear_(make_linear_chain(options.linear, registry)) {
  NSN_THROW_UNLESS(
      own_.operator_form != OperatorForm::kFactored || !linear_->capabilities().needs_entries,
      "newton: operator_form factored needs a matrix-free linear solver, not '{}'",
      linear_->name());
  monitor_.reserve_history(options.max_iterations + 1);
}

bool PaperStep::use_factors() const {
  const bool possible = own_.formulation == Formulation::kCompliance &&
                        own_.friction != FrictionKind::kAlartCurnier && !monitor_.observed() &&
                        !linear_->capabilities().needs_entries;
  if (!possible || own_.operator_form == OperatorForm::kAssembled) return false;
  if (own_.operator_form == OperatorForm::kFactored) return true;
  const BlockCsr& J = at_.J;
  const double factors = 2.0 * 76.0 * J.blocks() + 120.0 * J.columns + 76.0 * J.rows;
  return factors < 76.0 * count_pairs(J);
}

void PaperStep::fit_factors() {
  scaled_J_ = at_.J;
  scaled_J_.value = Vector("scaled J", at_.J.value.extent(0));
  C_ = {};
  C_.rows = C_.columns = at_.J.rows;
  C_.row_begin = IndexVector("C row_begin", at(C_.rows) + 1);
  C_.column = IndexVector("C column", at(C_.rows));
  C_.value = C_out_;
  for (Index i = 0; i < C_.rows; ++i) {
    C_.row_begin(i + 1) = i + 1;
    C_.column(i) = i;
  }
  diagonal_ = buffer("diagonal", at_.J.scalar_rows());
  factors_ = std::make_unique<SchurOperator>(scaled_J_, H_inverse_, C_);
}

void PaperStep::fit(const System& system) {
  at_.fit(system);
  const bool shows_entries = operator_ != nullptr || !monitor_.observed();
  const bool ready = operator_ != nullptr || factors_ != nullptr;
  if (pattern_id_ == system.pattern_id && ready && shows_entries) return;
  pattern_id_ = system.pattern_id;
  factored_ = use_factors();
  operator_.reset();
  factors_.reset();
  const Index rows = system.rows();
  const Index dofs = system.dofs();
  rows_.assign(at(system.blocks()), {});
  const bool stiffness = own_.formulation == Formulation::kStiffness;
  const bool symmetric = own_.friction != FrictionKind::kAlartCurnier;
  if (factored_) {
    S_ = {};
    S_.rows = S_.columns = at_.J.rows;
  } else if (stiffness) {
    S_ = stiffness_pattern(at_.J);
    node_block_.clear();
    for (Index i = 0; i < at_.J.rows; ++i) {
      for (Index p = at_.J.row_begin(i); p < at_.J.row_begin(i + 1); ++p) {
        for (Index q = at_.J.row_begin(i); q < at_.J.row_begin(i + 1); ++q) {
          node_block_.push_back(find_block(S_, at_.J.column(p), at_.J.column(q)));
        }
      }
    }
  } else {
    delassus_.analyze(at_.J);
    S_ = delassus_.matrix();
    S_.value = Vector("S.value", S_.value.extent(0));
  }
  if (!factored_) operator_ = std::make_unique<BlockOperator>(S_, symmetric);
  no_compliance_ = buffer("zero", kBlockSize * system.blocks());
  C_out_ = buffer("C", kBlockSize * system.blocks());
  for (Vector* v : {&g_, &du_, &scratch_, &old_u_, &u_try_, &impulse_old_, &quasi_}) {
    *v = buffer("node vector", dofs);
  }
  H_ = buffer("H", kBlockSize * system.nodes());
  H_inverse_ = buffer("H^-1", kBlockSize * system.nodes());
  for (Vector* v : {&dr_, &row_scratch_, &r_try_}) {
    *v = buffer("row vector", rows);
  }
  b_ = buffer("b", S_.scalar_rows());
  x_ = buffer("x", S_.scalar_rows());
  if (factored_) fit_factors();
}

void PaperStep::start(const System& system, State& state, bool warm) {
  if (!warm || !options_.warm_start) fill(state.r, 0.0);
  switch (own_.start) {
    case StartingIterate::kZero:
      fill(state.u, 0.0);
      break;
    case StartingIterate::kPrevious:
      copy(system.u_start, state.u);
      break;
    case StartingIterate::kPredicted:
      copy(system.u_free, state.u);
      break;
  }
  t_ = own_.step_length;
  forcing_ = 0.1;
  fill(quasi_, 0.0);
  best_.reset(system);
  watch_merit_ = std::numeric_limits<double>::infinity();
  watched_ = 0;
}

void PaperStep::scale_normal(const System& system, Index i, const Vec3& v, double r,
                             BlockRow& row) const {
  const double rho = system.rho(kBlock * i);
  const double E = at_.E(kBlockSize * i);
  const auto f = ncp_value(own_, v[0], rho * r);
  row.phi[0] = f.phi;
  row.force[0] = r;
  set_unit_row(row.U, 0, 1.0);
  if (own_.form == NcpForm::kAlphaScaled) {
    set_unit_row(row.L, 0, f.d_a);
    set_unit_row(row.C, 0, f.d_a * E + f.d_b * rho);
    row.h[0] = f.phi;
    row.force[0] = f.d_a * r;
  } else if (f.d_a == 0.0) {  // inactive: r_N -> 0
    set_unit_row(row.L, 0, 0.0);
    set_unit_row(row.C, 0, rho);
    row.h[0] = f.phi;
  } else {
    const double alpha = std::max(f.d_a, kMinAlpha);
    set_unit_row(row.L, 0, 1.0);
    set_unit_row(row.C, 0, E + f.d_b * rho / alpha);
    row.h[0] = f.phi / alpha;
  }
}

void PaperStep::scale_paper_friction(double rho, double F, const Vec3& v, const double* r,
                                     BlockRow& row) const {
  const double slip = std::hypot(v[1], v[2]);
  const double size = std::hypot(r[1], r[2]);
  const bool active = F > 0.0;
  const auto friction = [&] {
    if (own_.friction == FrictionKind::kSmoothed) {
      return ncp::SmoothedFriction{}(slip, F, own_.smoothing);
    }
    return own_.ncp == NcpKind::kMinimumMap ? ncp::MinimumMapFriction{}(slip, size, F, rho)
                                            : ncp::FischerBurmeisterFriction{}(slip, size, F, rho);
  };
  const double W = active ? friction() : rho;
  for (int k = 1; k < 3; ++k) {
    set_unit_row(row.L, k, active ? 1.0 : 0.0);
    set_unit_row(row.U, k, 1.0);
    set_unit_row(row.C, k, W);
    row.h[k] = (active ? v[k] : 0.0) + W * r[k];
    row.phi[k] = row.h[k];
    row.force[k] = active || own_.form == NcpForm::kRowScaled ? r[k] : 0.0;
  }
}

void PaperStep::scale_symmetric_alart_curnier(double rho, double F, const Vec3& v, double* r,
                                              BlockRow& row) const {
  const double slip[2] = {v[1], v[2]};
  const auto where = ncp::AlartCurnier{}(slip, r + 1, F, rho);
  for (int k = 1; k < 3; ++k) {
    set_unit_row(row.L, k, 1.0);
    set_unit_row(row.U, k, 1.0);
    set_unit_row(row.C, k, 0.0);
    row.h[k] = row.phi[k] = v[k];
  }
  if (where.region != ncp::FrictionRegion::kStick) {
    const auto across = ncp::symmetric_slip(where, slip, r + 1, F > 0.0 ? F : 0.0, rho);
    const bool open = where.region == ncp::FrictionRegion::kOpen;
    const double* t = where.direction;
    const double* p = where.perpendicular;
    const double keep = open ? 0.0 : p[0] * r[1] + p[1] * r[2];
    const double bound = open ? 0.0 : F;
    row.phi[1] = rho * (bound - (t[0] * r[1] + t[1] * r[2]));
    r[1] = bound * t[0] + keep * p[0];  // the impulse along t is known: set, not solved for
    r[2] = bound * t[1] + keep * p[1];
    set_unit_row(row.L, 1, 0.0);
    set_unit_row(row.C, 1, rho);
    row.h[1] = 0.0;
    set_unit_row(row.L, 2, 0.0);
    set_unit_row(row.C, 2, open ? rho : across.compliance);
    row.h[2] = row.phi[2] = open ? 0.0 : across.residual;
    if (!open) {
      row.L(2, 1) = p[0];
      row.L(2, 2) = p[1];
      row.U(2, 1) = p[0];
      row.U(2, 2) = p[1];
      row.U(1, 1) = t[0];
      row.U(1, 2) = t[1];
    }
  }
  row.force[1] = r[1];
  row.force[2] = r[2];
}

void PaperStep::scale_alart_curnier(double mu, double rho, double F, const Vec3& v, const double* r,
                                    BlockRow& row) const {
  const double slip[2] = {v[1], v[2]};
  const auto where = ncp::AlartCurnier{}(slip, r + 1, F, rho);
  const auto d = ncp::full_alart_curnier(where, r + 1, mu, rho);
  for (int k = 1; k < 3; ++k) {  // rho phi, m/s
    row.L(k, 0) = 0.0;
    row.C(k, 0) = rho * d.d_normal[k - 1];
    for (int j = 1; j < 3; ++j) {
      row.L(k, j) = rho * d.d_v[2 * (k - 1) + j - 1];
      row.C(k, j) = rho * d.d_x[2 * (k - 1) + j - 1];
    }
    set_unit_row(row.U, k, 1.0);
    row.h[k] = row.phi[k] = rho * d.phi[k - 1];
    row.force[k] = r[k];
  }
}

void PaperStep::scale_contact(const System& system, Index i, double* r, BlockRow& row) const {
  const RowLaw& law = system.laws[at(i)];
  const Vec3 v = load3(&at_.value(kBlock * i)) + load9(&at_.E(kBlockSize * i)) * load3(r);
  const double rho = system.rho(kBlock * i + 1);
  const double F = law.mu * r[0];
  scale_normal(system, i, v, r[0], row);
  switch (own_.friction) {
    case FrictionKind::kAlartCurnierSymmetric:
      scale_symmetric_alart_curnier(rho, F, v, r, row);
      break;
    case FrictionKind::kAlartCurnier:
      scale_alart_curnier(law.mu, rho, F, v, r, row);
      break;
    default:
      scale_paper_friction(rho, F, v, r, row);
  }
  row.R = own_.friction == FrictionKind::kAlartCurnier ? identity<3>() : row.L;
}

void PaperStep::scale_box(const System& system, Index i, double* r, BlockRow& row) const {
  const RowLaw& law = system.laws[at(i)];
  const Mat3 E = load9(&at_.E(kBlockSize * i));
  const Vec3 v = load3(&at_.value(kBlock * i)) + E * load3(r);
  row.L = row.R = row.U = identity<3>();
  row.C = E;
  for (int k = 0; k < 3; ++k) {
    const double rho = system.rho(kBlock * i + k);
    const double target = r[k] - v[k] / rho;
    row.h[k] = row.phi[k] = v[k];
    row.force[k] = r[k];
    if (target > law.lo[k] && target < law.hi[k]) continue;
    const double bound = target <= law.lo[k] ? law.lo[k] : law.hi[k];
    set_unit_row(row.L, k, 0.0);
    set_unit_row(row.R, k, 0.0);
    set_unit_row(row.C, k, rho);
    row.h[k] = row.phi[k] = rho * (r[k] - bound);
  }
}

void PaperStep::scale(const System& system, Vector r) {
  for (Index i = 0; i < system.blocks(); ++i) {
    double* r_i = &r(kBlock * i);
    if (system.laws[at(i)].is_contact()) {
      scale_contact(system, i, r_i, rows_[at(i)]);
    } else {
      scale_box(system, i, r_i, rows_[at(i)]);
    }
  }
}

/// Forms g on the way.
double PaperStep::merit(const System& system, ConstVector u) {
  double sum = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    store3(&row_scratch_(kBlock * i), rows_[at(i)].force);
    sum += dot(rows_[at(i)].phi, rows_[at(i)].phi);
  }
  at_.apply_transposed(row_scratch_, scratch_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load3(&u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    const Vec3 g = load9(&system.M(kBlockSize * n)) * change - load3(&scratch_(kBlock * n));
    store3(&g_(kBlock * n), g);
    const Vec3 e = load9(&system.M_inverse(kBlockSize * n)) * g;
    sum += dot(e, e);
  }
  return std::sqrt(sum);
}

void PaperStep::regularize(double& entry, double diagonal) const {
  entry += own_.regularization * (own_.relative_regularization ? std::abs(diagonal) : 1.0);
}

void PaperStep::linearise(StepEquations& equations, const State& state) {
  const System& system = equations.system();
  const bool stiffness = own_.formulation == Formulation::kStiffness;
  const bool full = own_.stiffness == GeometricStiffness::kFull && stiffness;
  if (own_.stiffness == GeometricStiffness::kExact ||
      (own_.stiffness == GeometricStiffness::kFull && !full)) {
    equations.stiffness(state.u, state.r, H_);
  } else {
    copy(system.M, H_);
    for (Index n = 0; n < system.nodes(); ++n) {
      for (int k = 0; k < 3; ++k) H_(kBlockSize * n + 4 * k) += quasi_(kBlock * n + k);
    }
  }
  invert_blocks(H_, H_inverse_);
  if (stiffness) {
    fill(S_.value, 0.0);
    if (full) equations.add_full_stiffness(state.u, state.r, StiffnessModes::kHardening, S_);
    assemble_stiffness(system);
    operator_->values_changed();
  } else if (factored_) {
    assemble_factors(system);
  } else {
    delassus_.assemble(at_.J, H_inverse_, no_compliance_);
    assemble_compliance(system);
    operator_->values_changed();
  }
}

/// b = L J H^-1 g - h
void PaperStep::assemble_right_side(const System& system) {
  multiply_blocks(H_inverse_, g_, scratch_);
  at_.apply(scratch_, row_scratch_);
  for (Index i = 0; i < system.blocks(); ++i) {
    const BlockRow& row = rows_[at(i)];
    store3(&b_(kBlock * i), row.L * load3(&row_scratch_(kBlock * i)) - row.h);
  }
}

void PaperStep::assemble_factors(const System& system) {
  assemble_right_side(system);
  for (Index i = 0; i < system.blocks(); ++i) {
    const BlockRow& row = rows_[at(i)];
    store9(&C_out_(kBlockSize * i), row.C);
    for (Index k = at_.J.row_begin(i); k < at_.J.row_begin(i + 1); ++k) {
      store9(&scaled_J_.value(kBlockSize * k), row.L * load9(&at_.J.value(kBlockSize * k)));
    }
  }
  factors_->diagonal(diagonal_);
  for (Index i = 0; i < system.rows(); ++i) {
    regularize(C_out_(kBlockSize * (i / kBlock) + 4 * (i % kBlock)), diagonal_(i));
  }
  factors_->values_changed();
}

void PaperStep::assemble_compliance(const System& system) {
  const BlockCsr& W = delassus_.matrix();
  assemble_right_side(system);
  for (Index i = 0; i < system.blocks(); ++i) {
    const BlockRow& row = rows_[at(i)];
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const BlockRow& other = rows_[at(W.column(k))];
      Mat3 S = row.L * load9(&W.value(kBlockSize * k)) * transpose(other.R);
      if (W.column(k) == i) {
        Mat3 C = row.C;
        S += C;
        for (int d = 0; d < 3; ++d) {
          const double before = S(d, d);
          regularize(S(d, d), before);
          C(d, d) += S(d, d) - before;
        }
        store9(&C_out_(kBlockSize * i), C);
      }
      store9(&S_.value(kBlockSize * k), S);
    }
  }
}

/// Diagonal of J H^-1 J^T in block row i.
Vec3 PaperStep::row_diagonal(Index i) const {
  Vec3 sum;
  for (Index k = at_.J.row_begin(i); k < at_.J.row_begin(i + 1); ++k) {
    const Mat3 J = load9(&at_.J.value(kBlockSize * k));
    const Mat3 JH = J * load9(&H_inverse_(kBlockSize * at_.J.column(k)));
    for (int d = 0; d < 3; ++d) {
      for (int e = 0; e < 3; ++e) sum[d] += JH(d, e) * J(d, e);
    }
  }
  return sum;
}

/// S holds the coupling part of the geometric stiffness, upper blocks.
void PaperStep::assemble_stiffness(const System& system) {
  const BlockCsr& J = at_.J;
  for (Index n = 0; n < system.nodes(); ++n) {
    double* const D = &S_.value(kBlockSize * find_block(S_, n, n));
    store9(D, load9(D) + load9(&H_(kBlockSize * n)));
    store3(&b_(kBlock * n), -load3(&g_(kBlock * n)));
    for (Index k = S_.row_begin(n); S_.column(k) < n; ++k) {
      const double* const mirror = &S_.value(kBlockSize * find_block(S_, S_.column(k), n));
      store9(&S_.value(kBlockSize * k), transpose(load9(mirror)));
    }
  }
  std::size_t entry = 0;
  for (Index i = 0; i < system.blocks(); ++i) {
    BlockRow& row = rows_[at(i)];
    const Vec3 D = row_diagonal(i);
    for (int d = 0; d < 3; ++d) regularize(row.C(d, d), D[d] + row.C(d, d));
    store9(&C_out_(kBlockSize * i), row.C);
    const Mat3 stiffness = transpose(row.R) * inverse(row.C);
    const Vec3 pushed = stiffness * row.h;
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      const Mat3 J_p = load9(&J.value(kBlockSize * p));
      double* b = &b_(kBlock * J.column(p));
      store3(b, load3(b) - transpose_times(J_p, pushed));
      const Mat3 left = transpose(J_p) * stiffness * row.L;
      for (Index q = J.row_begin(i); q < J.row_begin(i + 1); ++q) {
        double* S = &S_.value(kBlockSize * node_block_[entry++]);
        store9(S, load9(S) + left * load9(&J.value(kBlockSize * q)));
      }
    }
  }
}

LinearControl PaperStep::control() const {
  LinearControl control;
  control.rtol = own_.eisenstat_walker ? forcing_ : own_.linear_tolerance;
  control.iteration_budget = own_.linear_iterations;
  return control;
}

/// S = J H^-1 J^T + C holds for the J that is shown: its rows are scaled as those of the system.
void PaperStep::show(const System& system) {
  BlockCsr J = at_.J;
  J.value = Vector("scaled J", at_.J.value.extent(0));
  for (Index i = 0; i < system.blocks(); ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      store9(&J.value(kBlockSize * k), rows_[at(i)].L * load9(&at_.J.value(kBlockSize * k)));
    }
  }
  const bool stiffness = own_.formulation == Formulation::kStiffness;
  NewtonSystemView view;
  view.S = &S_;
  view.b = b_;
  view.symmetric = operator_->symmetric();
  view.J = view.symmetric ? &J : nullptr;
  view.H = H_;
  view.C = C_out_;
  view.form = stiffness ? "stiffness" : "compliance";
  monitor_.show(view);
}

LinearReport PaperStep::solve_linear(const System& system) {
  if (monitor_.observed()) show(system);
  fill(x_, 0.0);
  if (factored_) {
    linear_->prepare(*factors_);
  } else {
    linear_->prepare(*operator_);
  }
  const LinearReport report = linear_->solve(b_, x_, control());
  recover(system);
  return report;
}

/// du and dr from the solution x of either form.
void PaperStep::recover(const System& system) {
  if (own_.formulation == Formulation::kStiffness) {
    copy(x_, du_);
    at_.apply(du_, row_scratch_);
    for (Index i = 0; i < system.blocks(); ++i) {
      const BlockRow& row = rows_[at(i)];
      const Vec3 x = -(inverse(row.C) * (row.h + row.L * load3(&row_scratch_(kBlock * i))));
      store3(&dr_(kBlock * i), transpose_times(row.U, x));
    }
    return;
  }
  for (Index i = 0; i < system.blocks(); ++i) {
    const BlockRow& row = rows_[at(i)];
    const Vec3 x = load3(&x_(kBlock * i));
    store3(&row_scratch_(kBlock * i), transpose_times(row.R, x));
    store3(&dr_(kBlock * i), transpose_times(row.U, x));
  }
  at_.apply_transposed(row_scratch_, scratch_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 push = load3(&scratch_(kBlock * n)) - load3(&g_(kBlock * n));
    store3(&du_(kBlock * n), load9(&H_inverse_(kBlockSize * n)) * push);
  }
}

void PaperStep::advance(const State& state, double t) {
  copy(state.u, u_try_);
  copy(state.r, r_try_);
  axpby(t, du_, 1.0, u_try_);
  axpby(t, dr_, 1.0, r_try_);
}

double PaperStep::trial_merit(StepEquations& equations, const State& state, double t) {
  advance(state, t);
  at_.evaluate(equations, u_try_);
  scale(equations.system(), r_try_);
  return merit(equations.system(), u_try_);
}

double PaperStep::step_length(StepEquations& equations, const State& state,
                              const NewtonIteration& last) {
  const std::vector<NewtonIteration>& history = monitor_.history();
  const bool has_history = history.size() > 1;
  const double before = has_history ? history[history.size() - 2].error.total : last.error.total;
  switch (own_.damping) {
    case Damping::kConstant:
      return own_.step_length;
    case Damping::kAdaptive:
      if (has_history) {
        t_ = last.error.total <= before ? std::min(1.0, 1.5 * t_) : std::max(0.4, 0.6 * t_);
      }
      return t_;
    case Damping::kWatchdog:
      return watchdog(equations, state);
    case Damping::kLineSearch:
      return line_search(equations, state);
  }
  return 1.0;
}

double PaperStep::line_search(StepEquations& equations, const State& state) {
  double t = 1.0;
  for (int k = 0; k < 8; ++k, t *= 0.5) {
    if (trial_merit(equations, state, t) <= (1.0 - 1e-4 * t) * merit_) return t;
  }
  return t;
}

/// Full steps as long as the merit falls below its best within a few of them; else a line search.
double PaperStep::watchdog(StepEquations& equations, const State& state) {
  constexpr int kPatience = 4;
  if (merit_ < watch_merit_) {
    watch_merit_ = merit_;
    watched_ = 0;
    return 1.0;
  }
  if (++watched_ < kPatience) return 1.0;
  watched_ = 0;
  return line_search(equations, state);
}

/// u = u_free + M^-1 J^T r, J at the newest velocity, in two passes; of the three velocities the
/// one of least error stays (where h r_N L / I > 1 the passes diverge: a light body under a heavy
/// stack).
void PaperStep::project_momentum(StepEquations& equations, State& state) {
  const System& system = equations.system();
  copy(state.u, u_try_);
  at_.evaluate(equations, u_try_);
  double least = at_.error(system, u_try_, state.r).total;
  for (int pass = 0; pass < 2; ++pass) {
    at_.apply_transposed(state.r, scratch_);
    multiply_blocks(system.M_inverse, scratch_, u_try_);
    axpby(1.0, system.u_free, 1.0, u_try_);
    at_.evaluate(equations, u_try_);
    const double error = at_.error(system, u_try_, state.r).total;
    if (!(error <= least)) continue;
    least = error;
    copy(u_try_, state.u);
  }
}

/// c_k = [(J_new - J_old)^T r]_k / du_k with r held at its newest value; H_kk = M_kk - min(0, c_k).
void PaperStep::update_quasi_newton(const System& system) {
  at_.apply_transposed(row_scratch_, scratch_);  // row_scratch_: newest r
  const double floor = 1e-9 * std::max(norm_max(u_try_), 1e-12);
  const bool all = own_.stiffness == GeometricStiffness::kDiagonalAll;
  for (Index k = all ? 0 : kBlock * system.rigid_nodes; k < system.dofs(); ++k) {
    const double moved = u_try_(k) - old_u_(k);
    if (std::abs(moved) < floor) continue;  // keep the last value
    quasi_(k) = -std::min(0.0, (scratch_(k) - impulse_old_(k)) / moved);
  }
}

/// Rows, errors and merit at the present iterate; keeps the best. True ends the iteration.
bool PaperStep::measure(StepEquations& equations, State& state, NewtonIteration& record,
                        NewtonResult& result) {
  const System& system = equations.system();
  at_.evaluate(equations, state.u);
  record.error = at_.error(system, state.u, state.r);
  scale(system, state.r);
  merit_ = record.merit = merit(system, state.u);
  monitor_.record(record);
  best_.offer(state, record.error);
  result.status = NewtonStatus::kNonFinite;
  if (!std::isfinite(merit_)) return true;
  result.status = NewtonStatus::kConverged;
  if (record.error.relative <= options_.tolerance) return true;
  result.status = NewtonStatus::kBudgetReached;
  if (result.iterations == options_.max_iterations) return true;
  result.status = NewtonStatus::kCancelled;
  return monitor_.out_of_time();
}

/// Forcing term of Eisenstat and Walker: how far the merit fell tells how well to solve.
void PaperStep::set_forcing() {
  const std::size_t n = monitor_.history().size();
  if (!own_.eisenstat_walker || n < 2) return;
  const double ratio = merit_ / monitor_.history()[n - 2].merit;
  forcing_ = std::clamp(0.9 * ratio * ratio, 1e-8, 0.5);
}

void PaperStep::update(StepEquations& equations, State& state, double t) {
  advance(state, t);
  if (own_.stiffness == GeometricStiffness::kDiagonalAll ||
      (own_.stiffness == GeometricStiffness::kDiagonal &&
       equations.system().rigid_nodes < equations.system().nodes())) {
    copy(state.u, old_u_);
    copy(r_try_, row_scratch_);
    at_.evaluate(equations, state.u);
    at_.apply_transposed(row_scratch_, impulse_old_);
    at_.evaluate(equations, u_try_);
    update_quasi_newton(equations.system());
  }
  copy(u_try_, state.u);
  copy(r_try_, state.r);
}

void PaperStep::finish(StepEquations& equations, State& state, NewtonResult& result) {
  if (own_.best_iterate && std::isfinite(best_.error().total)) best_.restore(state);
  if (own_.final_projection && all_finite(state.r)) project_momentum(equations, state);
  at_.evaluate(equations, state.u);
  result.error = at_.error(equations.system(), state.u, state.r);
  result.linear_solver = std::string(linear_->name());
}

NewtonResult PaperStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  fit(system);
  start(system, state, warm);
  NewtonResult result;
  NewtonIteration record;
  while (!measure(equations, state, record, result)) {  // evaluate, measure, scale
    set_forcing();
    linearise(equations, state);
    const LinearReport report = solve_linear(system);  // solve
    result.linear_iterations += report.iterations;
    ++result.iterations;
    if (!all_finite(du_) || !all_finite(dr_)) {
      result.status = NewtonStatus::kLinearFailure;
      break;
    }
    const double t = step_length(equations, state, record);
    update(equations, state, t);
    record = {};
    record.step_length = t;
    record.step = t * norm_max(du_);
    record.factorizations = 1;
    record.linear_iterations = report.iterations;
    record.linear_status = report.status;
    record.linear_residual = report.relative_residual();
  }
  finish(equations, state, result);
  return result;
}

}  // namespace nsn
