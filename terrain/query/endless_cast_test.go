package query_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/query"
)

// again is ground that is the same every 128 samples, so that it can be looked at anywhere.
type again struct{ heights [128 * 128]int32 }

func newAgain() *again {
	g := &again{}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range g.heights {
		x, z := float64(i%128), float64(i/128)
		wave := math.Sin(2*math.Pi*x/64) + math.Cos(2*math.Pi*z/128)
		g.heights[i] = int32(100*wave) + rng.Int32N(40)
	}
	return g
}

func (g *again) Bounds() terrain.Bounds { return terrain.Bounds{Min: -400, Max: 400} }

func (g *again) Heights(heights []int32, x, z int64, columns int) {
	for i := range heights {
		heights[i] = g.heights[(z+int64(i/columns))&127*128+(x+int64(i%columns))&127]
	}
}

// corners are tiles near which rays are cast, in multiples of four tiles: where the ground
// of again is the same.
var corners = []terrain.Key{
	{X: 0, Y: 0}, {X: -4, Y: -4}, {X: 1 << 20, Y: -1 << 24}, {X: math.MinInt32, Y: math.MinInt32}, {X: math.MaxInt32 - 3, Y: math.MaxInt32 - 3}, {X: math.MinInt32, Y: math.MaxInt32 - 3},
}

// patch is 4×4 tiles of 33² samples of an endless world at a corner, all else holes.
type patch struct {
	corner  terrain.Key
	world   *terrain.World
	exact   *query.EndlessSampler
	loaded  *query.Loaded
	x, z    float64 // metres of its north-west
	source  *endless.Source
	coarser terrain.Level // of every second tile
}

func newPatch(t testing.TB, corner terrain.Key, coarser terrain.Level) *patch {
	t.Helper()
	inside := func(k terrain.Key) bool {
		x, z := int64(k.X)-int64(corner.X), int64(k.Y)-int64(corner.Y)
		return x >= 0 && z >= 0 && x < 4 && z < 4
	}
	src, err := endless.New(newAgain(), endless.Options{TileSize: 33, Spacing: 4, Quantum: 0.25, Has: inside})
	if err != nil {
		t.Fatal(err)
	}
	p := &patch{corner: corner, world: src.World(), source: src, exact: query.NewEndlessSampler(src), loaded: query.NewEndless(src.World(), 5)}
	p.x, p.z = float64(corner.X)*128, float64(corner.Y)*128
	for i := range int32(16) {
		k := terrain.Key{X: corner.X + i%4, Y: corner.Y + i/4}
		level := terrain.Level(0)
		if (i+i/4)%2 == 1 {
			level = coarser
		}
		tile, err := src.ReadTile(nil, k, level)
		if err != nil {
			t.Fatal(err)
		}
		p.loaded.Publish(k, tile)
	}
	return p
}

// rays returns rays over a patch at the origin: down, low, up, along axes and seams, from
// inside, above and far outside.
func rays(n int) (list []query.Ray) {
	rng := rand.New(rand.NewPCG(8, 9))
	at := func() [3]float64 {
		return [3]float64{rng.Float64() * 512, rng.Float64()*300 - 100, rng.Float64() * 512}
	}
	for i := range n {
		r := query.Ray{Origin: at()}
		to := at()
		switch i % 6 {
		case 0:
			r.Origin[1], r.Direction = 200, [3]float64{0, -1, 0}
		case 1:
			r.Origin = [3]float64{-3000 * rng.Float64(), 500, 700}
		case 2:
			r.Origin[0], r.Direction = 128*float64(rng.IntN(5)), [3]float64{0, -0.01, 1}
		case 3:
			r.Direction = [3]float64{1, 0, 0}
		case 4:
			r.Max = 50
		}
		if r.Direction == [3]float64{} {
			for a := range to {
				r.Direction[a] = to[a] - r.Origin[a]
			}
		}
		list = append(list, r)
	}
	return list
}

// TestEndlessCast casts the same rays at the origin and as far from it as tiles go: they
// hit the same, at full resolution and among what is loaded, which is where the ground is,
// and nothing before that.
func TestEndlessCast(t *testing.T) {
	list := rays(600)
	var want []query.Hit
	for _, corner := range corners {
		p := newPatch(t, corner, 0)
		hits := 0
		for i, r := range list {
			r.Origin[0] += p.x
			r.Origin[2] += p.z
			exact, err := p.exact.Cast(r)
			if err != nil {
				t.Fatal(err)
			}
			loaded := p.loaded.Cast(r)
			if exact != loaded && (!exact.OK || !loaded.OK || math.Abs(exact.Distance-loaded.Distance) > 1e-9) {
				t.Fatalf("%v: ray %d hits %+v, of what is loaded %+v", corner, i, exact, loaded)
			}
			p.judge(t, r, exact)
			at := exact
			at.Position[0] -= p.x
			at.Position[2] -= p.z
			at.Tile = terrain.Key{}
			if len(want) <= i {
				want = append(want, at)
			}
			// Far away origins are whole numbers of half a millimetre.
			if at.OK != want[i].OK || math.Abs(at.Distance-want[i].Distance) > 0.02 {
				t.Fatalf("%v: ray %d hits %+v, at the origin %+v", corner, i, at, want[i])
			}
			if exact.OK {
				hits++
			}
		}
		if hits < 200 || hits > 500 {
			t.Errorf("%v: %d rays hit", corner, hits)
		}
	}
}

