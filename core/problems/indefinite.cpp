#include "nsn/core/problems/indefinite.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/problems/friction_blocks.h"
#include "nsn/core/problems/friction_error.h"

namespace nsn {
namespace {

constexpr double kNotRounding =
    1e-4;                           // of |W_ii|: a hundred times what text with few digits leaves
constexpr int kMostProducts = 200;  // guard: a saddle that takes more stays unnoticed

using Numbers = std::vector<double>;

double product(const Numbers& x, const Numbers& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// S = (W + W^T) / 2.
class SymmetricPart {
 public:
  explicit SymmetricPart(const BlockCsr& W) : W_(W), transposed_(transposed_blocks(W)) {
    NSN_THROW_UNLESS(!transposed_.empty() || W.rows == 0,
                     "the pattern of W is not symmetric, or lacks diagonal blocks");
  }

  double entry(Index k, int r, int c) const {
    const Index t = transposed_[to_size(k)];
    return 0.5 * (W_.value(kBlockSize * k + 3 * r + c) + W_.value(kBlockSize * t + 3 * c + r));
  }
  Numbers multiply(const Numbers& x) const {
    Numbers y(x.size(), 0.0);
    for (Index i = 0; i < W_.rows; ++i) {
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        const std::size_t at = 3 * to_size(W_.column(k));
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            y[3 * to_size(i) + static_cast<std::size_t>(r)] +=
                entry(k, r, c) * x[at + static_cast<std::size_t>(c)];
          }
        }
      }
    }
    return y;
  }
  Numbers diagonal() const {
    Numbers d(3 * to_size(W_.rows));
    for (Index i = 0; i < W_.rows; ++i) {
      const Index k = find_block(W_, i, i);
      for (int r = 0; r < 3; ++r) {
        d[3 * to_size(i) + static_cast<std::size_t>(r)] = entry(k, r, r);
      }
    }
    return d;
  }

 private:
  const BlockCsr& W_;
  std::vector<Index> transposed_;
};

/// The least quotient of two rows a, b: that of [aa ab; ab bb].
struct Pair {
  std::size_t a = 0, b = 0;
  double aa = 0.0, ab = 0.0, bb = 0.0;

  double least() const { return 0.5 * (aa + bb) - std::hypot(0.5 * (aa - bb), ab); }
  void vector(Numbers& z) const {
    std::fill(z.begin(), z.end(), 0.0);
    if (a == b || ab == 0.0) {
      z[aa <= bb ? a : b] = 1.0;
      return;
    }
    z[a] = least() - bb;
    z[b] = ab;
  }
};

/// The two rows, or the one, with the least quotient.
Pair worst_pair(const BlockCsr& W, const SymmetricPart& S) {
  const Numbers d = S.diagonal();
  Pair worst;
  double least = kInfinity;
  for (Index i = 0; i < W.rows; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          const std::size_t a = 3 * to_size(i) + static_cast<std::size_t>(r);
          const std::size_t b = 3 * to_size(W.column(k)) + static_cast<std::size_t>(c);
          if (a > b) continue;
          const Pair pair{a, b, d[a], a == b ? 0.0 : S.entry(k, r, c), d[b]};
          if (pair.least() < least) {
            least = pair.least();
            worst = pair;
          }
        }
      }
    }
  }
  return worst;
}

/// One step of conjugate gradients on z . S z / |z|^2: the least quotient in the plane of z and p. |z| = 1.
double step(Numbers& z, Numbers& Sz, const Numbers& p, const Numbers& Sp) {
  const double size = product(p, p);
  const double overlap = product(z, p);
  const double length = std::sqrt(size - overlap * overlap);
  if (!(length > 1e-14 * std::sqrt(size))) return 0.0;
  const double scale = 1.0 / length;  // of n, the part of p across z
  const double zz = product(z, Sz);
  const double zn = scale * (product(z, Sp) - overlap * zz);
  const double nn =
      scale * scale * (product(p, Sp) - 2.0 * overlap * product(z, Sp) + overlap * overlap * zz);
  const double angle = 0.5 * std::atan2(-2.0 * zn, nn - zz);
  const double c = std::cos(angle);
  const double s = std::sin(angle) * scale;
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = c * z[i] + s * (p[i] - overlap * z[i]);
    Sz[i] = c * Sz[i] + s * (Sp[i] - overlap * Sz[i]);
  }
  return angle;
}

/// z . S z / |z|^2 falls until it is no rounding any more, or does not fall.
void descend(const SymmetricPart& S, Numbers& z) {
  Numbers Sz = S.multiply(z);
  Numbers p(z.size(), 0.0);
  double last = 0.0;
  for (int k = 0; k < kMostProducts; ++k) {
    const double quotient = product(z, Sz);
    if (quotient < -kNotRounding) return;
    Numbers gradient = Sz;
    for (std::size_t i = 0; i < z.size(); ++i) gradient[i] -= quotient * z[i];
    const double size = product(gradient, gradient);
    if (!(size > 1e-24)) return;
    const double memory = last > 0.0 ? size / last : 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) p[i] = memory * p[i] - gradient[i];
    last = size;
    if (step(z, Sz, p, S.multiply(p)) == 0.0) return;
  }
}

void normalise(Numbers& z) {
  const double size = std::sqrt(product(z, z));
  for (double& x : z) x /= size;
}

}  // namespace

NegativeEnergy find_negative_energy(const BlockCsr& W) {
  NegativeEnergy out;
  if (W.rows == 0) return out;
  const SymmetricPart S(W);
  out.z.resize(3 * to_size(W.rows));
  const Pair pair = worst_pair(W, S);
  pair.vector(out.z);
  if (pair.least() >= -kNotRounding) {
    for (std::size_t i = 0; i < out.z.size(); ++i) {  // every direction has a part of the start
      out.z[i] += 0.1 * std::sin(1.0 + 12.9898 * static_cast<double>(i));
    }
    normalise(out.z);
    descend(S, out.z);
  }
  normalise(out.z);
  const double quotient = product(out.z, S.multiply(out.z));  // formed again: the proof
  if (!(quotient < -kNotRounding)) {
    out.z.clear();
    return out;
  }
  out.quotient = quotient;
  const auto most = std::max_element(out.z.begin(), out.z.end(),
                                     [](double a, double b) { return std::abs(a) < std::abs(b); });
  out.contact = static_cast<Index>((most - out.z.begin()) / 3);
  return out;
}

NegativeEnergy find_negative_energy(const FrictionProblem& problem) {
  FrictionBlocks blocks = to_friction_blocks(problem);
  const Vector rho = zero_vector(blocks.W.rows);
  contact_rho(blocks.W, rho);
  const Vector scaled = duplicate(blocks.W.value);
  for (Index i = 0; i < blocks.W.rows; ++i) {
    for (Index k = blocks.W.row_begin(i); k < blocks.W.row_begin(i + 1); ++k) {
      const double scale = 1.0 / std::sqrt(rho(i) * rho(blocks.W.column(k)));
      for (Index e = 0; e < kBlockSize; ++e) scaled(kBlockSize * k + e) *= scale;
    }
  }
  blocks.W.value = scaled;
  return find_negative_energy(blocks.W);
}

}  // namespace nsn
