package lodcpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// seesPlainly is what [lodcpu.Frustum.Sees] is measured against: each plane with the
// corner of the box that lies farthest along its normal.
func seesPlainly(v *lodcpu.View, lo, hi mgl64.Vec3) bool {
	for _, n := range v.Frustum().Planes() {
		d := 0.0
		for i := range 3 {
			if n[i] > 0 {
				d += n[i] * (hi[i] - v.Eye[i])
			} else {
				d += n[i] * (lo[i] - v.Eye[i])
			}
		}
		if d < 0 {
			return false
		}
	}
	return true
}

// TestTileSetSeesWhatTheFrustumSees: tiles come, change and go, and of each the set says
// what the frustum says of its box, and needs the level that the law needs.
func TestTileSetSeesWhatTheFrustumSees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	w := testworld.New(testworld.Rough(321, 257, 4), 17, 700, -4000)
	keys := lodtest.Whole(w).Levels
	set := lodcpu.NewTileSet(&w.World)
	var infos []*terrain.TileInfo
	for k := range keys {
		infos = append(infos, w.Infos[k])
	}
	there := make([]*terrain.TileInfo, len(infos)+20)
	seen, left := 0, 0
	for range 300 {
		for range 1 + rng.IntN(60) {
			n := rng.IntN(len(there))
			if there[n] != nil && rng.IntN(2) == 0 {
				set.Remove(n)
				there[n] = nil
				continue
			}
			info := *infos[rng.IntN(len(infos))]
			info.Max += int32(rng.IntN(100))
			set.Put(n, &info)
			there[n] = &info
		}
		v := lodtest.View(w, rng, 2)
		law, f := v.Law(&w.World), v.Frustum()
		set.Look(&f)
		for n, info := range there {
			if info == nil {
				continue
			}
			lo, hi := law.Bounds(w.Layout(), info)
			want := f.Sees(lo, hi)
			if got := set.Sees(n); got != want || want != seesPlainly(v, lo, hi) {
				t.Fatalf("view %+v, tile %v: seen %v, in the set %v, plainly %v", *v, info.Key, want, got, seesPlainly(v, lo, hi))
			}
			if got, want := set.Needs(n, &law, info), law.Needs(w.Layout(), info); got != want {
				t.Fatalf("view %+v, tile %v: needs level %d, in the set %d", *v, info.Key, want, got)
			}
			if want {
				seen++
			} else {
				left++
			}
		}
	}
	if seen < 1000 || left < 1000 {
		t.Errorf("%d seen, %d not", seen, left)
	}
}

// TestTouchingBoxes: boxes whose corners lie on the planes of a view, where rounding
// decides, are seen or not as before.
func TestTouchingBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	seen := 0
	for range 20000 {
		v := anyView(rng)
		f := v.Frustum()
		n := f.Planes()[rng.IntN(4)]
		along := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		on := v.Eye.Add(along.Sub(n.Mul(along.Dot(n) / n.Dot(n))).Mul(300))
		lo, hi := on, on
		for i := range 3 {
			if size := rng.Float64() * 100; n[i] > 0 {
				lo[i] -= size
			} else {
				hi[i] += size
			}
		}
		got, want := f.Sees(lo, hi), seesPlainly(v, lo, hi)
		if got != want {
			t.Fatalf("view %+v, box %v %v: %v, want %v", *v, lo, hi, got, want)
		}
		if got {
			seen++
		}
	}
	if seen < 500 || seen > 19500 {
		t.Errorf("%d of 20000 seen", seen)
	}
}

func TestTileSetAllocatesNothing(t *testing.T) {
	w := testworld.New(testworld.Rough(129, 129, 4), 17, 0, 0)
	set := lodcpu.NewTileSet(&w.World)
	n := 0
	for k := range lodtest.Whole(w).Levels {
		set.Put(n, w.Infos[k])
		n++
	}
	v := lodcpu.View{Eye: mgl64.Vec3{500, 300, 500}, FovY: 1, Width: 100, Height: 80, Tau: 1}
	if a := testing.AllocsPerRun(20, func() {
		f := v.Frustum()
		set.Look(&f)
		for i := range n {
			set.Sees(i)
		}
		set.Remove(3)
		set.Put(3, w.Infos[terrain.Key{}])
	}); a > 0 {
		t.Errorf("%v allocations", a)
	}
}

// TestTileSetOfAFlight: over land without end, what is left behind takes no memory.
func TestTileSetOfAFlight(t *testing.T) {
	w := testworld.New(testworld.Rough(129, 129, 4), 17, 0, 0)
	set := lodcpu.NewTileSet(&w.World)
	const ahead = 40
	for x := range int32(4000) {
		set.Put(int(x)%ahead, &terrain.TileInfo{Key: terrain.Key{X: x - 2000, Y: -x}})
	}
	if n := set.Groups(); n > ahead {
		t.Errorf("%d groups of %d tiles", n, ahead)
	}
}

// TestTileSetExtremes: tiles at the ends of the numbers of tiles, with nothing but holes or of
// any height: what the frustum sees the set sees, and more only of holes.
func TestTileSetExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 19))
	w := testworld.New(testworld.Rough(129, 129, 4), 17, 1e7, -1e7)
	w.World.Endless = true
	side := float64(w.Layout().Cells) * w.Spacing
	lodcpu.NewTileSet(&w.World).Remove(1000) // that never was
	seen := 0
	for range 3000 {
		set := lodcpu.NewTileSet(&w.World)
		base := []int64{0, math.MaxInt32, math.MinInt32}[rng.IntN(3)]
		number := func() int32 {
			return int32(min(max(base+int64(rng.IntN(9)-4), math.MinInt32), math.MaxInt32))
		}
		infos := make([]*terrain.TileInfo, 1+rng.IntN(20))
		for i := range infos {
			info := &terrain.TileInfo{Key: terrain.Key{X: number(), Y: number()}, Min: int32(rng.IntN(300))}
			info.Max = info.Min + int32(rng.IntN(400))
			switch rng.IntN(6) {
			case 0:
				info.Min, info.Max = math.MaxInt32, math.MinInt32
			case 1:
				info.Min, info.Max = math.MinInt32, math.MaxInt32
			}
			infos[i] = info
			set.Put(i, info)
		}
		at := infos[rng.IntN(len(infos))].Key
		off := func() float64 { return rng.NormFloat64() * side * 3 }
		v := &lodcpu.View{
			Eye: mgl64.Vec3{w.OriginX + float64(at.X)*side + off(), off(), w.OriginZ + float64(at.Y)*side + off()},
			Yaw: rng.Float64() * 7, Pitch: rng.Float64()*3 - 1.5, FovY: 0.1 + rng.Float64()*2, Width: 1 + rng.IntN(2000), Height: 1 + rng.IntN(1000), Tau: 1,
		}
		law, f := v.Law(&w.World), v.Frustum()
		set.Look(&f)
		for i, info := range infos {
			lo, hi := law.Bounds(w.Layout(), info)
			got, want := set.Sees(i), f.Sees(lo, hi)
			if got != want && (want || info.Min <= info.Max) {
				t.Fatalf("view %+v, tile %+v: seen %v, in the set %v", *v, *info, want, got)
			}
			if got, want := set.Needs(i, &law, info), law.Needs(w.Layout(), info); got != want {
				t.Fatalf("tile %+v: needs level %d, in the set %d", *info, want, got)
			}
			if want {
				seen++
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d seen", seen)
	}
}
