package streaming

import (
	"cmp"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// loading is the goroutines that read and decode, and what they share. Of a source that
// is not Ranged, loaders do both; of one that is, readers read and decoders decode.
type loading struct {
	board  board
	decode chan *job // bytes are there
	done   chan *job // has room for all jobs
	raws   chan *raw // free to be used
	stop   chan struct{}
	all    sync.WaitGroup
	start  time.Time
	most   atomic.Int64 // bytes of one read of more than one job
	delay  atomic.Int64 // nanoseconds that a read takes, on average
	held   atomic.Int64 // bytes of all raws
}

// init makes what the goroutines share.
func (l *loading) init(o *Options) {
	l.start = time.Now()
	l.most.Store(o.ReadBytes)
	l.board = board{jobs: make([]atomic.Pointer[job], o.InFlight), wake: make(chan struct{}, o.InFlight)}
	for i := range l.board.jobs {
		l.board.jobs[i].Store(new(job))
	}
	l.stop = make(chan struct{})
	l.done, l.decode = make(chan *job, o.InFlight+mostStuck), make(chan *job, o.InFlight+mostStuck)
	l.raws = make(chan *raw, o.Reads+o.Loaders+mostStuck)
}

// raw is bytes that were read, and how many jobs look at them.
type raw struct {
	bytes  []byte
	file   int
	offset int64
	users  atomic.Int32
	drop   bool // leave it to the garbage collector
	jobs   []*job
}

// deliver gives a job back, and says whether somebody waits for it.
func (l *loading) deliver(j *job, from uint32) bool {
	j.ended = time.Since(l.start)
	wanted := j.state.CompareAndSwap(from, done)
	l.done <- j
	return wanted
}

// load reads and decodes until stop is closed, or another one has taken its place.
func (l *loading) load(w *worker) {
	d := chunkfile.NewDecoder()
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		select {
		case <-l.stop:
			return
		case <-l.board.wake:
		}
		if j := l.board.take(w); j != nil {
			j.began = time.Since(l.start)
			region := trace.StartRegion(background, "streaming: load")
			j.do(d)
			region.End()
			j.arrived = j.began
			if !l.deliver(j, reading) {
				return
			}
		}
	}
}

// read reads until stop is closed, or another one has taken its place.
func (l *loading) read(w *worker) {
	for {
		var r *raw
		select {
		case <-l.stop:
			return
		case <-l.board.wake:
		}
		select {
		case <-l.stop:
			return
		case r = <-l.raws:
		}
		r.jobs = r.jobs[:0]
		if j := l.board.take(w); j == nil {
			l.raws <- r
		} else if j.ranged == nil {
			l.raws <- r
			l.decode <- j // which reads it
		} else {
			r.jobs = append(r.jobs, j)
			l.gather(w, r)
			if !l.readAll(w, r) {
				return
			}
		}
	}
}

// bandwidth is what a slow medium is thought to deliver at least, in bytes a nanosecond:
// while it makes one wait it could deliver so much.
const bandwidth = 0.064

// gather grabs what lies close to what is to be read: no farther than what could be read
// while one waits.
func (l *loading) gather(w *worker, r *raw) {
	file, from, size := r.jobs[0].where()
	class, to := r.jobs[0].rank.Load()>>32, from+size
	most := l.most.Load()
	gap := min(int64(float64(l.delay.Load())*bandwidth), most)
	near := func(j *job) (lo, hi int64, ok bool) {
		f, at, n := j.where()
		lo, hi = min(from, at), max(to, at+n)
		return lo, hi, f == file && n > 0 && at < to+gap && at+n > from-gap && hi-lo <= most && j.rank.Load()>>32 == class
	}
	for grown := !r.jobs[0].alone.Load(); grown; {
		grown = false
		for i := range l.board.jobs {
			j := l.board.jobs[i].Load()
			if j.state.Load() != waiting || j.alone.Load() {
				continue
			}
			if _, _, ok := near(j); !ok || !j.grab(w) {
				continue
			}
			if lo, hi, ok := near(j); ok && j.ranged != nil && !j.alone.Load() && j.src == r.jobs[0].src {
				from, to, grown = lo, hi, true
				r.jobs = append(r.jobs, j)
			} else { // it was another one by then
				l.putBack(j)
			}
		}
	}
	r.file, r.offset = file, from
	l.grow(r, to-from)
	slices.SortFunc(r.jobs, func(a, b *job) int { return cmp.Compare(b.rank.Load(), a.rank.Load()) })
}

// putBack lets a job wait again.
func (l *loading) putBack(j *job) {
	j.state.Store(waiting)
	select {
	case l.board.wake <- struct{}{}:
	default:
	}
}

// grow makes room for size bytes.
func (l *loading) grow(r *raw, size int64) {
	if int64(cap(r.bytes)) < size {
		l.held.Add(size - int64(cap(r.bytes)))
		r.bytes = make([]byte, size)
	}
	r.bytes = r.bytes[:size]
}

// readAll reads what the jobs of r need, and hands them to the decoders. It returns false
// if that took too long.
func (l *loading) readAll(w *worker, r *raw) bool {
	began := time.Since(l.start)
	for _, j := range r.jobs {
		j.began, j.raw, j.shared = began, r, len(r.jobs) > 1
		j.state.Store(reading)
	}
	region := trace.StartRegion(background, "streaming: read")
	if err := r.read(r.jobs[0], r.bytes, r.offset); err != nil {
		for _, j := range r.jobs { // who of them is to blame?
			_, offset, size := j.where()
			failed := err
			if len(r.jobs) > 1 {
				failed = r.read(j, r.bytes[offset-r.offset:][:size], offset)
			}
			if failed != nil {
				j.err = about(j.key, j.from, failed)
			}
		}
	}
	region.End()
	arrived := time.Since(l.start)
	delay := l.delay.Load()
	l.delay.Store(delay + (int64(arrived-began)-delay)/8)
	r.users.Store(int32(len(r.jobs)))
	r.drop = false
	for _, j := range r.jobs {
		j.arrived = arrived
		r.drop = !j.state.CompareAndSwap(reading, decoding) || r.drop
	}
	drop := r.drop
	for _, j := range r.jobs {
		if j.state.Load() == decoding {
			l.decode <- j
		} else {
			l.release(r)
			l.deliver(j, done)
		}
	}
	return !drop
}

// read reads bytes that a job needs.
func (r *raw) read(j *job, b []byte, offset int64) error {
	if err := j.ready(Reading, j.from); err != nil {
		return err
	}
	return j.ranged.ReadRange(r.file, b, offset)
}

// release gives back the bytes that a job has looked at.
func (l *loading) release(r *raw) {
	if r.users.Add(-1) > 0 {
		return
	}
	if r.drop {
		l.held.Add(-int64(cap(r.bytes)))
		return
	}
	l.raws <- r
}

// decodeAll decodes until stop is closed, or another one has taken its place; and reads
// what cannot be read apart.
func (l *loading) decodeAll(w *worker) {
	d := chunkfile.NewDecoder()
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		select {
		case <-l.stop:
			return
		case j := <-l.decode:
			region := trace.StartRegion(background, "streaming: decode")
			wanted := true
			if j.ranged == nil {
				j.began, j.worker = time.Since(l.start), w
				j.do(d)
				j.arrived = j.began
				wanted = l.deliver(j, reading)
			} else {
				j.doRaw(d)
				l.release(j.raw)
				l.deliver(j, decoding)
			}
			if region.End(); !wanted {
				return
			}
		}
	}
}
