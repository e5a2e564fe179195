#include "nsn/tests/contract/linear_solver_contract.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>

#include "nsn/core/base/error.h"
#include "nsn/tests/contract/contract_systems.h"

namespace nsn::contract {
namespace {

using Status = LinearStatus;

double norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

Vector to_view(const std::vector<double>& values) {
  Vector v("v", values.size());
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

std::vector<double> to_std(ConstVector v) {
  return {v.data(), v.data() + v.extent(0)};
}

bool finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  std::transform(a.begin(), a.end(), b.begin(), d.begin(), std::minus<>());
  return norm(d);
}

/// Sum of |entries|: bounds |S|_2 and the rounding of a product.
double size_of_entries(const Csr& S) {
  double sum = 0.0;
  for (Index k = 0; k < S.nonzeros(); ++k) sum += std::abs(S.value(k));
  return sum;
}

/// The same operator without its entries.
class MatrixFree final : public LinearOperator {
 public:
  explicit MatrixFree(const LinearOperator& op) : op_(op) {}
  Index rows() const override { return op_.rows(); }
  void apply(ConstVector x, Vector y) const override { op_.apply(x, y); }
  void diagonal(Vector out) const override { op_.diagonal(out); }
  void diagonal_blocks(Vector out) const override { op_.diagonal_blocks(out); }
  std::uint64_t pattern_id() const override { return op_.pattern_id(); }
  std::uint64_t value_id() const override { return op_.value_id(); }
  double bytes_per_apply() const override { return op_.bytes_per_apply(); }
  bool symmetric() const override { return op_.symmetric(); }

 private:
  const LinearOperator& op_;
};

/// What a case works with: makes solvers, solves, and notes what was not as expected.
class Trial {
 public:
  Trial(const SolverRegistry& registry, std::string_view spec, std::string_view case_name)
      : registry_(registry), spec_(spec), case_name_(case_name), can_(make()->capabilities()) {}

  const SolverRegistry& registry() const { return registry_; }
  const std::string& spec() const { return spec_; }
  const Capabilities& can() const { return can_; }
  std::unique_ptr<LinearSolver> make() const { return registry_.make(spec_); }
  std::vector<ContractFailure> take_failures() { return std::move(failures_); }

  template <class... Values>
  bool expect(bool condition, fmt::format_string<Values...> text, Values&&... values) {
    if (!condition) {
      failures_.push_back({case_name_, spec_, fmt::format(text, std::forward<Values>(values)...)});
    }
    return condition;
  }

  template <class Action>
  void expect_invalid_argument(std::string_view what, const Action& action) {
    try {
      action();
    } catch (const std::invalid_argument&) {
      return;
    }
    expect(false, "{}: std::invalid_argument was expected, nothing was thrown", what);
  }

  /// Solves with a prepared solver and checks what holds for every report.
  LinearReport solve(LinearSolver& solver, const ContractSystem& system, std::vector<double>& x,
                     const LinearControl& control = {}, const Monitor& monitor = {}) {
    const Vector x_view = to_view(x);
    const LinearReport report = solver.solve(to_view(system.b), x_view, control, monitor);
    x = to_std(x_view);
    check_report(report, system, x, control);
    return report;
  }

  /// Prepares, solves from zero, and expects a solution.
  std::vector<double> must_solve(LinearSolver& solver, const LinearOperator& op,
                                 const ContractSystem& system) {
    solver.prepare(op);
    std::vector<double> x(system.b.size(), 0.0);
    const LinearReport report = solve(solver, system, x);
    expect(report.ok(), "a solution was expected, status {} ({})", to_string(report.status),
           report.detail);
    return x;
  }

  /// Solves from zero and expects a solution or one of the statuses.
  LinearReport solve_or(const ContractSystem& system, std::initializer_list<Status> allowed) {
    const CsrOperator op(system.S);
    const auto solver = make();
    solver->prepare(op);
    std::vector<double> x(system.b.size(), 0.0);
    LinearReport report = solve(*solver, system, x);
    const bool solved = report.ok();
    const bool listed = std::find(allowed.begin(), allowed.end(), report.status) != allowed.end();
    expect(solved || listed, "status {} is not allowed here ({})", to_string(report.status),
           report.detail);
    return report;
  }

  void must_solve(const ContractSystem& system) {
    const CsrOperator op(system.S);
    must_solve(*make(), op, system);
  }

