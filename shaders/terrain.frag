#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "air.glsl"
#include "depth.glsl"
#include "ground.glsl"
#include "shade.glsl"
#include "material.glsl"
#include "modes.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_ground;
layout(location = 3) flat in uint in_level;

layout(location = 0) out vec4 out_color;

vec3 shade() {
    float dist = length(in_position);
    vec3 ray = in_position / max(dist, 1e-3);
    float h = in_ground.x, open = in_ground.y, curv = in_ground.z;
    vec3 n = normalize(in_normal);
    float shown = 1.0;
    if (has_shadows()) {
        Survey s = survey(in_position);
        float off = max(dist, (dist - frame.hazed.y) / frame.hazed.x) / frame.pixels;
        n = normalize(mix(n, s.normal, surveyed(off)));
        h = ground_height(s, frame.eye.y + in_position.y, off);
        shown = sunlit(s, h);
    }
    // Terrain that sees little sky near its horizon is likely in shadow of a low sun.
    else shown = smoothstep(0.30, 0.75, open + frame.sun.y * 0.5);

    vec3 sun = sunlight(max(h, 0.0));
    vec3 blue = skylight();
    vec3 down = sun * max(frame.sun.y, 0.0) + blue;
    float depth = 0.5 * frame.quantum - in_ground.x;
    // Nothing of the ground is seen through that much water.
    if (has_sea() && depth > 40.0) return display(through_air(deep_water(down), in_position));

    vec2 p = in_position.xz + frame.ground;
    Ground g;
    if (quality > 0) {
        Paint paint = Paint(vec4(0.0), vec4(0.0));
        if (has_picture() || has_weights()) paint = painted(in_position);
        g = layered_ground(p, h, n, curv, dist, ray, paint);
    }
    else g = ground(p, h, n, curv, dist);
    // Where waves reach the sand is wet.
    if (quality > 0 && has_sea()) g.albedo *= mix(0.55, 1.0, smoothstep(0.1, 1.2, -depth));
    float facing = max(dot(g.normal, frame.sun.xyz), 0.0);
    float lit = shown * facing * smoothstep(0.0, 0.10, dot(n, frame.sun.xyz) + 0.04);
    vec3 ambient = blue * open * open * (0.6 + 0.4 * g.normal.y)
        + sun * 0.055 * (1.0 - open) + sun * 0.03 * (1.0 - n.y);
    vec3 light = g.albedo * (sun * lit + ambient) / 3.14159;
    // Snow sparkles a little towards the sun.
    vec3 half_way = normalize(frame.sun.xyz - ray);
    light += g.gloss * sun * lit * 0.04 * pow(max(dot(g.normal, half_way), 0.0), 24.0);

    if (has_sea() && depth > 0.0) {
        light = under_water(light, depth, ray, down);
        if (quality > 0 && depth < 1.4) {
            vec3 foam = 0.75 * (sun * shown * max(frame.sun.y, 0.0) + blue) / 3.14159;
            light = mix(light, foam, surf(p, depth, dist * 2.0 * frame.up.w / frame.forward.w));
        }
    }
    // Surveys level open water: low ground without any slope is taken for it.
    float still = (has_sea() ? 1.0 : 0.0) * smoothstep(0.99997, 0.999995, n.y) * smoothstep(12.0, 6.0, h) * step(depth, 0.0);
    if (still > 0.0) {
        float mirror = 0.02 + 0.85 * pow(1.0 - max(-ray.y, 0.0), 5.0);
        light = mix(light, mix(under_water(light, 6.0, ray, down), blue * 0.318, mirror), still);
    }
    return display(through_air(light, in_position));
}

void main() {
    vec3 n = normalize(in_normal);
    if (lines) {
        out_color = view() == VIEW_WIREFRAME ? vec4(level_color(in_level) * 0.55 + 0.45, 1.0) : vec4(vec3(0.02), 0.5);
        return;
    }
    switch (view()) {
    case VIEW_WIREFRAME: out_color = vec4(vec3(0.045, 0.055, 0.07) * (0.6 + relief(n)), 1.0); break;
    case VIEW_LOD: out_color = vec4(level_color(in_level) * relief(n), 1.0); break;
    case VIEW_ERROR: out_color = vec4(heat(in_ground.w) * (0.7 + 0.3 * relief(n)), 1.0); break;
    case VIEW_BOXES:
    case VIEW_TILES: out_color = vec4(tile_color(((in_position.xz + frame.eye.xz) / frame.eye.w + vec2(frame.tile)) / float(cells), vec3(0.40, 0.44, 0.48) * (0.3 + 0.9 * relief(n))), 1.0); break;
    case VIEW_MORPH: out_color = vec4(morph_color(in_ground.w) * relief(n), 1.0); break;
    case VIEW_PIXELS: out_color = vec4(pixel_heat(in_ground.w) * (0.7 + 0.3 * relief(n)), 1.0); break;
    case VIEW_OVERDRAW: out_color = overdraw_color; break;
    case VIEW_UNLIT: out_color = vec4(0.5, 0.55, 0.5, 1.0); break;
    case VIEW_NORMALS: out_color = vec4(n.x * 0.5 + 0.5, 0.5 - n.z * 0.5, n.y, 1.0); break;
    default: out_color = vec4(shade(), 1.0);
    }
}
