package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/soar"
	"github.com/vkterrain/vkterrain/meshcheck"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestDiamondOf: the corners of a vertex's diamond are its parents and the two ends of
// the edge, which are older than those.
func TestDiamondOf(t *testing.T) {
	layout := terrain.LayoutFor(33)
	for _, p := range layout.Grid {
		x, z := int(p.X), int(p.Z)
		d, ok := lodcpu.DiamondOf(layout, x, z)
		root := x%32 == 0 && z%32 == 0 || x == 16 && z == 16
		if ok == root {
			t.Fatalf("(%d, %d): has an edge: %v", x, z, ok)
		}
		if root {
			continue
		}
		a, b := d.Ends()
		if d.X0+d.X1 != 2*x || d.Z0+d.Z1 != 2*z || min(d.X0, d.Z0) < 0 || max(d.X1, d.Z1) > 32 {
			t.Errorf("(%d, %d) is not in the middle of %+v", x, z, d)
		}
		for _, q := range [2][2]int{a, b} {
			if slices.Contains(testworld.Parents(x, z, 32), q) {
				t.Errorf("(%d, %d): parent %v is an end of its edge", x, z, q)
			}
			if above, ok := lodcpu.DiamondOf(layout, q[0], q[1]); ok && above.Order <= d.Order+1 {
				t.Errorf("(%d, %d) of order %d: end %v has order %d", x, z, d.Order, q, above.Order)
			}
		}
		for _, q := range testworld.Parents(x, z, 32) {
			above, ok := lodcpu.DiamondOf(layout, q[0], q[1])
			if ok && (q[0]+above.Reach() < x+d.Reach() || q[1]+above.Reach() < z+d.Reach() || x+d.Reach() < d.X1) {
				t.Errorf("(%d, %d) reaches farther than parent %v, or less than its diamond", x, z, q)
			}
		}
	}
}

// drawing is all tiles of a world as they are drawn under a frame's law, by a mesh that
// was made under another.
type drawing struct {
	*testworld.World
	morph *lodcpu.Morph
	made  *lodcpu.Law
	frame *lodcpu.Law
}

func (d *drawing) mesh() (m *meshcheck.Mesh, moving int) {
	m = &meshcheck.Mesh{}
	layout := d.Layout()
	r := soar.New(layout, lodcpu.List)
	dst := make([]uint32, r.MaxIndices(0))
	var near lodcpu.Neighbourhood // all loaded
	for k, info := range d.Infos {
		tile := d.Tile(k, 0)
		c, _ := r.Refine(dst, tile, &near, d.made)
		at := map[uint32]uint32{}
		for i, id := range dst[:c.Indices] {
			v, ok := at[id]
			if !ok {
				v = uint32(len(m.Vertices))
				at[id] = v
				p := layout.Grid[id]
				x := min(int(k.X)*layout.Cells+int(p.X), d.Width-1)
				z := min(int(k.Y)*layout.Cells+int(p.Z), d.Height-1)
				y := d.morph.Height(d.frame, layout, tile, &lodcpu.Rise{}, id)
				if own := float64(info.Base+int32(tile.Verts[id].Height)) * d.Quantum; math.Abs(y-own) > 0.01 {
					moving++
				}
				m.Vertices = append(m.Vertices, [3]float64{d.OriginX + float64(x)*d.Spacing, y, d.OriginZ + float64(z)*d.Spacing})
			}
			if i%3 == 0 {
				m.Triangles = append(m.Triangles, [3]uint32{})
			}
			m.Triangles[len(m.Triangles)-1][i%3] = v
		}
	}
	return m, moving
}

// largest returns the largest difference of two lists of heights.
func largest(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// anchored returns a world with a morph, a view of it and an anchor that covers it.
func anchored(rng *rand.Rand, w *testworld.World, m *lodcpu.Morph, tau float64) (d *drawing, v *lodcpu.View) {
	side := float64(w.Width) * w.Spacing
	at := &lodcpu.View{
		Eye: mgl64.Vec3{w.OriginX + rng.Float64()*side, 80 + rng.Float64()*300, w.OriginZ + rng.Float64()*side},
		Yaw: rng.Float64() * 7, Pitch: rng.Float64() - 0.9, FovY: 0.5 + rng.Float64(), Width: 1200, Height: 700, Tau: tau,
	}
	a := lodcpu.Anchor{Margin: 120 * rng.Float64(), Tilt: rng.Float64() * 0.3}
	made := at.AnchorLaw(&w.World, a)
	v = ptr(*at)
	// The farthest that the anchor allows: on the margin, at the end of the tilt.
	away := mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Normalize().Mul(a.Margin * (1 - 1e-6))
	v.Eye, v.Yaw = at.Eye.Add(away), rng.Float64()*7
	v.Pitch += a.Tilt * []float64{-1, 1}[rng.IntN(2)]
	v.Pitch = min(max(v.Pitch, -math.Pi/2), math.Pi/2)
	frame := v.Law(&w.World)
	made.Radius, frame.Radius = m.Radius, m.Radius
	return &drawing{World: w, morph: m, made: &made, frame: &frame}, v
}

func ptr[T any](v T) *T { return &v }

// TestAnchoredMorphKeepsTheBound measures the error at the edge of an anchor's margin
// and tilt, with vertices on their way; and that a new anchor would not be seen.
func TestAnchoredMorphKeepsTheBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, size := range [][2]int{{129, 129}, {100, 70}} {
		w := testworld.New(testworld.Rough(size[0], size[1], 4), 65, 500, -300)
		m := lodcpu.NewMorph(&w.World, 1)
		padded := size[0] != 129
		for _, tau := range []float64{1, 2, 6} {
			worst, moving := 0.0, 0
			for range 10 {
				d, v := anchored(rng, w, m, tau)
				if !d.made.Covers(d.frame) {
					t.Fatalf("%+v does not cover %+v", d.made, d.frame)
				}
				mesh, n := d.mesh()
				if n, first := meshcheck.Watertight(&w.World, mesh, func(terrain.Key) bool { return true }); n > 0 {
					t.Fatalf("tau %g, view %+v: %d faults: %s", tau, *v, n, first)
				}
				e := meshcheck.ScreenError(w.Field, w.OriginX, w.OriginZ, mesh, &meshcheck.Camera{
					Eye: v.Eye, Yaw: v.Yaw, Pitch: v.Pitch, FovY: v.FovY, Width: v.Width, Height: v.Height,
				})
				if e.Worst > tau {
					t.Errorf("tau %g, view %+v: %.3f px", tau, *v, e.Worst)
				}
				own := *d
				own.made = d.frame
				alone, _ := own.mesh()
				if len(alone.Triangles) > len(mesh.Triangles) {
					t.Errorf("%d triangles for one view, %d for its anchor", len(alone.Triangles), len(mesh.Triangles))
				}
				if d := largest(testworld.Surface(&d.World.World, mesh.Vertices, mesh.Triangles), testworld.Surface(&d.World.World, alone.Vertices, alone.Triangles)); d > 1e-6 && !padded {
					t.Errorf("tau %g, view %+v: the anchor's surface is %g m from that of the view alone", tau, *v, d)
				}
				worst, moving = max(worst, e.Worst), moving+n
			}
			t.Logf("%v tau %g: worst %.3f px, %d vertices on their way", size, tau, worst, moving)
			if worst < tau/4 || moving == 0 {
				t.Errorf("%v tau %g: worst %.3f px, %d vertices on their way: nothing was tested", size, tau, worst, moving)
			}
		}
	}
}

