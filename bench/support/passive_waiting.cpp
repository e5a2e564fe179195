#include "bench/support/passive_waiting.h"

#include <cstdlib>
#include <unistd.h>

namespace nsn::bench {

void wait_passively(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace nsn::bench
