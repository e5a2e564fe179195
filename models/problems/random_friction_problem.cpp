#include "nsn/models/problems/random_friction_problem.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/models/problems/numbers.h"

namespace nsn {
namespace {

/// J by rows: sparse entries (column, value).
using Rows = std::vector<std::vector<std::pair<Index, double>>>;

void cross(const double* a, const double* b, double* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

void normalize(double* a) {
  const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int k = 0; k < 3; ++k) a[k] /= length;
}

/// Contacts between neighbours in a row of bodies, or with the ground: six columns a body.
Rows rows_of_bodies(Index contacts, Index bodies, Numbers& numbers) {
  Rows rows(static_cast<std::size_t>(3 * contacts));
  for (Index i = 0; i < contacts; ++i) {
    double frame[3][3];
    for (double& value : frame[0]) value = numbers.normal();
    normalize(frame[0]);
    double other[3] = {numbers.normal(), numbers.normal(), numbers.normal()};
    cross(frame[0], other, frame[1]);
    normalize(frame[1]);
    cross(frame[0], frame[1], frame[2]);
    const Index a = numbers.integer(bodies);
    const Index b = a + 1 + numbers.integer(3);
    for (const Index body : {a, b}) {
      double arm[3];
      for (double& value : arm) value = numbers.uniform(-0.5, 0.5);
      if (body >= bodies) continue;  // the ground
      const double sign = body == a ? 1.0 : -1.0;
      for (std::size_t k = 0; k < 3; ++k) {
        double turn[3];
        cross(arm, frame[k], turn);
        auto& row = rows[static_cast<std::size_t>(3 * i) + k];
        for (Index c = 0; c < 3; ++c) row.emplace_back(6 * body + c, sign * frame[k][c]);
        for (Index c = 0; c < 3; ++c) row.emplace_back(6 * body + 3 + c, sign * turn[c]);
      }
    }
  }
  return rows;
}

Rows dense_rows(Index contacts, Index columns, Numbers& numbers) {
  Rows rows(static_cast<std::size_t>(3 * contacts));
  for (auto& row : rows) {
    for (Index c = 0; c < columns; ++c) row.emplace_back(c, numbers.normal());
  }
  return rows;
}

/// W = J diag(inverse_mass) J^T, rows that share no column stay apart.
Csr delassus(const Rows& J, const std::vector<double>& inverse_mass) {
  std::vector<std::vector<std::pair<Index, double>>> columns(inverse_mass.size());
  for (std::size_t i = 0; i < J.size(); ++i) {
    for (const auto& [c, value] : J[i]) {
      columns[static_cast<std::size_t>(c)].emplace_back(static_cast<Index>(i), value);
    }
  }
  const auto n = static_cast<Index>(J.size());
  std::vector<Triplet> triplets;
  std::vector<double> row(J.size(), 0.0);
  std::vector<Index> touched;
  std::vector<char> seen(J.size(), 0);
  for (Index i = 0; i < n; ++i) {
    for (const auto& [c, value] : J[static_cast<std::size_t>(i)]) {
      const double weight = value * inverse_mass[static_cast<std::size_t>(c)];
      for (const auto& [j, other] : columns[static_cast<std::size_t>(c)]) {
        const auto at = static_cast<std::size_t>(j);
        if (seen[at] == 0) {
          seen[at] = 1;
          touched.push_back(j);
        }
        row[at] += weight * other;
      }
    }
    for (const Index j : touched) {
      triplets.push_back({i, j, row[static_cast<std::size_t>(j)]});
      row[static_cast<std::size_t>(j)] = 0.0;
      seen[static_cast<std::size_t>(j)] = 0;
    }
    touched.clear();
  }
  return csr_from_triplets(n, n, triplets);
}

double diagonal(const Csr& W, Index i) {
  for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
    if (W.column(k) == i) return W.value(k);
  }
  return 0.0;
}

/// (r, u) of one contact in a random state; impulses of the size that its own W_NN turns into
/// speeds.
void plant(Index i, double stiffness, const double (&shares)[2], RandomFrictionProblem& out,
           Numbers& numbers) {
  const double mu = out.problem.mu(i);
  const double angle = numbers.uniform(0.0, 6.283185307179586);
  const double t[2] = {std::cos(angle), std::sin(angle)};
  const double state = numbers.uniform(0.0, 1.0);
  const double speed = numbers.power(-1.0, 1.0);
  double* const r = out.r.data() + 3 * i;
  double* const u = out.u.data() + 3 * i;
  if (state < shares[0]) {  // open
    u[0] = speed;
    for (int k = 0; k < 2; ++k) u[1 + k] = numbers.power(-1.0, 1.0) * t[k];
    return;
  }
  r[0] = numbers.power(-1.0, 1.0) / stiffness;
  const bool slip = state < shares[1];
  const double share = slip ? 1.0 : numbers.uniform(0.0, 0.95);
  for (int k = 0; k < 2; ++k) {
    r[1 + k] = share * mu * r[0] * t[k];
    if (slip) u[1 + k] = -speed * t[k];
  }
}

}  // namespace

