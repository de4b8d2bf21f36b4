// Normals of 16 bits: terrain.EncodeNormal.

// uv: the two bytes, or what lies between several.
vec3 normal_of(vec2 uv) {
    uv = (uv - 128.0) / 127.0;
    vec2 xz = vec2(uv.x + uv.y, uv.x - uv.y) * 0.5;
    return normalize(vec3(xz.x, 1.0 - abs(xz.x) - abs(xz.y), xz.y));
}

vec3 decode_normal(uint bits) { return normal_of(vec2(bits & 255u, (bits >> 8u) & 255u)); }