 private:
  void check_report(const LinearReport& report, const ContractSystem& system,
                    const std::vector<double>& x, const LinearControl& control);
  void check_claim(const LinearReport& report, const ContractSystem& system,
                   const LinearControl& control, double residual, double rounding);
  void check_effort(const LinearReport& report, const LinearControl& control);

  const SolverRegistry& registry_;
  std::string spec_;
  std::string case_name_;
  Capabilities can_;
  std::vector<ContractFailure> failures_;
};

void Trial::check_report(const LinearReport& report, const ContractSystem& system,
                         const std::vector<double>& x, const LinearControl& control) {
  if (!expect(finite(x), "NaN or infinity in x with status {}", to_string(report.status))) return;
  if (!report.ok()) {
    expect(!report.detail.empty(), "status {} without a word of detail", to_string(report.status));
  }
  expect(report.analyze_seconds >= 0.0 && report.factorize_seconds >= 0.0 &&
             report.solve_seconds >= 0.0,
         "a negative time");
  check_effort(report, control);
  if (report.status == Status::kNonFinite) return;

  const double residual = distance(system.b, product(system.S, x));
  // Two summation orders of the same product differ by a few units of rounding of its largest
  // terms.
  const double largest = x.empty() ? 0.0 : norm(x);
  const double rounding = 1e-14 * (size_of_entries(system.S) * largest + norm(system.b));
  expect(std::abs(report.true_residual - residual) <= rounding,
         "true_residual {:.6e}, but |b - S x| is {:.6e}", report.true_residual, residual);
  expect(std::abs(report.rhs_norm - norm(system.b)) <= 1e-14 * norm(system.b),
         "rhs_norm {:.6e}, but |b| is {:.6e}", report.rhs_norm, norm(system.b));
  check_claim(report, system, control, residual, rounding);
}

// A recurrence may drift from the true residual by a few per cent before it is noticed; twice the
// tolerance is far beyond that on these well-conditioned systems.
void Trial::check_claim(const LinearReport& report, const ContractSystem& system,
                        const LinearControl& control, double residual, double rounding) {
  const double relative = 2.0 * control.rtol * norm(system.b) + rounding;
  const double absolute = 2.0 * control.atol + rounding;
  switch (report.status) {
    case Status::kConvergedRelative:
      expect(residual <= relative, "'converged' with a residual of {:.3e}, above {:.3e}", residual,
             relative);
      break;
    case Status::kConvergedAbsolute:
      expect(residual <= std::max(absolute, relative),
             "'converged-absolute' with a residual of {:.3e}, above {:.3e}", residual, absolute);
      break;
    case Status::kConvergedLeastSquares:
      // |S r| <= tol |S| |r| with a tolerance that the solver chooses: at least half of the digits.
      expect(report.normal_residual <= 1e-7 * size_of_entries(system.S) * residual + rounding,
             "'least-squares' with |S r| = {:.3e} at |r| = {:.3e}", report.normal_residual,
             residual);
      break;
    default:
      break;
  }
}

void Trial::check_effort(const LinearReport& report, const LinearControl& control) {
  const int most = control.iteration_budget > 0
                       ? std::min(control.iteration_budget, control.max_iterations)
                       : control.max_iterations;
  expect(report.iterations >= 0 && report.iterations <= most, "{} iterations, {} were allowed",
         report.iterations, most);
  expect(!can_.direct || report.iterations == 0, "{} iterations of a direct solver",
         report.iterations);
  if (report.rhs_norm == 0.0 && report.bytes_held == 0.0) return;  // the empty system
  expect(report.bytes_held > 0.0, "bytes_held is {}", report.bytes_held);
  const bool worked = report.iterations > 0 || (can_.direct && report.ok() &&
                                                report.true_residual != report.initial_residual);
  expect(!worked || report.bytes_moved > 0.0, "bytes_moved is {}", report.bytes_moved);
}

// ---- systems that have one solution
// --------------------------------------------------------------

void spd(Trial& t) {
  const ContractSystem system = chain_of_contacts(24, 1);
  const CsrOperator op(system.S);
  const std::vector<double> x = t.must_solve(*t.make(), op, system);
  // |x - x*| <= |S^-1| |r|, and |S^-1| <= 1 by diagonal dominance; twice rtol as for the residual.
  t.expect(distance(x, system.x_star) <= 2e-10 * norm(system.b), "x is {:.1e} from the solution",
           distance(x, system.x_star));
}

void spd_large(Trial& t) {
  t.must_solve(chain_of_contacts(13500, 2));
}

void rows_not_multiple_of_three(Trial& t) {
  for (const Index rows : {2, 4, 7, 11}) t.must_solve(chain_of_contacts(rows, 3));
}

void one_by_one(Trial& t) {
  const ContractSystem system = diagonal({4.0});
  const CsrOperator op(system.S);
  const std::vector<double> x = t.must_solve(*t.make(), op, system);
  t.expect(std::abs(x[0] - 1.0) <= 1e-10, "4 x = 4 gave x = {}", x[0]);
}

void empty(Trial& t) {
  const ContractSystem system{csr_from_triplets(0, 0, {}), {}, {}};
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x;
  const LinearReport report = t.solve(*solver, system, x);
  t.expect(report.ok(), "an empty system gave {}", to_string(report.status));
}

void wide_diagonal_case(Trial& t) {
  const ContractSystem system = wide_diagonal();
  const CsrOperator op(system.S);
  const std::vector<double> x = t.must_solve(*t.make(), op, system);
  if (!t.can().direct) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    t.expect(std::abs(x[i] - 1.0) <= 1e-10, "row {} of a diagonal system: x = {} instead of 1", i,
             x[i]);
  }
}

void isolated_rows_case(Trial& t) {
  t.must_solve(isolated_rows());
}

// ---- systems that not every solver takes
// ---------------------------------------------------------

void singular(Trial& t, const ContractSystem& system) {
  if (t.can().handles_singular) {
    t.must_solve(system);
  } else if (t.can().direct) {
    t.solve_or(system, {Status::kSingularPivot, Status::kIndefinite, Status::kInaccurate});
  } else {
    t.solve_or(system, {Status::kMaxIterations, Status::kStagnation, Status::kBreakdown,
                        Status::kIndefinite, Status::kSingularPivot});
  }
}

void singular_consistent(Trial& t) {
  singular(t, free_springs(12));
}

void redundant_contacts_case(Trial& t) {
  singular(t, redundant_contacts(12, 6, 4));
}

void zero_rows_case(Trial& t) {
  singular(t, zero_rows());
}

// No x meets a tolerance here: a solver may say so or find the least-squares answer.
void unsolvable(Trial& t, const ContractSystem& system) {
  const LinearReport report =
      t.solve_or(system, {Status::kMaxIterations, Status::kStagnation, Status::kBreakdown,
                          Status::kIndefinite, Status::kSingularPivot, Status::kInaccurate});
  t.expect(!report.ok() || report.status == Status::kConvergedLeastSquares,
           "{} on a system without a solution", to_string(report.status));
}

void singular_inconsistent(Trial& t) {
  unsolvable(t, free_springs_pulled(12));
}

void zero_matrix(Trial& t) {
  ContractSystem system{csr_from_triplets(5, 5, {}), {}, std::vector<double>(5, 0.0)};
  singular(t, system);
  system.b = {1.0, -2.0, 0.0, 3.0, 1.0};
  unsolvable(t, system);
}

void indefinite_case(Trial& t) {
  for (const ContractSystem& system : {indefinite(12, 6), indefinite(7, 7), saddle(5)}) {
    if (t.can().handles_indefinite) {
      t.must_solve(system);
    } else {
      t.solve_or(system, {Status::kIndefinite, Status::kSingularPivot, Status::kBreakdown,
                          Status::kStagnation, Status::kMaxIterations, Status::kInaccurate});
    }
  }
}

void unsymmetric(Trial& t) {
  const ContractSystem system = unsymmetric_chain(20, 8);
  const CsrOperator op(system.S, false);
  const auto solver = t.make();
  if (t.can().handles_unsymmetric) {
    t.must_solve(*solver, op, system);
  } else {
    t.expect_invalid_argument("an unsymmetric operator", [&] { solver->prepare(op); });
  }
}

void matrix_free(Trial& t) {
  const ContractSystem system = chain_of_contacts(18, 9);
  const CsrOperator entries(system.S);
  const MatrixFree op(entries);
  const auto solver = t.make();
  if (t.can().needs_entries) {
    t.expect_invalid_argument("a matrix-free operator", [&] { solver->prepare(op); });
  } else {
    t.must_solve(*solver, op, system);
  }
}

// ---- numbers that are none
// -----------------------------------------------------------------------

void expect_non_finite(Trial& t, LinearSolver& solver, const ContractSystem& system) {
  std::vector<double> x(system.b.size(), 0.25);
  const LinearReport report = t.solve(solver, system, x);
  t.expect(report.status == Status::kNonFinite, "status {} where non-finite was expected",
           to_string(report.status));
  t.expect(x == std::vector<double>(system.b.size(), 0.25), "the initial guess was not returned");
}

void nan_in_rhs(Trial& t) {
  ContractSystem system = chain_of_contacts(12, 10);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  const double good = system.b[5];
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    system.b[5] = bad;
    expect_non_finite(t, *solver, system);
  }
  system.b[5] = good;
  t.must_solve(*solver, op, system);
}

