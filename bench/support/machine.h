/// The machine and the build a figure was measured with: a number without them means little.
#pragma once

#include <string>

namespace nsn::bench {

struct Machine {
  std::string cpu;         ///< model name
  int cores = 0;           ///< hardware threads the machine has
  int threads = 0;         ///< threads this program uses
  double memory_gib = 0;   ///< physical memory
  std::string compiler;    ///< with version
  std::string build_type;  ///< Release, Debug, ...
  std::string kokkos;      ///< version and execution space
  std::string system;      ///< kernel and architecture
};

/// Threads are those of the running Runtime; 1 where none is alive.
Machine this_machine();

/// "Intel Xeon, 2 cores, 2 threads, GCC 12.2.0 Release"
std::string one_line(const Machine& machine);

/// The words this process was started with, quoted where a shell needs it; "nsn ..." with the
/// program's bare name first.
std::string command_line();

/// Version of nsn.
std::string version();

/// Now, UTC, "2026-01-31 12:00 UTC".
std::string date_text();

}  // namespace nsn::bench
