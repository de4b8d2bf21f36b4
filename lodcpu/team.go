package lodcpu

import (
	"math"
	"sync/atomic"

	"github.com/vkterrain/vkterrain/terrain"
)

// Job is one tile to refine. Near is a copy: what is loaded may change meanwhile.
type Job struct {
	Tile *terrain.Tile
	Near Neighbourhood

	// Expect is how many indices the tile is likely to need, as by what it needed last
	// time. It decides where the tile's indices go, never what they are.
	Expect int

	// Runs, if it is set, is to describe the tile's indices, which then go through memory of
	// the team's.
	Runs *Runs
}

// room returns the indices that are set aside for a job: whole cache lines, whatever the
// size of an index, so that no two workers write to the same.
func (j *Job) room() int { return (j.Expect + j.Expect/4 + 95) &^ 31 }

// Room returns how many indices [Team.Refine] sets aside for jobs. It needs more
// than that only for those that need much more than they were expected to.
func Room(jobs []Job) (n int) {
	for i := range jobs {
		n += jobs[i].room()
	}
	return n
}

// Span is what came of a job: its indices are dst[First : First+Indices].
type Span struct {
	First int
	Counts
}

// Team refines many tiles at once with a fixed number of workers, the caller being one
// of them. What it writes does not depend on their number: each job has its own
// room in the caller's buffer, so that nothing has to be moved, and one that needs
// more is done again by the caller, behind all rooms, in the order of the jobs.
//
// One goroutine at a time may call its methods.
type Team[I Index] struct {
	refiners []RefinerOf[I]
	scratch  [][]I // of each worker, for jobs with runs
	wake     chan struct{}
	done     chan struct{} // the last job was done by a worker that is not the caller

	// Of the refinement that is running. A worker that wakes late finds no job left, or
	// those of the next refinement: nobody waits for it. What it looks at is written
	// before next is set back, and read only after a job was taken.
	dst   []I
	jobs  []Job
	spans []Span
	law   *Law
	next  atomic.Uint64 // number of jobs << 32 | the next of them
	ended atomic.Uint64
}

// fewIndices is what is not worth waking anybody for: about 50 µs of work.
const fewIndices = 1 << 14

// NewTeam returns a team of so many workers, at least one, each with a refiner of its
// own. Close ends them.
func NewTeam[I Index](workers int, newRefiner func() RefinerOf[I]) *Team[I] {
	workers = max(workers, 1)
	t := &Team[I]{wake: make(chan struct{}, workers), done: make(chan struct{}, 1)}
	for i := range workers {
		t.refiners, t.scratch = append(t.refiners, newRefiner()), append(t.scratch, nil)
		if i > 0 {
			go t.worker(i)
		}
	}
	return t
}

// Close ends the team's goroutines. It must not be used any more.
func (t *Team[I]) Close() { close(t.wake) }

// Workers returns how many there are.
func (t *Team[I]) Workers() int { return len(t.refiners) }

// MaxIndices is that of the refiners.
func (t *Team[I]) MaxIndices(level terrain.Level) int { return t.refiners[0].MaxIndices(level) }

func (t *Team[I]) worker(i int) {
	for range t.wake {
		if t.share(i) {
			t.done <- struct{}{}
		}
	}
}

// Refine writes the indices of all jobs under law into dst, which nobody reads, and
// says in spans, of which there must be as many as jobs, where those of each are. If
// dst is too short ok is false, and what it wrote undefined; used is how many
// indices of dst were written or set aside. It does not allocate.
func (t *Team[I]) Refine(dst []I, jobs []Job, law *Law, spans []Span) (total Counts, used int, ok bool) {
	spans = spans[:len(jobs)]
	expected := 0
	for i := range jobs {
		spans[i] = Span{First: used}
		used += jobs[i].room()
		expected += jobs[i].Expect
	}
	if used > len(dst) {
		return Counts{}, used, false
	}
	if len(jobs) > 0 {
		t.all(dst, jobs, law, spans, expected)
	}
	used, ok = t.redo(used)
	for i := range spans {
		total.Add(spans[i].Counts)
	}
	return total, used, ok
}

// all does every job once.
func (t *Team[I]) all(dst []I, jobs []Job, law *Law, spans []Span, expected int) {
	t.dst, t.jobs, t.spans, t.law = dst, jobs, spans, law
	t.ended.Store(0)
	t.next.Store(uint64(len(jobs)) << 32)
	if expected >= fewIndices {
		for range min(len(t.refiners), len(jobs)) - 1 {
			select {
			case t.wake <- struct{}{}:
			default: // those who have not woken yet will
			}
		}
	}
	if !t.share(0) {
		<-t.done
	}
}

// failed marks the span of a job whose room was too small.
const failed = -1

// share lets a worker do jobs until all are taken, and says whether it ended the last of
// them.
func (t *Team[I]) share(worker int) (last bool) {
	for {
		taken := t.next.Add(1) - 1
		i, n := taken&math.MaxUint32, taken>>32
		if i >= n {
			return last
		}
		j, s := &t.jobs[i], &t.spans[i]
		room := t.dst[s.First : s.First+j.room() : s.First+j.room()]
		var ok bool
		if s.Counts, ok = t.refine(worker, room, j); !ok {
			s.First = failed
		}
		last = t.ended.Add(1) == n
	}
}

// refine lets a worker do a job.
func (t *Team[I]) refine(worker int, dst []I, j *Job) (Counts, bool) {
	r := t.refiners[worker]
	if j.Runs == nil {
		return r.Refine(dst, j.Tile, &j.Near, t.law)
	}
	if n := r.MaxIndices(j.Near.Level()); len(t.scratch[worker]) < n {
		t.scratch[worker] = make([]I, n)
	}
	indices := t.scratch[worker]
	c, ok := r.Refine(indices[:min(len(indices), len(dst))], j.Tile, &j.Near, t.law)
	if ok {
		cut(j.Runs, dst, indices[:c.Indices], j.Tile, t.law)
	}
	return c, ok
}

// redo does the jobs that failed again, from dst[used:] on.
func (t *Team[I]) redo(used int) (int, bool) {
	for i := range t.spans {
		s := &t.spans[i]
		if s.First != failed {
			continue
		}
		c, ok := t.refine(0, t.dst[used:], &t.jobs[i])
		if !ok {
			return used, false
		}
		*s = Span{First: used, Counts: c}
		used += c.Indices
	}
	return used, true
}
