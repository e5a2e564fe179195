#include "nsn/core/problems/primal_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/problems/condensation.h"

namespace nsn {
namespace {

constexpr double kTolerance = 1e-8;  // |b - (R^T W_A C + E) z| <= this |b|
constexpr int kRefinements = 6;

}  // namespace

PrimalSystem::PrimalSystem(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass,
                           std::unique_ptr<LinearSolver> solver)
    : problem_(problem),
      Ht_(Ht),
      mass_(mass),
      solver_(std::move(solver)),
      symmetric_mass_(mass.asymmetry() <= kSymmetricToRounding) {
  NSN_THROW_UNLESS(solver_ != nullptr && solver_->capabilities().handles_unsymmetric,
                   "the primal form needs a linear solver for unsymmetric matrices");
  find_touches(Ht, problem.dimension);
  const std::vector<Index> number = number_nodes(problem.M);
  build_pattern(problem.M, number);
  const Index n = kBlock * blocks();
  force_ = zero_vector(K_.scalar_rows());
  velocity_ = zero_vector(K_.scalar_rows());
  impulse_ = zero_vector(problem.dofs());
  product_ = zero_vector(problem.dofs());
  for (Vector* const v : {&d_, &Wd_, &residual_, &z_}) *v = zero_vector(n);
  operator_ = std::make_unique<ContactOperator>(K_, symmetric_mass_);
}

void PrimalSystem::find_touches(const Csr& Ht, Index dimension) {
  const Index contacts = Ht.rows / dimension;
  for (Index i = 0; i < contacts; ++i) {
    const std::size_t first = touches_.size();
    for (Index r = 0; r < dimension; ++r) {
      for (Index k = Ht.row_begin(dimension * i + r); k < Ht.row_begin(dimension * i + r + 1);
           ++k) {
        if (Ht.value(k) == 0.0) continue;
        const Index node = Ht.column(k) / kBlock;
        std::size_t t = first;
        while (t < touches_.size() && touches_[t].node != node) ++t;
        if (t == touches_.size()) touches_.push_back({node, {}, {}});
        touches_[t].given[kBlock * r + Ht.column(k) % kBlock] = Ht.value(k);
      }
    }
    contact_begin_.push_back(static_cast<Index>(touches_.size()));
  }
  for (Touch& touch : touches_) std::copy_n(touch.given, 9, touch.scaled);
}

/// Nodes that contacts reach, directly or through M, get numbers; the others -1.
std::vector<Index> PrimalSystem::number_nodes(const Csr& M) {
  const Index nodes = (M.rows + kBlock - 1) / kBlock;
  std::vector<Index> number(to_size(nodes), -1);
  const auto reach = [&](Index node) {
    if (number[to_size(node)] >= 0) return;
    number[to_size(node)] = static_cast<Index>(node_of_.size());
    node_of_.push_back(node);
  };
  for (const Touch& touch : touches_) reach(touch.node);
  for (std::size_t next = 0; next < node_of_.size(); ++next) {
    const Index last = std::min(M.rows, kBlock * (node_of_[next] + 1));
    for (Index i = kBlock * node_of_[next]; i < last; ++i) {
      for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
        if (M.value(k) != 0.0) reach(M.column(k) / kBlock);
      }
    }
  }
  for (Touch& touch : touches_) touch.node = number[to_size(touch.node)];
  return number;
}

void PrimalSystem::build_pattern(const Csr& M, const std::vector<Index>& number) {
  const std::vector<std::vector<Index>> neighbours = find_neighbours(M, number);
  std::size_t total = 0;
  for (const std::vector<Index>& row : neighbours) total += row.size();
  const auto n = static_cast<Index>(node_of_.size());
  K_ = BlockCsr{
      n, n,
      IndexVector(Kokkos::view_alloc("row_begin", Kokkos::WithoutInitializing), to_size(n) + 1),
      IndexVector(Kokkos::view_alloc("column", Kokkos::WithoutInitializing), total),
      zero_vector(static_cast<Index>(total) * kBlockSize)};
  Index* column = K_.column.data();
  K_.row_begin(0) = 0;
  for (Index i = 0; i < n; ++i) {
    column = std::copy(neighbours[to_size(i)].begin(), neighbours[to_size(i)].end(), column);
    K_.row_begin(i + 1) = static_cast<Index>(column - K_.column.data());
  }
  set_mass_values(M, number);
  pair_begin_.assign(1, 0);
  for (Index i = 0; i < blocks(); ++i) {
    for_pairs(i, [this](Index a, Index b) { pair_.push_back(find_block(K_, a, b)); });
    pair_begin_.push_back(static_cast<Index>(pair_.size()));
  }
}

