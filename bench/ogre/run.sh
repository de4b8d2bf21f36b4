#!/usr/bin/env bash
# Builds the program against OGRE and measures frames beside its; see docs/ogre.md.
#
#   bench/ogre/run.sh OUT [FLAGS]
#
# OUT takes the programs that are built. Needs libogre-1.12-dev (tools/setup.sh ogre)
# and the map in the shared folder beside the project.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=${1:?OUT}
shift
map=../shared/data/png16/ps_height_1k.png
go=${GO:-go}

if [[ ! -e $map ]]; then
  echo "bench-ogre: $map is missing: the shared folder belongs beside the project" >&2
  exit 1
fi
tools/setup.sh ogre
mkdir -p "$out"
source=bench/ogre/theirs/frames.cpp
if [[ ! -x $out/ogre_frames || $source -nt $out/ogre_frames ]]; then
  # shellcheck disable=SC2046 # the flags are several words
  g++ -O2 -std=c++14 -Wno-deprecated-declarations \
    -DOGRE_PLUGIN_DIR="\"$(pkg-config --variable=plugindir OGRE)\"" \
    -DOGRE_MEDIA_DIR="\"$(pkg-config --variable=prefix OGRE)/share/OGRE/Media\"" \
    "$source" -o "$out/ogre_frames" $(pkg-config --cflags --libs OGRE OGRE-Terrain) -lGL
fi
"$go" build -o "$out/bench_ogre" ./bench/ogre
xvfb-run -a -s '-screen 0 1280x720x24' "$out/bench_ogre" "$@" "$map" "$out/ogre_frames"
