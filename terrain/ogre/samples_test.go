package ogre_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// sample is what is known of a terrain file from a reader that is not ours.
type sample struct {
	name string
	data []byte

	Bytes      int
	Sha256     string
	Version    int
	Align      string
	Size       int
	WorldSize  float32    `json:"world_size"`
	MaxBatch   int        `json:"max_batch"`
	MinBatch   int        `json:"min_batch"`
	Position   [3]float32 `json:"position"`
	Levels     int        `json:"lod_levels"`
	LeafLevels int        `json:"leaf_lods"`
	Depth      int        `json:"tree_depth"`
	Heights    string     `json:"heights_f32le_sha256"`
	Deltas     string     `json:"deltas_f32le_sha256"`
	QuadCount  int        `json:"quadtree_count"`
	Quad       string     `json:"quadtree_f32le_sha256"`
	Chunks     []struct {
		Lod     int
		Offset  int64
		Samples int
		Raw     int64
		Zlib    int64
	} `json:"lod_chunks"`
	Declaration declaration
	Layers      []layer
	BlendSize   int      `json:"blend_size"`
	Blends      []string `json:"blend_sha256"`
	Derived     []struct {
		Name   string
		Size   int
		Sha256 string
	}
	Points [][4]float64
}

type declaration struct {
	Samplers [][2]any
	Elements [][4]uint8
}

type layer struct {
	WorldSize float32
	Textures  []string
}

// samples returns all sample terrains.
func samples(t testing.TB) []sample {
	t.Helper()
	dir := shared.Path(t, "ogre", "samples")
	names, err := filepath.Glob(filepath.Join(dir, "*.dat"))
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, name := range names {
		if filepath.Base(name) == "group_def.dat" {
			continue
		}
		s := sample{name: strings.TrimSuffix(filepath.Base(name), ".dat"), data: readFile(t, name)}
		if err := json.Unmarshal(readFile(t, strings.TrimSuffix(name, ".dat")+".json"), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.data) != s.Bytes || sum(s.data) != s.Sha256 {
			t.Fatalf("%s is not the file that its description is of", name)
		}
		if raceEnabled && s.Size > 257 {
			continue // nothing about them is concurrent
		}
		all = append(all, s)
	}
	if len(all) < 18 {
		t.Fatalf("only %d samples", len(all))
	}
	return all
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func sumFloats(f []float32) string {
	b := make([]byte, 0, 4*len(f))
	for _, v := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return sum(b)
}

func open(t testing.TB, b []byte) *ogre.Reader {
	t.Helper()
	r, err := ogre.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t testing.TB, b []byte) *ogre.Terrain {
	t.Helper()
	o, err := open(t, b).Terrain()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSamples(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			r := open(t, s.data)
			o, err := r.Terrain()
			if err != nil {
				t.Fatal(err)
			}
			s.checkInfo(t, r)
			s.checkHeights(t, o)
			s.checkTail(t, &o.Tail)
		})
	}
}

func (s *sample) checkInfo(t *testing.T, r *ogre.Reader) {
	if r.Version != s.Version || r.Align.String() != s.Align || r.Size != s.Size || r.WorldSize != s.WorldSize ||
		r.MaxBatch != s.MaxBatch || r.MinBatch != s.MinBatch || r.Pos != s.Position {
		t.Errorf("version %d, %+v; want %+v", r.Version, r.Info, s)
	}
	if r.Levels() != s.Levels || r.LeafLevels() != s.LeafLevels || r.Depth() != s.Depth || r.QuadTreeLen() != s.QuadCount {
		t.Errorf("%d levels, %d in a leaf, depth %d, %d values; want %d, %d, %d, %d",
			r.Levels(), r.LeafLevels(), r.Depth(), r.QuadTreeLen(), s.Levels, s.LeafLevels, s.Depth, s.QuadCount)
	}
	for _, c := range s.Chunks {
		got := r.Chunks[c.Lod]
		if want := (ogre.Chunk{Offset: c.Offset, Stored: c.Zlib, Inflated: c.Raw}); got != want {
			t.Errorf("level %d: %+v, want %+v", c.Lod, got, want)
		}
		if n := r.LevelSamples(terrain.Level(c.Lod)); n != c.Samples {
			t.Errorf("level %d: %d samples, want %d", c.Lod, n, c.Samples)
		}
	}
}

