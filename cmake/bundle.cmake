# A release is one folder: bin/, lib/, share/. This adds to `cmake --install` the step that copies every shared library our
# programs need, but for glibc, into lib/, and lets it find its own neighbours there, so that the folder runs on any
# distribution with a glibc as new as Debian 12's. Included last: install steps run in the order of their declaration.

install(CODE [[
  find_program(patchelf patchelf REQUIRED)
  set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
  file(GLOB programs ${root}/bin/*)
  file(GLOB libraries ${root}/lib/lib*.so*)
  file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES ${programs}
    LIBRARIES ${libraries}
    DIRECTORIES ${root}/lib
    PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|resolv|util|anl|mvec)\\.so"
    RESOLVED_DEPENDENCIES_VAR found
    UNRESOLVED_DEPENDENCIES_VAR unresolved)
  if(unresolved)
    message(FATAL_ERROR "not found: ${unresolved}")
  endif()
  foreach(file ${found})
    cmake_path(IS_PREFIX root ${file} NORMALIZE ours)
    if(ours)
      continue()
    endif()
    get_filename_component(name ${file} NAME)
    file(REAL_PATH ${file} target)
    file(COPY_FILE ${target} ${root}/lib/${name})
    file(CHMOD ${root}/lib/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    # Libraries of the system have no search path of their own; here they need one to find each other.
    execute_process(COMMAND ${patchelf} --set-rpath $ORIGIN ${root}/lib/${name} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])
