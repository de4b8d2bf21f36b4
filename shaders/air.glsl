// The air: one model for the sky and for aerial perspective, so that far land
// fades into the sky behind it. Single scattering in a flat exponential
// atmosphere, with a constant share for light scattered more than once.
// Rayleigh coefficients: Bucholtz, "Rayleigh-scattering calculations for the
// terrestrial atmosphere", Applied Optics 34(15), 1995. Relative air mass:
// Kasten and Young, "Revised optical air mass tables", Applied Optics 28(22), 1989.

const vec3 rayleigh = vec3(5.8e-6, 13.5e-6, 33.1e-6); // 1/m at height 0
const float rayleigh_height = 8000.0;                  // scale heights, metres
const float haze_height = 1800.0;

// Height in the air. A world larger than the model's 60 km is seen as a model of
// itself: heights and distances count frame.air times in the air, or nothing
// would be left to see of its far side.
float in_air(float y) { return max(y, 0.0) * frame.air; }

float air_mass(float up) {
    float deg = degrees(asin(clamp(up, 0.0, 1.0)));
    return 1.0 / (max(up, 0.0) + 0.50572 * pow(deg + 6.07995, -1.6364));
}

// Light that reaches height y from the sun.
vec3 sunlight(float y) {
    y *= frame.air;
    vec3 depth = rayleigh * rayleigh_height * exp(-y / rayleigh_height)
        + vec3(frame.haze * haze_height * exp(-y / haze_height));
    return frame.sun.w * exp(-depth * frame.sun_mass);
}

// Light of the whole sky on a horizontal surface, about what sky() gives over
// the hemisphere: the share of sunlight that the air scatters down.
vec3 skylight() {
    vec3 lost = 1.0 - exp(-(rayleigh * rayleigh_height + frame.haze * haze_height) * frame.sun_mass);
    return frame.sun.w * max(frame.sun.y, 0.0) * 0.5 * lost + frame.sun.w * vec3(0.020, 0.034, 0.060);
}

// What a stretch of air with the given optical depths sends along the ray.
vec3 inscatter(vec3 ray, float y, vec3 depth_r, float depth_m) {
    float c = dot(ray, frame.sun.xyz);
    float phase_r = 0.0597 * (1.0 + c * c);
    const float g = 0.72;
    float phase_m = 0.0796 * (1.0 - g * g) * pow(1.0 + g * g - 2.0 * g * c, -1.5);
    vec3 depth = depth_r + depth_m;
    vec3 scattered = (depth_r * (phase_r + 0.018) + depth_m * (phase_m + 0.022)) / max(depth, vec3(1e-9));
    // Twice-scattered light keeps the low sky from turning yellow.
    vec3 twice = frame.sun.w * vec3(0.006, 0.0125, 0.024) * (1.0 - exp(-depth_r * 0.6));
    return sunlight(y) * scattered * (1.0 - exp(-depth)) + twice;
}

// Blue distance: land fades into blue, the paler the farther, so that each ridge stands before
// the next, as BilLOD's article has it of the blue line of the Vosges. through is what is left
// of the light behind.
vec3 blue_air(float through) {
    vec3 down = 0.12 * sunlight(0.0) * max(frame.sun.y, 0.04) + 0.55 * skylight();
    float light = dot(down, vec3(0.3, 0.5, 0.2));
    return light * mix(vec3(0.27, 0.45, 0.72), vec3(0.045, 0.13, 0.36), through);
}

// How much is left of the light from so many metres away.
float through_blue(float dist) { return exp(-frame.blue * dist); }

// The sky seen from the eye along a unit ray.
vec3 clear_sky(vec3 ray) {
    // Below the horizon, where no ground hides it, the ray ends in dense air.
    float y = in_air(frame.eye.y) * smoothstep(-0.10, 0.0, ray.y);
    float mass = air_mass(max(ray.y, 0.0));
    vec3 r = rayleigh * rayleigh_height * exp(-y / rayleigh_height) * mass;
    float m = frame.haze * haze_height * exp(-y / haze_height) * min(mass, 25.0);
    return inscatter(ray, max(frame.eye.y, 0.0) + 1500.0, r, m);
}

vec3 sky(vec3 ray) {
    vec3 light = clear_sky(ray);
    // What blue air there is lies low.
    if (is_blue()) light = mix(blue_air(0.0), light, through_blue(900.0 / max(ray.y, 1e-3)));
    return light;
}

vec3 sun_disc(vec3 ray) {
    float c = dot(ray, frame.sun.xyz);
    return sunlight(max(frame.eye.y, 0.0)) * (smoothstep(0.99996, 0.99999, c) * 30.0 + 0.08 * pow(max(c, 0.0), 900.0));
}

// Mean density between heights a and b of an exponential layer.
float mean_density(float a, float b, float scale) {
    float d = (b - a) / scale;
    float at = exp(-a / scale);
    return abs(d) < 1e-3 ? at : at * (1.0 - exp(-d)) / d;
}

// Light of a surface at camera-relative position p, seen through the air.
vec3 through_air(vec3 light, vec3 p) {
    if (!has_haze()) return light;
    float dist = length(p);
    if (is_blue()) {
        float through = through_blue(dist);
        return mix(blue_air(through), light, through);
    }
    vec3 ray = p / max(dist, 1e-3);
    float y0 = in_air(frame.eye.y), y1 = in_air(frame.eye.y + p.y);
    dist *= frame.air;
    vec3 r = rayleigh * dist * mean_density(y0, y1, rayleigh_height);
    float m = frame.haze * dist * mean_density(y0, y1, haze_height);
    light = light * exp(-(r + m)) + inscatter(ray, max(frame.eye.y, 0.0) + 1500.0, r, m);
    // Far away, or in thick haze, all ends in the sky at the horizon, so that there is no line.
    float gone = max(smoothstep(40e3, 200e3, dist), smoothstep(2.0, 5.0, m));
    if (gone > 0.0) light = mix(light, sky(normalize(vec3(ray.x, 0.0, ray.z))), gone);
    return light;
}

// Linear light to display values.
vec3 display(vec3 light) {
    // Filmic curve: Hable-like rational fit, by Narkowicz, "ACES Filmic Tone
    // Mapping Curve", 2016.
    light *= 0.54 * frame.exposure;
    light = clamp(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), 0.0, 1.0);
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
}
