package streaming

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// File is a world file that is opened again when it was put back: a read that fails looks
// whether another file has its name by then, and if that is the same world goes on with
// it. Shards that were missing are taken up by Look.
type File struct {
	path  string
	first *chunkfile.Reader // whose world is told
	now   atomic.Pointer[chunkfile.Reader]

	mu     sync.Mutex // of what follows
	opened []*chunkfile.Reader
	stat   os.FileInfo
	looked time.Time
}

// reopenPause is the least time between two looks at what has the file's name.
const reopenPause = 100 * time.Millisecond

// OpenFile opens the world at path.
func OpenFile(path string) (*File, error) {
	stat, missing := os.Stat(path) // before it is opened, or what replaces it then would be missed
	r, err := chunkfile.OpenFile(path)
	if err != nil {
		return nil, err
	}
	if missing != nil {
		return nil, errors.Join(missing, r.Close())
	}
	f := &File{path: path, first: r, opened: []*chunkfile.Reader{r}, stat: stat}
	f.now.Store(r)
	return f, nil
}

// Close closes the file. No read may be under way.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	for _, r := range f.opened {
		err = errors.Join(err, r.Close())
	}
	f.opened = nil
	return err
}

// Reader returns the file as it is open now.
func (f *File) Reader() *chunkfile.Reader { return f.now.Load() }

// World describes the terrain.
func (f *File) World() *terrain.World { return f.first.World() }

// Tiles returns the tiles that there are; more may come by Look.
func (f *File) Tiles() []terrain.TileInfo { return f.now.Load().Tiles() }

// ReadLevel is that of the [chunkfile.Reader] that is open now.
func (f *File) ReadLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	r := f.now.Load()
	err := r.ReadLevel(d, verts, k, level)
	if err != nil && f.reopen(r) {
		return f.now.Load().ReadLevel(d, verts, k, level)
	}
	return err
}

// ReadTile is as ReadLevel.
func (f *File) ReadTile(d *chunkfile.Decoder, k terrain.Key, level terrain.Level) (*terrain.Tile, error) {
	r := f.now.Load()
	t, err := r.ReadTile(d, k, level)
	if err != nil && f.reopen(r) {
		return f.now.Load().ReadTile(d, k, level)
	}
	return t, err
}

// ReadLayer is as ReadLevel.
func (f *File) ReadLayer(d *chunkfile.Decoder, dst []byte, k terrain.Key, level terrain.Level, layer int) error {
	r := f.now.Load()
	err := r.ReadLayer(d, dst, k, level, layer)
	if err != nil && f.reopen(r) {
		return f.now.Load().ReadLayer(d, dst, k, level, layer)
	}
	return err
}

// Place is as ReadLevel.
func (f *File) Place(k terrain.Key, level terrain.Level) (file int, offset, size int64) {
	return f.now.Load().Place(k, level)
}

// ReadRange is as ReadLevel.
func (f *File) ReadRange(file int, b []byte, offset int64) error {
	r := f.now.Load()
	err := r.ReadRange(file, b, offset)
	if err != nil && f.reopen(r) {
		return f.now.Load().ReadRange(file, b, offset)
	}
	return err
}

// DecodeLevel is as ReadLevel, but that bytes of another file must be read again.
func (f *File) DecodeLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level, chunk []byte) error {
	r := f.now.Load()
	err := r.DecodeLevel(d, verts, k, level, chunk)
	if err != nil {
		f.reopen(r)
	}
	return err
}

// reopen opens what has the name of r by now, if that is another file with the same world,
// and says whether it has.
func (f *File) reopen(r *chunkfile.Reader) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.Load() != r {
		return true
	}
	if f.opened == nil || time.Since(f.looked) < reopenPause {
		return false
	}
	f.looked = time.Now()
	stat, err := os.Stat(f.path)
	if err != nil || os.SameFile(stat, f.stat) && stat.Size() == f.stat.Size() && stat.ModTime().Equal(f.stat.ModTime()) {
		return false
	}
	next, err := f.open()
	if err != nil {
		return false
	}
	f.stat = stat
	f.take(next)
	return true
}

// open opens the file anew, if it is the same world with no tile less.
func (f *File) open() (*chunkfile.Reader, error) {
	next, err := chunkfile.OpenFile(f.path)
	if err != nil {
		return nil, err
	}
	old := f.now.Load()
	a, b := *next.World(), *old.World()
	a.Holes, b.Holes = false, false // which follow from the tiles that are there
	same := reflect.DeepEqual(a, b)
	for i := range old.Tiles() {
		t := &old.Tiles()[i]
		same = same && reflect.DeepEqual(next.Tile(t.Key), t)
	}
	if !same {
		return nil, errors.Join(fmt.Errorf("%s: replaced by another world", f.path), next.Close())
	}
	return next, nil
}

// take makes next what is read. The one before stays open: it may be read still.
func (f *File) take(next *chunkfile.Reader) {
	f.opened = append(f.opened, next)
	f.now.Store(next)
}

// Look looks whether shards that are missing have come back, and returns the tiles that
// they bring, for [Manager.Add]. It reads: call it now and then, not on the goroutine that
// draws. An error says what is still missing, or that the file is another world.
func (f *File) Look() (more []*terrain.TileInfo, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.now.Load()
	if f.opened == nil || len(old.Problems()) == 0 {
		return nil, nil
	}
	next, err := f.open()
	if err != nil {
		return nil, err
	}
	for i := range next.Tiles() {
		if t := &next.Tiles()[i]; old.Tile(t.Key) == nil {
			more = append(more, t)
		}
	}
	err = errors.Join(next.Problems()...)
	if len(more) == 0 {
		return nil, errors.Join(err, next.Close())
	}
	f.take(next)
	return more, err
}
