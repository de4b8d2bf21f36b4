package streaming

import (
	"runtime/trace"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Upload is one level to send to the GPU.
type Upload struct {
	Tile  *Tile
	Level terrain.Level
	// First is the id of the first of Verts, the level samples. They are good
	// until take returns.
	First int
	Verts []terrain.Vertex
	// Info, if not nil, is what the tile is to become: the level does not take the place
	// of what is loaded before Exchange. See [Manager.Replace].
	Info *terrain.TileInfo
}

// Uploads calls take with prepared levels that are wanted on the GPU: coarsest
// level first, then nearest tile. Of one tile, a level comes after all coarser
// ones. take returns false if it has no room; that level, and what comes after
// it, is offered again next time. Uploads stops before it exceeds budget bytes,
// but for its first level, so that there always is progress; 0 means no limit.
//
// A level that take has accepted is on the GPU's account until it is evicted;
// once the graphics queue can read it, call [Manager.Loaded], not before
// Uploads has returned.
func (m *Manager) Uploads(budget int64, take func(u Upload) bool) {
	defer trace.StartRegion(background, "streaming: uploads").End()
	limit, start := m.budget.UploadTime, time.Time{}
	if limit > 0 {
		start = m.opts.Now()
	}
	if b := m.budget.UploadBytes; b > 0 && (budget <= 0 || b < budget) {
		budget = b
	}
	spent, ok := m.uploadExchanges(budget, take)
	if m.count[Prepared] == 0 || !ok {
		return
	}
	m.queue = m.queue[:0]
	for i := range m.tiles {
		if r, ok := m.uploadRank(m.tiles[i]); ok {
			m.queue = append(m.queue, r)
		}
	}
	m.queue.init()
	for len(m.queue) > 0 {
		t := m.tiles[m.queue[0].index]
		level := m.finer(t.taken)
		spent += m.levelBytes(level)
		if budget > 0 && spent > budget && spent > m.levelBytes(level) {
			return
		}
		if !m.roomGPU(m.levelBytes(level)) {
			m.press = max(m.press, m.levelBytes(level))
			return
		}
		if !m.upload(t, level, take) || limit > 0 && m.opts.Now().Sub(start) >= limit {
			return
		}
		if r, ok := m.uploadRank(t); ok {
			m.queue[0] = r
			m.queue.down(0)
		} else {
			m.queue.pop()
		}
	}
}

// uploadRank ranks the next level of t to upload, if there is one.
func (m *Manager) uploadRank(t *Tile) (r rank, ok bool) {
	if t.swap != nil || t.taken <= t.Prepared || t.taken <= t.goal || t.states[m.finer(t.taken)] != Prepared {
		return rank{}, false
	}
	return rank{int(m.finer(t.taken)), -m.places[t.index].near, t.index}, true
}

func (m *Manager) upload(t *Tile, level terrain.Level, put func(u Upload) bool) bool {
	lo, hi := m.layout.Range(level)
	if !put(Upload{Tile: t, Level: level, First: lo, Verts: t.CPU.Verts[lo:hi:hi]}) {
		return false
	}
	if m.step(t, level, take) == countGPU {
		m.stats.GPUBytes += m.levelBytes(level)
	}
	t.taken = level
	return true
}

// Loaded says that the graphics queue can read a level that was taken in
// Uploads. It panics if the level is not on its way.
func (m *Manager) Loaded(t *Tile, level terrain.Level) {
	if m.step(t, level, reached) != show {
		return
	}
	loaded := t.Loaded
	for loaded > 0 && t.states[m.finer(loaded)] == Loaded {
		loaded = m.finer(loaded)
	}
	m.setLoaded(t, loaded)
	if f := m.opts.Listener.LevelLoaded; f != nil {
		f(t, level)
	}
}

// setLoaded changes what is drawn of t, and tells its neighbours.
func (m *Manager) setLoaded(t *Tile, level terrain.Level) {
	if t.Loaded == level {
		return
	}
	m.stale = m.stale || t.Loaded == None || level == None
	m.stats.Changes++
	t.Loaded = level
	near := int8(lodcpu.Absent)
	if level != None {
		near = int8(level)
	}
	for i, n := range &t.around {
		if n != nil {
			n.Near[8-i] = near
		}
	}
}

// evictionBytes bounds what one call of Evictions copies, if it evicts more
// than one tile.
const evictionBytes = 1 << 20

// Evictions gives up levels that have not been wanted for long enough. It calls
// retire with each that the GPU holds, finest first, once [Sinking] says that it may go:
// from here on the level is not drawn, so call it before the frame's tiles are refined. The
// frames that are in flight may still read the GPU's copy; once none does, call [Manager.Unloaded]. The
// vertices in CPU memory go in a call of Evictions after that.
func (m *Manager) Evictions(retire func(t *Tile, level terrain.Level)) {
	if m.closed {
		return
	}
	defer trace.StartRegion(background, "streaming: evictions").End()
	m.squeeze()
	if m.surplus+m.leaving+m.squeezed+m.stats.Sinking == 0 {
		return
	}
	limit, start := m.budget.FreeTime, time.Time{}
	if limit > 0 {
		start = m.opts.Now()
	}
	copied := int64(0)
	for i := 0; i < len(m.tiles); i++ {
		t := m.tiles[i]
		if m.forget(t) {
			i--
			continue
		}
		to, ok := m.giveUp(t)
		if !ok {
			m.stay(t)
			continue
		}
		if m.unload(t, m.sink(t, to), retire); t.unloading > 0 || t.sinking != None {
			continue
		}
		if to != None {
			if copied += m.heldBytes(to); copied > evictionBytes && copied > m.heldBytes(to) {
				return
			}
			if len(m.pool.free[to]) == 0 && !m.roomCPU(m.heldBytes(to), 0) {
				continue
			}
		}
		if m.unprepare(t, to); limit > 0 && m.opts.Now().Sub(start) >= limit {
			return
		}
	}
}

// giveUp returns the level down to which t stays, if finer ones are to be given up now.
func (m *Manager) giveUp(t *Tile) (to terrain.Level, ok bool) {
	// A loader reads the vertices, or the queue the levels.
	if t.job != nil || t.uploading > 0 || t.swap != nil {
		return 0, false
	}
	if t.squeezed {
		return t.goal, true
	}
	return t.keep, t.surplusSince != 0 && (t.prompt || int64(m.updates-t.surplusSince) >= int64(m.opts.HoldUpdates))
}

// unload takes all levels of t finer than keep off the screen, and all if keep is
// None. Nothing of t is on its way to the GPU.
func (m *Manager) unload(t *Tile, keep terrain.Level, retire func(t *Tile, level terrain.Level)) {
	from, end := t.taken, min(keep, m.coarsest()+1)
	if from >= end {
		return
	}
	for level := from; level < end; level++ {
		if m.step(t, level, unload) == hide {
			retire(t, level)
		}
	}
	t.taken = keep
	m.setLoaded(t, max(t.Loaded, keep))
	if f := m.opts.Listener.LevelUnloaded; f != nil {
		for level := from; level < end; level++ {
			f(t, level)
		}
	}
}

// Unloaded says that no frame reads the GPU's copy of a level any more that was retired
// in Evictions: its memory can be used again. It panics if the level was not.
func (m *Manager) Unloaded(t *Tile, level terrain.Level) {
	if m.step(t, level, gone) == uncountGPU {
		m.stats.GPUBytes -= m.levelBytes(level)
	}
}

// unprepare gives up the vertices of all levels of t finer than keep, and all if keep
// is None. The GPU has none of them.
func (m *Manager) unprepare(t *Tile, keep terrain.Level) {
	from, end := t.Prepared, min(keep, m.coarsest()+1)
	for level := from; level < end; level++ {
		m.step(t, level, unprepare)
	}
	var cpu *terrain.Tile
	if keep != None {
		cpu = m.copyOf(t.CPU, keep)
	}
	m.replace(t, cpu)
	m.review(t)
	m.stats.Evictions += uint64(end - from)
	if f := m.opts.Listener.LevelEvicted; f != nil {
		for level := from; level < end; level++ {
			f(t, level)
		}
	}
}

// DeviceLost says that all copies on the GPU are gone: nothing is loaded, and
// every level that was, or was on its way, is to be uploaded again. Tickets and
// retired levels of the lost device must not be reported any more. What is prepared stays.
func (m *Manager) DeviceLost() {
	m.stats.GPUBytes -= m.superseded
	m.superseded = 0
	for i := range m.tiles {
		t := m.tiles[i]
		for level := range terrain.Level(m.layout.Levels) {
			if m.step(t, level, lost) == uncountGPU {
				m.stats.GPUBytes -= m.levelBytes(level)
			}
		}
		t.taken = None
		m.sinks(t, None)
		m.setLoaded(t, None)
		m.loseExchange(t)
	}
}
