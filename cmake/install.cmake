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
set(sinew_pc_private "")
if(SINEW_ORDERINGS)
    install(FILES cmake/FindMETIS.cmake cmake/FindAMD.cmake DESTINATION ${sinew_package_dir})
    string(APPEND sinew_pc_private "-lmetis -lamd -lsuitesparseconfig ")
endif()
if(SINEW_THREADS)
    string(APPEND sinew_pc_private "-pthread ")
endif()
string(APPEND sinew_pc_private "-lm")
configure_file(cmake/sinew.pc.in ${CMAKE_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
