#!/bin/sh
# Compiles the shaders of this folder; for whoever changes them.
set -e
cd "$(dirname "$0")"
for shader in bare.vert bare.frag; do
  glslc -O --target-env=vulkan1.2 -Werror -o "$shader.spv" "$shader"
done