func (s *sample) checkHeights(t *testing.T, o *ogre.Terrain) {
	if got := sumFloats(o.Heights); got != s.Heights {
		t.Errorf("heights hash to %s, want %s", got, s.Heights)
	}
	if got := sumFloats(o.Deltas); got != s.Deltas {
		t.Errorf("deltas hash to %s, want %s", got, s.Deltas)
	}
	if got := sumFloats(o.QuadTree); got != s.Quad {
		t.Errorf("quadtree hashes to %s, want %s", got, s.Quad)
	}
	if len(s.Points) == 0 {
		t.Error("no points to compare")
	}
	for _, p := range s.Points {
		i := int(p[1])*o.Size + int(p[0])
		if o.Heights[i] != float32(p[2]) || o.Deltas[i] != float32(p[3]) {
			t.Errorf("(%v, %v): height %v, delta %v; want %v, %v", p[0], p[1], o.Heights[i], o.Deltas[i], p[2], p[3])
		}
	}
}

func (s *sample) checkTail(t *testing.T, o *ogre.Tail) {
	checkLayers(t, o.Declaration, o.Layers, s.Declaration, s.Layers)
	if o.BlendSize != s.BlendSize || len(o.Blends) != len(s.Blends) {
		t.Fatalf("%d blend maps of size %d, want %d of %d", len(o.Blends), o.BlendSize, len(s.Blends), s.BlendSize)
	}
	for i, want := range s.Blends {
		if got := sum(o.Blends[i]); got != want {
			t.Errorf("blend map %d hashes to %s, want %s", i, got, want)
		}
	}
	if len(o.Maps) != len(s.Derived) {
		t.Fatalf("%d maps, want %d", len(o.Maps), len(s.Derived))
	}
	for i, want := range s.Derived {
		if got := o.Maps[i]; got.Name != want.Name || got.Size != want.Size || sum(got.Pix) != want.Sha256 {
			t.Errorf("map %d: %s of size %d, hash %s; want %+v", i, got.Name, got.Size, sum(got.Pix), want)
		}
	}
}

func checkLayers(t *testing.T, d ogre.Declaration, layers []ogre.Layer, wantDecl declaration, wantLayers []layer) {
	if len(d.Samplers) != len(wantDecl.Samplers) || len(d.Elements) != len(wantDecl.Elements) || len(layers) != len(wantLayers) {
		t.Fatalf("%+v with %d layers, want %+v with %d", d, len(layers), wantDecl, len(wantLayers))
	}
	for i, want := range wantDecl.Samplers {
		if got := d.Samplers[i]; got.Alias != want[0] || float64(got.Format) != want[1] {
			t.Errorf("sampler %d: %+v, want %v", i, got, want)
		}
	}
	for i, want := range wantDecl.Elements {
		if got := d.Elements[i]; got != (ogre.Element{Sampler: want[0], Semantic: want[1], FirstChannel: want[2], Channels: want[3]}) {
			t.Errorf("element %d: %+v, want %v", i, got, want)
		}
	}
	for i, want := range wantLayers {
		if got := layers[i]; got.WorldSize != want.WorldSize || !slices.Equal(got.Textures, want.Textures) {
			t.Errorf("layer %d: %+v, want %+v", i, got, want)
		}
	}
}

// TestLevels wants a level read alone to be that of the whole terrain.
func TestLevels(t *testing.T) {
	for _, s := range samples(t) {
		r := open(t, s.data)
		o, err := r.Terrain()
		if err != nil {
			t.Fatal(err)
		}
		for l := range r.Levels() {
			level := terrain.Level(l)
			heights, deltas, err := r.ReadGrid(level)
			if err != nil {
				t.Fatal(err)
			}
			side := r.Side(level)
			for i := range heights {
				at := i/side<<l*r.Size + i%side<<l
				if math.Float32bits(heights[i]) != math.Float32bits(o.Heights[at]) || deltas[i] != o.Deltas[at] {
					t.Fatalf("%s: sample %d of level %d is %v, %v; want %v, %v",
						s.name, i, l, heights[i], deltas[i], o.Heights[at], o.Deltas[at])
				}
			}
		}
	}
}

