#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "frame.glsl"

// Vertices are pulled: a tile's levels lie in separate blocks of the pool, so
// that a level can come and go without moving another. Blocks are named by a
// 32-bit vertex address: buffer number above bit 24, vertex below.

#include "tile.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Grid { uint grid[]; }; // id to column | row << 16
layout(set = 0, binding = 3, std430) readonly buffer Pool { uvec2 v[]; } pool[8];

layout(location = 0) out vec3 out_position; // camera-relative, metres
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec4 out_ground;   // height, sky view, curvature, coefficient in tolerances
layout(location = 3) flat out uint out_level;

uvec2 fetch(uint address) {
    uint i = address & 0xffffffu, n = address >> 24u;
    // A loop, not an index: blocks of one draw may lie in several buffers, and indexing by
    // a value that varies inside a draw is an optional feature. Mostly there is one.
    uvec2 v = uvec2(0);
    [[dont_unroll]] for (uint b = 0u; b < uint(buffers); b++)
        if (b == n) v = pool[b].v[i];
    return v;
}

#include "normal.glsl"

// What the CPU calls a vertex's diamond, share and surface: lodcpu/morph.go, where it
// is said why. Positions q are columns and rows in the tile.

uvec2 vertex_at(ivec2 q) {
    int side = cells + 1;
    int level = min(findLSB(q.x | q.y | cells), levels - 1);
    return fetch(tiles[gl_InstanceIndex].address[level] + grid[side * side + q.y * side + q.x]);
}

float height_of(uvec2 v) { return float(tiles[gl_InstanceIndex].base + int(v.x & 0xffffu)) * frame.quantum; }
float coefficient(uvec2 v) { return uintBitsToFloat(v.x & 0xffff0000u); }

// Both tiles of a seam reach the same integers here, and so the same bits.
vec3 place(ivec2 q, float height) {
    ivec2 cell = min(tiles[gl_InstanceIndex].cell + q, frame.rim);
    precise vec3 p = vec3(float(cell.x) * frame.eye.w - frame.eye.x, height - frame.eye.y, float(cell.y) * frame.eye.w - frame.eye.z);
    return p;
}

// Whether a vertex of spacing s may move at all.
bool may_move(ivec2 q, int s, bool centre) {
    if (s == cells || centre && 2 * s == cells) return false;
    return all(lessThanEqual(tiles[gl_InstanceIndex].cell + q + (centre ? 3 : 2) * s, frame.last));
}

// How far a vertex has moved from its edge to its own height.
float share_of(ivec2 q, uvec2 v) {
    int k = findLSB(q.x | q.y | cells), s = 1 << k;
    bool centre = (q.x & s) != 0 && (q.y & s) != 0;
    if (!moves() || !may_move(q, s, centre)) return 1.0;
    vec2 m = centre ? frame.morph[k].zw : frame.morph[k].xy;
    precise float d = length(place(q, height_of(v)) - frame.lod_eye.xyz);
    precise float t = frame.lod_eye.w * coefficient(v);
    precise float share = (min(t, t * frame.hazed.x + frame.hazed.y) + m.x - d) * m.y;
    return clamp(share, 0.0, 1.0);
}

// The same because of what has just been loaded: lodcpu/rise.go.
float risen(ivec2 q) {
    int s = 1 << findLSB(q.x | q.y | cells);
    if (tiles[gl_InstanceIndex].rising == 0u || !may_move(q, s, (q.x & s) != 0 && (q.y & s) != 0)) return 1.0;
    uint left = 0u;
    ivec2 beyond = ivec2(cells) - q;
    [[dont_unroll]] for (int i = 0; i < 9; i++) {
        int column = i % 3, row = i / 3;
        int d = max(column == 0 ? q.x : column == 1 ? 0 : beyond.x, row == 0 ? q.y : row == 1 ? 0 : beyond.y);
        uvec2 r = tiles[gl_InstanceIndex].rise[i];
        [[dont_unroll]] for (int n = 0; n < 4; n++) {
            if (d + 2 * s <= (2 << (int(r.y) + n))) left = max(left, r.x >> (8 * n) & 255u);
        }
    }
    return float(255u - left) / 255.0;
}

// From a vertex to an end of the edge that it splits; the other end is opposite.
ivec2 to_end(ivec2 q) {
    int s = 1 << findLSB(q.x | q.y | cells);
    ivec2 odd = ivec2((q.x & s) != 0 ? s : 0, (q.y & s) != 0 ? s : 0);
    if (odd.x != 0 && odd.y != 0 && ((q.x - s) & (2 * s)) != ((q.y - s) & (2 * s))) odd.y = -s;
    return odd;
}

