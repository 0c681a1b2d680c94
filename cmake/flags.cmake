# Flags that everything of ours is compiled with.
add_library(sinew_flags INTERFACE)
target_compile_options(sinew_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla
    # The same operations in the same order give the same bits, whatever the compiler.
    -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(SINEW_WERROR)
    target_compile_options(sinew_flags INTERFACE -Werror)
endif()
# Passing wide vectors between static inline functions is not an interface.
target_compile_options(sinew_flags INTERFACE -Wno-psabi)
if(SINEW_SANITIZE)
    target_compile_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE}
        -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE})
endif()
target_compile_definitions(sinew_flags INTERFACE _DEFAULT_SOURCE)
