#include "nsn/backends/amg_hierarchy.h"

#if defined(NSN_WITH_AMG)
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/aggregation.hpp>
#include <amgcl/coarsening/rigid_body_modes.hpp>
#include <amgcl/coarsening/ruge_stuben.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/chebyshev.hpp>
#include <amgcl/relaxation/damped_jacobi.hpp>
#include <amgcl/relaxation/gauss_seidel.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/relaxation/iluk.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/value_type/static_matrix.hpp>

namespace nsn {
namespace {

using Block3 = amgcl::static_matrix<double, kBlock, kBlock>;
using Point3 = amgcl::static_matrix<double, kBlock, 1>;
static_assert(sizeof(Block3) == kBlockSize * sizeof(double), "a block is nine doubles, by rows");

template <class Value>
using BackendOf = amgcl::backend::builtin<Value, Index, Index>;

template <class Value>
constexpr bool kScalar = std::is_same_v<Value, double>;

/// Doubles of a value.
template <class Value>
constexpr double kDoubles = static_cast<double>(sizeof(Value)) / sizeof(double);

/// Sizes of a hierarchy, gathered while it is built, in values.
struct Statistics {
  double rows = 0.0;          // of the levels that are smoothed: all but the last
  double entries = 0.0;       // of their matrices
  double transfer = 0.0;      // of P and R between all levels
  double last_rows = 0.0;     // of the last level, which is factorised
  double last_entries = 0.0;  // of its matrix

  Statistics() = default;
  Statistics(double first_rows, double first_entries)
      : last_rows(first_rows), last_entries(first_entries) {}

