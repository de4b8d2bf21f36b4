#!/usr/bin/env bash
# Lets the OGRE engine itself load what vkterrain writes, and prints what OGRE's
# files cost in bytes and time beside vkterrain's, and how many triangles OGRE draws
# with which error.
#
#   tools/ogre-check.sh [OUT]
#
# Needs libogre-1.12-dev (tools/setup.sh ogre) and the shared folder beside the
# project, which holds the checker's source and OGRE's own samples. OUT (out) takes the
# programs that are built. No part of `make test`.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=${1:-out}
source=../shared/ogre/ogre_check.cpp
go=${GO:-go}

if [[ ! -e $source ]]; then
  echo "ogre-check: $source is missing: the shared folder belongs beside the project" >&2
  exit 1
fi
tools/setup.sh ogre
mkdir -p "$out"
checker=$(cd "$out" && pwd)/ogre_check
if [[ ! -x $checker || $source -nt $checker ]]; then
  # shellcheck disable=SC2046 # the flags are several words
  g++ -O2 -std=c++14 -Wno-deprecated-declarations \
    -DOGRE_PLUGIN_DIR="\"$(pkg-config --variable=plugindir OGRE)\"" \
    -DOGRE_MEDIA_DIR="\"$(pkg-config --variable=prefix OGRE)/share/OGRE/Media\"" \
    "$source" -o "$checker" $(pkg-config --cflags --libs OGRE OGRE-Terrain)
fi
drawn=$(dirname "$checker")/ogre_drawn
if [[ ! -x $drawn || tools/ogre-drawn.cpp -nt $drawn ]]; then
  # shellcheck disable=SC2046
  g++ -O2 -std=c++14 -Wno-deprecated-declarations \
    -DOGRE_PLUGIN_DIR="\"$(pkg-config --variable=plugindir OGRE)\"" \
    tools/ogre-drawn.cpp -o "$drawn" $(pkg-config --cflags --libs OGRE OGRE-Terrain)
fi
VKTERRAIN_OGRE_CHECK=$checker VKTERRAIN_OGRE_DRAWN=$drawn VKTERRAIN_REQUIRE_SHARED=1 \
  xvfb-run -a -s '-screen 0 1280x720x24' \
  "$go" test -count=1 -v -run 'RealOGRE' -timeout=20m ./terrain/ogre ./cmd/vkterrain ./lodcpu
