# Installation: `cmake --install build/release --prefix DIR`, then find_package(nsn) with
#   nsn::nsn (everything), nsn::models, nsn::backends, nsn::precond, nsn::core, nsn::ncp,
#   nsn::contract (what every linear solver must do, as a library).
# Headers go to include/nsn (nsnHeaders.cmake): #include <nsn/nsn.h>.

include(CMakePackageConfigHelpers)

install(TARGETS nsn nsn_models nsn_backends nsn_precond nsn_core nsn_ncp nsn_contract
        EXPORT nsnTargets)
if(TARGET nsn_cli)
  install(TARGETS nsn_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
include(nsnHeaders)
foreach(header ${NSN_INSTALLED_HEADERS})
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nsn/${folder}")
endforeach()

# What nsnConfig.cmake has to find again.
foreach(name CHOLMOD KLU GPL CUDA)
  if(NSN_WITH_${name})
    set(NSN_PACKAGE_WITH_${name} TRUE)
  else()
    set(NSN_PACKAGE_WITH_${name} FALSE)
  endif()
endforeach()
if(NSN_cholmod_LIBRARY)
  get_filename_component(NSN_CHOLMOD_FOLDER "${NSN_cholmod_LIBRARY}" DIRECTORY)
endif()
if(NSN_klu_LIBRARY)
  get_filename_component(NSN_KLU_FOLDER "${NSN_klu_LIBRARY}" DIRECTORY)
endif()
set(NSN_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/nsn")
install(EXPORT nsnTargets NAMESPACE nsn:: DESTINATION "${NSN_PACKAGE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nsnConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nsnConfig.cmake" INSTALL_DESTINATION "${NSN_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nsnConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nsnConfig.cmake" "${PROJECT_BINARY_DIR}/nsnConfigVersion.cmake"
        DESTINATION "${NSN_PACKAGE_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/nsn")
