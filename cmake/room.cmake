# A room is a folder of src/haltere with one purpose. Adding a file changes no CMake file.
#   haltere_room(model USES math LIBRARIES Eigen3::Eigen)
# The USES line is the architecture: which rooms it may include and link. APART names the files that are compiled one by one.
function(haltere_room name)
  cmake_parse_arguments(room "" "" "APART;USES;LIBRARIES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/haltere/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_library(haltere_${name} STATIC ${sources})
  add_library(haltere::${name} ALIAS haltere_${name})
  target_include_directories(haltere_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(haltere_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)  # shared libraries may have it inside
  haltere_unite(haltere_${name})
  if(room_APART AND NOT HALTERE_UNITY STREQUAL ALL)
    list(TRANSFORM room_APART PREPEND ${folder}/)
    file(GLOB apart ${room_APART})
    set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  list(TRANSFORM room_USES PREPEND haltere_)
  target_link_libraries(haltere_${name} PUBLIC ${room_USES} ${room_LIBRARIES} PRIVATE haltere_flags)
  haltere_precompile(haltere_${name} rooms)
  set_property(GLOBAL APPEND PROPERTY HALTERE_ROOMS haltere_${name})

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/*_test.cpp)
  if(tests AND HALTERE_TESTS)
    haltere_test(unit_${name} LABEL unit SOURCES ${tests} LIBRARIES haltere_${name})
  endif()
endfunction()

# Eight files of a target are compiled as one: of the whole program this takes 0.6 of the processor time; 32 save nothing more
# and take twice the memory. Names in unnamed namespaces must differ within a room. Files that are APART only with ALL, where
# speed does not matter: among others GCC inlines less of them (1.7 % more instructions for the kick-scooter).
function(haltere_unite target)
  if(HALTERE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # a file that is included is a header to GCC, whose types would differ from file to file
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
                           $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)  # clang minds names of the files before; GCC looks, too
  endif()
endfunction()

# A folder of a room. It is compiled with the room; what is said of it here is read by `./dev lint`.
#   haltere_subroom(io/plot USES result)
function(haltere_subroom path)
  if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/haltere/${path})
    message(FATAL_ERROR "there is no room src/haltere/${path}")
  endif()
endfunction()

# What all test programs share: the headers that they compile once, and where this clone stands, for tests that read its
# files. A target of its own, so that no test program waits for the sources of another one.
function(haltere_test_flags name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE haltere_flags GTest::gmock GTest::gtest_main)
  if(HALTERE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 sees uninitialised members in std::optional<std::string> once sanitizers stand in between
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  # what a test itself computes is little, and there are many of them
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()
function(haltere_test_base)
  if(TARGET haltere_test_base)
    return()
  endif()
  add_library(haltere_test_base OBJECT ${PROJECT_SOURCE_DIR}/tests/source_folder.cpp)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/source_folder.cpp PROPERTIES
                              COMPILE_DEFINITIONS HALTERE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(haltere_test_base PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(haltere_test_base PRIVATE Eigen3::Eigen)
  haltere_test_flags(haltere_test_base)
  haltere_precompile(haltere_test_base tests <gmock/gmock.h> ${PROJECT_SOURCE_DIR}/tests/tolerance.h)
endfunction()

# A test program whose cases ctest runs one by one. NEEDS names a fixture: what other tests prepare for this one. PLAIN has
# flags of its own and cannot share precompiled headers.
function(haltere_test name)
  cmake_parse_arguments(test "PLAIN" "LABEL;NEEDS" "SOURCES;LIBRARIES" ${ARGN})
  haltere_test_base()
  add_executable(${name} ${test_SOURCES} $<TARGET_OBJECTS:haltere_test_base>)
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES})
  haltere_test_flags(${name})
  if(NOT test_PLAIN)
    haltere_precompile(${name} tests)
  endif()
  set(properties LABELS ${test_LABEL})
  if(test_NEEDS)
    list(APPEND properties FIXTURES_REQUIRED ${test_NEEDS})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${test_LABEL}." NO_PRETTY_VALUES
                       PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
endfunction()

# The headers that cost most of the build time, compiled once per group of targets; a file still includes what it uses.
set(HALTERE_HEAVY_HEADERS <Eigen/Core> <Eigen/Geometry> <Eigen/LU> <Eigen/Cholesky> <array> <functional> <memory>
                          <optional> <string> <tuple> <variant> <vector>)
function(haltere_precompile target group)
  if(NOT HALTERE_PRECOMPILED_HEADERS)
    return()
  endif()
  get_property(first GLOBAL PROPERTY HALTERE_PRECOMPILED_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${HALTERE_HEAVY_HEADERS} ${ARGN})
    set_property(GLOBAL PROPERTY HALTERE_PRECOMPILED_${group} ${target})
  endif()
endfunction()
