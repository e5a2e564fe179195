// Linear solvers: the registry, backends written in Python, solves of a caller's matrix.
#include <cstring>

#include "core.h"
#include "nsn/core/linear/direct_solver.h"

namespace nsn::python {
namespace {

/// numpy's view of an array of ours, while C++ keeps it.
template <class T>
nb::ndarray<nb::numpy, const T> lent(const T* data, std::size_t n) {
  return nb::ndarray<nb::numpy, const T>(data, {n}, nb::handle());
}

/// What says in Python that a matrix is singular: ArithmeticError, numpy's LinAlgError, and RuntimeError
/// with that word (scipy's SuperLU).
bool says_singular(const nb::python_error& error) {
  if (error.matches(PyExc_ArithmeticError)) return true;
  const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
  if (type == "LinAlgError") return true;
  const std::string text = nb::cast<std::string>(nb::str(error.value()));
  return error.matches(PyExc_RuntimeError) && text.find("singular") != std::string::npos;
}

/// factorize(rows, row_begin, column, value) returns solve(b) -> x.
class PythonSolver final : public DirectSolver {
 public:
  PythonSolver(std::string_view name, const Capabilities& can, const Options& options,
               std::shared_ptr<nb::object> factorize)
      : DirectSolver(name, can, options), factorize_(std::move(factorize)) {}
  ~PythonSolver() override {
    const Locked locked;
    solve_.reset();
  }

 private:
  void analyze_entries(const Csr& /*A*/) override {}

  Preparation factorize_entries(const Csr& A) override {
    const Locked locked;
    try {
      solve_ = (*factorize_)(A.rows, lent(A.row_begin.data(), A.row_begin.extent(0)),
                             lent(A.column.data(), A.column.extent(0)),
                             lent(A.value.data(), A.value.extent(0)));
      return {};
    } catch (nb::python_error& error) {
      if (!says_singular(error)) throw;
      return {false, LinearStatus::kSingularPivot, nb::cast<std::string>(nb::str(error.value()))};
    }
  }

  void solve_in_place(Vector v) override {
    const Locked locked;
    const std::vector<double> b(v.data(), v.data() + v.extent(0));
    const nb::object x = solve_(as_numpy(b));
    nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> answer;
    if (!nb::try_cast(x, answer) || answer.shape(0) != v.extent(0)) {
      throw std::invalid_argument(fmt::format(
          "linear solver '{}': solve(b) must return a float64 array of {} numbers, it returned {}",
          name(), v.extent(0), nb::cast<std::string>(nb::repr(x.type()))));
    }
    std::memcpy(v.data(), answer.data(), sizeof(double) * v.extent(0));
  }

  double bytes_per_solve() const override { return 0.0; }
  double factor_bytes_held() const override { return 0.0; }

  std::shared_ptr<nb::object> factorize_;
  nb::object solve_;
};

void add_solver(SolverRegistry& registry, const std::string& name, nb::object factorize,
                const std::string& summary, bool symmetric) {
  Capabilities can;
  can.needs_entries = can.direct = true;
  can.handles_indefinite = can.handles_unsymmetric = !symmetric;
  const std::shared_ptr<nb::object> kept = keep(std::move(factorize));
  SolverInfo info;
  info.name = name;
  info.summary = summary;
  info.licence = "the caller's";
  info.capabilities = can;
  info.options = {refine_option()};
  info.make = [name, can, kept](const Options& options, const SolverRegistry&) {
    return std::make_unique<PythonSolver>(name, can, options, kept);
  };
  registry.add(std::move(info));
}

nb::dict describe(const SolverInfo& info) {
  nb::dict d;
  d["name"] = info.name;
  d["summary"] = info.summary;
  d["licence"] = info.licence;
  d["available"] = info.available();
  d["reason"] = info.reason;
  d["direct"] = info.capabilities.direct;
  d["indefinite"] = info.capabilities.handles_indefinite;
  d["unsymmetric"] = info.capabilities.handles_unsymmetric;
  nb::list options;
  for (const OptionSpec& o : info.options) {
    options.append(nb::make_tuple(o.key, o.default_value, o.help));
  }
  d["options"] = options;
  return d;
}

/// A matrix whose products can be interrupted.
class Watched final : public LinearOperator {
 public:
  explicit Watched(std::unique_ptr<LinearOperator> of) : of_(std::move(of)) {}
  Index rows() const override { return of_->rows(); }
  void apply(ConstVector x, Vector y) const override {
    Interruptible::poll();
    of_->apply(x, y);
  }
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                              Vector y) const override {
    Interruptible::poll();
    return of_->apply_with_sums(x, d, q, y);
  }
  void diagonal(Vector out) const override { of_->diagonal(out); }
  void diagonal_blocks(Vector out) const override { of_->diagonal_blocks(out); }
  const BlockCsr* blocks() const override { return of_->blocks(); }
  const Csr* scalars() const override { return of_->scalars(); }
  std::uint64_t pattern_id() const override { return of_->pattern_id(); }
  std::uint64_t value_id() const override { return of_->value_id(); }
  double bytes_per_apply() const override { return of_->bytes_per_apply(); }
  bool symmetric() const override { return of_->symmetric(); }