// TestMorphGoesNotFar: vertices of an anchor's mesh are drawn no farther from their own
// heights than could just be seen, which is how far their boxes are widened.
func TestMorphGoesNotFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	w := testworld.New(testworld.Rough(129, 129, 4), 65, 500, -300)
	m := lodcpu.NewMorph(&w.World, 1)
	most := 0.0
	for range 30 {
		d, v := anchored(rng, w, m, math.Exp2(rng.Float64()*5))
		mesh, _ := d.mesh()
		for _, p := range mesh.Vertices {
			x, z := int((p[0]-w.OriginX)/w.Spacing+0.5), int((p[2]-w.OriginZ)/w.Spacing+0.5)
			off := math.Abs(p[1] - float64(w.Field.At(x, z))*w.Quantum)
			p[1] = float64(w.Field.At(x, z)) * w.Quantum
			most = max(most, off/(v.Eye.Sub(p).Len()/d.frame.B))
		}
	}
	t.Logf("at most %.3f of what could be seen", most)
	if most > 1 || most < 0.5 {
		t.Errorf("at most %.3f of what could be seen, want more than a half and 1 at most", most)
	}
}

// TestMorphIsSteady: a small step of the eye moves no point of the surface far; without
// a morph some would jump.
func TestMorphIsSteady(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	w := testworld.New(testworld.Rough(129, 129, 4), 65, 0, 0)
	least := func(m *lodcpu.Morph) float64 { return float64(slices.Min(m.Width)) }
	for _, c := range []struct {
		morph *lodcpu.Morph
		jumps bool
	}{{lodcpu.NewMorph(&w.World, 1), false}, {lodcpu.NewMorph(&w.World, 1e-9), true}} {
		worst := 0.0
		for range 30 {
			d, v := anchored(rng, w, c.morph, 8)
			d.made = d.frame
			before, _ := d.mesh()
			step := mgl64.Vec3{rng.Float64() - 0.5, 0, rng.Float64() - 0.5}.Normalize().Mul(0.01 * math.Max(least(c.morph), 1))
			v.Eye = v.Eye.Add(step)
			next := v.Law(&w.World)
			next.Radius = c.morph.Radius
			after := *d
			after.made, after.frame = &next, &next
			moved, _ := after.mesh()
			worst = max(worst, largest(testworld.Surface(&d.World.World, before.Vertices, before.Triangles), testworld.Surface(&d.World.World, moved.Vertices, moved.Triangles)))
		}
		t.Logf("largest move %.3f m", worst)
		if (worst > 0.7) != c.jumps {
			t.Errorf("largest move of a point of the surface %.3f m, jumps expected: %v", worst, c.jumps)
		}
	}
}

// TestStretchOverTilt: the law of an anchor is never below that of a view whose pitch it
// allows.
func TestStretchOverTilt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	w := testworld.New(testworld.Rough(33, 33, 4), 33, 0, 0)
	for range 300 {
		v := lodcpu.View{Pitch: (rng.Float64() - 0.5) * math.Pi, FovY: 0.1 + 2*rng.Float64(), Width: 300 + rng.IntN(1500), Height: 900, Tau: 1}
		w.Holes = rng.IntN(3) == 0
		tilt := rng.Float64() * 2
		most, sum := v.AnchorLaw(&w.World, lodcpu.Anchor{Tilt: tilt}), 0.0
		for range 60 {
			u := v
			u.Pitch = min(max(v.Pitch+tilt*(2*rng.Float64()-1), -math.Pi/2), math.Pi/2)
			law := u.Law(&w.World)
			if law.B > most.B*(1+1e-12) {
				t.Fatalf("%+v, tilt %g: B %g, but %g at pitch %g", v, tilt, most.B, law.B, u.Pitch)
			}
			sum = max(sum, law.B)
		}
		if most.B > 1.3*sum {
			t.Errorf("%+v, tilt %g: B %g, never above %g", v, tilt, most.B, sum)
		}
	}
}
