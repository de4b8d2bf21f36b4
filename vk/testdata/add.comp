#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Buf { uint v[]; } bufs[2];
void main() {
	uint i = gl_GlobalInvocationID.x;
	bufs[1].v[i] += bufs[0].v[i];
}
