package lodcpu

import (
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/terrain"
)

// Morph makes vertices come and go without a jump. A vertex that becomes active lies
// on the edge that it splits, and moves from there to its own height while the eye
// comes nearer by Width[order] metres:
//
//	share = clamp((A + Reach(c) + Radius[order] − |Eye − p|) / Width[order], 0, 1)
//
// Radius is that of the world, grown by the widths of this order and all finer ones.
// So a vertex has its own height before any of its children becomes active:
// whatever moves is a leaf, between two ends that do not move. And it moves only
// where it need not be active: what is drawn lies between two meshes that both keep
// the bound, and so keeps it.
//
// Where the eye is measured from, and A and B, are those of the frame, not of the
// anchor for which the mesh was made: vertices that the anchor holds in store lie on
// their edges, and a new anchor changes nothing that is seen.
//
// It is for algorithms whose mesh has no vertices but active ones.
type Morph struct {
	Radius []float32 // to take the place of the world's
	Width  []float32 // metres, by order

	// LastColumn and LastRow of the world are where what moves ends: a vertex whose
	// descendants may be beyond, see [Diamond.Reach], stays at its own height. They are
	// those of the source where it ends inside a tile, so that triangles are bent there.
	LastColumn, LastRow int32

	endless bool // nothing ends
}

// NewMorph returns a morph over a distance of share times the longest step from a
// vertex to its parents.
func NewMorph(w *terrain.World, share float64) *Morph {
	n := len(w.Radius)
	m := &Morph{
		Radius: make([]float32, n), Width: make([]float32, n),
		LastColumn: lastMoving(w.Width, w.TileSize), LastRow: lastMoving(w.Height, w.TileSize),
		endless: w.Endless,
	}
	grown := 0.0
	for order := range n {
		step := 0.0
		if n > 1 {
			next := min(order, n-2)
			step = float64(w.Radius[next+1]) - float64(w.Radius[next])
		}
		m.Width[order] = float32(share * step)
		grown += float64(m.Width[order])
		m.Radius[order] = float32((float64(w.Radius[order]) + grown) * (1 + 1e-6))
	}
	return m
}

func lastMoving(samples, tile int) int32 {
	if (samples-1)%(tile-1) == 0 {
		return math.MaxInt32 / 2
	}
	return int32(samples - 1)
}

// Still returns a morph by which no vertex moves, but those that a [Rise] says.
func Still(w *terrain.World) *Morph {
	m := NewMorph(w, 0)
	m.Radius, m.Width = w.Radius, nil
	return m
}

// Last returns the last column and row where vertices move, from a cell of the world on.
func (m *Morph) Last(column, row int32) [2]int32 {
	if m.endless {
		return [2]int32{math.MaxInt32 / 2, math.MaxInt32 / 2}
	}
	return [2]int32{m.LastColumn - column, m.LastRow - row}
}

// Moves says whether vertices move by the law.
func (m *Morph) Moves() bool { return m.Width != nil }

// Share returns how far a vertex with coefficient c metres has moved from its edge to
// its own height: 0 is on the edge, 1 is at its own height.
func (m *Morph) Share(l *Law, order int, c float64, p mgl64.Vec3) float64 {
	share := (l.A + l.Reach(c) + float64(m.Radius[order]) - l.Eye.Sub(p).Len()) / float64(m.Width[order])
	return min(max(share, 0), 1)
}

// Diamond is where a vertex of a tile comes from: the middle of an edge, which is a
// side or a diagonal of the square that spans X0 to X1 and Z0 to Z1.
type Diamond struct {
	X0, Z0, X1, Z1 int // grid positions in the tile; on a side two are equal
	Order          int
	Falling        bool // the diagonal runs from (X0, Z1) to (X1, Z0)
}

// Reach returns how far east and south descendants of the vertex and their diamonds may
// reach from it, in cells: that of a parent reaches as far as those of its children.
func (d *Diamond) Reach() int {
	if d.Order%2 == 1 {
		return 3 << (d.Order / 2)
	}
	return 2 << (d.Order / 2)
}

// Ends returns the columns and rows of the ends of the edge.
func (d *Diamond) Ends() (a, b [2]int) {
	if d.Falling {
		return [2]int{d.X0, d.Z1}, [2]int{d.X1, d.Z0}
	}
	return [2]int{d.X0, d.Z0}, [2]int{d.X1, d.Z1}
}

// DiamondOf returns that of the vertex at (x, z) of a tile; ok is false for corners
// and the centre of a tile, which lie on no edge.
func DiamondOf(layout *terrain.Layout, x, z int) (d Diamond, ok bool) {
	k := bits.TrailingZeros(uint(x | z | layout.Cells))
	s := 1 << k
	switch oddX, oddZ := x&s != 0, z&s != 0; {
	case k >= layout.Log2 || oddX && oddZ && k == layout.Log2-1:
		return d, false
	case oddX && oddZ:
		// The diagonal goes from a corner of the parent square to its centre: both
		// coordinates of that are odd multiples of 2s.
		falling := (x-s)&(2*s) != (z-s)&(2*s)
		return Diamond{x - s, z - s, x + s, z + s, 2*k + 1, falling}, true
	case oddX:
		return Diamond{x - s, z, x + s, z, 2 * k, false}, true
	default:
		return Diamond{x, z - s, x, z + s, 2 * k, false}, true
	}
}

