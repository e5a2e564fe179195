# Copies the public headers, include/nsn/*.h, to DESTINATION, each with the text of the library's own headers that it
# lists in their place: what is installed is the public headers and nothing else. A header that another public one
# lists is left out; that one is included instead (tests/docs/check_headers.py holds the lists to that).
#   cmake -D SOURCE=<source folder> -D DESTINATION=<folder> -P installHeaders.cmake

cmake_minimum_required(VERSION 3.25)

# expand(TEXT OUT LISTED): TEXT with the text of each included header of the library in its place; LISTED: the headers
# whose text belongs here. Each is inserted once.
function(expand text out listed)
  set(result "")
  while(text MATCHES "#include \"nsn/([a-z_]+/[a-z0-9_/]+\\.h)\"\n")
    set(line "${CMAKE_MATCH_0}")
    set(header "${CMAKE_MATCH_1}")
    string(FIND "${text}" "${line}" at)
    string(SUBSTRING "${text}" 0 ${at} head)
    string(APPEND result "${head}")
    string(LENGTH "${line}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
    get_property(done GLOBAL PROPERTY NSN_EXPANDED)
    if(header IN_LIST listed AND NOT header IN_LIST done)
      set_property(GLOBAL APPEND PROPERTY NSN_EXPANDED "${header}")
      file(READ "${SOURCE}/${header}" inner)
      string(REGEX REPLACE "\n#pragma once\n" "\n" inner "\n${inner}")
      expand("${inner}" inner "${listed}")
      string(APPEND result "${inner}")
    endif()
  endwhile()
  set(${out} "${result}${text}" PARENT_SCOPE)
endfunction()

file(GLOB headers RELATIVE "${SOURCE}/include/nsn" "${SOURCE}/include/nsn/*.h")
foreach(name ${headers})
  file(READ "${SOURCE}/include/nsn/${name}" text)
  string(REGEX MATCHALL "nsn/[a-z_]+/[a-z0-9_/]+\\.h" listed "${text}")
  list(TRANSFORM listed REPLACE "^nsn/" "")
  # The public headers come first: what is written out below uses them.
  string(REGEX MATCHALL "#include \"nsn/[a-z_]+\\.h\"\n" others "${text}")
  string(REGEX REPLACE "#include \"nsn/[a-z_]+\\.h\"\n" "" text "${text}")
  list(JOIN others "" others)
  string(REPLACE "#pragma once\n" "#pragma once\n\n${others}" text "${text}")
  set_property(GLOBAL PROPERTY NSN_EXPANDED "")
  expand("${text}" text "${listed}")
  file(WRITE "${DESTINATION}/${name}" "${text}")
endforeach()
