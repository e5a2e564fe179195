/// Newton solvers that many small islands share, as many as work at one time.
///
/// What a solver of a small island works on, its matrices and iterates, is some hundred kilobytes
/// that mean nothing once the island is solved. One set of them a thread stays in that thread's
/// cache; one set an island does not, where there are hundreds of islands.
///
///   SolverPool::Loan newton(pool);           // given back at the end of its life
///   newton->solve(equations, state, warm);
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/newton.h"

namespace nsn {

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
    NewtonSolver* operator->() const { return solver_.get(); }
    NewtonSolver& operator*() const { return *solver_; }

   private:
    SolverPool& pool_;
    std::unique_ptr<NewtonSolver> solver_;
  };

 private:
  std::unique_ptr<NewtonSolver> take();
  void give(std::unique_ptr<NewtonSolver> solver);

  NewtonOptions options_;
  SolverRegistry registry_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<NewtonSolver>> idle_;
};

}  // namespace nsn
