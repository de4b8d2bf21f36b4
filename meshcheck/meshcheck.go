// Package meshcheck judges a drawn mesh against the heights it stands for. It
// shares no code with the refiners or the view they use, so that a mistake
// there cannot hide here.
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
	Width, Height    int // pixels
}

// project returns the pixel position of a world point and whether it lies in
// the picture.
func (c *Camera) project(x, y, z float64) (px, py float64, inside bool) {
	px, py, front := c.image(x, y, z)
	return px, py, front && px >= 0 && py >= 0 && px <= float64(c.Width) && py <= float64(c.Height)
}

// image returns the pixel position of a world point, which may lie outside the
// picture; front is false behind the eye.
func (c *Camera) image(x, y, z float64) (px, py float64, front bool) {
	// Turn the world by -yaw about Y, then by -pitch about X: the camera then
	// looks along -Z.
	x, y, z = x-c.Eye[0], y-c.Eye[1], z-c.Eye[2]
	x, z = x*math.Cos(c.Yaw)+z*math.Sin(c.Yaw), z*math.Cos(c.Yaw)-x*math.Sin(c.Yaw)
	y, z = y*math.Cos(c.Pitch)+z*math.Sin(c.Pitch), z*math.Cos(c.Pitch)-y*math.Sin(c.Pitch)
	if z >= 0 {
		return 0, 0, false
	}
	k := float64(c.Height) / 2 / math.Tan(c.FovY/2) / -z
	return float64(c.Width)/2 + k*x, float64(c.Height)/2 - k*y, true
}

// Errors is what [ScreenError] found.
type Errors struct {
	Worst     float64 // pixels, over all samples in view
	At        [2]int  // the sample, column and row
	Checked   int     // samples in view, holes not counted
	Uncovered int     // samples in view over which no triangle lies
	Outline   float64 // pixels, see ScreenError
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
	s := screen{f: f, ox: originX, oz: originZ, c: c, seen: make([]uint8, len(f.Samples))}
	s.markView()
	for _, t := range m.Triangles {
		s.triangle(m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]])
	}
	if f.Void != nil {
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
				if !isVoid(s.f, col, row) {
					s.e.Checked++
				}
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
			if isVoid(s.f, col, row) {
				continue
			}
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
