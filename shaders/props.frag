#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "air.glsl"
#include "ground.glsl"
#include "modes.glsl"
#include "shade.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_local;
layout(location = 3) in vec3 in_paint;
layout(location = 4) flat in vec2 in_own;
layout(location = 5) flat in uvec2 in_kind;
layout(location = 6) flat in vec3 in_ground;

layout(location = 0) out vec4 out_color;

#define STONE 0u
#define BARK 1u
#define NEEDLES 2u

// What a thing is made of: colour, and how much light comes round its edges.
struct Matter {
    vec3 albedo;
    float soft;
};

Matter matter(vec3 n, float pixel) {
    float own = in_own.x;
    // Colours of the ground, so that things belong to it.
    vec2 q = in_local.xz + in_local.y * vec2(0.71, -0.53) + own * 97.0;
    if (in_kind.y == STONE) {
        float fine = 0.6 * faded(q, 0.5, 1024, pixel, 0.1, 0.4).x + 0.4 * faded(q, 0.125, 1024, pixel, 0.02, 0.1).x;
        vec3 rock = mix(vec3(0.066, 0.061, 0.055), vec3(0.150, 0.137, 0.121), clamp(0.9 * fine + 0.35 * (own - 0.5), 0.0, 1.0));
        vec3 moss = vec3(0.070, 0.080, 0.032);
        return Matter(mix(rock, moss, 0.45 * smoothstep(0.55, 0.9, n.y) * smoothstep(0.45, 0.7, fine) * step(own, 0.6)), 0.0);
    }
    if (in_kind.y == BARK) return Matter(mix(vec3(0.045, 0.034, 0.026), vec3(0.085, 0.068, 0.055), own), 0.0);
    if (in_kind.y == NEEDLES) {
        vec3 green = mix(vec3(0.022, 0.042, 0.018), vec3(0.044, 0.064, 0.024), own);
        float fine = faded(q, 0.25, 1024, pixel, 0.06, 0.3).x;
        return Matter(green * (0.75 + 0.5 * fine), 0.35);
    }
    return Matter(in_paint, 0.0);
}

vec3 shade(vec3 n, vec3 face) {
    float dist = length(in_position);
    float h = max(frame.eye.y + in_position.y, 0.0);
    vec3 sun = sunlight(h), blue = skylight();
    Matter m = matter(n, dist * 2.0 * frame.up.w / frame.forward.w);

    // What is open to the light: less inside a tree, low in a wood, and at the ground.
    float open = in_local.w;
    if (in_kind.y == BARK || in_kind.y == NEEDLES) {
        open = (0.35 + 0.65 * open) * mix(0.45, 1.0, smoothstep(0.0, 5.0, in_local.y));
        open *= mix(0.25, 1.0, smoothstep(-0.25, 0.0, face.y)); // the underside of a branch
    }
    else open *= mix(0.5, 1.0, smoothstep(-0.1, 0.45, in_local.y));
    float sky = in_own.y;
    // As the ground: little sky is likely shadow of a low sun, and a slope that the sun
    // does not reach keeps it from what stands there too, if it is not high.
    float lit = max((dot(n, frame.sun.xyz) + m.soft) / (1.0 + m.soft), 0.0) * smoothstep(-0.12, 0.15, dot(in_ground, frame.sun.xyz) + 0.01 * max(in_local.y, 0.0));
    if (has_shadows()) lit *= sunlit(survey(in_position), frame.eye.y + in_position.y);
    else lit *= smoothstep(0.30, 0.75, sky + frame.sun.y * 0.5);
    vec3 ambient = blue * sky * sky * (0.6 + 0.4 * n.y) + sun * 0.055 * (1.0 - sky) + sun * 0.03 * (1.0 - n.y);
    return display(through_air(m.albedo * (sun * lit * open + ambient * (0.3 + 0.7 * open)) / 3.14159, in_position));
}

void main() {
    vec3 n = normalize(gl_FrontFacing ? in_normal : -in_normal);
    vec3 face = normalize(cross(dFdx(in_position), dFdy(in_position)));
    face *= dot(face, in_position) > 0.0 ? -1.0 : 1.0; // towards the eye
    if (lines) {
        out_color = view() == VIEW_WIREFRAME ? vec4(level_color(in_kind.x) * 0.55 + 0.45, 1.0) : vec4(vec3(0.02), 0.5);
        return;
    }
    switch (view()) {
    case VIEW_WIREFRAME: out_color = vec4(vec3(0.045, 0.055, 0.07) * (0.6 + relief(n)), 1.0); break;
    case VIEW_LOD: out_color = vec4(level_color(in_kind.x) * relief(n), 1.0); break;
    case VIEW_OVERDRAW: out_color = overdraw_color; break;
    case VIEW_BOXES:
    case VIEW_TILES:
    case VIEW_MORPH:
    case VIEW_PIXELS:
    case VIEW_ERROR: out_color = vec4(vec3(0.16) * (0.4 + relief(n)), 1.0); break;
    case VIEW_NORMALS: out_color = vec4(n.x * 0.5 + 0.5, 0.5 - n.z * 0.5, n.y, 1.0); break;
    default: out_color = vec4(shade(n, face), 1.0);
    }
}
