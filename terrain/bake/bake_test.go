package bake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
	"github.com/vkterrain/vkterrain/terrain/raster"
)

// baked bakes f into a temporary file and opens it.
func baked(t testing.TB, f terrain.RowReader, o bake.Options) (*chunkfile.Reader, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "world.vkt")
	if _, err := bake.Bake(context.Background(), f, o, path); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, path
}

// TestSamplesSurvive checks every sample of sources of awkward sizes: nothing
// is lost, stretched or moved, and padding repeats the rim.
func TestSamplesSurvive(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {17, 17}, {18, 17}, {16, 33}, {50, 41}, {33, 70}, {3, 90}, {20, 1400}} {
		f := testworld.Rough(size[0], size[1], 7)
		r, _ := baked(t, f, bake.Options{TileSize: 17, OriginX: -5, OriginZ: 12.5})
		w, layout := r.World(), r.World().Layout()
		if w.Width != f.Width || w.Height != f.Height || w.OriginX != -5 || w.OriginZ != 12.5 {
			t.Errorf("%v: world %+v", size, w)
		}
		coefs := terrain.Coefficients(f, layout.Cells, 1)
		d := chunkfile.NewDecoder()
		for _, info := range r.Tiles() {
			tile, err := r.ReadTile(d, info.Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			for id, g := range layout.Grid {
				x, z := int(info.Key.X)*layout.Cells+int(g.X), int(info.Key.Y)*layout.Cells+int(g.Z)
				v := tile.Verts[id]
				if got, want := info.Base+int32(v.Height), f.At(x, z); got != want {
					t.Fatalf("%v: sample %d,%d is %d, want %d", size, x, z, got, want)
				}
				c := terrain.CoefMetres(v.Coef)
				if c < coefs.At(x, z) {
					t.Fatalf("%v: coefficient of %d,%d is %v, below %v", size, x, z, c, coefs.At(x, z))
				}
				level := layout.LevelAt(int(g.X), int(g.Z))
				if !math.IsInf(float64(c), 1) && c > info.Coef[level] {
					t.Fatalf("%v: tile %v level %d: coefficient %v above the tile's %v", size, info.Key, level, c, info.Coef[level])
				}
			}
		}
	}
}