void nan_in_matrix(Trial& t) {
  for (const double bad : {std::nan(""), -std::numeric_limits<double>::infinity()}) {
    const ContractSystem system = chain_of_contacts(12, 11);
    system.S.value(7) = bad;
    const CsrOperator op(system.S);
    const auto solver = t.make();
    solver->prepare(op);
    expect_non_finite(t, *solver, system);
  }
}

// ---- life of a solver
// ----------------------------------------------------------------------------

void changed_values(Trial& t) {
  const ContractSystem first = chain_of_contacts(15, 12);
  const ContractSystem second = chain_of_contacts(15, 13);
  CsrOperator op(first.S);
  const auto solver = t.make();
  t.must_solve(*solver, op, first);
  Kokkos::deep_copy(first.S.value, second.S.value);
  op.values_changed();
  const std::vector<double> x = t.must_solve(*solver, op, second);
  t.expect(distance(x, second.x_star) <= 2e-10 * norm(second.b),
           "after a change of values x is {:.1e} from the solution", distance(x, second.x_star));
}

void changed_pattern(Trial& t) {
  const auto solver = t.make();
  for (const ContractSystem& system :
       {chain_of_contacts(15, 14), isolated_rows(), chain_of_contacts(6, 15), diagonal({2.0, 3.0}),
        chain_of_contacts(21, 16)}) {
    const CsrOperator op(system.S);
    t.must_solve(*solver, op, system);
  }
}