  void add_level(double transfer_entries, double level_rows, double level_entries) {
    rows += std::exchange(last_rows, level_rows);
    entries += std::exchange(last_entries, level_entries);
    transfer += transfer_entries;
  }
};

bool is_finite(double v) {
  return std::isfinite(v);
}
bool is_finite(const Block3& v) {
  bool finite = true;
  for (int k = 0; k < static_cast<int>(kBlockSize); ++k) finite = finite && std::isfinite(v(k));
  return finite;
}

template <class M>
bool all_finite_values(const M& A) {
  const auto entries = static_cast<std::size_t>(A.nnz);
  return std::all_of(A.val, A.val + entries, [](const auto& v) { return is_finite(v); });
}

/// AMGCL's Ruge-Stueben splitting sorts variables by a weight of up to twice their number of
/// neighbours into as many bins as there are rows: a nearly dense level would overrun them.
template <class M>
bool too_dense_to_split(const M& A) {
  Index longest = 0;
  for (std::size_t i = 0; i < A.nrows; ++i) longest = std::max(longest, A.ptr[i + 1] - A.ptr[i]);
  return 2 * static_cast<std::size_t>(longest) >= A.nrows;
}

/// A without the rows that have no negative entry beside the diagonal. AMGCL's Ruge-Stueben keeps
/// such rows on the fine level, as it should, but reads their strong connections without having set
/// them: rows without entries have none to read.
template <class M>
M without_rows_of_one_sign(const M& A) {
  const double negligible = amgcl::detail::eps<double>(1);
  M kept;
  kept.set_size(A.nrows, A.ncols, true);
  const auto couples = [&](std::size_t i) {
    for (auto k = A.ptr[i]; k < A.ptr[i + 1]; ++k) {
      if (A.col[k] != static_cast<Index>(i) && A.val[k] <= -negligible) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < A.nrows; ++i) {
    kept.ptr[i + 1] = kept.ptr[i] + (couples(i) ? A.ptr[i + 1] - A.ptr[i] : 0);
  }
  kept.set_nonzeros(static_cast<std::size_t>(kept.ptr[A.nrows]));
  for (std::size_t i = 0; i < A.nrows; ++i) {
    const auto count = kept.ptr[i + 1] - kept.ptr[i];
    std::copy_n(A.col + A.ptr[i], count, kept.col + kept.ptr[i]);
    std::copy_n(A.val + A.ptr[i], count, kept.val + kept.ptr[i]);
  }
  return kept;
}

/// AMGCL's coarsenings behind one type, chosen at run time.
template <class B>
class Coarsening {
  using Value = typename B::value_type;
  using Smoothed = amgcl::coarsening::smoothed_aggregation<B>;
  using Plain = amgcl::coarsening::aggregation<B>;
  struct None {};
  using Classical =
      std::conditional_t<kScalar<Value>, amgcl::coarsening::ruge_stuben<BackendOf<double>>, None>;
  using Method = std::variant<Smoothed, Plain, Classical>;

 public:
  struct params {
    const AmgSettings* settings = nullptr;
    Statistics* statistics = nullptr;
  };

  explicit Coarsening(const params& p) : statistics_(p.statistics), method_(choose(*p.settings)) {}

  template <class M>
  std::tuple<std::shared_ptr<M>, std::shared_ptr<M>> transfer_operators(const M& A) {
    return std::visit(
        [&](auto& method) -> std::tuple<std::shared_ptr<M>, std::shared_ptr<M>> {
          using Chosen = std::decay_t<decltype(method)>;
          if constexpr (std::is_same_v<Chosen, None>) {
            throw std::logic_error("no such coarsening");
          } else if constexpr (std::is_same_v<Chosen, Classical>) {
            if (too_dense_to_split(A))
              throw amgcl::error::empty_level();  // ends the hierarchy here
            return method.transfer_operators(without_rows_of_one_sign(A));
          } else {
            return method.transfer_operators(A);
          }
        },
        method_);
  }

  template <class M>
  std::shared_ptr<M> coarse_operator(const M& A, const M& P, const M& R) const {
    auto coarse = std::visit(
        [&](auto& method) -> std::shared_ptr<M> {
          if constexpr (std::is_same_v<std::decay_t<decltype(method)>, None>) {
            throw std::logic_error("no such coarsening");
          } else {
            return method.coarse_operator(A, P, R);
          }
        },
        method_);
    if (!all_finite_values(*coarse)) throw std::runtime_error("a coarse matrix is not finite");
    statistics_->add_level(static_cast<double>(P.nnz + R.nnz), static_cast<double>(coarse->nrows),
                           static_cast<double>(coarse->nnz));
    return coarse;
  }

 private:
  /// Six rigid motions; weak couplings are kept, as AMGCL asks of a near null space. P is smoothed by
  /// the spectral radius of D^-1 S: the usual 2/3 is for radii near 2, those of elasticity reach 4.
  template <class Params>
  static void set_modes(ConstVector positions, Params& p) {
    p.aggr.block_size = kBlock;
    p.aggr.eps_strong = 0;
    p.estimate_spectral_radius = true;
    const std::vector<double> points(positions.data(), positions.data() + positions.extent(0));
    p.nullspace.cols = amgcl::coarsening::rigid_body_modes(kBlock, points, p.nullspace.B);
  }

  static Method choose(const AmgSettings& settings) {
    if (settings.coarsening == "ruge-stuben") {
      if constexpr (kScalar<Value>) return Method(std::in_place_index<2>);
      throw std::invalid_argument("ruge-stuben knows scalars only");
    }
    const unsigned aggregate = kScalar<Value> ? settings.aggregate : 1;
    if (settings.coarsening == "aggregation") {
      typename Plain::params plain;
      plain.aggr.block_size = aggregate;
      return Method(std::in_place_index<1>, plain);
    }
    typename Smoothed::params smoothed;
    smoothed.aggr.block_size = aggregate;
    if (settings.positions.extent(0) > 0) set_modes(settings.positions, smoothed);
    return Method(std::in_place_index<0>, smoothed);
  }

  Statistics* statistics_;
  Method method_;
};

enum class SmootherKind { kChebyshev, kSpai0, kDampedJacobi, kGaussSeidel, kIlu0, kIluk };

/// AMGCL's relaxations behind one type, chosen at run time.
template <class B>
class Smoother {
  using Chebyshev = amgcl::relaxation::chebyshev<B>;
  using Spai0 = amgcl::relaxation::spai0<B>;
  using DampedJacobi = amgcl::relaxation::damped_jacobi<B>;
  using GaussSeidel = amgcl::relaxation::gauss_seidel<B>;
  using Ilu0 = amgcl::relaxation::ilu0<B>;
  using Iluk = amgcl::relaxation::iluk<B>;

 public:
  struct params {
    SmootherKind kind = SmootherKind::kChebyshev;
  };

  template <class M>
  Smoother(const M& A, const params& p, const typename B::params& backend)
      : method_(choose(A, p.kind, backend)) {}

  template <class M, class Rhs, class X, class Temporary>
  void apply_pre(const M& A, const Rhs& rhs, X& x, Temporary& t) const {
    std::visit([&](const auto& method) { method->apply_pre(A, rhs, x, t); }, method_);
  }
  template <class M, class Rhs, class X, class Temporary>
  void apply_post(const M& A, const Rhs& rhs, X& x, Temporary& t) const {
    std::visit([&](const auto& method) { method->apply_post(A, rhs, x, t); }, method_);
  }
  std::size_t bytes() const {
    return std::visit([](const auto& method) { return method->bytes(); }, method_);
  }

 private:
  using Method = std::variant<std::unique_ptr<Chebyshev>, std::unique_ptr<Spai0>,
                              std::unique_ptr<DampedJacobi>, std::unique_ptr<GaussSeidel>,
                              std::unique_ptr<Ilu0>, std::unique_ptr<Iluk>>;

  template <class M>
  static Method choose(const M& A, SmootherKind kind, const typename B::params& backend) {
    switch (kind) {
      case SmootherKind::kSpai0:
        return std::make_unique<Spai0>(A, typename Spai0::params(), backend);
      case SmootherKind::kDampedJacobi:
        return std::make_unique<DampedJacobi>(A, typename DampedJacobi::params(), backend);
      case SmootherKind::kGaussSeidel:
        return std::make_unique<GaussSeidel>(A, typename GaussSeidel::params(), backend);
      case SmootherKind::kIlu0:
        return std::make_unique<Ilu0>(A, typename Ilu0::params(), backend);
      case SmootherKind::kIluk:
        return std::make_unique<Iluk>(A, typename Iluk::params(), backend);
      case SmootherKind::kChebyshev:
        break;
    }
    typename Chebyshev::params chebyshev;
    chebyshev.scale = true;  // of D^-1 S, whose spectrum does not depend on units
    return std::make_unique<Chebyshev>(A, chebyshev, backend);
  }

  Method method_;
};

SmootherKind smoother_kind(const std::string& text) {
  if (text == "spai0") return SmootherKind::kSpai0;
  if (text == "damped-jacobi") return SmootherKind::kDampedJacobi;
  if (text == "gauss-seidel") return SmootherKind::kGaussSeidel;
  if (text == "ilu0") return SmootherKind::kIlu0;
  if (text == "iluk") return SmootherKind::kIluk;
  return SmootherKind::kChebyshev;
}

constexpr int kChebyshevDegree = 5;  // AMGCL's default

/// S in AMGCL's own storage.
template <class Value, class Matrix>
auto copied(const Matrix& S) {
  using amgcl::make_iterator_range;
  const Index* const begin = S.row_begin.data();
  const Index* const column = S.column.data();
  const auto entries = static_cast<std::ptrdiff_t>(S.column.extent(0));
  const auto* const value = reinterpret_cast<const Value*>(S.value.data());
  return std::make_shared<typename BackendOf<Value>::matrix>(
      static_cast<std::size_t>(S.rows), static_cast<std::size_t>(S.columns),
      make_iterator_range(begin, begin + S.rows + 1), make_iterator_range(column, column + entries),
      make_iterator_range(value, value + entries));
}

template <class Value>
class Hierarchy final : public AmgHierarchy {
  using Levels = amgcl::amg<BackendOf<Value>, Coarsening, Smoother>;
  using Matrix = typename BackendOf<Value>::matrix;
  using Part = std::conditional_t<kScalar<Value>, double, Point3>;  // of a vector

 public:
  Hierarchy(const AmgSettings& settings, std::shared_ptr<Matrix> A)
      : settings_(settings), statistics_(sizes_of(*A)) {
    typename Levels::params params;
    params.coarsening.settings = &settings_;
    params.coarsening.statistics = &statistics_;
    params.relax.kind = smoother_kind(settings.smoother);
    params.coarse_enough = std::max(1U, settings.coarse_enough / (kScalar<Value> ? 1U : 3U));
    params.npre = params.npost = settings.sweeps;
    params.ncycle = settings.cycle;
    params.max_levels = 30;  // a coarsening that no longer coarsens must end
    params.allow_rebuild = settings.reuse;
    levels_ = std::make_unique<Levels>(std::move(A), params);
  }

  bool refresh(std::shared_ptr<Matrix> A) {
    statistics_ = sizes_of(*A);
    try {
      levels_->rebuild(std::move(A));
      return true;
    } catch (const std::exception&) {  // the new values do not fit the old levels
      return false;
    }
  }

  void apply(ConstVector r, Vector z) const override {
    const auto n = static_cast<std::ptrdiff_t>(r.extent(0) * sizeof(double) / sizeof(Part));
    const auto* const in = reinterpret_cast<const Part*>(r.data());
    auto* const out = reinterpret_cast<Part*>(z.data());
    const auto rhs = amgcl::make_iterator_range(in, in + n);
    auto x = amgcl::make_iterator_range(out, out + n);
    levels_->apply(rhs, x);
  }

  // On each smoothed level: the smoothing steps and a residual read the matrix, P and R are read
  // once, and about five vectors pass per product. The last level is factorised; its factors hold at
  // least the entries of its matrix. A W-cycle visits the levels below the first more often.
  double bytes_per_apply() const override {
    const bool chebyshev = smoother_kind(settings_.smoother) == SmootherKind::kChebyshev;
    const double products = 2.0 * settings_.sweeps * (chebyshev ? kChebyshevDegree : 1) + 1.0;
    const double visits = settings_.cycle == 1 ? 1.0 : 2.0;
    const double entry = 8.0 * kDoubles<Value> + 4.0;
    const double row = 40.0 * (kScalar<Value> ? 1.0 : 3.0);
    return visits * (entry * (products * statistics_.entries + statistics_.transfer) +
                     row * products * statistics_.rows + entry * statistics_.last_entries);
  }
  double bytes_held() const override { return static_cast<double>(levels_->bytes()); }

 private:
  static Statistics sizes_of(const Matrix& A) {
    return {static_cast<double>(A.nrows), static_cast<double>(A.nnz)};
  }

  AmgSettings settings_;
  Statistics statistics_;
  std::unique_ptr<Levels> levels_;
};

}  // namespace

std::unique_ptr<AmgHierarchy> make_amg_hierarchy(const AmgSettings& settings, const Csr& S) {
  return std::make_unique<Hierarchy<double>>(settings, copied<double>(S));
}

std::unique_ptr<AmgHierarchy> make_amg_hierarchy(const AmgSettings& settings, const BlockCsr& S) {
  return std::make_unique<Hierarchy<Block3>>(settings, copied<Block3>(S));
}

bool refresh(AmgHierarchy& hierarchy, const Csr& S) {
  return dynamic_cast<Hierarchy<double>&>(hierarchy).refresh(copied<double>(S));
}

bool refresh(AmgHierarchy& hierarchy, const BlockCsr& S) {
  return dynamic_cast<Hierarchy<Block3>&>(hierarchy).refresh(copied<Block3>(S));
}

}  // namespace nsn

#endif  // NSN_WITH_AMG
