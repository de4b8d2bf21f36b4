package meshcheck

import (
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// isVoid says whether f has a hole at a sample; what lies outside is on the rim.
func isVoid(f *terrain.Field, col, row int) bool {
	col, row = min(max(col, 0), f.Width-1), min(max(row, 0), f.Height-1)
	return f.Void != nil && f.Void[row*f.Width+col]
}

// atHole says whether the triangle beyond an edge would touch a hole. The corner
// that it does not share with the edge is one of three: bisection makes nothing
// but right isosceles triangles. At the rim of a padded source they are cut off:
// there any hole within a tile will do.
func (t *sheet) atHole(e [2]int64) bool {
	if t.f.Void == nil {
		return false
	}
	x0, z0, x1, z1 := int(int32(e[0])), int(e[0]>>32), int(int32(e[1])), int(e[1]>>32)
	nx, nz := z0-z1, x1-x0 // a quarter turn from the edge, away from its triangle
	for _, twice := range [3][2]int{{2 * (x0 + nx), 2 * (z0 + nz)}, {2 * (x1 + nx), 2 * (z1 + nz)}, {x0 + x1 + nx, z0 + z1 + nz}} {
		if twice[0]%2 == 0 && twice[1]%2 == 0 && isVoid(t.f, twice[0]/2, twice[1]/2) {
			return true
		}
	}
	reach := t.w.TileSize - 1
	padded := max(x0, x1) == t.w.Width-1 && max(x0, x1)%reach != 0 || max(z0, z1) == t.w.Height-1 && max(z0, z1)%reach != 0
	if !padded {
		return false
	}
	for row := max(0, min(z0, z1)-reach); row < min(t.w.Height, max(z0, z1)+reach); row++ {
		for col := max(0, min(x0, x1)-reach); col < min(t.w.Width, max(x0, x1)+reach); col++ {
			if isVoid(t.f, col, row) {
				return true
			}
		}
	}
	return false
}

// outline measures the outlines of holes.
func (s *screen) outline() {
	toHole, toGround := nearest(s.f, true), nearest(s.f, false)
	for i, v := range s.seen {
		col, row := i%s.f.Width, i/s.f.Width
		switch {
		case v == inView && !s.f.Void[i] && coveredInFull(s.f, col, row):
			if toHole[i] < 0 {
				s.e.Uncovered++
				continue
			}
			s.offOutline(i, int(toHole[i]), s.f.Samples[i])
		case v == covered && s.f.Void[i]:
			if toGround[i] >= 0 {
				s.offOutline(i, int(toGround[i]), s.f.Samples[toGround[i]])
			}
		}
	}
}

// offOutline counts the distance of two samples, both at height h, as an error; one
// that is behind the eye is at no distance in pixels.
func (s *screen) offOutline(a, b int, h int32) {
	y := float64(h) * s.f.Quantum
	at := func(i int) vec3 {
		p := s.sample(i%s.f.Width, i/s.f.Width)
		p[1] = y
		return p
	}
	p := at(a)
	ax, ay, _ := s.lens.image(p)
	if bx, by, front := s.lens.image(at(b)); front {
		s.e.Outline = max(s.e.Outline, s.lens.through(p)*math.Hypot(ax-bx, ay-by))
	}
}

// coveredInFull says whether a triangle of the full resolution touches a sample:
// one of the eight or less around it has no hole.
func coveredInFull(f *terrain.Field, col, row int) bool {
	for z := max(0, row-1); z <= min(row, f.Height-2); z++ {
		for x := max(0, col-1); x <= min(col, f.Width-2); x++ {
			// The square x, z is cut from north-west to south-east if x+z is even.
			a, b := [2]int{x, z}, [2]int{x + 1, z + 1}
			apexes := [2][2]int{{x + 1, z}, {x, z + 1}}
			if (x+z)%2 == 1 {
				a, b, apexes[0], apexes[1] = apexes[0], apexes[1], a, b
			}
			if isVoid(f, a[0], a[1]) || isVoid(f, b[0], b[1]) {
				continue
			}
			for _, apex := range apexes {
				touches := a == [2]int{col, row} || b == [2]int{col, row} || apex == [2]int{col, row}
				if touches && !isVoid(f, apex[0], apex[1]) {
					return true
				}
			}
		}
	}
	return false
}

// nearest returns for each sample the index of one nearby that is a hole, or is
// none; -1 if there is none at all. It is found in two sweeps, after Danielsson,
// "Euclidean Distance Mapping", Computer Graphics and Image Processing 14, 1980,
// and is not always the nearest, but never much farther.
func nearest(f *terrain.Field, void bool) []int32 {
	w, h := f.Width, f.Height
	to := make([]int32, len(f.Samples))
	for i := range to {
		to[i] = -1
		if f.Void[i] == void {
			to[i] = int32(i)
		}
	}
	far := func(col, row int, i int32) int {
		dx, dz := col-int(i)%w, row-int(i)/w
		return dx*dx + dz*dz
	}
	sweep := func(col, row, sign int) {
		at := &to[row*w+col]
		for _, d := range [4][2]int{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
			x, z := col+sign*d[0], row+sign*d[1]
			if x < 0 || z < 0 || x >= w || z >= h || to[z*w+x] < 0 {
				continue
			}
			if i := to[z*w+x]; *at < 0 || far(col, row, i) < far(col, row, *at) {
				*at = i
			}
		}
	}
	for i := range to {
		sweep(i%w, i/w, 1)
	}
	for i := len(to) - 1; i >= 0; i-- {
		sweep(i%w, i/w, -1)
	}
	return to
}
