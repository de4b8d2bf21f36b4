#version 450
layout(location = 0) out vec4 color;

void main() { color = vec4(0.5, 0.55, 0.5, 1.0); }