void two_solvers_interleaved(Trial& t) {
  const ContractSystem a = chain_of_contacts(15, 17);
  const ContractSystem b = chain_of_contacts(24, 18);
  const CsrOperator op_a(a.S);
  const CsrOperator op_b(b.S);
  const auto alone_a = t.must_solve(*t.make(), op_a, a);
  const auto alone_b = t.must_solve(*t.make(), op_b, b);
  const auto solver_a = t.make();
  const auto solver_b = t.make();
  solver_a->prepare(op_a);
  solver_b->prepare(op_b);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> x_a(a.b.size(), 0.0);
    std::vector<double> x_b(b.b.size(), 0.0);
    t.expect(t.solve(*solver_a, a, x_a).ok(), "the first of two solvers failed");
    t.expect(t.solve(*solver_b, b, x_b).ok(), "the second of two solvers failed");
    // Systems this small run on one thread: the same work in the same order.
    t.expect(x_a == alone_a && x_b == alone_b, "two solvers in turn differ from one alone");
  }
}

void reuse_after_failure(Trial& t) {
  const ContractSystem system = chain_of_contacts(15, 19);
  CsrOperator op(system.S);
  const auto solver = t.make();
  const double good = system.S.value(0);
  for (const double bad : {std::nan(""), -1e3}) {
    system.S.value(0) = bad;
    op.values_changed();
    solver->prepare(op);
    std::vector<double> x(system.b.size(), 0.0);
    static_cast<void>(t.solve(*solver, system, x, {.max_iterations = 50}));
    system.S.value(0) = good;
    op.values_changed();
    t.must_solve(*solver, op, system);
  }
}

void unchanged_operator(Trial& t) {
  const ContractSystem system = chain_of_contacts(15, 20);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  const auto first = t.must_solve(*solver, op, system);
  const auto second = t.must_solve(*solver, op, system);
  t.expect(first == second, "the same solve twice gave two answers");
}

