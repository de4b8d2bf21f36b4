package billod_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/terrain"
)

// article does the two tests as they are in the article, of a field that is one tile.
type article struct {
	*terrain.Field
	billod.Thresholds
	eye mgl64.Vec3
}

func (a *article) at(x, z int) mgl64.Vec3 {
	return mgl64.Vec3{float64(x) * a.Spacing, float64(a.At(x, z)) * a.Quantum, float64(z) * a.Spacing}
}

// normal returns the unit normal of the ground at a sample.
func (a *article) normal(x, z int) mgl64.Vec3 {
	w, e, n, s := a.at(max(x-1, 0), z), a.at(min(x+1, a.Width-1), z), a.at(x, max(z-1, 0)), a.at(x, min(z+1, a.Height-1))
	return s.Sub(n).Cross(e.Sub(w)).Normalize()
}

// child says whether the child of half a side s around (x, z) is shown, whose parent
// has its centre at (px, pz) and the given depth.
func (a *article) child(x, z, s, px, pz, depth int) bool {
	if depth < a.MinimalDepth {
		return true
	}
	lo, hi := a.at(x-s, z-s), a.at(x+s, z+s)
	for i := z - s; i <= z+s; i++ {
		for j := x - s; j <= x+s; j++ {
			lo[1], hi[1] = min(lo[1], a.at(j, i)[1]), max(hi[1], a.at(j, i)[1])
		}
	}
	closest := mgl64.Vec3{}
	for i := range closest {
		closest[i] = min(max(a.eye[i], lo[i]), hi[i])
	}
	return (closest.Sub(a.eye).Len()-a.Near)/a.Far < 1-a.normal(x, z).Dot(a.normal(px, pz))
}

// vertex says whether the edge vertex at (x, z) is shown between those at ±(dx, dz).
func (a *article) vertex(x, z, dx, dz int) bool {
	middle := a.at(x-dx, z-dz).Add(a.at(x+dx, z+dz)).Mul(0.5)
	return math.Abs(a.at(x, z)[1]-middle[1])*a.Detail > a.at(x, z).Sub(a.eye).Len()
}

// shown returns what the tests want of a node and all below it, whether it is there
// or not: edge vertices, and those that children need at their corners.
func (a *article) shown(x, z, s, depth int, set map[[2]int]bool) {
	for _, d := range [4][2]int{{0, s}, {s, 0}, {0, -s}, {-s, 0}} {
		if a.vertex(x+d[0], z+d[1], d[1], d[0]) {
			set[[2]int{x + d[0], z + d[1]}] = true
		}
	}
	h := s / 2
	if h == 0 {
		return
	}
	for _, d := range [4][2]int{{h, h}, {h, -h}, {-h, -h}, {-h, h}} {
		cx, cz := x+d[0], z+d[1]
		if a.child(cx, cz, h, x, z, depth) {
			set[[2]int{x + 2*d[0], z}], set[[2]int{x, z + 2*d[1]}] = true, true
		}
		a.shown(cx, cz, h, depth+1, set)
	}
}

// closed adds the ancestors of all vertices: what cascades would show. It returns how
// many there are, corners of tiles included.
func closed(set map[[2]int]bool, cells int) int {
	all := map[[2]int]bool{}
	var add func(p [2]int)
	add = func(p [2]int) {
		if p[0] < 0 || p[1] < 0 || p[0] > cells || p[1] > cells || all[p] {
			return
		}
		all[p] = true
		if p[0]%cells == 0 && p[1]%cells == 0 {
			return
		}
		for _, q := range testworld.Parents(p[0], p[1], cells) {
			add(q)
		}
	}
	for p := range set {
		add(p)
	}
	return len(all) + 4
}

// corners returns the vertices of triangles.
func corners(triangles map[[3][2]int]bool) map[[2]int]bool {
	set := map[[2]int]bool{}
	for tri := range triangles {
		set[tri[0]], set[tri[1]], set[tri[2]] = true, true, true
	}
	return set
}

// TestPublishedTests: whatever the tests of the article show is shown, and not much
// more than their cascades would.
func TestPublishedTests(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 2))
	ours, cascades := 0, 0
	for seed := range uint64(4) {
		l := newLand(t, testworld.Rough(129, 129, seed), 129, 0, 0)
		for range 12 {
			th := anyThresholds(rng)
			v := lodtest.View(l.World, rng, 1)
			a := &article{l.Field, th, v.Eye}
			want := map[[2]int]bool{}
			a.shown(64, 64, 64, 0, want)
			rule := l.rule(true, th)
			law := rule.Law(v.Law(&l.World.World))
			triangles, _ := l.draw(t, rule, lodcpu.List, &law)
			got := corners(triangles)
			for p := range want {
				if !got[p] {
					t.Fatalf("%+v from %v: vertex %v is missing", th, v.Eye, p)
				}
			}
			ours, cascades = ours+len(got), cascades+closed(want, 128)
		}
	}
	t.Logf("%d vertices, %d of the tests and their cascades", ours, cascades)
	if ours > 3*cascades || cascades < 10000 {
		t.Errorf("%d vertices where the tests and their cascades show %d", ours, cascades)
	}
}
