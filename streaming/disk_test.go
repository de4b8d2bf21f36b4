package streaming_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

var _ streaming.Ranged = (*chunkfile.Reader)(nil)

// disk holds a world file, and can be slow and broken.
type disk struct {
	data  []byte
	delay time.Duration
	// fault says what goes wrong with a read; it may wait, and change the bytes.
	fault func(b []byte, offset int64) error

	mu    sync.Mutex
	reads int
	bytes int
	busy  int
	most  int // reads at a time
}

func (d *disk) ReadAt(b []byte, offset int64) (int, error) {
	d.mu.Lock()
	d.reads++
	d.bytes += len(b)
	d.busy++
	d.most = max(d.most, d.busy)
	fault := d.fault
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.busy--
		d.mu.Unlock()
	}()
	if d.delay > 0 {
		time.Sleep(d.delay)
	}
	n, err := bytes.NewReader(d.data).ReadAt(b, offset)
	if err == nil && fault != nil {
		if err = fault(b, offset); err != nil {
			return 0, err
		}
	}
	return n, err
}

// breaks sets what goes wrong from here on.
func (d *disk) breaks(fault func(b []byte, offset int64) error) {
	d.mu.Lock()
	d.fault = fault
	d.mu.Unlock()
}

// onDisk is a world in a file, and what it holds.
type onDisk struct {
	gone  []sent
	*fake // whose vertices are those that were written
	disk  *disk
	file  *chunkfile.Reader
	truth map[terrain.Key]*terrain.Tile
}

var files sync.Map

// newDisk writes the world of newFake(n) and opens it.
func newDisk(t testing.TB, n int) *onDisk {
	t.Helper()
	f := newFake(n)
	data, ok := files.Load(n)
	if !ok {
		path := filepath.Join(t.TempDir(), "world.vkt")
		w, err := chunkfile.Create(path, &f.world.World, nil)
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
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data, _ = files.LoadOrStore(n, b)
	}
	d := &onDisk{fake: f, disk: &disk{data: data.([]byte)}, truth: map[terrain.Key]*terrain.Tile{}}
	var err error
	if d.file, err = chunkfile.Open(d.disk, int64(len(d.disk.data))); err != nil {
		t.Fatal(err)
	}
	decoder := chunkfile.NewDecoder()
	for i := range f.tiles {
		if d.truth[f.tiles[i].Key], err = d.file.ReadTile(decoder, f.tiles[i].Key, 0); err != nil {
			t.Fatal(err)
		}
	}
	d.disk.reads, d.disk.bytes, d.disk.most = 0, 0, 0
	return d
}

// frames draws as a pipeline without any delay would, and checks what it is given.
func (d *onDisk) frame(t *testing.T, m *streaming.Manager, laws ...*lodcpu.Law) {
	t.Helper()
	m.Update(laws...)
	m.Evictions(func(tile *streaming.Tile, level terrain.Level) {
		d.gone = append(d.gone, sent{tile: tile, level: level})
	})
	for _, s := range d.gone {
		m.Unloaded(s.tile, s.level)
	}
	d.gone = d.gone[:0]
	var now []sent
	m.Uploads(0, func(u streaming.Upload) bool {
		if lo := u.First; !slices.Equal(u.Verts, d.truth[u.Tile.Info.Key].Verts[lo:lo+len(u.Verts)]) {
			t.Errorf("tile %v level %d: wrong vertices", u.Tile.Info.Key, u.Level)
		}
		now = append(now, sent{tile: u.Tile, level: u.Level})
		return true
	})
	for _, s := range now {
		m.Loaded(s.tile, s.level)
	}
	if err := streaming.Check(m); err != nil {
		t.Fatal(err)
	}
}

