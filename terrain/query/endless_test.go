package query_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/query"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// TestEndless asks for heights on both sides of the origin of an endless world, on
// seams, and where other tiles have taken a place.
func TestEndless(t *testing.T) {
	g := &synth.Endless{Spacing: 10, Quantum: 0.25, Seed: 7}
	src, err := endless.New(g, endless.Options{TileSize: 17, Spacing: 10, Quantum: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	l := query.NewEndless(src.World(), 5) // room for 8×8
	publish := func(x, y int32) {
		tile, err := src.ReadTile(nil, terrain.Key{X: x, Y: y}, 0)
		if err != nil {
			t.Fatal(err)
		}
		l.Publish(tile.Info.Key, tile)
	}
	for y := int32(-2); y <= 1; y++ {
		for x := int32(-2); x <= 1; x++ {
			publish(x, y)
		}
	}
	sample := func(x, z int64) float64 {
		var h [1]int32
		g.Heights(h[:], x, z, 1)
		return float64(h[0]) * 0.25
	}
	for z := int64(-31); z <= 31; z++ {
		for x := int64(-31); x <= 31; x++ {
			y, ok := l.Height(float64(x)*10, float64(z)*10)
			if !ok || y != sample(x, z) {
				t.Fatalf("sample %d, %d: %v, %t, want %v", x, z, y, ok, sample(x, z))
			}
		}
	}
	if _, ok := l.Height(400, 0); ok {
		t.Error("there is ground where there is no tile")
	}
	publish(6, -2) // where -2, -2 was
	if _, ok := l.Height(-300, -300); ok {
		t.Error("there is ground where another tile has taken the place")
	}
	if y, ok := l.Height(6*160+50, -300); !ok || y != sample(6*16+5, -30) {
		t.Errorf("ground of the other tile: %v, %t", y, ok)
	}
	l.Publish(terrain.Key{X: -2, Y: -2}, nil)
	if _, ok := l.Height(6*160+50, -300); !ok {
		t.Error("taking away what has been replaced took away what replaced it")
	}
	l.Publish(terrain.Key{X: 6, Y: -2}, nil)
	if _, ok := l.Height(6*160+50, -300); ok {
		t.Error("there is ground where a tile was taken away")
	}
}