/// visit(a, b) for each pair of nodes that contact i touches.
template <class Visit>
void PrimalSystem::for_pairs(Index i, const Visit& visit) const {
  for (Index a = contact_begin_[to_size(i)]; a < contact_begin_[to_size(i) + 1]; ++a) {
    for (Index b = contact_begin_[to_size(i)]; b < contact_begin_[to_size(i) + 1]; ++b) {
      visit(touches_[to_size(a)].node, touches_[to_size(b)].node);
    }
  }
}

/// Nodes that share an entry of M or a contact with each node, itself included, ascending.
std::vector<std::vector<Index>> PrimalSystem::find_neighbours(
    const Csr& M, const std::vector<Index>& number) const {
  std::vector<std::vector<Index>> neighbours(node_of_.size());
  for (std::size_t n = 0; n < node_of_.size(); ++n) {
    neighbours[n].push_back(static_cast<Index>(n));
    const Index last = std::min(M.rows, kBlock * (node_of_[n] + 1));
    for (Index i = kBlock * node_of_[n]; i < last; ++i) {
      for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
        if (M.value(k) == 0.0) continue;
        const Index other = number[to_size(M.column(k) / kBlock)];
        neighbours[n].push_back(other);
        neighbours[to_size(other)].push_back(static_cast<Index>(n));
      }
    }
  }
  for (Index i = 0; i < blocks(); ++i) {
    for_pairs(i, [&](Index a, Index b) { neighbours[to_size(a)].push_back(b); });
  }
  for (std::vector<Index>& row : neighbours) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return neighbours;
}

/// M in the pattern of S; rows that complete the last block are unit rows.
void PrimalSystem::set_mass_values(const Csr& M, const std::vector<Index>& number) {
  mass_values_.assign(K_.value.extent(0), 0.0);
  for (Index i = 0; i < K_.rows; ++i) {
    for (Index r = 0; r < kBlock; ++r) {
      const Index dof = kBlock * node_of_[to_size(i)] + r;
      if (dof >= M.rows) {
        mass_values_[to_size(kBlockSize * find_block(K_, i, i) + 4 * r)] = 1.0;
        continue;
      }
      for (Index k = M.row_begin(dof); k < M.row_begin(dof + 1); ++k) {
        if (M.value(k) == 0.0) continue;
        const Index block = find_block(K_, i, number[to_size(M.column(k) / kBlock)]);
        mass_values_[to_size(kBlockSize * block + kBlock * r + M.column(k) % kBlock)] += M.value(k);
      }
    }
  }
}

void PrimalSystem::diagonal_blocks(Vector out) const {
  delassus_diagonal(problem_, Ht_, mass_, out);
}

void PrimalSystem::scale(ConstVector s) {
  for (Index i = 0; i < blocks(); ++i) {
    for (Index t = contact_begin_[to_size(i)]; t < contact_begin_[to_size(i) + 1]; ++t) {
      Touch& touch = touches_[to_size(t)];
      for (Index e = 0; e < kBlockSize; ++e) {
        touch.scaled[e] = s(kBlock * i + e / kBlock) * touch.given[e];
      }
    }
  }
}

