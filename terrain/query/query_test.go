package query_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// source is what both sources of answers can do.
type source interface {
	height(x, z float64) (float64, bool)
	at(x, z float64) query.Ground
	cast(r query.Ray) query.Hit
}

type fromFile struct {
	t testing.TB
	s *query.Sampler
}

func (f fromFile) height(x, z float64) (float64, bool) {
	y, ok, err := f.s.Height(x, z)
	if err != nil {
		f.t.Fatal(err)
	}
	return y, ok
}

func (f fromFile) at(x, z float64) query.Ground {
	g, err := f.s.At(x, z)
	if err != nil {
		f.t.Fatal(err)
	}
	return g
}

func (f fromFile) cast(r query.Ray) query.Hit {
	h, err := f.s.Cast(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return h
}

type fromMemory struct{ l *query.Loaded }

func (m fromMemory) height(x, z float64) (float64, bool) { return m.l.Height(x, z) }
func (m fromMemory) at(x, z float64) query.Ground        { return m.l.At(x, z) }
func (m fromMemory) cast(r query.Ray) query.Hit          { return m.l.Cast(r) }

// worlds are those that most tests look at: whole, padded, with holes.
func worlds() map[string]*testworld.World {
	return map[string]*testworld.World{
		"whole": rough(97, 65, 0, 1), "padded": rough(117, 93, 0, 6), "small": rough(2, 3, 0, 2),
		"holes": rough(97, 97, 9, 5), "padded holes": rough(70, 84, 7, 8),
	}
}

func sources(t *testing.T, w *testworld.World) map[string]source {
	return map[string]source{
		"file":   fromFile{t, samplerOf(t, w, query.Options{})},
		"memory": fromMemory{loadedOf(w, level(0))},
	}
}

// point is somewhere on the map, now and then outside, on a seam, on an edge or a
// sample.
func point(rng *rand.Rand, w *testworld.World) (x, z float64) {
	x, z = (rng.Float64()*1.04-0.02)*float64(w.Width-1), (rng.Float64()*1.04-0.02)*float64(w.Height-1)
	cells := float64(w.TileSize - 1)
	switch rng.IntN(8) {
	case 0:
		x = math.Round(x)
	case 1:
		z = math.Round(z)
	case 2:
		x, z = math.Round(x), math.Round(z)
	case 3:
		x = math.Round(x/cells) * cells
	case 4:
		x, z = math.Floor(x)+0.25, math.Floor(z)+0.25 // on a diagonal
	}
	return w.OriginX + x*w.Spacing, w.OriginZ + z*w.Spacing
}

// TestHeightIsThatOfTheDrawnSurface is case QUERY-1: 10,000 points against a ray
// on the full-resolution mesh.
func TestHeightIsThatOfTheDrawnSurface(t *testing.T) {
	for name, w := range worlds() {
		full := meshOf(w, 0)
		for from, s := range sources(t, w) {
			rng := rand.New(rand.NewPCG(1, 10))
			found, none := 0, 0
			for range 10000 {
				x, z := point(rng, w)
				want, normal, ok := full.height(x, z, 1e-12)
				g := s.at(x, z)
				y, got := s.height(x, z)
				if got != ok || g.OK != ok {
					t.Fatalf("%s, %s: ground at %g, %g: %v and %v, drawn: %v", name, from, x, z, got, g.OK, ok)
				}
				if !ok {
					none++
					continue
				}
				found++
				if math.Abs(y-want) > 1e-3 || y != g.Height {
					t.Fatalf("%s, %s: %g and %g m at %g, %g, drawn at %g", name, from, y, g.Height, x, z, want)
				}
				if _, _, inside := full.height(x, z, -1e-6); inside && distance(g.Normal, normal) > 1e-9 {
					t.Fatalf("%s, %s: normal %v at %g, %g, drawn %v", name, from, g.Normal, x, z, normal)
				}
				if math.Abs(math.Cos(g.Slope)-g.Normal[1]) > 1e-12 || g.Error != 0 || g.Level != 0 {
					t.Fatalf("%s, %s: %+v", name, from, g)
				}
			}
			if found < 5000 || none < 300 {
				t.Errorf("%s, %s: %d points with ground, %d without: not both were tested", name, from, found, none)
			}
		}
	}
}

// TestNoGround: what is no place has none.
func TestNoGround(t *testing.T) {
	w := rough(97, 65, 0, 1)
	for from, s := range sources(t, w) {
		for _, p := range [][2]float64{
			{math.NaN(), originZ}, {originX, math.Inf(1)}, {originX - 1e-9, originZ}, {originX + 960.001, originZ},
			{-1e300, 1e300},
		} {
			if y, ok := s.height(p[0], p[1]); ok {
				t.Errorf("%s: ground of %g m at %v", from, y, p)
			}
		}
		for _, r := range []query.Ray{
			{}, {Origin: [3]float64{originX + 50, 9e3, originZ + 50}},
			{Origin: [3]float64{originX + 50, 9e3, originZ + 50}, Direction: [3]float64{0, 1, 0}},
			{Origin: [3]float64{originX + 50, 9e3, originZ + 50}, Direction: [3]float64{0, -1, 0}, Max: 100},
			{Origin: [3]float64{originX + 50, 9e3, originZ + 50}, Direction: [3]float64{0, math.NaN(), 0}},
			{Origin: [3]float64{math.NaN(), 9e3, originZ + 50}, Direction: [3]float64{0, -1, 0}},
			{Origin: [3]float64{originX + 50, 9e3, originZ + 50}, Direction: [3]float64{0, math.Inf(-1), 0}},
			{Origin: [3]float64{originX - 50, 9e3, originZ + 50}, Direction: [3]float64{0, -1, 0}},
		} {
			if h := s.cast(r); h.OK {
				t.Errorf("%s: ray %+v hits %+v", from, r, h)
			}
		}
		for _, size := range []float64{1e-300, 1e-9, 1, 1e300} {
			if h := s.cast(query.Ray{Origin: [3]float64{originX + 50, 9e3, originZ + 50}, Direction: [3]float64{0, -size, 0}}); !h.OK {
				t.Errorf("%s: a direction of length %g hits nothing", from, size)
			}
		}
	}
}

// anyRay starts anywhere around the world and goes anywhere, often along an axis
// or a seam.
func anyRay(rng *rand.Rand, w *testworld.World) query.Ray {
	x, z := point(rng, w)
	r := query.Ray{
		Origin:    [3]float64{x, rng.Float64() * 400, z},
		Direction: [3]float64{rng.NormFloat64(), rng.NormFloat64() * 0.3, rng.NormFloat64()},
	}
	if rng.IntN(3) == 0 {
		r.Origin[0] += rng.NormFloat64() * 3000
	}
	if rng.IntN(4) == 0 {
		r.Origin[1] = -300
	}
	switch rng.IntN(6) {
	case 0:
		r.Direction[0] = 0
	case 1:
		r.Direction[2] = 0
	case 2:
		r.Direction = [3]float64{0, []float64{-1, 1}[rng.IntN(2)], 0}
	}
	if rng.IntN(4) == 0 {
		r.Max = rng.Float64() * 2000
	}
	return r
}

// TestRaysHitTheDrawnTriangles compares with every triangle of the mesh.
func TestRaysHitTheDrawnTriangles(t *testing.T) {
	rays := 400
	if testing.Short() {
		rays = 200
	}
	for name, w := range worlds() {
		full := meshOf(w, 0)
		all := make([]int, len(full.triangles))
		for i := range all {
			all[i] = i
		}
		for from, s := range sources(t, w) {
			rng := rand.New(rand.NewPCG(7, 7))
			hits, misses := 0, 0
			for range rays {
				r := anyRay(rng, w)
				size := math.Sqrt(dot(r.Direction, r.Direction))
				d := [3]float64{r.Direction[0] / size, r.Direction[1] / size, r.Direction[2] / size}
				want, _, ok := full.ray(all, r.Origin, d, 1e-10)
				ok = ok && (r.Max == 0 || want <= r.Max)
				h := s.cast(r)
				if h.OK != ok {
					t.Fatalf("%s, %s: %+v: %+v, should hit %v at %g", name, from, r, h, ok, want)
				}
				if !ok {
					misses++
					continue
				}
				hits++
				if math.Abs(h.Distance-want) > 1e-6 {
					t.Fatalf("%s, %s: %+v: %+v, should hit at %g", name, from, r, h, want)
				}
				if y, _ := s.height(h.Position[0], h.Position[2]); math.Abs(y-h.Position[1]) > 1e-5 {
					t.Fatalf("%s, %s: %+v hits at %v, the ground is at %g", name, from, r, h.Position, y)
				}
				// Where triangles are a little smaller, the first is another one at an edge.
				if again, n, _ := full.ray(all, r.Origin, d, -1e-6); math.Abs(again-want) < 1e-6 && distance(h.Normal, n) > 1e-9 {
					t.Fatalf("%s, %s: %+v: normal %v, want %v", name, from, r, h.Normal, n)
				}
			}
			if w.Width > 3 && (hits < rays/8 || misses < rays/20) {
				t.Errorf("%s, %s: %d hits, %d misses: not both were tested", name, from, hits, misses)
			}
		}
	}
}

// TestNoRayPassesBetweenTriangles aims at samples, edges and seams from anywhere
// above.
func TestNoRayPassesBetweenTriangles(t *testing.T) {
	rays := 20000
	if testing.Short() {
		rays = 2000
	}
	for _, name := range []string{"whole", "padded", "far"} {
		w, below := worlds()[name], 1e-9 // ground: not over a ridge
		if name == "far" {
			w, below = testworld.New(testworld.Rough(97, 65, 1), 33, 1e7, -1e7), 1e-6
		}
		for from, s := range sources(t, w) {
			rng := rand.New(rand.NewPCG(3, 1))
			for range rays {
				x, z := point(rng, w)
				y, ok := s.height(x, z)
				if !ok {
					continue
				}
				o := [3]float64{x + rng.NormFloat64()*500, 2000, z + rng.NormFloat64()*500}
				switch rng.IntN(4) {
				case 0:
					o[0] = x
				case 1:
					o[2] = z
				case 2:
					o[0], o[2] = x, z
				}
				target := [3]float64{x, y - below, z}
				h := s.cast(query.Ray{Origin: o, Direction: sub(target, o)})
				if onRim(w, x, z) {
					continue // it may pass outside, by a rounding
				}
				if !h.OK || h.Distance > distance(o, target)+1e3*below {
					t.Fatalf("%s, %s: from %v to %v, %g m: %+v", name, from, o, target, distance(o, target), h)
				}
			}
		}
	}
}

func onRim(w *testworld.World, x, z float64) bool {
	gx, gz := (x-w.OriginX)/w.Spacing, (z-w.OriginZ)/w.Spacing
	return min(gx, gz, float64(w.Width-1)-gx, float64(w.Height-1)-gz) < 1e-6
}

// TestNormalsSeenFromFar: how far away a ray begins does not count.
func TestNormalsSeenFromFar(t *testing.T) {
	w := rough(97, 65, 0, 1)
	for from, s := range sources(t, w) {
		for _, far := range []float64{1e6, 1e9, 1e12, 1e300} {
			hits := 0
			for i := range 40 {
				o := [3]float64{originX + far, float64(i), originZ + 203.7}
				h := s.cast(query.Ray{Origin: o, Direction: [3]float64{-1, 0, 0}})
				if !h.OK {
					continue
				}
				hits++
				if size := math.Sqrt(dot(h.Normal, h.Normal)); !(math.Abs(size-1) < 1e-12) || !(h.Normal[1] > 0) {
					t.Fatalf("%s: from %v: normal %v", from, o, h.Normal)
				}
				near := s.cast(query.Ray{Origin: [3]float64{originX + 2000, o[1], o[2]}, Direction: [3]float64{-1, 0, 0}})
				if far < 1e8 && distance(near.Normal, h.Normal) > 1e-12 {
					t.Fatalf("%s: from %v: normal %v, from near by %v", from, o, h.Normal, near.Normal)
				}
			}
			if far < 1e8 && hits < 10 {
				t.Errorf("%s: %d hits from %g m: nothing was tested", from, hits, far)
			}
		}
	}
}

// TestLoadedLevels: what is loaded is drawn, and off by no more than is said.
func TestLoadedLevels(t *testing.T) {
	for name, w := range worlds() {
		full := meshOf(w, 0)
		for l := range terrain.Level(w.Layout().Levels) {
			drawn, s := meshOf(w, l), fromMemory{loadedOf(w, level(l))}
			rng := rand.New(rand.NewPCG(uint64(l), 4))
			worst, bound := 0.0, 0.0
			for range 3000 {
				x, z := point(rng, w)
				want, _, ok := drawn.height(x, z, 1e-12)
				g := s.at(x, z)
				if g.OK != ok || ok && (math.Abs(g.Height-want) > 1e-3 || g.Level != l) {
					t.Fatalf("%s level %d at %g, %g: %+v, drawn %v at %g", name, l, x, z, g, ok, want)
				}
				if truth, _, known := full.height(x, z, 1e-12); known && ok {
					if math.Abs(truth-g.Height) > g.Error+1e-6 {
						t.Fatalf("%s level %d at %g, %g: %g m with an error of %g, is %g", name, l, x, z, g.Height, g.Error, truth)
					}
					worst, bound = max(worst, math.Abs(truth-g.Height)), max(bound, g.Error)
				}
			}
			if l > 0 && w.Width > 3 && worst < bound/4 {
				t.Errorf("%s level %d: off by %g at most, %g allowed: nothing was tested", name, l, worst, bound)
			}
		}
	}
}

// TestRaysCrossMixedLevels: a ray from above the land to below it hits, whatever
// is loaded where.
func TestRaysCrossMixedLevels(t *testing.T) {
	rays := 40000
	if testing.Short() {
		rays = 4000
	}
	for _, name := range []string{"whole", "padded"} {
		w := worlds()[name]
		rng := rand.New(rand.NewPCG(9, 2))
		steps := 0
		var l *query.Loaded
		for i := range rays {
			if i%500 == 0 {
				mix := map[terrain.Key]terrain.Level{}
				for k := range w.Infos {
					mix[k] = terrain.Level(rng.IntN(w.Layout().Levels))
				}
				l = loadedOf(w, func(k terrain.Key) terrain.Level { return mix[k] })
			}
			// From one place on the rim of the box to another, both well inside.
			in := func() (x, z float64) {
				x = w.OriginX + (0.01+0.98*rng.Float64())*float64(w.Width-1)*w.Spacing
				z = w.OriginZ + (0.01+0.98*rng.Float64())*float64(w.Height-1)*w.Spacing
				return x, z
			}
			ax, az := in()
			bx, bz := in()
			if i%2 == 0 { // along a seam, nearly
				seam := w.OriginX + 32*w.Spacing
				ax, bx = seam-1e-3*rng.Float64(), seam+1e-3*rng.Float64()
			}
			a, b := [3]float64{ax, 400, az}, [3]float64{bx, -200, bz}
			h := l.Cast(query.Ray{Origin: a, Direction: sub(b, a)})
			if !h.OK || h.Position[1] > 400 || h.Position[1] < -200 {
				t.Fatalf("%s: from %v to %v: %+v", name, a, b, h)
			}
			if y, _ := l.Height(h.Position[0], h.Position[2]); math.Abs(y-h.Position[1]) > 1e-3 {
				steps++
			}
		}
		t.Logf("%s: %d of %d rays hit a step between levels", name, steps, rays)
		if steps < rays/2000 {
			t.Errorf("%s: %d rays hit a step between levels: nothing was tested", name, steps)
		}
	}
}
