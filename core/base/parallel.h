/// Kernels are functors over ranges: body(begin, end).
///
/// A small range runs as one call on the calling thread; a large one is cut into chunks of fixed
/// length that Kokkos spreads over its threads. Sums are formed per chunk and added in chunk order,
/// so a result does not depend on the number of threads: serial and OpenMP runs agree bit for bit.
///
/// Re-entrancy: only the thread that holds the Runtime dispatches in parallel. Any other thread, a
/// thread inside a kernel, and a thread inside a SerialScope run their kernels on their own.
#pragma once

#include <algorithm>
#include <array>

#include "nsn/core/base/types.h"

namespace nsn {

namespace detail {
/// Records the calling thread as the one that may dispatch to Kokkos.
void claim_dispatching_thread();
void release_dispatching_thread();
/// True where a kernel may be spread over threads.
bool may_dispatch();
/// The one instance all kernels run on: making another for a dispatch allocates (Kokkos 4).
const Execution& execution();
/// Chunks [0, n), one at a time. A given chunk size spares the policy the question for one.
inline auto chunk_policy(Index n) {
  return Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>>(execution(), 0, n,
                                                                          Kokkos::ChunkSize(1));
}
}  // namespace detail

/// Within its life time the calling thread runs every kernel on its own (islands, small systems).
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

 private:
  bool outer_;
};

/// Rows per chunk: below two chunks a dispatch (about a microsecond) costs more than it saves.
inline constexpr Index kChunk = 2048;

/// Most chunks a sum is cut into; longer vectors get longer chunks.
inline constexpr Index kMaxChunks = 512;

/// Chunk length for n rows, a function of n and the grain alone.
inline Index chunk_length(Index n, Index grain = kChunk) {
  return std::max(grain, (n + kMaxChunks - 1) / kMaxChunks);
}

/// body(begin, end) over a partition of [0, n). grain: rows that are worth a microsecond or more,
/// fewer than kChunk where one row is much work (a finite element).
template <class Body>
void for_range(Index n, const Body& body, Index grain = kChunk) {
  const Index chunk = chunk_length(n, grain);
  if (n < 2 * chunk || !detail::may_dispatch()) {
    if (n > 0) body(Index{0}, n);
    return;
  }
  const Index chunks = (n + chunk - 1) / chunk;
  Kokkos::parallel_for("nsn", detail::chunk_policy(chunks),
                       [&](const Index c) { body(c * chunk, std::min(n, (c + 1) * chunk)); });
}

/// Sum over a partition of [0, n) of K numbers: body(begin, end, sum) adds to sum[0..K).
template <int K, class Body>
std::array<double, K> sum_range(Index n, const Body& body) {
  using Sum = std::array<double, K>;
  Sum total{};
  const Index chunk = chunk_length(n);
  const Index chunks = (n + chunk - 1) / chunk;
  if (chunks <= 1) {
    if (n > 0) body(Index{0}, n, total);
    return total;
  }
  std::array<Sum, kMaxChunks> part;  // 512 * K doubles on the stack: nothing is allocated
  const auto one = [&](const Index c) {
    part[static_cast<std::size_t>(c)] = Sum{};
    body(c * chunk, std::min(n, (c + 1) * chunk), part[static_cast<std::size_t>(c)]);
  };
  if (detail::may_dispatch()) {
    Kokkos::parallel_for("nsn", detail::chunk_policy(chunks), one);
  } else {
    for (Index c = 0; c < chunks; ++c) one(c);
  }
  for (Index c = 0; c < chunks; ++c) {
    for (std::size_t k = 0; k < K; ++k) total[k] += part[static_cast<std::size_t>(c)][k];
  }
  return total;
}

}  // namespace nsn
