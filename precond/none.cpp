#include "nsn/precond/none.h"

#include "nsn/core/base/allocate.h"

namespace nsn {

void NoPreconditioner::analyze(const LinearOperator& op) {
  ones_ = allocate_vector("ones", static_cast<std::size_t>(op.rows()));
  for (Index i = 0; i < op.rows(); ++i) ones_(i) = 1.0;
}

}  // namespace nsn
