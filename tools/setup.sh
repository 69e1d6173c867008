# shellcheck shell=bash
# Sourced by ./omen and ./check: packages, configuring, building. Each function prints a line when it does something,
# and nothing otherwise. The caller sets `me` (the prefix of these lines) and `root` (the checkout).

say() { printf '%s: %s\n' "${me:?}" "$*" >&2; }

# The last lines of a log, then its path.
show_failure() {  # WHAT LOG
  tail -n 25 "$2" | sed 's/^/  /' >&2
  say "$1 failed; the whole log is $2"
}

# install_packages LIST…: installs the packages of tools/packages/LIST.txt that are missing.
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: the user has to install them
  local list wanted installed missing log
  wanted=$(for list in "$@"; do grep -v '^#' "${root:?}/tools/packages/$list.txt"; done | sort -u)
  # shellcheck disable=SC2086  # one word per package; dpkg-query fails for unknown packages
  installed=$({ dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null || true; } |
    sed -n 's/ installed$//p' | sort -u)
  mapfile -t missing < <(comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed"))
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      say "these packages are missing, and there is no sudo to install them: ${missing[*]}"
      return 1
    fi
    apt=(sudo "${apt[@]}")
  fi
  log="$root/build/packages.log"
  say "installing ${#missing[@]} packages (${missing[*]})"
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    show_failure "installing packages" "$log"
    return 1
  fi
}

# configure FOLDER PRESET OPTION…: configures once; ninja repeats it when a CMake file changes.
configure() {
  local folder=$1 preset=$2
  shift 2
  local cache="$folder/CMakeCache.txt" log="$folder.configure.log"
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$folder"  # the checkout was moved or copied: CMake rejects such a folder
  fi
  [[ ! -f $folder/build.ninja ]] || return 0
  say "configuring ${folder#"$root"/}"
  if ! (cd "$root" && cmake --preset "$preset" -B "$folder" "$@") >"$log" 2>&1 </dev/null; then
    show_failure "configuring" "$log"
    return 1
  fi
}

# build FOLDER WHAT TARGET…: builds incrementally; prints WHAT before the first command that runs. OMEN_JOBS limits the
# number of concurrent commands.
build() {
  local folder=$1 what=$2 log="$1.build.log" line said=
  shift 2
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$folder" ${OMEN_JOBS:+-j"$OMEN_JOBS"} "$@" 2>&1 </dev/null | while IFS= read -r line; do
    if [[ -z $said && $line == '['*']'* && $line != *'Re-checking globbed directories'* ]]; then
      said=yes
      say "$what"
    fi
    printf '%s\n' "$line"
  done >"$log"; then
    show_failure "building" "$log"
    return 1
  fi
}
