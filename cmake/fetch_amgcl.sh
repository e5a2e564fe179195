# shellcheck shell=bash
# AMGCL's headers without installing the package and without touching the machine's package sources.
#
#   source cmake/fetch_amgcl.sh && fetch_amgcl [folder]     # default: ${NSN_DEPS_DIR:-~/.cache/nsn}/amgcl
#
# Afterwards <folder>/usr/include/amgcl/amg.hpp exists, where cmake/nsnDependencies.cmake looks for it.
# Where apt already knows libamgcl-dev (Ubuntu: universe), that package is downloaded and unpacked. On
# Debian it sits in the component contrib, which most machines do not have on: then the machine's own
# sources are copied, "contrib" is added to the copy, and apt works with the copy and with package lists
# in a temporary folder. Needs apt-get and dpkg, no root.

fetch_amgcl() {
  local folder="${1:-${NSN_DEPS_DIR:-$HOME/.cache/nsn}/amgcl}"
  if [ -f "$folder/usr/include/amgcl/amg.hpp" ]; then
    echo "AMGCL: headers are in $folder"
    return 0
  fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    echo "AMGCL: neither apt-get nor dpkg here; put its headers into $folder/usr/include" >&2
    return 1
  fi
  local work status=0
  work="$(mktemp -d)" || return 1
  _fetch_amgcl_into "$folder" "$work" || status=$?
  rm -rf "$work"
  return "$status"
}

# A candidate version in the machine's own package lists?
_amgcl_known_to_apt() {
  apt-cache policy libamgcl-dev 2>/dev/null | grep -q 'Candidate: [0-9]'
}

# Copies the distribution's sources (those with the component "main" whose Debian lists carry contrib) to
# $1/parts, with contrib added. Third-party sources are left out: they have no contrib.
_amgcl_sources_with_contrib() {
  local work="$1" file
  mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
  for file in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ] && grep -Eq '^Signed-By:.*(debian|ubuntu)-archive-keyring' "$file"; then
      sed -E '/^Components:/ { /contrib/! s/$/ contrib/ }' "$file" >"$work/parts/$(basename "$file")"
    fi
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [ -f "$file" ]; then
      sed -nE '/^deb .*(debian|ubuntu)[^ ]* [^ ]+ .*\bmain\b/ { /contrib/! s/\bmain\b/main contrib/; p }' \
        "$file" >"$work/parts/$(basename "$file")"
    fi
  done
}

_fetch_amgcl_into() {
  local folder="$1" work="$2"
  local -a apt=(apt-get -qq -o "APT::Sandbox::User=$(id -un)")
  if _amgcl_known_to_apt; then
    echo "AMGCL: downloading libamgcl-dev"
  else
    echo "AMGCL: downloading libamgcl-dev from the component contrib (the package sources stay as they are)"
    _amgcl_sources_with_contrib "$work"
    apt+=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts"
          -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache"
          -o Acquire::Languages=none)
    "${apt[@]}" update || return 1
  fi
  (cd "$work" && "${apt[@]}" download libamgcl-dev) || return 1
  mkdir -p "$folder" && dpkg -x "$work"/libamgcl-dev_*.deb "$folder" || return 1
  [ -f "$folder/usr/include/amgcl/amg.hpp" ] && echo "AMGCL: headers are in $folder"
}

# As a script: bash cmake/fetch_amgcl.sh [folder of dependencies]. Not getting it is no failure, the
# library is built without the amg backend then.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  fetch_amgcl "${1:-${NSN_DEPS_DIR:-$HOME/.cache/nsn}}/amgcl" ||
    echo "AMGCL: could not be fetched; nsn will be built without the backend 'amg'"
fi
