/// A linear solver that shows every system to somebody before it solves it.
#pragma once

#include <functional>
#include <memory>

#include "nsn/core/linear/linear_solver.h"

namespace nsn {

using LinearObserver = std::function<void(const LinearOperator& S, ConstVector b)>;

/// Has the name and the capabilities of the solver it wraps.
std::unique_ptr<LinearSolver> make_observed_solver(std::unique_ptr<LinearSolver> solver,
                                                   LinearObserver observer);

}  // namespace nsn
