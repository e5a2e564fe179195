#include "nsn/models/step/solver_pool.h"

namespace nsn {

std::unique_ptr<IslandSolver> SolverPool::take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<IslandSolver> solver = std::move(idle_.back());
      idle_.pop_back();
      return solver;
    }
  }
  return std::make_unique<IslandSolver>(options_, registry_);
}

void SolverPool::give(std::unique_ptr<IslandSolver> solver) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(solver));
}

}  // namespace nsn
