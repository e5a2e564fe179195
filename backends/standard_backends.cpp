#include "backends/standard_backends.h"

#include "backends/cholmod.h"
#include "backends/eigen_ldlt.h"
#include "backends/klu.h"

namespace nsn {

SolverRegistry standard_backends() {
  SolverRegistry registry;
  registry.add(cholmod_backend());
  registry.add(eigen_ldlt_backend());
  registry.add(klu_backend());
  return registry;
}

}  // namespace nsn
