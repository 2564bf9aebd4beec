# embed_docs(VARIABLE): compresses the page's own files, writes embedded.cpp into the build folder and names it in VARIABLE.

include(${PROJECT_SOURCE_DIR}/cmake/swagger_ui.cmake)

function(embed_docs variable)
  swagger_ui(third_party)
  set(own ${CMAKE_CURRENT_SOURCE_DIR}/docs)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/docs)
  file(MAKE_DIRECTORY ${out})
  set(table "")
  set(arrays "")
  set(number 0)
  foreach(entry
      "index.html|text/html; charset=utf-8"
      "start.js|text/javascript; charset=utf-8"
      "swagger-ui-bundle.js|text/javascript; charset=utf-8"
      "swagger-ui.css|text/css; charset=utf-8"
      "favicon-32x32.png|image/png"
      "LICENSE|text/plain; charset=utf-8")
    string(FIND "${entry}" "|" bar)
    string(SUBSTRING "${entry}" 0 ${bar} name)
    math(EXPR after "${bar} + 1")
    string(SUBSTRING "${entry}" ${after} -1 type)
    if(EXISTS ${own}/${name})
      file(ARCHIVE_CREATE OUTPUT ${out}/${name}.gz PATHS ${own}/${name} FORMAT raw COMPRESSION GZip)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${own}/${name})
      set(file ${out}/${name}.gz)
      file(SHA256 ${own}/${name} hash)
    else()
      set(file ${third_party}/${name}.gz)
      file(SHA256 ${file} hash)
    endif()
    string(SUBSTRING ${hash} 0 16 hash)
    string(APPEND arrays "const unsigned char bytes_${number}[] = {\n#embed \"${file}\"\n};\n")
    string(APPEND table "        File{\"${name}\", \"${type}\", view(bytes_${number}), \"\\\"${hash}\\\"\"},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  configure_file(${own}/embedded.cpp.in ${out}/embedded.cpp @ONLY)
  set(${variable} ${out}/embedded.cpp PARENT_SCOPE)
endfunction()
