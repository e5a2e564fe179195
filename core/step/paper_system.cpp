#include "nsn/core/step/paper_system.h"

#include <cmath>
#include <string>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

Vector buffer(const std::string& name, Index n) {
  return Vector(name, to_size(n));
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
  std::vector<Index> seen(to_size(J.rows), -1);
  double count = 0.0;
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      const Index n = J.column(k);
      for (Index e = Jt.matrix.row_begin(n); e < Jt.matrix.row_begin(n + 1); ++e) {
        Index& last = seen[to_size(Jt.matrix.column(e))];
        count += last == i ? 0.0 : 1.0;
        last = i;
      }
    }
  }
  return count;
}

/// scaled = L J, row block by row block.
void scale_rows(const BlockCsr& J, const std::vector<PaperRow>& rows, Vector scaled) {
  for (Index i = 0; i < J.rows; ++i) {
    for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
      store9(&scaled(kBlockSize * k), rows[to_size(i)].L * load9(&J.value(kBlockSize * k)));
    }
  }
}

}  // namespace

PaperSystem::PaperSystem(const PaperOptions& options, const std::vector<std::string>& linear,
                         const SolverRegistry& registry, StepMonitor& monitor)
    : options_(options), monitor_(monitor), linear_(make_linear_chain(linear, registry)) {
  NSN_THROW_UNLESS(
      options_.operator_form != OperatorForm::kFactored || !linear_->capabilities().needs_entries,
      "newton: operator_form factored needs a matrix-free linear solver, not '{}'",
      linear_->name());
}

bool PaperSystem::use_factors(const BlockCsr& J) const {
  const bool possible = options_.formulation == Formulation::kCompliance &&
                        options_.friction != FrictionKind::kAlartCurnier && !monitor_.observed() &&
                        !linear_->capabilities().needs_entries;
  if (!possible || options_.operator_form == OperatorForm::kAssembled) return false;
  if (options_.operator_form == OperatorForm::kFactored) return true;
  const double factors = 2.0 * 76.0 * J.blocks() + 120.0 * J.columns + 76.0 * J.rows;
  return factors < 76.0 * count_pairs(J);
}

void PaperSystem::fit_factors(const BlockCsr& J) {
  S_ = {};
  S_.rows = S_.columns = J.rows;
  scaled_J_ = J;
  scaled_J_.value = Vector("scaled J", J.value.extent(0));
  C_ = {};
  C_.rows = C_.columns = J.rows;
  C_.row_begin = IndexVector("C row_begin", to_size(C_.rows) + 1);
  C_.column = IndexVector("C column", to_size(C_.rows));
  C_.value = C_out_;
  for (Index i = 0; i < C_.rows; ++i) {
    C_.row_begin(i + 1) = i + 1;
    C_.column(i) = i;
  }
  diagonal_ = buffer("diagonal", J.scalar_rows());
  factors_ = std::make_unique<SchurOperator>(scaled_J_, H_inverse_, C_);
}

void PaperSystem::fit_stiffness(const BlockCsr& J) {
  S_ = stiffness_pattern(J);
  node_block_.clear();
  for (Index i = 0; i < J.rows; ++i) {
    for (Index p = J.row_begin(i); p < J.row_begin(i + 1); ++p) {
      for (Index q = J.row_begin(i); q < J.row_begin(i + 1); ++q) {
        node_block_.push_back(find_block(S_, J.column(p), J.column(q)));
      }
    }
  }
}

