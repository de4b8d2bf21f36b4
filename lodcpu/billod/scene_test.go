package billod_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/vkterrain/vkterrain/internal/lodtest"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// land is a world with the measures that bake makes of it.
type land struct {
	*lodtest.Scene // all levels are loaded
	measures       *billod.Measures
}

func newLand(t testing.TB, f *terrain.Field, tile int, originX, originZ float64) *land {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	if _, err := bake.Bake(context.Background(), f, bake.Options{TileSize: tile, Layers: []string{bake.LayerBilLOD}}, path); err != nil {
		t.Fatal(err)
	}
	file, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	l := &land{lodtest.Whole(testworld.New(f, tile, originX, originZ)), billod.NewMeasures(file.Tiles())}
	layout, d := l.Layout(), chunkfile.NewDecoder()
	for k := range l.Infos {
		b := make([]byte, billod.MeasureBytes*layout.Count(0))
		for level := layout.Levels - 1; level >= 0; level-- {
			if err := file.ReadLayer(d, b, k, terrain.Level(level), 0); err != nil {
				t.Fatal(err)
			}
		}
		l.measures.Put(k, b)
	}
	return l
}

// rule returns a rule for the land.
func (l *land) rule(classic bool, th billod.Thresholds) *billod.Rule {
	return billod.NewRule(&l.World.World, classic, th)
}

// refiner returns a new refiner by rule.
func (l *land) refiner(rule *billod.Rule, topology lodcpu.Topology) lodcpu.Refiner {
	if rule.Classic() {
		return billod.NewClassic(l.Layout(), topology, rule, l.measures)
	}
	return billod.New(l.Layout(), topology)
}

// draw draws the land with all levels by a rule.
func (l *land) draw(t testing.TB, rule *billod.Rule, topology lodcpu.Topology, law *lodcpu.Law) (map[[3][2]int]bool, lodcpu.Counts) {
	t.Helper()
	m, c := l.Draw(t, l.refiner(rule, topology), topology, law)
	if n, first := l.Faults(m); n > 0 {
		t.Fatalf("classic %v, %+v: %d faults: %s", rule.Classic(), rule.Thresholds(), n, first)
	}
	return l.Triangles(m), c
}

// deviation returns the largest of all.
func (l *land) deviation() (worst float64) {
	for k := range l.Infos {
		worst = max(worst, billod.LargestDeviation(l.measures.Of(k)))
	}
	return worst
}

// lawOf is the law of a view, and of three in four what culls to it or to another
// view's picture.
func (l *land) lawOf(rng *rand.Rand, v *lodcpu.View) lodcpu.Law {
	law := v.Law(&l.World.World)
	switch rng.IntN(4) {
	case 0:
	case 1:
		other := *v
		other.Yaw += rng.Float64() * 2
		other.Eye[0] += 100 * rng.NormFloat64()
		law.Cull = other.Cull(v.Eye)
	default:
		law.Cull = v.Cull(v.Eye)
	}
	return law
}

// anyThresholds ask for little or for much.
func anyThresholds(rng *rand.Rand) billod.Thresholds {
	return billod.Thresholds{
		Near: max(0, rng.Float64()*300-150), Far: math.Exp2(rng.Float64()*14 - 2), Detail: math.Exp2(rng.Float64()*10 - 3),
		MinimalDepth: rng.IntN(3),
	}
}
