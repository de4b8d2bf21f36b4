package chunkfile_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// sharded writes w in shards of one row of tiles.
func sharded(t *testing.T, w *world, path string) {
	t.Helper()
	wr, err := chunkfile.Create(path, &w.World, &chunkfile.WriterOptions{ShardRows: 1})
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
	var size int64
	for _, name := range namesIn(t, filepath.Dir(path)) {
		if strings.HasSuffix(name, "abce.vkt") {
			continue
		}
		st, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		size += st.Size()
	}
	if s := wr.Stats(); s.BytesTotal != size {
		t.Errorf("%d bytes in files of %d", s.BytesTotal, size)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestShards: a world in several files is the same world, each file is a part of
// it, and what is missing does not keep the rest from being read.
func TestShards(t *testing.T) {
	w := fill(60, 100, 33, smooth(7))
	dir := t.TempDir()
	path := filepath.Join(dir, "welt 世界.vkt")
	sharded(t, w, path)
	names := namesIn(t, dir)
	if len(names) != 5 { // four rows of tiles
		t.Fatalf("files %q", names)
	}
	for _, open := range []func() (*chunkfile.Reader, error){
		func() (*chunkfile.Reader, error) { return chunkfile.OpenFile(path) },
		func() (*chunkfile.Reader, error) { return chunkfile.OpenFS(os.DirFS(dir), filepath.Base(path)) },
	} {
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*r.World(), w.World) || !reflect.DeepEqual(r.Tiles(), w.infos) || len(r.Problems()) != 0 {
			t.Errorf("another world: %+v", r.World())
		}
		d := chunkfile.NewDecoder()
		for i := range w.infos {
			tile, err := r.ReadTile(d, w.infos[i].Key, 0)
			if err != nil {
				t.Fatal(err)
			}
			if msg := differs(tile.Verts, w.verts[i], w.Layout()); msg != "" {
				t.Errorf("tile %v: %s", w.infos[i].Key, msg)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	// The second shard alone.
	shard := filepath.Join(dir, names[1])
	r, err := chunkfile.OpenFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Tiles()); n != 2 || r.Tiles()[0].Key != (terrain.Key{Y: 1}) || r.Tile(terrain.Key{}) != nil {
		t.Errorf("shard has tiles %+v", r.Tiles())
	}
	if _, err := r.ReadTile(chunkfile.NewDecoder(), terrain.Key{X: 1, Y: 1}, 0); err != nil {
		t.Error(err)
	}
	r.Close()
	// Without it, and with one that is cut.
	if err := os.Remove(shard); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, names[2]), 1000); err != nil {
		t.Fatal(err)
	}
	if r, err = chunkfile.OpenFile(path); err != nil {
		t.Fatal(err)
	}
	if p := r.Problems(); len(p) != 2 || !errors.Is(p[0], fs.ErrNotExist) || !strings.Contains(p[0].Error(), names[1]) || !errors.Is(p[1], chunkfile.ErrCorrupt) {
		t.Errorf("problems %v", p)
	}
	if n := len(r.Tiles()); n != 4 || r.Tile(terrain.Key{Y: 1}) != nil || r.Tile(terrain.Key{Y: 3}) == nil {
		t.Errorf("%d tiles are left", n)
	}
	tile, err := r.ReadTile(chunkfile.NewDecoder(), terrain.Key{X: 1, Y: 3}, 0)
	if err != nil || differs(tile.Verts, w.verts[7], w.Layout()) != "" {
		t.Errorf("the last tile: %v", err)
	}
	r.Close()
	// A new world takes the old one's place, and its shards', and what killed programs left.
	for _, name := range []string{"." + filepath.Base(path) + ".partial-0009", "welt 世界-0007-0123abcd.vkt"} {
		if err := os.WriteFile(filepath.Join(dir, name), must(os.ReadFile(filepath.Join(dir, names[3]))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(dir, "welt 世界-0007-0123abce.vkt") // looks like one, and is none
	if err := os.WriteFile(other, []byte("notes"), 0o666); err != nil {
		t.Fatal(err)
	}
	sharded(t, fill(60, 40, 33, smooth(8)), path)
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, dir); len(names) != 3 {
		t.Errorf("files %q", names)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestResumeShards: as TestResume, with shards.
func TestResumeShards(t *testing.T) {
	w := fill(60, 100, 33, smooth(7))
	whole := filepath.Join(t.TempDir(), "w.vkt")
	sharded(t, w, whole)
	for n := range w.infos {
		path := filepath.Join(t.TempDir(), "w.vkt")
		wr, err := chunkfile.Create(path, &w.World, &chunkfile.WriterOptions{ShardRows: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		state, err := wr.State()
		if err != nil {
			t.Fatal(err)
		}
		chunkfile.Kill(wr)
		if wr, err = chunkfile.Resume(path, &w.World, state); err != nil {
			t.Fatalf("after %d tiles: %v", n, err)
		}
		for i := n; i < len(w.infos); i++ {
			if err := wr.WriteTile(&w.infos[i], w.verts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
		for _, name := range namesIn(t, filepath.Dir(whole)) {
			a, err := os.ReadFile(filepath.Join(filepath.Dir(whole), name))
			b, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), name))
			if err != nil || err2 != nil || !bytes.Equal(a, b) {
				t.Errorf("after %d tiles: %s differs: %v, %v", n, name, err, err2)
			}
		}
	}
}

// TestFS opens a world in a file system whose files only stream.
func TestFS(t *testing.T) {
	w := fill(40, 33, 17, smooth(3))
	b := write(t, w)
	for _, fsys := range []fs.FS{fstest.MapFS{"a/w.vkt": {Data: b}}, streaming{fstest.MapFS{"a/w.vkt": {Data: b}}}} {
		r, err := chunkfile.OpenFS(fsys, "a/w.vkt")
		if err != nil {
			t.Fatal(err)
		}
		tile, err := r.ReadTile(chunkfile.NewDecoder(), terrain.Key{X: 1, Y: 1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if msg := differs(tile.Verts, w.verts[4], w.Layout()); msg != "" {
			t.Error(msg)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := chunkfile.OpenFS(fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// streaming hides that files can be read at any place.
type streaming struct{ fs.FS }

func (s streaming) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

// TestLostLevels: a tile that has lost its finest levels reads as far as it goes.
func TestLostLevels(t *testing.T) {
	w := fill(65, 33, 33, smooth(5))
	path := filepath.Join(t.TempDir(), "w.vkt")
	wr, err := chunkfile.Create(path, &w.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := w.Layout().Count(1)
	if err := wr.WriteTile(&w.infos[0], w.verts[0][:n]); err != nil {
		t.Fatal(err)
	}
	if err := wr.WriteTile(&w.infos[1], w.verts[1]); err != nil {
		t.Fatal(err)
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d := chunkfile.NewDecoder()
	tile, err := r.ReadTile(d, terrain.Key{}, 0)
	if err != nil || tile.Level != 1 || r.Finest(terrain.Key{}) != 1 || r.Finest(terrain.Key{X: 1}) != 0 {
		t.Fatalf("level %d: %v", tile.Level, err)
	}
	if msg := differs(tile.Verts, w.verts[0], w.Layout()); msg != "" {
		t.Error(msg)
	}
	verts := make([]terrain.Vertex, len(w.verts[0]))
	if err := r.ReadLevel(d, verts, terrain.Key{}, 0); !errors.Is(err, chunkfile.ErrMissing) || !strings.Contains(err.Error(), "tile 0,0 level 0") {
		t.Errorf("the lost level: %v", err)
	}
	if err := r.Verify(func(e chunkfile.ChunkError) { t.Error(e) }); err != nil {
		t.Error(err)
	}
}

// TestShadesMeet: sky view and curvature, as far as they are derived, are the same
// on both sides of a seam, on every level.
func TestShadesMeet(t *testing.T) {
	tw := testworld.New(testworld.Rough(100, 80, 3), 33, 5, 6)
	path := filepath.Join(t.TempDir(), "w.vkt")
	wr, err := chunkfile.Create(path, &tw.World, nil)
	if err != nil {
		t.Fatal(err)
	}
	nx, ny := tw.Tiles()
	for i := range nx * ny {
		k := terrain.Key{X: int32(i % nx), Y: int32(i / nx)}
		if err := wr.WriteTile(tw.Infos[k], tw.Tile(k, 0).Verts); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at := map[[2]int]terrain.Vertex{}
	d := chunkfile.NewDecoder()
	curvatures := map[uint8]bool{}
	for _, info := range r.Tiles() {
		tile, err := r.ReadTile(d, info.Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for id, p := range tw.Layout().Grid {
			v := tile.Verts[id]
			k := [2]int{int(info.Key.X)*32 + int(p.X), int(info.Key.Y)*32 + int(p.Z)}
			if k[0] >= tw.Width || k[1] >= tw.Height {
				continue
			}
			if o, ok := at[k]; ok && (o.SkyView != v.SkyView || o.Curvature != v.Curvature) {
				t.Fatalf("sample %v: %+v in one tile, %+v in another", k, o, v)
			}
			at[k] = v
			curvatures[v.Curvature] = true
		}
	}
	if len(curvatures) < 50 {
		t.Errorf("only %d curvatures", len(curvatures))
	}
}

// TestTrainer: tables made for a world code it better than those for any.
func TestTrainer(t *testing.T) {
	w := fill(257, 257, 129, smooth(5))
	tr := chunkfile.NewTrainer(&w.World)
	for i := range w.infos {
		tr.Add(w.infos[i].Key, w.verts[i])
	}
	size := func(tables *chunkfile.Tables) (n int) {
		e := chunkfile.NewEncoder(&w.World, tables)
		for i := range w.infos {
			n += e.EncodeTile(&w.infos[i], w.verts[i]).Bytes()
		}
		return n
	}
	if trained, any := size(tr.Tables()), size(nil); trained >= any {
		t.Errorf("%d bytes with tables of its own, %d without", trained, any)
	}
}

// TestStream: what is written in parts that are compressed and parts that are not
// reads as one.
func TestStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var want []byte
	var out bytes.Buffer
	s := chunkfile.NewStreamWriter(&out)
	for i := range 40 {
		part := make([]byte, rng.IntN(1+1<<(i%22)))
		if i%3 == 0 {
			for k := range part {
				part[k] = byte(rng.Uint32())
			}
		}
		switch rng.IntN(3) {
		case 0:
			s.StartCompressing()
		case 1:
			s.StopCompressing()
		}
		if n, err := s.Write(part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
		want = append(want, part...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte{1}); err == nil {
		t.Error("wrote to a closed stream")
	}
	if out.Len() > len(want)*3/4 {
		t.Errorf("%d bytes became %d", len(want), out.Len())
	}
	b := out.Bytes()
	in := bytes.NewReader(append(bytes.Clone(b), 1, 2, 3))
	got, err := io.ReadAll(chunkfile.NewStreamReader(in))
	if err != nil || !bytes.Equal(got, want) || in.Len() != 3 {
		t.Fatalf("%d bytes of %d, %d left: %v", len(got), len(want), in.Len(), err)
	}
	for range 300 {
		c := bytes.Clone(b)
		c[rng.IntN(len(c))] ^= 1 << rng.IntN(8)
		if _, err := io.ReadAll(chunkfile.NewStreamReader(bytes.NewReader(c))); !errors.Is(err, chunkfile.ErrCorrupt) {
			t.Fatalf("a flipped bit: %v", err)
		}
		if _, err := io.ReadAll(chunkfile.NewStreamReader(bytes.NewReader(b[:rng.IntN(len(b))]))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("a cut stream: %v", err)
		}
	}
}

// TestStreamBomb: a run cannot become more than it may.
func TestStreamBomb(t *testing.T) {
	var out bytes.Buffer
	s := chunkfile.NewStreamWriter(&out)
	s.StartCompressing()
	if _, err := s.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	b[8] = 0x7f // bytes it becomes: 2 GB
	if _, err := io.ReadAll(chunkfile.NewStreamReader(bytes.NewReader(b))); !errors.Is(err, chunkfile.ErrCorrupt) {
		t.Error(err)
	}
}
