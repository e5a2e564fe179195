# The stages of ./run check, which sources this file. The result of each is kept for the files it was run on:
# out/check/COMMIT.tsv (stage, result, seconds, date), or COMMIT+HASH.tsv if the tree has changes that are not committed.

# Cut so that each stays below an hour on two cores.
check_stages=(format test golden long-friction long-rigid long-robots long-docs asan asan-models python-asan tsan tsan-models
              tidy tidy-tests bare native package cuda offload petsc fuzz fuzz-readers
              mutants-1 mutants-2 hour learning wheel docs)

describe_stage() {
  case "$1" in
    format) echo "clang-format changes no file" ;;
    test) echo "what ./run test runs: every test not labelled long" ;;
    golden) echo "scenes whose motion is known bit by bit (tests/golden)" ;;
    long-friction) echo "2000 random friction problems, the elastica" ;;
    long-rigid) echo "long tests of stacks, walls, piles and soft grasps" ;;
    long-robots) echo "long tests of robots" ;;
    long-docs) echo "long commands of the pages" ;;
    asan) echo "tests under ASan and UBSan, all but models" ;;
    asan-models) echo "tests of models under ASan and UBSan" ;;
    python-asan) echo "random misuse of the Python module under ASan and UBSan" ;;
    tsan) echo "tests under TSan with libomp and Archer, all but models" ;;
    tsan-models) echo "tests of models under TSan with libomp and Archer" ;;
    tidy) echo "clang-tidy on the library" ;;
    tidy-tests) echo "clang-tidy on bench, tests and examples" ;;
    bare) echo "a build without optional parts, and its tests" ;;
    native) echo "a build for this machine's instruction set, and its tests" ;;
    package) echo "three programs against a moved folder, static and shared, and as a parent project" ;;
    cuda) echo "the device code, compiled by nvcc for sm_80 and sm_90" ;;
    offload) echo "the tests of devices on OpenMPTarget" ;;
    petsc) echo "the petsc backend: contract suite, its own tests, one system on two processes" ;;
    fuzz) echo "a minute of damaged problem files under the sanitizers" ;;
    fuzz-readers) echo "a minute of every reader of files under libFuzzer, ASan and UBSan" ;;
    mutants-1 | mutants-2) echo "half ${1#*-} of the one-line changes that tests must notice" ;;
    hour) echo "ten scenes for an hour of simulated time in both presets" ;;
    learning) echo "a policy learns to keep a ball on a plate, in Python" ;;
    wheel) echo "a wheel of the Python module, tried in every Python that is here" ;;
    docs) echo "the site, every link of it followed" ;;
  esac
}

long_friction='random_friction|elastica'
long_robots='robot_scenes|allegro'
long_docs='^docs/'
long_package='^package/'

golden() {
  setup
  cmake --preset release >/dev/null
  cmake --build --preset release --target nsn_cli
  ctest --preset release -L golden
}

# tidy FOLDER...: nothing is compiled, clang cannot read gcc's precompiled headers.
tidy() {
  setup
  install_packages "${check_packages[@]}"
  cmake --preset tidy >/dev/null
  python3 tests/check/tidy.py build/tidy "$@"
}

# kokkos_of_clang NAME [options]: a Kokkos that clang built, in the folder that the preset of this name looks into.
kokkos_of_clang() {
  local prefix="$NSN_DEPS_DIR/kokkos-4.7-$1"
  shift
  [ -e "$prefix/include/Kokkos_Core.hpp" ] && return
  say "building Kokkos 4.7 with clang into $prefix"
  build_kokkos "$prefix" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ "$@"
}

# The archer tool tells TSan what OpenMP's barriers order; libomp loads it by itself where both are of one version.
thread_sanitizer() {
  install_packages clang libomp-dev
  kokkos_of_clang tsan -DKokkos_ENABLE_OPENMP=ON -DCMAKE_CXX_FLAGS=-fsanitize=thread \
    -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread
  run_tests tsan "$@"
}

hour() {
  setup
  cmake --preset release >/dev/null
  cmake --build --preset release --target simulated_hour
  python3 tests/hour/run_hours.py build/release/bin/simulated_hour
}

fuzz_readers() {
  setup
  install_packages clang
  kokkos_of_clang clang -DKokkos_ENABLE_OPENMP=OFF
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --target libfuzzer_readers fuzz_seeds
  python3 tests/fuzz/run_fuzz.py build/fuzz/bin --seconds 60
}

