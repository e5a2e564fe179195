# Installation: `cmake --install build/release --prefix DIR` (the folder may be moved afterwards), then find_package(nsn) with
#   nsn::nsn (everything), nsn::models, nsn::backends, nsn::precond, nsn::core, nsn::ncp,
#   nsn::contract (what every linear solver must do, as a library).
# The public headers, and they alone, go to include/nsn (installHeaders.cmake): #include <nsn/nsn.h>.

include(CMakePackageConfigHelpers)

install(TARGETS nsn nsn_models nsn_backends nsn_precond nsn_core nsn_ncp nsn_contract
        EXPORT nsnTargets)
if(TARGET nsn_cli)
  file(RELATIVE_PATH from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(nsn_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin}")
  install(TARGETS nsn_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  set(scripts "${PROJECT_SOURCE_DIR}/bench/cli/completion")
  install(FILES "${scripts}/nsn.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME nsn)
  install(FILES "${scripts}/nsn.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _nsn)
  install(FILES "${scripts}/nsn.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
set(public_headers "${PROJECT_BINARY_DIR}/public_headers")
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -D \"SOURCE=${PROJECT_SOURCE_DIR}\" -D \"DESTINATION=${public_headers}\"
  -P \"${PROJECT_SOURCE_DIR}/cmake/installHeaders.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY "${public_headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nsn")

# What nsnConfig.cmake has to find again: Kokkos in any case, the other libraries for a static nsn alone.
foreach(name CHOLMOD KLU HDF5 GPL CUDA)
  if(NSN_WITH_${name})
    set(NSN_PACKAGE_WITH_${name} TRUE)
  else()
    set(NSN_PACKAGE_WITH_${name} FALSE)
  endif()
endforeach()
set(NSN_PACKAGE_LIBRARIES "")
if(NOT BUILD_SHARED_LIBS)
  get_property(NSN_PACKAGE_LIBRARIES GLOBAL PROPERTY NSN_LINKED)
endif()
set(NSN_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/nsn")
install(EXPORT nsnTargets NAMESPACE nsn:: DESTINATION "${NSN_PACKAGE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nsnConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nsnConfig.cmake" INSTALL_DESTINATION "${NSN_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nsnConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nsnConfig.cmake" "${PROJECT_BINARY_DIR}/nsnConfigVersion.cmake"
        DESTINATION "${NSN_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY.md" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/nsn")
