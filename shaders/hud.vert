#version 450

// Rectangles and letters in pixels: package hud. Four corners each, by index.

struct Item {
    uint at;    // upper left corner: x, y << 16; 32768 is the picture's
    uint size;  // width, height << 16
    uint color; // red, green << 8, blue << 16, opacity << 24
    uint high;  // bits 32 and up of a letter's 5x7 cells, the upper left one the first; 8 set: all are
    uint low;
    uint unused;
};

layout(set = 0, binding = 0, std430) readonly buffer Items { Item items[]; };
layout(push_constant) uniform Picture { vec2 pixel; } picture; // size of a pixel in clip space

layout(location = 0) out vec2 out_cell;
layout(location = 1) flat out vec4 out_color;
layout(location = 2) flat out uvec2 out_bits;

void main() {
    Item i = items[gl_InstanceIndex];
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    vec2 at = vec2(i.at & 0xffffu, i.at >> 16u) - 32768.0;
    vec2 size = vec2(i.size & 0xffffu, i.size >> 16u);
    gl_Position = vec4((at + size * corner) * picture.pixel - 1.0, 0.0, 1.0);
    out_cell = corner * vec2(5.0, 7.0);
    out_color = unpackUnorm4x8(i.color);
    out_bits = uvec2(i.low, i.high);
}