RandomFrictionProblem random_friction_problem(std::uint64_t seed,
                                              const RandomFrictionLimits& limits) {
  Numbers numbers(seed);
  RandomFrictionProblem out;
  const double least = limits.min_contacts;
  const double most = std::max<double>(least, limits.max_contacts);
  const auto contacts = std::min(
      limits.max_contacts,
      static_cast<Index>(least * std::pow((most + 1.0) / least, numbers.uniform(0.0, 1.0))));
  const double rank = numbers.uniform(limits.min_rank, limits.max_rank);
  out.bodies = numbers.uniform(0.0, 1.0) < 0.5;
  out.masses = numbers.power(0.0, 6.0);
  out.mu = numbers.uniform(limits.min_mu, limits.max_mu);
  const double mass_exponent = std::log10(out.masses);
  const double scale_W = numbers.power(-6.0, 6.0);
  const double scale_u = numbers.power(-6.0, 6.0);

  const double columns = rank * 3.0 * contacts;
  const Index bodies = std::max<Index>(1, static_cast<Index>(std::lround(columns / 6.0)));
  const Index width = out.bodies ? 6 * bodies : std::max<Index>(1, static_cast<Index>(columns));
  out.rank = static_cast<double>(width) / (3.0 * contacts);
  const Rows J =
      out.bodies ? rows_of_bodies(contacts, bodies, numbers) : dense_rows(contacts, width, numbers);
  std::vector<double> inverse_mass(static_cast<std::size_t>(width));
  for (std::size_t c = 0; c < inverse_mass.size(); ++c) {
    const bool turning = out.bodies && c % 6 >= 3;
    const bool same_body = out.bodies && c % 6 != 0;
    inverse_mass[c] = same_body ? inverse_mass[c - c % 6] * (turning ? 6.0 : 1.0)
                                : scale_W * std::pow(10.0, -numbers.uniform(0.0, mass_exponent));
  }
  out.problem.dimension = 3;
  out.problem.W = delassus(J, inverse_mass);
  out.problem.mu = zero_vector(contacts);
  const bool alike = numbers.uniform(0.0, 1.0) < 0.5;
  for (Index i = 0; i < contacts; ++i) {
    out.problem.mu(i) = alike ? out.mu : numbers.uniform(0.0, out.mu);
  }
  out.r = zero_vector(3 * contacts);
  out.u = zero_vector(3 * contacts);
  const double a = numbers.uniform(0.0, 0.6);
  const double shares[2] = {a, numbers.uniform(a, 1.0)};
  for (Index i = 0; i < contacts; ++i) {
    plant(i, std::max(diagonal(out.problem.W, 3 * i), 1e-3 * scale_W / out.masses), shares, out,
          numbers);
  }
  for (Index k = 0; k < 3 * contacts; ++k) {
    out.r(k) *= scale_u;
    out.u(k) *= scale_u;
  }
  out.problem.q = zero_vector(3 * contacts);
  multiply(out.problem.W, out.r, out.problem.q);
  axpby(1.0, out.u, -1.0, out.problem.q);
  return out;
}

}  // namespace nsn