run_stage() {
  case "$1" in
    format) format_check ;;
    test) run_tests release -LE long ;;
    golden) golden ;;
    long-friction) run_tests release -L long -R "$long_friction" ;;
    long-robots) run_tests release -L long -R "$long_robots" ;;
    long-docs) run_tests release -L long -R "$long_docs" ;;
    long-rigid) run_tests release -L long -E "$long_friction|$long_robots|$long_docs|$long_package" ;;  # the rest
    asan) run_tests asan -LE 'long|models' ;;
    asan-models) run_tests asan -LE long -L models ;;
    python-asan) python_asan ;;
    tsan) thread_sanitizer -LE 'long|models' ;;
    tsan-models) thread_sanitizer -LE long -L models ;;
    tidy) tidy ncp core precond backends models ;;
    tidy-tests) tidy bench tests docs ;;
    bare) run_tests bare -LE long ;;
    native) run_tests native -LE long ;;
    package) run_tests release -L package ;;
    cuda) build_cuda ;;
    offload) test_offload ;;
    petsc) test_petsc ;;
    fuzz) fuzz ;;
    fuzz-readers) fuzz_readers ;;
    hour) hour ;;
    mutants-*) mutants --part "${1#*-}/2" ;;
    learning) learning ;;
    wheel) wheel ;;
    docs) docs ;;
  esac
}

# The commit, and a hash of what is not committed.
tree_key() {
  local commit changes
  commit=$(git rev-parse HEAD)
  changes=$(git status --porcelain)
  if [ -z "$changes" ]; then echo "$commit"; return; fi
  echo "$commit+$( { git diff HEAD --binary
                     git ls-files --others --exclude-standard -z | xargs -0 -r sha1sum; } | sha1sum | cut -c1-8)"
}

# stage_result KEY STAGE: its line of the file, the last one written.
stage_result() {
  [ -f "out/check/$1.tsv" ] && awk -F'\t' -v stage="$2" '$1 == stage { line = $0 } END { print line }' "out/check/$1.tsv"
  return 0
}

check_table() {
  local key=$1 stage result seconds date
  echo "commit $(git log -1 --format='%h %s' | cut -c1-100)"
  [ "$key" = "${key%%+*}" ] || echo "The tree has changes that are not committed: the results are those of these files."
  for stage in "${check_stages[@]}"; do
    IFS=$'\t' read -r _ result seconds date <<<"$(stage_result "$key" "$stage")"
    printf '  %-14s %-6s %8s  %-16s  %s\n' "$stage" "${result:--}" "${seconds:+$seconds s}" "$date" "$(describe_stage "$stage")"
  done
  echo "./run check STAGE... runs stages; ./run check all runs those that are not green."
}

# Runs a stage in a shell of its own and keeps its result; Ctrl-C keeps none. Sets red if it fails; not to be called
# as a condition, which would switch off "set -e" inside the stage.
check_stage() {
  local key=$1 stage=$2 start=$SECONDS status result=green
  mkdir -p out/check
  say "stage $stage: $(describe_stage "$stage")"
  interrupted=0
  trap 'interrupted=1' INT
  set +e
  (set -e; trap - INT; run_stage "$stage") 2>&1 | tee "out/check/$stage.log"
  status=${PIPESTATUS[0]}
  set -e
  trap - INT
  if [ "$interrupted" -eq 1 ] || [ "$status" -eq 130 ]; then say "stage $stage: interrupted"; check_table "$key"; exit 130; fi
  if [ "$(tree_key)" != "$key" ]; then say "stage $stage: files changed while it ran, its result is not kept"; exit 1; fi
  if [ "$status" -ne 0 ]; then result=red red=1; fi
  printf '%s\t%s\t%d\t%s\n' "$stage" "$result" $((SECONDS - start)) "$(date '+%Y-%m-%d %H:%M')" >>"out/check/$key.tsv"
  say "stage $stage: $result after $((SECONDS - start)) s (out/check/$stage.log)"
}

# check [all | STAGE...]
check() {
  local key stage wanted=() red=0
  key=$(tree_key)
  for stage in "$@"; do
    if [ "$stage" != all ] && [[ " ${check_stages[*]} " != *" $stage "* ]]; then
      { echo "no stage '$stage'; there are:"; check_table "$key"; } >&2
      exit 2
    fi
  done
  for stage in "$@"; do
    if [ "$stage" != all ]; then wanted+=("$stage"); continue; fi
    for stage in "${check_stages[@]}"; do
      [[ "$(stage_result "$key" "$stage")" == *$'\tgreen\t'* ]] || wanted+=("$stage")
    done
  done
  for stage in "${wanted[@]}"; do check_stage "$key" "$stage"; done
  check_table "$key"
  return $red
}
