package chunkfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// world is a terrain with all its vertices.
type world struct {
	terrain.World
	infos []terrain.TileInfo
	verts [][]terrain.Vertex
}

// fill gives a world to the vertices that vertex returns for the positions of
// its samples, and clones to its padding.
func fill(w, h, tileSize int, vertex func(x, z int) terrain.Vertex) *world {
	out := &world{World: terrain.World{
		Width: w, Height: h, TileSize: tileSize, Spacing: 30, Quantum: 0.25, OriginX: -1e6, OriginZ: 12.5,
		MaxError: 0.125, Min: math.MaxInt32, Max: math.MinInt32, Mean: 7.5,
	}}
	layout := out.Layout()
	for range layout.Orders() {
		out.Radius = append(out.Radius, float32(len(out.Radius)))
	}
	nx, ny := out.Tiles()
	made := map[[2]int]terrain.Vertex{}
	for i := range nx * ny {
		info := terrain.TileInfo{Key: terrain.Key{X: int32(i % nx), Y: int32(i / nx)}, Base: int32(-1000 * i)}
		info.Min, info.Max = math.MaxInt32, math.MinInt32
		verts := make([]terrain.Vertex, len(layout.Grid))
		for id, g := range layout.Grid {
			at := [2]int{min(int(info.Key.X)*layout.Cells+int(g.X), w-1), min(int(info.Key.Y)*layout.Cells+int(g.Z), h-1)}
			v, ok := made[at]
			if !ok {
				v = vertex(at[0], at[1])
				made[at] = v
			}
			verts[id] = v
			info.Holes, out.Holes = info.Holes || v.Hole(), out.Holes || v.Hole()
			info.Min, info.Max = min(info.Min, info.Base+int32(v.Height)), max(info.Max, info.Base+int32(v.Height))
		}
		for l := range layout.Levels {
			info.Coef[l] = float32(10 + l)
		}
		out.Min, out.Max = min(out.Min, info.Min), max(out.Max, info.Max)
		out.infos, out.verts = append(out.infos, info), append(out.verts, verts)
	}
	return out
}

// noise has no pattern at all: nothing can be predicted.
func noise(seed uint64) func(x, z int) terrain.Vertex {
	rng := rand.New(rand.NewPCG(seed, 2))
	return func(x, z int) terrain.Vertex {
		a, b := rng.Uint64(), rng.Uint64()
		return terrain.Vertex{
			Height: uint16(a), Coef: uint16(a >> 16), Normal: [2]uint8{uint8(a >> 32), uint8(a >> 40)},
			SkyView: uint8(b), Curvature: uint8(b >> 8),
		}
	}
}

// smooth is what the codec is made for, with one wild sample in 50.
func smooth(seed uint64) func(x, z int) terrain.Vertex {
	rng := rand.New(rand.NewPCG(seed, 3))
	wild := noise(seed)
	return func(x, z int) terrain.Vertex {
		if rng.IntN(50) == 0 {
			return wild(x, z)
		}
		h := 9000 + 8000*math.Sin(float64(x)/9)*math.Cos(float64(z)/7) + 40*rng.Float64()
		return terrain.Vertex{
			Height: uint16(h), Coef: terrain.CoefUp(20 * rng.Float64()),
			Normal:  terrain.EncodeNormal(math.Sin(float64(x)), 5, math.Cos(float64(z))),
			SkyView: uint8(200 + 20*math.Sin(h/500)), Curvature: uint8(128 + 60*math.Sin(h/90)),
		}
	}
}

func flat(x, z int) terrain.Vertex {
	return terrain.Vertex{Height: 5, Normal: [2]uint8{128, 128}, SkyView: 255, Curvature: 128}
}