/// y = H^T M^-1 H x
void PrimalSystem::apply(ConstVector x, Vector y) const {
  std::fill_n(impulse_.data(), impulse_.extent(0), 0.0);
  const Index dofs = size_of(impulse_);
  for (Index i = 0; i < blocks(); ++i) {
    const double* const xi = x.data() + kBlock * i;
    for (Index t = contact_begin_[to_size(i)]; t < contact_begin_[to_size(i) + 1]; ++t) {
      const double* const h = touches_[to_size(t)].scaled;
      const Index first = kBlock * node_of_[to_size(touches_[to_size(t)].node)];
      for (Index c = 0; c < kBlock && first + c < dofs; ++c) {
        impulse_(first + c) += h[c] * xi[0] + h[3 + c] * xi[1] + h[6 + c] * xi[2];
      }
    }
  }
  if (!mass_.solve(impulse_, product_)) {
    std::fill_n(y.data(), y.extent(0), std::numeric_limits<double>::infinity());
    return;
  }
  for (Index i = 0; i < blocks(); ++i) {
    double* const yi = y.data() + kBlock * i;
    yi[0] = yi[1] = yi[2] = 0.0;
    for (Index t = contact_begin_[to_size(i)]; t < contact_begin_[to_size(i) + 1]; ++t) {
      const double* const h = touches_[to_size(t)].scaled;
      const Index first = kBlock * node_of_[to_size(touches_[to_size(t)].node)];
      for (Index c = 0; c < kBlock && first + c < dofs; ++c) {
        for (Index r = 0; r < kBlock; ++r) yi[r] += h[kBlock * r + c] * product_(first + c);
      }
    }
  }
}

/// S += H_i C_i D_i^-1 R_i^T H_i^T
void PrimalSystem::add_contact(Index i, const ncp::BlockLinearization& block, const double* A) {
  double S[9];  // C D^-1 R^T, column by column from the unit vectors
  for (int c = 0; c < 3; ++c) {
    double y[3] = {0.0, 0.0, 0.0};
    double z[3];
    double d[3] = {0.0, 0.0, 0.0};
    y[c] = 1.0;
    restrict_to(block, y, z);
    for (int k = 0; k < 3; ++k) z[k] /= A[k] + block.compliance[k];
    expand(block, z, d);
    for (int r = 0; r < 3; ++r) S[3 * r + c] = d[r];
  }
  const Index first = contact_begin_[to_size(i)];
  const Index last = contact_begin_[to_size(i) + 1];
  const Index* pair = pair_.data() + pair_begin_[to_size(i)];
  for (Index a = first; a < last; ++a) {
    const double* const h = touches_[to_size(a)].scaled;
    double HS[9];  // H_a S: rows are degrees of freedom
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c)
        HS[3 * r + c] = h[r] * S[c] + h[3 + r] * S[3 + c] + h[6 + r] * S[6 + c];
    }
    for (Index b = first; b < last; ++b, ++pair) {
      const double* const g = touches_[to_size(b)].scaled;
      double* const k = K_.value.data() + to_size(*pair) * kBlockSize;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          k[3 * r + c] += HS[3 * r] * g[c] + HS[3 * r + 1] * g[3 + c] + HS[3 * r + 2] * g[6 + c];
        }
      }
    }
  }
}

void PrimalSystem::prepare(const std::vector<ncp::BlockLinearization>& blocks, ConstVector A) {
  linearization_ = &blocks;
  A_ = A.data();
  std::copy(mass_values_.begin(), mass_values_.end(), K_.value.data());
  bool symmetric = symmetric_mass_;
  for (Index i = 0; i < this->blocks(); ++i) {
    const ncp::BlockLinearization& block = blocks[to_size(i)];
    if (block.active == 0) continue;
    symmetric = symmetric && !(block.rotated && block.coupling != 0.0);
    add_contact(i, block, A_ + kBlock * i);
  }
  operator_->values_changed(symmetric);
  solver_->prepare(*operator_);
}

