#include "precond/none.h"

#include "core/allocate.h"

namespace nsn {

void NoPreconditioner::analyze(const LinearOperator& op) {
  ones_ = allocate_vector("ones", static_cast<std::size_t>(op.rows()));
  Kokkos::deep_copy(ones_, 1.0);
}

}  // namespace nsn
