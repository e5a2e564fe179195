#include "nsn/core/factor/dissection.h"

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

#if defined(NSN_WITH_METIS)
#include <metis.h>
#endif

namespace nsn {

#if defined(NSN_WITH_METIS)

std::vector<Index> dissection_order(const Graph& graph, std::span<const Index> weight) {
  NSN_THROW_UNLESS(static_cast<Index>(weight.size()) == graph.nodes(),
                   "{} weights for a graph of {} nodes", weight.size(), graph.nodes());
  std::vector<idx_t> begin{0};
  std::vector<idx_t> neighbour;
  neighbour.reserve(graph.neighbour.size());
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (Index k = graph.begin[to_size(i)]; k < graph.begin[to_size(i) + 1]; ++k) {
      if (graph.neighbour[to_size(k)] != i) neighbour.push_back(graph.neighbour[to_size(k)]);
    }
    begin.push_back(static_cast<idx_t>(neighbour.size()));
  }
  if (neighbour.empty()) neighbour.push_back(0);  // METIS wants an address
  std::vector<idx_t> sizes(weight.begin(), weight.end());
  std::vector<idx_t> order(weight.size() + 1);
  std::vector<idx_t> place(weight.size() + 1);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t nodes = graph.nodes();
  if (nodes == 0) return {};
  const int status = METIS_NodeND(&nodes, begin.data(), neighbour.data(), sizes.data(), options,
                                  order.data(), place.data());
  if (status != METIS_OK) return {};
  return {order.begin(), order.begin() + nodes};
}

#else

std::vector<Index> dissection_order(const Graph&, std::span<const Index>) {
  return {};
}

#endif

}  // namespace nsn
