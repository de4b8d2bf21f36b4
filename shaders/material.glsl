// Ground of layered materials: weights from height, slope, curvature, wetness and noise;
// textures from pipeline/texture.go. A place shows the two that weigh most.

layout(set = 0, binding = 5) uniform sampler2DArray textures;

#define ROCK 0
#define CLIFF 1
#define SCREE 2
#define GRASS 3
#define HEATH 4
#define FOREST 5
#define SNOW 6
#define SAND 7
#define DIRT 8
#define NOISE 9

// The colour where a texture's tone is in the middle, and how much it varies. One number
// says log2 of the metres of the largest period, and how strong the relief is, of 1.
const vec4 palette[9] = vec4[](
    vec4(0.100, 0.092, 0.082, 2.1), vec4(0.108, 0.093, 0.077, 2.0), vec4(0.133, 0.122, 0.106, 1.45),
    vec4(0.064, 0.082, 0.027, 1.5), vec4(0.118, 0.104, 0.047, 1.5), vec4(0.0175, 0.0325, 0.0115, 1.9),
    vec4(0.66, 0.70, 0.77, 1.10), vec4(0.35, 0.295, 0.20, 1.2), vec4(0.100, 0.080, 0.055, 1.4));
const float nature[9] = float[](10.95, 10.90, 8.80, 10.40, 9.50, 8.85, 10.30, 6.25, 9.50);

// Where a texture is looked at: on the map and on an upright plane, metres.
struct Spot {
    vec2 flat_;
    vec2 upright;
    vec2 grad[4]; // of both, east and south in the picture
    float lod;    // log2 of the metres that a pixel covers
};

vec4 texel(Spot s, float period, bool side, float n) {
    vec2 p = side ? s.upright : s.flat_;
    float scale = exp2(-period);
    if (anisotropic) return textureGrad(textures, vec3(p * scale, n), (side ? s.grad[2] : s.grad[0]) * scale, (side ? s.grad[3] : s.grad[1]) * scale);
    return textureLod(textures, vec3(p * scale, n), s.lod + 8.0 - period);
}

// A material: its texture at about the period that is as fine as a pixel, so that there
// is detail at any distance. Where one period ends and the next begins is broken up.
vec4 texture_of(Spot s, int material, float nature, float broken) {
    float k = clamp(s.lod + 8.0 + broken, material == FOREST ? 8.0 : 4.0, floor(nature));
    return texel(s, floor(k), material == CLIFF, float(material));
}

vec3 colour_of(vec4 palette, vec4 t, float shift) {
    float tone = clamp(t.w + shift, 0.0, 1.0);
    // Paler is warmer.
    return palette.rgb * mix(1.0 / palette.w, palette.w, tone) * mix(vec3(0.95, 1.0, 1.04), vec3(1.05, 1.0, 0.95), tone) * (0.62 + 0.76 * t.z);
}

