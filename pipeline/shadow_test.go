package pipeline_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain/pipeline"
)

// TestShade compares the shadow of a wall with what its height and the sun's say, from
// all sides.
func TestShade(t *testing.T) {
	const n, spacing, high = 65, 10.0, 100.0
	for _, azimuth := range []float64{0, 90, 180, 270, 20, 200, 300} {
		const elevation = 25 * math.Pi / 180
		sun := pipeline.SunFrom(azimuth*math.Pi/180, elevation)
		alongX := math.Abs(sun[0]) > math.Abs(sun[2])
		r := &pipeline.Relief{Width: n, Height: n, Spacing: spacing, Heights: make([]float32, n*n), Normals: make([][2]uint8, n*n)}
		at := func(u, v int) int { // u is across the wall
			if alongX {
				return v*n + u
			}
			return u*n + v
		}
		for v := range n {
			r.Heights[at(n/2, v)] = high
		}
		towards := sun[2]
		if alongX {
			towards = sun[0]
		}
		away := -1
		if towards < 0 {
			away = 1
		}
		low, soft := pipeline.ShadeOf(r, sun)
		for k := 1; k < n/2; k++ {
			far := float64(k) * spacing * math.Hypot(sun[0], sun[2]) / math.Abs(towards)
			want := high - far*math.Tan(elevation)
			i := at(n/2+away*k, n/2)
			if want > 1 && math.Abs(low[i]-want) > 0.2 {
				t.Errorf("azimuth %g: %.0f m behind the wall the shadow is %.2f m high, want %.2f", azimuth, far, low[i], want)
			}
			if want > 1 && math.Abs(soft[i]-0.0047*far) > 0.05 {
				t.Errorf("azimuth %g: %.0f m behind the wall it is %.2f m soft", azimuth, far, soft[i])
			}
			if want < -4 && low[i] > -0.1 {
				t.Errorf("azimuth %g: shadow %.0f m behind the wall", azimuth, far)
			}
			if i = at(n/2-away*k, n/2); low[i] > 0 {
				t.Errorf("azimuth %g: shadow on the side of the sun", azimuth)
			}
		}
	}
}

// TestSunAt: the sun rises in the east, is highest in the south and sets in the west.
func TestSunAt(t *testing.T) {
	if s := pipeline.SunAt(12); math.Abs(s[0]) > 1e-9 || s[2] < 0.3 || math.Abs(math.Asin(s[1])*180/math.Pi-58) > 0.1 {
		t.Errorf("noon: %v", s)
	}
	if s := pipeline.SunAt(6); s[0] < 0.9 || s[1] < 0.1 {
		t.Errorf("morning: %v", s)
	}
	if s := pipeline.SunAt(18); s[0] > -0.9 || s[1] < 0.1 {
		t.Errorf("evening: %v", s)
	}
	if s := pipeline.SunAt(0); s[1] > -0.4 || math.Abs(s.Len()-1) > 1e-9 {
		t.Errorf("midnight: %v", s)
	}
	if s, want := pipeline.SunFrom(math.Pi/2, 0), (mgl64.Vec3{1, 0, 0}); s.Sub(want).Len() > 1e-9 {
		t.Errorf("from the east: %v", s)
	}
}