// TestManyReads starts cold on a medium that takes 50 ms a read: the coarsest levels of
// all tiles come before anything else, in less time than one after another, the
// nearest first; and levels that lie together are read together. Case STREAM-2.
func TestManyReads(t *testing.T) {
	d := newDisk(t, 9)
	for _, reads := range []int{1, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			disk := &disk{data: d.disk.data, delay: 50 * time.Millisecond}
			file, err := chunkfile.Open(disk, int64(len(disk.data)))
			if err != nil {
				t.Fatal(err)
			}
			disk.reads = 0
			levels, frame, fine := 0, 0, 0 // fine: the first frame with something fine
			var m *streaming.Manager
			m = streaming.New(file, streaming.Options{Loaders: 2, Reads: reads, Listener: streaming.Listener{
				LevelPrepared: func(tile *streaming.Tile, level terrain.Level) {
					if levels++; level < 2 && fine == 0 {
						fine = frame
					} else if level == 2 && fine > 0 && fine < frame {
						t.Errorf("tile %v comes after something fine", tile.Info.Key)
					}
				},
			}})
			start, law := time.Now(), d.lookFrom(4, 4, 100, 10)
			shown, settled := time.Duration(0), time.Duration(0)
			for settled == 0 {
				frame++
				before := time.Now()
				d.frame(t, m, law)
				if waited := time.Since(before); waited != 0 {
					t.Fatalf("a frame waits %v", waited)
				}
				if shown == 0 && len(m.Tiles()) == 81 {
					shown = time.Since(start)
				}
				if m.Settled() {
					settled = time.Since(start)
				}
				time.Sleep(time.Second / 60)
			}
			t.Logf("%2d reads at a time: all shown after %v, settled after %v, %d levels in %d reads", reads, shown, settled, levels, disk.reads)
			if bound := 81 * disk.delay / time.Duration(reads) * 3 / 2; shown > bound {
				t.Errorf("%d reads at a time: all shown after %v, want %v", reads, shown, bound)
			}
			if disk.most != reads || disk.reads >= levels {
				t.Errorf("%d reads at a time, %d levels in %d reads", disk.most, levels, disk.reads)
			}
			if got, want := loaded(m), d.wants(law); !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			closed(t, m)
		})
	}
}

// TestRunsAreCut: of levels that are read together some are not wanted any more, before
// or after they have come.
func TestRunsAreCut(t *testing.T) {
	d := newDisk(t, 1)
	for late := range 120 {
		synctest.Test(t, func(t *testing.T) {
			disk := &disk{data: d.disk.data, delay: 50 * time.Millisecond}
			file, err := chunkfile.Open(disk, int64(len(disk.data)))
			if err != nil {
				t.Fatal(err)
			}
			m := streaming.New(file, streaming.Options{Loaders: 1, Reads: 1})
			if err := m.SetStrategy(streaming.NoStrategy); err != nil {
				t.Fatal(err)
			}
			defer closed(t, m)
			m.Load(0, 0, 2, false)
			for range 10 {
				d.frame(t, m)
				time.Sleep(time.Second / 60)
			}
			m.Load(0, 0, 0, false)
			d.frame(t, m)
			if s := m.Stats(); s.Preparing != 2 {
				t.Fatalf("%+v", s)
			}
			time.Sleep(time.Duration(late) * time.Millisecond)
			to := terrain.Level(1 + late%2)
			m.Load(0, 0, to, false)
			for range 20 {
				d.frame(t, m)
				time.Sleep(time.Second / 60)
			}
			tile := m.Tile(terrain.Key{})
			if tile.Loaded != to || tile.Prepared != to || m.Stats().Dropped == 0 && late < 50 {
				t.Fatalf("%d ms late: loaded %d, prepared %d, want %d: %+v", late, tile.Loaded, tile.Prepared, to, m.Stats())
			}
		})
	}
}

