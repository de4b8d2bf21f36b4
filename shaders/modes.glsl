// Colours of the modes that show how a picture is made.

vec3 level_color(uint level) {
    const vec3 colors[9] = vec3[](
        vec3(0.85, 0.20, 0.18), vec3(0.95, 0.60, 0.15), vec3(0.90, 0.88, 0.25), vec3(0.35, 0.75, 0.30), vec3(0.20, 0.65, 0.75),
        vec3(0.25, 0.40, 0.85), vec3(0.55, 0.30, 0.80), vec3(0.80, 0.35, 0.70), vec3(0.60, 0.60, 0.60));
    return colors[min(level, 8u)];
}

// What leaving a vertex out would cost, in tolerances: below 1 dark, 1 blue,
// 4 yellow, 16 and more red.
vec3 heat(float e) {
    float t = log2(max(e, 1e-3)) * 0.25; // 0 at the tolerance, 1 at 16 times it
    vec3 c = mix(vec3(0.02, 0.03, 0.08), vec3(0.10, 0.30, 0.60), smoothstep(-0.5, 0.0, t));
    c = mix(c, vec3(0.95, 0.85, 0.30), smoothstep(0.0, 0.5, t));
    return mix(c, vec3(0.85, 0.12, 0.08), smoothstep(0.5, 1.0, t));
}

float relief(vec3 n) { return 0.45 + 0.55 * max(dot(n, normalize(vec3(-0.5, 0.7, -0.5))), 0.0); }
