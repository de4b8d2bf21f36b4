package vkterrain

import (
	"fmt"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// Mesh is a mesh in world metres. Vertices of seams are there once per tile.
type Mesh struct {
	Vertices  [][3]float64
	Triangles [][3]uint32 // counter-clockwise from above
}

// Check is the verdict on a frame.
type Check struct {
	MeasuredErrorPx float64 // largest screen error of any full-resolution sample in view, and of the outline of any hole
	BareErrorPx     float64 // the same of samples without what [lodcpu.View].Haze hides of it
	CheckedSamples  int     // samples in view, holes not counted
	Uncovered       int     // of them, without a triangle over them
	Cracks          int     // faults of the sheet: gaps, overlaps, flipped triangles
	FirstCrack      string  // the first of them, in words

	Histogram meshcheck.Histogram // of the samples' errors
	Picture   meshcheck.Picture   // what a rasteriser makes of it, pixel by pixel
}

// Mesh returns what the last Prepare made ready to draw. Mapped memory is never
// read back, so the tiles are refined again, from the same state.
func (t *Terrain) Mesh() *Mesh { return t.snapshot().mesh(false) }

// Snapshot is what a view of a frame was drawn from: enough to make its mesh anew and to
// judge it, which any goroutine may do, while frames go on.
type Snapshot struct {
	world    *terrain.World
	topology lodcpu.Topology
	refiner  lodcpu.Refiner
	view     lodcpu.View
	law      lodcpu.Law // of the frame
	mesher   lodcpu.Law // by which it was refined: that of the anchor, or the frame's
	anchored bool
	mover    *lodcpu.Morph
	tiles    []drawnTile

	held   query.Held
	loaded *query.Loaded // that holds; nil if nothing is held
}

// drawnTile is a tile of a snapshot.
type drawnTile struct {
	tile  *terrain.Tile
	near  lodcpu.Neighbourhood
	drawn []lodcpu.Range // of its indices; nil is all of them
	rise  lodcpu.Rise
}

// Snapshot keeps what PrepareViews last made ready of a view, 0 being the first. Levels that
// go meanwhile stay in CPU memory until Release: keep it briefly. What it takes is in
// proportion to the tiles drawn. There is none of BilLOD by the published tests, whose
// measures are not kept, nor of an endless world: then it is nil.
func (t *Terrain) Snapshot(view int) *Snapshot {
	t.choose(view)
	defer t.choose(0)
	if t.paged.source != nil || t.hasNodes() && t.nodes.rule.Classic() || len(t.drawable) == 0 {
		return nil
	}
	s := t.snapshot()
	s.held, s.loaded = t.loaded.Hold(), t.loaded
	return s
}

// Release lets go of what is kept. Any goroutine may call it, once.
func (s *Snapshot) Release() {
	if s.loaded != nil {
		s.loaded.Release(s.held)
		s.loaded = nil
	}
}

// Check measures the snapshot against the full-resolution heights of its world, see
// [ReadField].
func (s *Snapshot) Check(field *terrain.Field) Check { return s.check(field, s.world, terrain.Key{}) }

// snapshot is [Terrain.Snapshot] of the chosen view that holds nothing.
func (t *Terrain) snapshot() *Snapshot {
	topology := t.renderer.Topology()
	t.scaleNodes()
	s := &Snapshot{
		world: t.world, topology: topology, refiner: t.refiner(t.algo, topology), view: t.view, law: t.law, mesher: t.law,
		anchored: t.last.Anchored, mover: t.mover(),
	}
	if len(t.drawable) == 0 {
		return s
	}
	add := func(tile *terrain.Tile, near lodcpu.Neighbourhood, drawn []lodcpu.Range) {
		s.tiles = append(s.tiles, drawnTile{tile, near, drawn, t.renderer.Rise(tile.Info.Key)})
	}
	if s.anchored {
		s.mesher = *t.renderer.Anchored()
		t.renderer.DrawnJobs(func(j *lodcpu.Job, drawn []lodcpu.Range) { add(j.Tile, j.Near, slices.Clone(drawn)) })
		return s
	}
	for _, i := range t.renderer.Drawn() {
		add(t.drawable[i].Tile, *t.drawable[i].Near, nil)
	}
	return s
}

// mesh makes the mesh that was drawn, or with it what an anchor's mesh has outside the
// picture in the tiles drawn.
func (s *Snapshot) mesh(whole bool) *Mesh {
	m := &Mesh{}
	var dst []uint32
	for i := range s.tiles {
		d := &s.tiles[i]
		if n := s.refiner.MaxIndices(d.near.Level()); len(dst) < n {
			dst = make([]uint32, n)
		}
		c, _ := s.refiner.Refine(dst, d.tile, &d.near, &s.mesher)
		if whole || d.drawn == nil {
			s.addTile(m, d, dst[:c.Indices])
			continue
		}
		for _, e := range d.drawn {
			s.addTile(m, d, dst[e.First:e.First+e.Indices])
		}
	}
	return m
}

// addTile appends the triangles of one tile and the vertices they use.
func (s *Snapshot) addTile(m *Mesh, d *drawnTile, indices []uint32) {
	w, layout, tile := s.world, s.world.Layout(), d.tile
	k := tile.Info.Key
	at := make(map[uint32]uint32, len(indices)/3)
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
		if s.mover != nil {
			y = s.mover.Height(&s.law, layout, tile, &d.rise, id)
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
	lodcpu.Triangles(s.topology, indices, func(a, b, c uint32) {
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
		return t.snapshot().check(f, &w, first), nil
	}
	if t.field == nil {
		f, err := readField(t.source)
		if err != nil {
			return Check{}, err
		}
		t.field = f
	}
	return t.snapshot().Check(t.field), nil
}

// check measures against the heights of a world, which begins at tile first.
func (s *Snapshot) check(field *terrain.Field, world *terrain.World, first terrain.Key) Check {
	v, mesh := &s.view, s.mesh(false)
	m := &meshcheck.Mesh{Vertices: mesh.Vertices, Triangles: mesh.Triangles}
	camera := &meshcheck.Camera{Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height, Haze: v.Haze}
	e := meshcheck.ScreenError(field, world.OriginX, world.OriginZ, m, camera)
	drawn := map[terrain.Key]bool{}
	for i := range s.tiles {
		drawn[s.tiles[i].tile.Info.Key] = true
	}
	c := Check{MeasuredErrorPx: max(e.Worst, e.Outline), BareErrorPx: e.Bare, CheckedSamples: e.Checked, Uncovered: e.Uncovered, Histogram: e.Histogram}
	c.Picture = meshcheck.Rasterised(field, world.OriginX, world.OriginZ, m, camera)
	if s.anchored { // pieces outside the picture are left out
		whole := s.mesh(true)
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
