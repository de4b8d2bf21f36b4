#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// Vertices are pulled: a tile's levels lie in separate blocks of the pool, so
// that a level can come and go without moving another. Blocks are named by a
// 32-bit vertex address: buffer number above bit 24, vertex below.

struct Tile {
    ivec2 cell;       // north-west corner relative to the camera's cell
    int base;         // quanta
    uint pad;
    uint address[12]; // by level: of the block, less the level's first id
};

layout(set = 0, binding = 1, std430) readonly buffer Tiles { Tile tiles[]; };
layout(set = 0, binding = 2, std430) readonly buffer Grid { uint grid[]; }; // id to column | row << 16
layout(set = 0, binding = 3, std430) readonly buffer Pool { uvec2 v[]; } pool[8];

layout(location = 0) out vec3 out_position; // camera-relative, metres
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec4 out_ground;   // height, sky view, curvature, coefficient in tolerances
layout(location = 3) flat out uint out_level;

uvec2 fetch(uint address) {
    uint i = address & 0xffffffu;
    // Tests, not an index: blocks of one draw may lie in several buffers, and
    // indexing by a value that varies inside a draw is an optional feature.
    uint n = address >> 24u;
    uvec2 v = uvec2(0);
    if (n == 0u) v = pool[0].v[i];
    else if (n == 1u) v = pool[1].v[i];
    else if (n == 2u) v = pool[2].v[i];
    else if (n == 3u) v = pool[3].v[i];
    else if (n == 4u) v = pool[4].v[i];
    else if (n == 5u) v = pool[5].v[i];
    else if (n == 6u) v = pool[6].v[i];
    else v = pool[7].v[i];
    return v;
}

vec3 decode_normal(uint bits) {
    vec2 uv = (vec2(bits & 255u, (bits >> 8u) & 255u) - 128.0) / 127.0;
    vec2 xz = vec2(uv.x + uv.y, uv.x - uv.y) * 0.5;
    return normalize(vec3(xz.x, 1.0 - abs(xz.x) - abs(xz.y), xz.y));
}

void main() {
    uint id = uint(gl_VertexIndex);
    uint packed = grid[id];
    ivec2 local = ivec2(packed & 0xffffu, packed >> 16u);
    int level = min(findLSB(local.x | local.y | frame.cells), frame.levels - 1);
    uvec2 v = fetch(tiles[gl_InstanceIndex].address[level] + id);

    // Both tiles of a seam reach the same integers here, and so the same bits.
    ivec2 cell = min(tiles[gl_InstanceIndex].cell + local, frame.rim);
    float height = float(tiles[gl_InstanceIndex].base + int(v.x & 0xffffu)) * frame.quantum;
    precise vec3 p = vec3(float(cell.x) * frame.eye.w - frame.eye.x, height - frame.eye.y, float(cell.y) * frame.eye.w - frame.eye.z);

    gl_Position = frame.clip * vec4(p, 1.0);
    out_position = p;
    out_normal = decode_normal(v.y);
    float c = uintBitsToFloat(v.x & 0xffff0000u);
    float d = max(length(p), 1e-3);
    out_ground = vec4(height, float((v.y >> 16u) & 255u) / 255.0, (float(v.y >> 24u) - 128.0) / 127.0, isinf(c) ? 0.0 : c * frame.pixels / d);
    out_level = uint(level);
}
