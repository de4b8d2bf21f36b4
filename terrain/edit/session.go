package edit

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// DefaultJournalBytes is the bound of the zero Options.
const DefaultJournalBytes = 64 << 20

// MaxSamples is the largest number of samples of one edit.
const MaxSamples = 1 << 24

// maxHeight bounds heights in quanta, so that a float32 holds them exactly.
const maxHeight = 1 << 24

// ErrNothing is what Undo and Redo return if there is nothing to undo or redo.
var ErrNothing = errors.New("no edit is left")

// Options adjust a session. The zero value works.
type Options struct {
	// Journal is the file that keeps edits until they are saved; "" means ".NAME.edits"
	// beside the world. It is there only while it holds something.
	Journal string

	// JournalBytes bounds the part of the journal that serves to undo; 0 means
	// DefaultJournalBytes.
	JournalBytes int64

	// Workers is how many goroutines an edit uses; 0 means all processors.
	Workers int
}

// Session is a world file that is being edited. All its methods may be called from
// any goroutine; those that edit or save wait for each other.
type Session struct {
	path string
	o    Options
	now  atomic.Pointer[Snapshot]

	mu      sync.Mutex
	id      [32]byte            // of the file at the path
	readers []*chunkfile.Reader // all that snapshots may use, the last is that of now
	journal *journal
	broken  error                 // why nothing more can be edited
	grids   map[terrain.Key]*grid // of tiles as they are now, near the last edit
	sum     int64                 // of the heights that are no holes, in quanta
	count   int64                 // of them, 0 before it is known
}

// Open opens a world file, and goes on with edits that were not saved.
func Open(path string, o Options) (*Session, error) {
	if o.Journal == "" {
		o.Journal = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".edits")
	}
	if o.JournalBytes <= 0 {
		o.JournalBytes = DefaultJournalBytes
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	s := &Session{path: path, o: o}
	if err := s.openWorld(); err != nil {
		return nil, err
	}
	if err := s.openJournal(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openWorld opens the file at the path, as a snapshot without edits.
func (s *Session) openWorld() error {
	id, err := identity(s.path)
	if err != nil {
		return err
	}
	r, err := chunkfile.OpenFile(s.path)
	if err != nil {
		return err
	}
	if again, err := identity(s.path); err != nil || again != id {
		return errors.Join(fmt.Errorf("%s: it changes while it is opened", s.path), err, r.Close())
	}
	s.readers, s.id = append(s.readers, r), id
	tables := r.Tables()
	if tables == nil {
		tables = chunkfile.DefaultTables()
	}
	s.now.Store(&Snapshot{world: r.World(), file: r, tables: tables, edited: map[terrain.Key]*edited{}})
	return nil
}

// openJournal takes up a journal that is there.
func (s *Session) openJournal() error {
	j, patches, err := openJournal(s.o.Journal, s.id, s.o.JournalBytes, s.Now())
	if err != nil || j == nil {
		return err
	}
	s.journal = j
	if len(patches) == 0 {
		return nil
	}
	next, _, err := s.repair(patches)
	if err != nil {
		return fmt.Errorf("%s: %w", s.o.Journal, err)
	}
	s.now.Store(next)
	return nil
}

// Close closes the world. Edits that were not saved stay in the journal. Snapshots
// must not be used any more.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.journal != nil {
		errs = append(errs, s.journal.close())
		s.journal = nil
	}
	for _, r := range s.readers {
		errs = append(errs, r.Close())
	}
	s.readers = nil
	s.broken = errors.New("the session is closed")
	return errors.Join(errs...)
}

// Now returns the world as it is.
func (s *Session) Now() *Snapshot { return s.now.Load() }

// Change is what an edit has changed, see [Snapshot.Since].
type Change struct {
	Tiles    []TileChange
	Snapshot *Snapshot // after the edit
}

