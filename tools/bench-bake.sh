#!/usr/bin/env bash
# Bakes a raster and lets gdal_translate make a compressed, tiled GeoTIFF of it, in
# turns, and prints samples per second of both: of the wall clock, and of processor
# time, which is what one core does.
#
#   tools/bench-bake.sh RASTER [ROUNDS] [bake flags ...]
#
# RASTER must be one that GDAL reads without flags.
set -euo pipefail

raster=${1:?usage: tools/bench-bake.sh RASTER [ROUNDS] [bake flags ...]}
rounds=${2:-3}
shift $(($# > 1 ? 2 : 1))
command -v gdal_translate >/dev/null || { echo "gdal_translate is not there: install gdal-bin" >&2; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$root" && go build -o "$dir/vkterrain" ./cmd/vkterrain)
samples=$("$dir/vkterrain" info "$raster" --json 2>/dev/null | awk -F'[:,]' '/"width"/ {w = $2} /"height"/ {h = $2} END {print w * h}')

# timed NAME COMMAND... appends "NAME seconds processor-seconds" to the log.
timed() {
	local name=$1
	shift
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >"$dir/out" 2>"$dir/err"; } 2>"$dir/time" || { cat "$dir/err" >&2; exit 1; }
	awk -v name="$name" '{print name, $1, $2 + $3}' "$dir/time" >>"$dir/log"
}

for ((i = 0; i < rounds; i++)); do
	timed bake "$dir/vkterrain" bake "$raster" -o "$dir/w.vkt" --progress none "$@"
	timed gdal gdal_translate -q -co COMPRESS=DEFLATE -co TILED=YES "$raster" "$dir/w.tif"
	bytes="bake $(stat -c %s "$dir/w.vkt") gdal $(stat -c %s "$dir/w.tif")"
	rm -f "$dir/w.vkt" "$dir/w.tif"
done
awk -v n="$samples" -v bytes="$bytes" '
	BEGIN { split(bytes, b, " "); size[b[1]] = b[2]; size[b[3]] = b[4] }
	!($1 in wall) || $2 < wall[$1] { wall[$1] = $2 }
	!($1 in cpu) || $3 < cpu[$1] { cpu[$1] = $3 }
	END {
		printf "%d samples, best of %d rounds\n", n, NR / 2
		for (k in wall)
			printf "%-5s %8.3f s  %8.3f Msamples/s  %8.3f Msamples/s a core  %7.3f bytes a sample\n",
				k, wall[k], n / wall[k] / 1e6, n / cpu[k] / 1e6, size[k] / n
		printf "bake takes %.2f times the processor time of gdal_translate\n", cpu["bake"] / cpu["gdal"]
	}' "$dir/log"
