#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"

// One triangle over the whole picture, infinitely far (depth 0). For eyes it is two, none of
// which reaches farther: drivers err where layers are drawn at once and something is clipped.
layout(location = 0) out vec3 out_ray;

void main() {
#ifdef EYES
    int corner = gl_VertexIndex < 3 ? gl_VertexIndex : 6 - gl_VertexIndex;
    vec2 p = vec2(corner & 1, corner >> 1) * 2.0 - 1.0;
#else
    vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
#endif
    gl_Position = vec4(p, 0.0, 1.0);
    out_ray = frame.forward.xyz + p.x * frame.right.w * frame.right.xyz - p.y * frame.up.w * frame.up.xyz;
}