// TestReranks lets cameras move while levels wait for a loader.
func TestReranks(t *testing.T) {
	f := newFake(6)
	m := streaming.NewManual(f, streaming.Options{InFlight: 40, HoldMargin: -1, HoldUpdates: -1})
	order := func(law *lodcpu.Law, what string) {
		t.Helper()
		m.Update(law)
		last := -1.0
		for _, a := range m.Waiting() {
			d := distance(f, law, a.Key)
			if d < last {
				t.Fatalf("%s: tile %v waits behind a farther one", what, a.Key)
			}
			last = d
		}
		if err := streaming.Check(m.Manager); err != nil {
			t.Fatal(err)
		}
	}
	order(f.within(0, 0, 100), "at first")
	order(f.within(6, 6, 100), "after a leap")
	for len(m.Pending()) > 0 {
		m.Read(0)
	}
	// Now fine levels wait, are withdrawn unread, and others come instead.
	here, there := f.within(0.5, 0.5, 1), f.within(5.5, 5.5, 1)
	m.Update(here)
	if w := m.Waiting(); len(w) != 4 {
		t.Fatalf("%v wait", w)
	}
	m.Update(there)
	for _, a := range m.Waiting() {
		if a.Key.X < 4 || a.Key.Y < 4 {
			t.Errorf("%v waits still", a)
		}
	}
	if s := m.Stats(); s.Dropped != 4 || len(f.log) != 36 {
		t.Errorf("%+v, %d reads", s, len(f.log))
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

// TestPreempts: where all that may be with the loaders waits, what comes before it in
// rank takes its place.
func TestPreempts(t *testing.T) {
	f := newFake(6)
	m := streaming.NewManual(f, streaming.Options{InFlight: 4, HoldMargin: -1})
	m.Update(f.within(0, 0, 100))
	m.Update(f.within(6, 6, 100))
	for _, a := range m.Waiting() {
		if a.Key.X < 4 || a.Key.Y < 4 {
			t.Errorf("%v waits still", a)
		}
	}
	if w := m.Waiting(); len(w) != 4 {
		t.Errorf("%v wait", w)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

// TestStuck: reads that do not return keep nothing else, are told of once, and are tried
// again when they do.
func TestStuck(t *testing.T) {
	d := newDisk(t, 4)
	for _, ranged := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			back := make(chan struct{})
			bad := terrain.Key{X: 2, Y: 1}
			_, from, _ := d.file.Place(bad, 2)
			_, to, size := d.file.Place(bad, 0)
			disk := &disk{data: d.disk.data, delay: 5 * time.Millisecond}
			file, err := chunkfile.Open(disk, int64(len(disk.data)))
			if err != nil {
				t.Fatal(err)
			}
			disk.breaks(func(b []byte, offset int64) error {
				if offset < to+size && offset+int64(len(b)) > from {
					<-back
				}
				return nil
			})
			var src streaming.Source = file
			if !ranged {
				src = plain{file}
			}
			told := map[terrain.Key]int{}
			m := streaming.New(src, streaming.Options{
				Loaders: 2, Reads: 2, Timeout: time.Second,
				Listener: streaming.Listener{LevelFailed: func(tile *streaming.Tile, _ terrain.Level, err error) {
					told[tile.Info.Key]++
					if !errors.Is(err, streaming.ErrTimeout) || !strings.HasPrefix(err.Error(), "tile ") {
						t.Error(err)
					}
				}},
			})
			goroutines, law := runtime.NumGoroutine(), d.lookFrom(2, 2, 100, 10)
			run := func(d *onDisk, frames int) {
				for range frames {
					d.frame(t, m, law)
					time.Sleep(time.Second / 60)
				}
			}
			run(d, 600)
			want := d.wants(law)
			for k, level := range want {
				if got, ok := loaded(m)[k]; k == bad && ok || k != bad && got != level {
					t.Errorf("ranged %v: tile %v is at %d, want %d", ranged, k, got, level)
				}
			}
			if s := m.Stats(); s.Stuck != 1 || s.StuckBytes == 0 || told[bad] != 1 || !m.Settled() {
				t.Errorf("ranged %v: told %v, %+v", ranged, told, s)
			}
			if n := runtime.NumGoroutine(); n > goroutines+8 { // some reads were of what lies around
				t.Errorf("%d goroutines, were %d", n, goroutines)
			}
			close(back)
			run(d, 60)
			if got := loaded(m); !maps.Equal(got, want) || m.Stats().StuckBytes != 0 || m.Stats().Stuck != 0 {
				t.Errorf("ranged %v: %v, want %v; %+v", ranged, got, want, m.Stats())
			}
			closed(t, m)
			synctest.Wait()
			if n := runtime.NumGoroutine(); n > goroutines-2 {
				t.Errorf("%d goroutines are left", n)
			}
		})
	}
}

// plain hides that a source is ranged.
type plain struct{ streaming.Source }

// interruptible is a source whose reads hang until it is interrupted.
type interruptible struct {
	streaming.Source
	end chan struct{}
}

func (i *interruptible) Interrupt() { close(i.end) }
func (i *interruptible) ReadLevel(*chunkfile.Decoder, []terrain.Vertex, terrain.Key, terrain.Level) error {
	<-i.end
	return io.ErrClosedPipe
}

func TestCloseInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &interruptible{newFake(3), make(chan struct{})}
		m := streaming.New(src, streaming.Options{Loaders: 3})
		m.Update(newFake(3).lookFrom(1, 1, 100, 10))
		synctest.Wait()
		closed(t, m)
	})
}