// The triangle, of those that the frame alone would draw, over a vertex that is not active
// but indexed all the same: its corners, and the weights of their heights there.
void triangle_over(ivec2 q, out ivec2 corner[3], out float weight[3]) {
    int n = cells;
    ivec2 apex = ivec2(n / 2), d = 2 * q - n, a, b;
    if (d.x >= abs(d.y)) { a = ivec2(n, n); b = ivec2(n, 0); }
    else if (-d.x >= abs(d.y)) { a = ivec2(0, 0); b = ivec2(0, n); }
    else if (d.y > 0) { a = ivec2(0, n); b = ivec2(n, n); }
    else { a = ivec2(n, 0); b = ivec2(0, 0); }
    // No break: lavapipe (Mesa 22.3) goes on with vertices that have left a loop by one.
    ivec2 mid = (a + b) / 2;
    [[dont_unroll]] while (mid != q && share_of(mid, vertex_at(mid)) > 0.0) {
        ivec2 to = q - mid, along = a - b;
        bool first = to.x * along.x + to.y * along.y >= 0;
        ivec2 end = first ? a : b;
        a = first ? apex : end;
        b = first ? end : apex;
        apex = mid;
        mid = (a + b) / 2;
    }
    ivec2 e = a - apex, f = b - apex, p = q - apex;
    float area = float(e.x * f.y - f.x * e.y);
    precise float u = float(p.x * f.y - f.x * p.y) / area;
    precise float w = float(e.x * p.y - p.x * e.y) / area;
    precise float rest = 1.0 - u - w;
    corner = ivec2[](apex, a, b);
    weight = float[](rest, u, w);
}

// The height at which a vertex is drawn. It is a sum of heights of other vertices, each on
// its own way from the edge that it splits, whose ends are taken to be at rest. Loops are
// not unrolled: a software driver takes seconds to compile what that makes.
float drawn_height(ivec2 q, uvec2 v) {
    float share = share_of(q, v);
    if (share >= 1.0 && tiles[gl_InstanceIndex].rising == 0u) return height_of(v);
    ivec2 corner[3] = ivec2[](q, q, q);
    float weight[3] = float[](1.0, 0.0, 0.0);
    float height = 0.0;
    int corners = 1;
    if (share <= 0.0) {
        triangle_over(q, corner, weight);
        corners = 3;
    } else if (tiles[gl_InstanceIndex].rising != 0u) {
        // The ends of the edge may rise too.
        share = min(share, risen(q));
        ivec2 end = to_end(q);
        corner[0] = q - end;
        corner[1] = q + end;
        weight[0] = weight[1] = 0.5 - 0.5 * share;
        height = height_of(v) * share;
        corners = share < 1.0 ? 2 : 0;
    }
    [[dont_unroll]] for (int i = 0; i < corners; i++) {
        ivec2 at = corner[i];
        uvec2 w = vertex_at(at);
        float moved = min(share_of(at, w), risen(at));
        float own = height_of(w);
        if (moved < 1.0) {
            ivec2 end = to_end(at);
            float edge = 0.0;
            [[dont_unroll]] for (int side = -1; side <= 1; side += 2) edge += height_of(vertex_at(at + side * end));
            precise float h = own * moved + edge * 0.5 * (1.0 - moved);
            own = h;
        }
        precise float sum = height + own * weight[i];
        height = sum;
    }
    return height;
}

// How far off in pixels the surface is where vertices are left out next to one that is
// drawn: the largest that their coefficients say, of those below the tolerance.
float left_out(ivec2 q) {
    int s = 1 << findLSB(q.x | q.y | cells);
    bool centre = (q.x & s) != 0 && (q.y & s) != 0;
    if (s == cells || s == 1 && !centre) return 0.0;
    float kappa = frame.forward.w / (2.0 * frame.up.w), worst = 0.0;
    [[dont_unroll]] for (int i = 0; i < 4; i++) {
        int sign = (i & 1) * 2 - 1;
        ivec2 to = centre ? (i < 2 ? ivec2(sign * s, 0) : ivec2(0, sign * s)) : ivec2(sign, (i & 2) - 1) * (s / 2);
        ivec2 child = clamp(q + to, ivec2(0), ivec2(cells));
        uvec2 v = child == q + to ? vertex_at(child) : uvec2(0);
        float c = coefficient(v), d = max(length(place(child, height_of(v))), 1e-3);
        float t = c * frame.pixels;
        worst = !isinf(c) && min(t, t * frame.hazed.x + frame.hazed.y) < d ? max(worst, c * kappa / d) : worst;
    }
    return worst;
}

void main() {
    uint id = uint(gl_VertexIndex);
    uint packed = grid[id];
    ivec2 local = ivec2(packed & 0xffffu, packed >> 16u);
    int level = min(findLSB(local.x | local.y | cells), levels - 1);
    uvec2 v = fetch(tiles[gl_InstanceIndex].address[level] + id);
    float height = moving ? drawn_height(local, v) : height_of(v);
    vec3 p = place(local, height);

    gl_Position = frame.clip * vec4(p, 1.0);
    if (known_view == VIEW_UNLIT) return; // whose pixels ask for nothing
    out_position = p;
    out_normal = decode_normal(v.y);
    float c = coefficient(v);
    float d = max(length(p), 1e-3);
    out_ground = vec4(height, float((v.y >> 16u) & 255u) / 255.0, (float(v.y >> 24u) - 128.0) / 127.0, isinf(c) ? 0.0 : c * frame.pixels / d);
    if (view() == VIEW_MORPH) out_ground.w = moving ? min(share_of(local, v), risen(local)) : 1.0;
    if (view() == VIEW_PIXELS) out_ground.w = left_out(local);
    out_level = uint(level);
}