// judge looks at the ground along a ray: it is at the hit, and on one side before it.
func (p *patch) judge(t *testing.T, r query.Ray, h query.Hit) {
	t.Helper()
	if h.OK {
		y, ok, err := p.exact.Height(h.Position[0], h.Position[2])
		if err != nil || ok && math.Abs(y-h.Position[1]) > 0.05 {
			t.Fatalf("%+v hits %+v, where the ground is at %g: %v", r, h, y, err)
		}
	}
	length := math.Sqrt(r.Direction[0]*r.Direction[0] + r.Direction[1]*r.Direction[1] + r.Direction[2]*r.Direction[2])
	end := 1500.0
	if h.OK {
		end = h.Distance - 0.1
	} else if r.Max > 0 {
		end = r.Max
	}
	before := 0.0
	for at := 0.0; at < end; at += 1.7 {
		s := at / length
		y, ok, err := p.exact.Height(r.Origin[0]+s*r.Direction[0], r.Origin[2]+s*r.Direction[2])
		above := r.Origin[1] + s*r.Direction[1] - y
		if err != nil || ok && above*before < 0 && min(math.Abs(above), math.Abs(before)) > 0.1 {
			t.Fatalf("%+v hits %+v, but crosses the ground before %g m: %v", r, h, at, err)
		}
		if before = above; !ok {
			before = 0
		}
	}
}

// TestEndlessSteps casts rays where neighbours have different levels: the step between
// them is hit, on all sides of the world.
func TestEndlessSteps(t *testing.T) {
	list := rays(600)
	var want []query.Hit
	coarse := 0
	for _, corner := range corners {
		p := newPatch(t, corner, 2)
		for i, r := range list {
			r.Origin[0] += p.x
			r.Origin[2] += p.z
			h := p.loaded.Cast(r)
			coarse += int(h.Level)
			if len(want) <= i {
				want = append(want, h)
			}
			if h.OK != want[i].OK || math.Abs(h.Distance-want[i].Distance) > 0.02 {
				t.Fatalf("%v: ray %d hits %+v, at the origin %+v", corner, i, h, want[i])
			}
		}
	}
	if coarse == 0 {
		t.Error("no coarse tile was hit")
	}
}

// TestEndlessCastEnds casts rays that meet no tile: they end.
func TestEndlessCastEnds(t *testing.T) {
	asked := 0
	src, err := endless.New(newAgain(), endless.Options{TileSize: 33, Spacing: 4, Quantum: 0.25, Has: func(terrain.Key) bool { asked++; return false }})
	if err != nil {
		t.Fatal(err)
	}
	exact, loaded := query.NewEndlessSampler(src), query.NewEndless(src.World(), 8)
	for _, r := range []query.Ray{
		{Direction: [3]float64{1, 0, 0.3}}, {Direction: [3]float64{0, 1, 0}}, {Origin: [3]float64{0, 1e6, 0}, Direction: [3]float64{0, 1, 0}}, {Origin: [3]float64{0, 1e6, 0}, Direction: [3]float64{1, 1e-9, 1}},
		{Origin: [3]float64{1e300, 0, -1e300}, Direction: [3]float64{1, 0, 1}}, {Origin: [3]float64{math.NaN(), 0, 0}, Direction: [3]float64{1, 0, 1}}, {Origin: [3]float64{-2.7e11, 0, 0}, Direction: [3]float64{-1, 0, 0}},
		{Direction: [3]float64{1e-300, -1, 1e-200}}, {},
	} {
		asked = 0
		if h, err := exact.Cast(r); h.OK || err != nil || asked > 3*4097 {
			t.Errorf("%+v: %+v, %v, %d tiles asked for", r, h, err, asked)
		}
		if h := loaded.Cast(r); h.OK {
			t.Errorf("%+v: %+v", r, h)
		}
	}
}

func TestEndlessCastDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p := newPatch(t, terrain.Key{}, 2)
	list := rays(60)
	if n := testing.AllocsPerRun(20, func() {
		for _, r := range list {
			p.loaded.Cast(r)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEndlessCast asks 16 tiles of which there is room for 4096.
func BenchmarkEndlessCast(b *testing.B) {
	p := newPatch(b, terrain.Key{}, 0)
	l := query.NewEndless(p.world, 64)
	for i := range int32(16) {
		tile, err := p.source.ReadTile(nil, terrain.Key{X: i % 4, Y: i / 4}, 0)
		if err != nil {
			b.Fatal(err)
		}
		l.Publish(tile.Info.Key, tile)
	}
	list := rays(60)
	for i := 0; b.Loop(); i++ {
		l.Cast(list[i%len(list)])
	}
}
