// Package meshcheck judges a drawn mesh against the heights it stands for. It
// shares no code with the refiners or the view they use, so that a mistake
// there cannot hide here.
//
// There are three verdicts. [ScreenError] is the promise of a tolerance in pixels:
// it compares every full-resolution sample in view, hidden or not, with the surface
// that was drawn at its place. [Rasterised] is what a spectator gets: it draws the
// mesh with a depth buffer and compares what each pixel shows. [Watertight] says
// whether the mesh is one sheet, without gaps, overlaps, T-junctions or triangles
// that face down. The first two give the largest error and a [Histogram] of all.
//
// All of them see the whole field at once and take their time: some hundred
// milliseconds for a million samples.
package meshcheck

import (
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
	Width, Height    int     // pixels
	Haze             float64 // 1/m: an error at distance d counts exp(−Haze·d) times
}

// Errors is what [ScreenError] found.
type Errors struct {
	Worst     float64 // pixels, over all samples in view
	Bare      float64 // the same without haze
	At        [2]int  // the sample, column and row
	Checked   int     // samples in view, holes not counted
	Uncovered int     // samples in view over which no triangle lies
	Outline   float64 // pixels, see ScreenError
	Histogram Histogram
}

// ScreenError projects every full-resolution sample of f that lies in the
// picture, and the surface drawn at the same x and z, and returns the largest
// distance between the two in pixels. originX, originZ is the world position of
// sample 0, 0.
//
// Where f has holes, their samples have no height to compare. Outline is how far
// the outline of a hole is off at most: the distance from a sample without a
// triangle, that has one at full resolution, to the hole; and from a sample of a
// hole that is drawn over to its rim. Such samples are not Uncovered.
func ScreenError(f *terrain.Field, originX, originZ float64, m *Mesh, c *Camera) Errors {
	return NewChecker(f, originX, originZ).ScreenError(m, c)
}

// Checker is [ScreenError] for one field and many meshes: it keeps its memory, and
// what the last camera has in view. It is for one goroutine at a time; the field must
// not change meanwhile.
type Checker struct {
	s      screen
	camera Camera
	view   []uint8 // of the last camera, see markView
}

// NewChecker returns a checker of f, whose sample 0, 0 is at the world position
// given.
func NewChecker(f *terrain.Field, originX, originZ float64) *Checker {
	return &Checker{s: screen{f: f, ox: originX, oz: originZ, seen: make([]uint8, len(f.Samples))}}
}

// ScreenError is the function of that name.
func (k *Checker) ScreenError(m *Mesh, c *Camera) Errors {
	s := &k.s
	if k.view == nil || k.camera != *c {
		k.view, k.camera, s.lens = make([]uint8, len(s.seen)), *c, newLens(c)
		s.markView(k.view)
	}
	copy(s.seen, k.view)
	s.e = Errors{}
	for _, t := range m.Triangles {
		s.triangle(m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]])
	}
	return s.verdict()
}

// verdict counts what no triangle lies over.
func (s *screen) verdict() Errors {
	for i, v := range s.seen {
		if v != outside && (s.f.Void == nil || !s.f.Void[i]) {
			s.e.Checked++
		}
	}
	if s.f.Void != nil {
		s.outline()
		return s.e
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
	lens   *lens
	seen   []uint8
	e      Errors
}

func (s *screen) sample(col, row int) vec3 {
	return vec3{s.ox + float64(col)*s.f.Spacing, float64(s.f.Samples[row*s.f.Width+col]) * s.f.Quantum, s.oz + float64(row)*s.f.Spacing}
}

// markView marks the samples in the picture.
func (s *screen) markView(view []uint8) {
	for row := range s.f.Height {
		for col := range s.f.Width {
			if _, _, in := s.lens.project(s.sample(col, row)); in {
				view[row*s.f.Width+col] = inView
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
			first := s.seen[i] == inView
			s.seen[i] = covered
			if isVoid(s.f, col, row) {
				continue
			}
			s.compare(col, row, a[1]+wb*(b[1]-a[1])+wc*(c[1]-a[1]), first)
		}
	}
}

// compare measures a sample where the surface is drawn so high; one on an edge is
// compared by several triangles, but first for one of them alone.
func (s *screen) compare(col, row int, drawn float64, first bool) {
	at := s.sample(col, row)
	px, py, _ := s.lens.image(at)
	through := s.lens.through(at)
	at[1] = drawn
	qx, qy, front := s.lens.image(at)
	if !front {
		qx = math.Inf(1)
	}
	e := math.Hypot(px-qx, py-qy)
	s.e.Bare = max(s.e.Bare, e)
	if front {
		e *= through
	}
	if first {
		s.e.Histogram.Count(e)
	}
	if e > s.e.Worst {
		s.e.Worst, s.e.At = e, [2]int{col, row}
	}
}

func (s *screen) grid(p [3]float64) (col, row int) {
	return int(math.Round((p[0] - s.ox) / s.f.Spacing)), int(math.Round((p[2] - s.oz) / s.f.Spacing))
}
