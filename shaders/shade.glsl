// What is known of the ground on a coarse grid, whatever is drawn of it: its height and its
// normal, and the height up to which a place lies in shadow, and how soft that is. See
// pipeline/shadow.go.

#include "normal.glsl"

layout(set = 0, binding = 4, std430) readonly buffer Shade { uvec2 shadows[]; };

// Behind the grid lies another one where the world was baked with colours or materials: red,
// green and blue of sRGB, and the weights of what grows, rock, sediment and snow.
struct Paint {
    vec4 colour;
    vec4 weights;
};

Paint painted(vec3 p) {
    vec2 size = frame.shade_range.zw;
    vec2 q = clamp((p.xz + frame.shade_at.xy) * frame.shade_at.z, vec2(0.0), size - 1.001);
    ivec2 i = ivec2(q);
    vec2 f = q - vec2(i);
    int row = int(size.x), at = row * int(size.y) + i.y * row + i.x;
    uvec2 a = shadows[at], b = shadows[at + 1], c = shadows[at + row], d = shadows[at + row + 1];
    return Paint(mix(mix(unpackUnorm4x8(a.x), unpackUnorm4x8(b.x), f.x), mix(unpackUnorm4x8(c.x), unpackUnorm4x8(d.x), f.x), f.y),
        mix(mix(unpackUnorm4x8(a.y), unpackUnorm4x8(b.y), f.x), mix(unpackUnorm4x8(c.y), unpackUnorm4x8(d.y), f.x), f.y));
}

struct Survey {
    float height; // metres
    float shadow; // the same
    float soft;
    vec3 normal;
};

// The grid at a camera-relative position.
Survey survey(vec3 p) {
    vec2 size = frame.shade_range.zw;
    vec2 q = clamp((p.xz + frame.shade_at.xy) * frame.shade_at.z, vec2(0.0), size - 1.001);
    ivec2 i = ivec2(q);
    vec2 f = q - vec2(i);
    int at = i.y * int(size.x) + i.x;
    uvec2 a = shadows[at], b = shadows[at + 1], c = shadows[at + int(size.x)], d = shadows[at + int(size.x) + 1];
    vec2 s = mix(mix(unpackUnorm2x16(a.x), unpackUnorm2x16(b.x), f.x), mix(unpackUnorm2x16(c.x), unpackUnorm2x16(d.x), f.x), f.y);
    float h = mix(mix(unpackUnorm2x16(a.y).x, unpackUnorm2x16(b.y).x, f.x), mix(unpackUnorm2x16(c.y).x, unpackUnorm2x16(d.y).x, f.x), f.y);
    vec2 n = mix(mix(unpackUnorm4x8(a.y).zw, unpackUnorm4x8(b.y).zw, f.x), mix(unpackUnorm4x8(c.y).zw, unpackUnorm4x8(d.y).zw, f.x), f.y);
    return Survey(frame.shade_range.x + h * frame.shade_range.y, frame.shade_range.x + s.x * frame.shade_range.y, s.y * frame.shade_range.y, normal_of(n * 255.0));
}

// The share of the sun that is to be seen at a height, metres.
float sunlit(Survey s, float y) {
    float soft = s.soft + frame.shade_at.w + 0.5;
    return smoothstep(-soft, soft, y - s.shadow + 0.5 * frame.shade_at.w);
}

// The height of the ground where one is drawn that may be off by so many metres: what is
// drawn too low would lie in its own shadow. The grid knows it but for frame.detail.
float ground_height(Survey s, float drawn, float off) {
    return clamp(clamp(s.height, drawn - off, drawn + off), s.height - frame.detail, s.height + frame.detail);
}

// How much of the normal is that of the grid: all where it holds every sample, and else what
// is far enough for the mesh to be coarser.
float surveyed(float off) { return max(1.0 - sign(frame.detail), smoothstep(0.15, 0.4, off * frame.shade_at.z)); }
