// Tiles of a frame. The Go side is pipeline/frame.go; a test compares the two.

struct Tile {
    ivec2 cell;       // north-west corner relative to the camera's cell
    int base;         // quanta
    uint rising;      // 0: nothing of the tile or its neighbours has just been loaded
    ivec2 bounds;     // lowest and highest, quanta
    uint finest;      // level that is loaded
    uint address[12]; // by level: of the block, less the level's first id
    uvec2 rise[9];    // of it and its neighbours: what is left to rise, a byte a level; the finest
};

layout(set = 0, binding = 1, std430) readonly buffer Tiles { Tile tiles[]; };
