package chunkfile

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Streams of a chunk, one byte a level sample, in the order of prediction.
const (
	sToken = iota
	sCoefLow
	sCoefHigh
	sNormalU
	sNormalV
	sSky
	sCurvature
	streams
)

// attrStreams is how many of them are in the attribute section.
const attrStreams = streams - sCoefLow

// model is what both directions of the codec share: one level of one tile on a
// compact grid, and what can be predicted of it.
type model struct {
	layout   *terrain.Layout
	coarsest bool
	n        int // samples a side of the level's grid
	lo, hi   int // ids of the level samples
	quantum  float64
	slope    float64 // height quanta over two grid steps to rise over run

	order
	index []uint32 // grid index of each id

	heights, shades, deltas, bumps []int32    // n×n
	normals                        [][2]uint8 // n×n, predictions

	stream [streams][]byte

	// size is the tile size of what is below, by level.
	size     int
	orderBy  [terrain.MaxLevels]order
	indexBy  [terrain.MaxLevels][]uint32
	capacity int
}

// order is the order of prediction of a level.
type order struct {
	runs []run    // none for the coarsest level
	at   []uint32 // grid indices
	ids  []uint32 // ids, less that of the first level sample
}

// begin prepares m for a level of a tile of w.
func (m *model) begin(w *terrain.World, level terrain.Level) {
	if m.size != w.TileSize {
		m.resize(w.Layout())
	}
	m.coarsest = int(level) == m.layout.Levels-1
	m.n = m.layout.Cells>>level + 1
	m.lo, m.hi = m.layout.Range(level)
	m.quantum = w.Quantum
	m.slope = w.Quantum / (2 * w.Spacing * float64(int(1)<<level))
	m.order, m.index = m.orderBy[level], m.indexBy[level]
}

// resize prepares m for tiles of another size.
func (m *model) resize(l *terrain.Layout) {
	m.size, m.layout = l.Size, l
	for level := range l.Levels {
		n := l.Cells>>level + 1
		m.orderBy[level] = newOrder(l, terrain.Level(level), n)
		index := make([]uint32, n*n)
		for id := range index {
			g := l.Grid[id]
			index[id] = uint32(int(g.Z>>level)*n + int(g.X>>level))
		}
		m.indexBy[level] = index
	}
	if n := l.Size * l.Size; n > m.capacity {
		m.capacity = n
		for _, g := range []*[]int32{&m.heights, &m.shades, &m.deltas, &m.bumps} {
			*g = make([]int32, n)
		}
		m.normals = make([][2]uint8, n)
		for i := range m.stream {
			m.stream[i] = make([]byte, n)
		}
	}
}

// newOrder returns the order of prediction of a level with a grid of n×n.
func newOrder(l *terrain.Layout, level terrain.Level, n int) order {
	var o order
	if int(level) == l.Levels-1 {
		for i := range n * n {
			o.at = append(o.at, uint32(i))
		}
	} else {
		o.runs = runsOf(n)
		for _, r := range o.runs {
			for i := r.i; i < r.i+2*r.count; i += 2 {
				o.at = append(o.at, uint32(i))
			}
		}
	}
	lo, _ := l.Range(level)
	for _, i := range o.at {
		x, z := int(i)%n<<level, int(i)/n<<level
		o.ids = append(o.ids, l.ID[z*l.Size+x]-uint32(lo))
	}
	return o
}

// load puts vertices lo..hi-1 on the grids.
func (m *model) load(verts []terrain.Vertex, lo, hi int) {
	for id := lo; id < hi; id++ {
		v, i := verts[id], m.index[id]
		m.heights[i] = int32(v.Height)
		m.shades[i] = int32(v.SkyView) | int32(v.Curvature)<<16
	}
}

