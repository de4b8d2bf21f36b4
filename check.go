package vkterrain

import (
	"fmt"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Mesh is a mesh in world metres. Vertices of seams are there once per tile.
type Mesh struct {
	Vertices  [][3]float64
	Triangles [][3]uint32 // counter-clockwise from above
}

// Check is the verdict on a frame.
type Check struct {
	MeasuredErrorPx float64 // largest screen error of any full-resolution sample in view, and of the outline of any hole
	CheckedSamples  int     // samples in view, holes not counted
	Uncovered       int     // of them, without a triangle over them
	Cracks          int     // faults of the sheet: gaps, overlaps, flipped triangles
	FirstCrack      string  // the first of them, in words

	Histogram meshcheck.Histogram // of the samples' errors
	Picture   meshcheck.Picture   // what a rasteriser makes of it, pixel by pixel
}

// Mesh returns what the last Prepare made ready to draw. Mapped memory is never
// read back, so the tiles are refined again, from the same state.
func (t *Terrain) Mesh() *Mesh { return t.mesh(false) }

// mesh is Mesh, or with it what an anchor's mesh has outside the picture in the tiles
// drawn.
func (t *Terrain) mesh(whole bool) *Mesh {
	layout := t.world.Layout()
	topology := t.renderer.Topology()
	t.scaleNodes()
	r := t.refiner(t.algo, topology)
	m := &Mesh{}
	if len(t.drawable) == 0 {
		return m
	}
	law := &t.law
	if t.last.Anchored {
		law = t.renderer.Anchored()
	}
	var dst []uint32
	t.eachDrawn(func(tile *terrain.Tile, near *lodcpu.Neighbourhood, drawn []lodcpu.Range) {
		if n := r.MaxIndices(near.Level()); len(dst) < n {
			dst = make([]uint32, n)
		}
		c, _ := r.Refine(dst, tile, near, law)
		if whole || drawn == nil {
			t.addTile(m, layout, topology, tile, dst[:c.Indices])
			return
		}
		for _, e := range drawn {
			t.addTile(m, layout, topology, tile, dst[e.First:e.First+e.Indices])
		}
	})
	return m
}

// eachDrawn calls yield with the tiles that the last Prepare drew, as it saw them, and
// which of their indices; nil is all of them.
func (t *Terrain) eachDrawn(yield func(tile *terrain.Tile, near *lodcpu.Neighbourhood, drawn []lodcpu.Range)) {
	if t.last.Anchored {
		t.renderer.DrawnJobs(func(j *lodcpu.Job, drawn []lodcpu.Range) { yield(j.Tile, &j.Near, drawn) })
		return
	}
	for _, i := range t.renderer.Drawn() {
		yield(t.drawable[i].Tile, t.drawable[i].Near, nil)
	}
}

// addTile appends the triangles of one tile and the vertices they use.
func (t *Terrain) addTile(m *Mesh, layout *terrain.Layout, topology lodcpu.Topology, tile *terrain.Tile, indices []uint32) {
	w, k := t.world, tile.Info.Key
	at := make(map[uint32]uint32, len(indices)/3)
	rise, mover := t.renderer.Rise(k), t.mover()
	lastColumn, lastRow := w.Rim()
	vertex := func(id uint32) uint32 {
		if v, ok := at[id]; ok {
			return v
		}
		p := layout.Grid[id]
		x := min(int(k.X)*layout.Cells+int(p.X), lastColumn)
		z := min(int(k.Y)*layout.Cells+int(p.Z), lastRow)
		at[id] = uint32(len(m.Vertices))
		y := float64(float32(tile.Info.Base+int32(tile.Verts[id].Height)) * float32(w.Quantum))
		if mover != nil {
			y = mover.Height(&t.law, layout, tile, &rise, id)
		}
		m.Vertices = append(m.Vertices, [3]float64{
			w.OriginX + float64(x)*w.Spacing,
			y,
			w.OriginZ + float64(z)*w.Spacing,
		})
		return at[id]
	}
	flat := func(a, b, c uint32) bool {
		p, q, r := m.Vertices[a], m.Vertices[b], m.Vertices[c]
		return (q[0]-p[0])*(r[2]-p[2]) == (r[0]-p[0])*(q[2]-p[2])
	}
	lodcpu.Triangles(topology, indices, func(a, b, c uint32) {
		a, b, c = vertex(a), vertex(b), vertex(c)
		if !flat(a, b, c) {
			m.Triangles = append(m.Triangles, [3]uint32{a, b, c})
		}
	})
}

// Check measures the frame of the last Prepare against the full-resolution
// heights of the file, or of the edited world that is drawn. It reads the whole world
// once; of an endless one, the tiles that are there, each time.
func (t *Terrain) Check() (Check, error) {
	if t.paged.source != nil {
		f, w, first, err := t.paged.readAround(t.stream)
		if err != nil {
			return Check{}, err
		}
		return t.check(f, &w, first), nil
	}
	if t.field == nil {
		f, err := readField(t.source)
		if err != nil {
			return Check{}, err
		}
		t.field = f
	}
	return t.check(t.field, t.world, terrain.Key{}), nil
}

// check measures against the heights of a world, which begins at tile first.
func (t *Terrain) check(field *terrain.Field, world *terrain.World, first terrain.Key) Check {
	v, mesh := &t.view, t.Mesh()
	m := &meshcheck.Mesh{Vertices: mesh.Vertices, Triangles: mesh.Triangles}
	camera := &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height}
	e := meshcheck.ScreenError(field, world.OriginX, world.OriginZ, m, camera)
	drawn := map[terrain.Key]bool{}
	t.eachDrawn(func(tile *terrain.Tile, _ *lodcpu.Neighbourhood, _ []lodcpu.Range) { drawn[tile.Info.Key] = true })
	c := Check{MeasuredErrorPx: max(e.Worst, e.Outline), CheckedSamples: e.Checked, Uncovered: e.Uncovered, Histogram: e.Histogram}
	c.Picture = meshcheck.Rasterised(field, world.OriginX, world.OriginZ, m, camera)
	if t.last.Anchored { // pieces outside the picture are left out
		whole := t.mesh(true)
		m = &meshcheck.Mesh{Vertices: whole.Vertices, Triangles: whole.Triangles}
	}
	c.Cracks, c.FirstCrack = meshcheck.WatertightBut(world, m, func(k terrain.Key) bool { return drawn[terrain.Key{X: k.X + first.X, Y: k.Y + first.Y}] }, field)
	return c
}

// ReadField reads the full-resolution heights of a world, without its padding, and
// which of them are holes.
func ReadField(r *chunkfile.Reader) (*terrain.Field, error) { return readField(r) }

func readField(r source) (*terrain.Field, error) {
	w, layout := r.World(), r.World().Layout()
	f := &terrain.Field{
		Width: w.Width, Height: w.Height, Spacing: w.Spacing, Quantum: w.Quantum,
		Samples: make([]int32, w.Width*w.Height),
	}
	if w.Holes {
		f.Void = make([]bool, len(f.Samples))
	}
	d := chunkfile.NewDecoder()
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			return nil, fmt.Errorf("tile %v: %w", info.Key, err)
		}
		x0, z0 := int(info.Key.X)*layout.Cells, int(info.Key.Y)*layout.Cells
		for id, p := range layout.Grid {
			x, z := x0+int(p.X), z0+int(p.Z)
			if x < w.Width && z < w.Height {
				v := &tile.Verts[id]
				f.Samples[z*w.Width+x] = info.Base + int32(v.Height)
				if info.Holes {
					f.Void[z*w.Width+x] = v.Hole()
				}
			}
		}
	}
	return f, nil
}
