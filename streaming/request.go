package streaming

import (
	"errors"
	"slices"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// An update takes what loaders have finished for this long at most, and so many at least.
const (
	takeTime  = 200 * time.Microsecond
	leastTake = 8
)

// collect takes what the loaders have finished.
func (m *Manager) collect() {
	for i, j := range m.early {
		m.early[i] = nil
		m.finish(j)
	}
	m.early = m.early[:0]
	var start time.Time
	for n := 0; m.busy+m.stuck > 0; n++ {
		if n == 0 {
			start = m.opts.Now()
		} else if n%leastTake == 0 && m.opts.Now().Sub(start) > takeTime {
			return
		}
		select {
		case j := <-m.done:
			m.finish(j)
		default:
			return
		}
	}
}

// request hands as much to the loaders as they may have, and returns how much.
func (m *Manager) request() int {
	if m.wanting == 0 || len(m.idle) == 0 && !m.aimed {
		return 0
	}
	m.queue = m.queue[:0]
	for i, t := range m.tiles {
		if t.wanting && t.job == nil && t.swap == nil && m.due(t) {
			m.queue = append(m.queue, m.requestRank(i, t))
		}
	}
	m.queue.init()
	n := 0
	for ; len(m.queue) > 0; n++ {
		full := len(m.idle) == 0 || m.budget.Reads > 0 && m.busy >= m.budget.Reads
		if full && !m.preempt(m.queue[0]) {
			break
		}
		t, r := m.tiles[m.queue[0].index], m.queue[0]
		if !m.mayRead(m.finer(t.Prepared)) {
			break
		}
		m.queue.pop()
		m.send(m.prepare(t, r), r)
	}
	return n
}

// due says whether the next level of t may be tried.
func (m *Manager) due(t *Tile) bool {
	if t.stuck > 0 && t.states[m.finer(t.Prepared)] == Stuck {
		return false
	}
	if len(t.failures) == 0 {
		return true
	}
	f := t.failure(m.finer(t.Prepared))
	return f == nil || !m.opts.Now().Before(f.retry)
}

// Classes of jobs, the first comes last.
const (
	classFine     = iota
	classCoarsest // of a tile of which there is nothing
	classReplace
)

func (m *Manager) requestRank(i int, t *Tile) rank {
	p := &m.places[i]
	if t.Prepared == None {
		return rank{classCoarsest, -p.near, i}
	}
	return rank{classFine, float64(p.weight * p.coef[m.finer(t.Prepared)]), i}
}

// rerank lets jobs that wait take the order of the newest cameras.
func (m *Manager) rerank() {
	for i := range m.board.jobs {
		if j := m.board.jobs[i].Load(); j.state.Load() == waiting && j.swap == nil {
			j.rank.Store(m.requestRank(j.tile.index, j.tile).order())
		}
	}
}

// preempt takes back the last job in rank that waits, if r comes before it.
func (m *Manager) preempt(r rank) bool {
	var last *job
	for i := range m.board.jobs {
		j := m.board.jobs[i].Load()
		if j.state.Load() == waiting && (last == nil || j.rank.Load() < last.rank.Load()) {
			last = j
		}
	}
	if last == nil || last.swap != nil || last.rank.Load() >= r.order() || !last.withdraw() {
		return false
	}
	m.withdrawn(last)
	return true
}

// send hands a job to the loaders.
func (m *Manager) send(j *job, r rank) {
	m.seq++
	j.seq = m.seq
	if m.opts.Sync {
		m.do(j)
	} else {
		m.board.post(j, r)
	}
}

// readHere reads the next level of t without a loader.
func (m *Manager) readHere(t *Tile) { m.do(m.prepare(t, rank{})) }

// do reads a level without a loader.
func (m *Manager) do(j *job) {
	m.stats.Waits++
	if m.decoder == nil {
		m.decoder = chunkfile.NewDecoder()
	}
	j.ranged = nil
	j.state.Store(taken)
	j.do(m.decoder)
	j.state.Store(done)
	m.finish(j)
}

// prepare makes a job of the next levels of t.
func (m *Manager) prepare(t *Tile, r rank) *job {
	from := m.finer(t.Prepared)
	j := m.fill(t, from, m.run(t, from, r))
	j.src, j.info = m.src, t.Info
	if t.CPU != nil {
		j.prefix = t.CPU.Verts
	}
	m.findPiece(j)
	j.alone.Store(t.failure(from) != nil)
	for level := j.from; ; level-- {
		m.step(t, level, request)
		if level == j.level {
			break
		}
	}
	t.job = j
	return j
}

// fill makes a job for levels of t.
func (m *Manager) fill(t *Tile, from, level terrain.Level) *job {
	j := m.idle[len(m.idle)-1]
	m.idle = m.idle[:len(m.idle)-1]
	m.busy++
	j.tile, j.key, j.from, j.level, j.count = t, t.Info.Key, from, level, m.layout.Count(level)
	j.made, j.got, j.before = nil, None, m.opts.Before
	if m.pool.forRead(level) {
		j.made = m.pool.get(level)
	}
	j.seen, j.began, j.arrived, j.ended = time.Time{}, 0, 0, 0
	j.finest.Store(uint32(level))
	m.stats.ReadingBytes += m.heldBytes(level)
	return j
}

// free makes a job ready for the next use. If it was abandoned, another one has its place.
func (m *Manager) free(j *job) {
	if j.state.Load() == abandoned {
		return
	}
	j.src, j.ranged, j.tile, j.info, j.prefix, j.made, j.swap = nil, nil, nil, nil, nil, nil, nil
	j.worker, j.raw, j.err = nil, nil, nil
	j.state.Store(idle)
	m.idle = append(m.idle, j)
	m.busy--
}

// slow is how long a read takes at least for levels of a tile to be read together.
const slow = int64(time.Millisecond)

// run returns the finest level to read of t together with from: where reading makes one
// wait, those that lie beside it in the file.
func (m *Manager) run(t *Tile, from terrain.Level, r rank) terrain.Level {
	if m.ranged == nil || r.class != classFine || m.delay.Load() < slow {
		return from
	}
	file, offset, size := m.ranged.Place(t.Info.Key, from)
	level, begin, end, most := from, offset, offset+size, m.most.Load()
	for level > t.goal {
		f, at, n := m.ranged.Place(t.Info.Key, level-1)
		if f != file || n == 0 || !m.fits(level-1) || at < begin || at+n-begin > most || at > end+most/16 || t.failure(level-1) != nil || t.states[level-1] == Stuck {
			break
		}
		level, end = level-1, at+n
	}
	return level
}

// findPiece finds the bytes of a job.
func (m *Manager) findPiece(j *job) {
	j.setPiece(0, 0, 0)
	if m.ranged == nil {
		return
	}
	file, offset, first := m.ranged.Place(j.key, j.from)
	_, last, size := m.ranged.Place(j.key, j.level)
	if first == 0 || size == 0 {
		return
	}
	j.ranged = m.ranged
	j.setPiece(file, offset, last+size-offset)
}

// recall cancels what a loader has of t if nobody wants it any more, and wants it
// again if somebody does.
func (m *Manager) recall(t *Tile) {
	j := t.job
	if j == nil {
		return
	}
	keep := t.keep
	if t.swap != nil {
		keep = None
	}
	if j.from < keep && j.withdraw() {
		m.withdrawn(j)
		return
	}
	for level := j.from; ; level-- {
		switch s := t.states[level]; {
		case s == Preparing && level < keep:
			m.step(t, level, cancel)
		case s == Cancelled && level >= keep:
			m.step(t, level, request)
		}
		if level == j.level {
			break
		}
	}
	j.finest.Store(uint32(max(keep, j.level)))
}

// withdrawn is what becomes of a job that no loader has seen.
func (m *Manager) withdrawn(j *job) {
	j.err = errCancelled
	m.finish(j)
}

// finish takes what a loader delivers.
func (m *Manager) finish(j *job) {
	t := j.tile
	switch {
	case j.state.Load() == abandoned:
		m.returned(j)
		return
	case j.swap != nil:
		m.finishExchange(j)
		m.free(j)
		return
	}
	m.stats.ReadingBytes -= m.heldBytes(j.level)
	got := m.finishLevels(j)
	t.job = nil
	switch got {
	case None:
		m.pool.put(j.level, j.made)
	case j.level:
		m.adopt(t, j, j.made)
	default: // the rest failed, or was cancelled too late
		m.adopt(t, j, m.copyOf(j.made, got))
		m.pool.put(j.level, j.made)
	}
	m.free(j)
}

// copyOf returns a tile with the levels of t down to this one.
func (m *Manager) copyOf(t *terrain.Tile, level terrain.Level) *terrain.Tile {
	c := m.pool.get(level)
	if c == nil {
		m.roomCPU(m.heldBytes(level), 0)
		c = &terrain.Tile{Verts: make([]terrain.Vertex, m.layout.Count(level))}
	}
	c.Info, c.Level = t.Info, level
	copy(c.Verts, t.Verts)
	return c
}

// finishLevels steps the levels of a job, and returns the finest that is to be adopted, or
// None.
func (m *Manager) finishLevels(j *job) (got terrain.Level) {
	t, finest := j.tile, j.got
	got = None
	failed := false
	for level := j.from; ; level-- {
		e := read
		if level < finest || finest == None {
			e = drop
			if !failed && !errors.Is(j.err, errCancelled) {
				e, failed = fail, true
			}
		}
		switch m.step(t, level, e) {
		case adopt:
			got = level
		case discard:
			m.stats.Dropped++
		case report:
			m.failed(t, level, j.err)
		}
		if level == j.level {
			return got
		}
	}
}

func (m *Manager) adopt(t *Tile, j *job, out *terrain.Tile) {
	m.replace(t, out)
	for level := j.from; level >= out.Level; level-- {
		m.stats.Reads++
		t.failures = slices.DeleteFunc(t.failures, func(f failure) bool { return f.level == level })
		if level == 0 {
			break
		}
	}
	m.review(t)
	if f := m.opts.Listener.LevelPrepared; f != nil {
		for level := j.from; ; level-- {
			if f(t, level); level == out.Level {
				break
			}
		}
	}
}

// mostStuck bounds the reads that are not waited for any more.
const mostStuck = 64

// expire gives up reads that have been under way for too long. Their goroutines, which
// nothing can end, are replaced.
func (m *Manager) expire() {
	now := m.opts.Now()
	if m.opts.Timeout < 0 || m.busy == 0 || now.Before(m.nextLook) {
		return
	}
	m.nextLook = now.Add(m.opts.Timeout / 8)
	for i := range m.board.jobs {
		j := m.board.jobs[i].Load()
		if j.state.Load() != reading {
			continue
		}
		if j.seen.IsZero() {
			j.seen = now
		}
		if now.Sub(j.seen) < m.opts.Timeout || m.stuck == mostStuck {
			continue
		}
		w := j.worker
		if !j.state.CompareAndSwap(reading, abandoned) {
			continue
		}
		m.abandon(j)
		next := new(job)
		m.board.jobs[i].Store(next)
		m.idle = append(m.idle, next)
		if w != nil && !w.lost.Swap(true) {
			m.startWorker(&worker{decodes: w.decodes})
		}
	}
}

// abandon notes that a job is not waited for any more.
func (m *Manager) abandon(j *job) {
	m.busy--
	m.stuck++
	shared := j.raw != nil && j.shared
	m.stats.ReadingBytes -= m.heldBytes(j.level)
	m.stats.StuckBytes += m.heldBytes(j.level)
	if j.swap != nil {
		m.exchangeFailed(j.swap, j.level, about(j.key, j.level, ErrTimeout))
		return
	}
	j.tile.job = nil
	j.tile.stuck++
	for level := j.from; ; level-- {
		if m.step(j.tile, level, expire) == abandon && level == j.from && !shared {
			m.failed(j.tile, level, about(j.key, level, ErrTimeout))
		}
		if level == j.level {
			break
		}
	}
	if shared { // who of them is to blame? Its bytes are all that was asked for
		t := j.tile
		if t.failure(j.from) == nil {
			t.failures = append(t.failures, failure{level: j.from})
		}
		m.letGo(j)
	}
}

// letGo lets the levels of a job that was abandoned be tried again now.
func (m *Manager) letGo(j *job) {
	t := j.tile
	j.tile = nil
	t.stuck--
	for level := j.from; ; level-- {
		m.step(t, level, drop)
		if level != j.from { // only the first has a record
			m.step(t, level, drop)
		}
		if level == j.level {
			break
		}
	}
	if f := t.failure(j.from); f != nil {
		f.retry = m.opts.Now()
	}
}

// returned takes a job back that nobody waits for. What it was may be tried again now.
func (m *Manager) returned(j *job) {
	m.stuck--
	m.stats.StuckBytes -= m.heldBytes(j.level)
	m.pool.put(j.level, j.made)
	if j.swap == nil && j.tile != nil {
		m.letGo(j)
	}
}

// replace makes cpu, or nil, what t holds.
func (m *Manager) replace(t *Tile, cpu *terrain.Tile) {
	if t.CPU != nil {
		m.stats.CPUBytes -= m.heldBytes(t.Prepared)
		m.retire(t.CPU)
	}
	t.CPU, t.Prepared = cpu, None
	if cpu != nil {
		t.Prepared = cpu.Level
		m.stats.CPUBytes += m.heldBytes(t.Prepared)
	}
}

// Between two attempts to read a level passes firstRetry, then twice as long
// each time, at most lastRetry.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 10 * time.Second
)

func (m *Manager) failed(t *Tile, level terrain.Level, err error) {
	m.stats.Failures++
	f := t.failure(level)
	if f == nil {
		t.failures = append(t.failures, failure{level: level})
		f = &t.failures[len(t.failures)-1]
	}
	f.err = err
	if m.trace != nil {
		m.trace.failed(t, level, err, m.sinceStart())
	}
	f.retry = m.opts.Now().Add(min(firstRetry<<min(f.attempts, 20), lastRetry))
	f.attempts++
	if told := m.opts.Listener.LevelFailed; told != nil && f.attempts == 1 {
		told(t, level, err)
	}
}
