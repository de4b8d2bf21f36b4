package main

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/lodcpu"
)

// TestOwnModels: each can be shown at any number of vertices, in the ball that all have.
func TestOwnModels(t *testing.T) {
	s := &meshShow{}
	for _, m := range ownModels {
		if err := s.add(m.name, m.make()); err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
	}
	for range s.models {
		s.next()
		m := s.shown()
		all := m.mesh.Vertices()
		largest := 0.0
		for _, v := range m.vertices {
			p := v.Position
			largest = max(largest, mgl64.Vec3{float64(p[0]), float64(p[1]) - showRadius, float64(p[2])}.Len())
			if p[1] < -1e-3 || float64(p[1]) > m.height+1e-3 {
				t.Fatalf("%s: a vertex at %v, of %g m", m.name, p, m.height)
			}
		}
		if largest > 2*showRadius || largest < showRadius/2 {
			t.Errorf("%s reaches %g m", m.name, largest)
		}
		for s.count > 0 {
			before := s.count
			for _, model := range s.model() {
				if err := model.Check(); err != nil {
					t.Fatalf("%s, %d vertices: %v", m.name, s.count, err)
				}
			}
			if s.step(false); s.count >= before {
				t.Fatalf("%s stays at %d vertices", m.name, before)
			}
		}
		for _, percent := range []int{10, 25, 50, 75, 100, 100} {
			if s.page(true); math.Abs(float64(s.count)-float64(all*percent)/100) > 0.51 {
				t.Errorf("%s: %d of %d vertices, want %d %%", m.name, s.count, all, percent)
			}
		}
		if s.page(false); math.Abs(float64(s.count)-0.75*float64(all)) > 0.51 {
			t.Errorf("%s: %d of %d vertices below all", m.name, s.count, all)
		}
	}
}

// TestShowFilm: each model has its time, goes from full to least, and its stills tell that.
func TestShowFilm(t *testing.T) {
	s := &meshShow{}
	for _, m := range ownModels[1:3] {
		if err := s.add(m.name, m.make()); err != nil {
			t.Fatal(err)
		}
	}
	p := s.flight()
	if len(p.Stills) != 2*showStills || p.Duration() != 2*showSeconds {
		t.Fatalf("%d stills in %g s", len(p.Stills), p.Duration())
	}
	at, count, ends := -1, 0, 0
	for i := range 400 {
		s.moment(p.Duration() * float64(i) / 400)
		if s.at != at {
			if at, count = s.at, s.shown().mesh.Vertices(); s.count != count {
				t.Errorf("%s begins with %d vertices of %d", s.shown().name, s.count, count)
			}
		}
		if s.count > count || s.count < s.shown().mesh.Least() {
			t.Errorf("%s: %d vertices after %d", s.shown().name, s.count, count)
		}
		if count = s.count; count == s.shown().mesh.Least() {
			ends++
		}
	}
	if at != 1 || ends < 50 {
		t.Errorf("ends with model %d; %d frames of the least", at, ends)
	}
	for i, still := range p.Stills {
		s.moment(still.T)
		full, least := s.count == s.shown().mesh.Vertices(), s.count == s.shown().mesh.Least()
		if full != (i%showStills == 0) || least != (i%showStills == showStills-1) || s.at != i/showStills {
			t.Errorf("still %d, %s: model %d with %d vertices", i, still.Caption, s.at, s.count)
		}
	}
}

// TestTerrainKeepsItsBorder: weights hold the piece of land square to its lowest resolution.
func TestTerrainKeepsItsBorder(t *testing.T) {
	s := &meshShow{}
	if err := s.add("terrain", hillock()); err != nil {
		t.Fatal(err)
	}
	m := s.shown()
	for corner := range 4 {
		x, z := float32(corner%2*2-1)*showRadius, float32(corner/2*2-1)*showRadius
		nearest := math.Inf(1)
		for _, v := range m.vertices[:m.mesh.Vertices()/10] {
			nearest = min(nearest, math.Hypot(float64(v.Position[0]-x), float64(v.Position[2]-z)))
		}
		if nearest > 0.1 {
			t.Errorf("nothing at the corner %g, %g: the nearest is %g m away", x, z, nearest)
		}
	}
}

// TestOrbit looks at the middle from wherever it is.
func TestOrbit(t *testing.T) {
	o, middle := newOrbit(), mgl64.Vec3{10, 20, 30}
	for range 50 {
		o.turn(0.7, -0.1, 0.05)
		v := lodcpu.View{FovY: 1, Width: 4, Height: 3, Tau: 1}
		o.look(&v, middle)
		_, _, forward := v.Basis()
		if d := v.Eye.Add(forward.Mul(o.distance)).Sub(middle).Len(); d > 1e-9 || v.Check() != nil {
			t.Fatalf("%+v looks %g m beside it", o, d)
		}
	}
	if o.pitch != -steepest || o.distance != 1.2*showRadius || math.Abs(o.yaw) > math.Pi {
		t.Errorf("ends at %+v", o)
	}
}
