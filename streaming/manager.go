package streaming

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Options adjust a [Manager]. The zero value works.
type Options struct {
	// Loaders is how many goroutines read; 0 means one less than there are
	// processors, between 1 and 4.
	Loaders int
	// InFlight is how many levels may be with the loaders; 0 means two each.
	// More hides the time between two frames, fewer follow the eye faster.
	InFlight int
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

	// Attempts is how often a level is tried before [Manager.Settled] stops
	// waiting for it; 0 means 3. It is tried ever after, every ten seconds.
	Attempts int

	Listener Listener

	// Now is the clock for retries; nil means [time.Now].
	Now func() time.Time
}

// Listener is told what happens, on the goroutine that calls the manager. Its
// functions may be nil, must not wait, and must not call the manager.
type Listener struct {
	LevelPrepared func(t *Tile, level terrain.Level)
	LevelLoaded   func(t *Tile, level terrain.Level)
	// LevelFailed is told once, until the level has been read after all.
	LevelFailed func(t *Tile, level terrain.Level, err error)
	// LevelEvicted is the counterpart of LevelPrepared.
	LevelEvicted func(t *Tile, level terrain.Level)
}

// Manager holds the tiles of one world. See the package comment for which
// goroutine may call it: one, always the same.
type Manager struct {
	src    Source
	opts   Options
	layout *terrain.Layout
	margin float64

	tiles  []Tile
	places []place
	byKey  map[terrain.Key]*Tile
	shown  []*Tile // tiles with anything loaded
	stale  bool    // shown is
	queue  queue   // scratch
	pool   pool

	laws    []lodcpu.Law // of the last update
	moved   bool         // targets must be found anew, whatever the laws
	updates uint64
	wanting int // tiles whose target is not prepared
	surplus int // tiles that hold more than they should keep

	stop       chan struct{}
	loaders    sync.WaitGroup
	todo, done chan *job
	idle       []*job // free to be used
	early      []*job // taken from done before its time, by Wait
	decoder    *chunkfile.Decoder
	closed     bool

	count [states]int // levels by state
	stats Stats
}

// Stats is what there is and what has happened so far.
type Stats struct {
	Tiles, Shown                                   int // of the world; with anything loaded
	Preparing, Prepared, Uploading, Loaded, Failed int // levels in that state

	CPUBytes     int64 // vertices of prepared levels
	ReadingBytes int64 // buffers that loaders fill
	PooledBytes  int64 // buffers waiting for reuse
	GPUBytes     int64 // vertices of levels uploading or loaded

	Updates   uint64
	Reads     uint64 // levels that became prepared
	Failures  uint64 // attempts to read that failed
	Dropped   uint64 // levels read or given up because the target had changed
	Evictions uint64
	Changes   uint64 // of what is loaded: while it stays, so do all Tile.Loaded and Tile.Near
}

// New starts a manager of src, which must stay open until Close has returned.
func New(src Source, o Options) *Manager {
	m := newManager(src, o)
	if !m.opts.Sync {
		for range m.opts.Loaders {
			m.loaders.Go(func() { loader(m.src, m.stop, m.todo, m.done) })
		}
	}
	return m
}

