# shellcheck shell=bash
# Kokkos 4.7 from the source archive of a Python package that carries it.
#
#   source cmake/build_kokkos.sh
#   build_kokkos PREFIX [cmake options]        # -DKokkos_ENABLE_CUDA=ON ...: with CUDA
#
# The newest full Kokkos that a package registry has; 17.5 MB, checked against its hash. With CUDA 13
# three lines need a change: the oldest architecture nvcc_wrapper names is gone, and two functions of
# the runtime have another signature.

kokkos_archive_sha256=e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7

# fetch_kokkos FOLDER: the sources of Kokkos in FOLDER/kokkos.
fetch_kokkos() {
  python3 -m pip download -q --no-deps --no-binary pygenten -d "$1" pygenten==0.1.5 || return 1
  echo "$kokkos_archive_sha256  $1/pygenten-0.1.5.tar.gz" | sha256sum -c --quiet || return 1
  mkdir -p "$1/archive"
  tar -xzf "$1/pygenten-0.1.5.tar.gz" -C "$1/archive" --strip-components=1
  mv "$1/archive/tpls/kokkos" "$1/kokkos"
}

patch_kokkos_for_cuda_13() {
  sed -i 's/^default_arch="sm_70"/default_arch="sm_80"/' "$1/bin/nvcc_wrapper"
  sed -i -e 's/cudaGraphAddDependencies(graph, from, to, numDependencies)/cudaGraphAddDependencies(graph, from, to, nullptr, numDependencies)/' \
    -e 's/cudaMemPrefetchAsync(devPtr, count, dstDevice, m_stream)/cudaMemPrefetchAsync(devPtr, count, cudaMemLocation{cudaMemLocationTypeDevice, dstDevice}, 0, m_stream)/' \
    "$1/core/src/Cuda/Kokkos_Cuda_Instance.hpp"
}

build_kokkos() {
  local prefix=$1 work status=0
  shift
  work=$(mktemp -d)
  fetch_kokkos "$work" || { rm -rf "$work"; return 1; }
  patch_kokkos_for_cuda_13 "$work/kokkos"
  case " $* " in *Kokkos_ENABLE_CUDA=ON*) set -- "$@" -DCMAKE_CXX_COMPILER="$work/kokkos/bin/nvcc_wrapper" ;; esac
  cmake -S "$work/kokkos" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_SERIAL=ON \
    -DCMAKE_INSTALL_PREFIX="$prefix" "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target install >>"$work/log" 2>&1 || { status=1; tail -n 40 "$work/log"; }
  rm -rf "$work"
  return $status
}