// TestConcurrent reads all levels and the tail at the same time.
func TestConcurrent(t *testing.T) {
	o := small(t)
	for _, b := range [][]byte{write(t, o), v1(o)} {
		r := open(t, b)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				got, err := r.Terrain()
				if err != nil || !reflect.DeepEqual(got, o) {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
		all.Wait()
	}
}

// reference is an entry of the table of all test data.
type reference struct {
	File      string
	Bytes     int
	Sha256    string `json:"file_sha256"`
	Width     int
	Align     ogre.Align
	WorldSize float32 `json:"world_size"`
	MaxBatch  int     `json:"max_batch"`
	MinBatch  int     `json:"min_batch"`
	Position  [3]float32
	Levels    []struct {
		Stored   int64 `json:"chunk_len"`
		Inflated int64
		First    []float32 `json:"first_heights"`
		Sha256   string    `json:"inflated_sha256"`
	} `json:"lods_coarse_first"`
	Heights  string `json:"heights_f32_sha256"`
	Min, Max float64
}

func references(t testing.TB) []reference {
	var table struct{ Files []reference }
	if err := json.Unmarshal(readFile(t, shared.Path(t, "data", "reference.json")), &table); err != nil {
		t.Fatal(err)
	}
	table.Files = slices.DeleteFunc(table.Files, func(f reference) bool { return !strings.HasPrefix(f.File, "ogre-dat/") })
	if len(table.Files) != 2 {
		t.Fatalf("%d files of OGRE", len(table.Files))
	}
	return table.Files
}

func TestReference(t *testing.T) {
	for _, want := range references(t) {
		t.Run(want.File, func(t *testing.T) {
			r, err := ogre.OpenFile(shared.Path(t, "data", want.File))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			info := ogre.Info{
				Align: want.Align, Size: want.Width, WorldSize: want.WorldSize,
				MaxBatch: want.MaxBatch, MinBatch: want.MinBatch, Pos: want.Position,
			}
			if r.Info != info || r.Levels() != len(want.Levels) {
				t.Errorf("%+v with %d levels, want %+v with %d", r.Info, r.Levels(), info, len(want.Levels))
			}
			for i, w := range want.Levels {
				level := terrain.Level(r.Levels() - 1 - i)
				if c := r.Chunks[level]; c.Stored != w.Stored || c.Inflated != w.Inflated {
					t.Errorf("level %d: %+v, want %d, %d", level, c, w.Stored, w.Inflated)
				}
				n := r.LevelSamples(level)
				planes := make([]float32, 2*n)
				if err := r.ReadLevel(level, planes[:n], planes[n:]); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(planes[:len(w.First)], w.First) || sumFloats(planes) != w.Sha256 {
					t.Errorf("level %d begins with %v and hashes to %s; want %+v", level, planes[:4], sumFloats(planes), w)
				}
			}
			heights, _, err := r.ReadGrid(0)
			if err != nil {
				t.Fatal(err)
			}
			var north []float32
			for y := r.Size - 1; y >= 0; y-- {
				north = append(north, heights[y*r.Size:][:r.Size]...)
			}
			if got := sumFloats(north); got != want.Heights {
				t.Errorf("heights hash to %s, want %s", got, want.Heights)
			}
			if lo, hi := slices.Min(heights), slices.Max(heights); float64(lo) != want.Min || float64(hi) != want.Max {
				t.Errorf("heights %v to %v, want %v to %v", lo, hi, want.Min, want.Max)
			}
		})
	}
}

// TestHeights wants the heights alone to be those of the whole terrain, in not much
// more memory than they take.
func TestHeights(t *testing.T) {
	for _, s := range samples(t) {
		r := open(t, s.data)
		o, err := r.Terrain()
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		heights, err := r.Heights()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range heights {
			if math.Float32bits(h) != math.Float32bits(o.Heights[i]) {
				t.Fatalf("%s: sample %d is %v, want %v", s.name, i, h, o.Heights[i])
			}
		}
		const readers = 1 << 20 // inflating a level takes some
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*len(heights)+readers); got > most {
			t.Errorf("%s: %d bytes for %d heights", s.name, got, len(heights))
		}
	}
}

// TestHeightsFindDamage changes the last byte of each level's stream, which is of the
// checksum of heights and deltas.
func TestHeightsFindDamage(t *testing.T) {
	s := samples(t)[0]
	r := open(t, s.data)
	for level, c := range r.Chunks {
		data := bytes.Clone(s.data)
		data[c.Offset+14+c.Stored-1] ^= 1
		if _, err := open(t, data).Heights(); err == nil {
			t.Errorf("%s: level %d: no error", s.name, level)
		}
	}
}
