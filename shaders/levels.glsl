// Colours of levels; hud/panel.go has the same.

vec3 level_color(uint level) {
    const vec3 colors[9] = vec3[](
        vec3(0.85, 0.20, 0.18), vec3(0.95, 0.60, 0.15), vec3(0.90, 0.88, 0.25), vec3(0.35, 0.75, 0.30), vec3(0.20, 0.65, 0.75),
        vec3(0.25, 0.40, 0.85), vec3(0.55, 0.30, 0.80), vec3(0.80, 0.35, 0.70), vec3(0.60, 0.60, 0.60));
    return colors[min(level, 8u)];
}
