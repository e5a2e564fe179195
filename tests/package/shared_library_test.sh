#!/usr/bin/env bash
# shared_library_test.sh PREFIX: shared libraries carry a soversion, show nsn's names and hide those of what is linked.
set -euo pipefail
prefix=$1
fail() { echo "shared libraries: $*"; exit 1; }

for part in core models backends precond contract; do
  library=$(find "$prefix" -name "libnsn_$part.so")
  [ -n "$library" ] || fail "libnsn_$part.so is not installed"
  readelf -d "$library" | grep -q "SONAME.*libnsn_$part.so.0.2\]" || fail "$library has no soversion 0.2"
  names=$(nm -DC --defined-only "$library" | cut -d' ' -f3-)
  grep -q '^nsn::' <<<"$names" || fail "$library shows no name of nsn"
  hidden=$(grep -vE 'nsn::|Kokkos|desul' <<<"$names" || true)
  [ -z "$hidden" ] || fail "$library shows $(head -5 <<<"$hidden")"
done

# One Kokkos for all, that of the core.
[ "$(find "$prefix" -name 'libnsn_*.so' -exec sh -c 'nm -DC --defined-only "$1" | grep -q " Kokkos::initialize(" && echo yes' _ {} \; | wc -l)" -eq 1 ] ||
  fail "Kokkos is in none or in several of them"

env -u LD_LIBRARY_PATH "$prefix/bin/nsn" run arch --steps 2 --quiet || fail "the moved command line does not run"
echo "shared libraries: ok"
