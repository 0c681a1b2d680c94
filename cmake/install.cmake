# What `make install` puts where: headers, libraries, the command, sinew.pc and the CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sinew_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(DIRECTORY include/sinew TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE CHANGELOG.md TYPE DOC)
install(TARGETS sinew_static EXPORT sinewStaticTargets)
install(EXPORT sinewStaticTargets NAMESPACE sinew:: DESTINATION ${sinew_package_dir})
if(SINEW_SHARED)
    install(TARGETS sinew_shared EXPORT sinewTargets)
    install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${sinew_package_dir})
endif()
if(TARGET sinew)
    install(TARGETS sinew)
endif()

# What a static link needs: as CMake packages, as pkg-config modules, and as flags for those that
# have neither.
set(sinew_packages "")
set(sinew_pc_requires "")
set(sinew_pc_libs "")
if(SINEW_ORDERINGS)
    list(APPEND sinew_packages METIS AMD)
    list(APPEND sinew_pc_libs -lmetis -lamd -lsuitesparseconfig)
    install(FILES cmake/FindMETIS.cmake cmake/FindAMD.cmake DESTINATION ${sinew_package_dir})
endif()
if(SINEW_GLTF)
    list(APPEND sinew_packages Jansson)
    list(APPEND sinew_pc_requires jansson)
    install(FILES cmake/FindJansson.cmake DESTINATION ${sinew_package_dir})
endif()
if(SINEW_ZLIB)
    list(APPEND sinew_packages ZLIB)
    list(APPEND sinew_pc_requires zlib)
endif()
if(SINEW_SCENES)
    list(APPEND sinew_packages YAML)
    list(APPEND sinew_pc_requires yaml-0.1)
    install(FILES cmake/FindYAML.cmake DESTINATION ${sinew_package_dir})
endif()
if(SINEW_THREADS)
    list(APPEND sinew_packages Threads)
    list(APPEND sinew_pc_libs -pthread)
endif()
list(APPEND sinew_pc_libs -lm)
list(JOIN sinew_pc_requires ", " sinew_pc_requires)
list(JOIN sinew_pc_libs " " sinew_pc_libs)

configure_package_config_file(cmake/sinewConfig.cmake.in ${CMAKE_BINARY_DIR}/sinewConfig.cmake
    INSTALL_DESTINATION ${sinew_package_dir})
# Before 1.0 a minor version may break what stands on it.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinewConfig.cmake ${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    DESTINATION ${sinew_package_dir})

# sinew.pc finds its prefix from where it lies, so that the tree can be moved.
file(RELATIVE_PATH sinew_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" sinew_pc_to_prefix "${sinew_pc_to_prefix}")
configure_file(cmake/sinew.pc.in ${CMAKE_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
