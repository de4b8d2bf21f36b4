// Shadows of the ground: for each place of a coarse grid the height up to which it lies
// in shadow, and how soft that is. See pipeline/shadow.go.

layout(set = 0, binding = 4, std430) readonly buffer Shade { uint shadows[]; };

// The share of the sun that is to be seen at a camera-relative position.
float sunlit(vec3 p) {
    vec2 size = frame.shade_range.zw;
    vec2 q = clamp((p.xz + frame.shade_at.xy) * frame.shade_at.z, vec2(0.0), size - 1.001);
    ivec2 i = ivec2(q);
    vec2 f = q - vec2(i);
    int at = i.y * int(size.x) + i.x;
    vec2 s = mix(mix(unpackUnorm2x16(shadows[at]), unpackUnorm2x16(shadows[at + 1]), f.x),
        mix(unpackUnorm2x16(shadows[at + int(size.x)]), unpackUnorm2x16(shadows[at + int(size.x) + 1]), f.x), f.y) * frame.shade_range.y;
    float soft = s.y + frame.shade_at.w + 0.5;
    return smoothstep(-soft, soft, frame.eye.y + p.y - frame.shade_range.x - s.x + 0.5 * frame.shade_at.w);
}
