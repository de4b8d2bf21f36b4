package main

// What --help adds for each command: examples, and what they do not say themselves.
// A test runs each of them through the parser.

// Help is what --help adds.
func (demoCmd) Help() string {
	return `Modes: soar and quadtree show their meshes over the coast, billod the world relief by the published tests, compare all
algorithms on one flight (headless; in a window F6 and F8 do), progmesh one progressive mesh after another, generated or of
--props, from all its vertices to the least; in a window with any number of them, to be turned around.

Examples:

  vkterrain demo                              fly the built-in coast in a window
  vkterrain demo --headless --out pictures    its stills, contact sheet, film and demo.json
  vkterrain demo --loop --out loop            a clip to be played over and over
  vkterrain demo billod --headless            a crater, a cone, a skyline
  vkterrain demo progmesh --props cow.obj --props bunny.ply
  vkterrain demo endless                      a world without a rim`
}

// Help is what --help adds.
func (flyCmd) Help() string {
	return `F1 in the window shows the controls; the settings file binds other keys. The window, the tolerance and the camera over each
world are those of the last time, unless flags say otherwise.

Examples:

  vkterrain fly alps.vkt
  vkterrain fly alps.vkt --algo billod --view lod --tau 1
  vkterrain fly endless --eye 0,800,0 --pitch -20
  vkterrain fly alps.vkt --record ridge.json                also for bench --flight ridge.json
  vkterrain fly alps.vkt --replay ridge.json
  vkterrain fly --tau 1.5 --size 1920x1080 --save-config    from now on`
}

// Help is what --help adds.
func (renderCmd) Help() string {
	return `Views: lod and wireframe are coloured by level, 0 the finest. error: what a vertex would leave if it were left out, from blue (the
tolerance) over yellow (4 times) to red (16 times and more). pixels: the error that is left, from dark (1/8 px) over blue (1/2), green (1)
and yellow (2) to red (8 px). morph: from orange (just appeared) over yellow to grey (at its height). overdraw: the brighter the more
often drawn. tiles, boxes: a colour for each tile. --hud draws these legends into the picture.

Examples:

  vkterrain render alps.vkt -o alps.png --tau 1
  vkterrain render alps.vkt -o mesh.png --view wireframe --algo quadtree --size 1920x1080
  vkterrain render alps.vkt -o other.png --camera alps.png    from there, otherwise as flags say
  vkterrain render --from alps.png -o again.png               the same again
  vkterrain render alps.vkt -o x.png --check --json    with the measured screen error`
}

// Help is what --help adds.
func (benchCmd) Help() string {
	return `What --json prints is described in docs/json.md. Of memory of the GPU peak_gpu_bytes is all that was reserved, in large blocks that are
partly free, and peak_tiles_bytes what loaded levels take, which --max-gpu bounds.

Examples:

  vkterrain bench alps.vkt --algo soar,quadtree,billod --tau 1,2,4
  vkterrain bench --flight dive --frames 600 --json > base.json
  vkterrain bench --flight dive --frames 600 --baseline base.json    1 if it has become slower
  vkterrain bench alps.vkt --algo soar,quadtree --html report.html
  vkterrain bench alps.vkt --bench-text new.txt                      for benchstat old.txt new.txt
  vkterrain bench endless --max-gpu 64 --frames 3600`
}

// Help is what --help adds.
func (bakeCmd) Help() string {
	return `Examples:

  vkterrain bake alps.png -o alps.vkt --spacing 30
  vkterrain bake N46E007.hgt N46E008.hgt -o valais.vkt --voids fill
  vkterrain bake dem.tif -o dem.vkt --max-error 0.25 --max-mem 512MiB
  vkterrain bake heights.raw -o h.vkt --raw 4097x4097,u16le --height-unit 0.1 --spacing 10`
}

// Help is what --help adds.
func (infoCmd) Help() string {
	return `Examples:

  vkterrain info alps.vkt
  vkterrain info dem.tif --json`
}

// Help is what --help adds.
func (dumpCmd) Help() string {
	return `Little endian, the north row first, voids as 0x7fc00000.

Examples:

  vkterrain dump alps.vkt -o alps.f32
  vkterrain dump alps.vkt --level 3 -o coarse.f32`
}

// Help is what --help adds.
func (diffCmd) Help() string {
	return `The exit code is 0 where they are the same, 1 where they differ.

Examples:

  vkterrain diff alps.png alps.vkt --spacing 30
  vkterrain diff old.vkt new.vkt --tolerance 0.5 --json`
}

// Help is what --help adds.
func (exportCmd) Help() string {
	return `Examples:

  vkterrain export alps.vkt --format png16 -o alps.png
  vkterrain export alps.vkt --format gltf --error 5 -o alps.glb
  vkterrain export alps.vkt --format stl --error 2 --base 100 -o print.stl
  vkterrain export alps.vkt --format ogre -o terrain.dat`
}

// Help is what --help adds.
func (repairCmd) Help() string {
	return `Examples:

  vkterrain repair damaged.vkt -o whole.vkt`
}

// Help is what --help adds.
func (verifyCmd) Help() string {
	return `The exit code is 0 where it is whole, 1 where chunks are damaged, 2 where it cannot be read.

Examples:

  vkterrain verify alps.vkt
  vkterrain verify alps.vkt --json`
}

// Help is what --help adds.
func (gpusCmd) Help() string {
	return `Examples:

  vkterrain gpus
  vkterrain gpus --json`
}

// Help is what --help adds.
func (versionCmd) Help() string {
	return `Examples:

  vkterrain version`
}

// Help is what --help adds.
func (traceCmd) Help() string {
	return `Examples:

  vkterrain bench alps.vkt --trace flight.json
  vkterrain trace flight.json -o flight.png
  vkterrain trace flight.json -o start.png --from 0 --length 500`
}