// Set gives a rectangle of samples heights, in quanta, row by row; those of which
// holes is true become holes, and all others heights. holes may be nil. A hole keeps
// the height that was there, for what is computed of its surroundings.
//
// When it returns, the edit is in the journal, and readers of the next snapshot see
// it. After an error nothing has changed. A rectangle outside the world, more than
// MaxSamples, a height of more than 24 bits, a tile whose heights span more than 16,
// tiles that the file has lost and a file that another program has written since it
// was opened are errors.
//
// It reads up to 5×5 tiles for an edit in one, codes up to 3×3, and waits for a disk.
func (s *Session) Set(x, z, width, height int, heights []int32, holes []bool) (*Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.check(x, z, width, height)
	if err != nil {
		return nil, err
	}
	if len(heights) != r.size() || holes != nil && len(holes) != r.size() {
		return nil, fmt.Errorf("%v: %d heights and %d holes", r, len(heights), len(holes))
	}
	old := patch{rect: r}
	if err := s.Now().read(&old); err != nil {
		return nil, err
	}
	next := patch{rect: r, samples: make([]int32, r.size())}
	for i, h := range heights {
		if holes != nil && holes[i] {
			next.samples[i] = old.samples[i] | 1
			continue
		}
		if h <= -maxHeight || h >= maxHeight {
			return nil, fmt.Errorf("%v: a height of %d units: more than 24 bits hold", r, h)
		}
		next.samples[i] = 2 * h
	}
	return s.edit(next, func() error { return s.journal.edit(&old, &next) })
}

// SetMetres is Set with heights in metres, which are rounded to quanta. Those that
// are NaN become holes.
func (s *Session) SetMetres(x, z, width, height int, metres []float64) (*Change, error) {
	quantum := s.Now().world.Quantum
	heights, holes := make([]int32, len(metres)), make([]bool, len(metres))
	for i, m := range metres {
		holes[i] = math.IsNaN(m)
		if !holes[i] {
			heights[i] = int32(math.Round(min(max(m/quantum, -maxHeight), maxHeight)))
		}
	}
	return s.Set(x, z, width, height, heights, holes)
}

// Heights reads a rectangle of samples, in quanta, row by row, and which of them are
// holes if holes is not nil.
func (s *Snapshot) Heights(x, z, width, height int, heights []int32, holes []bool) error {
	p := patch{rect: rect{x, z, width, height}}
	if err := p.check(s.world); err != nil {
		return err
	}
	if len(heights) != p.size() || holes != nil && len(holes) != p.size() {
		return fmt.Errorf("%v: %d heights and %d holes", p.rect, len(heights), len(holes))
	}
	if err := s.read(&p); err != nil {
		return err
	}
	for i, v := range p.samples {
		heights[i] = v >> 1
		if holes != nil {
			holes[i] = v&1 == 1
		}
	}
	return nil
}

// check says whether a rectangle is one of world w.
func (r rect) check(w *terrain.World) error {
	switch {
	case r.width < 1 || r.height < 1 || r.x < 0 || r.z < 0 || r.x > w.Width || r.z > w.Height ||
		r.width > w.Width-r.x || r.height > w.Height-r.z:
		return fmt.Errorf("%v: not in a world of %d×%d", r, w.Width, w.Height)
	case int64(r.width)*int64(r.height) > MaxSamples:
		return fmt.Errorf("%v: at most %d at a time", r, MaxSamples)
	}
	return nil
}

// check says whether a rectangle can be edited now.
func (s *Session) check(x, z, width, height int) (rect, error) {
	r := rect{x, z, width, height}
	if s.broken != nil {
		return r, s.broken
	}
	return r, r.check(s.Now().world)
}

// edit makes the world that p asks for the next snapshot, after note has put it into
// the journal.
func (s *Session) edit(p patch, note func() error) (*Change, error) {
	next, same, err := s.repair([]patch{p})
	if err != nil {
		return nil, err
	}
	before := s.Now()
	if same {
		return &Change{Snapshot: before}, nil
	}
	if s.journal == nil {
		err = s.startJournal()
	}
	if err == nil {
		err = note()
		s.broken = s.journal.broken
	}
	if err != nil {
		s.count, s.grids = 0, nil // what was counted is not to be
		return nil, err
	}
	s.now.Store(next)
	if s.journal.done == len(s.journal.steps) {
		// The edit is safe whatever comes of this, and the next one tries again.
		_ = s.journal.trim(next)
	}
	return &Change{Tiles: next.Since(before), Snapshot: next}, nil
}

// startJournal begins a journal. From then on no other session edits the world; one
// that did before may have saved.
func (s *Session) startJournal() error {
	j, err := createJournal(s.o.Journal, s.id, s.o.JournalBytes)
	if err != nil {
		return err
	}
	if err := s.unchanged(); err != nil {
		return errors.Join(err, j.remove())
	}
	s.journal = j
	return nil
}

// unchanged says that the file at the path is still the one that was opened.
func (s *Session) unchanged() error {
	id, err := identity(s.path)
	if err == nil && id != s.id {
		err = fmt.Errorf("%s: another program has written it since it was opened; open it again", s.path)
	}
	return err
}

// Undo takes back the last edit that is not undone. If no edit can be undone any
// more, it returns [ErrNothing].
func (s *Session) Undo() (*Change, error) { return s.step(true) }

