#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "air.glsl"
#include "depth.glsl"

layout(location = 0) in vec3 in_ray;
layout(location = 0) out vec4 out_color;

void main() {
    if (is_clear()) {
        out_color = vec4(frame.clear_color.rgb, 1.0);
        return;
    }
    vec3 ray = normalize(in_ray);
    // Below the horizon, seen from above the sea. In one product: a question of the eye's
    // height alone lets lavapipe make the shader anew for every height.
    if (has_sea() && min(ray.y, 0.0) * frame.eye.y < 0.0) {
        // Beyond the world's edge the sea is deep.
        vec3 down = sunlight(0.0) * max(frame.sun.y, 0.0) + skylight();
        out_color = vec4(display(through_air(deep_water(down), ray * frame.eye.y / max(-ray.y, 1e-4))), 1.0);
        return;
    }
    out_color = vec4(display(sky(ray) + sun_disc(ray)), 1.0);
}
