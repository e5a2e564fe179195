// nsn_bench_read [ENTRIES]: how fast MatrixMarket files are written and read, 17 digits a value.
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <random>
#include <unistd.h>

#include <fmt/core.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/text_file.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Least seconds of several calls, by the wall clock and of the processor.
struct Seconds {
  double wall = std::numeric_limits<double>::infinity();
  double cpu = std::numeric_limits<double>::infinity();
};

template <class Work>
Seconds least_seconds(const Work& work) {
  Seconds least;
  for (int k = 0; k < 5; ++k) {
    const auto start = Clock::now();
    const std::clock_t cpu_start = std::clock();
    work();
    least.cpu = std::min(least.cpu, static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    least.wall = std::min(least.wall, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

void print(const char* what, const Seconds& seconds, double megabytes) {
  fmt::print("{:16} {:8.1f} ms  {:6.0f} MB/s   processor {:8.1f} ms  {:6.0f} MB/s\n", what,
             1e3 * seconds.wall, megabytes / seconds.wall, 1e3 * seconds.cpu,
             megabytes / seconds.cpu);
}

/// A band matrix with ten random entries per row.
nsn::Csr band(nsn::Index entries) {
  constexpr nsn::Index kPerRow = 10;
  const nsn::Index rows = std::max(entries / kPerRow, 1);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<nsn::Triplet> triplets;
  for (nsn::Index i = 0; i < rows; ++i) {
    for (nsn::Index k = 0; k < kPerRow; ++k) {
      triplets.push_back({i, (i + 37 * k) % rows, value(random)});
    }
  }
  return nsn::csr_from_triplets(rows, rows, triplets);
}

}  // namespace

int main(int argc, char** argv) {
  const nsn::Runtime runtime;
  const int entries = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1'000'000;
  const nsn::Csr A = band(entries);
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("nsn-bench-read-{}.mtx", ::getpid());
  const Seconds write = least_seconds([&] { nsn::write_matrix_market(file, A); });
  const double megabytes = 1e-6 * static_cast<double>(std::filesystem::file_size(file));
  const Seconds read = least_seconds([&] { nsn::read_matrix_market(file); });
  const Seconds raw = least_seconds([&] { nsn::read_text_file(file); });
  std::filesystem::remove(file);
  fmt::print("{} entries, {:.1f} MB\n", A.nonzeros(), megabytes);
  print("write", write, megabytes);
  print("read to matrix", read, megabytes);
  print("  bytes alone", raw, megabytes);
  return 0;
}
