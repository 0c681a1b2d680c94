# sinew_hash: hashes of what the lower rooms compute in portable mode. It takes their sources rather
# than the library, so that it needs nothing but a C compiler and can be built for any processor.
file(GLOB hash_sources CONFIGURE_DEPENDS test/hash_main.c test/support/hash_*.c src/base/*.c
    test/support/matrices.c src/kernel/*.c src/math/*.c src/geometry/*.c src/solve/*.c
    src/material/*.c src/model/frames/*.c)
# What the models need of the rooms around them.
list(APPEND hash_sources src/model/pin_set.c src/model/lattice/cell.c src/world/defaults.c
    src/io/bytes.c src/io/character.c src/io/character_pose.c src/io/gltf.c src/io/volume.c)
list(FILTER hash_sources EXCLUDE REGEX "\\.kernel\\.c$")
add_executable(sinew_hash ${hash_sources} ${kernel_objects})
target_include_directories(sinew_hash PRIVATE include src test)
target_link_libraries(sinew_hash PRIVATE sinew_flags m)
if(SINEW_THREADS)
    target_link_libraries(sinew_hash PRIVATE Threads::Threads)
else()
    target_compile_definitions(sinew_hash PRIVATE SN_NO_THREADS)
endif()
