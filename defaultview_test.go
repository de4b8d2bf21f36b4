package vkterrain_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/terrain"
)

// TestDefaultView: a peak at the far rim is in the picture with sky above it, whatever the
// relief and the picture's shape; all of a tall world's box is.
func TestDefaultView(t *testing.T) {
	for _, relief := range []int32{0, 1, 100, 1500, 2400, 3000, 5000, 10_000, 40_000, 1_000_000} {
		for _, size := range [][2]int{{1280, 720}, {256, 256}, {300, 900}, {1, 1}, {4000, 10}} {
			for _, wide := range [][2]int{{513, 513}, {1025, 129}, {129, 1025}} {
				w := &terrain.World{Width: wide[0], Height: wide[1], Spacing: 20, Quantum: 1, Min: 300, Max: 300 + relief, OriginX: 5e5, OriginZ: -3e6, TileSize: 129}
				v := vkterrain.DefaultView(w, size[0], size[1])
				if err := v.Check(); err != nil {
					t.Fatal(err)
				}
				sx, sz := 20*float64(w.Width-1), 20*float64(w.Height-1)
				sin, cos := math.Sincos(v.Pitch)
				up, ahead := mgl64.Vec3{0, cos, sin}, mgl64.Vec3{0, sin, -cos}
				for i := range 8 {
					x, y, z := float64(i&1), float64(i>>1&1), float64(i>>2)
					p := mgl64.Vec3{w.OriginX + x*sx, 300 + y*float64(relief), w.OriginZ + z*sz}.Sub(v.Eye)
					depth := p.Dot(ahead) * math.Tan(v.FovY/2)
					across, high := p[0]/depth*float64(size[1])/float64(size[0]), p.Dot(up)/depth
					tall := float64(relief) > 0.25*max(sx, sz)
					if far := y == 1 && z == 0; far && !(high < 0.95 && high > -1) || tall && !(depth > 0 && math.Abs(across) < 0.95 && math.Abs(high) < 0.95) {
						t.Errorf("relief of %d m, %v samples, %v pixels: corner %v %v %v is at %.2f, %.2f of the picture", relief, wide, size, x, y, z, across, high)
					}
				}
			}
		}
	}
}
