#!/bin/sh
# Compiles the shaders of the tests. Needs glslc (Debian package glslc).
set -e
cd "$(dirname "$0")"
for f in triangle.vert triangle.frag add.comp; do
	glslc -O --target-env=vulkan1.2 -Werror "$f" -o "$f.spv"
done