// plain is a field of integers alone, the same on every machine.
func plain(w, h int) *terrain.Field {
	f := &terrain.Field{Width: w, Height: h, Spacing: 30, Quantum: 0.5, Samples: make([]int32, w*h)}
	state := uint32(1)
	for i := range f.Samples {
		state = state*1664525 + 1013904223
		x, z := i%w, i/w
		f.Samples[i] = int32(x*x-z*z)/4 + int32(state>>29) + int32((x/16+z/16)%2*40) - 300
	}
	return f
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBytesDependOnNothingElse: not on workers, not on the run, not on the
// machine (the hash), and not on what was at the path.
func TestBytesDependOnNothingElse(t *testing.T) {
	f := plain(150, 120)
	var first []byte
	for _, workers := range []int{1, 2, 3, 8, 64} {
		_, path := baked(t, f, bake.Options{TileSize: 33, Workers: workers})
		b := bytesOf(t, path)
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
	const want = "7ede9fad1dcb7f52ddbda514f8fcf4f5ac5dd8d329c78b760b14f42cdf204533"
	if got := fmt.Sprintf("%x", sha256.Sum256(first)); got != want {
		t.Errorf("the world hashes to %s, want %s", got, want)
	}
}

// TestBytesIgnoreTheCap: a world is the same whatever memory it is made in, down to
// single tiles of a band, and where bands share no rows with all others.
func TestBytesIgnoreTheCap(t *testing.T) {
	for _, c := range []struct {
		width, height, tile int
		narrow              bool // columns are cut too
	}{{400, 200, 17, true}, {400, 200, 129, true}, {40, 1600, 17, false}} {
		f := testworld.Rough(c.width, c.height, 4)
		f.Void = make([]bool, len(f.Samples))
		for i := range f.Void {
			x, z := i%f.Width, i/f.Width
			f.Void[i] = (x-300)*(x-300)+(z-100)*(z-100) < 900 || x%97 == 0 && z%53 == 0
		}
		var first []byte
		narrow, seen := false, map[[4]int]bool{}
		for limit := int64(1 << 30); ; limit = limit * 31 / 32 {
			o := bake.Options{TileSize: c.tile, Workers: 3, MaxMem: limit}
			rows, columns, block, workers, err := bake.Portions(f, o)
			if err != nil {
				if !strings.Contains(err.Error(), "take a larger cap or smaller tiles") {
					t.Error(err)
				}
				if _, err := bake.Bake(context.Background(), f, o, filepath.Join(t.TempDir(), "w")); err == nil {
					t.Error("baked with less than the least memory")
				}
				break
			}
			if p := [4]int{rows, columns, block, workers}; seen[p] {
				continue
			} else if seen[p] = true; columns < (f.Width-2)/(c.tile-1)+1 {
				narrow = true
			}
			_, path := baked(t, f, o)
			b := bytesOf(t, path)
			if first == nil {
				first = b
			}
			if !bytes.Equal(b, first) {
				t.Errorf("%+v: %d rows of %d tiles in blocks of %d by %d workers give other bytes", c, rows, columns, block, workers)
			}
		}
		if c.narrow && !narrow || len(seen) < 3 {
			t.Errorf("%+v: portions %v", c, seen)
		}
	}
}

// TestThinSky: leaving out what the file derives leaves its vertices as they are. A
// horizon layer wants all samples looked at.
func TestThinSky(t *testing.T) {
	for _, size := range [][2]int{{300, 289}, {289, 300}, {257, 385}} {
		f := testworld.Rough(size[0], size[1], 5)
		whole, _ := baked(t, f, bake.Options{TileSize: 33, Layers: []string{bake.LayerHorizon}})
		thin, _ := baked(t, f, bake.Options{TileSize: 33})
		d := chunkfile.NewDecoder()
		for _, info := range whole.Tiles() {
			a, err := whole.ReadTile(d, info.Key, 0)
			b, err2 := thin.ReadTile(d, info.Key, 0)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if !slices.Equal(a.Verts, b.Verts) {
				t.Fatalf("%v: tile %v differs", size, info.Key)
			}
		}
	}
}

// TestSeamsAgree: what two tiles share is the same in both but for the roots'
// coefficients.
func TestSeamsAgree(t *testing.T) {
	f := testworld.Rough(70, 60, 11)
	r, _ := baked(t, f, bake.Options{TileSize: 17})
	layout, d := r.World().Layout(), chunkfile.NewDecoder()
	seen := map[[2]int]terrain.Vertex{}
	shared := 0
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id, g := range layout.Grid {
			at := [2]int{int(info.Key.X)*layout.Cells + int(g.X), int(info.Key.Y)*layout.Cells + int(g.Z)}
			v := tile.Verts[id]
			v.Height = 0
			if w, ok := seen[at]; ok {
				shared++
				if v != w {
					t.Fatalf("%v is %+v and %+v", at, v, w)
				}
			}
			seen[at] = v
		}
	}
	if shared < 400 {
		t.Errorf("only %d shared vertices", shared)
	}
}

// TestFinestLevelIsCheap: coefficients and normals of the finest level follow
// from its heights, so that of seven attributes' bytes few are stored.
func TestFinestLevelIsCheap(t *testing.T) {
	r, _ := baked(t, testworld.Rough(257, 257, 3), bake.Options{})
	var attrs, samples int64
	for _, info := range r.Tiles() {
		stored, heights := r.LevelBytes(info.Key, 0)
		lo, hi := r.World().Layout().Range(0)
		attrs, samples = attrs+stored-heights, samples+int64(hi-lo)
	}
	if perSample := float64(attrs) / float64(samples); perSample > 1.4 {
		t.Errorf("%.3f bytes of attributes a sample", perSample)
	}
}

func TestRootsAreAlwaysActive(t *testing.T) {
	r, _ := baked(t, testworld.Rough(40, 40, 2), bake.Options{TileSize: 17})
	layout, d := r.World().Layout(), chunkfile.NewDecoder()
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, terrain.Level(layout.Levels-1))
		if err != nil {
			t.Fatal(err)
		}
		roots := 0
		for id, v := range tile.Verts {
			if math.IsInf(float64(terrain.CoefMetres(v.Coef)), 1) {
				roots++
				if g := layout.Grid[id]; int(g.X)%layout.Cells != 0 && int(g.X)*2 != layout.Cells {
					t.Errorf("root at %v", g)
				}
			}
		}
		if roots != 5 {
			t.Errorf("tile %v has %d roots", info.Key, roots)
		}
		for l, c := range info.Coef {
			if math.IsInf(float64(c), 1) || l >= layout.Levels && c != 0 || l > 0 && l < layout.Levels-1 && c < info.Coef[l-1] {
				t.Errorf("tile %v: coefficients %v", info.Key, info.Coef)
			}
		}
	}
}

