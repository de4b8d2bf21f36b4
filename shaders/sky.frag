#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "air.glsl"

layout(location = 0) in vec3 in_ray;
layout(location = 0) out vec4 out_color;

void main() {
    if (frame.clear_color.a > 0.0) {
        out_color = vec4(frame.clear_color.rgb, 1.0);
        return;
    }
    vec3 ray = normalize(in_ray);
    out_color = vec4(display(sky(ray) + sun_disc(ray)), 1.0);
}
