package lodcpu_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestNotWasteful compares how many triangles are drawn in view with the least that
// a mesh of bisection can have: that of the vertices whose own error in the picture,
// when they are left out, exceeds the tolerance, and of their ancestors.
func TestNotWasteful(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := lodtest.PugetSound(t)
	w := testworld.New(f, f.Width, 0, 0) // one tile
	s := lodtest.Whole(w)
	for i, view := range lodtest.PugetViews(f, 1) {
		bound := newBound(f, &view)
		for _, tau := range []float64{1, 2} {
			v := view
			v.Tau = tau
			least := bound.triangles(tau)
			for _, a := range refiners {
				law := v.Law(&w.World)
				law.Cull = v.Cull(v.Eye)
				m, c := s.Draw(t, a.make(w.Layout(), lodcpu.List), lodcpu.List, &law)
				n := inView(m, &v)
				t.Logf("camera %c, tau %g, %s: %d triangles in view of %d drawn, %.2f times the %d of the lower bound",
					'A'+i, tau, a.name, n, c.Triangles, float64(n)/float64(least), least)
				if ratio := float64(n) / float64(least); ratio < 1 || a.name == "soar" && ratio > 1.9 {
					t.Errorf("camera %c, tau %g, %s: %.2f times the lower bound, want 1.9 at most", 'A'+i, tau, a.name, ratio)
				}
			}
		}
	}
}

// inView returns how many triangles of a mesh are in the picture.
func inView(m *meshcheck.Mesh, v *lodcpu.View) (n int) {
	p := newPicture(v)
	at := make([]mgl64.Vec3, len(m.Vertices))
	for i, q := range m.Vertices {
		at[i] = p.turn(q)
	}
	for _, t := range m.Triangles {
		if p.has(at[t[0]], at[t[1]], at[t[2]]) {
			n++
		}
	}
	return n
}

// picture cuts triangles by the sides of a view.
type picture struct {
	eye                mgl64.Vec3
	right, up, forward mgl64.Vec3
	kappa              float64
}

// newPicture scales camera space so that the picture is |x| and |y| ≤ z.
func newPicture(v *lodcpu.View) *picture {
	p := &picture{eye: v.Eye, kappa: v.Kappa()}
	p.right, p.up, p.forward = v.Basis()
	b := math.Tan(v.FovY / 2)
	p.right, p.up = p.right.Mul(float64(v.Height)/float64(v.Width)/b), p.up.Mul(1/b)
	return p
}

func (p *picture) turn(q mgl64.Vec3) mgl64.Vec3 {
	d := q.Sub(p.eye)
	return mgl64.Vec3{d.Dot(p.right), d.Dot(p.up), d.Dot(p.forward)}
}

// has says whether some of a triangle is in the picture.
func (p *picture) has(a, b, c mgl64.Vec3) bool {
	var from, to [8]mgl64.Vec3
	poly := append(from[:0], a, b, c)
	for _, side := range [4]mgl64.Vec3{{1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}} {
		next := to[:0]
		for i, q := range poly {
			r := poly[(i+1)%len(poly)]
			dq, dr := q.Dot(side), r.Dot(side)
			if dq > 0 {
				next = append(next, q)
			}
			if (dq > 0) != (dr > 0) {
				next = append(next, q.Add(r.Sub(q).Mul(dq/(dq-dr))))
			}
		}
		if len(next) == 0 {
			return false
		}
		poly, from, to = next, to, from
	}
	return true
}

// bound is what the vertices of a field need, as one tile.
type bound struct {
	f    *terrain.Field
	v    *lodcpu.View
	size int
	at   []mgl64.Vec3 // of samples in camera space, see picture
	in   []bool       // whether in the picture
	px   []float32    // largest error in the picture of a vertex or a descendant
	rise mgl64.Vec3   // a quantum upwards
	p    *picture
}

func newBound(f *terrain.Field, v *lodcpu.View) *bound {
	b := &bound{f: f, v: v, size: f.Width, p: newPicture(v)}
	b.at, b.in, b.px = make([]mgl64.Vec3, len(f.Samples)), make([]bool, len(f.Samples)), make([]float32, len(f.Samples))
	for i := range b.at {
		world := mgl64.Vec3{float64(i%b.size) * f.Spacing, float64(f.Samples[i]) * f.Quantum, float64(i/b.size) * f.Spacing}
		q := b.p.turn(world)
		b.at[i], b.in[i] = q, q[2] > 0 && math.Abs(q[0]) <= q[2] && math.Abs(q[1]) <= q[2]
	}
	b.rise = mgl64.Vec3{b.p.right[1], b.p.up[1], b.p.forward[1]}.Mul(f.Quantum)
	b.roots(func(a, l, r [2]int) { b.measure(a, l, r) })
	b.nest()
	return b
}

