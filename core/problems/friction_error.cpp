#include "nsn/core/problems/friction_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

constexpr double kNormFloor = 1e-12;  // of the largest |W_ii|

void raise_to_floor(Vector norms, double largest) {
  if (!(largest > 0.0)) largest = 1.0;
  for (Index i = 0; i < size_of(norms); ++i) {
    norms(i) = std::max(norms(i), kNormFloor * largest);
  }
}

}  // namespace

void contact_rho(const Csr& W, Index dimension, Vector rho) {
  const Index n = size_of(rho);
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    Mat3 block;
    for (Index r = 0; r < dimension; ++r) {
      const Index row = dimension * i + r;
      const Index* const columns = W.column.data();
      const Index* const last = columns + W.row_begin(row + 1);
      const Index* found = std::lower_bound(columns + W.row_begin(row), last, dimension * i);
      for (; found != last && *found < dimension * (i + 1); ++found) {
        block(r, *found - dimension * i) = W.value(found - columns);
      }
    }
    rho(i) = spectral_norm(block);
    largest = std::max(largest, rho(i));
  }
  raise_to_floor(rho, largest);
}

void contact_rho(const BlockCsr& W, Vector rho) {
  double largest = 0.0;
  for (Index i = 0; i < W.rows; ++i) {
    const Index k = find_block(W, i, i);
    rho(i) = k < 0 ? 0.0 : spectral_norm(load9(W.value.data() + std::ptrdiff_t{k} * kBlockSize));
    largest = std::max(largest, rho(i));
  }
  raise_to_floor(rho, largest);
}

void contact_rho_of_diagonal(ConstVector diagonal, Vector rho) {
  double largest = 0.0;
  for (Index i = 0; i < size_of(rho); ++i) {
    rho(i) = spectral_norm(load9(diagonal.data() + kBlockSize * i));
    largest = std::max(largest, rho(i));
  }
  raise_to_floor(rho, largest);
}

FrictionError friction_error(Index dimension, ConstVector mu, ConstVector rho, double q_norm,
                             ConstVector r, ConstVector u) {
  FrictionError error;
  const double r_norm = norm2(r);
  const double u_norm = norm2(u);
  const double size = std::max({q_norm, r_norm, u_norm});
  if (!std::isfinite(size) || std::isnan(r_norm) || std::isnan(u_norm)) {
    error.siconos = error.unit_free = std::numeric_limits<double>::infinity();
    return error;
  }
  const double factor = factor_for(size);
  double siconos = 0.0;
  double unit_free = 0.0;
  double worst = -1.0;
  const Index n = size_of(mu);
  if (n > 0) error.min_normal_velocity = u(0);
  for (Index i = 0; i < n; ++i) {
    double ri[3] = {};
    double ui[3] = {};
    for (Index k = 0; k < dimension; ++k) {
      ri[k] = factor * r(dimension * i + k);
      ui[k] = factor * u(dimension * i + k);
    }
    double given[3];
    double free[3];
    ncp::natural_map(ri, ui, mu(i), 1.0, given);
    ncp::natural_map(ri, ui, mu(i), rho(i), free);
    double share = 0.0;
    for (int k = 0; k < 3; ++k) {
      siconos += given[k] * given[k];
      share += free[k] * free[k];
    }
    unit_free += share;
    if (!(share <= worst)) {
      worst = share;
      error.worst_contact = i;
    }
    error.min_normal_velocity = std::min(error.min_normal_velocity, u(dimension * i));
    const double tangent = std::sqrt(ri[1] * ri[1] + ri[2] * ri[2]);
    error.max_cone_violation =
        std::max({error.max_cone_violation, tangent - mu(i) * ri[0], -ri[0]});
  }
  error.max_cone_violation /= factor;
  error.siconos = std::sqrt(siconos) / (size > 0.0 ? factor * size : 1.0);
  error.unit_free = std::sqrt(unit_free) / (q_norm > 0.0 ? factor * q_norm : 1.0);
  return error;
}

double factor_for(double size) {
  constexpr double kFar = 1e140;
  const bool ordinary = size == 0.0 || !std::isfinite(size) || (size > 1.0 / kFar && size < kFar);
  return ordinary ? 1.0 : std::exp2(std::min(-std::ilogb(size), 1000));
}

FrictionError friction_error(const FrictionProblem& problem, ConstVector r, Vector u) {
  const Index n = problem.dimension * problem.contacts();
  NSN_THROW_UNLESS(size_of(r) == n && size_of(u) == n,
                   "{} contacts in {} dimensions, r has {} and u {} entries", problem.contacts(),
                   problem.dimension, r.extent(0), u.extent(0));
  const Vector rho = zero_vector(problem.contacts());
  contact_rho(problem.W, problem.dimension, rho);
  multiply(problem.W, r, u);
  axpby(1.0, problem.q, 1.0, u);
  return friction_error(problem.dimension, problem.mu, rho, norm2(problem.q), r, u);
}

}  // namespace nsn
