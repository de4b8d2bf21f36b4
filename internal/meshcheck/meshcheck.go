// Package meshcheck judges a drawn mesh against the heights it stands for. It
// shares no code with the refiners or the view they use, so that a mistake
// there cannot hide here.
package meshcheck

import (
	"fmt"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Mesh is what was drawn, in world metres. Vertices of a seam are there once
// for each tile.
type Mesh struct {
	Vertices  [][3]float64
	Triangles [][3]uint32
}

// Camera is the picture's geometry. Angles are radians as in lodcpu.View.
type Camera struct {
	Eye              [3]float64
	Yaw, Pitch, FovY float64
	Width, Height    int // pixels
}

// project returns the pixel position of a world point and whether it lies in
// the picture.
func (c *Camera) project(x, y, z float64) (px, py float64, inside bool) {
	// Turn the world by -yaw about Y, then by -pitch about X: the camera then
	// looks along -Z.
	x, y, z = x-c.Eye[0], y-c.Eye[1], z-c.Eye[2]
	x, z = x*math.Cos(c.Yaw)+z*math.Sin(c.Yaw), z*math.Cos(c.Yaw)-x*math.Sin(c.Yaw)
	y, z = y*math.Cos(c.Pitch)+z*math.Sin(c.Pitch), z*math.Cos(c.Pitch)-y*math.Sin(c.Pitch)
	if z >= 0 {
		return 0, 0, false
	}
	k := float64(c.Height) / 2 / math.Tan(c.FovY/2) / -z
	px, py = float64(c.Width)/2+k*x, float64(c.Height)/2-k*y
	return px, py, px >= 0 && py >= 0 && px <= float64(c.Width) && py <= float64(c.Height)
}

// Errors is what [ScreenError] found.
type Errors struct {
	Worst     float64 // pixels, over all samples in view
	At        [2]int  // the sample, column and row
	Checked   int     // samples in view
	Uncovered int     // samples in view over which no triangle lies
}

// ScreenError projects every full-resolution sample of f that lies in the
// picture, and the surface drawn at the same x and z, and returns the largest
// distance between the two in pixels. originX, originZ is the world position of
// sample 0, 0.
func ScreenError(f *terrain.Field, originX, originZ float64, m *Mesh, c *Camera) Errors {
	s := screen{f: f, ox: originX, oz: originZ, c: c, seen: make([]uint8, len(f.Samples))}
	s.markView()
	for _, t := range m.Triangles {
		s.triangle(m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]])
	}
	for _, v := range s.seen {
		if v == inView {
			s.e.Uncovered++
		}
	}
	return s.e
}

const (
	outside = iota
	inView
	covered
)

type screen struct {
	f      *terrain.Field
	ox, oz float64
	c      *Camera
	seen   []uint8
	e      Errors
}

func (s *screen) sample(col, row int) (x, y, z float64) {
	return s.ox + float64(col)*s.f.Spacing, float64(s.f.Samples[row*s.f.Width+col]) * s.f.Quantum, s.oz + float64(row)*s.f.Spacing
}

func (s *screen) markView() {
	for row := range s.f.Height {
		for col := range s.f.Width {
			if _, _, in := s.c.project(s.sample(col, row)); in {
				s.seen[row*s.f.Width+col] = inView
				s.e.Checked++
			}
		}
	}
}

// triangle compares the samples under one triangle, its border included.
func (s *screen) triangle(a, b, c [3]float64) {
	ax, az := s.grid(a)
	bx, bz := s.grid(b)
	cx, cz := s.grid(c)
	area := (bx-ax)*(cz-az) - (cx-ax)*(bz-az)
	if area == 0 {
		return
	}
	for row := max(0, min(az, bz, cz)); row <= min(s.f.Height-1, max(az, bz, cz)); row++ {
		for col := max(0, min(ax, bx, cx)); col <= min(s.f.Width-1, max(ax, bx, cx)); col++ {
			i := row*s.f.Width + col
			if s.seen[i] == outside {
				continue
			}
			wb := float64((col-ax)*(cz-az)-(cx-ax)*(row-az)) / float64(area)
			wc := float64((bx-ax)*(row-az)-(col-ax)*(bz-az)) / float64(area)
			if wb < 0 || wc < 0 || wb+wc > 1+1e-12 {
				continue
			}
			s.seen[i] = covered
			s.compare(col, row, a[1]+wb*(b[1]-a[1])+wc*(c[1]-a[1]))
		}
	}
}

func (s *screen) compare(col, row int, drawn float64) {
	x, y, z := s.sample(col, row)
	px, py, _ := s.c.project(x, y, z)
	qx, qy, _ := s.c.project(x, drawn, z)
	if e := math.Hypot(px-qx, py-qy); e > s.e.Worst {
		s.e.Worst, s.e.At = e, [2]int{col, row}
	}
}

