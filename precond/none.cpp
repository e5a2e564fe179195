#include "precond/none.h"

namespace nsn {

void NoPreconditioner::analyze(const LinearOperator& op) {
  ones_ = Vector("ones", static_cast<std::size_t>(op.rows()));
  Kokkos::deep_copy(ones_, 1.0);
}

}  // namespace nsn