// field makes a field from a function.
func field(w, h int, at func(x, z int) int32) *terrain.Field {
	f := &terrain.Field{Width: w, Height: h, Spacing: 2, Quantum: 0.5, Samples: make([]int32, w*h)}
	for i := range f.Samples {
		f.Samples[i] = at(i%w, i/w)
	}
	return f
}

func TestFlatAndTiltedPlanes(t *testing.T) {
	for _, c := range []struct{ east, south int32 }{{0, 0}, {4, 0}, {0, -4}, {3, 7}} {
		f := field(40, 33, func(x, z int) int32 { return c.east*int32(x) + c.south*int32(z) })
		r, _ := baked(t, f, bake.Options{TileSize: 17})
		layout, d := r.World().Layout(), chunkfile.NewDecoder()
		rise := [2]float64{float64(c.east) * f.Quantum / f.Spacing, float64(c.south) * f.Quantum / f.Spacing}
		n := math.Sqrt(rise[0]*rise[0] + 1 + rise[1]*rise[1])
		want := terrain.EncodeNormal(-rise[0]/n, 1/n, -rise[1]/n)
		near := func(a, b uint8) bool { return a-b+1 <= 2 } // ties go either way
		for _, info := range r.Tiles() {
			tile, err := r.ReadTile(d, info.Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			for id, v := range tile.Verts {
				x, z := int(info.Key.X)*16+int(layout.Grid[id].X), int(info.Key.Y)*16+int(layout.Grid[id].Z)
				if !near(v.Normal[0], want[0]) || !near(v.Normal[1], want[1]) {
					t.Fatalf("%+v: normal of %d,%d is %v, want %v", c, x, z, v.Normal, want)
				}
				inside := x >= 16 && x < 24 && z >= 16 && z < 17
				if inside && v.Curvature != 128 {
					t.Fatalf("%+v: curvature of %d,%d is %d", c, x, z, v.Curvature)
				}
				if c.east == 0 && c.south == 0 && (v.SkyView != 255 || v.Curvature != 128) {
					t.Fatalf("flat, but %d,%d is %+v", x, z, v)
				}
			}
		}
		if c.east == 0 && c.south == 0 && (r.World().Min != 0 || r.World().Max != 0) {
			t.Errorf("flat, but %+v", r.World())
		}
	}
}

func TestCurvatureOfPeakAndPit(t *testing.T) {
	for _, sign := range []int32{1, -1} {
		f := field(41, 41, func(x, z int) int32 { return -sign * int32((x-20)*(x-20)+(z-20)*(z-20)) / 8 })
		c := bake.Curvature(f, 0, 0, 41, 41)
		if v := int32(c[20*41+20]); (v-128)*sign < 5 {
			t.Errorf("curvature %d where the sign is %d", v, sign)
		}
		if c[20*41+15] != c[20*41+25] || c[15*41+20] != c[25*41+20] {
			t.Error("not symmetric")
		}
	}
}

// nothingIn fails t unless dir is empty.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

func TestCancelLeavesNothing(t *testing.T) {
	f := plain(200, 200)
	dir := t.TempDir()
	path := filepath.Join(dir, "w.vkt")
	for _, at := range []int{0, 1, 5, 30} {
		ctx, cancel := context.WithCancel(context.Background())
		if at == 0 {
			cancel()
		}
		_, err := bake.Bake(ctx, f, bake.Options{TileSize: 17, Workers: 3, Progress: func(phase string, done, total int) {
			if phase == bake.PhaseBake && done >= at {
				cancel()
			}
		}}, path)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at tile %d: %v", at, err)
		}
		nothingIn(t, dir)
	}
}

