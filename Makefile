# Thin over CMake and Ninja: each target sets the machine up, builds what it needs and runs a script.
# Presets are in CMakePresets.json; `make` builds the one called release, in build/.
PREFIX = /usr/local
DESTDIR =
# How long `make fuzz` runs each fuzzer, in seconds.
SECONDS = 60
# Parts of `make check`; none: all.
PARTS =
# What installs missing packages; SETUP=true leaves the machine as it is.
SETUP = scripts/setup

.PHONY: all setup setup-check configure build demo test check bench fuzz install format clean help

all: build

setup:
	@$(SETUP)

# Compilers, analysers and emulators that only the long check, the fuzzers and the layout need.
setup-check:
	@$(SETUP) check

configure: setup build/build.ninja

build: configure
	@cmake --build build

# Ninja configures again by itself when a CMake file changes.
build/build.ninja: CMakePresets.json | setup
	@cmake --preset release --log-level=WARNING

# Only what it runs; `make` and `make test` build the rest.
demo: setup build/build.ninja
	@cmake --build build --target sinew
	@scripts/demo

test: build
	@scripts/run_tests build

# The script itself sets up what only some of its parts need.
check: setup-check
	@SETUP='$(SETUP)' scripts/check $(PARTS)

bench: configure
	@cmake --build build --target sinew
	@build/sinew bench

fuzz: setup-check
	@scripts/fuzz $(SECONDS)

install: build
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)' --strip

format: setup-check
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build

help:
	@echo 'make          set up the machine and build everything, in build/'
	@echo 'make demo     build the sinew command, run the main job and say where its pictures are'
	@echo 'make test     build everything and run the tests'
	@echo 'make check    the long one: compilers, sanitizers, processors, formatting, headers, ...'
	@echo '              (PARTS="asan tsan" runs parts of it, scripts/check --list names them)'
	@echo 'make bench    measure the machine and the kernels'
	@echo 'make fuzz     run each fuzzer for SECONDS=60'
	@echo 'make install  install into PREFIX=/usr/local, under DESTDIR if given'
	@echo 'make format   lay out the sources with clang-format'
	@echo 'make clean    remove build/'
