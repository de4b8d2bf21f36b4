#version 450
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "normal.glsl"

// Things that stand on the ground: instances of models, whose vertices are pulled.

struct Placed {
    vec3 offset; // of its foot from the camera, metres
    float scale;
    vec2 turn;   // sine and cosine of its yaw
    float sky;   // share of the sky that is open
    uint kind;   // level, model, normal of the ground: 8 bits, 8 bits, 16 bits
};

layout(set = 0, binding = 1, std430) readonly buffer Instances { Placed placed[]; };
layout(set = 0, binding = 2, std430) readonly buffer Models { vec4 v[]; } models; // two a vertex: position, normal, uv

layout(location = 0) out vec3 out_position; // camera-relative, metres
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec4 out_local;    // metres from its foot; w: how open the vertex lies
layout(location = 3) out vec3 out_paint;    // colour of painted ones, linear
layout(location = 4) flat out vec2 out_own; // a number of its own from 0 to 1, its sky
layout(location = 5) flat out uvec2 out_kind; // level, material
layout(location = 6) flat out vec3 out_ground; // normal of the ground below

vec3 turned(vec3 v, vec2 turn) {
    return vec3(v.x * turn.y + v.z * turn.x, v.y, v.z * turn.y - v.x * turn.x);
}

vec3 linear(uint rgb) {
    vec3 c = vec3(rgb >> 16u & 255u, rgb >> 8u & 255u, rgb & 255u) / 255.0;
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

void main() {
    Placed i = placed[gl_InstanceIndex];
    vec4 a = models.v[2 * gl_VertexIndex], b = models.v[2 * gl_VertexIndex + 1];
    vec3 local = a.xyz * i.scale;
    vec3 p = i.offset + turned(local, i.turn);
    uint material = uint(b.z + 0.5);

    gl_Position = frame.clip * vec4(p, 1.0);
    out_position = p;
    out_normal = turned(vec3(a.w, b.xy), i.turn);
    out_local = vec4(local, material == 3u ? 1.0 : b.w);
    out_paint = linear(uint(b.w));
    uint bits = floatBitsToUint(i.turn.x) * 747796405u + 2891336453u;
    out_own = vec2(float(bits >> 16u) / 65535.0, i.sky);
    out_kind = uvec2(i.kind & 255u, material);
    out_ground = decode_normal(i.kind >> 16u);
}
