package ogre_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// ramp is a field that rises eastwards and, ten times as steep, northwards.
func ramp(width, height int) *terrain.Field {
	f := &terrain.Field{Width: width, Height: height, Spacing: 2, Quantum: 0.25}
	for z := range height {
		for x := range width {
			f.Samples = append(f.Samples, int32(x-10*z))
		}
	}
	return f
}

func TestFieldRoundTrip(t *testing.T) {
	for _, align := range []ogre.Align{ogre.AlignXZ, ogre.AlignXY, ogre.AlignYZ} {
		f := ramp(33, 33)
		o, err := ogre.FromField(f, ogre.Options{Align: align, Pos: [3]float32{1, 2, 3}, NormalMap: true})
		if err != nil {
			t.Fatal(err)
		}
		if o.Heights[0] != -80 || o.Heights[32] != -72 || o.Heights[32*33] != 0 {
			t.Errorf("%v: the first row is not the south one: %v, %v, %v", align, o.Heights[0], o.Heights[32], o.Heights[32*33])
		}
		o = read(t, write(t, o))
		if o.WorldSize != 64 || o.Align != align || o.Pos != [3]float32{1, 2, 3} || o.MaxBatch != 33 || o.MinBatch != 17 || o.Levels() != 2 {
			t.Errorf("%+v", o.Info)
		}
		for _, quantum := range []float64{0, 0.25} {
			got, e, err := o.Field(quantum)
			if err != nil || e != 0 || !reflect.DeepEqual(got, f) {
				t.Errorf("%v: quantum %v, error %v, %v", align, got.Quantum, e, err)
			}
		}
	}
}

// TestNorth wants north to be where it is in OGRE: towards -Z where the terrain
// is X_Z. Its sample (0, 0) lies at x = -size/2, z = size/2.
func TestNorth(t *testing.T) {
	o, err := ogre.FromField(ramp(9, 9), ogre.Options{NormalMap: true})
	if err != nil {
		t.Fatal(err)
	}
	// The ground rises eastwards and northwards: its normal leans west and south.
	n := o.Maps[0].Pix[3*(4*9+4):]
	if x, y, z := n[0], n[1], n[2]; x > 127 || y < 128 || z < 128 || z-128 < 128-x {
		t.Errorf("normal %d, %d, %d", x, y, z)
	}
	for align, pos := range map[ogre.Align][3]float32{
		ogre.AlignXZ: {10, 7, 20}, ogre.AlignXY: {10, -20, 7}, ogre.AlignYZ: {7, -20, -10},
	} {
		i := ogre.Info{Align: align, WorldSize: 16, Pos: pos}
		if x, z, up := i.Origin(); x != 2 || z != 12 || up != 7 {
			t.Errorf("%v: origin %v, %v, %v", align, x, z, up)
		}
		i.Pos = [3]float32{}
		if i.SetOrigin(2, 12, 7); i.Pos != pos {
			t.Errorf("%v: position %v, want %v", align, i.Pos, pos)
		}
	}
}

