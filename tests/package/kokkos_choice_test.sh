#!/usr/bin/env bash
# kokkos_choice_test.sh SOURCE NSN_DEPS_DIR: a Kokkos that CMAKE_PREFIX_PATH or Kokkos_ROOT names wins over that of
# ./run setup, also in a folder that was configured before. Nothing is built.
set -euo pipefail
source=$1
deps=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset Kokkos_ROOT CMAKE_PREFIX_PATH Kokkos_DIR

mkdir -p "$scratch/other/lib/cmake/Kokkos" "$scratch/empty"
cat >"$scratch/other/lib/cmake/Kokkos/KokkosConfig.cmake" <<'CMAKE'
add_library(Kokkos::kokkos INTERFACE IMPORTED)
CMAKE
cat >"$scratch/other/lib/cmake/Kokkos/KokkosConfigVersion.cmake" <<'CMAKE'
set(PACKAGE_VERSION 4.99.0)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
CMAKE

configure() {
  cmake -S "$source" -B "$scratch/build" -G Ninja -DNSN_BUILD_TESTS=OFF -DNSN_BUILD_BENCH=OFF -DNSN_DEPS_DIR="$deps" "$@" \
    >"$scratch/log" 2>&1
}
# expect WHERE OPTIONS...: which Kokkos a configuration takes
expect() {
  local where=$1
  shift
  configure "$@" || { echo "$*: does not configure"; tail -n 20 "$scratch/log"; exit 1; }
  grep -q -- "-- nsn: Kokkos .*($where" "$scratch/log" || { echo "$*: not $where"; grep Kokkos "$scratch/log"; exit 1; }
}

own=$(cd "$scratch" && configure && sed -n 's/^-- nsn: Kokkos [^(]*(\(.*\))$/\1/p' log)
[ -n "$own" ] && [[ "$own" != "$scratch"* ]] || { echo "no Kokkos without options: '$own'"; exit 1; }
expect "$scratch/other" -DCMAKE_PREFIX_PATH="$scratch/other"
expect "$own" -DCMAKE_PREFIX_PATH=
expect "$scratch/other" -DKokkos_ROOT="$scratch/other"
expect "$own" -DKokkos_ROOT=
Kokkos_ROOT="$scratch/other" expect "$scratch/other"
expect "$own"
expect "$scratch/other" -DKokkos_DIR="$scratch/other/lib/cmake/Kokkos"

if configure -DKokkos_DIR= -DKokkos_ROOT="$scratch/empty"; then echo "a Kokkos_ROOT without a Kokkos is taken"; exit 1; fi
grep -q "where CMake finds no Kokkos" "$scratch/log" || { echo "no reason given"; tail -n 5 "$scratch/log"; exit 1; }
echo "choice of Kokkos: ok"
