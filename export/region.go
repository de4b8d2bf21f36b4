package export

import (
	"context"
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Region is a rectangle of samples, the last column and row included.
type Region struct{ West, North, East, South int }

// MaxRegion is the most samples of a region.
const MaxRegion = 1 << 22

// Check returns an error that says what is wrong with a region of a world.
func (g Region) Check(w *terrain.World) error {
	switch {
	case g.West < 0 || g.North < 0 || g.East >= w.Width || g.South >= w.Height || g.East <= g.West || g.South <= g.North:
		return fmt.Errorf("columns %d to %d and rows %d to %d are no rectangle of its %d×%d samples", g.West, g.East, g.North, g.South, w.Width, w.Height)
	case (g.East-g.West+1)*(g.South-g.North+1) > MaxRegion:
		return fmt.Errorf("a rectangle of %d×%d samples: at most %d of them", g.East-g.West+1, g.South-g.North+1, MaxRegion)
	}
	return nil
}

// RegionOptions say how much of a region is to be left. The zero value is all.
type RegionOptions struct {
	Vertices int      // at most so many, or as few as there can be; 0 is no limit
	MaxError *float64 // metres that no sample is farther off than, straight up or down
	Cost     progmesh.Cost

	Progress func(done, total int) // tiles read
}

// BuildRegion makes a mesh of a rectangle of a world as a progressive mesh: all its
// samples, reduced by edge collapse as far as the options allow. It is reduced evenly,
// with no view in mind; the triangles face up, and its outline seen from above stays
// as it is. Triangles that touch a hole are left out, and the outlines of holes stay. Errors
// name the chunk.
func BuildRegion(ctx context.Context, r *chunkfile.Reader, g Region, o RegionOptions) (*Mesh, error) {
	w := r.World()
	if err := g.Check(w); err != nil {
		return nil, err
	}
	b := &region{world: w, Region: g, width: g.East - g.West + 1}
	if err := b.read(ctx, r, o.Progress); err != nil {
		return nil, err
	}
	source := b.source()
	if len(source.Triangles) == 0 {
		return nil, fmt.Errorf("columns %d to %d and rows %d to %d are nothing but holes", g.West, g.East, g.North, g.South)
	}
	how := progmesh.Options{Cost: o.Cost, Up: [3]float64{0, 1, 0}}
	if o.MaxError != nil {
		how.Allow = func(triangles [][3]uint32) bool {
			for _, t := range triangles {
				if ctx.Err() != nil || b.off(t) > *o.MaxError/w.Quantum {
					return false
				}
			}
			return true
		}
	}
	mesh, err := progmesh.Build(source, how)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	n := mesh.Vertices()
	if o.MaxError != nil {
		n = mesh.Least()
	}
	if o.Vertices > 0 {
		n = max(min(n, o.Vertices), mesh.Least())
	}
	return b.mesh(mesh, n), nil
}

// region is what is read of a rectangle.
type region struct {
	Region
	world *terrain.World
	width int
	verts []terrain.Vertex // row by row
	bases []int32          // quanta below their heights
	tiles int
}

// read fills in verts and bases.
func (b *region) read(ctx context.Context, r *chunkfile.Reader, progress func(done, total int)) error {
	layout := b.world.Layout()
	n := b.width * (b.South - b.North + 1)
	b.verts, b.bases = make([]terrain.Vertex, n), make([]int32, n)
	d, c := chunkfile.NewDecoder(), layout.Cells
	x0, x1 := b.West/c, (b.East-1)/c
	z0, z1 := b.North/c, (b.South-1)/c
	total := (x1 - x0 + 1) * (z1 - z0 + 1)
	for z := z0; z <= z1; z++ {
		for x := x0; x <= x1; x++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			t, err := readTile(r, d, terrain.Key{X: int32(x), Y: int32(z)}, 0)
			if err != nil {
				return err
			}
			for id := range t.Verts {
				p := layout.Grid[id]
				column, row := x*c+int(p.X), z*c+int(p.Z)
				if column < b.West || column > b.East || row < b.North || row > b.South {
					continue
				}
				at := (row-b.North)*b.width + column - b.West
				b.verts[at], b.bases[at] = t.Verts[id], t.Info.Base
			}
			if b.tiles++; progress != nil {
				progress(b.tiles, total)
			}
		}
	}
	return nil
}

