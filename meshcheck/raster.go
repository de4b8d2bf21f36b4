package meshcheck

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Picture is what [Rasterised] found.
type Picture struct {
	Worst     float64 // pixels, over all pixels that show the mesh
	At        [2]int  // that pixel, column and row
	Checked   int     // pixels that show the mesh, those over holes not counted
	Pinholes  int     // pixels that show nothing, between four that show the mesh
	Histogram Histogram
}

// Rasterised draws m as a rasteriser does, with a depth buffer and one sample in
// the middle of each pixel, and looks at what each pixel shows. The surface there
// has an x and z; the full-resolution surface over them is projected in turn, and
// its distance to the middle of the pixel is the error of the pixel. So hidden
// ground does not count, and ground between the samples does.
//
// The full-resolution surface is that of two triangles a cell, cut from north-west
// to south-east where column plus row is even. originX, originZ is the world
// position of sample 0, 0.
//
// A mesh over a height field leaves no pixel alone between four that it covers,
// unless it has a hole: such pixels are Pinholes, but for those of a field with
// holes of its own.
func Rasterised(f *terrain.Field, originX, originZ float64, m *Mesh, c *Camera) Picture {
	r := newRaster(c)
	at := make([]vec3, len(m.Vertices))
	for i, p := range m.Vertices {
		at[i] = r.turn(vec3(p))
	}
	for _, t := range m.Triangles {
		r.triangle(at[t[0]], at[t[1]], at[t[2]])
	}
	return r.compare(&surface{f, originX, originZ})
}

// raster is a depth buffer.
type raster struct {
	*lens
	columns, rows int
	depth         []float64 // metres; infinity where nothing was drawn
}

func newRaster(c *Camera) *raster {
	r := &raster{lens: newLens(c), columns: c.Width, rows: c.Height, depth: make([]float64, c.Width*c.Height)}
	for i := range r.depth {
		r.depth[i] = math.Inf(1)
	}
	return r
}

// box returns the pixels that a triangle may cover, the last ones included. What
// is behind the eye is cut off.
func (r *raster) box(corners [3]vec3) (x0, z0, x1, z1 int) {
	const near = 1e-6 // metres
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	grow := func(p vec3) {
		for i, v := range [2]float64{r.width/2 + r.kappa*p[0]/p[2], r.height/2 - r.kappa*p[1]/p[2]} {
			lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
		}
	}
	for i, p := range corners {
		q := corners[(i+1)%3]
		if p[2] >= near {
			grow(p)
		}
		if (p[2] >= near) != (q[2] >= near) {
			s := (near - p[2]) / (q[2] - p[2])
			grow(vec3{p[0] + s*(q[0]-p[0]), p[1] + s*(q[1]-p[1]), near})
		}
	}
	first := func(v float64) int { return int(max(math.Floor(v)-1, 0)) }
	last := func(v float64, n int) int { return int(min(math.Ceil(v)+1, float64(n-1))) }
	if hi[0] < 0 || hi[1] < 0 || lo[0] > r.width || lo[1] > r.height {
		return 0, 0, -1, -1
	}
	return first(lo[0]), first(lo[1]), last(hi[0], r.columns), last(hi[1], r.rows)
}

// triangle draws one from either side. A ray meets it if it passes all three edges
// on one side; what it is to two triangles of an edge differs in nothing but the
// sign, so no ray passes between them.
func (r *raster) triangle(a, b, c vec3) {
	x0, y0, x1, y1 := r.box([3]vec3{a, b, c})
	bc, ca, ab := cross(b, c), cross(c, a), cross(a, b)
	volume := dot(a, bc)
	for row := y0; row <= y1; row++ {
		for col := x0; col <= x1; col++ {
			d := r.ray(col, row)
			u, v, w := dot(d, bc), dot(d, ca), dot(d, ab)
			if !(u >= 0 && v >= 0 && w >= 0) && !(u <= 0 && v <= 0 && w <= 0) {
				continue
			}
			at := &r.depth[row*r.columns+col]
			if t := volume / (u + v + w); t > 0 && t < *at {
				*at = t
			}
		}
	}
}

// compare looks at every pixel.
func (r *raster) compare(s *surface) (p Picture) {
	for row := range r.rows {
		for col := range r.columns {
			t := r.depth[row*r.columns+col]
			if math.IsInf(t, 1) {
				if s.f.Void == nil && r.isPinhole(col, row) {
					p.Pinholes++
				}
				continue
			}
			d := r.ray(col, row)
			at := r.back(vec3{d[0] * t, d[1] * t, t})
			h, ok := s.height(at[0], at[2])
			if !ok {
				continue
			}
			e := math.Inf(1)
			if q := r.turn(vec3{at[0], h, at[2]}); q[2] > 0 {
				e = r.kappa * math.Hypot(q[0]/q[2]-d[0], q[1]/q[2]-d[1]) * r.through(at)
			}
			p.Checked++
			p.Histogram.Count(e)
			if e > p.Worst {
				p.Worst, p.At = e, [2]int{col, row}
			}
		}
	}
	return p
}

// isPinhole says whether all four pixels around one show something.
func (r *raster) isPinhole(col, row int) bool {
	if col == 0 || row == 0 || col == r.columns-1 || row == r.rows-1 {
		return false
	}
	i := row*r.columns + col
	return !math.IsInf(max(r.depth[i-1], r.depth[i+1], r.depth[i-r.columns], r.depth[i+r.columns]), 1)
}

// surface is the full-resolution surface in the world.
type surface struct {
	f      *terrain.Field
	ox, oz float64
}

// height returns the height in metres at a place; ok is false where a corner of
// its triangle is a hole.
func (s *surface) height(x, z float64) (h float64, ok bool) {
	u, v := (x-s.ox)/s.f.Spacing, (z-s.oz)/s.f.Spacing
	col := min(max(int(math.Floor(u)), 0), max(s.f.Width-2, 0))
	row := min(max(int(math.Floor(v)), 0), max(s.f.Height-2, 0))
	u, v = min(max(u-float64(col), 0), 1), min(max(v-float64(row), 0), 1)
	a, b := [2]int{0, 0}, [2]int{1, 1} // ends of the cut; the corner comes third
	var c [2]int
	var wa, wb float64
	if (col+row)%2 == 0 {
		c, wa, wb = [2]int{1, 0}, 1-u, v
		if v > u {
			c, wa, wb = [2]int{0, 1}, 1-v, u
		}
	} else {
		a, b = [2]int{1, 0}, [2]int{0, 1}
		c, wa, wb = [2]int{0, 0}, u, v
		if u+v > 1 {
			c, wa, wb = [2]int{1, 1}, 1-v, 1-u
		}
	}
	for i, p := range [3][2]int{a, b, c} {
		at := [2]int{col + p[0], row + p[1]}
		if isVoid(s.f, at[0], at[1]) {
			return 0, false
		}
		h += [3]float64{wa, wb, 1 - wa - wb}[i] * float64(s.f.At(at[0], at[1]))
	}
	return h * s.f.Quantum, true
}