void blocks_and_scalars(Trial& t) {
  const ContractSystem system = chain_of_contacts(18, 21);
  const CsrOperator scalars(system.S);
  const BlockOperator blocks(to_blocks(system.S));
  const auto solver = t.make();
  const auto x = t.must_solve(*solver, scalars, system);
  const auto y = t.must_solve(*solver, blocks, system);
  t.expect(distance(x, y) <= 4e-10 * norm(system.b),
           "3x3 blocks and scalar rows of one matrix give answers {:.1e} apart", distance(x, y));
}

// ---- guesses, tolerances, budgets
// ----------------------------------------------------------------

void solution_as_guess(Trial& t) {
  const ContractSystem system = chain_of_contacts(15, 22);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x = system.x_star;
  const LinearReport report = t.solve(*solver, system, x);
  t.expect(report.ok() && report.iterations == 0, "status {} after {} iterations",
           to_string(report.status), report.iterations);
  t.expect(x == system.x_star, "a solution handed in was changed");
}

void far_guess(Trial& t) {
  const ContractSystem system = chain_of_contacts(15, 23);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 10.0 : -10.0;
  const LinearReport report = t.solve(*solver, system, x);
  t.expect(report.ok(), "status {} from a far initial guess", to_string(report.status));
}

void zero_rhs(Trial& t) {
  ContractSystem system = chain_of_contacts(15, 24);
  system.b.assign(system.b.size(), 0.0);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size(), 1.0);
  // rtol |b| is zero: only an absolute tolerance can be met from a guess that is not zero.
  const LinearReport report = t.solve(*solver, system, x, {.atol = 1e-9});
  t.expect(report.ok(), "status {} for b = 0", to_string(report.status));
}

void absolute_tolerance(Trial& t) {
  const ContractSystem system = chain_of_contacts(15, 25);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size(), 0.0);
  const LinearReport report = t.solve(*solver, system, x, {.rtol = 0.0, .atol = 1e-6});
  t.expect(report.status == Status::kConvergedAbsolute,
           "status {} where only an absolute tolerance was asked", to_string(report.status));
}

void iteration_budget(Trial& t) {
  const ContractSystem system = chain_of_contacts(24, 26);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size(), 0.0);
  const LinearReport report = t.solve(*solver, system, x, {.iteration_budget = 2});
  t.expect(report.ok(), "status {} with a budget of 2 iterations", to_string(report.status));
}

void max_iterations(Trial& t) {
  const ContractSystem system = chain_of_contacts(24, 27);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size(), 0.0);
  const LinearReport report = t.solve(*solver, system, x, {.max_iterations = 1});
  t.expect(report.ok() || report.status == Status::kMaxIterations, "status {} after 1 iteration",
           to_string(report.status));
}

void monitor_sees_iterations(Trial& t) {
  const ContractSystem system = chain_of_contacts(24, 28);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  solver->prepare(op);
  std::vector<double> x(system.b.size(), 0.0);
  std::vector<IterationInfo> seen;
  const LinearReport report =
      t.solve(*solver, system, x, {}, [&](const IterationInfo& info) { seen.push_back(info); });
  if (t.can().direct) return;
  if (!t.expect(!seen.empty(), "the monitor was never called")) return;
  t.expect(seen.back().iteration == report.iterations, "last seen iteration {}, reported {}",
           seen.back().iteration, report.iterations);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    t.expect(seen[i].iteration > seen[i - 1].iteration, "iteration {} seen after {}",
             seen[i].iteration, seen[i - 1].iteration);
  }
}

// ---- misuse
// --------------------------------------------------------------------------------------

void wrong_sizes(Trial& t) {
  const ContractSystem system = chain_of_contacts(12, 29);
  const CsrOperator op(system.S);
  const auto solver = t.make();
  const Vector right("right", 12);
  const Vector wrong("wrong", 13);
  t.expect_invalid_argument("solve() before prepare()",
                            [&] { static_cast<void>(solver->solve(right, right)); });
  solver->prepare(op);
  t.expect_invalid_argument("b of the wrong size",
                            [&] { static_cast<void>(solver->solve(wrong, right)); });
  t.expect_invalid_argument("x of the wrong size",
                            [&] { static_cast<void>(solver->solve(right, wrong)); });
  t.must_solve(*solver, op, system);
}

void unknown_option(Trial& t) {
  const std::string spec = t.spec() + (t.spec().find(':') == std::string::npos ? ":" : ",");
  t.expect_invalid_argument("an unknown option", [&] {
    static_cast<void>(t.registry().make(spec + "no_such_option=1"));
  });
}

