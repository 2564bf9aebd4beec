# engine_build(NAME ...): fetches, checks, patches and builds one engine into the cache, once, and sets in the caller
#   <NAME>_SOURCE   the (patched) source folder
#   <NAME>_BUILD    its build folder
# The cache key covers everything that decides the result; a folder without its `complete` mark is built again.

if(DEFINED ENV{LLM_GATEWAY_CACHE})
  set(default_cache $ENV{LLM_GATEWAY_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(default_cache $ENV{XDG_CACHE_HOME}/llm-gateway)
else()
  set(default_cache $ENV{HOME}/.cache/llm-gateway)
endif()
set(LLM_GATEWAY_CACHE ${default_cache} CACHE PATH "Where engine sources, engine builds and models are kept")

find_program(CCACHE_PROGRAM ccache)

# Runs a command; on failure stops with the end of its output.
function(engine_run description)
  message(STATUS "engines: ${description}")
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(LENGTH "${output}" length)
    if(length GREATER 6000)
      math(EXPR start "${length} - 6000")
      string(SUBSTRING "${output}" ${start} -1 output)
    endif()
    message(FATAL_ERROR "engines: ${description} failed (${result}):\n${output}")
  endif()
endfunction()

# Downloads PACKAGE==VERSION as a source archive with pip and checks its hash; the archive's path in `archive`.
function(engine_fetch package version sha256 archive)
  string(REPLACE "-" "_" stem ${package})
  set(downloads ${LLM_GATEWAY_CACHE}/downloads)
  set(file ${downloads}/${stem}-${version}.tar.gz)
  if(NOT EXISTS ${file})
    file(MAKE_DIRECTORY ${downloads})
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    engine_run("downloading ${package} ${version}"
      ${Python3_EXECUTABLE} -m pip download --quiet --no-deps --no-binary :all: --dest ${downloads} ${package}==${version})
  endif()
  file(SHA256 ${file} actual)
  if(NOT actual STREQUAL sha256)
    message(FATAL_ERROR "engines: ${file} has SHA-256 ${actual}, expected ${sha256}. Delete it to download it again.")
  endif()
  set(${archive} ${file} PARENT_SCOPE)
endfunction()

function(engine_build name)
  cmake_parse_arguments(arg "" "PACKAGE;VERSION;SHA256;SUBFOLDER;CHECKOUT;GGML_FOLDER" "PATCHES;OPTIONS;TARGETS" ${ARGN})
  set(flags "-DGGML_MAX_NAME=128")

  file(SHA256 ${CMAKE_CURRENT_SOURCE_DIR}/engine_build.cmake recipe)
  set(ingredients ${arg_SHA256} ${arg_CHECKOUT} ${recipe} ${arg_OPTIONS} ${arg_TARGETS} ${flags}
    ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_SYSTEM_PROCESSOR})
  foreach(patch ${arg_PATCHES})
    file(SHA256 ${CMAKE_CURRENT_SOURCE_DIR}/patches/${patch} hash)
    list(APPEND ingredients ${hash})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/patches/${patch})
  endforeach()
  string(SHA256 key "${ingredients}")
  string(SUBSTRING ${key} 0 16 key)

  set(root ${LLM_GATEWAY_CACHE}/engines/${name}-${arg_VERSION}-${key})
  set(build ${root}/build)
  set(source ${root}/source/${arg_SUBFOLDER})
  if(arg_CHECKOUT)
    set(source ${arg_CHECKOUT})
  endif()

  file(MAKE_DIRECTORY ${root})
  file(LOCK ${root}/lock GUARD FUNCTION)
  if(NOT EXISTS ${root}/complete OR arg_CHECKOUT)
    if(NOT arg_CHECKOUT)
      engine_fetch(${arg_PACKAGE} ${arg_VERSION} ${arg_SHA256} archive)
      file(REMOVE_RECURSE ${root}/source ${root}/unpacked)
      file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${root}/unpacked)
      file(GLOB unpacked ${root}/unpacked/*)
      file(RENAME ${unpacked} ${root}/source)
      foreach(patch ${arg_PATCHES})
        set(folder ${source})
        if(patch MATCHES "^ggml-")
          set(folder ${source}/${arg_GGML_FOLDER})
        endif()
        engine_run("applying ${patch}" patch --directory=${folder} --strip=1 --forward --silent
          --input=${CMAKE_CURRENT_SOURCE_DIR}/patches/${patch})
      endforeach()
    endif()
    engine_run("configuring ${name} ${arg_VERSION}" ${CMAKE_COMMAND} -S ${source} -B ${build} -G Ninja
      -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_C_COMPILER_LAUNCHER=${CCACHE_PROGRAM} -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE_PROGRAM}
      -DCMAKE_C_FLAGS=${flags} -DCMAKE_CXX_FLAGS=${flags}
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON
      -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=$ORIGIN"
      ${arg_OPTIONS})
    # ggml's kernel variants are modules that no target names; they are built through the target `ggml`. The folder's
    # name has the key in it: relative to it, what a change of the key does not touch comes from ccache.
    engine_run("building ${name} ${arg_VERSION} (minutes, once)"
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${root} CCACHE_NOHASHDIR=true
      ${CMAKE_COMMAND} --build ${build} --target ${arg_TARGETS})
    file(WRITE ${root}/complete "")
  endif()

  set(${name}_SOURCE ${source} PARENT_SCOPE)
  set(${name}_BUILD ${build} PARENT_SCOPE)
endfunction()
