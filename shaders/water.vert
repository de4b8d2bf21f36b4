#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// The sea: a square around the camera, out to the horizon. It stands half a
// height unit above 0, so that ground coded as 0 is just under water.
layout(location = 0) out vec3 out_position;

void main() {
    const vec2 corners[4] = vec2[](vec2(-1, -1), vec2(-1, 1), vec2(1, -1), vec2(1, 1));
    vec2 p = corners[gl_VertexIndex] * 400000.0;
    out_position = vec3(p.x, 0.5 * frame.quantum - frame.eye.y, p.y);
    gl_Position = frame.clip * vec4(out_position, 1.0);
}
