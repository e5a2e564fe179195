/// Equations and Newton solvers that many small islands share, as many as work at one time.
///
/// What a small island is assembled into and what its solver works on, rows, matrices and iterates,
/// is some hundred kilobytes that mean nothing once the island is solved. One set of them a thread
/// stays in that thread's cache; one set an island does not, where there are hundreds of islands.
///
///   SolverPool::Loan work(pool);           // given back at the end of its life
///   work->equations.assemble(...);
///   work->newton.solve(work->equations, state, warm);
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "nsn/core/step/newton.h"
#include "nsn/models/step/island_equations.h"

namespace nsn {

/// What it takes to solve an island.
struct IslandSolver {
  IslandSolver(const NewtonOptions& options, const SolverRegistry& registry)
      : newton(options, registry) {}

  IslandEquations equations;
  NewtonSolver newton;
};

class SolverPool {
 public:
  SolverPool(NewtonOptions options, SolverRegistry registry)
      : options_(std::move(options)), registry_(std::move(registry)) {}

  /// From any thread.
  class Loan {
   public:
    explicit Loan(SolverPool& pool) : pool_(pool), solver_(pool.take()) {}
    ~Loan() { pool_.give(std::move(solver_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    IslandSolver* operator->() const { return solver_.get(); }

   private:
    SolverPool& pool_;
    std::unique_ptr<IslandSolver> solver_;
  };

 private:
  std::unique_ptr<IslandSolver> take();
  void give(std::unique_ptr<IslandSolver> solver);

  NewtonOptions options_;
  SolverRegistry registry_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<IslandSolver>> idle_;
};

}  // namespace nsn
