package synth_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/synth"
)

// TestShapes looks at a cone and a crater, and freezes their samples.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(side int) (*terrain.Field, error)
		is   map[[2]int][2]float64 // least and greatest height by place, in widths
		sum  string
	}{
		{"cone", synth.Cone, map[[2]int][2]float64{
			{64, 64}: {0.2999, 0.3001}, {0, 0}: {0, 0}, {64, 20}: {0, 0}, {64, 48}: {0.1749, 0.1751}, {80, 64}: {0.1749, 0.1751},
		}, "4fc4be97028ebaa6a8a6ede37d93d5a1e8659c7548e5bb5dab2c411f18bce37f"},
		{"crater", synth.Crater, map[[2]int][2]float64{
			{64, 64}: {-0.051, -0.049}, {83, 64}: {0.01, 0.09}, {45, 64}: {0.01, 0.09}, {64, 83}: {0.01, 0.09}, {64, 45}: {0.01, 0.09},
		}, "f3b30422b465f983d581a0f1700623b2d29b404225250b0c634eb4d1f6e25eed"},
	} {
		f, err := c.of(129)
		if err != nil {
			t.Fatal(err)
		}
		for p, want := range c.is {
			if h := float64(f.At(p[0], p[1])) * f.Quantum / (128 * f.Spacing); h < want[0] || h > want[1] {
				t.Errorf("%s: %v is %g high, want %v", c.name, p, h, want)
			}
		}
		if got := sum(f); got != c.sum {
			t.Errorf("%s: sum %s, want %s", c.name, got, c.sum)
		}
		for _, side := range []int{-1, 0, 1, 1 << 20} {
			if _, err := c.of(side); err == nil {
				t.Errorf("a %s of %d samples", c.name, side)
			}
		}
	}
}
