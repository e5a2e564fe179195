#include "nsn/core/contact/no_solution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn {
namespace {

/// W_NN, one row per contact.
Csr normals_of(const BlockCsr& W) {
  Csr N;
  N.rows = N.columns = W.rows;
  N.row_begin = W.row_begin;
  N.column = W.column;
  N.value = zero_vector(W.blocks());
  for (Index k = 0; k < W.blocks(); ++k) N.value(k) = W.value(kBlockSize * k);
  return N;
}

/// The principal part of the rows in `active` plus alpha on its diagonal; place: where an active row went.
Csr active_part(const Csr& N, const std::vector<Index>& active, std::vector<Index>& place,
                double alpha) {
  std::fill(place.begin(), place.end(), -1);
  for (std::size_t i = 0; i < active.size(); ++i) place[to_size(active[i])] = static_cast<Index>(i);
  std::vector<Triplet> triplets;
  for (const Index row : active) {
    const Index i = place[to_size(row)];
    for (Index k = N.row_begin(row); k < N.row_begin(row + 1); ++k) {
      const Index j = place[to_size(N.column(k))];
      if (j >= 0) triplets.push_back({i, j, N.value(k)});
    }
    triplets.push_back({i, i, alpha});
  }
  const auto n = static_cast<Index>(active.size());
  return csr_from_triplets(n, n, triplets);
}

/// The problem without friction.
class Normals {
 public:
  Normals(const BlockCsr& W, ConstVector q, LinearSolver& solver, const NoSolutionOptions& options,
          const std::function<bool()>& stop)
      : options_(options),
        stop_(stop),
        solver_(solver),
        N_(normals_of(W)),
        q_(zero_vector(W.rows)),
        z_(zero_vector(W.rows)),
        w_(zero_vector(W.rows)),
        place_(to_size(W.rows), -1) {
    for (Index i = 0; i < W.rows; ++i) q_(i) = q(kBlock * i);
  }

  int factorizations() const { return factorizations_; }
  ConstVector z() const { return z_; }

  /// z of this alpha, from the last one. False: stopped, the budget is spent or a factorisation failed.
  bool soften(double alpha) {
    std::vector<Index> before;
    for (bool first = true; factorizations_ < options_.max_factorizations; first = false) {
      multiply(N_, z_, w_);
      std::vector<Index> active;
      for (Index i = 0; i < N_.rows; ++i) {
        if (z_(i) > w_(i) + q_(i) + alpha * z_(i)) active.push_back(i);
      }
      if (!first && active == before) {
        for (Index i = 0; i < N_.rows; ++i) z_(i) = std::max(z_(i), 0.0);
        return true;
      }
      if (!solve_on(active, alpha)) return false;
      before = std::move(active);
    }
    return false;
  }

 private:
  bool solve_on(const std::vector<Index>& active, double alpha) {
    fill(z_, 0.0);
    if (active.empty()) return true;
    if (stop_ && stop_()) return false;
    const CsrOperator op(active_part(N_, active, place_, alpha));
    const Vector b = zero_vector(op.rows());
    const Vector x = zero_vector(op.rows());
    for (std::size_t i = 0; i < active.size(); ++i) b(i) = -q_(active[i]);
    solver_.prepare(op);
    ++factorizations_;
    if (!solver_.solve(b, x, {.rtol = 1e-8}).ok() || !all_finite(x)) return false;
    for (std::size_t i = 0; i < active.size(); ++i) z_(active[i]) = x(i);
    return true;
  }

  const NoSolutionOptions& options_;
  const std::function<bool()>& stop_;
  LinearSolver& solver_;
  Csr N_;
  Vector q_, z_, w_;
  std::vector<Index> place_;
  int factorizations_ = 0;
};

}  // namespace

double velocity_needed(const BlockCsr& W, ConstVector q, ConstVector z) {
  const Csr N = normals_of(W);
  const Vector Nz = zero_vector(N.rows);
  multiply(N, z, Nz);
  double qz = 0.0;
  double qq = 0.0;
  for (Index i = 0; i < N.rows; ++i) {
    if (z(i) < 0.0) return 0.0;
    qz += q(kBlock * i) * z(i);
    qq += q(kBlock * i) * q(kBlock * i);
  }
  if (!(qz < 0.0)) return 0.0;
  // Below its own rounding z . W_NN z says nothing, not even its sign.
  const double zz = dot(z, z);
  const double zWz = std::max(dot(z, Nz), 1e-16 * zz);
  return -qz / std::sqrt(qq * zWz);
}

double motion_by(const BlockCsr& W, ConstVector z) {
  double sum = 0.0;
  double sizes = 0.0;
  double largest = 0.0;
  double largest_size = 0.0;
  for (Index i = 0; i < W.rows; ++i) {
    double row[3] = {};
    double size[3] = {};
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      for (Index a = 0; a < kBlock; ++a) {
        const double term = W.value(kBlockSize * k + kBlock * a) * z(W.column(k));
        row[a] += term;
        size[a] += std::abs(term);
      }
    }
    sum += z(i) * row[0];
    sizes += std::abs(z(i)) * size[0];
    largest = std::max({largest, std::abs(row[0]), std::abs(row[1]), std::abs(row[2])});
    largest_size = std::max({largest_size, size[0], size[1], size[2]});
  }
  if (!(sizes > 0.0)) return 0.0;
  const double row = largest / largest_size;
  return std::max(std::abs(sum) / sizes, row * row);
}

NoSolution find_no_solution(const BlockCsr& W, ConstVector q, std::span<const RowLaw> laws,
                            LinearSolver& solver, const NoSolutionOptions& options,
                            const std::function<bool()>& stop) {
  NSN_THROW_UNLESS(options.need > 1.0 && options.max_factorizations >= 1,
                   "need {}, max_factorizations {}", options.need, options.max_factorizations);
  NSN_THROW_UNLESS(options.rounding > 0.0, "rounding {} is not > 0", options.rounding);
  NoSolution out;
  out.z = zero_vector(W.rows);
  const bool contacts_alone = std::all_of(laws.begin(), laws.end(), [](const RowLaw& law) {
    return law.kind == RowLaw::Kind::kContact;
  });
  if (!contacts_alone) return out;
  Normals normals(W, q, solver, options, stop);
  const double speed = norm2(q);
  for (const double alpha : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    const bool found = normals.soften(alpha);
    out.factorizations = normals.factorizations();
    const double size = norm2(normals.z());
    if (!found || size == 0.0) break;
    for (Index i = 0; i < W.rows; ++i) out.z(i) = normals.z()(i) / size;
    out.need = velocity_needed(W, q, out.z);
    out.certified = out.need >= options.need && motion_by(W, out.z) <= options.rounding;
    // A z that does not grow like 1 / alpha belongs to a solution.
    if (out.certified || (alpha <= 1e-6 && alpha * size < 1e-6 * speed)) break;
  }
  return out;
}

}  // namespace nsn