/// S y = H C D^-1 b,  z = D^-1 (b - R^T H^T y)
void PrimalSystem::solve_once(ConstVector b, Vector z) {
  std::fill_n(force_.data(), force_.extent(0), 0.0);
  for (Index i = 0; i < blocks(); ++i) {
    const ncp::BlockLinearization& block = (*linearization_)[to_size(i)];
    if (block.active == 0) continue;
    double w[3];
    double d[3] = {0.0, 0.0, 0.0};
    for (Index k = 0; k < kBlock; ++k) {
      const bool active = (block.active >> k & 1U) != 0;
      w[k] = active ? b(kBlock * i + k) / (A_[kBlock * i + k] + block.compliance[k]) : 0.0;
    }
    expand(block, w, d);
    for (Index t = contact_begin_[to_size(i)]; t < contact_begin_[to_size(i) + 1]; ++t) {
      const double* const h = touches_[to_size(t)].scaled;
      double* const f = force_.data() + kBlock * touches_[to_size(t)].node;
      for (int c = 0; c < 3; ++c) f[c] += h[c] * d[0] + h[3 + c] * d[1] + h[6 + c] * d[2];
    }
  }
  std::fill_n(velocity_.data(), velocity_.extent(0), 0.0);
  const LinearReport report =
      solver_->solve(force_, velocity_, {.rtol = kTolerance, .lean = true, .trust = true});
  const bool ok = report.ok() || report.status == LinearStatus::kInaccurate;
  for (Index i = 0; i < blocks(); ++i) {
    const ncp::BlockLinearization& block = (*linearization_)[to_size(i)];
    double* const zi = z.data() + kBlock * i;
    zi[0] = zi[1] = zi[2] = ok ? 0.0 : std::numeric_limits<double>::infinity();
    if (block.active == 0 || !ok) continue;
    double v[3] = {0.0, 0.0, 0.0};
    double w[3];
    for (Index t = contact_begin_[to_size(i)]; t < contact_begin_[to_size(i) + 1]; ++t) {
      const double* const h = touches_[to_size(t)].scaled;
      const double* const y = velocity_.data() + kBlock * touches_[to_size(t)].node;
      for (int r = 0; r < 3; ++r)
        v[r] += h[3 * r] * y[0] + h[3 * r + 1] * y[1] + h[3 * r + 2] * y[2];
    }
    restrict_to(block, v, w);
    for (Index k = 0; k < kBlock; ++k) {
      if ((block.active >> k & 1U) == 0) continue;
      zi[k] = (b(kBlock * i + k) - w[k]) / (A_[kBlock * i + k] + block.compliance[k]);
    }
  }
}

/// out = b - (R^T W_A C + E) z; returns its norm.
double PrimalSystem::residual(ConstVector b, ConstVector z, Vector out) const {
  for (Index i = 0; i < blocks(); ++i) {
    double* const d = d_.data() + kBlock * i;
    d[0] = d[1] = d[2] = 0.0;
    const ncp::BlockLinearization& block = (*linearization_)[to_size(i)];
    if (block.active != 0) expand(block, z.data() + kBlock * i, d);
  }
  apply(d_, Wd_);
  double sum = 0.0;
  for (Index i = 0; i < blocks(); ++i) {
    const ncp::BlockLinearization& block = (*linearization_)[to_size(i)];
    double y[3];
    double w[3];
    for (Index k = 0; k < kBlock; ++k) {
      y[k] = Wd_(kBlock * i + k) + A_[kBlock * i + k] * d_(kBlock * i + k);
    }
    restrict_to(block, y, w);
    for (Index k = 0; k < kBlock; ++k) {
      const bool active = (block.active >> k & 1U) != 0;
      const Index row = kBlock * i + k;
      const double r = active ? b(row) - w[k] - block.compliance[k] * z(row) : 0.0;
      out(row) = r;
      sum += r * r;
    }
  }
  return std::sqrt(sum);
}

NewtonSolve PrimalSystem::solve(ConstVector b, Vector z) {
  solve_once(b, z);
  const double target = kTolerance * norm2(b);
  double error = residual(b, z, residual_);
  if (!std::isfinite(error)) return {false, 0, LinearStatus::kSingularPivot, 0.0};
  for (int step = 0; step < kRefinements && error > target; ++step) {
    solve_once(residual_, z_);
    axpby(1.0, z, 1.0, z_);
    const double next = residual(b, z_, residual_);
    if (!(next < error)) break;
    std::copy_n(z_.data(), z_.extent(0), z.data());
    error = next;
  }
  const double size = norm2(b);
  return {true, 0, error <= target ? LinearStatus::kDirect : LinearStatus::kInaccurate,
          size > 0.0 ? error / size : 0.0};
}

double PrimalSystem::factorization_flops() {
  solver_->analyze(*operator_);
  return solver_->factorization_flops();
}

}  // namespace nsn
