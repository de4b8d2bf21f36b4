package streaming_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

var _ streaming.Ranged = (*streaming.File)(nil)

// writeWorld writes the world of f to path.
func writeWorld(t *testing.T, f *fake, path string, shardRows int) {
	t.Helper()
	w, err := chunkfile.Create(path, &f.world.World, &chunkfile.WriterOptions{ShardRows: shardRows})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.tiles {
		if err := w.WriteTile(&f.tiles[i], f.world.Tile(f.tiles[i].Key, 0).Verts); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// settleFile draws until nothing more comes for a while, or done says so.
func settleFile(m *streaming.Manager, law *lodcpu.Law, done func(s streaming.Stats) bool) streaming.Stats {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && !done(m.Stats()); time.Sleep(time.Millisecond) {
		m.Update(law)
		m.Uploads(0, func(u streaming.Upload) bool { return true })
		for _, tile := range streaming.All(m) {
			for level := range terrain.Level(3) {
				if tile.State(level) == streaming.Uploading {
					m.Loaded(tile, level)
				}
			}
		}
	}
	return m.Stats()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFileIsPutBack cuts a file while it is read, puts another world in its place, and then
// the same again.
func TestFileIsPutBack(t *testing.T) {
	f := newFake(3)
	dir := t.TempDir()
	path, good, other := filepath.Join(dir, "world.vkt"), filepath.Join(dir, "good.vkt"), filepath.Join(dir, "other.vkt")
	writeWorld(t, f, path, 0)
	writeWorld(t, f, good, 0)
	writeWorld(t, newFake(4), other, 0)
	file, err := streaming.OpenFile(path)
	must(t, err)
	told, law := 0, f.lookFrom(1, 1, 100, 5)
	m := streaming.New(file, streaming.Options{
		Loaders: 2, Fixed: func(terrain.Key) (terrain.Level, bool) { return 0, true },
		Listener: streaming.Listener{LevelFailed: func(*streaming.Tile, terrain.Level, error) { told++ }},
	})
	_, at, _ := file.Place(terrain.Key{X: 2, Y: 1}, 0)
	must(t, os.Truncate(path, at))
	s := settleFile(m, law, func(s streaming.Stats) bool { return s.Failed == 4 && s.Failures > 8 })
	if s.Loaded != 15+2 || told != 4 { // the rest of this tile, and three tiles
		t.Errorf("cut: told %d times, %+v", told, s)
	}
	must(t, os.Rename(other, path))
	if s = settleFile(m, law, func(s streaming.Stats) bool { return s.Failures > 14 }); s.Loaded != 17 {
		t.Errorf("another world: %+v", s)
	}
	must(t, os.Rename(good, path))
	if s = settleFile(m, law, func(s streaming.Stats) bool { return s.Loaded == 27 }); s.Loaded != 27 || s.Failed != 0 || told != 4 {
		t.Errorf("put back: told %d times, %+v", told, s)
	}
	closed(t, m)
	must(t, file.Close())
}

// TestMissingShard opens a world of which a shard is missing and one is cut: the rest is
// there, and what is put back is taken up. Case STREAM-9.
func TestMissingShard(t *testing.T) {
	f := newFake(3)
	dir := t.TempDir()
	path := filepath.Join(dir, "world.vkt")
	writeWorld(t, f, path, 1)
	var shards []string
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	for _, name := range names {
		if name != path {
			shards = append(shards, name)
		}
	}
	if len(shards) != 3 {
		t.Fatalf("%q", names)
	}
	bytes, err := os.ReadFile(shards[2])
	must(t, err)
	must(t, os.Rename(shards[1], shards[1]+".away"))
	must(t, os.Truncate(shards[2], 100))
	file, err := streaming.OpenFile(path)
	must(t, err)
	law := f.lookFrom(1, 1, 100, 5)
	m := streaming.New(file, streaming.Options{Loaders: 2})
	look := func(want int, missing ...string) {
		t.Helper()
		more, err := file.Look()
		for _, name := range missing {
			if err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Errorf("%v does not say that %s is missing", err, name)
			}
		}
		if len(more) != want || len(missing) == 0 && err != nil {
			t.Errorf("%d tiles come, want %d: %v", len(more), want, err)
		}
		for _, info := range more {
			m.Add(info)
		}
		all := len(streaming.All(m))
		s := settleFile(m, law, func(s streaming.Stats) bool { return s.Shown == all && m.Settled() })
		if s.Shown != all {
			t.Errorf("%d of %d tiles shown", s.Shown, all)
		}
	}
	look(0, shards[1], shards[2])
	must(t, os.Rename(shards[1]+".away", shards[1]))
	look(3, shards[2])
	must(t, os.WriteFile(shards[2], bytes, 0o600))
	look(3)
	look(0)
	if len(streaming.All(m)) != 9 {
		t.Errorf("%d tiles", len(streaming.All(m)))
	}
	closed(t, m)
	must(t, file.Close())
}

// moving is a file whose levels lie elsewhere once, after they have been read.
type moving struct {
	*chunkfile.Reader
	moved atomic.Bool
	times atomic.Int32
}

func (m *moving) Place(k terrain.Key, level terrain.Level) (file int, offset, size int64) {
	file, offset, size = m.Reader.Place(k, level)
	if m.moved.CompareAndSwap(true, false) {
		offset += 1 << 20
	}
	return file, offset, size
}

func (m *moving) ReadRange(file int, b []byte, offset int64) error {
	if m.times.Add(1) == 3 {
		m.moved.Store(true)
	}
	return m.Reader.ReadRange(file, b, offset)
}

// TestFileIsReplacedWhileRead replaces a file by one whose levels lie elsewhere, between
// reading and decoding: that read has failed, and the next one succeeds.
func TestFileIsReplacedWhileRead(t *testing.T) {
	f := newFake(1)
	path := filepath.Join(t.TempDir(), "world.vkt")
	writeWorld(t, f, path, 0)
	r, err := chunkfile.OpenFile(path)
	must(t, err)
	defer r.Close()
	m := streaming.New(&moving{Reader: r}, streaming.Options{Loaders: 1, Reads: 1, Fixed: func(terrain.Key) (terrain.Level, bool) { return 0, true }})
	s := settleFile(m, f.lookFrom(0, 0, 100, 5), func(s streaming.Stats) bool { return s.Loaded == 3 })
	if s.Loaded != 3 || s.Failures != 1 {
		t.Errorf("%+v", s)
	}
	closed(t, m)
}
