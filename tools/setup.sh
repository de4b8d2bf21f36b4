#!/usr/bin/env bash
# Brings a Debian 12 machine to where vkterrain builds, tests and runs.
#
#   tools/setup.sh [--check] [build|demo|test|ogre]
#
# build: what the compiler needs. demo: also a Vulkan driver and ffmpeg.
# test (default): also the tools that the tests use. ogre: what tools/ogre-check.sh
# needs beside build. Only what is missing is
# installed, and only by root; anyone else is shown the one command to run.
# --check installs nothing. Exit: 0 all there, 1 something is missing, 2 usage.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(
  ca-certificates git make gcc libc6-dev pkg-config
  libgl-dev libx11-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev libxxf86vm-dev
)
demo_packages=(libvulkan1 mesa-vulkan-drivers ffmpeg)
test_packages=(
  libvulkan-dev vulkan-validationlayers
  glslc glslang-tools spirv-tools python3-renderdoc
  xvfb xauth xdotool x11-utils
  gdal-bin
)

ogre_packages=(libogre-1.12-dev g++ libgl1-mesa-dri xvfb xauth gdal-bin)

# The same needs where there is no dpkg: commands and pkg-config modules.
build_commands=(git make gcc pkg-config)
demo_commands=(ffmpeg)
test_commands=(glslc glslangValidator spirv-val Xvfb xauth xdotool xwininfo gdalinfo gdal_translate)
ogre_commands=(g++ Xvfb xauth gdal_translate)
build_modules=(gl x11 xcursor xrandr xinerama xi xxf86vm)
test_modules=(vulkan)
ogre_modules=(OGRE OGRE-Terrain)

usage() {
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "tools/setup.sh"
}

say() { printf 'setup: %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# missing_packages NAME...: those that dpkg does not have installed, one a line.
missing_packages() {
  local installed
  # dpkg-query exits 1 when it does not know a name; that is an answer here.
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p') || true
  local name
  for name in "$@"; do
    grep -qxF -- "$name" <<<"$installed" || printf '%s\n' "$name"
  done
}

# check_go says on stderr what is wrong with Go, and returns 1 then.
check_go() {
  local want go have_version
  want=$(awk '$1 == "go" { print $2; exit }' go.mod)
  go=$(command -v go || true)
  if [[ -z $go && -x /usr/local/go/bin/go ]]; then
    go=/usr/local/go/bin/go
    say "go is in /usr/local/go/bin, which is not on PATH (make finds it all the same)"
  fi
  if [[ -z $go ]]; then
    say "Go $want or newer is missing. Debian 12's golang package (1.19) is too old:"
    say "unpack a current release from https://go.dev/dl into /usr/local/go and put"
    say "/usr/local/go/bin on PATH. Any Go from 1.21 on will do: it fetches $want itself."
    return 1
  fi
  # Asked outside the module, so that an old Go answers instead of switching.
  have_version=$(cd / && GOTOOLCHAIN=local "$go" env GOVERSION)
  have_version=${have_version#go}
  have_version=${have_version%% *}
  if at_least "$have_version" "$want"; then
    return 0
  fi
  if ! at_least "$have_version" 1.21; then
    say "Go $have_version is too old ($go): $want is needed, or any Go from 1.21 on, which"
    say "fetches $want itself. Releases: https://go.dev/dl (Debian 12's golang is 1.19)."
    return 1
  fi
  if [[ $(cd / && "$go" env GOTOOLCHAIN) == local* ]]; then
    say "Go $have_version may not fetch Go $want, because GOTOOLCHAIN is local."
    say "Run: $go env -w GOTOOLCHAIN=auto   (or unset the variable), or install Go $want."
    return 1
  fi
  return 0
}

# at_least HAVE WANT compares versions.
at_least() {
  [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}

check=
scope=test
for arg in "$@"; do
  case $arg in
    --check) check=1 ;;
    build | demo | test | ogre) scope=$arg ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done

packages=("${build_packages[@]}")
commands=("${build_commands[@]}")
modules=("${build_modules[@]}")
if [[ $scope == demo || $scope == test ]]; then
  packages+=("${demo_packages[@]}")
  commands+=("${demo_commands[@]}")
fi
if [[ $scope == test ]]; then
  packages+=("${test_packages[@]}")
  commands+=("${test_commands[@]}")
  modules+=("${test_modules[@]}")
fi
if [[ $scope == ogre ]]; then
  packages+=("${ogre_packages[@]}")
  commands+=("${ogre_commands[@]}")
  modules+=("${ogre_modules[@]}")
fi

failed=0

if have dpkg-query && have apt-get; then
  # shellcheck disable=SC2207 # package names have no blanks
  missing=($(missing_packages "${packages[@]}"))
  if ((${#missing[@]} > 0)); then
    if [[ -n $check ]]; then
      say "missing packages: ${missing[*]}"
      failed=1
    elif [[ $(id -u) -ne 0 ]]; then
      say "missing packages; run this one command, then again what you ran:"
      printf '  sudo apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
      failed=1
    else
      say "installing ${missing[*]}"
      export DEBIAN_FRONTEND=noninteractive
      apt=(apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
      # A stale mirror list is no reason to stop: the install tells.
      "${apt[@]}" update </dev/null >&2 || say "apt-get update failed; trying with the lists that are there"
      if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2; then
        say "apt-get could not install: ${missing[*]}"
        failed=1
      fi
    fi
  fi
else
  say "no apt-get here: checking for commands and pkg-config modules instead"
  missing=()
  for name in "${commands[@]}"; do
    have "$name" || missing+=("$name")
  done
  for name in "${modules[@]}"; do
    pkg-config --exists "$name" 2>/dev/null || missing+=("$name.pc")
  done
  if ((${#missing[@]} > 0)); then
    say "missing: ${missing[*]}"
    say "install them with your system's package manager; on Debian 12 they are in:"
    printf '  %s\n' "${packages[*]}" >&2
    failed=1
  fi
  if [[ $scope == demo || $scope == test ]]; then
    say "a Vulkan 1.2 driver is needed too (Mesa's lavapipe will do)"
  fi
fi

check_go || failed=1

if [[ -n $check && $failed -eq 0 ]]; then
  say "nothing is missing ($scope)"
fi
exit "$failed"
