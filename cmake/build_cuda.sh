# shellcheck shell=bash
# The gate of the CUDA sources on a machine without a GPU: every kernel of the paper's method and of the
# solvers is compiled by nvcc for sm_80 and sm_90 with a Kokkos that has CUDA, and so are the calls of cuSOLVER
# and cuDSS. Nothing is run: such a program does not even load where there is no driver. Fails on an error, on
# a warning (a call of a host function in a kernel is one) and on registers that spill.

# compile_for_cuda KOKKOS ARCH SOURCE OBJECT
compile_for_cuda() {
  nvcc -x cu -ccbin g++ -std=c++20 --expt-extended-lambda --expt-relaxed-constexpr -arch="$2" -O2 -fmad=false \
    -Xcompiler=-fopenmp,-fPIC -Werror all-warnings -Xptxas -v -DKOKKOS_DEPENDENCE -DFMT_SHARED -DFMT_USE_CONSTEXPR=1 \
    -I out/build-cuda/include -isystem "$1/include" -c "$3" -o "$4"
}

build_cuda() {
  export PATH="$PATH:/usr/local/cuda/bin"
  command -v nvcc >/dev/null || { echo "build-cuda: no nvcc (CUDA toolkit) here"; return 1; }
  local kokkos="$NSN_DEPS_DIR/kokkos-4.7-cuda" arch log source
  if [ ! -e "$kokkos/include/Kokkos_Core.hpp" ]; then
    say "building Kokkos 4.7 with CUDA into $kokkos (minutes)"
    build_kokkos "$kokkos" -DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_AMPERE80=ON || return 1
  fi
  mkdir -p out/build-cuda/include
  ln -sfn "$PWD" out/build-cuda/include/nsn
  say "compiling backends/cuda/cuda_libraries.cpp"
  g++ -std=c++20 -Wall -Wextra -Werror -DFMT_SHARED -I out/build-cuda/include -isystem /usr/local/cuda/include \
    -c backends/cuda/cuda_libraries.cpp -o out/build-cuda/libraries.o || return 1
  for arch in sm_80 sm_90; do
    log="out/build-cuda/$arch.log"
    : >"$log"
    for source in core/step/paper/device_cuda.cpp backends/cuda/cuda_backends.cpp; do
      say "compiling $source for $arch"
      compile_for_cuda "$kokkos" "$arch" "$source" "out/build-cuda/$arch.o" >>"$log" 2>&1 ||
        { grep -E 'error|warning' "$log" | head -n 20; return 1; }
    done
    if grep -E '[1-9][0-9]* bytes spill' "$log"; then
      echo "build-cuda: registers spill ($log)"
      return 1
    fi
    echo "$arch: $(grep -c 'Compiling entry function' "$log") kernels, no spills, no warnings, at most" \
      "$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$log" | sort -n | tail -n 1) registers"
  done
}
