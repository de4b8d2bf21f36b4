// Ground colour from slope, height, curvature and noise.

// Hash by Mark Jarzynski and Marc Olano, "Hash Functions for GPU Rendering",
// JCGT 9(3), 2020 (pcg2d).
float lattice(ivec2 p, int period) {
    uvec2 v = uvec2(p & (period - 1));
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v ^= v >> 16u;
    v.x += v.y * 1664525u;
    return float((v.x ^ (v.x >> 16u)) & 0xffffu) / 65535.0;
}

// Value noise with its gradient: x in 0..1, yz per metre. It repeats after
// period cells (a power of two), so that the camera position may wrap.
vec3 noise(vec2 p, float cell, int period) {
    p /= cell;
    vec2 i = floor(p), f = p - i;
    vec2 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    vec2 du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
    ivec2 q = ivec2(i);
    float a = lattice(q, period), b = lattice(q + ivec2(1, 0), period);
    float c = lattice(q + ivec2(0, 1), period), d = lattice(q + ivec2(1, 1), period);
    float k = a - b - c + d;
    return vec3(a + (b - a) * u.x + (c - a) * u.y + k * u.x * u.y,
        du * vec2(b - a + k * u.y, c - a + k * u.x) / cell);
}

// Noise that has become its mean where a pixel covers far metres, and is not
// computed there.
vec3 faded(vec2 p, float cell, int period, float pixel, float near, float far) {
    vec3 mean = vec3(0.5, 0.0, 0.0);
    if (pixel >= far) return mean;
    return mix(noise(p, cell, period), mean, smoothstep(near, far, pixel));
}

const float noise_period = 65536.0; // metres; pipeline/frame.go wraps the camera by it

// How much of the water's surface is foam, that many metres above the ground: lines that come
// in, broken up, and the last of them on the sand.
float surf(vec2 p, float depth, float pixel) {
    vec2 drift = vec2(0.7, -0.4) * frame.time;
    float broken = faded(p + drift, 16.0, 4096, pixel, 4.0, 16.0).x * 0.6 + faded(p - drift, 4.0, 16384, pixel, 0.8, 3.0).x * 0.4;
    float lines = mix(0.5 + 0.5 * sin(7.0 * depth + 0.8 * frame.time + 9.0 * broken), 0.5, smoothstep(2.0, 12.0, pixel));
    return smoothstep(1.4, 0.15, depth) * smoothstep(0.55, 0.95, lines * 0.75 + broken * 0.5) * 0.85;
}

struct Ground {
    vec3 albedo;
    vec3 normal;
    float gloss;
};

// p: position in noise space; h: height; curv: -1 hollow .. 1 ridge; dist: from the eye.
Ground ground(vec2 p, float h, vec3 n, float curv, float dist) {
    // Detail fades before it is smaller than a pixel.
    float pixel = dist * 2.0 * frame.up.w / frame.forward.w;
    vec3 n0 = faded(p, 2048.0, 32, pixel, 300.0, 1200.0);
    vec3 n1 = faded(p, 256.0, 256, pixel, 40.0, 160.0);
    vec3 n2 = faded(p, 32.0, 2048, pixel, 6.0, 24.0);
    vec3 n3 = faded(p, 4.0, 16384, pixel, 0.7, 3.0);
    float patchy = n0.x * 0.4 + n1.x * 0.35 + n2.x * 0.25;
    float fine = n2.x * 0.5 + n3.x * 0.5;

    float slope = 1.0 - n.y; // 0 flat, 0.29 at 45 degrees
    Ground g;
    // Meadow and heath, drier on ridges, lush in hollows.
    vec3 grass = mix(vec3(0.075, 0.105, 0.032), vec3(0.165, 0.150, 0.065), clamp(patchy * 1.3 - 0.25 + 0.5 * curv, 0.0, 1.0));
    grass = mix(grass, vec3(0.14, 0.125, 0.07), smoothstep(900.0, 1900.0, h + 500.0 * (patchy - 0.5)));
    vec3 forest = mix(vec3(0.020, 0.038, 0.016), vec3(0.038, 0.056, 0.022), fine);
    vec3 rock = mix(vec3(0.070, 0.064, 0.058), vec3(0.185, 0.168, 0.146), clamp(fine * 0.8 + 0.4 * n1.x + 0.25 * curv, 0.0, 1.0));
    // Strata, broken up so that they do not run round the whole range.
    rock *= 1.0 + 0.16 * sin(h * 0.07 + 16.0 * n0.x + 7.0 * n1.x + 3.0 * n2.x) * smoothstep(0.25, 0.5, slope) * smoothstep(0.35, 0.75, n1.x);
    vec3 scree = mix(vec3(0.105, 0.097, 0.084), vec3(0.175, 0.160, 0.138), fine);
    vec3 sand = mix(vec3(0.36, 0.31, 0.21), vec3(0.30, 0.25, 0.17), fine);
    vec3 snow = vec3(0.80, 0.84, 0.90);

    float tree_line = 1500.0 + 350.0 * (n0.x - 0.5) + 250.0 * (n1.x - 0.5);
    float soft = 0.06 + 0.35 * smoothstep(15.0, 120.0, pixel); // edges of woods, seen from afar
    float wood = smoothstep(0.5 - soft, 0.5 + soft, patchy + 0.10 * (0.5 - fine) - 0.25 * curv + 0.10 * smoothstep(0.0, 0.12, slope))
        * smoothstep(tree_line + 120.0, tree_line - 160.0, h)
        * smoothstep(0.34, 0.22, slope) * smoothstep(6.0, 30.0, h);
    g.albedo = mix(grass, forest, wood);
    float bare = smoothstep(0.17, 0.30, slope + 0.10 * (fine - 0.5) + 0.06 * curv + 0.05 * smoothstep(1300.0, 2300.0, h));
    g.albedo = mix(g.albedo, scree, smoothstep(0.10, 0.18, slope) * smoothstep(1100.0, 1800.0, h + 300.0 * (n1.x - 0.5)) * (1.0 - bare));
    g.albedo = mix(g.albedo, rock, bare);
    g.albedo = mix(g.albedo, sand, smoothstep(7.0, 2.0, h + 5.0 * (n2.x - 0.5)) * smoothstep(0.12, 0.05, slope) * smoothstep(120.0, 40.0, frame.eye.w));
    float snow_line = 1950.0 + 500.0 * (n0.x - 0.5) + 260.0 * (n1.x - 0.5) + 60.0 * (fine - 0.5) + 380.0 * curv;
    float cover = smoothstep(-120.0, 190.0, h - snow_line) * smoothstep(0.46, 0.28, slope + 0.08 * (fine - 0.5));
    g.albedo = mix(g.albedo, snow, cover);
    g.gloss = cover;

    // Small-scale relief, more on rock and wood than on grass and snow.
    float bump = mix(mix(0.6, 3.2, max(bare, wood)), 0.4, cover) * smoothstep(1.0, 12.0, h);
    vec2 grad = n1.yz * (6.0 + 14.0 * bare) + n2.yz * 3.0 * bump + n3.yz * 0.40 * bump;
    g.normal = normalize(n - vec3(grad.x, 0.0, grad.y) * 0.5);
    return g;
}
