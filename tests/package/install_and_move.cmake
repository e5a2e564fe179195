# cmake -DSOURCE=<source folder> -DBUILD=<build folder> -DPREFIX=<folder> -DPATHS=<folder;...> -P install_and_move.cmake
#   Installs into PREFIX-first and moves that to PREFIX. No file of the package names PREFIX-first, one of PATHS or any
#   other folder of this machine.
file(REMOVE_RECURSE "${PREFIX}" "${PREFIX}-first")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}-first"
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(RENAME "${PREFIX}-first" "${PREFIX}")

file(GLOB_RECURSE package "${PREFIX}/*.cmake")
if(NOT package)
  message(FATAL_ERROR "no CMake package was installed")
endif()
foreach(file ${package})
  file(STRINGS "${file}" lines)
  foreach(line ${lines})
    foreach(path "${PREFIX}" ${PATHS})
      string(FIND "${line}" "${path}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} names ${path}:\n${line}")
      endif()
    endforeach()
    if(NOT line MATCHES "^ *#" AND line MATCHES "[\"; ]/(usr|opt|home|root|tmp|lib)")
      message(FATAL_ERROR "${file} names a folder of this machine:\n${line}")
    endif()
  endforeach()
endforeach()

# The public headers, and no other.
file(GLOB_RECURSE installed RELATIVE "${PREFIX}/include" "${PREFIX}/include/*")
file(GLOB public RELATIVE "${SOURCE}/include" "${SOURCE}/include/nsn/*.h")
if(NOT installed STREQUAL public)
  message(FATAL_ERROR "installed are ${installed} instead of ${public}")
endif()

foreach(file LICENSE THIRD_PARTY.md)
  if(NOT EXISTS "${PREFIX}/share/doc/nsn/${file}")
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
