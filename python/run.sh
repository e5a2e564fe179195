# The Python module in ./run, which sources this file: the interpreter it is built for, its tests, the wheel.

python_packages=(numpy scipy nanobind pytest mypy matplotlib gymnasium h5py)

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
