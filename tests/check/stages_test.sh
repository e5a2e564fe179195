#!/usr/bin/env bash
# ./run check keeps the result of each stage for the files it was run on: stages_test.sh, in a scratch repository
# with three stages that need no build.
set -euo pipefail
stages="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/stages.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >run <<SCRIPT
set -euo pipefail
say() { echo "== \$*"; }
source "$stages"
check_stages=(good bad changes)
run_stage() {
  case "\$1" in
    good) echo ran good ;;
    bad) echo ran bad; false; echo not reached ;;
    changes) echo more >>file ;;
  esac
}
check "\$@"
SCRIPT
printf 'out/\n' >.gitignore
git init -q .
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m empty
git add . && git -c user.name=a -c user.email=a@b commit -q -m first

# expect STATUS PATTERN ARGUMENTS...: how ./run check ends, and a line that it prints
expect() {
  local status=0 wanted=$1 pattern=$2
  shift 2
  bash run "$@" >out/printed.txt 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || { echo "check $*: exit code $status, not $wanted"; cat out/printed.txt; exit 1; }
  grep -Eq "$pattern" out/printed.txt || { echo "check $*: does not print '$pattern'"; cat out/printed.txt; exit 1; }
}
refuse() { if grep -q "$1" out/printed.txt; then echo "prints '$1'"; cat out/printed.txt; exit 1; fi; }

mkdir out
expect 0 '^  good +-'
expect 2 "no stage 'nonsense'" nonsense
expect 0 '^  good +green' good
expect 1 '^  bad +red' good bad
refuse 'not reached'
expect 0 '^  bad +red'

expect 1 'files changed while it ran' all
grep -q 'ran bad' out/printed.txt
refuse 'ran good'  # green already
expect 0 'not committed'
grep -Eq '^  good +-' out/printed.txt  # a result of other files does not count
git add . && git -c user.name=a -c user.email=a@b commit -q -m second
expect 0 '^  good +-'  # nor does one of another commit
echo "stages: ok"
