# module(NAME SOURCES … [TESTS …] [USES …] [LINK …] [TEST_LINK …])
#
# One folder of src/ is one static library named after its path: src/gateway/api -> gateway_api. USES names other modules,
# LINK names libraries. TESTS become one executable NAME_test, registered with CTest. Interface and implementation are not
# told apart: what a module uses, its users may see.

function(module name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS;USES;LINK;TEST_LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${arg_USES} ${arg_LINK} PRIVATE project_options)
  if(arg_TESTS AND LLM_GATEWAY_TESTS)
    add_executable(${name}_test ${arg_TESTS})
    target_link_libraries(${name}_test PRIVATE ${name} ${arg_TEST_LINK} project_options GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120)
  endif()
endfunction()

# program(NAME SOURCES … USES …): an executable in <build>/bin that finds its libraries in <build>/lib, wherever the folder
# is moved to.
function(program name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} ${arg_LINK} project_options)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    BUILD_RPATH "$ORIGIN/../lib" INSTALL_RPATH "$ORIGIN/../lib" BUILD_RPATH_USE_ORIGIN ON)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()