func TestProgressCountsTiles(t *testing.T) {
	var phases []string
	last := map[string]int{}
	want := map[string]int{bake.PhaseScan: 50, bake.PhaseSample: 16, bake.PhaseBake: 16}
	baked(t, plain(50, 50), bake.Options{TileSize: 17, Progress: func(phase string, done, total int) {
		if total != want[phase] || done <= last[phase] {
			t.Errorf("%s: %d of %d after %d", phase, done, total, last[phase])
		}
		if last[phase] == 0 {
			phases = append(phases, phase)
		}
		last[phase] = done
	}})
	if !maps.Equal(last, want) || !slices.Equal(phases, []string{bake.PhaseScan, bake.PhaseSample, bake.PhaseBake}) {
		t.Errorf("phases %v ended at %v", phases, last)
	}
}

func TestWhatCannotBeBaked(t *testing.T) {
	cliff := field(40, 40, func(x, z int) int32 { return int32(x/20) * 70000 })
	high := field(5, 5, func(x, z int) int32 { return 1 << 24 })
	row := &terrain.Field{Width: 9, Height: 1, Spacing: 1, Quantum: 1, Samples: make([]int32, 9)}
	noSpacing := field(5, 5, func(x, z int) int32 { return 0 })
	noSpacing.Spacing = math.NaN()
	for _, c := range []struct {
		f     *terrain.Field
		size  int
		words string
	}{
		{cliff, 33, "tile 0,0: heights of a tile span more than 16 bits hold (70000 units of 0.5 m, at most 65535): take a height unit of 1 m or more"},
		{high, 17, "take a larger height unit"},
		{row, 17, "at least 2×2"},
		{noSpacing, 17, "spacing of NaN m"},
		{plain(9, 9), 20, "tile size 20"},
	} {
		dir := t.TempDir()
		_, err := bake.Bake(context.Background(), c.f, bake.Options{TileSize: c.size}, filepath.Join(dir, "w.vkt"))
		if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, c.words)
		}
		nothingIn(t, dir)
	}
}

