#!/usr/bin/env bash
# Compiles shaders/*.{vert,frag,comp} to SPIR-V, twice, and validates both.
#
#   tools/glslc.sh               writes shaders/*.spv (optimised), shaders/debug/*.spv
#                                (with source, for RenderDoc) and shaders/manifest.txt;
#                                eyes.*.spv draw into two layers at once
#   tools/glslc.sh --out DIR     writes the same files below DIR
#   tools/glslc.sh --version     prints the manifest's "tool" lines
#
# The same sources and tools give the same bytes. Output differs between
# versions of the tools, so the committed files are made with Debian 12's.
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Release: small and fast. Debug: only -gVS gives NonSemantic.Shader.DebugInfo.100.
release_options=(-O --target-env=vulkan1.2 -Werror)
debug_options=(-gVS --target-env vulkan1.2)

fail() {
  printf 'glslc.sh: %s\n' "$*" >&2
  exit 1
}

tool_lines() {
  printf 'tool glslc %s\n' "$(glslc --version | sed '/^$/,$d' | paste -sd, | sed 's/,/, /g')"
  printf 'tool glslangValidator %s\n' "$(glslangValidator --version | sed -n 's/^Glslang Version: //p')"
}

for tool in glslc glslangValidator spirv-val; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is not installed; run tools/setup.sh"
done

out=$root/shaders
case ${1-} in
  '') ;;
  --out)
    [[ $# -eq 2 ]] || fail "--out needs a folder"
    mkdir -p "$2"
    out=$(cd "$2" && pwd)
    ;;
  --version)
    tool_lines
    exit 0
    ;;
  *) fail "unknown argument $1 (see the head of this file)" ;;
esac

# Relative names only: debug modules carry the names of their sources.
cd "$root/shaders"
shopt -s nullglob
shaders=(*.vert *.frag *.comp)
sources=("${shaders[@]}" *.glsl)
[[ ${#shaders[@]} -gt 0 ]] || fail "no shader in shaders/"

# What is drawn for both eyes at once has a second module of each kind.
eyes=(terrain.vert terrain.frag sky.vert sky.frag water.vert water.frag boxes.vert boxes.frag)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/debug"

# compile SHADER MODULE [OPTION...] writes both kinds of a module.
compile() {
  local shader=$1 module=$2
  shift 2
  glslc "${release_options[@]}" "$@" -o "$tmp/$module.spv" "$shader"
  glslangValidator --quiet "${debug_options[@]}" "$@" -o "$tmp/debug/$module.spv" "$shader"
  for kind in "$tmp/$module.spv" "$tmp/debug/$module.spv"; do
    spirv-val --target-env vulkan1.2 "$kind" || fail "spirv-val rejects ${kind#"$tmp/"}"
  done
}

for shader in "${shaders[@]}"; do
  compile "$shader" "$shader"
done
for shader in "${eyes[@]}"; do
  compile "$shader" "eyes.$shader" -DEYES
done

{
  echo '# Made by tools/glslc.sh; do not edit. SHA-256 of every source and output.'
  tool_lines
  printf 'options release %s\n' "${release_options[*]}"
  printf 'options debug %s\n' "${debug_options[*]}"
  sha256sum -- "${sources[@]}" | sed 's/  / /' | sort -k 2 | sed 's/^/source /'
  (cd "$tmp" && sha256sum -- *.spv debug/*.spv) | sed 's/  / /' | sort -k 2 | sed 's/^/output /'
} >"$tmp/manifest.txt"

# Nothing is touched before everything compiled; what lost its source goes.
mkdir -p "$out/debug"
for old in "$out"/*.spv "$out"/debug/*.spv; do
  [[ -e $tmp/${old#"$out/"} ]] || rm -f -- "$old"
done
for file in "$tmp"/*.spv "$tmp"/debug/*.spv "$tmp/manifest.txt"; do
  name=${file#"$tmp/"}
  cmp -s "$file" "$out/$name" || install -m 644 "$file" "$out/$name"
done
