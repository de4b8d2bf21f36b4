package raster_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// TestPlan: rows are those of the whole field, in any order and window, and what
// is said of them beforehand is true.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		file string
		o    raster.Options
	}{
		{"png16/d_n44w072_500x333.png", raster.Options{Spacing: 3}},
		{"terrain-rgb/d_etopo1_361x181.png", raster.Options{Encoding: raster.Mapbox}},
		{"terrarium/loadersgl_terrarium.png", raster.Options{Encoding: raster.Terrarium}},
		{"raw16/d_fuji_129_f32le.r32", raster.Options{Raw: "129x129,f32le"}},
		{"raw16/d_n44w072_513_u16le.raw", raster.Options{Raw: "513x513,u16le", Range: &[2]float64{-3, 320.574}}},
		{"asc/d_wrapped_tabs.asc", raster.Options{}},
		{"hgt/d_N46W122.hgt.gz", raster.Options{Voids: raster.VoidsFill}},
		{"hgt/d_N46W122.hgt.gz", raster.Options{Voids: raster.VoidsHole}},
	} {
		t.Run(c.file+string(c.o.Voids), func(t *testing.T) {
			t.Parallel()
			path := shared.Path(t, "data", c.file)
			whole, err := raster.Open(path, c.o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := openReader(t, path, c.o).Plan()
			if err != nil {
				t.Fatal(err)
			}
			compareGrids(t, p, whole)
			compareRows(t, p, whole)
		})
	}
}

func compareGrids(t *testing.T, p *raster.Plan, whole *raster.Source) {
	t.Helper()
	got, want := p.Grid(), whole.Field.Grid()
	if p.Filled != whole.Filled || got.MaxError != whole.MaxError {
		t.Errorf("%d filled and %v m off, want %d and %v", p.Filled, got.MaxError, whole.Filled, whole.MaxError)
	}
	// Rounded heights, and those that were made, have another mean.
	if d := math.Abs(got.Mean - want.Mean); p.Filled == 0 && d > got.MaxError/2+1e-9*math.Abs(want.Mean) {
		t.Errorf("mean %v, want %v", got.Mean, want.Mean)
	}
	got.Mean, got.MaxError = want.Mean, want.MaxError
	if !reflect.DeepEqual(got, want) {
		t.Errorf("grid %+v, want %+v", got, want)
	}
}

// compareRows reads windows of rows: forward with an overlap, then anywhere.
func compareRows(t *testing.T, p terrain.RowReader, whole *raster.Source) {
	t.Helper()
	w, h := whole.Width, whole.Height
	var at []int
	for z := 0; z < h; z += 40 {
		at = append(at, max(0, z-7))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		at = append(at, rng.IntN(h))
	}
	for k, z := range at {
		n := min(47, h-z)
		heights := make([]int32, n*w)
		var void []bool
		if k%3 > 0 {
			void = slices.Repeat([]bool{true}, n*w)
		}
		if err := p.ReadRows(z, heights, void); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(heights, whole.Samples[z*w:(z+n)*w]) {
			t.Fatalf("rows %d to %d differ", z, z+n-1)
		}
		for k, v := range void {
			if v != (whole.Void != nil && whole.Void[z*w+k]) {
				t.Fatalf("sample %d,%d is a hole: %v", k%w, z+k/w, v)
			}
		}
	}
}

// TestPlanMemory: the memory of a plan does not grow with its raster.
func TestPlanMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 128 MB twice")
	}
	path := zeros(t, 16<<10, 4<<10, 2)
	var said int64
	n := allocated(func() {
		p, err := openReader(t, path, raster.Options{Raw: "16384x4096,u16le"}).Plan()
		if err != nil {
			t.Fatal(err)
		}
		said = p.Memory()
		row := make([]int32, 16<<10)
		for z := range 4 << 10 {
			if err := p.ReadRows(z, row, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n > 40<<20 || int64(n) > said+said/8 {
		t.Errorf("%d bytes allocated, %d said", n, said)
	}
}

// zeros returns a file of w×h numbers of so many bytes, all 0.
func zeros(t *testing.T, w, h, bytes int64) string {
	t.Helper()
	path := write(t, "zeros.raw", nil)
	if err := os.Truncate(path, w*h*bytes); err != nil {
		t.Fatal(err)
	}
	return path
}

// A plan reads any rows as whole quanta, without the others in memory.
func ExampleReader_Plan() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "heights.asc")
	text := "ncols 3 nrows 2 xllcorner 0 yllcorner 0 cellsize 50 NODATA_value -1\n10.5 11 12\n-1 13.5 14"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		panic(err)
	}

	r, err := raster.OpenReader(context.Background(), path, raster.Options{Voids: raster.VoidsHole})
	if err != nil {
		panic(err)
	}
	defer r.Close()
	p, err := r.Plan()
	if err != nil {
		panic(err)
	}
	g := p.Grid()
	heights, holes := make([]int32, g.Width), make([]bool, g.Width)
	if err := p.ReadRows(1, heights, holes); err != nil {
		panic(err)
	}
	fmt.Printf("%d×%d samples, %d hole; the last is %.1f m, the first a hole: %v\n", g.Width, g.Height, g.Holes, float64(heights[2])*g.Quantum, holes[0])
	// Output: 3×2 samples, 1 hole; the last is 14.0 m, the first a hole: true
}