// predictDeltas fills deltas with twice the distance of each edge midpoint from
// the middle of its edge and of each centre from the middle of its diagonal, the
// latter raised to that of the midpoints around it: the coefficient of the
// vertex as far as this level shows it, in half quanta. On the finest level it
// is the coefficient.
func (m *model) predictDeltas() {
	h, e, n := m.heights, m.deltas, m.n
	for z := range n {
		d, first := 1, 1
		if z&1 == 1 {
			d, first = n, 0
		}
		for i := z*n + first; i < z*n+n; i += 2 {
			e[i] = abs(2*h[i] - h[i-d] - h[i+d])
		}
	}
	for z := 1; z < n; z += 2 {
		for x := 1; x < n; x += 2 {
			i := z*n + x
			d := n + 1 // north-west to south-east
			if (x^z)&2 != 0 {
				d = n - 1
			}
			e[i] = max(abs(2*h[i]-h[i-d]-h[i+d]), e[i-1], e[i+1], e[i-n], e[i+n])
		}
	}
	if m.coarsest { // what is left has no edge
		for z := 0; z < n; z += 2 {
			for x := 0; x < n; x += 2 {
				e[z*n+x] = 0
			}
		}
	}
}

// coef predicts the coefficient of the level sample at grid index i.
func (m *model) coef(i uint32) uint16 { return coefUp(float64(m.deltas[i]) * 0.5 * m.quantum) }

// predictNormals predicts the normals of the level samples. On the finest level
// they are the normals, but for the borders of the tile, whose other side is
// unknown, and what rounding makes of ties.
func (m *model) predictNormals() {
	h, n := m.heights, m.n
	for z := range n {
		north, south, dz := n, n, int32(1)
		if z == 0 {
			north, dz = 0, 2
		} else if z == n-1 {
			south, dz = 0, 2
		}
		x, dx := 0, 1
		if z&1 == 0 && !m.coarsest {
			x, dx = 1, 2
		}
		for ; x < n; x += dx {
			i := z*n + x
			var rise int32
			switch x {
			case 0:
				rise = 2 * (h[i+1] - h[i])
			case n - 1:
				rise = 2 * (h[i] - h[i-1])
			default:
				rise = h[i+1] - h[i-1]
			}
			m.normals[i] = oldSlopeNormal(rise, dz*(h[i+south]-h[i-north]), m.slope)
		}
	}
}

// oldSlopeNormal returns the packed normal of a surface that rises dx·slope
// eastwards and dz·slope southwards a unit of run.
func oldSlopeNormal(dx, dz int32, slope float64) [2]uint8 {
	x, z := float64(dx)*slope, float64(dz)*slope
	s := 127 / (math.Abs(x) + 1 + math.Abs(z))
	return [2]uint8{uint8(int32(128.5 - float64((x+z)*s))), uint8(int32(128.5 - float64((x-z)*s)))}
}

// Sky view and curvature follow the height: a sample that stands out from its
// neighbours sees more of the sky and is more of a ridge than they are. The
// prediction is the mean of ring 0 plus a share of how far the height stands
// above the mean of ring 0. The share is fitted for each chunk and scaled by a
// weight that depends on the mean, because curvature is squashed.
const gainBits = 16

// maxGain bounds a gain, so that no product overflows.
const maxGain = 1 << 24

// curvatureWeights are 256 times the slope of v = t/(1+|t|), (1-|v|)².
var curvatureWeights = func() (w [256]int32) {
	for i := range w {
		v := 127 - min(abs(int32(i)-128), 127)
		w[i] = v * v * 256 / (127 * 127)
	}
	return w
}()

// nearShades returns the mean of ring 0 of sky view and of curvature.
func (m *model) nearShades(i int, r *run) (sky, curvature int32) {
	g := m.shades
	sum := g[i-r.a] + g[i+r.a] + g[i-r.b] + g[i+r.b] + (2 | 2<<16)
	return sum >> 2 & 0xff, sum >> 18 & 0xff
}

// predictShades predicts sky view and curvature at grid index i of r.
func (m *model) predictShades(i int, r *run, skyGain, curvatureGain int64) (sky, curvature int32) {
	s, c := m.nearShades(i, r)
	bump := int64(m.bumps[i])
	s += int32(bump * skyGain >> gainBits)
	c += int32(bump * int64(curvatureWeights[uint8(c)]) * curvatureGain >> (gainBits + 8))
	return min(max(s, 0), 255), min(max(c, 0), 255)
}

// zigzag maps small numbers of either sign to small ones.
func zigzag(v int16) uint16   { return uint16(v<<1) ^ uint16(v>>15) }
func unzigzag(u uint16) int16 { return int16(u>>1) ^ -int16(u&1) }

// escape is the height token of a residual that is stored as 16 plain bits.
const escape = 255