// newManager is New without loaders.
func newManager(src Source, o Options) *Manager {
	if o.Loaders <= 0 {
		o.Loaders = min(4, max(1, runtime.GOMAXPROCS(0)-1))
	}
	if o.InFlight <= 0 {
		o.InFlight = 2 * o.Loaders
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
	infos := src.Tiles()
	m := &Manager{
		src: src, opts: o, layout: src.World().Layout(), margin: 1 + max(o.HoldMargin, 0),
		tiles: make([]Tile, len(infos)), places: make([]place, len(infos)),
		byKey: make(map[terrain.Key]*Tile, len(infos)),
		shown: make([]*Tile, 0, len(infos)), queue: make(queue, 0, len(infos)),
		stop: make(chan struct{}), todo: make(chan *job, o.InFlight), done: make(chan *job, o.InFlight),
		moved: true,
	}
	for range o.InFlight {
		m.idle = append(m.idle, new(job))
	}
	if o.Sync {
		m.decoder = chunkfile.NewDecoder()
	}
	m.addTiles(infos)
	m.SetFixed(o.Fixed)
	return m
}

func (m *Manager) addTiles(infos []terrain.TileInfo) {
	world := lodcpu.FullLaw(m.src.World())
	for i := range m.tiles {
		t, p := &m.tiles[i], &m.places[i]
		*t = Tile{Info: &infos[i], index: i, Target: None, Prepared: None, Loaded: None, keep: None, taken: None}
		for n := range t.Near {
			t.Near[n] = lodcpu.Absent
		}
		lo, hi := world.Bounds(m.layout, t.Info)
		p.lo, p.hi, p.coef = lo, hi, t.Info.Coef
		m.byKey[t.Info.Key] = t
	}
	for i := range m.tiles {
		t := &m.tiles[i]
		for n := range t.around {
			k := t.Info.Key
			t.around[n] = m.byKey[terrain.Key{Zoom: k.Zoom, X: k.X + int32(n%3) - 1, Y: k.Y + int32(n/3) - 1}]
		}
	}
	m.count[Absent] = len(m.tiles) * m.layout.Levels
}

// Tile returns tile k, or nil if the world has none.
func (m *Manager) Tile(k terrain.Key) *Tile { return m.byKey[k] }

// Tiles returns all tiles of which anything is loaded, in the order of the
// source. The slice is good until the next call of a method.
func (m *Manager) Tiles() []*Tile {
	if m.stale {
		m.stale = false
		m.shown = m.shown[:0]
		for i := range m.tiles {
			if t := &m.tiles[i]; t.Loaded != None {
				m.shown = append(m.shown, t)
			}
		}
	}
	return m.shown
}

// Stats returns what there is now.
func (m *Manager) Stats() Stats {
	s := m.stats
	s.Tiles, s.Shown, s.Updates = len(m.tiles), len(m.Tiles()), m.updates
	s.Preparing, s.Prepared, s.Uploading = m.count[Preparing], m.count[Prepared], m.count[Uploading]
	s.Loaded, s.Failed = m.count[Loaded], m.count[Failed]
	s.PooledBytes = m.pool.bytes
	return s
}

// SetFixed replaces [Options].Fixed from the next update on; nil means that the
// view decides everywhere. Tiles that fixed decides about take no part in
// balancing neighbours.
func (m *Manager) SetFixed(fixed func(k terrain.Key) (terrain.Level, bool)) {
	for i := range m.tiles {
		t := &m.tiles[i]
		t.fixed = false
		if fixed == nil {
			continue
		}
		if t.fixedLevel, t.fixed = fixed(t.Info.Key); t.fixedLevel != None {
			t.fixedLevel = min(t.fixedLevel, m.coarsest())
		}
	}
	m.moved = true
}

// Update is called once a frame, with the laws of all views of it: it finds
// each tile's target, the finest level over all laws, takes what the loaders
// have read, and asks them for what is wanted most. It never waits, but with
// [Options].Sync, where it reads all that can be read.
func (m *Manager) Update(laws ...*lodcpu.Law) {
	if m.closed {
		return
	}
	m.updates++
	if m.moved || !m.sameLaws(laws) {
		m.aim(laws)
	}
	m.collect()
	for m.request() > 0 && m.opts.Sync {
	}
}

func (m *Manager) sameLaws(laws []*lodcpu.Law) bool {
	return slices.EqualFunc(m.laws, laws, func(a lodcpu.Law, b *lodcpu.Law) bool {
		return a.Eye == b.Eye && a.A == b.A && a.B == b.B && slices.Equal(a.Radius, b.Radius)
	})
}

// aim finds the targets.
func (m *Manager) aim(laws []*lodcpu.Law) {
	m.moved = false
	m.laws = m.laws[:0]
	for _, l := range laws {
		m.laws = append(m.laws, *l)
	}
	for i := range m.places {
		t, p := &m.tiles[i], &m.places[i]
		p.near, p.target, p.keep = math.MaxFloat32, m.coarsest(), m.coarsest()
		for _, l := range laws {
			p.aim(l, m.layout.Levels, m.margin)
		}
		if t.fixed {
			p.target, p.keep = t.fixedLevel, t.fixedLevel
		}
	}
	m.balance()
	for i := range m.tiles {
		t, p := &m.tiles[i], &m.places[i]
		t.Target, t.keep = p.target, min(p.keep, p.target)
		m.review(t)
		if t.job != nil {
			t.job.cancel.Store(t.job.level < t.keep)
		}
	}
}

// balance does for the targets what [lodcpu.Balance] does for a map. Going from
// the finest level to coarser ones, each tile is seen when its own is final.
func (m *Manager) balance() {
	for level := terrain.Level(0); level+1 < m.coarsest(); level++ {
		for i := range m.places {
			if m.places[i].target != level {
				continue
			}
			for _, n := range &m.tiles[i].around {
				if n != nil && !n.fixed {
					p := &m.places[n.index]
					p.target = min(p.target, level+1)
				}
			}
		}
	}
}

// review brings up to date what hangs on a tile's target and what it holds.
func (m *Manager) review(t *Tile) {
	if wanting := t.Prepared > t.Target; wanting != t.wanting {
		t.wanting = wanting
		if wanting {
			m.wanting++
		} else {
			m.wanting--
		}
	}
	switch surplus := t.Prepared < t.keep; {
	case surplus && t.surplusSince == 0:
		t.surplusSince = m.updates
		m.surplus++
	case !surplus && t.surplusSince != 0:
		t.surplusSince = 0
		m.surplus--
	}
}

// collect takes what the loaders have finished.
func (m *Manager) collect() {
	for i, j := range m.early {
		m.early[i] = nil
		m.finish(j)
	}
	m.early = m.early[:0]
	for m.count[Preparing] > 0 {
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
		if t := &m.tiles[i]; t.wanting && t.job == nil && m.due(t) {
			m.queue = append(m.queue, m.requestRank(t))
		}
	}
	m.queue.init()
	n := 0
	for ; len(m.queue) > 0 && len(m.idle) > 0; n++ {
		t := &m.tiles[m.queue[0].index]
		m.queue.pop()
		m.post(t, m.finer(t.Prepared))
	}
	return n
}

// due says whether the next level of t may be tried.
func (m *Manager) due(t *Tile) bool {
	level := m.finer(t.Prepared)
	return t.states[level] != Failed || !m.opts.Now().Before(t.failure(level).retry)
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
	m.step(t, level, request)
	j := m.idle[len(m.idle)-1]
	m.idle = m.idle[:len(m.idle)-1]
	j.tile, j.level, j.count = t, level, m.layout.Count(level)
	j.verts, j.prefix = m.pool.get(level), nil
	if t.CPU != nil {
		j.prefix = t.CPU.Verts
	}
	j.cancel.Store(false)
	t.job = j
	m.stats.ReadingBytes += m.heldBytes(level)
	if m.opts.Sync {
		j.do(m.src, m.decoder)
		m.finish(j)
	} else {
		m.todo <- j
	}
}

// finish takes what a loader delivers.
func (m *Manager) finish(j *job) {
	t, level := j.tile, j.level
	e := read
	switch {
	case level < t.keep || errors.Is(j.err, errCancelled):
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
	j.tile, j.prefix, j.verts, j.out, j.err = nil, nil, nil, nil, nil
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
		m.pool.put(t.Prepared, t.CPU.Verts)
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

// Settled reports whether nothing is on its way and every tile has its target
// loaded, or cannot: levels that failed [Options].Attempts times do not count.
func (m *Manager) Settled() bool {
	if m.moved || m.count[Preparing]+m.count[Uploading] > 0 {
		return false
	}
	for i := range m.tiles {
		t := &m.tiles[i]
		if t.Loaded <= t.Target {
			continue
		}
		if t.Loaded != t.Prepared {
			return false
		}
		if f := t.failure(m.finer(t.Prepared)); f == nil || f.attempts < m.opts.Attempts {
			return false
		}
	}
	return true
}

// Wait waits until a loader has finished something or a failed read is due
// again, so that it is worth calling Update, or until ctx is done. It returns
// at once if nothing is being read. It is not for the frame path.
func (m *Manager) Wait(ctx context.Context) error {
	if m.closed || len(m.early) > 0 {
		return ctx.Err()
	}
	var retry <-chan time.Time
	if m.count[Preparing] == 0 {
		at, ok := m.nextRetry()
		if !ok {
			return ctx.Err()
		}
		timer := time.NewTimer(at.Sub(m.opts.Now()))
		defer timer.Stop()
		retry = timer.C
	}
	select {
	case j := <-m.done:
		m.early = append(m.early, j)
	case <-retry:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// nextRetry returns when the first failed level that is wanted is due.
func (m *Manager) nextRetry() (at time.Time, ok bool) {
	for i := range m.tiles {
		t := &m.tiles[i]
		if !t.wanting {
			continue
		}
		if f := t.failure(m.finer(t.Prepared)); f != nil && (!ok || f.retry.Before(at)) {
			at, ok = f.retry, true
		}
	}
	return at, ok
}

// closeTimeout is how long Close waits for reads that do not return.
const closeTimeout = 900 * time.Millisecond

// Close stops the loaders. It waits for reads that have begun, less than a
// second; then it gives up with an error, and the source must stay open. What
// is prepared stays readable. Closing twice is fine.
func (m *Manager) Close() error {
	if m.closed {
		return nil
	}
	m.closed = true
	close(m.stop)
	done := make(chan struct{})
	go func() {
		m.loaders.Wait()
		close(done)
	}()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-done:
		return nil
	case <-timeout.C:
		return fmt.Errorf("streaming: close: a read has not returned in %v", closeTimeout)
	}
}

// step lets e happen to a level and returns what is to be done.
func (m *Manager) step(t *Tile, level terrain.Level, e event) action {
	s := t.states[level]
	next, act := s.next(e)
	if act == refuse {
		panic(fmt.Sprintf("streaming: %v of level %d of tile %v, which is %v", e, level, t.Info.Key, s))
	}
	m.count[s]--
	m.count[next]++
	if s == Uploading {
		t.uploading--
	}
	if next == Uploading {
		t.uploading++
	}
	t.states[level] = next
	return act
}

func (m *Manager) coarsest() terrain.Level { return terrain.Level(m.layout.Levels - 1) }

// finer returns the level that comes after l.
func (m *Manager) finer(l terrain.Level) terrain.Level { return min(l, m.coarsest()+1) - 1 }

// levelBytes returns the bytes of one level's samples.
func (m *Manager) levelBytes(level terrain.Level) int64 {
	lo, hi := m.layout.Range(level)
	return int64(hi-lo) * terrain.VertexBytes
}

// heldBytes returns the bytes of a tile down to level.
func (m *Manager) heldBytes(level terrain.Level) int64 {
	return int64(m.layout.Count(level)) * terrain.VertexBytes
}
