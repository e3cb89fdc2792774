# Installs what was built to a prefix of its own and builds the examples against it, as a stranger would.
#   cmake -D BUILD=... -D EXAMPLES=... -D FOLDER=... -D GENERATOR=... -D C=... -D CXX=... -D LAUNCHER=... -P prepare.cmake
unset(ENV{DESTDIR})  # a prefix is all that a user has
file(REMOVE_RECURSE ${FOLDER})

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# installed here, used there: nothing in the package may remember where it was
run(--install ${BUILD} --prefix ${FOLDER}/installed)
file(RENAME ${FOLDER}/installed ${FOLDER}/prefix)

if(NOT LAUNCHER)
  set(LAUNCHER "")
endif()
function(build source binary)
  run(-S ${source} -B ${binary} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${FOLDER}/prefix -D CMAKE_BUILD_TYPE=Debug
      -D CMAKE_C_COMPILER=${C} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
  run(--build ${binary})
endfunction()
foreach(example library stepping)
  build(${EXAMPLES}/${example} ${FOLDER}/examples/${example})
endforeach()
build(${CMAKE_CURRENT_LIST_DIR}/module ${FOLDER}/module)
