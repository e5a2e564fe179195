#include "backends/standard_backends.h"

namespace nsn {

SolverRegistry standard_backends() {
  SolverRegistry registry;
  return registry;
}

}  // namespace nsn
