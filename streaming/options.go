package streaming

import (
	"runtime"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
)

// Options adjust a [Manager]. The zero value works.
type Options struct {
	// Loaders is how many goroutines read; 0 means one less than there are
	// processors, between 1 and 4.
	Loaders int
	// Reads is how many reads of a [Ranged] source are under way at most, beside the
	// loaders, which decode then; 0 means 16. More hide more of the time that a slow
	// medium takes.
	Reads int
	// ReadBytes is how many bytes are read at once at most, if they are of several levels
	// that lie close together; 0 means 256 KiB. The slower the medium, the farther
	// apart they may be.
	ReadBytes int64
	// InFlight is how many levels may be with the loaders; 0 means two for each of them and
	// each read. What waits is ranked again as cameras move.
	InFlight int
	// Timeout is how long a read may take before it counts as failed and is not waited for
	// any more; 0 means 30 s, below 0 for ever.
	Timeout time.Duration
	// Sync makes Update itself read until every target is prepared, without
	// any loader: for pictures that must repeat.
	Sync bool

	// Fixed, if it returns true, is the level to load of a tile instead of what
	// the view needs, or [None]. See [Manager.SetFixed].
	Fixed func(k terrain.Key) (terrain.Level, bool)

	// A level is evicted when a view that reaches HoldMargin farther (0.25 is
	// the default, a quarter) has not needed it for HoldUpdates updates (120).
	// Negative values mean none.
	HoldMargin  float64
	HoldUpdates int

	// Budget bounds what is held and done; see [Manager.SetBudget].
	Budget Budget

	// Attempts is how often a level is tried before [Manager.Settled] stops
	// waiting for it; 0 means 3. It is tried on, at last every ten seconds.
	Attempts int

	Listener Listener

	// Sinking lets levels sink before they are not drawn any more; without, they go at once.
	Sinking Sinking

	// Readers, if set, are goroutines beside the manager's own that look at
	// Tile.CPU. A Listener that hears of a change must take what was replaced away
	// from them before it returns.
	Readers Readers

	// Trace, if set, records what becomes of levels.
	Trace *Trace

	// Now is the clock for retries; nil means [time.Now].
	Now func() time.Time

	// Before, if set, is called before each piece of work that may take long, on the
	// goroutine that is about to do it: any number at a time. An error is taken for that of
	// the work, which is not done then. It is for tests: of slow media, of faults, and of
	// who does what.
	Before func(w Work, k terrain.Key, level terrain.Level) error
}

// Work is what may take long.
type Work uint8

const (
	Asking   Work = iota // of what there is of a tile, by a [Pager]
	Reading              // of a level, and with a [Source] that is not [Ranged] decoding
	Decoding             // of a level that has been read
)

// fill replaces zeros.
func (o *Options) fill(src Source) {
	if o.Loaders <= 0 {
		o.Loaders = min(4, max(1, runtime.GOMAXPROCS(0)-1))
	}
	if o.Reads <= 0 {
		o.Reads = 16
	}
	if o.ReadBytes <= 0 {
		o.ReadBytes = 256 << 10
	}
	if o.InFlight <= 0 {
		o.InFlight = 2 * o.Loaders
		if _, ok := src.(Ranged); ok && !o.Sync {
			o.InFlight += 2 * o.Reads
		}
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.HoldMargin == 0 {
		o.HoldMargin = 0.25
	}
	if o.HoldUpdates == 0 {
		o.HoldUpdates = 120
	}
	if o.Attempts <= 0 {
		o.Attempts = 3
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// CPUTotal returns all bytes in CPU memory that a cap bounds.
func (s *Stats) CPUTotal() int64 {
	return s.CPUBytes + s.ReadingBytes + s.PooledBytes + s.StuckBytes + s.RawBytes + s.RetiredBytes + s.ReplacingBytes
}

// Readers says when vertices that were replaced may be used for something else.
// The goroutine that calls the manager calls it.
type Readers interface {
	// Now returns a number for what has been taken away from readers so far.
	Now() uint64
	// Passed says whether no reader looks at what had been taken away by then. It
	// must not wait.
	Passed(number uint64) bool
}

// Listener is told what happens, on the goroutine that calls the manager. Its
// functions may be nil, must not wait, and must not call the manager.
type Listener struct {
	LevelPrepared func(t *Tile, level terrain.Level)
	LevelLoaded   func(t *Tile, level terrain.Level)
	// LevelUnloaded is the counterpart of LevelLoaded: it is not drawn from here on.
	LevelUnloaded func(t *Tile, level terrain.Level)
	// LevelFailed is told once, until the level has been read after all. The error names
	// tile and level.
	LevelFailed func(t *Tile, level terrain.Level, err error)
	// LevelEvicted is the counterpart of LevelPrepared.
	LevelEvicted func(t *Tile, level terrain.Level)
	// BudgetHit is told when the cameras begin to want more than a cap allows, in bytes,
	// and again after that was over.
	BudgetHit func(c Cap, wanted, allowed int64)
	// TileRemoved is told of every tile that is forgotten, see [Manager.Remove]: it may be
	// used again for another one afterwards.
	TileRemoved func(t *Tile)
	// TileReplaced is told of every tile that has become another, see [Manager.Replace].
	TileReplaced func(t *Tile)
}

// Stats is what there is and what has happened so far.
type Stats struct {
	Tiles, Shown int // of the world; with anything loaded

	// Levels in that state.
	Preparing, Cancelled, Stuck, Failed, Prepared, Uploading, Loaded, Unloading int

	CPUBytes       int64 // vertices of prepared levels
	ReadingBytes   int64 // buffers that loaders fill
	PooledBytes    int64 // buffers waiting for reuse
	StuckBytes     int64 // buffers of reads that are not waited for
	RawBytes       int64 // buffers of readers, as stored
	RetiredBytes   int64 // vertices that others than the manager may look at still
	ReplacingBytes int64 // vertices of tiles on their way to become others
	GPUBytes       int64 // vertices of levels uploading, loaded or unloading

	Limited     int   // tiles that budgets keep coarser than they should be
	WantedBytes int64 // all that the cameras want, on the GPU

	Sinking int    // levels that sink before they are not drawn any more
	Abrupt  uint64 // levels that were seen and went before they had sunk, for a budget's sake

	Updates   uint64
	Reads     uint64 // levels that became prepared
	Failures  uint64 // attempts to read that failed
	Dropped   uint64 // levels read or given up because the target had changed
	Evictions uint64
	Replaced  uint64 // tiles that became others
	Changes   uint64 // of what is loaded: while it stays, so do all Tile.Loaded and Tile.Near
	Added     uint64 // tiles that there have been so far
	Waits     uint64 // times that the manager's goroutine itself read, or waited for others
}
