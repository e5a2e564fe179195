// A plug-in with one solver, as tests/package/scaled_descent.cpp has it.
#include "nsn/core/linear/plugin.h"

#include "tests/package/scaled_descent.h"

NSN_PLUGIN(registry) {
  registry.add(scaled_descent_backend());
}
