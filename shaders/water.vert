#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// The sea: a square at height 0 around the camera, out to the horizon.
layout(location = 0) out vec3 out_position;

void main() {
    const vec2 corners[4] = vec2[](vec2(-1, -1), vec2(-1, 1), vec2(1, -1), vec2(1, 1));
    vec2 p = corners[gl_VertexIndex] * 400000.0;
    out_position = vec3(p.x, -frame.eye.y, p.y);
    gl_Position = frame.clip * vec4(out_position, 1.0);
}
