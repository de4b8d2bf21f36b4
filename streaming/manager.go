package streaming

import (
	"context"
	"fmt"
	"runtime/trace"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// background is the context of regions in the trace of package runtime/trace.
var background = context.Background()

// Manager holds the tiles of one world. See the package comment for which
// goroutine may call it: one, always the same.
type Manager struct {
	src    Source
	opts   Options
	layout *terrain.Layout
	margin float64

	tiles   []*Tile
	places  []place // of the tiles
	byKey   map[terrain.Key]*Tile
	shown   []*Tile                    // tiles with anything loaded
	stale   bool                       // shown is
	queue   queue                      // scratch
	byLevel [terrain.MaxLevels][]int32 // scratch: tiles by their level
	pool    pool

	retired      []retired // wait for readers
	retiredBytes int64

	strategies map[StrategyID]named
	strategyID StrategyID
	strategy   Strategy
	fixed      func(k terrain.Key) (terrain.Level, bool)

	cameras cameras  // of the last update
	given   []Camera // scratch
	data    any      // of the strategy, in the last update
	scene   Scene    // scratch
	moved   bool     // targets must be found anew, whatever the cameras
	updates uint64
	wanting int     // tiles whose target is not prepared
	leaving int     // tiles that are to be forgotten
	spare   []*Tile // forgotten
	surplus int     // tiles that hold more than they should keep

	swapping   *swapping // tiles that are to become others, or nil
	superseded int64     // bytes on the GPU of what they were

	loading
	ranged   Ranged // src, if it is one and there are readers
	readers  int    // that read beside loaders, or 0
	idle     []*job // free to be used
	busy     int    // jobs that are not
	stuck    int    // abandoned ones that have not returned
	seq      uint64 // of the last job
	early    []*job // taken from done before its time, by Wait
	aimed    bool   // in this update
	budget   Budget
	press    int64  // bytes of what did not fit
	squeezed int    // tiles that are
	stays    bool   // what is there is worth more, for now
	stood    uint64 // updates since the cameras moved
	nextLook time.Time
	decoder  *chunkfile.Decoder
	closed   bool
	trace    *tracing // or nil

	count [states]int // levels by state
	stats Stats
}

// New starts a manager of src, which must stay open until Close has returned.
func New(src Source, o Options) *Manager {
	m := newManager(src, o)
	if m.opts.Sync {
		return m
	}
	if _, ok := src.(Ranged); ok {
		m.readers = m.opts.Reads
		for range m.opts.Loaders {
			m.startWorker(&worker{decodes: true})
		}
	}
	m.setSource(src)
	budget := m.budget
	m.budget = Budget{}
	m.SetBudget(budget) // with readers it means something else
	goroutines := m.readers
	if m.readers == 0 {
		goroutines = m.opts.Loaders
	}
	for range goroutines {
		m.startWorker(new(worker))
	}
	return m
}

// startWorker starts a goroutine like w.
func (m *Manager) startWorker(w *worker) {
	if m.readers > 0 {
		m.raws <- new(raw)
	}
	switch {
	case w.decodes:
		m.all.Go(func() { m.decodeAll(w) })
	case m.readers > 0:
		m.all.Go(func() { m.read(w) })
	default:
		m.all.Go(func() { m.load(w) })
	}
}

// setSource makes src what is read from here on.
func (m *Manager) setSource(src Source) {
	m.src, m.ranged = src, nil
	if m.readers > 0 {
		m.ranged, _ = src.(Ranged)
	}
}

// sinceStart returns how long the manager has been there.
func (m *Manager) sinceStart() time.Duration { return time.Since(m.start) }

// newManager is New without loaders.
func newManager(src Source, o Options) *Manager {
	o.fill(src)
	infos := src.Tiles()
	m := &Manager{
		src: src, opts: o, layout: src.World().Layout(), margin: 1 + max(o.HoldMargin, 0),
		tiles: make([]*Tile, 0, len(infos)), places: make([]place, 0, len(infos)),
		byKey: make(map[terrain.Key]*Tile, len(infos)),
		shown: make([]*Tile, 0, len(infos)), queue: make(queue, 0, len(infos)),
		strategies: builtIn(), strategyID: ByDistance, strategy: byDistance{}, fixed: o.Fixed,
		moved: true,
	}
	m.loading.init(&o)
	m.traceInto(o.Trace)
	for i := range m.board.jobs {
		m.idle = append(m.idle, m.board.jobs[i].Load())
	}
	m.retired = make([]retired, 0, len(m.board.jobs))
	m.SetBudget(o.Budget)
	m.pool.fill(m.layout)
	m.roomCPU(0, m.spareBytes())
	all := make([]Tile, len(infos))
	for i := range infos {
		m.add(&all[i], &infos[i])
	}
	return m
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
			if t := m.tiles[i]; t.Loaded != None {
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
	s.Preparing, s.Cancelled, s.Stuck = m.count[Preparing], m.count[Cancelled], m.count[Stuck]
	s.Prepared, s.Uploading, s.Loaded = m.count[Prepared], m.count[Uploading], m.count[Loaded]
	s.Unloading, s.Failed = m.count[Unloading], m.count[Failed]
	s.PooledBytes, s.RawBytes, s.RetiredBytes = m.pool.bytes, m.held.Load(), m.retiredBytes
	return s
}

// SetFixed replaces [Options].Fixed from the next update on; nil means that the
// view decides everywhere. Tiles that fixed decides about take no part in
// balancing neighbours.
func (m *Manager) SetFixed(fixed func(k terrain.Key) (terrain.Level, bool)) {
	m.fixed = fixed
	for _, t := range m.tiles {
		m.fix(t)
	}
	m.moved = true
}

// fix asks for the fixed level of t.
func (m *Manager) fix(t *Tile) {
	t.fixed = false
	if m.fixed != nil {
		t.fixedLevel, t.fixed = m.fixed(t.Info.Key)
		t.fixedLevel = m.clamp(t.fixedLevel)
	}
}

// Update is [Manager.AutoUpdate] for cameras that may look anywhere, and with the data of
// the last time.
func (m *Manager) Update(laws ...*lodcpu.Law) {
	m.given = m.given[:0]
	for _, l := range laws {
		m.given = append(m.given, Camera{Law: l})
	}
	m.AutoUpdate(m.data, m.given...)
}

// AutoUpdate is called once a frame, with all cameras of it and what the strategy wants
// to know: the strategy finds each tile's target; what the loaders have read is taken,
// and they are asked for what is wanted most. It never waits, but with [Options].Sync,
// where it reads all that can be read.
func (m *Manager) AutoUpdate(data any, cameras ...Camera) {
	if m.closed {
		return
	}
	defer trace.StartRegion(background, "streaming: update").End()
	m.updates++
	if m.trace != nil {
		m.trace.add(traced{kind: tracedBytes, group: m.trace.group, at: m.sinceStart() + m.trace.since, value: [2]int64{m.cpuBytes(), m.stats.GPUBytes}})
	}
	if len(m.retired) > 0 {
		m.reclaim()
	}
	if m.stood++; m.moved || !m.cameras.same(cameras) || !m.sameData(data) {
		m.stood = 0
	}
	rest := m.stays && m.stats.Limited > 0 && !m.restless()
	if m.aimed = m.stood == 0 || rest || !canCompare(data); m.aimed {
		m.aim(data, cameras)
		m.rerank()
	}
	m.collect()
	m.expire()
	for m.readExchanges()+m.request() > 0 && m.opts.Sync {
	}
}

// restless says whether something has moved lately.
func (m *Manager) restless() bool { return int64(m.stood) <= int64(max(m.opts.HoldUpdates, 1)) }

// Settled reports whether nothing is on its way and every tile has its target
// loaded, or cannot: levels that failed [Options].Attempts times do not count.
func (m *Manager) Settled() bool {
	if m.moved || m.swapping != nil || m.busy+m.count[Uploading] > 0 {
		return false
	}
	for i := range m.tiles {
		t := m.tiles[i]
		if t.Loaded <= t.goal {
			continue
		}
		if t.Loaded != t.Prepared {
			return false
		}
		if t.states[m.finer(t.Prepared)] == Stuck {
			continue
		}
		if f := t.failure(m.finer(t.Prepared)); f == nil || f.attempts < m.opts.Attempts {
			return false
		}
	}
	return true
}

// Wait waits until a loader has finished something, or a failed read is due again or one
// too late, so that it is worth calling Update, or until ctx is done. It returns
// at once if nothing is being read. It is not for the frame path.
func (m *Manager) Wait(ctx context.Context) error {
	if m.closed || len(m.early) > 0 {
		return ctx.Err()
	}
	var retry <-chan time.Time
	at, ok := m.nextRetry()
	if m.busy > 0 && m.opts.Timeout > 0 {
		if look := m.opts.Now().Add(m.opts.Timeout / 8); !ok || look.Before(at) {
			at, ok = look, true
		}
	}
	if ok {
		timer := time.NewTimer(at.Sub(m.opts.Now()))
		defer timer.Stop()
		retry = timer.C
	} else if m.busy == 0 {
		return ctx.Err()
	}
	select {
	case j := <-m.done: // it is there already
		m.early = append(m.early, j)
		return nil
	default:
	}
	m.stats.Waits++
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
		t := m.tiles[i]
		if !t.wanting {
			continue
		}
		if f := t.failure(m.finer(t.Prepared)); f != nil && t.job == nil && t.swap == nil && (!ok || f.retry.Before(at)) {
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
	ended := make(chan struct{})
	go func() {
		m.all.Wait()
		close(ended)
	}()
	if i, ok := m.src.(Interrupter); ok {
		i.Interrupt()
	}
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-ended:
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
	if m.trace != nil {
		m.trace.changed(t, level, s, m.sinceStart())
	}
	t.moved(s, -1)
	t.moved(next, 1)
	t.states[level] = next
	return act
}

// moved counts a level that comes into a state, or goes.
func (t *Tile) moved(s State, by int) {
	switch s {
	case Uploading:
		t.uploading += by
	case Unloading:
		t.unloading += by
	}
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
