package vkterrain_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/lodcpu/props"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/vk/vktest"
)

// within returns the instances that are so near a place, sorted by place.
func within(list []props.Instance, x, z, reach float64) (near []props.Instance) {
	for _, i := range list {
		if math.Hypot(i.Position[0]-x, i.Position[2]-z) < reach {
			near = append(near, i)
		}
	}
	slices.SortFunc(near, func(a, b props.Instance) int { return slices.Compare(a.Position[:], b.Position[:]) })
	return near
}

// TestEndlessProps puts things on an endless world, at the origin and as far from it as
// there are tiles. What stands there follows from the place alone, whatever way the eye
// came; feet are on the ground of the full resolution; and where there is no tile, or none
// is loaded, nothing stands.
func TestEndlessProps(t *testing.T) {
	dev := vktest.Device(t)
	look := &pipeline.Look{}
	side := 32 * 30.0
	for _, at := range []terrain.Key{{X: 0, Y: 0}, {X: -3, Y: 2}, {X: math.MaxInt32 - 2, Y: math.MinInt32 + 2}, {X: math.MinInt32, Y: math.MaxInt32}} {
		hole := terrain.Key{X: at.X, Y: at.Y ^ 1}
		src := endlessSource(t, hillsWithoutEnd(), endless.Options{Has: func(k terrain.Key) bool { return k != hole }})
		exact := query.NewEndlessSampler(src)
		x, z := (float64(at.X)+0.3)*side, (float64(at.Y)+0.4)*side
		ground, ok, err := exact.Height(x, z)
		if err != nil || !ok {
			t.Fatalf("%v: no ground: %v", at, err)
		}
		v := view(x, ground+40, z, 20, -5, 128, 96, 2)
		var first []props.Instance
		for _, from := range []float64{0, 500, -800} {
			s := endlessStage(t, dev, src, vkterrain.Paging{Load: 2000}, vkterrain.Options{Props: stones(), Sync: true})
			for _, part := range []float64{1, 0.5, 0} {
				w := *v
				w.Eye[0] += part * from // out of the world it may fly too
				s.settle(&w, look)
			}
			all := vkterrain.ShownProps(s.ter)
			near := within(all, x, z, 700)
			if first == nil {
				first = near
			}
			if len(near) < 1000 || !slices.Equal(near, first) {
				t.Fatalf("%v: %d things from %g m, %d before", at, len(near), from, len(first))
			}
			if st := s.ter.Stats().Props; st.Instances == 0 || st.Plots == 0 {
				t.Errorf("%v: %+v", at, st)
			}
			for i, p := range near {
				y, ok, err := exact.Height(p.Position[0], p.Position[2])
				if err != nil || !ok || math.Abs(y-p.Position[1]) > 0.02 {
					t.Fatalf("%v: something stands at %v, where the ground is at %g, %t, %v", at, p.Position, y, ok, err)
				}
				if k := src.World().TileAt(p.Position[0], p.Position[2]); k == hole {
					t.Fatalf("%v: something stands at %v, in a hole", at, p.Position)
				}
				if i > 0 && p.Position == near[i-1].Position {
					t.Fatalf("%v: two things at %v", at, p.Position)
				}
			}
		}
	}
}

// TestEndlessPropsComeAndGo flies, with things on ground that is loaded less far than they
// would reach: they stand only where it is, and there are no more of them in the end.
func TestEndlessPropsComeAndGo(t *testing.T) {
	src := endlessSource(t, hillsWithoutEnd(), endless.Options{})
	s := endlessStage(t, vktest.Device(t), src, vkterrain.Paging{Load: 600}, vkterrain.Options{Props: stones()})
	v := view(100, 500, 100, 90, -10, 96, 64, 4)
	most, least := 0, math.MaxInt
	for range 8 {
		for range 12 {
			v.Eye[0] += 60
			s.frame(v, &pipeline.Look{}, false)
			for _, p := range vkterrain.ShownProps(s.ter) {
				if tile := s.ter.Streaming().Tile(src.World().TileAt(p.Position[0], p.Position[2])); tile == nil || tile.Loaded > 10 {
					t.Fatalf("something stands at %v, where no ground is", p.Position)
				}
			}
		}
		s.settle(v, &pipeline.Look{})
		n := len(vkterrain.ShownProps(s.ter))
		most, least = max(most, n), min(least, n)
	}
	if least < 500 || most > 2*least {
		t.Errorf("%d to %d things", least, most)
	}
}