// Redo makes an edit again that was undone, if none has come after it; otherwise it
// returns [ErrNothing].
func (s *Session) Redo() (*Change, error) { return s.step(false) }

func (s *Session) step(undo bool) (*Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, s.broken
	}
	if s.journal == nil {
		return nil, ErrNothing
	}
	p, err := s.journal.step(undo, s.Now().world)
	if err != nil {
		return nil, err
	}
	return s.edit(*p, func() error { return s.journal.stepped(undo) })
}

// Steps returns how many edits can be undone and redone.
func (s *Session) Steps() (undo, redo int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return 0, 0
	}
	return s.journal.done, len(s.journal.steps) - s.journal.done
}

// repair returns the snapshot after patches; same says that they change nothing.
func (s *Session) repair(patches []patch) (next *Snapshot, same bool, err error) {
	before := s.Now()
	sum, count, err := s.totals(before, patches)
	if err != nil {
		return nil, false, err
	}
	r := newRepair(before, patches, s.o.Workers)
	r.known = s.grids
	s.grids = nil // they are of no use if this comes to nothing
	if err := r.run(); err != nil {
		return nil, false, err
	}
	s.grids = r.kept
	if len(r.made) == 0 {
		return before, true, nil
	}
	next = &Snapshot{version: before.version + 1, file: before.file, tables: before.tables, edited: maps.Clone(before.edited)}
	for _, m := range r.made {
		e := &edited{info: m.info, code: m.code, at: next.version}
		if old := before.edited[m.key]; old != nil {
			e.changed = old.changed
		}
		for l := range e.changed {
			if m.levels.Has(terrain.Level(l)) {
				e.changed[l] = next.version
			}
		}
		next.edited[m.key] = e
	}
	next.world = next.describe(before.world)
	next.world.Radius = grown(before.world.Radius, r.steps)
	if sum != s.sum || count != s.count {
		next.world.Mean = float64(sum) / float64(count) * next.world.Quantum
	}
	s.sum, s.count = sum, count
	return next, false, nil
}

// describe returns the description of the world with the extremes of all tiles.
func (s *Snapshot) describe(old *terrain.World) *terrain.World {
	w := *old
	w.Radius = slices.Clone(old.Radius)
	w.Min, w.Max, w.Holes = math.MaxInt32, math.MinInt32, false
	take := func(t *terrain.TileInfo) {
		w.Min, w.Max, w.Holes = min(w.Min, t.Min), max(w.Max, t.Max), w.Holes || t.Holes
	}
	tiles := s.file.Tiles()
	for i := range tiles {
		if s.edited[tiles[i].Key] == nil {
			take(&tiles[i])
		}
	}
	for _, e := range s.edited {
		take(&e.info)
	}
	return &w
}

// totals returns sum and count of the heights after patches.
func (s *Session) totals(before *Snapshot, patches []patch) (sum, count int64, err error) {
	if s.count == 0 {
		if err := s.countHeights(before); err != nil {
			return 0, 0, err
		}
	}
	sum, count = s.sum, s.count
	for _, p := range patches {
		old := patch{rect: p.rect}
		if err := before.read(&old); err != nil {
			return 0, 0, err
		}
		for i, v := range p.samples {
			a, b := old.samples[i], v
			if a&1 == 0 {
				sum, count = sum-int64(a>>1), count-1
			}
			if b&1 == 0 {
				sum, count = sum+int64(b>>1), count+1
			}
		}
	}
	if count == 0 {
		return 0, 0, errors.New("all samples of the world would be holes")
	}
	return sum, count, nil
}

// countHeights counts the samples that are no holes, by looking at the tiles that
// have some, and finds the sum of their heights from the mean.
func (s *Session) countHeights(now *Snapshot) error {
	w := now.world
	s.count = int64(w.Width) * int64(w.Height)
	d := chunkfile.NewDecoder()
	for _, info := range now.Tiles() {
		if !info.Holes || now.file.Finest(info.Key) > 0 {
			continue
		}
		t, err := now.whole(d, info.Key)
		if err != nil {
			return err
		}
		c := w.TileSize - 1
		now.samples(t, func(_, id, x, z int) {
			// A sample of a seam is counted in one tile.
			if ownX, ownZ := x/c == int(info.Key.X) || x == w.Width-1, z/c == int(info.Key.Y) || z == w.Height-1; ownX && ownZ && t.Verts[id].Hole() {
				s.count--
			}
		})
	}
	s.sum = int64(math.Round(w.Mean / w.Quantum * float64(s.count)))
	return nil
}
