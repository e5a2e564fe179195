# How a part of nsn is built: nsn_library(core SOURCES a.cpp b.cpp DEPENDS nsn_ncp fmt::fmt PRIVATE ...).

option(NSN_CHECK_INVARIANTS "Abort when an internal invariant is broken" OFF)
option(NSN_SMALL "Compile large parts that are seldom hot for size (the wheel)" OFF)
set(NSN_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")
set(NSN_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # whose warnings the sources are free of; clang builds for its tools alone
  list(APPEND NSN_WARNINGS -Werror)
endif()

find_program(NSN_CCACHE ccache)
if(NSN_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NSN_CCACHE}")
endif()
if(NSN_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${NSN_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-O1>")
  add_link_options(-fsanitize=${NSN_SANITIZE})
endif()

# nsn_precompile(target header): the target parses `header` once per build; others take it over with
# REUSE_FROM. ccache hashes the checksum beside it instead of the compiled header (./run asks it to),
# which differs from clone to clone.
function(nsn_precompile target header)
  target_precompile_headers(${target} PRIVATE "${header}")
  file(SHA256 "${header}" hash)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum"
       "${hash} ${CMAKE_CXX_COMPILER_VERSION} ${Kokkos_DIR} ${Kokkos_VERSION}")
endfunction()

# Flags of our own code; third-party headers come in as system headers.
# -ffp-contract=off: a result is the same whether or not the target has fused multiply-add.
function(nsn_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  # -fPIC also in programs: they use the precompiled header of a library.
  target_compile_options(${target} PRIVATE -fPIC ${NSN_WARNINGS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  if(NSN_NATIVE)
    target_compile_options(${target} PRIVATE -march=native -fno-math-errno -fno-trapping-math)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # a false alarm in gcc 12's own AVX-512 header, through Eigen
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  else()
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  if(NSN_CHECK_INVARIANTS)
    target_compile_definitions(${target} PRIVATE NSN_CHECK_INVARIANTS)
  endif()
endfunction()

# nsn_small(-Os files...): what NSN_SMALL compiles with -O2 or -Os instead of -O3, to the same results.
function(nsn_small level)
  if(NSN_SMALL)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${level})
    if(level STREQUAL "-Os")  # which the precompiled header is not for
      set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()

# What a shared library shows: the names that cmake/exports.map lists; all else is hidden. A library of version 0.2 takes
# the place of another 0.2 alone. No macro for exports: the precompiled header of nsn_core serves every part.
function(nsn_shared target)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} DEFINE_SYMBOL "" INSTALL_RPATH "$ORIGIN")
  if(BUILD_SHARED_LIBS AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(map "${PROJECT_SOURCE_DIR}/cmake/exports.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script,${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  endif()
endfunction()

# nsn_library(core [STATIC] SOURCES ... DEPENDS ... PRIVATE ...): static or shared as BUILD_SHARED_LIBS says; STATIC for
# what is not installed.
function(nsn_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "" "SOURCES;DEPENDS;PRIVATE")
  if(arg_STATIC)
    add_library(nsn_${name} STATIC ${arg_SOURCES})
  else()
    add_library(nsn_${name} ${arg_SOURCES})
    nsn_shared(nsn_${name})
  endif()
  add_library(nsn::${name} ALIAS nsn_${name})
  set_target_properties(nsn_${name} PROPERTIES EXPORT_NAME ${name})
  nsn_compile(nsn_${name})
  target_include_directories(nsn_${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include;${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(nsn_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE})
  if(name STREQUAL "core")
    nsn_precompile(nsn_core "${PROJECT_SOURCE_DIR}/cmake/precompiled.h")
  else()
    target_precompile_headers(nsn_${name} REUSE_FROM nsn_core)
  endif()
endfunction()