void PaperSystem::fit(const System& system, const BlockCsr& J) {
  operator_.reset();
  factors_.reset();
  no_compliance_ = buffer("zero", kBlockSize * system.blocks());
  C_out_ = buffer("C", kBlockSize * system.blocks());
  H_ = buffer("H", kBlockSize * system.nodes());
  H_inverse_ = buffer("H^-1", kBlockSize * system.nodes());
  scratch_ = buffer("node vector", system.dofs());
  row_scratch_ = buffer("row vector", system.rows());
  if (use_factors(J)) {
    fit_factors(J);
  } else if (options_.formulation == Formulation::kStiffness) {
    fit_stiffness(J);
  } else {
    delassus_.analyze(J);
    S_ = delassus_.matrix();
    S_.value = Vector("S.value", S_.value.extent(0));
  }
  if (factors_ == nullptr) {
    const bool symmetric = options_.friction != FrictionKind::kAlartCurnier;
    operator_ = std::make_unique<BlockOperator>(S_, symmetric);
  }
  b_ = buffer("b", S_.scalar_rows());
  x_ = buffer("x", S_.scalar_rows());
}

void PaperSystem::regularize(double& entry, double diagonal) const {
  entry += options_.regularization * (options_.relative_regularization ? std::abs(diagonal) : 1.0);
}

void PaperSystem::linearise(StepEquations& equations, const State& state,
                            const StepEvaluation& evaluation, ConstVector g, ConstVector quasi,
                            std::vector<PaperRow>& rows) {
  const System& system = equations.system();
  const bool stiffness = options_.formulation == Formulation::kStiffness;
  const bool full = options_.stiffness == GeometricStiffness::kFull && stiffness;
  if (options_.stiffness == GeometricStiffness::kExact ||
      (options_.stiffness == GeometricStiffness::kFull && !full)) {
    equations.stiffness(state.u, state.r, H_);
  } else {
    copy(system.M, H_);
    for (Index n = 0; n < system.nodes(); ++n) {
      for (int k = 0; k < 3; ++k) H_(kBlockSize * n + 4 * k) += quasi(kBlock * n + k);
    }
  }
  invert_blocks(H_, H_inverse_);
  if (stiffness) {
    fill(S_.value, 0.0);
    if (full) equations.add_full_stiffness(state.u, state.r, StiffnessModes::kHardening, S_);
    assemble_stiffness(evaluation, g, rows);
    operator_->values_changed();
  } else if (factors_ != nullptr) {
    assemble_factors(evaluation, g, rows);
  } else {
    delassus_.assemble(evaluation.J, H_inverse_, no_compliance_);
    assemble_compliance(evaluation, g, rows);
    operator_->values_changed();
  }
}

/// b = L J H^-1 g - h
void PaperSystem::assemble_right_side(const StepEvaluation& evaluation, ConstVector g,
                                      const std::vector<PaperRow>& rows) {
  multiply_blocks(H_inverse_, g, scratch_);
  evaluation.apply(scratch_, row_scratch_);
  for (Index i = 0; i < evaluation.J.rows; ++i) {
    const PaperRow& row = rows[to_size(i)];
    store3(&b_(kBlock * i), row.L * load3(&row_scratch_(kBlock * i)) - row.h);
  }
}

void PaperSystem::assemble_factors(const StepEvaluation& evaluation, ConstVector g,
                                   const std::vector<PaperRow>& rows) {
  assemble_right_side(evaluation, g, rows);
  for (Index i = 0; i < evaluation.J.rows; ++i) store9(&C_out_(kBlockSize * i), rows[to_size(i)].C);
  scale_rows(evaluation.J, rows, scaled_J_.value);
  factors_->diagonal(diagonal_);
  for (Index i = 0; i < evaluation.J.scalar_rows(); ++i) {
    regularize(C_out_(kBlockSize * (i / kBlock) + 4 * (i % kBlock)), diagonal_(i));
  }
  factors_->values_changed();
}

