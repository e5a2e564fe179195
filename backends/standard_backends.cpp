#include "backends/standard_backends.h"

#include "backends/amg.h"
#include "backends/cholmod.h"
#include "backends/contact_lu.h"
#include "backends/cuda/cuda_backends.h"
#include "backends/eigen_ldlt.h"
#include "backends/gauss_seidel.h"
#include "backends/gmres.h"
#include "backends/jacobi.h"
#include "backends/klu.h"
#include "backends/pcg.h"
#include "backends/pcr.h"
#include "precond/block_ilu.h"
#include "precond/block_jacobi.h"
#include "precond/jacobi.h"
#include "precond/none.h"

namespace nsn {
namespace {

template <class P>
void add_preconditioner(SolverRegistry& registry, const char* name) {
  PreconditionerInfo info;
  info.name = name;
  info.make = [] { return std::make_unique<P>(); };
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
  registry.add(amg_backend());
  registry.add(cholmod_backend());
  registry.add(eigen_ldlt_backend());
  registry.add(klu_backend());
  registry.add(contact_lu_backend());
  add_cuda_backends(registry);
  return registry;
}

}  // namespace nsn
