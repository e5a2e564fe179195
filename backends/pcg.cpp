#include "nsn/backends/pcg.h"

#include "nsn/backends/krylov_backend.h"
#include "nsn/core/linear/pcg.h"

namespace nsn {
namespace {

Capabilities capabilities_of_pcg() {
  Capabilities can;
  can.handles_singular = true;
  return can;
}

class PcgBackend final : public KrylovBackend {
 public:
  PcgBackend(const Options& options, const SolverRegistry& registry)
      : KrylovBackend(capabilities_of_pcg(), options, registry, true) {}

  std::string_view name() const override { return "pcg"; }

 private:
  void allocate(Index n, bool diagonal) override { pcg_.allocate(n, diagonal); }
  void iterate(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
               const LinearControl& control, const Monitor& monitor,
               LinearReport& report) override {
    pcg_.solve(A, P, b, x, control, monitor, report);
  }
  double workspace_bytes() const override { return pcg_.bytes_held(); }

  Pcg pcg_;
};

}  // namespace

SolverInfo pcg_backend() {
  SolverInfo info;
  info.name = "pcg";
  info.summary = "preconditioned conjugate gradients";
  info.capabilities = capabilities_of_pcg();
  info.options = krylov_options(kDefiniteShift);
  info.make = make_solver<PcgBackend>;
  return info;
}

}  // namespace nsn
