# swagger_ui(FOLDER): the few files of Swagger UI that /docs serves, each compressed with gzip, in the folder named by the
# variable FOLDER; the program embeds them. They come from a Python package that carries the distribution of
# `swagger-ui-dist` (pip is needed anyway), pinned by version and hash and kept in the cache; none of them is committed.
#
# To move to a newer version: change the three lines below; `pip download --no-deps PACKAGE==VERSION` and `sha256sum` give the
# hash, the package's METADATA says which Swagger UI is inside. It must be 5.33 or newer, because our document is OpenAPI 3.2.

set(SWAGGER_UI_PACKAGE drf-spectacular-sidecar)
set(SWAGGER_UI_PACKAGE_VERSION 2026.10.1)  # Swagger UI 5.33.1, Apache-2.0
set(SWAGGER_UI_PACKAGE_SHA256 fe1d005d8ac9b5d0472f2fe5deeb2e7d6dcffaa24118044f22578b4b8c4b31f2)

function(swagger_ui folder)
  set(downloads ${LLM_GATEWAY_CACHE}/downloads)
  string(REPLACE "-" "_" stem ${SWAGGER_UI_PACKAGE})
  set(wheel ${downloads}/${stem}-${SWAGGER_UI_PACKAGE_VERSION}-py3-none-any.whl)
  file(MAKE_DIRECTORY ${downloads})
  file(LOCK ${downloads}/swagger-ui.lock GUARD FUNCTION)
  if(NOT EXISTS ${wheel})
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    message(STATUS "docs: downloading ${SWAGGER_UI_PACKAGE} ${SWAGGER_UI_PACKAGE_VERSION} (Swagger UI)")
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip download --quiet --no-deps --only-binary :all: --dest ${downloads}
        ${SWAGGER_UI_PACKAGE}==${SWAGGER_UI_PACKAGE_VERSION}
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "docs: downloading ${SWAGGER_UI_PACKAGE} failed (${result}):\n${output}")
    endif()
  endif()
  file(SHA256 ${wheel} actual)
  if(NOT actual STREQUAL SWAGGER_UI_PACKAGE_SHA256)
    message(FATAL_ERROR "docs: ${wheel} has SHA-256 ${actual}, expected ${SWAGGER_UI_PACKAGE_SHA256}. "
      "Delete it to download it again.")
  endif()

  set(result ${CMAKE_BINARY_DIR}/swagger-ui/${SWAGGER_UI_PACKAGE_VERSION})
  set(distribution ${result}/unpacked/${stem}/static/${stem}/swagger-ui-dist)
  if(NOT EXISTS ${result}/complete)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${result}/unpacked PATTERNS "*/swagger-ui-dist/*")
    foreach(name swagger-ui-bundle.js swagger-ui.css favicon-32x32.png LICENSE)
      file(ARCHIVE_CREATE OUTPUT ${result}/${name}.gz PATHS ${distribution}/${name} FORMAT raw COMPRESSION GZip
        COMPRESSION_LEVEL 9)
    endforeach()
    file(WRITE ${result}/complete "")
  endif()
  set(${folder} ${result} PARENT_SCOPE)
endfunction()
