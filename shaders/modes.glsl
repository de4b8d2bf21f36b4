// Colours of the modes that show how a picture is made.

#include "levels.glsl"

// What leaving a vertex out would cost, in tolerances: below 1 dark, 1 blue,
// 4 yellow, 16 and more red.
vec3 heat(float e) {
    float t = log2(max(e, 1e-3)) * 0.25; // 0 at the tolerance, 1 at 16 times it
    vec3 c = mix(vec3(0.02, 0.03, 0.08), vec3(0.10, 0.30, 0.60), smoothstep(-0.5, 0.0, t));
    c = mix(c, vec3(0.95, 0.85, 0.30), smoothstep(0.0, 0.5, t));
    return mix(c, vec3(0.85, 0.12, 0.08), smoothstep(0.5, 1.0, t));
}

// Pixels of error: an eighth and less dark, a half blue, 1 green, 2 yellow, 8 and more red.
vec3 pixel_heat(float px) {
    float t = log2(max(px, 1e-3)); // -3 to 3
    vec3 c = mix(vec3(0.03, 0.03, 0.07), vec3(0.10, 0.28, 0.62), smoothstep(-3.0, -1.0, t));
    c = mix(c, vec3(0.18, 0.62, 0.38), smoothstep(-1.0, 0.0, t));
    c = mix(c, vec3(0.95, 0.85, 0.30), smoothstep(0.0, 1.0, t));
    return mix(c, vec3(0.85, 0.12, 0.08), smoothstep(1.0, 3.0, t));
}

// Where a vertex is between the edge that it splits, 0, and its own height, 1.
vec3 morph_color(float share) { return share > 0.999 ? vec3(0.34, 0.40, 0.46) : mix(vec3(0.95, 0.35, 0.10), vec3(0.98, 0.88, 0.35), share); }

// What is drawn is seen through what is drawn over it.
const vec4 overdraw_color = vec4(1.0, 0.62, 0.28, 0.34);

// Tiles in two shades, with lines between them. p: columns and rows from a corner of a tile
// of the first shade, in tiles.
vec3 tile_color(vec2 p, vec3 color) {
    vec2 edge = 0.5 - abs(fract(p) - 0.5), width = clamp(fwidth(p), vec2(1e-6), vec2(0.03)); // outlines leap
    float line = 1.0 - smoothstep(0.6, 1.4, min(edge.x / width.x, edge.y / width.y));
    ivec2 at = ivec2(floor(p));
    color *= ((at.x + at.y) & 1) == 0 ? 1.0 : 0.72;
    return mix(color, vec3(1.0, 0.95, 0.80), line);
}

float relief(vec3 n) { return 0.45 + 0.55 * max(dot(n, normalize(vec3(-0.5, 0.7, -0.5))), 0.0); }
