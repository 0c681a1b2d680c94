# clang and wasi-libc, for WebAssembly with 128-bit vectors.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# A process id is part of the name of a temporary file; here it is a constant.
set(CMAKE_C_FLAGS_INIT "-msimd128 -D_WASI_EMULATED_GETPID")
set(CMAKE_AR llvm-ar CACHE FILEPATH "archiver")
set(CMAKE_RANLIB llvm-ranlib CACHE FILEPATH "archive indexer")
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
