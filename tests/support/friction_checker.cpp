#include "tests/support/friction_checker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace nsn::test {

namespace {

using Real = long double;
using Numbers = std::vector<Real>;

Numbers numbers(ConstVector v) {
  return {v.data(), v.data() + v.extent(0)};
}

Real norm(const Numbers& v) {
  Real sum = 0;
  for (const Real x : v) sum += x * x;
  return std::sqrt(sum);
}

Numbers times(const Csr& A, const Numbers& x, bool transposed = false) {
  Numbers y(static_cast<std::size_t>(transposed ? A.columns : A.rows), 0);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      const auto row = static_cast<std::size_t>(transposed ? A.column(k) : i);
      const auto column = static_cast<std::size_t>(transposed ? i : A.column(k));
      y[row] += static_cast<Real>(A.value(k)) * x[column];
    }
  }
  return y;
}

void add(Numbers& y, ConstVector x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x(i);
}

/// The nearest point of { |t| <= mu n }, components (n, t...).
Numbers projected(Numbers z, Real mu) {
  Real tangent = 0;
  for (std::size_t k = 1; k < z.size(); ++k) tangent = std::hypot(tangent, z[k]);
  if (mu * tangent <= -z[0]) return Numbers(z.size(), 0);
  if (tangent <= mu * z[0]) return z;
  const Real n = (z[0] + mu * tangent) / (1 + mu * mu);
  for (std::size_t k = 1; k < z.size(); ++k) z[k] *= mu * n / tangent;
  z[0] = n;
  return z;
}

/// Largest singular value of a d x d block by cyclic Jacobi rotations of B^T B.
Real spectral_norm(const std::vector<Numbers>& B) {
  const std::size_t d = B.size();
  std::vector<Numbers> S(d, Numbers(d, 0));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) S[i][j] += B[k][i] * B[k][j];
    }
  }
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (std::size_t p = 0; p + 1 < d; ++p) {
      for (std::size_t q = p + 1; q < d; ++q) {
        if (S[p][q] == 0) continue;
        const Real angle = 0.5L * std::atan2(2 * S[p][q], S[q][q] - S[p][p]);
        const Real c = std::cos(angle);
        const Real s = std::sin(angle);
        for (std::size_t k = 0; k < d; ++k) {
          const Real a = S[k][p];
          S[k][p] = c * a - s * S[k][q];
          S[k][q] = s * a + c * S[k][q];
        }
        for (std::size_t k = 0; k < d; ++k) {
          const Real a = S[p][k];
          S[p][k] = c * a - s * S[q][k];
          S[q][k] = s * a + c * S[q][k];
        }
      }
    }
  }
  Real largest = 0;
  for (std::size_t i = 0; i < d; ++i) largest = std::max(largest, S[i][i]);
  return std::sqrt(largest);
}

/// |(r_i - Pi(r_i - rho u^_i)) / rho|^2 of contact i.
Real squared_gap(std::size_t d, std::size_t i, Real rho, Real mu, Real slip, const Numbers& r,
                 const Numbers& u) {
  Numbers z(d);
  for (std::size_t k = 0; k < d; ++k) {
    z[k] = r[d * i + k] - rho * (u[d * i + k] + (k == 0 ? mu * slip : 0));
  }
  const Numbers nearest = projected(z, mu);
  Real sum = 0;
  for (std::size_t k = 0; k < d; ++k) {
    const Real gap = (r[d * i + k] - nearest[k]) / rho;
    sum += gap * gap;
  }
  return sum;
}

Verdict verdict(std::size_t d, ConstVector mu, const Numbers& r, const Numbers& u, Real q_norm,
                const Numbers& block_norm) {
  Verdict result;
  const Real floor =
      1e-12L * (block_norm.empty() ? 0 : *std::max_element(block_norm.begin(), block_norm.end()));
  Real plain = 0;
  Real scaled = 0;
  for (std::size_t i = 0; i < mu.extent(0); ++i) {
    Real slip = 0;
    Real pull = 0;
    for (std::size_t k = 1; k < d; ++k) {
      slip = std::hypot(slip, u[d * i + k]);
      pull = std::hypot(pull, r[d * i + k]);
    }
    const Real rho = 1 / std::max({block_norm[i], floor, Real(1e-300L)});
    plain += squared_gap(d, i, 1, mu(i), slip, r, u);
    scaled += squared_gap(d, i, rho, mu(i), slip, r, u);
    const auto least = static_cast<Real>(result.min_normal_velocity);
    result.min_normal_velocity = static_cast<double>(i == 0 ? u[0] : std::min(least, u[d * i]));
    const Real violation = std::max({pull - mu(i) * r[d * i], -r[d * i], Real(0)});
    result.max_cone_violation = std::max(result.max_cone_violation, static_cast<double>(violation));
  }
  const Real scale = std::max({q_norm, norm(r), norm(u)});
  result.siconos = scale > 0 ? static_cast<double>(std::sqrt(plain) / scale) : 0.0;
  result.unit_free = q_norm > 0 ? static_cast<double>(std::sqrt(scaled) / q_norm) : 0.0;
  result.u.assign(u.begin(), u.end());
  return result;
}

Real entry(const Csr& A, Index row, Index column) {
  for (Index k = A.row_begin(row); k < A.row_begin(row + 1); ++k) {
    if (A.column(k) == column) return A.value(k);
  }
  return 0;
}

