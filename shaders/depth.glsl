// Light that comes back from below the surface of the sea, and its surf.

vec3 deep_water(vec3 down) { return down * vec3(0.006, 0.028, 0.040); }

// Light of the ground under that many metres of water.
vec3 under_water(vec3 light, float depth, vec3 ray, vec3 down) {
    const vec3 absorb = vec3(0.42, 0.085, 0.055); // 1/m, coastal water
    float path = depth + depth / max(0.35, -ray.y);
    return mix(deep_water(down), light, exp(-absorb * path));
}
