// Study: which order of elimination takes the fewest operations? Minimum degree of our own, AMD and CAMD of
// SuiteSparse, nested dissection of METIS, on the active rows of Newton matrices.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#if defined(NSN_WITH_CHOLMOD)
#include <cholmod.h>
#endif

#include "bench/study/study.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/options.h"
#include "nsn/core/factor/block_symbolic.h"
#include "nsn/core/factor/dissection.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_method.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::study {
namespace {

struct Case {
  std::string name;
  std::string scene;
  Options::Assignments parameters;
  int step = 1;
  bool rows_of_elements = false;  ///< by the preset paper, which keeps them
};

std::vector<Case> cases(bool quick) {
  std::vector<Case> all = {
      {"300 balls", "sphere-pile", {{"balls", "300"}}, 60},
      {"100 capsules", "capsule-pile", {{"capsules", "100"}}, 160},
      {"stones", "mesh-pile", {}, 160},
      {"soft ball, rows of elements", "soft-ball-drop", {}, 60, true},
  };
  if (quick) return all;
  all.push_back({"1000 balls", "sphere-pile", {{"balls", "1000"}}, 40});
  all.push_back({"3500 balls", "sphere-pile", {{"balls", "3500"}}, 24});
  all.push_back({"soft ball of 2000 tetrahedra", "soft-ball-drop", {{"tets", "2000"}}, 5, true});
  all.push_back({"twisted bar, rows of elements", "twisting-bar", {}, 10, true});
  return all;
}

/// Unit rows in unit columns do not take part.
std::vector<std::uint8_t> active_rows(const BlockCsr& S) {
  std::vector<std::uint8_t> active(to_size(S.rows), 0);
  for (Index i = 0; i < S.rows; ++i) {
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      const Index j = S.column(k);
      for (unsigned e = 0; e < 9; ++e) {
        const double value = S.value(kBlockSize * k + static_cast<Index>(e));
        const double trivial = i == j && e % 4 == 0 ? 1.0 : 0.0;
        if (value == trivial) continue;
        active[to_size(i)] |= static_cast<std::uint8_t>(1U << e / 3);
        active[to_size(j)] |= static_cast<std::uint8_t>(1U << e % 3);
      }
    }
  }
  return active;
}

#if defined(NSN_WITH_CHOLMOD)
using CholmodOrder = int (*)(cholmod_sparse*, int*, std::size_t, int*, cholmod_common*);

std::vector<Index> cholmod_order(const Graph& graph, CholmodOrder order) {
  cholmod_common common;
  cholmod_start(&common);
  std::vector<int> begin{0};
  std::vector<int> row;
  for (Index i = 0; i < graph.nodes(); ++i) {  // the upper half
    for (Index k = graph.begin[to_size(i)]; k < graph.begin[to_size(i) + 1]; ++k) {
      if (graph.neighbour[to_size(k)] < i) row.push_back(graph.neighbour[to_size(k)]);
    }
    row.push_back(i);
    begin.push_back(static_cast<int>(row.size()));
  }
  cholmod_sparse A{};
  A.nrow = A.ncol = to_size(graph.nodes());
  A.nzmax = row.size();
  A.p = begin.data();
  A.i = row.data();
  A.stype = 1;
  A.itype = CHOLMOD_INT;
  A.xtype = CHOLMOD_PATTERN;
  A.packed = 1;
  std::vector<Index> result(to_size(graph.nodes()));
  order(&A, nullptr, 0, result.data(), &common);
  cholmod_finish(&common);
  return result;
}

int amd(cholmod_sparse* A, int* set, std::size_t n, int* out, cholmod_common* common) {
  return cholmod_amd(A, set, n, out, common);
}
int camd(cholmod_sparse* A, int* set, std::size_t n, int* out, cholmod_common* common) {
  return cholmod_camd(A, set, n, nullptr, out, common);
}
#endif

Row measure(const std::string& name, const BlockCsr& S) {
  const std::vector<std::uint8_t> active = active_rows(S);
  const WeightedGraph of = elimination_graph(S, active);
  Index scalars = 0;
  for (const Index w : of.weight) scalars += w;
  Row row{{"case", name},
          {"rows", S.scalar_rows()},
          {"active_rows", scalars},
          {"nodes", of.graph.nodes()},
          {"all_rows", analyze_blocks(S).flops},
          {"minimum_degree", elimination_flops(of, minimum_degree_order(of.graph, of.weight))}};
#if defined(NSN_WITH_CHOLMOD)
  row["amd"] = elimination_flops(of, cholmod_order(of.graph, amd));
  row["camd"] = elimination_flops(of, cholmod_order(of.graph, camd));
#endif
  const std::vector<Index> dissected = dissection_order(of.graph, of.weight);
  if (!dissected.empty()) row["metis"] = elimination_flops(of, dissected);
  return row;
}

/// The last Newton matrix of a step, all islands in one.
Row measure(const Case& one) {
  SimulationOptions options;
  options.islands = false;
  if (one.rows_of_elements) options.newton = newton_preset("paper");
  Simulation simulation(make_scene(one.scene, one.parameters), options, standard_backends());
  for (int k = 1; k < one.step; ++k) static_cast<void>(simulation.step());
  Row row;
  simulation.observe([&](int, const NewtonSystemView& view) {
    if (view.S != nullptr) row = measure(one.name, *view.S);
  });
  static_cast<void>(simulation.step());
  return row;
}

}  // namespace

StudyOutcome orderings_study(const StudyOptions& options) {
  StudyOutcome out{.name = "orderings",
                   .title = "Orders of elimination",
                   .question = "Which order takes the fewest operations on the active rows?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const std::vector<Case> all = cases(options.quick);
  options.pieces(all.size());
  double against_amd = 0.0;
  double against_all = 0.0;
  int counted = 0;
  for (const Case& one : all) {
    options.progress(one.name);
    Row row = measure(one);
    if (row.empty()) continue;
    const double ours = row["minimum_degree"];
    against_all += std::log(row["all_rows"].get<double>() / ours);
    if (row.contains("amd")) against_amd += std::log(row["amd"].get<double>() / ours);
    ++counted;
    options.add(out, std::move(row));
  }
  if (counted == 0) return out;
  out.findings.push_back(
      fmt::format("An order of the active rows alone takes {:.2f} times fewer operations than that "
                  "of all rows (geometric mean of {} matrices).",
                  std::exp(against_all / counted), counted));
  out.findings.push_back(fmt::format("AMD takes {:.2f} times the operations of our minimum degree.",
                                     std::exp(against_amd / counted)));
  return out;
}

}  // namespace nsn::study
