# The consumer project, configured, built and run against an installed tree that was moved, static and shared, and as a
# parent project. Sanitized builds are left out: a consumer would have to be built with the same sanitizers.
if(NSN_SANITIZE)
  return()
endif()

set(NSN_CONSUMER_OPTIONS
  "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
  "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}")
if(Kokkos_ROOT)
  list(APPEND NSN_CONSUMER_OPTIONS "-DKokkos_ROOT=${Kokkos_ROOT}")
endif()
set(environment "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;NSN_DEPS_DIR=${NSN_DEPS_DIR}")

# nsn_package_test(name [LONG] [SETUP fixture] [NEEDS fixture] COMMAND ...)
function(nsn_package_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "SETUP;NEEDS" "COMMAND")
  add_test(NAME package/${name} COMMAND ${arg_COMMAND})
  set(labels package)
  if(arg_LONG)
    list(APPEND labels long)
  endif()
  set_tests_properties(package/${name} PROPERTIES LABELS "${labels}" TIMEOUT 36000 ENVIRONMENT "${environment}"
    FIXTURES_SETUP "${arg_SETUP}" FIXTURES_REQUIRED "${arg_NEEDS}")
endfunction()

# nsn_install_test(name build [LONG] ...): what is in the folder `build`, installed and moved to build/package/moved.
function(nsn_install_test name build)
  nsn_package_test(${name} ${ARGN} COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${build}" "-DPREFIX=${build}/package/moved"
    "-DPATHS=${PROJECT_SOURCE_DIR}\\;${PROJECT_BINARY_DIR}\\;${NSN_DEPS_DIR}"
    -P "${PROJECT_SOURCE_DIR}/tests/package/install_and_move.cmake")
endfunction()

# nsn_consumer_test(name OPTIONS options... [LONG] ...). The build folder lies beside ours, at the same depth: a
# compiler cache that rewrites paths to relative ones then knows the objects of the library already.
function(nsn_consumer_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;HOW")
  nsn_package_test(${name} ${arg_HOW} COMMAND "${CMAKE_CTEST_COMMAND}"
    --build-and-test "${PROJECT_SOURCE_DIR}/tests/package" "${PROJECT_BINARY_DIR}-${name}"
    --build-generator "${CMAKE_GENERATOR}" --build-noclean
    --build-options ${NSN_CONSUMER_OPTIONS} ${arg_OPTIONS}
    --test-command "${CMAKE_CTEST_COMMAND}" --output-on-failure)
endfunction()

nsn_install_test(install "${PROJECT_BINARY_DIR}" SETUP nsn_installed)
nsn_consumer_test(installed HOW NEEDS nsn_installed OPTIONS "-DCMAKE_PREFIX_PATH=${PROJECT_BINARY_DIR}/package/moved")

# What builds the library again is long.
set(options "-DNSN_DEPS_DIR=${NSN_DEPS_DIR}")
foreach(name CHOLMOD METIS KLU EIGEN AMG HDF5 QHULL ASSIMP TINYXML2 ZLIB CUDA GPL)
  if(DEFINED NSN_WITH_${name})
    list(APPEND options "-DNSN_WITH_${name}=${NSN_WITH_${name}}")
  endif()
endforeach()
nsn_consumer_test(subproject HOW LONG OPTIONS "-DNSN_SOURCE_DIR=${PROJECT_SOURCE_DIR}" ${options})
nsn_package_test(subproject_targets COMMAND "${CMAKE_COMMAND}" -G "${CMAKE_GENERATOR}"
  -S "${PROJECT_SOURCE_DIR}/tests/package" -B "${PROJECT_BINARY_DIR}-targets" ${NSN_CONSUMER_OPTIONS}
  "-DNSN_SOURCE_DIR=${PROJECT_SOURCE_DIR}" ${options})

set(shared "${PROJECT_BINARY_DIR}-shared")
nsn_package_test(shared_build LONG SETUP nsn_shared COMMAND "${CMAKE_CTEST_COMMAND}"
  --build-and-test "${PROJECT_SOURCE_DIR}" "${shared}" --build-generator "${CMAKE_GENERATOR}" --build-noclean
  --build-target nsn_cli
  --build-options ${NSN_CONSUMER_OPTIONS} ${options} -DBUILD_SHARED_LIBS=ON -DNSN_BUILD_TESTS=OFF)
nsn_install_test(shared_install "${shared}" LONG NEEDS nsn_shared SETUP nsn_shared_installed)
nsn_consumer_test(shared_installed HOW LONG NEEDS nsn_shared_installed OPTIONS "-DCMAKE_PREFIX_PATH=${shared}/package/moved")
nsn_package_test(shared_library LONG NEEDS nsn_shared_installed
  COMMAND bash "${PROJECT_SOURCE_DIR}/tests/package/shared_library_test.sh" "${shared}/package/moved")

if(NOT NSN_WITH_CUDA)
  nsn_package_test(kokkos_choice COMMAND bash "${PROJECT_SOURCE_DIR}/tests/package/kokkos_choice_test.sh"
    "${PROJECT_SOURCE_DIR}" "${NSN_DEPS_DIR}")
endif()
