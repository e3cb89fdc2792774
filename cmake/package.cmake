# What others get: the program, one library with its CMake package, the models, the documents (docs/library.md), and a
# Debian package of all that (`./dev package`).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# -- the library: every room in one archive, so that a user links one target and no order of rooms matters
get_property(rooms GLOBAL PROPERTY HALTERE_ROOMS)
add_library(haltere_library STATIC)
foreach(room IN LISTS rooms)
  target_sources(haltere_library PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
set_target_properties(haltere_library PROPERTIES OUTPUT_NAME haltere EXPORT_NAME haltere LINKER_LANGUAGE CXX)
target_compile_features(haltere_library INTERFACE cxx_std_20)
target_include_directories(haltere_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Eigen's vectors cross the interface, and Eigen chooses by the compiler's flags how to free them. Under the address
# sanitizer a user's side would choose otherwise than this library did; haltere.h refuses the other case, AVX.
target_compile_definitions(haltere_library INTERFACE EIGEN_MALLOC_ALREADY_ALIGNED=1)
# only Eigen is in the public headers; the others are linked. haltereConfig.cmake looks for the same ones.
target_link_libraries(haltere_library PUBLIC Eigen3::Eigen
                      PRIVATE fmt::fmt yaml-cpp hdf5::hdf5 ZLIB::ZLIB SUNDIALS::cvodes SUNDIALS::idas SUNDIALS::nvecserial
                      SUNDIALS::sunlinsolspgmr SUNDIALS::KLU
                      Threads::Threads)

# -- files
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/haltere)
install(TARGETS haltere)
install(TARGETS haltere_library EXPORT haltere)
install(DIRECTORY src/haltere DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h
        REGEX "io/(result/hdf5(_driver)?|json|report/(blob|result_part))[.]h" EXCLUDE)  # these include libraries that are merely linked
install(EXPORT haltere NAMESPACE haltere:: FILE haltereTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/haltereConfig.cmake.in haltereConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(haltereConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/haltereConfig.cmake ${PROJECT_BINARY_DIR}/haltereConfigVersion.cmake
        DESTINATION ${package_folder})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/haltere)
install(FILES docs/haltere.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/haltere)
install(FILES README.md LICENSE CHANGELOG.md cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN haltere.schema.json EXCLUDE)

# -- what the Tab key offers, said by the program itself
foreach(place bash:bash-completion/completions/haltere zsh:zsh/vendor-completions/_haltere fish:fish/vendor_completions.d/haltere.fish)
  string(REPLACE ":" ";" place ${place})
  list(GET place 0 shell)
  list(GET place 1 file)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion/${folder})
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/completion/${file}
                     COMMAND $<TARGET_FILE:haltere> completion ${shell} > completion/${file}
                     WORKING_DIRECTORY ${PROJECT_BINARY_DIR} DEPENDS haltere)
  list(APPEND completions ${PROJECT_BINARY_DIR}/completion/${file})
  install(FILES ${PROJECT_BINARY_DIR}/completion/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions})

# -- the Debian package
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME haltere)
set(CPACK_PACKAGE_CONTACT "haltere developers <haltere@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "dynamics of flying, flapping and rolling machines")
set(CPACK_PACKAGE_DESCRIPTION "haltere reads a machine from a text file and computes how it moves: multibody dynamics
with an energy audit in every run. This package has the program, the models
that ship with it, and a C++20 library with its CMake package.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # haltere_VERSION_ARCHITECTURE.deb
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS librsvg2-bin)  # haltere plot starts it for PDF and PNG
# what the library takes to be linked; the program needs none of it
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, libeigen3-dev (>= 3.4), libfmt-dev, libyaml-cpp-dev, libhdf5-dev, zlib1g-dev, libsundials-dev, libsuitesparse-dev")
include(CPack)