void PaperSystem::assemble_compliance(const StepEvaluation& evaluation, ConstVector g,
                                      const std::vector<PaperRow>& rows) {
  const BlockCsr& W = delassus_.matrix();
  assemble_right_side(evaluation, g, rows);
  for (Index i = 0; i < W.rows; ++i) {
    const PaperRow& row = rows[to_size(i)];
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const PaperRow& other = rows[to_size(W.column(k))];
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
Vec3 PaperSystem::row_diagonal(const BlockCsr& J, Index i) const {
  Vec3 sum;
  for (Index k = J.row_begin(i); k < J.row_begin(i + 1); ++k) {
    const Mat3 J_k = load9(&J.value(kBlockSize * k));
    const Mat3 JH = J_k * load9(&H_inverse_(kBlockSize * J.column(k)));
    for (int d = 0; d < 3; ++d) {
      for (int e = 0; e < 3; ++e) sum[d] += JH(d, e) * J_k(d, e);
    }
  }
  return sum;
}

/// S holds the coupling part of the geometric stiffness, upper blocks.
void PaperSystem::assemble_stiffness(const StepEvaluation& evaluation, ConstVector g,
                                     std::vector<PaperRow>& rows) {
  const BlockCsr& J = evaluation.J;
  for (Index n = 0; n < J.columns; ++n) {
    double* const D = &S_.value(kBlockSize * find_block(S_, n, n));
    store9(D, load9(D) + load9(&H_(kBlockSize * n)));
    store3(&b_(kBlock * n), -load3(&g(kBlock * n)));
    for (Index k = S_.row_begin(n); S_.column(k) < n; ++k) {
      const double* const mirror = &S_.value(kBlockSize * find_block(S_, S_.column(k), n));
      store9(&S_.value(kBlockSize * k), transpose(load9(mirror)));
    }
  }
  std::size_t entry = 0;
  for (Index i = 0; i < J.rows; ++i) {
    PaperRow& row = rows[to_size(i)];
    const Vec3 D = row_diagonal(J, i);
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

/// S = J H^-1 J^T + C holds for the J that is shown: its rows are scaled as those of the system.
void PaperSystem::show(const StepEvaluation& evaluation, const std::vector<PaperRow>& rows) {
  BlockCsr J = evaluation.J;
  J.value = Vector("scaled J", evaluation.J.value.extent(0));
  scale_rows(evaluation.J, rows, J.value);
  const bool stiffness = options_.formulation == Formulation::kStiffness;
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

LinearReport PaperSystem::solve(const StepEvaluation& evaluation, ConstVector g,
                                const std::vector<PaperRow>& rows, double rtol, Vector du,
                                Vector dr) {
  if (monitor_.observed()) show(evaluation, rows);
  fill(x_, 0.0);
  if (factors_ != nullptr) {
    linear_->prepare(*factors_);
  } else {
    linear_->prepare(*operator_);
  }
  LinearControl control;
  control.rtol = rtol;
  control.iteration_budget = options_.linear_iterations;
  const LinearReport report = linear_->solve(b_, x_, control);
  recover(evaluation, g, rows, du, dr);
  return report;
}

/// du and dr from the solution x of either form.
void PaperSystem::recover(const StepEvaluation& evaluation, ConstVector g,
                          const std::vector<PaperRow>& rows, Vector du, Vector dr) {
  if (options_.formulation == Formulation::kStiffness) {
    copy(x_, du);
    evaluation.apply(du, row_scratch_);
    for (Index i = 0; i < evaluation.J.rows; ++i) {
      const PaperRow& row = rows[to_size(i)];
      const Vec3 x = -(inverse(row.C) * (row.h + row.L * load3(&row_scratch_(kBlock * i))));
      store3(&dr(kBlock * i), transpose_times(row.U, x));
    }
    return;
  }
  for (Index i = 0; i < evaluation.J.rows; ++i) {
    const PaperRow& row = rows[to_size(i)];
    const Vec3 x = load3(&x_(kBlock * i));
    store3(&row_scratch_(kBlock * i), transpose_times(row.R, x));
    store3(&dr(kBlock * i), transpose_times(row.U, x));
  }
  evaluation.apply_transposed(row_scratch_, scratch_);
  for (Index n = 0; n < evaluation.J.columns; ++n) {
    const Vec3 push = load3(&scratch_(kBlock * n)) - load3(&g(kBlock * n));
    store3(&du(kBlock * n), load9(&H_inverse_(kBlockSize * n)) * push);
  }
}

}  // namespace nsn
