// Bare friction problems: from arrays and files.
#include "core.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/fclib.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/io/siconos_text.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/lcp.h"

namespace nsn::python {
namespace {

/// A matrix as Python hands it over: (rows, columns, block, indptr, indices, data), block 1 or 3.
Csr csr_of(const char* name, const nb::tuple& t) {
  const auto indptr = nb::cast<Ints>(t[3], false);
  const auto indices = nb::cast<Ints>(t[4], false);
  const auto data = nb::cast<Doubles>(t[5], false);
  return csr_view(name, nb::cast<Index>(t[0]), nb::cast<Index>(t[1]),
                  {span_of<Index>(indptr), span_of<Index>(indices), span_of<double>(data)});
}
BlockCsr blocks_of(const char* name, const nb::tuple& t) {
  const auto indptr = nb::cast<Ints>(t[3], false);
  const auto indices = nb::cast<Ints>(t[4], false);
  const auto data = nb::cast<Doubles>(t[5], false);
  return block_csr_view(name, nb::cast<Index>(t[0]), nb::cast<Index>(t[1]),
                        {span_of<Index>(indptr), span_of<Index>(indices), span_of<double>(data)});
}
bool in_blocks(const nb::tuple& t) {
  return nb::cast<int>(t[2]) == 3;
}
nb::tuple tuple_of(const Csr& A) {
  return nb::make_tuple(A.rows, A.columns, 1, as_numpy(A.row_begin), as_numpy(A.column),
                        as_numpy(A.value));
}

nb::dict dict_of(const FrictionError& error) {
  nb::dict d;
  d["siconos"] = error.siconos;
  d["unit_free"] = error.unit_free;
  d["dynamics"] = error.dynamics;
  d["min_normal_velocity"] = error.min_normal_velocity;
  d["max_cone_violation"] = error.max_cone_violation;
  d["worst_contact"] = error.worst_contact;
  return d;
}

nb::dict dict_of(const FrictionResult& r) {
  nb::dict d;
  d["status"] = std::string(to_string(r.status));
  d["solved"] = r.solved();
  d["r"] = as_numpy(r.r);
  d["u"] = as_numpy(r.u);
  d["v"] = as_numpy(r.v);
  d["error"] = dict_of(r.error);
  d["newton_iterations"] = r.newton_iterations;
  d["linear_iterations"] = r.linear_iterations;
  d["sweeps"] = r.sweeps;
  d["factorizations"] = r.factorizations;
  d["asymmetry"] = r.asymmetry;
  d["seconds"] = r.seconds;
  nb::list stages;
  for (const FrictionStage& s : r.stages) {
    stages.append(nb::make_tuple(s.name, s.reason, s.iterations, s.seconds, s.siconos));
  }
  d["stages"] = stages;
  return d;
}

FrictionSolverOptions options_of(const nb::dict& given) {
  FrictionSolverOptions o;
  o.method = friction_method_from_name(nb::cast<std::string>(given["method"]));
  o.form = friction_form_from_name(nb::cast<std::string>(given["form"]));
  o.linear = nb::cast<std::string>(given["linear"]);
  o.tolerance = nb::cast<double>(given["tol"]);
  o.time_limit = nb::cast<double>(given["time_limit"]);
  o.max_factorizations = nb::cast<int>(given["max_factorizations"]);
  const nb::object progress = given["progress"];
  o.cancel = [progress = nb::handle(progress)] {
    Interruptible::poll();
    if (!progress.is_none()) {
      const Locked locked;
      progress();
    }
    return false;
  };
  return o;
}

/// Solves without the GIL; Ctrl-C ends it between iterations.
template <class Problem>
nb::dict run(const SolverRegistry& registry, const Problem& problem, const nb::object& r0,
             const nb::dict& given) {
  const FrictionSolverOptions options = options_of(given);
  Doubles start;
  if (!r0.is_none()) start = nb::cast<Doubles>(r0, false);
  const ConstVector from = r0.is_none() ? ConstVector{} : ConstVector(vector_of(start));
  FrictionResult result;
  {
    const Interruptible scope;
    const Unlocked unlocked;
    result = FrictionSolver(options, registry).solve(problem, from);
  }
  return dict_of(result);
}

nb::dict solve_local(const SolverRegistry& registry, int dimension, const nb::tuple& W,
                     const Doubles& q, const Doubles& mu, const nb::object& r0,
                     const nb::dict& options) {
  if (in_blocks(W)) {
    return run(registry, BlockFrictionProblem{blocks_of("W", W), vector_of(q), vector_of(mu)}, r0,
               options);
  }
  return run(registry, FrictionProblem{dimension, csr_of("W", W), vector_of(q), vector_of(mu)}, r0,
             options);
}

GlobalFrictionProblem global_problem(int dimension, const nb::tuple& M, const nb::tuple& H,
                                     const Doubles& f, const Doubles& w, const Doubles& mu) {
  return {dimension, csr_of("M", M), csr_of("H", H), vector_of(f), vector_of(w), vector_of(mu)};
}

nb::dict solve_complementarity(const SolverRegistry& registry, const nb::tuple& M, const Doubles& q,
                               const std::string& method, double tol, const std::string& linear) {
  LcpOptions options;
  options.method = lcp_method_from_name(method);
  options.tolerance = tol;
  options.linear = linear;
  const LinearComplementarityProblem problem{csr_of("M", M), vector_of(q)};
  LcpResult result;
  {
    const Unlocked unlocked;
    result = solve_lcp(problem, registry, options);
  }
  nb::dict d;
  d["status"] = std::string(to_string(result.status));
  d["solved"] = result.solved();
  d["method"] = std::string(to_string(result.method));
  d["z"] = as_numpy(result.z);
  d["w"] = as_numpy(result.w);
  d["error"] = result.error;
  d["iterations"] = result.iterations;
  d["seconds"] = result.seconds;
  return d;
}

nb::tuple error_of(int dimension, const nb::tuple& W, const Doubles& q, const Doubles& mu,
                   const Doubles& r) {
  const FrictionProblem problem{dimension, csr_of("W", W), vector_of(q), vector_of(mu)};
  const Index n = dimension * problem.contacts();
  NSN_THROW_UNLESS(
      problem.W.rows == n && problem.W.columns == n && static_cast<Index>(q.size()) == n,
      "W is {} x {} and q has {} numbers, there are {} contacts in {}D", problem.W.rows,
      problem.W.columns, q.size(), mu.size(), dimension);
  const Vector u("u", r.size());
  const FrictionError error = friction_error(problem, vector_of(r), u);
  return nb::make_tuple(dict_of(error), as_numpy(u));
}

nb::dict dict_of(const AnyFrictionProblem& any) {
  nb::dict d;
  if (const auto* const p = std::get_if<FrictionProblem>(&any)) {
    d["kind"] = "local";
    d["dimension"] = p->dimension;
    d["W"] = tuple_of(p->W);
    d["q"] = as_numpy(p->q);
    d["mu"] = as_numpy(p->mu);
  } else if (const auto* const g = std::get_if<GlobalFrictionProblem>(&any)) {
    d["kind"] = "global";
    d["dimension"] = g->dimension;
    d["M"] = tuple_of(g->M);
    d["H"] = tuple_of(g->H);
    d["f"] = as_numpy(g->f);
    d["w"] = as_numpy(g->w);
    d["mu"] = as_numpy(g->mu);
  } else {
    const auto& l = std::get<LinearComplementarityProblem>(any);
    d["kind"] = "lcp";
    d["M"] = tuple_of(l.M);
    d["q"] = as_numpy(l.q);
  }
  return d;
}

nb::dict read(const std::string& path, const std::string& format) {
  const FrictionFormat kind = friction_format_from_name(format);
  FrictionFile file;
  {
    const Unlocked unlocked;
    file = read_friction_file(path, kind);
  }
  return dict_of(file.problem);
}

template <class Problem>
void write(const std::string& path, const std::string& format, const Problem& problem) {
  if (format == "fclib") {
    if constexpr (!std::is_same_v<Problem, LinearComplementarityProblem>) {
      write_fclib(path, problem);
      return;
    }
  }
  NSN_THROW_UNLESS(format == "siconos",
                   "format '{}': a problem of this kind is written as siconos{}", format,
                   std::is_same_v<Problem, LinearComplementarityProblem> ? "" : " or fclib");
  write_file(path, to_siconos_text(problem));
}

}  // namespace

void bind_friction(nb::module_& m) {
  m.def("solve_local", &solve_local, "registry"_a, "dimension"_a, "W"_a, "q"_a, "mu"_a,
        "r0"_a.none(), "options"_a);
  m.def(
      "solve_global",
      [](const SolverRegistry& registry, int dimension, const nb::tuple& M, const nb::tuple& H,
         const Doubles& f, const Doubles& w, const Doubles& mu, const nb::object& r0,
         const nb::dict& options) {
        return run(registry, global_problem(dimension, M, H, f, w, mu), r0, options);
      },
      "registry"_a, "dimension"_a, "M"_a, "H"_a, "f"_a, "w"_a, "mu"_a, "r0"_a.none(), "options"_a);
  m.def("solve_lcp", &solve_complementarity, "registry"_a, "M"_a, "q"_a, "method"_a, "tol"_a,
        "linear"_a);
  m.def("friction_error", &error_of, "dimension"_a, "W"_a, "q"_a, "mu"_a, "r"_a);
  m.def("friction_methods", &friction_method_names);
  m.def("read_problem", &read, "path"_a, "format"_a);
  m.def(
      "write_local",
      [](const std::string& path, const std::string& format, int dimension, const nb::tuple& W,
         const Doubles& q, const Doubles& mu) {
        write(path, format,
              FrictionProblem{dimension, csr_of("W", W), vector_of(q), vector_of(mu)});
      },
      "path"_a, "format"_a, "dimension"_a, "W"_a, "q"_a, "mu"_a);
  m.def(
      "write_global",
      [](const std::string& path, const std::string& format, int dimension, const nb::tuple& M,
         const nb::tuple& H, const Doubles& f, const Doubles& w,
         const Doubles& mu) { write(path, format, global_problem(dimension, M, H, f, w, mu)); },
      "path"_a, "format"_a, "dimension"_a, "M"_a, "H"_a, "f"_a, "w"_a, "mu"_a);
  m.def(
      "write_lcp",
      [](const std::string& path, const std::string& format, const nb::tuple& M, const Doubles& q) {
        write(path, format, LinearComplementarityProblem{csr_of("M", M), vector_of(q)});
      },
      "path"_a, "format"_a, "M"_a, "q"_a);
  m.attr("HAS_HDF5") =
#if defined(NSN_WITH_HDF5)
      true;
#else
      false;
#endif
}

}  // namespace nsn::python
