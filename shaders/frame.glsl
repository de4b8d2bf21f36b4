// What every shader of a frame sees. The Go side is pipeline/frame.go; a test
// compares the two.

#ifdef EYES
#extension GL_EXT_multiview : require
#endif

#define VIEW_SHADED 0
#define VIEW_WIREFRAME 1
#define VIEW_LOD 2
#define VIEW_ERROR 3
#define VIEW_NORMALS 4
#define VIEW_TILES 5
#define VIEW_MORPH 6
#define VIEW_PIXELS 7
#define VIEW_OVERDRAW 8
#define VIEW_UNLIT 9
#define VIEW_BOXES 10

// Constants of the pipeline: what a shader branches on and is the same for all of a draw.
// pipeline/variant.go sets them. Where one that is "known" is below 0, the frame says.
layout(constant_id = 0) const bool lines = false;   // the wireframe's own pass
layout(constant_id = 1) const bool moving = false;  // whether vertices move at all
layout(constant_id = 2) const int cells = 1;        // a side of a tile
layout(constant_id = 3) const int levels = 1;       // of a tile
layout(constant_id = 4) const int buffers = 8;      // that vertices may lie in
layout(constant_id = 5) const int known_view = -1;  // VIEW_*
layout(constant_id = 6) const int known_sea = -1;   // 1 where height 0 is the sea
layout(constant_id = 7) const int known_haze = -1;  // 0 is no air, 2 blue distance
layout(constant_id = 8) const int known_clear = -1; // 1: a colour in place of the sky
layout(constant_id = 9) const int known_moves = -1; // 1 where vertices move by the law
layout(constant_id = 10) const int quality = 1;     // 0: what is cheap
layout(constant_id = 12) const int known_shadows = -1; // 1 where the ground casts shadows; and frame.paint twice
layout(constant_id = 11) const bool anisotropic = false;

// With EYES a draw is for the two eyes of a view mask at once, each with a Frame of its own.
#ifdef EYES
struct FrameOfEye {
#else
layout(set = 0, binding = 0, std140) uniform Frame {
#endif
    mat4 clip;        // camera-relative metres to clip space
    vec4 right;       // camera axes in world space; w: tangent of half the field of view
    vec4 up;          //   horizontally (right) and vertically (up)
    vec4 forward;     // w: height of the picture in pixels
    vec4 eye;         // x, z: camera inside its grid cell; y: height; metres. w: grid spacing
    vec4 sun;         // towards the sun; w: irradiance
    vec4 clear_color; // a: 1 to use it in place of the sky
    vec4 shade_at;    // x, z: camera in the grid of shadows, metres; 1 / spacing; softness, metres
    vec4 shade_range; // lowest height, extent, metres; columns and rows; extent 0: no shadows
    vec2 ground;      // camera position modulo the period of the ground noise, metres
    float quantum;    // metres a height unit
    float haze;       // scattering coefficient of the haze, 1/m; 0 is clear air
    ivec2 rim;        // last column and row of the source, relative to the camera's cell
    int view;         // VIEW_*
    float sea;        // 1 where height 0 is the sea
    float time;       // seconds
    float pixels;     // kappa / tau: tolerances a metre of error makes at 1 m
    float sun_mass;   // relative air mass towards the sun
    float air;        // how much a metre counts in the air
    float exposure;   // 1 in the light of the default sun
    float detail;     // metres that the ground may be off the grid of shadows
    ivec2 last;       // last column and row where vertices move, relative to the camera's cell
    vec4 lod_eye;     // what levels of detail are chosen for, relative to the camera, metres; w: B of the law
    vec4 morph[12];   // by level: A + radius of edge midpoints, 1 / width; of square centres
    int moves;        // 1 where vertices move by the law
    int paint;        // 1: the grid of shadows has colours; 2: weights of materials
    vec2 hazed;       // of the law's reach: share and metres, see lodcpu.Law.Hazed
    float blue;       // extinction of blue distance, 1/m; 0 is air as it is
    ivec2 tile;       // the camera's cell modulo twice the cells of a tile
}
#ifdef EYES
;
layout(set = 0, binding = 0, std140) uniform Frames { FrameOfEye frames[2]; };
#define frame frames[gl_ViewIndex]
#else
frame;
#endif

int view() { return known_view < 0 ? frame.view : known_view; }
bool has_sea() { return known_sea < 0 ? frame.sea > 0.0 : known_sea > 0; }
bool has_haze() { return known_haze < 0 ? frame.haze > 0.0 || frame.blue > 0.0 : known_haze > 0; }
bool is_blue() { return known_haze < 0 ? frame.blue > 0.0 : known_haze == 2; }
bool is_clear() { return known_clear < 0 ? frame.clear_color.a > 0.0 : known_clear > 0; }
bool has_shadows() { return known_shadows < 0 ? frame.shade_range.y > 0.0 : known_shadows > 0; }
bool has_picture() { return known_shadows < 0 ? (frame.paint & 1) != 0 : (known_shadows & 2) != 0; }
bool has_weights() { return known_shadows < 0 ? (frame.paint & 2) != 0 : (known_shadows & 4) != 0; }
bool moves() { return known_moves < 0 ? frame.moves > 0 : known_moves > 0; }