// TestPugetSound bakes real terrain and holds the size of its heights.
func TestPugetSound(t *testing.T) {
	src, err := raster.Open(shared.Path(t, "data/png16/ps_height_1k.png"), raster.Options{Spacing: 160, HeightUnit: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ps.vkt")
	st, err := bake.Bake(context.Background(), &src.Field, bake.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	ratio := float64(st.BytesHeights) / float64(2*st.Samples)
	t.Logf("heights %d bytes, %.4f of 16 bits raw; saved %.4f of floats; file %d, %.3f bytes a sample; levels %v",
		st.BytesHeights, ratio, st.SavedRatio, st.BytesTotal, float64(st.BytesTotal)/float64(st.Samples), st.BytesByLevel)
	if ratio > 0.57 {
		t.Errorf("heights take %.4f of raw", ratio)
	}
	// Where the coder no longer finds coefficients and normals in the heights,
	// it is 4.1 bytes.
	if perSample := float64(st.BytesTotal) / float64(st.Samples); perSample > 2.85 {
		t.Errorf("%.3f bytes a sample", perSample)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Verify(func(e chunkfile.ChunkError) { t.Error(e) }); err != nil {
		t.Fatal(err)
	}
	if got := r.Stats(); fmt.Sprint(got) != fmt.Sprint(st) {
		t.Errorf("the file says %+v, bake said %+v", got, st)
	}
	d, layout := chunkfile.NewDecoder(), r.World().Layout()
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id, g := range layout.Grid {
			x, z := int(info.Key.X)*layout.Cells+int(g.X), int(info.Key.Y)*layout.Cells+int(g.Z)
			if got, want := info.Base+int32(tile.Verts[id].Height), src.At(x, z); got != want {
				t.Fatalf("sample %d,%d is %d, want %d", x, z, got, want)
			}
		}
	}
}

// BenchmarkBake bakes 513×513 samples; MB/s are millions of samples a second.
func BenchmarkBake(b *testing.B) {
	f := testworld.Rough(513, 513, 1)
	path := filepath.Join(b.TempDir(), "w.vkt")
	b.SetBytes(int64(len(f.Samples)))
	for b.Loop() {
		if _, err := bake.Bake(context.Background(), f, bake.Options{}, path); err != nil {
			b.Fatal(err)
		}
	}
}

// Example bakes a slope and looks at what came out.
func Example() {
	f := &terrain.Field{Width: 40, Height: 30, Spacing: 10, Quantum: 0.1, Samples: make([]int32, 40*30)}
	for i := range f.Samples {
		f.Samples[i] = int32(i%40) * 20
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	stats, err := bake.Bake(context.Background(), f, bake.Options{TileSize: 33}, filepath.Join(dir, "slope.vkt"))
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.Tiles, "tiles,", stats.Levels, "levels,", stats.Samples, "samples")
	// Output: 2 tiles, 3 levels, 1200 samples
}

// off is a field whose heights are off their source's.
type off struct {
	*terrain.Field
	maxError float64
}

func (o off) Grid() terrain.Grid {
	g := o.Field.Grid()
	g.MaxError = o.maxError
	return g
}

// TestRoundingCounts: what heights may be off their source's is in the world and
// in every coefficient, so that the bound holds for the source.
func TestRoundingCounts(t *testing.T) {
	f := &terrain.Field{Width: 33, Height: 33, Spacing: 1, Quantum: 0.25, Samples: make([]int32, 33*33)}
	r, path := baked(t, off{f, 0.125}, bake.Options{TileSize: 17})
	if r.World().MaxError != 0.125 {
		t.Errorf("the world says %v m", r.World().MaxError)
	}
	tile, err := r.ReadTile(chunkfile.NewDecoder(), terrain.Key{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range tile.Verts {
		if terrain.CoefMetres(v.Coef) < 0.125 {
			t.Fatalf("vertex %d of a flat field has coefficient %v", id, terrain.CoefMetres(v.Coef))
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1} {
		if _, err := bake.Bake(context.Background(), f, bake.Options{MaxError: bad}, path); err == nil {
			t.Errorf("up to %v m off accepted", bad)
		}
		if _, err := bake.Bake(context.Background(), off{f, bad}, bake.Options{}, path); err == nil {
			t.Errorf("a source %v m off accepted", bad)
		}
	}
}

// TestMaxError: no height is farther off than asked, few bits of accuracy are
// left unused, and the world counts it.
func TestMaxError(t *testing.T) {
	f := testworld.Rough(70, 50, 9) // 0.125 m
	for _, c := range []struct{ source, asked, counted, quantum float64 }{
		{0, 0, 0, 0.125}, {0, 0.1, 0, 0.125}, {0, 0.125, 0.125, 0.375}, {0, 1, 1, 2.125}, {0, 1.2, 1.125, 2.375},
		{0.0625, 0, 0.0625, 0.125}, {0.0625, 0.2, 0.1875, 0.375},
	} {
		r, _ := baked(t, off{f, c.source}, bake.Options{TileSize: 17, MaxError: c.asked})
		w := r.World()
		if w.MaxError != c.counted || w.Quantum != c.quantum {
			t.Errorf("%+v: the world counts %v m, in steps of %v m", c, w.MaxError, w.Quantum)
		}
		worst, d := 0.0, chunkfile.NewDecoder()
		for _, info := range r.Tiles() {
			tile, err := r.ReadTile(d, info.Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			for id, g := range w.Layout().Grid {
				x, z := int(info.Key.X)*16+int(g.X), int(info.Key.Y)*16+int(g.Z)
				got := float64(info.Base+int32(tile.Verts[id].Height)) * w.Quantum
				worst = max(worst, math.Abs(got-float64(f.At(x, z))*f.Quantum))
				if c := terrain.CoefMetres(tile.Verts[id].Coef); float64(c) < w.MaxError {
					t.Fatalf("a coefficient of %v does not count the error", c)
				}
			}
		}
		if want := c.counted - c.source; worst != want {
			t.Errorf("%+v: heights are up to %v m off, not %v", c, worst, want)
		}
	}
	_, err := bake.Bake(context.Background(), off{f, 0.0625}, bake.Options{MaxError: 0.05}, filepath.Join(t.TempDir(), "w.vkt"))
	if err == nil || !strings.Contains(err.Error(), "more than the 0.05 m allowed") {
		t.Errorf("a source that is farther off than allowed: %v", err)
	}
}
