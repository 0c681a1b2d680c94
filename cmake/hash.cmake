# sinew_hash: hashes of what the lower rooms compute in portable mode. It links the library's own
# objects. METIS orders differently from one version to the next and is not there for every processor,
# so the ordering is compiled again without it: the linker takes this one and leaves the library's.
file(GLOB hash_sources CONFIGURE_DEPENDS test/hash_main.c test/support/hash_*.c)
add_executable(sinew_hash ${hash_sources} test/support/matrices.c src/solve/ordering.c)
target_include_directories(sinew_hash PRIVATE include src test)
target_link_libraries(sinew_hash PRIVATE sinew_static sinew_flags)
