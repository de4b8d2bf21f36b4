package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// A level's grid of n×n samples, n = 2m+1, is kept as four planes, one for each
// parity of column and row, so that what is alike lies side by side:
//
//	corners  (m+1)×(m+1)  both even: known from coarser levels
//	centres  m×m          both odd
//	across   m×(m+1)      column odd, row even: midpoints of edges west to east
//	down     (m+1)×m      column even, row odd: midpoints of edges north to south
//
// Sample (2x, 2z) of the grid is corner (x, z), (2x+1, 2z+1) is centre (x, z),
// (2x+1, 2z) is across (x, z), and (2x, 2z+1) is down (x, z).
//
// A plane has planePad columns and rows around it, which hold what the
// predictions assume beyond the tile, and more room for kernels that work on
// eight samples at a time.
const (
	planePad  = 2
	planeSlop = 16
)

// plane is one of the four. Its rows begin planePad columns to the west.
type plane struct {
	v      []int32
	stride int
}

// row returns row z, from column -planePad on; z may be -planePad and less than
// the height plus planePad.
func (p *plane) row(z int) []int32 {
	at := (z + planePad) * p.stride
	return p.v[at : at+p.stride : at+p.stride]
}

// first returns where row z begins.
func (p *plane) first(z int) *int32 { return &p.v[(z+planePad)*p.stride] }

// index returns where v holds column x of row z.
func (p *plane) index(x, z int) int { return (z+planePad)*p.stride + planePad + x }

// planes are those of one attribute.
type planes struct{ corners, centres, across, down plane }

func (p *planes) resize(m int) {
	stride := m + 1 + 2*planePad + planeSlop
	for _, q := range []*plane{&p.corners, &p.centres, &p.across, &p.down} {
		n := stride * (m + 1 + 2*planePad)
		if cap(q.v) < n {
			q.v = make([]int32, n)
		}
		q.v, q.stride = q.v[:n], stride
	}
}

// padCorners continues the corners of a grid of m×m squares by one column and
// row on each side, straight on.
func padCorners(p *plane, m int) {
	for z := range m + 1 {
		r := p.row(z)
		r[planePad-1] = 2*r[planePad] - r[planePad+1]
		r[planePad+m+1] = 2*r[planePad+m] - r[planePad+m-1]
	}
	extrapolate(p.row(-1), p.row(0), p.row(1), planePad-1, m+3)
	extrapolate(p.row(m+1), p.row(m), p.row(m-1), planePad-1, m+3)
}

// extrapolate fills n of dst from at on with 2a - b.
func extrapolate(dst, a, b []int32, at, n int) {
	dst, a, b = dst[at:at+n], a[at:at+n], b[at:at+n]
	for i := range dst {
		dst[i] = 2*a[i] - b[i]
	}
}

// padCentres continues the centres by two columns and rows on each side. The
// first is such that the middle of a border edge lies between its ends, the
// second goes straight on.
func padCentres(p, corners *plane, m int) {
	for z := range m {
		r, c, d := p.row(z), corners.row(z), corners.row(z+1)
		r[1] = c[2] + d[2] - r[2]
		r[0] = 2*r[1] - r[2]
		e := m + planePad
		r[e] = c[e] + d[e] - r[e-1]
		r[e+1] = 2*r[e] - r[e-1]
	}
	beyond(p.row(-1), p.row(0), corners.row(0), m)
	beyond(p.row(m), p.row(m-1), corners.row(m), m)
	extrapolate(p.row(-2), p.row(-1), p.row(0), planePad-1, m+2)
	extrapolate(p.row(m+1), p.row(m), p.row(m-1), planePad-1, m+2)
}

// beyond fills the row of centres outside a border from the row inside and the
// corners on the border.
func beyond(dst, inside, corners []int32, m int) {
	for i := planePad - 1; i < planePad+m+1; i++ {
		dst[i] = corners[i] + corners[i+1] - inside[i]
	}
}

// padShades continues the shades of centres by one column and row on each side,
// such that what lies on a border depends on the border alone: the tile beyond
// gets the same.
func padShades(p, corners *plane, m int) {
	for z := range m {
		padShadesRow(p, corners, z, m)
	}
}

// padShadesRow does what padShades does with what row z is enough for. Rows come in turn.
func padShadesRow(p, corners *plane, z, m int) {
	r, c, d := p.row(z), corners.row(z), corners.row(z+1)
	e := m + planePad
	r[planePad-1] = c[planePad] + d[planePad] - r[planePad]
	r[e] = c[e] + d[e] - r[e-1]
	if z == 0 {
		beyond(p.row(-1), r, c, m)
	}
	if z == m-1 {
		beyond(p.row(m), r, d, m)
	}
}

// geometry is where the samples of one level lie, in planes and in memory.
type geometry struct {
	m int // squares a side; 0 for the coarsest level

	// corners are the ids of the samples of the coarser levels, row by row, and some
	// more for kernels that read eight at a time.
	corners []uint32
	// ids of the samples of each plane, row by row, less that of the first level
	// sample. The coarsest level has all its samples in centres.
	centres, across, down []uint32
}

// newGeometry returns the geometry of a level of tiles of layout l.
func newGeometry(l *terrain.Layout, level terrain.Level) geometry {
	lo, hi := l.Range(level)
	n := l.Cells>>level + 1
	id := func(x, z int) uint32 { return l.ID[z<<level*l.Size+x<<level] - uint32(lo) }
	var g geometry
	if lo == 0 {
		for i := range n * n {
			g.centres = append(g.centres, id(i%n, i/n))
		}
		return g
	}
	g.m = (n - 1) / 2
	g.corners = make([]uint32, lo+planeSlop)
	for i := range lo {
		at := l.Grid[i]
		g.corners[int(at.Z>>(level+1))*(g.m+1)+int(at.X>>(level+1))] = uint32(i)
	}
	for z := range n {
		for x := 1 - z&1; x < n; x += 2 - z&1 {
			switch v := id(x, z); {
			case z&1 == 0:
				g.across = append(g.across, v)
			case x&1 == 0:
				g.down = append(g.down, v)
			default:
				g.centres = append(g.centres, v)
			}
		}
	}
	if len(g.centres)+len(g.across)+len(g.down) != hi-lo {
		panic("chunkfile: planes do not hold all samples")
	}
	return g
}
