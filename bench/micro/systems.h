// The systems that micro-benchmarks run over: generated ones, and files given on the command line.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/compare/systems.h"
#include "bench/support/generated_systems.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"

namespace nsn::micro {

/// One system in all the forms it has.
struct BenchSystem {
  std::string name;
  Vector b;
  Delassus delassus;  ///< empty for files
  std::unique_ptr<CsrOperator> scalars;
  std::unique_ptr<BlockOperator> blocks;
  std::unique_ptr<SchurOperator> factored;  ///< null for files
  GeneratedSystem factors;                  ///< empty for files
};

using SystemPtr = std::shared_ptr<BenchSystem>;

/// Everything ready.
SystemPtr prepare(GeneratedSystem factors);
SystemPtr prepare(const bench::LinearSystem& file);

/// Piles of 1e3, 1e4 and (with `all`) 1e5 contacts, a chain of 1e4 links, a heavy stack and a bar
/// of tetrahedra.
std::vector<SystemPtr> generated(bool all);
/// Matrix files, folders of them and exported systems, as `nsn compare` takes them. One that cannot
/// be read is left out with a line on stderr; throws nsn::InputError if none is left.
std::vector<SystemPtr> from_paths(const std::vector<std::filesystem::path>& paths);

// Each registers its benchmarks for one system (vector kernels: for one length).
void register_products(const SystemPtr& system);
void register_vector_kernels(Index n);
void register_pcr_iteration(const SystemPtr& system);
void register_backends(const SystemPtr& system);

}  // namespace nsn::micro
