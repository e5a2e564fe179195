#include "nsn/core/step/step_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/spin_arm.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

using BlockError = StepEvaluation::BlockError;

/// The larger one; what is not a number stays.
double worse(double a, double b) {
  return b <= a || std::isnan(a) ? a : b;
}

BlockError error_of_contact(const RowLaw& law, const Vec3& v, const double* r, const double* rho) {
  const ncp::ContactError parts = ncp::contact_error(r, v.a, law.mu, rho[0], rho[1]);
  return {parts.normal, parts.friction, 0.0};
}

BlockError error_of_box(const RowLaw& law, const Vec3& v, const double* r, const double* rho) {
  BlockError error;
  for (int k = 0; k < 3; ++k) {
    const double map = ncp::natural_map(r[k], v[k], law.lo[k], law.hi[k], rho[k]);
    error.box = worse(error.box, std::abs(map));
  }
  return error;
}

/// |a|_max; what is not a number stays.
double largest_of(const Vec3& a) {
  return worse(worse(std::abs(a[0]), std::abs(a[1])), std::abs(a[2]));
}

}  // namespace

double StepEvaluation::BlockError::largest() const {
  return worse(worse(normal, friction), box);
}

void multiply_blocks(ConstVector blocks, ConstVector x, Vector y) {
  for (Index i = 0; i < size_of(blocks) / kBlockSize; ++i) {
    store3(&y(kBlock * i), load9(&blocks(kBlockSize * i)) * load3(&x(kBlock * i)));
  }
}

void StepEvaluation::fit(const System& system) {
  if (!system.compliance_varies) {
    E = system.E;
  } else {
    if (E.data() == system.E.data() || size_of(E) != size_of(system.E)) {
      E = Vector("E", system.E.extent(0));
    }
    copy(system.E, E);
  }
  if (pattern_id_ == system.pattern_id && J.rows == system.blocks()) return;
  pattern_id_ = system.pattern_id;
  J.rows = system.blocks();
  J.columns = system.nodes();
  J.row_begin = system.row_begin;
  J.column = system.column;
  const std::size_t entries = kBlockSize * system.column.extent(0);
  const auto rows = static_cast<std::size_t>(system.rows());
  const auto dofs = static_cast<std::size_t>(system.dofs());
  storage_.resize(entries + rows + dofs);  // evaluate() writes every entry
  J.value = Vector(storage_.data(), entries);
  value = Vector(storage_.data() + entries, rows);
  impulse_ = Vector(storage_.data() + entries + rows, dofs);
}

void StepEvaluation::swap(StepEvaluation& other) {
  std::swap(value, other.value);
  std::swap(J, other.J);
  std::swap(E, other.E);
  std::swap(pattern_id_, other.pattern_id_);
  std::swap(storage_, other.storage_);
  std::swap(impulse_, other.impulse_);
}

void StepEvaluation::apply_transposed(ConstVector r, Vector impulse) const {
  fill(impulse, 0.0);
  add_transposed(J, 1.0, r, impulse);
}

StepEvaluation::BlockError StepEvaluation::block_error(const System& system, ConstVector r,
                                                       Index i) const {
  const RowLaw& law = system.laws[static_cast<std::size_t>(i)];
  const double* r_i = &r(kBlock * i);
  const double* rho = &system.rho_error(kBlock * i);
  const Vec3 v = load3(&value(kBlock * i)) + load9(&E(kBlockSize * i)) * load3(r_i);
  return law.is_contact() ? error_of_contact(law, v, r_i, rho) : error_of_box(law, v, r_i, rho);
}

double StepEvaluation::contact_error(const System& system, ConstVector r) const {
  double worst = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    if (!system.laws[static_cast<std::size_t>(i)].is_contact()) continue;
    worst = worse(worst, block_error(system, r, i).largest());
  }
  return worst;
}

StepError StepEvaluation::error(const System& system, ConstVector u, ConstVector r) {
  StepError out;
  double worst = 0.0;
  for (Index i = 0; i < system.blocks(); ++i) {
    const BlockError e = block_error(system, r, i);
    const double largest = e.largest();
    if (!(largest <= worst) && !std::isnan(worst)) {
      worst = largest;
      out.worst = i;
    }
    out.normal = std::max(out.normal, system.h * e.normal);
    out.friction = std::max(out.friction, e.friction);
    out.box = std::max(out.box, e.box);
  }
  apply_transposed(r, impulse_);
  for (Index n = 0; n < system.nodes(); ++n) {
    const Vec3 change = load9(&system.M_inverse(kBlockSize * n)) * load3(&impulse_(kBlock * n));
    const Vec3 moved = load3(&u(kBlock * n)) - load3(&system.u_free(kBlock * n));
    out.momentum = worse(out.momentum, spin_arm(system, n) * largest_of(moved - change));
  }
  out.total = std::max({worst, out.momentum});
  if (!std::isfinite(worst) || !std::isfinite(out.momentum)) {
    out.total = std::numeric_limits<double>::infinity();
  }
  out.relative = std::isfinite(system.speed_scale) ? out.total / system.speed_scale
                                                   : std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace nsn