func TestPad(t *testing.T) {
	f := ramp(20, 12)
	if _, err := ogre.FromField(f, ogre.Options{}); err == nil || !strings.Contains(err.Error(), "33 next") {
		t.Errorf("20×12 samples: %v", err)
	}
	o, err := ogre.FromField(f, ogre.Options{Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := o.Field(f.Quantum)
	if err != nil || g.Width != 33 || g.Spacing != f.Spacing {
		t.Fatalf("%d samples, %v m apart, %v", g.Width, g.Spacing, err)
	}
	for z := range 33 {
		for x := range 33 {
			if g.At(x, z) != f.At(x, z) {
				t.Fatalf("(%d, %d): %d, want %d", x, z, g.At(x, z), f.At(x, z))
			}
		}
	}
	for _, size := range []int{2, 3, 5, 65, 129} {
		o, err := ogre.FromField(ramp(size, size), ogre.Options{})
		if err != nil {
			t.Errorf("size %d: %v", size, err)
			continue
		}
		if got := read(t, write(t, o)); !reflect.DeepEqual(got, o) {
			t.Errorf("size %d: read otherwise", size)
		}
	}
}

func TestQuantum(t *testing.T) {
	for _, test := range []struct {
		heights []float32
		want    float64 // 0 for an error
	}{
		{[]float32{0, 0, 0, 0}, 1},
		{[]float32{-5, 0, 1000, 3703}, 1},
		{[]float32{12.5, 12.5, 12.5, 12.5}, 0.5},
		{[]float32{-1.25, 0, 3, 4}, 0.25},
		{[]float32{0.1, 0.1, 0.1, 100}, 1.0 / 512},
		{[]float32{0, 1, 2, 100000.5}, 2},
		{[]float32{0.1, 0.1, 0.1, 0.1}, 1.0 / (1 << 19)},
		{[]float32{1 << 24, 1 << 24, 1<<24 + 2, 1<<24 + 2}, 2},
		{[]float32{0, float32(math.NaN()), 0, 0}, 0},
		{[]float32{0, float32(math.Inf(-1)), 0, 0}, 0},
	} {
		o := &ogre.Terrain{Info: ogre.Info{Size: 2, WorldSize: 1, MaxBatch: 2, MinBatch: 2}, Heights: test.heights}
		q, err := o.Quantum()
		if q != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("%v: %v, %v; want %v", test.heights, q, err, test.want)
			continue
		}
		f, e, err := o.Field(0)
		if (err != nil) != (test.want == 0) {
			t.Errorf("%v: %v", test.heights, err)
		}
		if err != nil {
			continue
		}
		if e > q/2 {
			t.Errorf("%v: an error of %v with a unit of %v", test.heights, e, q)
		}
		if lo, hi, _ := f.Stats(); hi-lo > math.MaxUint16 {
			t.Errorf("%v: %d units", test.heights, hi-lo)
		}
	}
	o := &ogre.Terrain{Info: ogre.Info{Size: 2, WorldSize: 1}, Heights: []float32{0, 0, 0, 1e9}}
	for _, q := range []float64{-1, math.NaN(), math.Inf(1), 0.1} {
		if _, _, err := o.Field(q); err == nil {
			t.Errorf("unit %v: no error", q)
		}
	}
}

func TestFieldRefused(t *testing.T) {
	f := ramp(9, 9)
	for name, o := range map[string]ogre.Options{
		"batches 17":          {MaxBatch: 17},
		"batches 5, 9":        {MaxBatch: 5, MinBatch: 9},
		"layers of 1 texture": {Layers: []ogre.Layer{{WorldSize: 1, Textures: []string{"a"}}}},
		"alignment":           {Align: 3},
	} {
		if _, err := ogre.FromField(f, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	f.Spacing = 0
	if _, err := ogre.FromField(f, ogre.Options{}); err == nil {
		t.Error("no spacing: no error")
	}
	if _, err := ogre.FromField(&terrain.Field{Width: 1 << 14, Height: 1 << 14, Spacing: 1, Quantum: 1}, ogre.Options{Pad: true}); err == nil {
		t.Error("size 16385: no error")
	}
	if _, err := ogre.FromField(&terrain.Field{Spacing: 1, Quantum: 1}, ogre.Options{Pad: true}); err == nil {
		t.Error("no samples: no error")
	}
}

// TestFieldOfSamples takes OGRE's terrains through fields and back.
func TestFieldOfSamples(t *testing.T) {
	for _, ref := range references(t) {
		o := read(t, readFile(t, shared.Path(t, "data", ref.File)))
		f, e, err := o.Field(0)
		if err != nil || e != 0 || f.Quantum != 1 {
			t.Fatalf("%s: unit %v, error %v, %v", ref.File, f.Quantum, e, err)
		}
		var heights []float32
		for _, s := range f.Samples {
			heights = append(heights, float32(s))
		}
		if got := sumFloats(heights); got != ref.Heights {
			t.Errorf("%s: the field hashes to %s, want %s", ref.File, got, ref.Heights)
		}
		again, err := ogre.FromField(f, ogre.Options{Pos: o.Pos, MaxBatch: o.MaxBatch, MinBatch: o.MinBatch})
		if err != nil {
			t.Fatal(err)
		}
		if again.Info != o.Info || !slices.Equal(again.Heights, o.Heights) || !slices.Equal(again.Deltas, o.Deltas) || !slices.Equal(again.QuadTree, o.QuadTree) {
			t.Errorf("%s: made again otherwise, %+v", ref.File, again.Info)
		}
	}
}

func ExampleFromField() {
	f := &terrain.Field{Width: 5, Height: 5, Spacing: 10, Quantum: 0.5, Samples: make([]int32, 25)}
	f.Samples[12] = 8 // a hill of 4 m in the middle
	o, err := ogre.FromField(f, ogre.Options{MinBatch: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Levels(), "levels,", o.WorldSize, "m a side")
	fmt.Println("middle:", o.Heights[12], "m")
	// Output:
	// 2 levels, 40 m a side
	// middle: 4 m
}
