#version 450
layout(constant_id = 0) const uint scale = 1;
layout(push_constant) uniform Push { vec4 color; } push;
layout(location = 0) out vec4 color;
void main() {
	vec2 p[3] = vec2[](vec2(-1, -1), vec2(-1, 1), vec2(1, -1));
	gl_Position = vec4(p[gl_VertexIndex] * float(scale), 0.5, 1);
	color = push.color;
}
