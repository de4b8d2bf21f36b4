#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "air.glsl"
#include "ground.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 0) out vec4 out_color;

// What the surface reflects; the light from below is already in the picture.
void main() {
    float dist = length(in_position);
    vec3 ray = in_position / dist;
    float pixel = dist * 2.0 * frame.up.w / frame.forward.w / max(-ray.y, 0.02);
    vec2 p = in_position.xz + frame.ground;
    vec2 drift = vec2(1.6, 0.9) * frame.time;
    vec2 slope = faded(p + drift * 2.0, 64.0, 1024, pixel, 15.0, 60.0).yz * 1.3
        + faded(p - drift.yx, 16.0, 4096, pixel, 4.0, 16.0).yz * 0.5
        + faded(p + drift, 4.0, 16384, pixel, 1.0, 4.0).yz * 0.16;
    vec3 n = normalize(vec3(-slope.x, 1.0, -slope.y));
    float c = clamp(-dot(ray, n), 0.0, 1.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - c, 5.0);
    fresnel = min(fresnel, 0.88); // a rough sea never becomes a mirror
    vec3 back = reflect(ray, n);
    back.y = abs(back.y) + 0.04;
    back = normalize(back);
    vec3 light = sky(back);
    // The sun's path, widened by the slopes too small to see.
    vec3 half_way = normalize(frame.sun.xyz - ray);
    float rough = mix(0.012, 0.05, smoothstep(1.0, 60.0, pixel));
    float t2 = (1.0 - half_way.y * half_way.y) / max(half_way.y * half_way.y, 1e-4);
    t2 = mix(t2, dot(half_way.xz - n.xz * half_way.y, half_way.xz - n.xz * half_way.y), smoothstep(8.0, 1.0, pixel));
    light += sunlight(0.0) * exp(-t2 / rough) / (3.14159 * rough) * 0.25;
    out_color = vec4(display(through_air(light, in_position)), fresnel);
    // Far off, the haze lies over reflection and water alike.
    float m = frame.haze * dist * frame.air * mean_density(in_air(frame.eye.y), 0.0, haze_height);
    out_color.a = mix(1.0, out_color.a, is_blue() ? through_blue(dist) : exp(-m * 1.2));
}
