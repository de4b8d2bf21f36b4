package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/export"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// rectangle is a part of a world seen from above, metres: west, north, east, south.
type rectangle struct {
	sides [4]float64
	given bool
}

// UnmarshalText is how the command line reads a rectangle.
func (r *rectangle) UnmarshalText(b []byte) error {
	parts := strings.Split(string(b), ",")
	if len(parts) != 4 {
		return fmt.Errorf("%q: must be west,north,east,south in metres", b)
	}
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q: must be west,north,east,south in metres", b)
		}
		r.sides[i] = v
	}
	if !(r.sides[0] < r.sides[2] && r.sides[1] < r.sides[3]) {
		return fmt.Errorf("%q: west must be below east and north below south", b)
	}
	r.given = true
	return nil
}

// region returns the samples of a world within the rectangle, and those next to it.
func (r *rectangle) region(w *terrain.World) (export.Region, error) {
	at := func(v, origin float64, most int) int {
		return int(min(max(math.Round((v-origin)/w.Spacing), 0), float64(most)))
	}
	g := export.Region{
		West: at(r.sides[0], w.OriginX, w.Width-1), East: at(r.sides[2], w.OriginX, w.Width-1),
		North: at(r.sides[1], w.OriginZ, w.Height-1), South: at(r.sides[3], w.OriginZ, w.Height-1),
	}
	if g.West == g.East || g.North == g.South {
		return g, fmt.Errorf("--rect: no two samples of the world a side lie in it; the world spans %v,%v,%v,%v",
			w.OriginX, w.OriginZ, w.OriginX+float64(w.Width-1)*w.Spacing, w.OriginZ+float64(w.Height-1)*w.Spacing)
	}
	return g, g.Check(w)
}

// checkRect returns what is wrong with the flags of a rectangle.
func (c *exportCmd) checkRect() error {
	switch {
	case c.Vertices < 0:
		return fmt.Errorf("--vertices %d: must not be negative", c.Vertices)
	case c.Vertices > 0 && !c.Rect.given:
		return errors.New("--vertices is for a --rect")
	case c.Rect.given && c.Vertices > 0 && c.Error != nil:
		return errors.New("--vertices and --error: one says how much is left")
	}
	return nil
}

// region makes the mesh of a rectangle.
func (c *exportCmd) region(a *app, r *chunkfile.Reader, progress func(done, total int)) (*export.Mesh, error) {
	g, err := c.Rect.region(r.World())
	if err != nil {
		return nil, usageError(err)
	}
	m, err := export.BuildRegion(a.ctx, r, g, export.RegionOptions{Vertices: c.Vertices, MaxError: c.Error, Progress: progress})
	if err == nil && c.Vertices > 0 && len(m.Vertices) > c.Vertices {
		return nil, usageError(fmt.Errorf("--vertices %d: this rectangle has %d at least: its outline stays as it is", c.Vertices, len(m.Vertices)))
	}
	return m, c.failed(err)
}

// idle returns an error that names a flag that would do nothing, nil if there is none.
func (c *exportCmd) idle(given map[string]bool) error {
	camera := []string{"tau", "size", "cull", "eye", "yaw", "pitch", "fov", "camera"}
	first := func(names ...string) string {
		for _, name := range names {
			if given[name] {
				return name
			}
		}
		return ""
	}
	switch name := first(camera...); {
	case !c.mesh():
		if name = cmp.Or(name, first("rect", "vertices", "error", "base", "up")); name != "" {
			return fmt.Errorf("--%s is for meshes, not for %s", name, c.Format)
		}
	case name != "" && c.Rect.given:
		return fmt.Errorf("--%s is for a camera, and none matters to --rect: --vertices or --error says how much of it is left", name)
	case name != "" && c.Error != nil:
		return fmt.Errorf("--%s is for a camera, and none matters to --error", name)
	}
	switch {
	case given["vertices"] && c.Vertices == 0:
		return errors.New("--vertices 0: must be above 0")
	case c.Format == "gltf" && given["up"] && c.Up == "z":
		return errors.New("--up z: in glTF the axis that points up is y")
	}
	return nil
}