// TestFaults damages reads in all ways there are: the tile stays at what it has, the
// others do not care, one warning names it and the cause, and it recovers.
func TestFaults(t *testing.T) {
	d := newDisk(t, 3)
	bad := terrain.Key{X: 1, Y: 1}
	_, at, size := d.file.Place(bad, 1)
	hit := func(b []byte, offset int64) []byte { // the bytes of the level in b
		lo, hi := max(at-offset, 0), min(at+size-offset, int64(len(b)))
		if lo >= hi {
			return nil
		}
		return b[lo:hi]
	}
	for name, fault := range map[string]func(b []byte, offset int64) error{
		"input/output error": func(b []byte, offset int64) error {
			if hit(b, offset) != nil {
				return errors.New("input/output error")
			}
			return nil
		},
		"the file ends here": func(b []byte, offset int64) error { // the file was cut in the middle of the level
			if offset+int64(len(b)) > at+size/2 && hit(b, offset) != nil {
				return io.ErrUnexpectedEOF
			}
			return nil
		},
		"checksum does not match": func(b []byte, offset int64) error {
			if h := hit(b, offset); h != nil {
				h[len(h)/2] ^= 0x10
			}
			return nil
		},
		"checksum": func(b []byte, offset int64) error { // another file lies there
			clear(hit(b, offset))
			return nil
		},
	} {
		for _, delay := range []time.Duration{0, 20 * time.Millisecond} { // levels one by one, and together
			synctest.Test(t, func(t *testing.T) {
				disk := &disk{data: d.disk.data, delay: delay}
				file, err := chunkfile.Open(disk, int64(len(disk.data)))
				if err != nil {
					t.Fatal(err)
				}
				disk.breaks(fault)
				var told []string
				m := streaming.New(file, streaming.Options{
					Loaders: 2, Reads: 4,
					Fixed: func(terrain.Key) (terrain.Level, bool) { return 0, true },
					Listener: streaming.Listener{LevelFailed: func(tile *streaming.Tile, level terrain.Level, err error) {
						told = append(told, tile.Info.Key.String()+": "+err.Error())
					}},
				})
				law := d.lookFrom(1, 1, 100, 10)
				run := func(seconds int) {
					for range seconds * 60 {
						d.frame(t, m, law)
						time.Sleep(time.Second / 60)
					}
				}
				run(10)
				if len(told) != 1 || !strings.HasPrefix(told[0], "1,1: ") || !strings.Contains(told[0], name) {
					t.Errorf("%s: told %q", name, told)
				}
				for k, level := range loaded(m) {
					if want := int8(2 * one(k == bad)); level != want {
						t.Errorf("%s: tile %v is at %d, want %d", name, k, level, want)
					}
				}
				if s := m.Stats(); s.Failures < 4 || s.Failures > 9 || !m.Settled() {
					t.Errorf("%s: %+v", name, s)
				}
				disk.breaks(nil)
				run(11) // tried again every ten seconds at least
				if s := m.Stats(); s.Loaded != 27 || len(told) != 1 {
					t.Errorf("%s: not recovered: %+v", name, s)
				}
				closed(t, m)
			})
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
