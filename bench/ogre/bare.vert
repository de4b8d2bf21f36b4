#version 450
// The cheapest way to draw a mesh: positions of three floats, one matrix.
layout(location = 0) in vec3 position; // metres from the eye
layout(push_constant) uniform Clip { mat4 clip; };

void main() { gl_Position = clip * vec4(position, 1.0); }
