package streaming

import (
	"math"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// None stands for the level of a tile that has none: coarser than any.
const None terrain.Level = math.MaxUint8

// Tile is one tile of a [Manager]. Only the manager writes to it, User excepted.
type Tile struct {
	Info *terrain.TileInfo

	// CPU holds the samples of all prepared levels, nil if there are none. It
	// never changes, but [Manager.AutoUpdate] and [Manager.Evictions] may replace
	// it, and then use its memory for something else.
	CPU *terrain.Tile

	Target   terrain.Level // wanted
	Prepared terrain.Level // finest in CPU memory
	Loaded   terrain.Level // finest that the graphics queue can read, with all coarser ones

	// Near is what is loaded of this tile and its neighbours.
	Near lodcpu.Neighbourhood

	// User is the pipeline's.
	User any

	m       *Manager
	index   int      // in Manager.tiles
	around  [9]*Tile // nil where the world has no tile
	states  [terrain.MaxLevels]State
	entered [terrain.MaxLevels]time.Duration // when it came into the state, if that is traced
	goal    terrain.Level                    // Target, or coarser where budgets do not allow that
	keep    terrain.Level                    // finer levels may be evicted; never coarser than goal
	taken   terrain.Level                    // finest that is uploading or loaded
	sinking terrain.Level                    // that one, while it sinks; None if it does not

	removed  bool // to be forgotten once nothing of it is there
	prompt   bool // give up what is not wanted at once
	squeezed bool // give up all beyond goal at once

	fixed      bool // Target is fixedLevel, whatever the view
	fixedLevel terrain.Level

	stuck        int    // jobs that are not waited for
	uploading    int    // levels in that state
	unloading    int    // and in that
	job          *job   // with a loader, or nil
	wanting      bool   // goal is not prepared
	surplusSince uint64 // update when it began to hold more than keep, or 0
	failures     []failure
	failed       [1]failure // room for the first
	swap         *exchange  // what it is to become; until then nothing is loaded or given up, or nil
}

// State returns where level is.
func (t *Tile) State(level terrain.Level) State { return t.states[level] }

// failure is what is known of a level that could not be read.
type failure struct {
	level    terrain.Level
	attempts int
	err      error
	retry    time.Time
}

// failure returns the record of level, or nil.
func (t *Tile) failure(level terrain.Level) *failure {
	for i := range t.failures {
		if t.failures[i].level == level {
			return &t.failures[i]
		}
	}
	return nil
}

// Failure returns how often level could not be read, and why the last time; 0
// and nil if it never failed, or has been read since.
func (t *Tile) Failure(level terrain.Level) (attempts int, err error) {
	if f := t.failure(level); f != nil {
		return f.attempts, f.err
	}
	return 0, nil
}

// Load makes level the target: it and all coarser ones are loaded, finer ones given up.
// [None] gives up everything. With sync it is read before Load returns, as far as it can
// be; a loader that reads the tile is waited for then. Where another strategy than
// [NoStrategy] is at work, it decides anew in the next update.
func (t *Tile) Load(level terrain.Level, sync bool) {
	m := t.m
	level = m.clamp(level)
	if m.closed || t.removed {
		return
	}
	m.places[t.index].levels = [2]terrain.Level{level, level}
	t.Target, t.keep, t.prompt = level, level, true
	m.moved = true
	if m.budget.CPUBytes > 0 || m.budget.GPUBytes > 0 {
		m.limit()
		m.reviewAll()
	} else {
		t.goal = level
		m.review(t)
		m.recall(t)
	}
	if sync {
		m.readNow(t)
	}
}

// IncreaseLevel loads one level more than is wanted so far; see Load.
func (t *Tile) IncreaseLevel(sync bool) {
	if t.Target > 0 {
		t.Load(t.m.finer(t.Target), sync)
	} else {
		t.Load(0, sync)
	}
}

// DecreaseLevel gives up the finest level that is wanted, the last one too.
func (t *Tile) DecreaseLevel() {
	if t.Target >= t.m.coarsest() {
		t.Load(None, false)
	} else {
		t.Load(t.Target+1, false)
	}
}
