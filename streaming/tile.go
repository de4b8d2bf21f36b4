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
	// never changes, but [Manager.Update] and [Manager.Evictions] may replace
	// it, and then use its memory for something else.
	CPU *terrain.Tile

	Target   terrain.Level // wanted
	Prepared terrain.Level // finest in CPU memory
	Loaded   terrain.Level // finest that the graphics queue can read, with all coarser ones

	// Near is what is loaded of this tile and its neighbours.
	Near lodcpu.Neighbourhood

	// User is the pipeline's.
	User any

	index  int
	around [9]*Tile // nil where the world has no tile
	states [terrain.MaxLevels]State
	keep   terrain.Level // finer levels may be evicted; never coarser than Target
	taken  terrain.Level // finest that is uploading or loaded

	fixed      bool // Target is fixedLevel, whatever the view
	fixedLevel terrain.Level

	uploading    int    // levels in that state
	job          *job   // with a loader, or nil
	wanting      bool   // Target is not prepared
	surplusSince uint64 // update when it began to hold more than keep, or 0
	failures     []failure
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

// Err returns why level is [Failed], and how often it was tried; nil if it is not.
func (t *Tile) Err(level terrain.Level) (err error, attempts int) {
	if f := t.failure(level); f != nil {
		return f.err, f.attempts
	}
	return nil, 0
}

// place is what aiming needs of a tile, apart from the rest so that the walk
// over all tiles touches little memory.
type place struct {
	lo, hi [3]float64 // metres
	coef   [terrain.MaxLevels]float32
	near   float32 // metres to the nearest eye
	target terrain.Level
	keep   terrain.Level
}

// distance returns the distance in metres from the law's eye to the tile's box.
func (p *place) distance(l *lodcpu.Law) float64 {
	sum := 0.0
	for i := range 3 {
		d := max(p.lo[i]-l.Eye[i], l.Eye[i]-p.hi[i], 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// aim lowers target to what l needs of the tile (see [lodcpu.Law.Needs]), and
// keep to what it would need if it reached farther by the factor margin.
func (p *place) aim(l *lodcpu.Law, levels int, margin float64) {
	d := p.distance(l)
	p.near = min(p.near, float32(d))
	held := false
	for level := range terrain.Level(levels - 1) {
		reach := l.A + l.B*float64(p.coef[level]) + float64(l.Radius[2*level+1])
		if !held && d < reach*margin {
			p.keep, held = min(p.keep, level), true
		}
		if d < reach {
			p.target = min(p.target, level)
			return
		}
	}
}