// write writes w to a file and returns its bytes.
func write(t testing.TB, w *world) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.vkt")
	writeTo(t, w, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeTo(t testing.TB, w *world, path string) {
	t.Helper()
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.infos {
		if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(b []byte) (*chunkfile.Reader, error) {
	return chunkfile.Open(bytes.NewReader(b), int64(len(b)))
}

// same fails t unless the file b is exactly w.
func same(t testing.TB, w *world, b []byte) {
	t.Helper()
	r, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*r.World(), w.World) {
		t.Fatalf("world\n%+v\nwant\n%+v", *r.World(), w.World)
	}
	if !reflect.DeepEqual(r.Tiles(), w.infos) {
		t.Fatalf("tiles %+v, want %+v", r.Tiles(), w.infos)
	}
	d := chunkfile.NewDecoder()
	for i := range w.infos {
		tile, err := r.ReadTile(d, w.infos[i].Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		if tile.Info != r.Tile(w.infos[i].Key) {
			t.Fatal("a tile's info moved")
		}
		if msg := differs(tile.Verts, w.verts[i], w.Layout()); msg != "" {
			t.Fatalf("tile %v: %s", w.infos[i].Key, msg)
		}
	}
}

// differs says where vertices that were read are not those that were written, as
// far as those are kept.
func differs(got, want []terrain.Vertex, l *terrain.Layout) string {
	finest, _ := l.Range(0)
	for id, v := range got {
		k := want[id]
		k.Curvature = v.Curvature // derived
		switch {
		case l.Levels > 1 && id >= finest && !k.Hole() && !v.Hole():
			k.SkyView = v.SkyView // derived
		default:
			k.SkyView = chunkfile.KeptSky(k.SkyView)
		}
		if v != k {
			return fmt.Sprintf("vertex %d is %+v, want %+v", id, v, k)
		}
	}
	return ""
}

func TestRoundTrip(t *testing.T) {
	kinds := map[string]func(x, z int) terrain.Vertex{"noise": noise(1), "smooth": smooth(1), "flat": flat}
	for name, vertex := range kinds {
		for _, size := range [][3]int{{2, 2, 3}, {3, 3, 3}, {4, 9, 3}, {5, 5, 5}, {9, 9, 9}, {30, 20, 17}, {33, 33, 33}, {65, 70, 65}, {200, 129, 129}, {513, 2, 513}} {
			w := fill(size[0], size[1], size[2], vertex)
			t.Run(fmt.Sprintf("%s/%dx%d/%d", name, size[0], size[1], size[2]), func(t *testing.T) { same(t, w, write(t, w)) })
		}
	}
}

// TestNoiseDoesNotGrow: what cannot be compressed is stored as it is.
func TestNoiseDoesNotGrow(t *testing.T) {
	w := fill(129, 129, 129, noise(5))
	raw := len(w.verts[0]) * terrain.VertexBytes
	if got := len(write(t, w)); float64(got) > 1.07*float64(raw) {
		t.Errorf("%d bytes of noise became %d", raw, got)
	}
}

func TestLevelsOnlyAppend(t *testing.T) {
	w := fill(65, 65, 65, smooth(9))
	r, err := open(write(t, w))
	if err != nil {
		t.Fatal(err)
	}
	layout, k := w.Layout(), terrain.Key{}
	d := chunkfile.NewDecoder()
	mark := terrain.Vertex{Height: 0xabcd, Coef: 0xefab}
	verts := slices.Repeat([]terrain.Vertex{mark}, len(layout.Grid))
	for l := layout.Levels - 1; l >= 0; l-- {
		if err := r.ReadLevel(d, verts, k, terrain.Level(l)); err != nil {
			t.Fatal(err)
		}
		n := layout.Count(terrain.Level(l))
		if msg := differs(verts[:n], w.verts[0], layout); msg != "" {
			t.Errorf("level %d: %s", l, msg)
		}
		for id := n; id < len(verts); id++ {
			if verts[id] != mark {
				t.Fatalf("level %d wrote vertex %d of a finer one", l, id)
			}
		}
	}
}

func TestReadLevelDoesNotAllocate(t *testing.T) {
	for _, vertex := range []func(x, z int) terrain.Vertex{smooth(4), flat, noise(4)} {
		w := fill(257, 129, 129, vertex)
		r, err := open(write(t, w))
		if err != nil {
			t.Fatal(err)
		}
		layout := w.Layout()
		d, verts := chunkfile.NewDecoder(), make([]terrain.Vertex, len(layout.Grid))
		if n := testing.AllocsPerRun(20, func() {
			for i := range w.infos {
				for l := layout.Levels - 1; l >= 0; l-- {
					if err := r.ReadLevel(d, verts, w.infos[i].Key, terrain.Level(l)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}); n != 0 && !raceEnabled {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestReadersShareAFile(t *testing.T) {
	w := fill(129, 129, 33, smooth(6))
	path := filepath.Join(t.TempDir(), "Höhen 高度 富士.vkt")
	writeTo(t, w, path)
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			d := chunkfile.NewDecoder()
			for i := range w.infos {
				i = (i*7 + g*5) % len(w.infos)
				tile, err := r.ReadTile(d, w.infos[i].Key, 0)
				if err != nil || differs(tile.Verts, w.verts[i], w.Layout()) != "" {
					t.Errorf("tile %v differs: %v", w.infos[i].Key, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestOneDecoderForManyFiles: what a decoder remembers depends on the tile size.
func TestOneDecoderForManyFiles(t *testing.T) {
	d := chunkfile.NewDecoder()
	for _, size := range []int{33, 5, 129, 3, 65, 33} {
		w := fill(size, size, size, smooth(uint64(size)))
		r, err := open(write(t, w))
		if err != nil {
			t.Fatal(err)
		}
		tile, err := r.ReadTile(d, terrain.Key{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if msg := differs(tile.Verts, w.verts[0], w.Layout()); msg != "" {
			t.Errorf("size %d: %s", size, msg)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	w := fill(33, 33, 17, flat)
	r, err := open(write(t, w))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []terrain.Key{{X: -1}, {X: 2}, {Y: 2}, {Zoom: 1}} {
		if r.Tile(k) != nil {
			t.Errorf("there is a tile %v", k)
		}
		if n, _ := r.LevelBytes(k, 0); n != 0 {
			t.Errorf("tile %v has %d bytes", k, n)
		}
	}
	defer func() {
		if p := recover(); p == nil || !strings.HasPrefix(fmt.Sprint(p), "chunkfile: ") {
			t.Errorf("panic %v", p)
		}
	}()
	_ = r.ReadLevel(chunkfile.NewDecoder(), nil, terrain.Key{}, 0)
}

func TestStats(t *testing.T) {
	w := fill(50, 33, 17, smooth(3))
	b := write(t, w)
	r, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stats()
	if s.Samples != 50*33 || s.RawBytes != 8*50*33 || s.BytesTotal != int64(len(b)) || s.Tiles != len(w.infos) || s.TileSize != 17 || s.Levels != w.Layout().Levels {
		t.Errorf("%+v", s)
	}
	var byLevel, heights int64
	for _, info := range w.infos {
		for l := range s.Levels {
			n, h := r.LevelBytes(info.Key, terrain.Level(l))
			byLevel, heights = byLevel+n, heights+h
		}
	}
	for _, n := range s.BytesByLevel {
		byLevel -= n
	}
	if byLevel != 0 || heights != s.BytesHeights {
		t.Errorf("levels %+v, heights %d", s, heights)
	}
	if want := 1 - float64(heights)/float64(8*50*33); s.SavedRatio != want {
		t.Errorf("saved %v, want %v", s.SavedRatio, want)
	}
}

// TestRealTerrain compares with a world made elsewhere, and checks that on the
// finest level only tile borders cost coefficients.
func TestRealTerrain(t *testing.T) {
	tw := testworld.New(testworld.Rough(100, 80, 3), 33, 5, 6)
	w := &world{World: tw.World}
	nx, ny := w.Tiles()
	for i := range nx * ny {
		k := terrain.Key{X: int32(i % nx), Y: int32(i / nx)}
		w.infos, w.verts = append(w.infos, *tw.Infos[k]), append(w.verts, tw.Tile(k, 0).Verts)
	}
	same(t, w, write(t, w))
}

func TestPredictionsMatchTheirTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	wrong := 0
	for range 100000 {
		c := math.Exp(20*rng.Float64() - 12)
		if got, want := chunkfile.CoefUp(c), terrain.CoefUp(c); got != want {
			t.Fatalf("coefUp(%v) = %x, want %x", c, got, want)
		}
		dx, dz := int32(rng.IntN(2000)-1000), int32(rng.IntN(2000)-1000)
		slope := 0.003 * float64(dx)
		got, want := chunkfile.OldSlopeNormal(dx, dz, 0.003), terrain.EncodeNormal(-slope, 1, -0.003*float64(dz))
		if got != want {
			wrong++
		}
	}
	if wrong > 100 { // ties, which are free to go either way
		t.Errorf("%d of 100000 normals differ", wrong)
	}
	if chunkfile.CoefUp(0) != 0 {
		t.Error("coefUp(0) is not 0")
	}
}

func TestStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 31, 32, 100, 255, 1023, 1024, 5000, 65535, 65536, 65537, 200000} {
		for _, spread := range []int{1, 2, 3, 30, 256} {
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(rng.IntN(spread) * rng.IntN(2))
			}
			packed := chunkfile.PackStream(src)
			if len(packed) > n+3*(n/65536+1) {
				t.Errorf("%d bytes became %d", n, len(packed))
			}
			got := make([]byte, n)
			rest, err := chunkfile.UnpackStream(got, append(packed, 1, 2, 3))
			if err != nil || !bytes.Equal(rest, []byte{1, 2, 3}) || !bytes.Equal(got, src) {
				t.Fatalf("%d bytes below %d: %v", n, spread, err)
			}
		}
	}
}

// errorsAreClean fails t unless err is one line that says what is wrong.
func errorsAreClean(t *testing.T, err error) {
	t.Helper()
	var fe *chunkfile.FormatError
	switch {
	case err == nil:
		t.Error("no error")
	case !errors.As(err, &fe) || fe.Chunk == "" || fe.Msg == "" || strings.Contains(err.Error(), "\n"):
		t.Errorf("error %v", err)
	case !errors.Is(err, chunkfile.ErrCorrupt) && !errors.Is(err, chunkfile.ErrUnsupported):
		t.Errorf("%v is neither corrupt nor unsupported", err)
	}
}

// damage reads everything and returns the first thing wrong.
func damage(b []byte) error {
	r, err := open(b)
	if err != nil {
		return err
	}
	var first error
	if err := r.Verify(func(e chunkfile.ChunkError) {
		if first == nil {
			first = e
		}
	}); err != nil {
		return err
	}
	return first
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	b := write(t, fill(9, 6, 5, smooth(2)))
	if err := damage(b); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			b[i] ^= flip
			if err := damage(b); err == nil {
				t.Errorf("byte %d of %d changed by %#x, unnoticed", i, len(b), flip)
			} else {
				errorsAreClean(t, err)
			}
			b[i] ^= flip
		}
	}
}

func TestEveryCutIsFound(t *testing.T) {
	b := write(t, fill(9, 6, 5, smooth(2)))
	for n := range b {
		_, err := open(b[:n])
		errorsAreClean(t, err)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	_, err := open(append(b, 0))
	errorsAreClean(t, err)
}

func TestOtherVersionsAndFiles(t *testing.T) {
	b := write(t, fill(5, 5, 5, flat))
	for _, v := range []byte{0, 3, 99} {
		c := bytes.Clone(b)
		c[8] = v
		_, err := open(c)
		if !errors.Is(err, chunkfile.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("version %d, this program reads versions 1 to 2", v)) {
			t.Errorf("version %d: %v", v, err)
		}
	}
	_, err := open([]byte("\x89PNG\r\n\x1a\n and more than sixteen bytes"))
	if !errors.Is(err, chunkfile.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), "not a vkterrain world file") {
		t.Errorf("a PNG: %v", err)
	}
}

// TestVerifyNamesTheChunk damages one chunk and expects exactly it.
func TestVerifyNamesTheChunk(t *testing.T) {
	w := fill(40, 40, 17, smooth(2))
	path := filepath.Join(t.TempDir(), "w.vkt")
	writeTo(t, w, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last, _ := r.LevelBytes(terrain.Key{X: 2, Y: 2}, 0)
	var chunks int64
	for _, n := range r.Stats().BytesByLevel {
		chunks += n
	}
	r.Close()
	b[64+chunks-last/2] ^= 1 // the finest level of the last tile
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err = chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var found []chunkfile.ChunkError
	if err := r.Verify(func(e chunkfile.ChunkError) { found = append(found, e) }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Key != (terrain.Key{X: 2, Y: 2}) || found[0].Level != 0 || !strings.Contains(found[0].Error(), "tile 2,2 level 0 at byte") {
		t.Errorf("found %v", found)
	}
	// The level can't be read, the coarser ones can.
	d := chunkfile.NewDecoder()
	if _, err := r.ReadTile(d, terrain.Key{X: 2, Y: 2}, 1); err != nil {
		t.Error(err)
	}
	_, err = r.ReadTile(d, terrain.Key{X: 2, Y: 2}, 0)
	errorsAreClean(t, err)
}

// TestOpenSurvivesLies changes bytes behind valid checksums.
func TestOpenSurvivesLies(t *testing.T) {
	parts, ok := chunkfile.TakeApart(write(t, fill(9, 6, 5, smooth(2))))
	if !ok {
		t.Fatal("not taken apart")
	}
	if err := damage(parts.Build()); err != nil {
		t.Fatal(err)
	}
	for n, part := range [][]byte{parts.Chunks, parts.World, parts.Directory} {
		for i := 0; i < len(part); i += 1 + n {
			old := part[i]
			for _, v := range []byte{0, 0x80, 0xff, old + 1} {
				part[i] = v
				if err := damage(parts.Build()); err != nil {
					errorsAreClean(t, err)
				}
			}
			part[i] = old
		}
	}
	frozen, err := os.ReadFile(filepath.Join("testdata", "v1.vkt"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(frozen); i += 7 {
		for _, v := range []byte{0, 0xff, frozen[i] + 1} {
			c := bytes.Clone(frozen)
			c[i] = v
			if chunkfile.ResealOld(c) {
				_ = damage(c)
			}
		}
	}
}

// failing fails at one read.
type failing struct {
	*bytes.Reader
	at  int64
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.at && f.at < off+int64(len(p)) {
		n, _ := f.Reader.ReadAt(p[:f.at-off], off)
		return n, f.err
	}
	return f.Reader.ReadAt(p, off)
}

func TestReadErrorsAreNotDamage(t *testing.T) {
	b := write(t, fill(9, 9, 9, smooth(2)))
	boom := errors.New("the disk is gone")
	for _, at := range []int64{3, 100, 150, int64(len(b)) - 1} {
		r, err := chunkfile.Open(failing{bytes.NewReader(b), at, boom}, int64(len(b)))
		if err == nil {
			_, err = r.ReadTile(chunkfile.NewDecoder(), terrain.Key{}, 0)
		}
		if !errors.Is(err, boom) || errors.Is(err, chunkfile.ErrCorrupt) {
			t.Errorf("read failing at %d: %v", at, err)
		}
		// A file that shrinks under us is damage.
		r, err = chunkfile.Open(failing{bytes.NewReader(b), at, io.EOF}, int64(len(b)))
		if err == nil {
			_, err = r.ReadTile(chunkfile.NewDecoder(), terrain.Key{}, 0)
		}
		if !errors.Is(err, chunkfile.ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("short read at %d: %v", at, err)
		}
	}
}