void describes_itself(Trial& t) {
  const std::string name = parse_named_options(t.spec()).name;
  t.expect(t.make()->name() == name, "made as '{}', calls itself '{}'", name, t.make()->name());
  t.expect(!t.registry().info(name).licence.empty(), "no licence is stated");
}

struct Entry {
  const char* name;
  const char* summary;
  void (*run)(Trial&);
};

constexpr Entry kCases[] = {
    {"spd", "symmetric positive definite, 24 rows", spd},
    {"spd-large", "13500 rows: kernels spread over threads", spd_large},
    {"rows-not-multiple-of-three", "2, 4, 7 and 11 rows", rows_not_multiple_of_three},
    {"one-by-one", "one row", one_by_one},
    {"empty", "no rows", empty},
    {"wide-diagonal", "a diagonal from 1e-12 to 1e12", wide_diagonal_case},
    {"isolated-rows", "rows and blocks that touch no other", isolated_rows_case},
    {"singular-consistent", "free springs, b in the range", singular_consistent},
    {"redundant-contacts", "J J^T of half rank, b in the range", redundant_contacts_case},
    {"zero-rows", "a stored and an absent zero row, b zero there", zero_rows_case},
    {"singular-inconsistent", "free springs, b not in the range", singular_inconsistent},
    {"zero-matrix", "S = 0 with b = 0 and with b != 0", zero_matrix},
    {"indefinite", "eigenvalues of both signs, zeros on the diagonal", indefinite_case},
    {"unsymmetric", "solved, or refused in prepare()", unsymmetric},
    {"matrix-free", "solved, or refused in prepare()", matrix_free},
    {"nan-in-rhs", "NaN and infinity in b, then a good b", nan_in_rhs},
    {"nan-in-matrix", "NaN and infinity in S", nan_in_matrix},
    {"changed-values", "new values in the same pattern", changed_values},
    {"changed-pattern", "new sizes and patterns", changed_pattern},
    {"two-solvers-interleaved", "two solvers in turn equal each alone", two_solvers_interleaved},
    {"reuse-after-failure", "NaN or a negative diagonal entry, then good values",
     reuse_after_failure},
    {"unchanged-operator", "prepare() and solve() twice give the same bits", unchanged_operator},
    {"blocks-and-scalars", "one matrix in both storages", blocks_and_scalars},
    {"solution-as-guess", "0 iterations", solution_as_guess},
    {"far-guess", "a guess worse than zero", far_guess},
    {"zero-rhs", "b = 0 from a guess that is not zero", zero_rhs},
    {"absolute-tolerance", "rtol = 0, atol = 1e-6", absolute_tolerance},
    {"iteration-budget", "2 iterations as ordered", iteration_budget},
    {"max-iterations", "1 iteration allowed", max_iterations},
    {"monitor", "the monitor sees each iteration once", monitor_sees_iterations},
    {"wrong-sizes", "exceptions, and no harm done", wrong_sizes},
    {"unknown-option", "refused by name", unknown_option},
    {"describes-itself", "name and licence", describes_itself},
};

}  // namespace

std::vector<ContractCase> linear_solver_contract_cases() {
  std::vector<ContractCase> cases;
  for (const Entry& entry : kCases) cases.push_back({entry.name, entry.summary});
  return cases;
}

std::vector<ContractFailure> run_linear_solver_case(const SolverRegistry& registry,
                                                    std::string_view spec,
                                                    std::string_view case_name) {
  const auto* const entry = std::find_if(std::begin(kCases), std::end(kCases),
                                         [&](const Entry& e) { return e.name == case_name; });
  NSN_THROW_UNLESS(entry != std::end(kCases), "unknown contract case '{}'", case_name);
  Trial trial(registry, spec, case_name);
  try {
    entry->run(trial);
  } catch (const std::exception& error) {
    trial.expect(false, "an exception: {}", error.what());
  }
  return trial.take_failures();
}

std::vector<ContractFailure> run_linear_solver_contract(const SolverRegistry& registry,
                                                        std::string_view spec) {
  std::vector<ContractFailure> failures;
  for (const Entry& entry : kCases) {
    for (ContractFailure& f : run_linear_solver_case(registry, spec, entry.name)) {
      failures.push_back(std::move(f));
    }
  }
  return failures;
}

}  // namespace nsn::contract
