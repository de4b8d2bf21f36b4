package streaming

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// job is some levels of one tile on their way through the loaders, most often one. There
// is a fixed number of them, and a tile that waits for a job points at it: so no result
// can reach a tile that has not asked for it.
//
// Its state says whose it is: the render goroutine's while it is idle or done, a
// loader's in between, and while it waits the one's who changes the state first.
type job struct {
	seq    uint64 // in the order of asking
	src    Source
	ranged Ranged // src, if it is one and all levels lie in one piece, or nil
	tile   *Tile  // the render goroutine's
	key    terrain.Key
	info   *terrain.TileInfo // of what it makes
	from   terrain.Level
	level  terrain.Level    // from, or finer
	prefix []terrain.Vertex // all coarser levels; stay unchanged meanwhile
	made   *terrain.Tile    // to be filled; nil to be allocated
	count  int              // its vertices
	swap   *exchange        // all levels are read for this, or nil

	state  atomic.Uint32
	rank   atomic.Uint64 // larger first
	finest atomic.Uint32 // finer levels are not wanted any more
	alone  atomic.Bool   // to be read with no other
	offset atomic.Int64  // of its bytes
	piece  atomic.Uint64 // their file and number

	before func(w Work, k terrain.Key, level terrain.Level) error // or nil

	worker *worker       // who has it; set when the state is taken
	raw    *raw          // the bytes
	shared bool          // others are read with it
	got    terrain.Level // finest that has been decoded, or None
	err    error

	seen    time.Time     // when the render goroutine first saw that it is being read
	began   time.Duration // reading; since the start of the manager
	arrived time.Duration // the bytes
	ended   time.Duration // decoding
}

// States of a job.
const (
	idle      uint32 = iota // of no use
	waiting                 // for a loader
	taking                  // a loader is at it
	taken                   // by a loader
	reading                 // prefix is not looked at any more until decoding
	abandoned               // nobody waits for it any more
	decoding                // its bytes are there
	done                    // delivered, or on its way
)

// worker is a goroutine that reads.
type worker struct {
	decodes bool        // beside readers
	lost    atomic.Bool // another one has taken its place
}

// withdraw takes back a job that no loader has.
func (j *job) withdraw() bool { return j.state.CompareAndSwap(waiting, idle) }

// setPiece says where the bytes are.
func (j *job) setPiece(file int, offset, size int64) {
	j.offset.Store(offset)
	j.piece.Store(uint64(file)<<40 | uint64(size))
}

// where returns where the bytes are; the numbers belong together only for who has the job.
func (j *job) where() (file int, offset, size int64) {
	p := j.piece.Load()
	return int(p >> 40), j.offset.Load(), int64(p & (1<<40 - 1))
}

// do reads and decodes the levels.
func (j *job) do(d *chunkfile.Decoder) {
	wanted := j.begin()
	j.state.Store(reading)
	if wanted {
		j.decode(d)
	}
}

// doRaw decodes bytes that are there.
func (j *job) doRaw(d *chunkfile.Decoder) {
	if j.err == nil && j.begin() {
		j.decode(d)
	}
}

// one makes vertices of one level.
func (j *job) one(d *chunkfile.Decoder, verts []terrain.Vertex, level terrain.Level) error {
	if j.raw == nil {
		if err := j.ready(Reading, level); err != nil {
			return err
		}
		return j.src.ReadLevel(d, verts, j.key, level)
	}
	if err := j.ready(Decoding, level); err != nil {
		return err
	}
	_, offset, size := j.ranged.Place(j.key, level)
	at := offset - j.raw.offset
	if at < 0 || at+size > int64(len(j.raw.bytes)) {
		return about(j.key, level, errMoved)
	}
	return j.ranged.DecodeLevel(d, verts, j.key, level, j.raw.bytes[at:][:size])
}

// ready says that work on a level begins.
func (j *job) ready(w Work, level terrain.Level) error {
	if j.before == nil {
		return nil
	}
	return j.before(w, j.key, level)
}

// begin makes the vertices ready, or says that nobody wants them.
func (j *job) begin() bool {
	if uint32(j.from) < j.finest.Load() {
		j.err = errCancelled
		return false
	}
	if j.made == nil {
		j.made = &terrain.Tile{Verts: make([]terrain.Vertex, j.count)}
	}
	j.made.Info, j.made.Level = j.info, j.level
	copy(j.made.Verts, j.prefix)
	return true
}

// decode makes vertices of the levels, as far as they are wanted and can be read.
func (j *job) decode(d *chunkfile.Decoder) {
	layout := j.src.World().Layout()
	for level := j.from; ; level-- {
		if uint32(level) < j.finest.Load() {
			j.err = errCancelled
		} else {
			j.err = j.one(d, j.made.Verts[:layout.Count(level)], level)
		}
		if j.err != nil {
			return
		}
		if j.got = level; level == j.level {
			return
		}
	}
}

// order makes a number of a rank: larger first.
func (r rank) order() uint64 {
	bits := uint64(math.Float32bits(float32(math.Abs(r.value))))
	if math.Signbit(r.value) { // of -0 too
		bits = math.MaxUint32/2 - bits
	}
	return uint64(r.class)<<32 | bits
}

// board is where jobs wait.
type board struct {
	jobs []atomic.Pointer[job]
	wake chan struct{} // one for each job that waits, at least, or as many as there are jobs
}

// post lets a job wait. It does not wait itself.
func (b *board) post(j *job, r rank) {
	j.rank.Store(r.order())
	j.state.Store(waiting)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take takes the first job in rank, or nil.
func (b *board) take(w *worker) *job {
	for {
		var best *job
		var rank uint64
		for i := range b.jobs {
			j := b.jobs[i].Load()
			if j.state.Load() != waiting {
				continue
			}
			if r := j.rank.Load(); best == nil || r > rank {
				best, rank = j, r
			}
		}
		if best == nil || best.grab(w) {
			return best
		}
	}
}

// grab makes a waiting job w's, if nobody is faster.
func (j *job) grab(w *worker) bool {
	if !j.state.CompareAndSwap(waiting, taking) {
		return false
	}
	j.worker = w
	j.state.Store(taken)
	return true
}