/// M as its connected parts, each a dense matrix with its rows, eliminated with row exchanges.
class PartedMatrix {
 public:
  explicit PartedMatrix(const Csr& M) {
    std::vector<Index> leader(static_cast<std::size_t>(M.rows));
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](Index i) {
      while (leader[static_cast<std::size_t>(i)] != i) i = leader[static_cast<std::size_t>(i)];
      return i;
    };
    for (Index i = 0; i < M.rows; ++i) {
      for (Index k = M.row_begin(i); k < M.row_begin(i + 1); ++k) {
        const Index a = find(i);
        const Index b = find(M.column(k));
        leader[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      }
    }
    std::map<Index, std::vector<Index>> parts;
    for (Index i = 0; i < M.rows; ++i) parts[find(i)].push_back(i);
    for (const auto& part : parts) parts_.push_back(eliminate(M, part.second));
  }

  Numbers solve(const Numbers& b) const {
    Numbers x(b.size(), 0);
    for (const Part& part : parts_) solve_part(part, b, x);
    return x;
  }

 private:
  struct Part {
    std::vector<Index> rows;
    std::vector<Numbers> lu;
    std::vector<std::size_t> order;
  };

  static Part eliminate(const Csr& M, const std::vector<Index>& rows) {
    const std::size_t n = rows.size();
    Part part{rows, std::vector<Numbers>(n, Numbers(n, 0)), std::vector<std::size_t>(n)};
    std::map<Index, std::size_t> place;
    for (std::size_t i = 0; i < n; ++i) place[rows[i]] = i;
    for (std::size_t i = 0; i < n; ++i) {
      for (Index k = M.row_begin(rows[i]); k < M.row_begin(rows[i] + 1); ++k) {
        part.lu[i][place.at(M.column(k))] = M.value(k);
      }
    }
    std::iota(part.order.begin(), part.order.end(), 0U);
    auto& A = part.lu;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i) {
        if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
      }
      if (A[pivot][k] == 0) throw std::runtime_error("M is singular");
      std::swap(A[k], A[pivot]);
      std::swap(part.order[k], part.order[pivot]);
      for (std::size_t i = k + 1; i < n; ++i) {
        if (A[i][k] == 0) continue;
        A[i][k] /= A[k][k];
        for (std::size_t j = k + 1; j < n; ++j) A[i][j] -= A[i][k] * A[k][j];
      }
    }
    return part;
  }

  static void solve_part(const Part& part, const Numbers& b, Numbers& x) {
    const std::size_t n = part.rows.size();
    Numbers y(n);
    bool zero = true;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = b[static_cast<std::size_t>(part.rows[part.order[i]])];
      zero = zero && y[i] == 0;
    }
    if (zero) return;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) y[i] -= part.lu[i][j] * y[j];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) y[i] -= part.lu[i][j] * y[j];
      y[i] /= part.lu[i][i];
    }
    for (std::size_t i = 0; i < n; ++i) x[static_cast<std::size_t>(part.rows[i])] = y[i];
  }

  std::vector<Part> parts_;
};

Numbers block_norms(const Csr& W, Index d, Index contacts) {
  Numbers norms;
  for (Index c = 0; c < contacts; ++c) {
    std::vector<Numbers> B(static_cast<std::size_t>(d), Numbers(static_cast<std::size_t>(d)));
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j) {
        B[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
            entry(W, d * c + i, d * c + j);
      }
    }
    norms.push_back(spectral_norm(B));
  }
  return norms;
}

}  // namespace

Verdict judge(const FrictionProblem& problem, ConstVector r) {
  const Numbers reaction = numbers(r);
  Numbers u = times(problem.W, reaction);
  add(u, problem.q);
  return verdict(static_cast<std::size_t>(problem.dimension), problem.mu, reaction, u,
                 norm(numbers(problem.q)),
                 block_norms(problem.W, problem.dimension, problem.contacts()));
}

Verdict judge(const LinearComplementarityProblem& problem, ConstVector z) {
  const Vector frictionless("mu", problem.q.extent(0));
  return judge(FrictionProblem{1, problem.M, problem.q, frictionless}, z);
}

Verdict judge(const GlobalFrictionProblem& problem, ConstVector r) {
  const PartedMatrix M(problem.M);
  const Csr Ht = transpose(problem.H);
  const auto d = static_cast<std::size_t>(problem.dimension);
  const auto relative = [&](Numbers impulse, bool free) {
    if (free) add(impulse, problem.f);
    Numbers velocity = times(problem.H, M.solve(impulse), true);
    if (free) add(velocity, problem.w);
    return velocity;
  };
  const Numbers reaction = numbers(r);
  const Numbers u = relative(times(problem.H, reaction), true);
  const Numbers q = relative(Numbers(static_cast<std::size_t>(problem.dofs()), 0), true);
  Numbers norms;
  for (std::size_t c = 0; c < problem.mu.extent(0); ++c) {
    std::vector<Numbers> B(d, Numbers(d));
    for (std::size_t j = 0; j < d; ++j) {
      Numbers column(static_cast<std::size_t>(problem.dofs()), 0);
      const auto row = static_cast<Index>(d * c + j);
      for (Index k = Ht.row_begin(row); k < Ht.row_begin(row + 1); ++k) {
        column[static_cast<std::size_t>(Ht.column(k))] = Ht.value(k);
      }
      const Numbers response = M.solve(column);
      for (std::size_t i = 0; i < d; ++i) {
        const auto at = static_cast<Index>(d * c + i);
        for (Index k = Ht.row_begin(at); k < Ht.row_begin(at + 1); ++k) {
          B[i][j] +=
              static_cast<Real>(Ht.value(k)) * response[static_cast<std::size_t>(Ht.column(k))];
        }
      }
    }
    norms.push_back(spectral_norm(B));
  }
  return verdict(d, problem.mu, reaction, u, norm(q), norms);
}

}  // namespace nsn::test