 private:
  std::unique_ptr<LinearOperator> of_;
};

bool nearly_symmetric(const BlockCsr& A) {
  const std::vector<Index> mirror = transposed_blocks(A);
  if (mirror.empty()) return false;
  double difference = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < mirror.size(); ++k) {
    const double* const a = A.value.data() + kBlockSize * k;
    const double* const t = A.value.data() + kBlockSize * to_size(mirror[k]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        difference = std::max(difference, std::abs(a[3 * r + c] - t[3 * c + r]));
        largest = std::max(largest, std::abs(a[3 * r + c]));
      }
    }
  }
  return difference <= kSymmetricToRounding * largest;
}

/// A caller's matrix, viewed: Python keeps its arrays.
std::unique_ptr<Watched> matrix(const Ints& indptr, const Ints& indices, const Doubles& data,
                                int block, std::optional<bool> symmetric) {
  const auto rows = static_cast<Index>(indptr.size()) - 1;
  const CsrArrays arrays{span_of<Index>(indptr), span_of<Index>(indices), span_of<double>(data)};
  if (block == 3) {
    const BlockCsr A = block_csr_view("A", rows, rows, arrays);
    const bool known = symmetric ? *symmetric : nearly_symmetric(A);
    return std::make_unique<Watched>(std::make_unique<BlockOperator>(A, known));
  }
  const Csr A = csr_view("A", rows, rows, arrays);
  const bool known = symmetric ? *symmetric : asymmetry(A) <= kSymmetricToRounding;
  return std::make_unique<Watched>(std::make_unique<CsrOperator>(A, known));
}

LinearReport solve(LinearSolver& solver, const Watched& A, const Doubles& b,
                   nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> x, double rtol,
                   double atol, int max_iterations, const nb::object& monitor) {
  NSN_THROW_UNLESS(static_cast<Index>(b.size()) == A.rows(), "b: {} numbers for {} rows", b.size(),
                   A.rows());
  NSN_THROW_UNLESS(x.size() == b.size(), "x0: {} numbers for {} rows", x.size(), A.rows());
  NSN_THROW_UNLESS(rtol >= 0.0 && atol >= 0.0, "rtol {}, atol {}: they must be >= 0", rtol, atol);
  NSN_THROW_UNLESS(max_iterations >= 0, "max_iterations {}: it must be >= 0", max_iterations);
  Monitor watch;
  if (!monitor.is_none()) {
    watch = [&](const IterationInfo& at) {
      const Locked locked;
      monitor(at.iteration, at.residual);
    };
  }
  const Interruptible scope;
  const Unlocked unlocked;
  solver.prepare(A);
  return solver.solve(vector_of(b), Vector(x.data(), x.size()),
                      {.rtol = rtol, .atol = atol, .max_iterations = max_iterations}, watch);
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<SolverRegistry>(m, "Registry")
      .def("__init__", [](SolverRegistry* r) { new (r) SolverRegistry(standard_backends()); })
      .def("names",
           [](const SolverRegistry& r) {
             std::vector<std::string> names;
             for (const SolverInfo& s : r.solvers()) names.push_back(s.name);
             return names;
           })
      .def(
          "info",
          [](const SolverRegistry& r, std::string_view name) { return describe(r.info(name)); },
          "name"_a)
      .def("add", &add_solver, "name"_a, "factorize"_a, "summary"_a, "symmetric"_a)
      .def(
          "make", [](const SolverRegistry& r, std::string_view spec) { return r.make(spec); },
          "spec"_a);

  nb::class_<Watched>(m, "Matrix")
      .def_prop_ro("rows", &Watched::rows)
      .def_prop_ro("symmetric", &Watched::symmetric);
  m.def("matrix", &matrix, "indptr"_a.noconvert(), "indices"_a.noconvert(), "data"_a.noconvert(),
        "block"_a, "symmetric"_a.none());

  nb::class_<LinearReport>(m, "LinearReport")
      .def_prop_ro("status", [](const LinearReport& r) { return std::string(to_string(r.status)); })
      .def_prop_ro("ok", &LinearReport::ok)
      .def_ro("iterations", &LinearReport::iterations)
      .def_ro("initial_residual", &LinearReport::initial_residual)
      .def_ro("recurrence_residual", &LinearReport::recurrence_residual)
      .def_ro("true_residual", &LinearReport::true_residual)
      .def_prop_ro("relative_residual", &LinearReport::relative_residual)
      .def_ro("normal_residual", &LinearReport::normal_residual)
      .def_ro("analyze_seconds", &LinearReport::analyze_seconds)
      .def_ro("factorize_seconds", &LinearReport::factorize_seconds)
      .def_ro("solve_seconds", &LinearReport::solve_seconds)
      .def_ro("bytes_moved", &LinearReport::bytes_moved)
      .def_ro("bytes_held", &LinearReport::bytes_held)
      .def_ro("detail", &LinearReport::detail);

  nb::class_<LinearSolver>(m, "Solver")
      .def_prop_ro("name", [](const LinearSolver& s) { return std::string(s.name()); })
      .def_prop_ro("factorization_flops", &LinearSolver::factorization_flops)
      .def(
          "analyze",
          [](LinearSolver& s, const Watched& A) {
            const Interruptible scope;
            const Unlocked unlocked;
            s.analyze(A);
          },
          "A"_a)
      .def(
          "prepare",
          [](LinearSolver& s, const Watched& A) {
            const Interruptible scope;
            const Unlocked unlocked;
            s.prepare(A);
          },
          "A"_a)
      .def("solve", &solve, "A"_a, "b"_a, "x"_a, "rtol"_a, "atol"_a, "max_iterations"_a,
           "monitor"_a.none());
}

}  // namespace nsn::python
