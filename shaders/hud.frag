#version 450

layout(location = 0) in vec2 in_cell;
layout(location = 1) flat in vec4 in_color;
layout(location = 2) flat in uvec2 in_bits;

layout(location = 0) out vec4 out_color;

void main() {
    uvec2 cell = uvec2(clamp(in_cell, vec2(0.0), vec2(4.0, 6.0)));
    uint bit = cell.y * 5u + cell.x;
    uint word = bit < 32u ? in_bits.x : in_bits.y;
    if ((word >> (bit & 31u) & 1u) == 0u) discard;
    out_color = in_color;
}
