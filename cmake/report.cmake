# The viewer of reports becomes a part of the program: report/dist/viewer.html, which `./dev build` bundles before CMake runs.
# Without it the program is built all the same and `haltere report` says what is missing. The glob makes the build look again
# once the file has come or gone.
file(GLOB HALTERE_VIEWER CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/dist/viewer.html)
set(viewer_source ${PROJECT_SOURCE_DIR}/src/haltere/io/report/viewer.cpp)
# by itself: ccache does not keep what an assembler included, and the room shall not be compiled again with the viewer
set_source_files_properties(${viewer_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(HALTERE_VIEWER)
  set_source_files_properties(${viewer_source} PROPERTIES
    COMPILE_DEFINITIONS HALTERE_VIEWER_FILE="${HALTERE_VIEWER}" OBJECT_DEPENDS ${HALTERE_VIEWER})
else()
  message(STATUS "there is no report/dist/viewer.html: haltere will not write reports")
endif()
