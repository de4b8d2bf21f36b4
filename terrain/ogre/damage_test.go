package ogre_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// small returns a terrain with something of everything.
func small(t testing.TB) *ogre.Terrain {
	t.Helper()
	o := &ogre.Terrain{
		Info: ogre.Info{Size: 9, WorldSize: 100, MaxBatch: 5, MinBatch: 3, Pos: [3]float32{1, 2, -3}},
		Tail: ogre.Tail{
			Declaration: ogre.DefaultDeclaration(),
			Layers: []ogre.Layer{
				{WorldSize: 10, Textures: []string{"rock.png", "rock_n.png"}},
				{WorldSize: 4.5, Textures: []string{"grass.png", ""}},
			},
			BlendSize: 2,
			Blends:    [][]byte{[]byte("sixteen bytes...")},
			Maps:      []ogre.Map{{Name: ogre.LightMap, Size: 3, Pix: []byte("lightmap!")}},
		},
	}
	for i := range o.Size * o.Size {
		x, y := i%o.Size, i/o.Size
		o.Heights = append(o.Heights, float32((3*x*x+5*y*y+7*x*y)&63)/4)
	}
	o.Derive()
	o.Maps = append(o.Maps, o.NormalMap())
	return o
}

func readAny(b []byte) (*ogre.Terrain, error) {
	r, err := ogre.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return r.Terrain()
}

// clean wants err to say where and what is wrong.
func clean(t testing.TB, err error) {
	t.Helper()
	var fe *ogre.FormatError
	if !errors.As(err, &fe) || !errors.Is(err, ogre.ErrCorrupt) == !errors.Is(err, ogre.ErrUnsupported) {
		t.Fatalf("not a clean error: %v", err)
	}
	if fe.Offset < 0 || fe.Part == "" || fe.Msg == "" || strings.Contains(err.Error(), "\n") {
		t.Fatalf("not a clean error: %#v", fe)
	}
}

// v1 returns the file of version 1 of o, valid or not.
func v1(o *ogre.Terrain) []byte {
	p := ogre.AppendInfo(nil, &o.Info)
	floats := func(f []float32) {
		for _, v := range f {
			p = binary.LittleEndian.AppendUint32(p, math.Float32bits(v))
		}
	}
	floats(o.Heights)
	tail := o.Tail
	tail.QuadTree = nil
	p, _ = ogre.AppendTail(p, &tail)
	floats(o.Deltas)
	floats(o.QuadTree)
	return terr(1, p)
}