func (s *screen) grid(p [3]float64) (col, row int) {
	return int(math.Round((p[0] - s.ox) / s.f.Spacing)), int(math.Round((p[2] - s.oz) / s.f.Spacing))
}

// Watertight says what keeps m from being one closed sheet over the drawn
// tiles: it returns the number of faults and the first of them in words.
//
// Welded by grid position, every edge must be used by exactly two triangles in
// opposite directions, except on the rim of what is drawn; vertices at one
// position must agree to the last bit; every triangle must face up.
func Watertight(w *terrain.World, m *Mesh, drawn func(terrain.Key) bool) (faults int, first string) {
	t := sheet{w: w, drawn: drawn, edges: make(map[[2]int64]int, len(m.Triangles)*3)}
	height := make(map[int64]float64, len(m.Vertices))
	for _, tri := range m.Triangles {
		var p [3]int64
		var col, row [3]int
		for i, v := range tri {
			q := m.Vertices[v]
			col[i] = int(math.Round((q[0] - w.OriginX) / w.Spacing))
			row[i] = int(math.Round((q[2] - w.OriginZ) / w.Spacing))
			p[i] = int64(row[i])<<32 | int64(col[i])
			if h, known := height[p[i]]; known && h != q[1] {
				t.fault("vertices at column %d, row %d are %v and %v m high", col[i], row[i], h, q[1])
			}
			height[p[i]] = q[1]
		}
		// X east, Z south: counter-clockwise from above has a negative area here.
		if area := (col[1]-col[0])*(row[2]-row[0]) - (col[2]-col[0])*(row[1]-row[0]); area >= 0 {
			t.fault("triangle (%d,%d) (%d,%d) (%d,%d) does not face up", col[0], row[0], col[1], row[1], col[2], row[2])
		} else {
			t.area -= int64(area)
		}
		for i := range 3 {
			t.edges[[2]int64{p[i], p[(i+1)%3]}]++
		}
	}
	for e, n := range t.edges {
		if n > 1 {
			t.fault("edge %s is used %d times in one direction", edgeName(e), n)
		}
		if t.edges[[2]int64{e[1], e[0]}] == 0 && !t.onRim(e) {
			t.fault("edge %s has a triangle on one side only", edgeName(e))
		}
	}
	if want := t.drawnArea(); t.area != want {
		t.fault("triangles cover %g cells of %g", float64(t.area)/2, float64(want)/2)
	}
	return t.faults, t.first
}

type sheet struct {
	w      *terrain.World
	drawn  func(terrain.Key) bool
	edges  map[[2]int64]int
	area   int64 // twice the covered area, cells
	faults int
	first  string
}

func (t *sheet) fault(format string, args ...any) {
	if t.faults++; t.faults == 1 {
		t.first = fmt.Sprintf(format, args...)
	}
}

func edgeName(e [2]int64) string {
	return fmt.Sprintf("(%d,%d)-(%d,%d)", int32(e[0]), e[0]>>32, int32(e[1]), e[1]>>32)
}

// onRim says whether an edge lies on the border of the drawn tiles.
func (t *sheet) onRim(e [2]int64) bool {
	cells := t.w.TileSize - 1
	x0, z0, x1, z1 := int(int32(e[0])), int(e[0]>>32), int(int32(e[1])), int(e[1]>>32)
	tile := func(x, z int) terrain.Key { return terrain.Key{X: int32(x / cells), Y: int32(z / cells)} }
	switch {
	case x0 == x1:
		if x0 == 0 || x0 == t.w.Width-1 {
			return true
		}
		z := min(z0, z1)
		return x0%cells == 0 && t.drawn(tile(x0-1, z)) != t.drawn(tile(x0, z))
	case z0 == z1:
		if z0 == 0 || z0 == t.w.Height-1 {
			return true
		}
		x := min(x0, x1)
		return z0%cells == 0 && t.drawn(tile(x, z0-1)) != t.drawn(tile(x, z0))
	}
	return false
}

func (t *sheet) drawnArea() (twice int64) {
	cells := t.w.TileSize - 1
	nx, nz := t.w.Tiles()
	for y := range nz {
		for x := range nx {
			if t.drawn(terrain.Key{X: int32(x), Y: int32(y)}) {
				dx := min((x+1)*cells, t.w.Width-1) - x*cells
				dz := min((y+1)*cells, t.w.Height-1) - y*cells
				twice += 2 * int64(dx) * int64(dz)
			}
		}
	}
	return twice
}
