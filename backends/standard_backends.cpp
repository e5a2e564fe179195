#include "nsn/backends/standard_backends.h"

#include "nsn/backends/amg.h"
#include "nsn/backends/auto_solver.h"
#include "nsn/backends/bicgstab.h"
#include "nsn/backends/cholmod.h"
#include "nsn/backends/contact_lu.h"
#include "nsn/backends/cuda/cuda_backends.h"
#include "nsn/backends/eigen_ldlt.h"
#include "nsn/backends/gauss_seidel.h"
#include "nsn/backends/gmres.h"
#include "nsn/backends/jacobi.h"
#include "nsn/backends/klu.h"
#include "nsn/backends/pcg.h"
#include "nsn/backends/pcr.h"
#include "nsn/backends/petsc.h"
#include "nsn/precond/block_ilu.h"
#include "nsn/precond/block_jacobi.h"
#include "nsn/precond/jacobi.h"
#include "nsn/precond/none.h"

namespace nsn {
namespace {

template <class P>
void add_preconditioner(SolverRegistry& registry, const char* name) {
  PreconditionerInfo info;
  info.name = name;
  info.make = [](const PreconditionerOptions& options) -> std::unique_ptr<Preconditioner> {
    if constexpr (std::is_constructible_v<P, const PreconditionerOptions&>) {
      return std::make_unique<P>(options);
    } else {
      return std::make_unique<P>();
    }
  };
  registry.add(std::move(info));
}

}  // namespace

SolverRegistry standard_backends() {
  SolverRegistry registry;
  add_preconditioner<NoPreconditioner>(registry, "none");
  add_preconditioner<Jacobi>(registry, "jacobi");
  add_preconditioner<BlockJacobi>(registry, "block-jacobi");
  add_preconditioner<BlockIlu>(registry, "block-ilu");
  registry.add(amg_preconditioner());
  registry.add(jacobi_backend());
  registry.add(gauss_seidel_backend());
  registry.add(pcg_backend());
  registry.add(pcr_backend());
  registry.add(gmres_backend());
  registry.add(bicgstab_backend());
  registry.add(amg_backend());
  registry.add(cholmod_backend());
  registry.add(eigen_ldlt_backend());
  registry.add(klu_backend());
  registry.add(contact_lu_backend());
  registry.add(auto_backend());
  registry.add(petsc_backend());
  add_cuda_backends(registry);
  return registry;
}

}  // namespace nsn