// Height returns the height in metres at which a vertex of a tile is drawn under l,
// while rise tells what has just been loaded.
// One that is not active lies on the surface that l alone would draw.
// With one that stays at its own height all its ancestors do, so the bound holds.
func (m *Morph) Height(l *Law, layout *terrain.Layout, t *terrain.Tile, rise *Rise, id uint32) float64 {
	d := draft{m, l, layout, t}
	p := layout.Grid[id]
	x, z := int(p.X), int(p.Z)
	if d.share(x, z) <= 0 {
		return d.surface(x, z, rise)
	}
	if rise.Any() {
		return d.rising(x, z, rise, (*draft).risingEnd)
	}
	return d.risingEnd(x, z, rise)
}

// draft is a tile as it is drawn under a law.
type draft struct {
	*Morph
	law    *Law
	layout *terrain.Layout
	tile   *terrain.Tile
}

func (d *draft) vertex(x, z int) *terrain.Vertex {
	return &d.tile.Verts[d.layout.ID[z*d.layout.Size+x]]
}

// own returns the height of a vertex at rest.
func (d *draft) own(x, z int) float64 {
	return float64(d.tile.Info.Base+int32(d.vertex(x, z).Height)) * d.law.Quantum
}

// free returns the diamond of a vertex; ok is false for those that never move.
func (d *draft) free(x, z int) (e Diamond, ok bool) {
	e, ok = DiamondOf(d.layout, x, z)
	column, row := d.place(x, z)
	return e, ok && (d.endless || column+e.Reach() <= int(d.LastColumn) && row+e.Reach() <= int(d.LastRow))
}

// place returns column and row in the world.
func (d *draft) place(x, z int) (column, row int) {
	k := d.tile.Info.Key
	return int(k.X)*d.layout.Cells + x, int(k.Y)*d.layout.Cells + z
}

// share is [Morph.Share] of a vertex; that of one that stays at its own height is 1.
func (d *draft) share(x, z int) float64 {
	e, ok := d.free(x, z)
	if !ok || !d.Moves() {
		return 1
	}
	column, row := d.place(x, z)
	at := mgl64.Vec3{d.law.worldX(column), d.own(x, z), d.law.worldZ(row)}
	return d.Share(d.law, e.Order, float64(terrain.CoefMetres(d.vertex(x, z).Coef)), at)
}

// rising returns the height of an active vertex where levels rise, one after the other:
// then the ends of its edge may rise too, and are as high as end says.
func (d *draft) rising(x, z int, rise *Rise, end func(d *draft, x, z int, rise *Rise) float64) float64 {
	own, share := d.own(x, z), d.share(x, z)
	e, ok := d.free(x, z)
	if ok {
		share = min(share, rise.Share(x, z, 1<<(e.Order/2), d.layout.Cells))
	}
	if share >= 1 {
		return own
	}
	a, b := e.Ends()
	return own*share + (1-share)*((end(d, a[0], a[1], rise)+end(d, b[0], b[1], rise))/2)
}

// risingEnd is rising of an end; the ends of its own edge are taken to be at rest.
func (d *draft) risingEnd(x, z int, rise *Rise) float64 {
	return d.rising(x, z, rise, func(d *draft, x, z int, _ *Rise) float64 { return d.own(x, z) })
}

// surface returns the height of the triangle over a vertex that is not active.
func (d *draft) surface(x, z int, rise *Rise) float64 {
	apex, a, b := d.root(x, z)
	for {
		mid := gridPoint{(a.x + b.x) / 2, (a.z + b.z) / 2}
		if mid.x == x && mid.z == z || d.share(mid.x, mid.z) <= 0 {
			break
		}
		if (x-mid.x)*(a.x-b.x)+(z-mid.z)*(a.z-b.z) >= 0 {
			apex, a, b = mid, apex, a
		} else {
			apex, a, b = mid, b, apex
		}
	}
	height := func(p gridPoint) float64 { return d.risingEnd(p.x, p.z, rise) }
	ax, az, bx, bz := a.x-apex.x, a.z-apex.z, b.x-apex.x, b.z-apex.z
	px, pz := x-apex.x, z-apex.z
	area := float64(ax*bz - bx*az)
	u, w := float64(px*bz-bx*pz)/area, float64(ax*pz-px*az)/area
	return height(apex)*(1-u-w) + (height(a)*u + height(b)*w)
}

type gridPoint struct{ x, z int }

// root returns the one of a tile's four largest triangles that holds a position: apex
// and the ends of its longest edge.
func (d *draft) root(x, z int) (apex, a, b gridPoint) {
	n := d.layout.Cells
	dx, dz := 2*x-n, 2*z-n
	apex = gridPoint{n / 2, n / 2}
	switch {
	case dx >= max(dz, -dz):
		return apex, gridPoint{n, n}, gridPoint{n, 0}
	case dx <= min(dz, -dz):
		return apex, gridPoint{0, 0}, gridPoint{0, n}
	case dz > 0:
		return apex, gridPoint{0, n}, gridPoint{n, n}
	}
	return apex, gridPoint{n, 0}, gridPoint{0, 0}
}