// quanta returns the height of a sample.
func (b *region) quanta(at int) int64 { return int64(b.bases[at]) + int64(b.verts[at].Height) }

// nextToHole says whether one of the eight samples around one is a hole.
func (b *region) nextToHole(at int) bool {
	x, z := at%b.width, at/b.width
	for k := max(z-1, 0); k <= min(z+1, b.South-b.North); k++ {
		for i := max(x-1, 0); i <= min(x+1, b.width-1); i++ {
			if b.verts[k*b.width+i].Hole() {
				return true
			}
		}
	}
	return false
}

// source returns the full mesh. Cells are cut as they are drawn. Its corners stay, and
// what lies next to a hole.
func (b *region) source() *progmesh.Source {
	s := &progmesh.Source{Weights: make([]float64, len(b.verts))}
	for at := range b.verts {
		x, z := at%b.width, at/b.width
		if b.nextToHole(at) {
			s.Weights[at] = math.Inf(1)
		}
		s.Positions = append(s.Positions, [3]float32{
			float32(float64(x) * b.world.Spacing), float32(float64(b.quanta(at)) * b.world.Quantum), float32(float64(z) * b.world.Spacing),
		})
	}
	add := func(corners ...int) {
		for _, c := range corners {
			if b.verts[c].Hole() {
				return
			}
		}
		s.Triangles = append(s.Triangles, [3]uint32{uint32(corners[0]), uint32(corners[1]), uint32(corners[2])})
	}
	last := len(b.verts) - 1
	for _, at := range [4]int{0, b.width - 1, last - b.width + 1, last} {
		s.Weights[at] = math.Inf(1)
	}
	for z := b.North; z < b.South; z++ {
		for x := b.West; x < b.East; x++ {
			nw := (z-b.North)*b.width + x - b.West
			ne, sw, se := nw+1, nw+b.width, nw+b.width+1
			if (x+z)%2 == 0 {
				add(nw, sw, se)
				add(nw, se, ne)
			} else {
				add(nw, sw, ne)
				add(ne, sw, se)
			}
		}
	}
	return s
}

// off returns how far a triangle, of samples by their places, is off at most from those
// that it covers, in quanta.
func (b *region) off(t [3]uint32) (worst float64) {
	var x, z [3]int
	var h [3]float64
	for k, v := range t {
		at := int(v)
		x[k], z[k], h[k] = at%b.width, at/b.width, float64(b.quanta(at))
	}
	covered(x, z, func(column, row int, u, v float64) {
		at := row*b.width + column
		if b.verts[at].Hole() {
			return
		}
		const rounding = 1e-9
		if d := math.Abs(float64(b.quanta(at)) - (h[0] + u*(h[1]-h[0]) + v*(h[2]-h[0]))); d > rounding {
			worst = max(worst, d)
		}
	})
	return worst
}

// mesh returns the surface of n vertices.
func (b *region) mesh(p *progmesh.Mesh, n int) *Mesh {
	w := b.world
	m := &Mesh{Spacing: w.Spacing, Origin: [3]float64{w.OriginX, 0, w.OriginZ}, Tiles: b.tiles}
	used := make([]uint32, p.Vertices()) // vertex of m, plus 1
	indices := make([]uint32, p.IndexCount(n))
	p.Indices(indices, n)
	for i := 0; i < len(indices); i += 3 {
		var t, samples [3]uint32
		for k, v := range indices[i : i+3] {
			samples[k] = p.Order[v]
			if used[v] == 0 {
				at := int(p.Order[v])
				m.Vertices = append(m.Vertices, Vertex{
					Column: int32(b.West + at%b.width), Row: int32(b.North + at/b.width),
					Height: float32(float64(b.quanta(at)) * w.Quantum), Normal: b.verts[at].Normal,
				})
				used[v] = uint32(len(m.Vertices))
			}
			t[k] = used[v] - 1
		}
		m.Triangles = append(m.Triangles, t)
		m.Error = max(m.Error, b.off(samples)*w.Quantum)
	}
	return m
}