// roots calls visit with the four triangles of the tile: apex, and the ends of the
// side that is split first, counter-clockwise.
func (b *bound) roots(visit func(a, l, r [2]int)) {
	n := b.size - 1
	corners := [4][2]int{{0, n}, {n, n}, {n, 0}, {0, 0}}
	for i := range corners {
		visit([2]int{n / 2, n / 2}, corners[i], corners[(i+1)%4])
	}
}

func middle(l, r [2]int) ([2]int, bool) {
	return [2]int{(l[0] + r[0]) / 2, (l[1] + r[1]) / 2}, (l[0]+r[0])%2 == 0 && (l[1]+r[1])%2 == 0
}

// measure raises the errors of the vertices that split a triangle and those below.
func (b *bound) measure(a, l, r [2]int) {
	m, ok := middle(l, r)
	if !ok {
		return
	}
	e := &b.px[m[1]*b.size+m[0]]
	*e = max(*e, b.worst(a, l, r))
	b.measure(m, a, l)
	b.measure(m, r, a)
}

// worst returns the largest error in pixels of the samples in the picture, drawn by
// a triangle.
func (b *bound) worst(a, l, r [2]int) float32 {
	area := (l[0]-a[0])*(r[1]-a[1]) - (r[0]-a[0])*(l[1]-a[1])
	ha, hl, hr := float64(b.f.At(a[0], a[1])), float64(b.f.At(l[0], l[1])), float64(b.f.At(r[0], r[1]))
	worst := 0.0
	for z := min(a[1], l[1], r[1]); z <= max(a[1], l[1], r[1]); z++ {
		for x := min(a[0], l[0], r[0]); x <= max(a[0], l[0], r[0]); x++ {
			wl := (x-a[0])*(r[1]-a[1]) - (r[0]-a[0])*(z-a[1])
			wr := (l[0]-a[0])*(z-a[1]) - (x-a[0])*(l[1]-a[1])
			if area < 0 {
				wl, wr = -wl, -wr
			}
			wa := max(area, -area) - wl - wr
			i := z*b.size + x
			if wl < 0 || wr < 0 || wa < 0 || !b.in[i] {
				continue
			}
			plane := (float64(wa)*ha + float64(wl)*hl + float64(wr)*hr) / math.Abs(float64(area))
			p := b.at[i]
			q := p.Add(b.rise.Mul(plane - float64(b.f.Samples[i])))
			// Both directions are scaled by half the picture.
			dx, dy := (p[0]/p[2]-q[0]/q[2])*float64(b.v.Width)/2, (p[1]/p[2]-q[1]/q[2])*float64(b.v.Height)/2
			worst = max(worst, math.Hypot(dx, dy))
		}
	}
	return float32(worst)
}

// nest raises the error of every vertex to those of its descendants, finest first.
func (b *bound) nest() {
	n := b.size - 1
	for s := 1; s < n; s *= 2 {
		for _, white := range [2]bool{false, true} {
			for z := 0; z <= n; z += s {
				for x := 0; x <= n; x += s {
					odd := x/s%2 + z/s%2
					if odd == 0 || (odd == 2) != white {
						continue
					}
					for _, p := range testworld.Parents(x, z, n) {
						if p[0] >= 0 && p[1] >= 0 && p[0] <= n && p[1] <= n {
							e := &b.px[p[1]*b.size+p[0]]
							*e = max(*e, b.px[z*b.size+x])
						}
					}
				}
			}
		}
	}
}

// triangles returns how many triangles are in the picture for a tolerance.
func (b *bound) triangles(tau float64) (n int) {
	var visit func(a, l, r [2]int)
	visit = func(a, l, r [2]int) {
		if m, ok := middle(l, r); ok && float64(b.px[m[1]*b.size+m[0]]) > tau {
			visit(m, a, l)
			visit(m, r, a)
			return
		}
		at := func(p [2]int) mgl64.Vec3 { return b.at[p[1]*b.size+p[0]] }
		if b.p.has(at(a), at(l), at(r)) {
			n++
		}
	}
	b.roots(visit)
	return n
}