func terr(version uint16, payload []byte) []byte {
	b := ogre.AppendChunk(nil, "\x01\x00\x00\x00", 1, []byte{0})
	return ogre.AppendChunk(b, "TERR", version, payload)
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// v2 returns the file of version 2 of o with other payloads for its levels and
// tail where they are not nil.
func v2(o *ogre.Terrain, levels map[int][]byte, tail []byte) []byte {
	p := ogre.AppendChunk(nil, "TGIN", 1, ogre.AppendInfo(nil, &o.Info))
	for l := o.Levels() - 1; l >= 0; l-- {
		body := levels[l]
		if body == nil {
			body = deflate(o.LevelBytes(l))
		}
		p = ogre.AppendChunk(p, "TLDA", 1, body)
	}
	if tail == nil {
		tail, _ = ogre.AppendTail(nil, &o.Tail)
		tail = deflate(tail)
	}
	return terr(2, append(p, tail...))
}

func TestChecksum(t *testing.T) {
	for _, test := range []struct {
		id      string
		version uint16
		length  uint32
		want    uint32
	}{
		{"TERR", 2, 7635, 0xc05d6262},
		{"TGIN", 1, 23, 0xe7bf4fe7},
		{"\x01\x00\x00\x00", 1, 1, 0x917127bf},
	} {
		if got := ogre.Checksum(test.id, test.version, test.length); got != test.want {
			t.Errorf("%q: %#x, want %#x", test.id, got, test.want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	o := small(t)
	for name, b := range map[string][]byte{
		"version 2":              write(t, o),
		"version 1":              v1(o),
		"version 1, compressed":  deflate(v1(o)),
		"other compression":      v2(o, nil, nil),
		"without compression":    plain(o),
		"bytes after everything": append(write(t, o), "more"...),
	} {
		if got := read(t, b); !reflect.DeepEqual(got, o) {
			t.Errorf("%s: %+v, want %+v", name, got, o)
		}
	}
}

func plain(o *ogre.Terrain) []byte {
	levels := map[int][]byte{}
	for l := range o.Levels() {
		levels[l] = o.LevelBytes(l)
	}
	tail, _ := ogre.AppendTail(nil, &o.Tail)
	return v2(o, levels, tail)
}

// TestBlendMaps reads files whose number of blend maps is not the usual one.
func TestBlendMaps(t *testing.T) {
	o := small(t)
	for len(o.Layers) < 5 {
		o.Layers = append(o.Layers, o.Layers[0])
	}
	old := *o
	old.Blends = append(o.Blends[:1:1], make([]byte, 16))
	if got := read(t, v1(&old)); !reflect.DeepEqual(got, o) {
		t.Errorf("with one more: %+v, want %+v", got, o)
	}
	o.Blends = nil
	for _, b := range [][]byte{v1(o), write(t, o)} {
		if got := read(t, b); !reflect.DeepEqual(got, o) {
			t.Errorf("without: %+v, want %+v", got, o)
		}
	}
}

// TestFlips changes each byte of files in all its bits. What no checksum covers
// is the general information alone.
func TestFlips(t *testing.T) {
	o := small(t)
	const info, infoEnd = 15 + 14 + 14, 15 + 14 + 14 + 23
	whole := write(t, o)
	for i := range whole {
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			got, err := readAny(b)
			if err != nil {
				clean(t, err)
				continue
			}
			if i >= info && i < infoEnd {
				got.Info = o.Info
			}
			if !reflect.DeepEqual(got, o) {
				t.Errorf("byte %d, bit %d: read without an error, but other data", i, bit)
			}
		}
	}
	for _, whole := range [][]byte{v1(o), plain(o), group(t)} {
		for i := range whole {
			b := bytes.Clone(whole)
			b[i] ^= 0xff
			if _, err := readAny(b); err != nil {
				clean(t, err)
			}
			if _, err := ogre.ReadGroup(bytes.NewReader(b)); err != nil {
				clean(t, err)
			}
		}
	}
}

// TestCut cuts files everywhere.
func TestCut(t *testing.T) {
	o := small(t)
	for _, whole := range [][]byte{write(t, o), v1(o)} {
		for n := range whole {
			_, err := readAny(whole[:n])
			if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, ogre.ErrCorrupt) {
				t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
			}
			clean(t, err)
		}
	}
	g := group(t)
	for n := range g {
		if _, err := ogre.ReadGroup(bytes.NewReader(g[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %v", n, len(g), err)
		}
	}
	z := deflate(v1(o))
	for n := range z {
		_, err := readAny(z[:n])
		clean(t, err)
	}
	for _, ref := range references(t) {
		whole := readFile(t, shared.Path(t, "data", ref.File))
		for _, n := range []int{0, 1, 14, len(whole) / 2, len(whole) - 1} {
			_, err := readAny(whole[:n])
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, %d bytes: %v", ref.File, n, err)
			}
		}
	}
}

// TestRefused feeds files that must be refused, and with which words.
func TestRefused(t *testing.T) {
	o := small(t)
	whole := write(t, o)
	patch := func(at int, bytes ...byte) []byte {
		b := append([]byte(nil), whole...)
		copy(b[at:], bytes)
		return b
	}
	reseal := func(version uint16) []byte { return terr(version, whole[29:]) }
	tail := func(change func(*ogre.Tail)) []byte {
		c := *small(t)
		change(&c.Tail)
		b, _ := ogre.AppendTail(nil, &c.Tail)
		return v2(o, nil, deflate(b))
	}
	info := func(change func(*ogre.Info)) []byte {
		c := *o
		change(&c.Info)
		p := ogre.AppendChunk(nil, "TGIN", 1, ogre.AppendInfo(nil, &c.Info))
		return terr(2, append(p, whole[15+14+14+23:]...))
	}
	level := func(l int, b []byte) []byte { return v2(o, map[int][]byte{l: b}, nil) }
	bad := deflate(o.LevelBytes(0))
	bad[len(bad)-1] ^= 1
	tests := []struct {
		name string
		file []byte
		kind error
		want string
	}{
		{"empty", nil, ogre.ErrCorrupt, "empty"},
		{"text", []byte("Wherever she went, including here, it was against her"), ogre.ErrCorrupt, "chunk Wher where header belongs"},
		{"version 99, as patched", patch(19, 99), ogre.ErrUnsupported, "TERR of version 99; versions 1 to 2 are supported"},
		{"version 99", reseal(99), ogre.ErrUnsupported, "TERR of version 99; versions 1 to 2 are supported"},
		{"version 0", reseal(0), ogre.ErrUnsupported, "TERR of version 0; versions 1 to 2 are supported"},
		{"version 1, as patched", patch(19, 1), ogre.ErrCorrupt, "TERR, version 1, does not match its checksum; versions 1 to 2 are supported"},
		{"version 1", reseal(1), ogre.ErrCorrupt, "general information at byte 29"},
		{"big endian", patch(0, 0, 0, 0, 1), ogre.ErrUnsupported, "big-endian"},
		{"64 bits", patch(14, 1), ogre.ErrUnsupported, "64 bits"},
		{"alignment", info(func(i *ogre.Info) { i.Align = 3 }), ogre.ErrCorrupt, "alignment 3"},
		{"size", info(func(i *ogre.Info) { i.Size = 130 }), ogre.ErrCorrupt, "size 130 is not 2^k+1"},
		{"batches", info(func(i *ogre.Info) { i.MaxBatch = 17 }), ogre.ErrCorrupt, "batch sizes 3 and 17"},
		{"world size", info(func(i *ogre.Info) { i.WorldSize = -1 }), ogre.ErrCorrupt, "world size -1"},
		{"too large", info(func(i *ogre.Info) { i.Size = 32769 }), ogre.ErrUnsupported, "size 32769; at most 8193"},
		{"level missing", info(func(i *ogre.Info) { i.MinBatch = 2 }), ogre.ErrCorrupt, "where TLDA belongs"},
		{"level too many", info(func(i *ogre.Info) { i.MinBatch = 5 }), ogre.ErrCorrupt, "more than the 2 levels"},
		{"level too long", level(1, deflate(o.LevelBytes(0))), ogre.ErrCorrupt, "are all that belongs here"},
		{"level too short", level(0, deflate(o.LevelBytes(1))), ogre.ErrCorrupt, "ends too early"},
		{"level damaged", level(0, bad), ogre.ErrCorrupt, "level 0 at byte"},
		{"level not compressed and too long", level(0, append(o.LevelBytes(0), 0)), ogre.ErrCorrupt, "makes no sense"},
		{"level empty", level(0, []byte{}), ogre.ErrCorrupt, "cannot hold"},
		{"tail missing", v2(o, nil, []byte{}), ogre.ErrCorrupt, "tail at byte"},
		{"unknown map", tail(func(t *ogre.Tail) { t.Maps[0].Name = "nightmap" }), ogre.ErrUnsupported, `a map named "nightmap"`},
		{"blend maps of 0", tail(func(t *ogre.Tail) { t.BlendSize, t.Blends = 0, nil }), ogre.ErrCorrupt, "0×0 pixels"},
		{"long text", tail(func(t *ogre.Tail) { t.Layers[0].Textures[0] = strings.Repeat("x", 1<<17) }), ogre.ErrUnsupported, "a text of 131072 bytes"},
		{"quadtree short", tail(func(t *ogre.Tail) { t.QuadTree = t.QuadTree[1:] }), ogre.ErrCorrupt, "ends too early"},
		{"much after the quadtree", tail(func(t *ogre.Tail) { t.QuadTree = append(t.QuadTree, make([]float32, 1<<15)...) }), ogre.ErrCorrupt, "more follow"},
		{"group", group(t), ogre.ErrCorrupt, "chunk TERG where TERR belongs"},
		{"compressed version 2", deflate(whole), ogre.ErrUnsupported, "compressed file at byte 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readAny(test.file)
			if err == nil {
				t.Fatal("no error")
			}
			clean(t, err)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if o, err := readAny(tail(func(t *ogre.Tail) { t.QuadTree = append(t.QuadTree, 1, 2) })); err != nil || !reflect.DeepEqual(o, small(t)) {
		t.Errorf("a little after the quadtree: %v", err)
	}
}

// TestBombs wants little memory, and so little time, for what claims or inflates to much.
func TestBombs(t *testing.T) {
	o := small(t)
	zeros := deflateZeros(nil, 1<<10)
	large := *o
	large.Tail.BlendSize = math.MaxUint16
	large.Tail.Blends, large.Tail.QuadTree = nil, nil
	tail, _ := ogre.AppendTail(nil, &large.Tail)
	manyLayers, _ := ogre.AppendTail(nil, &ogre.Tail{BlendSize: math.MaxUint16, Layers: make([]ogre.Layer, 255)})
	allowed := ogre.AppendChunk(nil, "TDCL", 1, []byte{0, 0})
	allowed = append(allowed, 0, 0, 0x13) // no layers, 4864×4864
	beyond := ogre.AppendChunk(nil, "TDCL", 1, []byte{0, 0})
	beyond = append(beyond, 0, 0xff, 0x1f) // no layers, 8191×8191
	beyond = append(beyond, noise(1<<18, 255, 1)...)
	short := *o
	short.Size = 8193
	const little, limit = 8 << 20, 100 << 20 // bytes allocated
	tests := []struct {
		name string
		file []byte
		most uint64
	}{
		{"level", v2(o, map[int][]byte{0: zeros}, nil), little},
		{"tail", v2(o, nil, zeros), little},
		{"blend map", v2(o, nil, deflate(tail)), little},
		{"blend maps", v2(o, nil, deflate(manyLayers)), little},
		{"blend map within the limit", v2(o, nil, deflateZeros(allowed, 90)), limit},
		{"blend map beyond the limit", v2(o, nil, deflate(beyond)), little},
		{"compressed file", zeros, little},
		{"size", v2(&ogre.Terrain{Info: ogre.Info{Size: 8193, WorldSize: 1, MinBatch: 129, MaxBatch: 129}}, empty(7), []byte{}), little},
		{"size of version 1", terr(1, ogre.AppendInfo(nil, &short.Info)), little},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readAny(test.file)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("no error")
			}
			clean(t, err)
			if n := after.TotalAlloc - before.TotalAlloc; n > test.most {
				t.Errorf("%d bytes allocated: %v", n, err)
			}
		})
	}
}

func empty(levels int) map[int][]byte {
	m := map[int][]byte{}
	for l := range levels {
		m[l] = []byte{1, 2, 3}
	}
	return m
}

// deflateZeros makes a zlib stream of head and n MiB of zeros, without end: one
// that was flushed repeats its blocks.
func deflateZeros(head []byte, n int) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(head)
	w.Flush()
	w.Write(make([]byte, 1<<20))
	w.Flush()
	first := out.Len()
	w.Write(make([]byte, 1<<20))
	w.Flush()
	return append(out.Bytes(), bytes.Repeat(out.Bytes()[first:], n-2)...)
}

func TestFiles(t *testing.T) {
	o := small(t)
	path := filepath.Join(t.TempDir(), "Höhen 富士.dat")
	for range 2 {
		if err := ogre.WriteFile(path, o); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ogre.ReadFile(path)
	if err != nil || !reflect.DeepEqual(got, o) {
		t.Errorf("%+v, %v", got, err)
	}
	bad := *o
	bad.QuadTree = nil
	if err := ogre.WriteFile(path, &bad); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a terrain without a quadtree: %v", err)
	}
	if err := os.WriteFile(path, []byte("no"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = ogre.ReadFile(path)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("two bytes: %v", err)
	}
	clean(t, err)
	for _, path := range []string{filepath.Dir(path), filepath.Join(path, "absent")} {
		if _, err := ogre.OpenFile(path); err == nil {
			t.Errorf("%s: no error", path)
		}
		if err := ogre.WriteFile(path, o); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%d files left, want 1", len(left))
	}
}

// TestEndOfChunk wants the trap of the package comment avoided, and met.
func TestEndOfChunk(t *testing.T) {
	o := small(t)
	name := make([]byte, 0, 1200)
	h := uint32(1)
	met := 0
	for range cap(name) {
		h = h*1664525 + 1013904223
		name = append(name, 'a'+byte(h>>24)%20)
		o.Layers[0].Textures[0] = string(name)
		b := write(t, o)
		_, stops := ogre.AppendTail(nil, &o.Tail)
		for _, s := range stops {
			if s == len(b) {
				t.Fatalf("a name of %d bytes: OGRE stops at %d", len(name), s)
			}
		}
		c := open(t, b).Chunks[0]
		z := bytes.NewReader(b[c.Offset+14:][:c.Stored])
		r, err := zlib.NewReader(z)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		if z.Len() > 0 {
			met++
			if !reflect.DeepEqual(read(t, b), o) {
				t.Errorf("a name of %d bytes: read otherwise", len(name))
			}
		}
	}
	if met == 0 {
		t.Error("the test never met the trap")
	}
}

// TestQuadTreeTrap writes a quadtree that begins like a map.
func TestQuadTreeTrap(t *testing.T) {
	o := small(t)
	o.QuadTree[0] = math.Float32frombits(binary.LittleEndian.Uint32([]byte("TDDA")))
	got := read(t, write(t, o))
	if got.QuadTree[0] != math.Nextafter32(o.QuadTree[0], 100) {
		t.Errorf("%v was written as %v", o.QuadTree[0], got.QuadTree[0])
	}
}

// TestWriteRefused wants nothing written of what is no terrain.
func TestWriteRefused(t *testing.T) {
	for i, change := range []func(*ogre.Terrain){
		func(o *ogre.Terrain) { o.Size = 10 },
		func(o *ogre.Terrain) { o.MaxBatch = 17 },
		func(o *ogre.Terrain) { o.WorldSize = float32(math.NaN()) },
		func(o *ogre.Terrain) { o.Heights = o.Heights[1:] },
		func(o *ogre.Terrain) { o.Deltas = nil },
		func(o *ogre.Terrain) { o.QuadTree = o.QuadTree[1:] },
		func(o *ogre.Terrain) { o.BlendSize = 0 },
		func(o *ogre.Terrain) { o.Blends[0] = o.Blends[0][1:] },
		func(o *ogre.Terrain) { o.Blends = append(o.Blends, o.Blends[0]) },
		func(o *ogre.Terrain) { o.Layers[1].Textures = nil },
		func(o *ogre.Terrain) { o.Layers = make([]ogre.Layer, 256) },
		func(o *ogre.Terrain) { o.Layers[0].Textures[0] = strings.Repeat("x", 1<<17) },
		func(o *ogre.Terrain) { o.Maps[0].Name = "nightmap" },
		func(o *ogre.Terrain) { o.Maps[0].Size++ },
	} {
		o := small(t)
		change(o)
		var b bytes.Buffer
		if err := ogre.Write(&b, o); err == nil || b.Len() > 0 {
			t.Errorf("change %d: %d bytes, %v", i, b.Len(), err)
		}
	}
}

// broken is an input whose reads fail.
type broken struct{}

var errBroken = fmt.Errorf("the disk is gone")

func (b broken) ReadAt(p []byte, off int64) (int, error) { return 0, errBroken }

// TestInputError wants input errors passed on, not called damage.
func TestInputError(t *testing.T) {
	_, err := ogre.Open(broken{}, 1000)
	if !errors.Is(err, errBroken) || errors.Is(err, ogre.ErrCorrupt) {
		t.Error(err)
	}
	b := write(t, small(t))
	for from := range int64(len(b)) {
		r, err := ogre.Open(failing{bytes.NewReader(b), from}, int64(len(b)))
		if err == nil {
			_, err = r.Terrain()
		}
		if !errors.Is(err, errBroken) || errors.Is(err, ogre.ErrCorrupt) {
			t.Fatalf("from byte %d on: %v", from, err)
		}
	}
}

// failing fails for bytes from some place on.
type failing struct {
	io.ReaderAt
	from int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= f.from {
		return f.ReaderAt.ReadAt(p, off)
	}
	n := 0
	if off < f.from {
		n, _ = f.ReaderAt.ReadAt(p[:f.from-off], off)
	}
	return n, errBroken
}
