#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "tile.glsl"
#include "levels.glsl"

// The twelve edges of the box around each tile that is drawn, coloured by its finest level.
layout(location = 0) out vec3 out_color;

void main() {
    // Of an edge's number the lower two bits say where it is, the upper ones along which axis.
    int edge = gl_VertexIndex >> 1, axis = edge >> 2;
    ivec3 corner = ivec3(0);
    corner[axis] = gl_VertexIndex & 1;
    corner[(axis + 1) % 3] = edge & 1;
    corner[(axis + 2) % 3] = edge >> 1 & 1;
    ivec2 cell = min(tiles[gl_InstanceIndex].cell + corner.xz * cells, frame.rim);
    float height = float(corner.y == 0 ? tiles[gl_InstanceIndex].bounds.x : tiles[gl_InstanceIndex].bounds.y) * frame.quantum;
    vec3 p = vec3(float(cell.x) * frame.eye.w - frame.eye.x, height - frame.eye.y, float(cell.y) * frame.eye.w - frame.eye.z);
    gl_Position = frame.clip * vec4(p, 1.0);
    out_color = level_color(uint(tiles[gl_InstanceIndex].finest)) * 0.6 + 0.4;
}
