# The consumer project, configured, built and run against the installed tree and as a parent project.
# Sanitized builds are left out: a consumer would have to be built with the same sanitizers.
if(NSN_SANITIZE)
  return()
endif()

set(NSN_PREFIX "${PROJECT_BINARY_DIR}/package/prefix")
add_test(NAME package/install
  COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${NSN_PREFIX}")
set_tests_properties(package/install PROPERTIES FIXTURES_SETUP nsn_installed LABELS package)

set(NSN_CONSUMER_OPTIONS
  "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
  "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}")

# nsn_consumer_test(name options...). The build folder lies beside ours, at the same depth: a compiler
# cache that rewrites paths to relative ones then knows the objects of the library already.
function(nsn_consumer_test name)
  add_test(NAME package/${name}
    COMMAND "${CMAKE_CTEST_COMMAND}"
      --build-and-test "${PROJECT_SOURCE_DIR}/tests/package" "${PROJECT_BINARY_DIR}-${name}"
      --build-generator "${CMAKE_GENERATOR}" --build-noclean --build-target consumer
      --build-options ${NSN_CONSUMER_OPTIONS} ${ARGN}
      --test-command consumer)
  set_tests_properties(package/${name} PROPERTIES LABELS package TIMEOUT 5000
    ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
endfunction()

nsn_consumer_test(installed "-DCMAKE_PREFIX_PATH=${NSN_PREFIX}")
set_tests_properties(package/installed PROPERTIES FIXTURES_REQUIRED nsn_installed)

set(options "-DNSN_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DNSN_DEPS_DIR=${NSN_DEPS_DIR}")
foreach(name CHOLMOD KLU EIGEN AMG HDF5 ZLIB CUDA GPL)
  if(DEFINED NSN_WITH_${name})
    list(APPEND options "-DNSN_WITH_${name}=${NSN_WITH_${name}}")
  endif()
endforeach()
nsn_consumer_test(subproject ${options})
set_tests_properties(package/subproject PROPERTIES LABELS "package;long")  # builds the library again