// paint is what the world was baked with, where it was.
Ground layered_ground(vec2 p, float h, vec3 n, float curv, float dist, vec3 ray, Paint paint) {
    float pixel = dist * 2.0 * frame.up.w / frame.forward.w;
    vec3 n0 = faded(p, 2048.0, 32, pixel, 300.0, 1200.0);
    vec3 n1 = faded(p, 256.0, 256, pixel, 40.0, 160.0);
    vec3 n2 = faded(p, 32.0, 2048, pixel, 6.0, 24.0);
    Spot s;
    s.flat_ = p;
    s.lod = log2(pixel) - 0.5 * log2(max(-dot(ray, n), 0.06));
    vec4 d = texel(s, 8.0, false, float(NOISE)) - 0.5; // 64 m to 1 m
    bool east = abs(n.x) > abs(n.z) + 0.25 * d.w;
    s.upright = vec2(east ? p.y : p.x, h);
    if (anisotropic) {
        s.grad[0] = dFdx(p);
        s.grad[1] = dFdy(p);
        s.grad[2] = dFdx(s.upright);
        s.grad[3] = dFdy(s.upright);
    }
    float patchy = n0.x * 0.4 + n1.x * 0.35 + n2.x * 0.25;
    float rough = 0.6 * (n2.x - 0.5) + d.x;
    float slope = 1.0 - n.y;
    float wet = clamp(0.5 - 0.9 * curv - 1.2 * slope + 0.6 * (n0.y * 400.0 + 0.5 * d.y), 0.0, 1.0);

    // Masks, each over those before it.
    float w[9];
    float tree_line = 1500.0 + 350.0 * (n0.x - 0.5) + 250.0 * (n1.x - 0.5) + 90.0 * d.x;
    float edge = 0.05 + 0.2 * smoothstep(15.0, 120.0, pixel);
    float wood = smoothstep(0.5 - edge, 0.5 + edge, patchy + 0.16 * d.x - 0.18 * curv + 0.10 * smoothstep(0.0, 0.12, slope))
        * smoothstep(tree_line + 90.0, tree_line - 110.0, h) * smoothstep(0.36, 0.20, slope + 0.05 * d.y) * smoothstep(6.0, 24.0, h);
    float dry = smoothstep(0.35, 0.75, patchy * 0.8 + 0.35 * curv + 0.3 * d.y + 0.35 * smoothstep(700.0, 1700.0, h) - 0.25 * wet);
    float dirt = smoothstep(0.05, 0.16, slope + 0.05 * rough) * smoothstep(0.42, 0.62, n1.x + 0.5 * d.z) * 0.7;
    float scree = smoothstep(0.10, 0.19, slope + 0.08 * rough) * smoothstep(900.0, 1700.0, h + 350.0 * (n1.x - 0.5) + 200.0 * d.y) * smoothstep(0.40, 0.28, slope);
    float bare = smoothstep(0.20, 0.27, slope + 0.16 * rough + 0.04 * curv + 0.06 * smoothstep(1300.0, 2300.0, h));
    float cliff = bare * smoothstep(0.30, 0.42, slope + 0.10 * rough);
    float sand = smoothstep(6.0, 2.5, h + 4.0 * rough) * smoothstep(0.12, 0.05, slope) * smoothstep(120.0, 40.0, frame.eye.w);
    float snow_line = 1950.0 + 500.0 * (n0.x - 0.5) + 260.0 * (n1.x - 0.5) + 260.0 * d.x + 250.0 * curv;
    float snow = smoothstep(-60.0, 100.0, h - snow_line) * smoothstep(0.44, 0.30, slope + 0.18 * rough);

    float left = 1.0;
    w[SNOW] = snow; left -= w[SNOW];
    w[SAND] = left * sand; left -= w[SAND];
    w[CLIFF] = left * cliff; left -= w[CLIFF];
    w[ROCK] = left * bare; left -= w[ROCK];
    w[SCREE] = left * scree; left -= w[SCREE];
    w[FOREST] = left * wood; left -= w[FOREST];
    w[DIRT] = left * dirt; left -= w[DIRT];
    w[HEATH] = left * dry; left -= w[HEATH];
    w[GRASS] = left;
    if (has_weights()) {
        // Materials of a kind share what the kind weighs. Noise breaks up where kinds meet.
        vec4 kinds = clamp(paint.weights * (1.0 + 1.2 * vec4(d.x, -d.x, d.y, -d.y)), 0.0, 1.0);
        float steep = smoothstep(0.30, 0.42, slope + 0.10 * rough), loose = max(sand + scree + dirt, 1e-3);
        w[SNOW] = kinds.w;
        w[CLIFF] = kinds.y * steep;
        w[ROCK] = kinds.y - w[CLIFF];
        w[SAND] = kinds.z * sand / loose;
        w[DIRT] = kinds.z * dirt / loose;
        w[SCREE] = kinds.z - w[SAND] - w[DIRT];
        w[FOREST] = kinds.x * wood;
        w[HEATH] = kinds.x * (1.0 - wood) * dry;
        w[GRASS] = kinds.x - w[FOREST] - w[HEATH];
    }

    // The two largest; less the third, so that nothing jumps where they change places.
    int a = 0, b = 0;
    float wa = -1.0, wb = -1.0, wc = 0.0, nature_a = 0.0, nature_b = 0.0;
    vec4 pa = vec4(0.0), pb = vec4(0.0);
    for (int i = 0; i < 9; i++) {
        bool first = w[i] > wa, second = !first && w[i] > wb;
        wc = first || second ? max(wb, 0.0) : max(wc, w[i]);
        b = first ? a : second ? i : b;
        pb = first ? pa : second ? palette[i] : pb;
        pa = first ? palette[i] : pa;
        nature_b = first ? nature_a : second ? nature[i] : nature_b;
        nature_a = first ? nature[i] : nature_a;
        wb = first ? wa : second ? w[i] : wb;
        a = first ? i : a;
        wa = first ? w[i] : wa;
    }
    wa = max(wa - wc, 1e-4);
    wb = max(wb - wc, 0.0);
    float broken = 0.8 * d.w - 0.2;
    vec4 ta = texture_of(s, a, nature_a, broken), tb = texture_of(s, b, nature_b, broken);
    // What stands higher covers.
    float share = wb * (0.2 + tb.z) / (wa * (0.2 + ta.z) + wb * (0.2 + tb.z));
    share = clamp((share - 0.5) * 2.5 + 0.5, 0.0, 1.0);

    Ground g;
    float shift = 0.5 * (n1.x - 0.5) + 0.3 * (n0.x - 0.5);
    g.albedo = mix(colour_of(pa, ta, shift), colour_of(pb, tb, shift), share);
    g.albedo *= mix(1.0, 0.8, wet * (1.0 - snow) * 0.5);
    if (has_picture()) {
        // The picture's colour, with the textures' light and dark.
        const vec3 bright = vec3(0.25, 0.6, 0.15);
        float tone = dot(g.albedo, bright) / dot(mix(pa.rgb, pb.rgb, share), bright);
        g.albedo = pow(paint.colour.rgb, vec3(2.2)) * clamp(tone, 0.5, 1.6);
        snow = 0.0;
    }
    g.gloss = snow;
    vec2 grad_a = (ta.xy - 0.502) * 2.0 * fract(nature_a), grad_b = (tb.xy - 0.502) * 2.0 * fract(nature_b);
    vec2 up_a = a == CLIFF ? grad_a : vec2(0.0), up_b = b == CLIFF ? grad_b : vec2(0.0);
    vec2 up = mix(up_a, up_b, share);
    vec2 lie = mix(grad_a - up_a, grad_b - up_b, share) + n1.yz * (2.0 + 2.5 * bare) + n2.yz * 0.7;
    vec3 tilt = vec3(lie.x, 0.0, lie.y) + vec3(east ? 0.0 : up.x, up.y, east ? up.x : 0.0);
    g.normal = normalize(n - tilt * smoothstep(0.5, 8.0, h));
    return g;
}
