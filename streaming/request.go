package streaming

import (
	"errors"
	"slices"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// collect takes what the loaders have finished.
func (m *Manager) collect() {
	for i, j := range m.early {
		m.early[i] = nil
		m.finish(j)
	}
	m.early = m.early[:0]
	for m.reading() > 0 {
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
	if m.wanting == 0 || len(m.idle) == 0 {
		return 0
	}
	m.queue = m.queue[:0]
	for i := range m.tiles {
		if t := m.tiles[i]; t.wanting && t.job == nil && t.swap == nil && m.due(t) {
			m.queue = append(m.queue, m.requestRank(t))
		}
	}
	m.queue.init()
	n := 0
	for ; len(m.queue) > 0 && len(m.idle) > 0; n++ {
		t := m.tiles[m.queue[0].index]
		m.queue.pop()
		m.post(t, m.finer(t.Prepared))
	}
	return n
}

// due says whether the next level of t may be tried.
func (m *Manager) due(t *Tile) bool {
	if len(t.failures) == 0 {
		return true
	}
	f := t.failure(m.finer(t.Prepared))
	return f == nil || !m.opts.Now().Before(f.retry)
}

func (m *Manager) requestRank(t *Tile) rank {
	near := float64(m.places[t.index].near)
	if t.Prepared == None {
		return rank{1, -near, t.index}
	}
	return rank{0, float64(t.Info.Coef[m.finer(t.Prepared)]) / max(near, 1), t.index}
}

// post hands a level to the loaders. There is always room in todo.
func (m *Manager) post(t *Tile, level terrain.Level) {
	j := m.prepare(t, level)
	if m.opts.Sync {
		m.do(j)
	} else {
		m.todo <- j
	}
}

// readHere reads the next level of t without a loader.
func (m *Manager) readHere(t *Tile) { m.do(m.prepare(t, m.finer(t.Prepared))) }

// do reads a level without a loader.
func (m *Manager) do(j *job) {
	if m.decoder == nil {
		m.decoder = chunkfile.NewDecoder()
	}
	j.do(m.decoder)
	m.finish(j)
}

// prepare takes a job for a level.
func (m *Manager) prepare(t *Tile, level terrain.Level) *job {
	m.step(t, level, request)
	j := m.idle[len(m.idle)-1]
	m.idle = m.idle[:len(m.idle)-1]
	j.src, j.prefix = m.src, nil
	if t.CPU != nil {
		j.prefix = t.CPU.Verts
	}
	t.job = j
	m.fill(j, t, level)
	return j
}

// fill makes a job one for a level of t.
func (m *Manager) fill(j *job, t *Tile, level terrain.Level) {
	j.tile, j.level, j.count = t, level, m.layout.Count(level)
	j.verts = m.pool.get(level)
	j.cancel.Store(false)
	m.stats.ReadingBytes += m.heldBytes(level)
}

// recall cancels what a loader has of t if nobody wants it any more, and wants it
// again if somebody does.
func (m *Manager) recall(t *Tile) {
	j := t.job
	if j == nil {
		return
	}
	unwanted := j.level < t.keep || t.swap != nil
	switch s := t.states[j.level]; {
	case s == Preparing && unwanted:
		m.step(t, j.level, cancel)
		j.cancel.Store(true)
	case s == Cancelled && !unwanted:
		m.step(t, j.level, request)
		j.cancel.Store(false)
	}
}

// reading returns how many jobs are with the loaders.
func (m *Manager) reading() int {
	return m.count[Preparing] + m.count[Cancelled] + m.exchangesReading()
}

// finish takes what a loader delivers.
func (m *Manager) finish(j *job) {
	t, level := j.tile, j.level
	if j.swap != nil {
		m.finishExchange(j)
		m.free(j)
		return
	}
	e := read
	switch {
	case errors.Is(j.err, errCancelled):
		e = drop
	case j.err != nil:
		e = fail
	}
	t.job = nil
	m.stats.ReadingBytes -= m.heldBytes(level)
	switch m.step(t, level, e) {
	case adopt:
		m.adopt(t, j)
	case discard:
		m.stats.Dropped++
		m.pool.put(level, j.verts)
	case report:
		m.pool.put(level, j.verts)
		m.failed(t, level, j.err)
	}
	m.free(j)
}

// free makes a job ready for the next use.
func (m *Manager) free(j *job) {
	j.src, j.tile, j.prefix, j.verts, j.swap, j.out, j.err = nil, nil, nil, nil, nil, nil, nil
	m.idle = append(m.idle, j)
}

func (m *Manager) adopt(t *Tile, j *job) {
	m.replace(t, j.out)
	m.stats.Reads++
	t.failures = slices.DeleteFunc(t.failures, func(f failure) bool { return f.level == j.level })
	m.review(t)
	if f := m.opts.Listener.LevelPrepared; f != nil {
		f(t, j.level)
	}
}

// replace makes cpu, or nil, what t holds.
func (m *Manager) replace(t *Tile, cpu *terrain.Tile) {
	if t.CPU != nil {
		m.stats.CPUBytes -= m.heldBytes(t.Prepared)
		m.retire(t.Prepared, t.CPU.Verts)
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
	f.retry = m.opts.Now().Add(min(firstRetry<<min(f.attempts, 20), lastRetry))
	f.attempts++
	if told := m.opts.Listener.LevelFailed; told != nil && f.attempts == 1 {
		told(t, level, err)
	}
}
