/// P = 1: a Krylov solver without a preconditioner.
#pragma once

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class NoPreconditioner final : public Preconditioner {
 public:
  std::string_view name() const override { return "none"; }
  void analyze(const LinearOperator& op) override;
  void factorize(const LinearOperator&) override {}
  void apply(ConstVector r, Vector z) const override { copy(r, z); }
  ConstVector diagonal() const override { return ones_; }
  double bytes_per_apply() const override { return 16.0 * size_of(ones_); }
  double bytes_held() const override { return 8.0 * size_of(ones_); }

 private:
  Vector ones_;  // the loops fused for a diagonal P read it
};

}  // namespace nsn
