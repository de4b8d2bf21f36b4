package streaming

import (
	"math"
	"time"

	"github.com/vkterrain/vkterrain/terrain"
)

// Budget bounds what a manager holds, and what it does in a frame. Zeros are no bound.
//
// Bytes are hard caps: what does not fit is not read, and not uploaded, until something
// else has gone. Where the view wants more, the levels that are worth least a byte are
// done without, of each tile the finest first, and where that is not enough, of the
// farthest tiles all; [Stats].Limited says so. What is drawn goes only if a coarser level of it stays, or if no camera sees it. A cap that is made
// smaller is kept once enough has been given up. A frame uploads and gives up one level at
// least, if there is one, whatever its bounds: so there is progress.
type Budget struct {
	CPUBytes int64 // vertices in CPU memory, being read too, and what readers read
	GPUBytes int64 // vertices on the GPU, until no frame reads them

	UploadBytes int64         // a frame
	UploadTime  time.Duration // of a frame, for copying what is uploaded
	FreeTime    time.Duration // of a frame, for giving up vertices
	Reads       int           // under way, with all that waits for it
}

// Cap is a bound of a [Budget].
type Cap uint8

const (
	CapCPU Cap = iota
	CapGPU
)

func (c Cap) String() string { return [...]string{"CPU", "GPU"}[c] }

// SetBudget changes the bounds from here on.
func (m *Manager) SetBudget(b Budget) {
	if b == m.budget {
		return
	}
	m.budget, m.moved = b, true
	raws := int64(m.readers + m.opts.Loaders)
	most := m.opts.ReadBytes
	if b.CPUBytes > 0 { // what readers read is an eighth at most, if that is enough
		most = min(most, max(b.CPUBytes/8/raws, 4096))
	}
	m.most.Store(most)
}

// rawBound bounds the memory of what readers read.
func (m *Manager) rawBound() int64 {
	if m.readers == 0 {
		return 0
	}
	return int64(m.readers+m.opts.Loaders+m.stuck) * max(m.most.Load(), m.levelBytes(0))
}

// cpuBytes returns all bytes of vertices in CPU memory.
func (m *Manager) cpuBytes() int64 {
	s := &m.stats
	return s.CPUBytes + s.ReadingBytes + s.StuckBytes + s.ReplacingBytes + m.pool.bytes + m.retiredBytes
}

// roomCPU says whether need bytes more fit into CPU memory, with as much as reserve to
// spare. For that, buffers that wait for reuse go.
func (m *Manager) roomCPU(need, reserve int64) bool {
	if m.budget.CPUBytes <= 0 {
		return true
	}
	over := m.cpuBytes() + m.rawBound() + need + reserve - m.budget.CPUBytes
	if over > 0 {
		over -= m.pool.trim(over)
	}
	return over <= 0
}

// roomGPU says whether need bytes more fit into the memory of the GPU.
func (m *Manager) roomGPU(need int64) bool {
	return m.budget.GPUBytes <= 0 || m.stats.GPUBytes+need <= m.budget.GPUBytes
}

// spareBytes is the memory that is kept free for copying what stays of a tile.
func (m *Manager) spareBytes() int64 { return m.heldBytes(min(1, m.coarsest())) }

// fits says whether a buffer for a tile down to level does.
func (m *Manager) fits(level terrain.Level) bool {
	need := m.heldBytes(level)
	if m.pool.forRead(level) {
		need = 0 // it counts already
	}
	return m.roomCPU(need, m.spareBytes())
}

// mayRead is fits, and lets room be made if not.
func (m *Manager) mayRead(level terrain.Level) bool {
	if m.fits(level) {
		return true
	}
	m.press = max(m.press, m.heldBytes(level))
	return false
}

// room returns the bytes that all levels wanted may take together.
func (m *Manager) room() int64 {
	room := int64(math.MaxInt64)
	if c := m.budget.GPUBytes; c > 0 {
		room = max(c-m.replacingGPU(), 0)
	}
	if c := m.budget.CPUBytes; c > 0 {
		// While a level is read there are two of its tile.
		room = min(room, max(c-m.rawBound()-m.stats.StuckBytes-m.replacingCPU()-2*m.spareBytes(), 0))
	}
	return room
}

// stay is how much more a level is worth that is there, so that two that are worth the same
// do not take turns while cameras move.
const stay = 1.5

// worth returns what a level of a tile is worth a byte.
func (m *Manager) worth(t *Tile, level terrain.Level) float64 {
	p := &m.places[t.index]
	mends := p.coef[level]
	if level > 0 {
		mends -= p.coef[level-1]
	}
	w := max(float64(p.weight)*float64(mends), 1e-30) / float64(m.levelBytes(level))
	if t.Prepared <= level && m.stays {
		w *= stay
	}
	return w
}

// limit makes goals of the targets: what of them fits.
func (m *Manager) limit() {
	left := m.room()
	wanted := int64(0)
	for _, t := range m.tiles {
		t.goal, t.keep = t.Target, min(m.places[t.index].levels[toKeep], t.Target)
		if t.fixed || t.removed {
			t.keep = t.Target
		}
		if t.Target != None {
			wanted += m.heldBytes(t.Target)
		}
	}
	m.stats.WantedBytes = wanted
	before := m.stats.Limited
	m.stats.Limited = 0
	if left -= wanted; left < 0 {
		left = m.limitFine(left)
		m.limitCoarse(left)
		for _, t := range m.tiles {
			if t.goal != t.Target { // there is no room to keep what is not needed
				m.stats.Limited++
				t.keep = t.goal
			}
		}
	}
	if told := m.opts.Listener.BudgetHit; told != nil && before == 0 && m.stats.Limited > 0 {
		c := CapCPU
		if g := m.budget.GPUBytes; g > 0 && g-m.replacingGPU() <= m.room() {
			c = CapGPU
		}
		told(c, wanted, m.room())
	}
}

// limitFine does without what is worth least, but for coarsest levels, until left is no
// longer negative.
func (m *Manager) limitFine(left int64) int64 {
	m.queue = m.queue[:0]
	for i, t := range m.tiles {
		if t.goal < m.coarsest() {
			m.queue = append(m.queue, rank{0, -m.worth(t, t.goal), i})
		}
	}
	m.queue.init()
	for left < 0 && len(m.queue) > 0 {
		t := m.tiles[m.queue[0].index]
		left += m.levelBytes(t.goal)
		if t.goal++; t.goal == m.coarsest() {
			m.queue.pop()
			continue
		}
		m.queue[0].value = -m.worth(t, t.goal)
		m.queue.down(0)
	}
	return left
}

// limitCoarse does without what no camera sees, and then without what is not there yet,
// each the farthest first, until left is no longer negative.
func (m *Manager) limitCoarse(left int64) {
	if left = m.limitTiles(left, func(_ *Tile, p *place) bool { return !p.seen }); left < 0 {
		m.limitTiles(left, func(t *Tile, _ *place) bool { return t.Prepared == None })
	}
}

// limitTiles does without tiles of which goes says that they may go, the farthest first,
// until left is no longer negative.
func (m *Manager) limitTiles(left int64, goes func(t *Tile, p *place) bool) int64 {
	if left >= 0 {
		return left
	}
	m.queue = m.queue[:0]
	for i, t := range m.tiles {
		if p := &m.places[i]; t.goal != None && goes(t, p) {
			m.queue = append(m.queue, rank{0, p.near, i})
		}
	}
	m.queue.init()
	for ; left < 0 && len(m.queue) > 0; m.queue.pop() {
		left += m.heldBytes(m.coarsest())
		m.tiles[m.queue[0].index].goal = None
	}
	return left
}

// squeeze finds what to give up for what did not fit since the last time: what is worth
// least a byte and finer than its goal, though it was to be kept for a while.
func (m *Manager) squeeze() {
	need := max(m.press, m.excess())
	if m.press = 0; need <= 0 {
		return
	}
	m.queue = m.queue[:0]
	for i, t := range m.tiles {
		switch {
		case t.swap != nil || t.Prepared >= t.goal:
		case t.squeezed:
			need -= m.surplusBytes(t)
		default:
			m.queue = append(m.queue, rank{0, -m.worth(t, t.Prepared), i})
		}
	}
	m.queue.init()
	for ; need > 0 && len(m.queue) > 0; m.queue.pop() {
		t := m.tiles[m.queue[0].index]
		t.squeezed = true
		m.squeezed++
		need -= m.surplusBytes(t)
	}
}

// excess returns by how much a cap is exceeded that has been made smaller.
func (m *Manager) excess() (bytes int64) {
	if c := m.budget.GPUBytes; c > 0 {
		bytes = m.stats.GPUBytes - c
	}
	if c := m.budget.CPUBytes; c > 0 && !m.roomCPU(0, m.spareBytes()) {
		bytes = max(bytes, m.cpuBytes()+m.rawBound()+m.spareBytes()-c)
	}
	return bytes
}

// surplusBytes returns the bytes of t beyond its goal.
func (m *Manager) surplusBytes(t *Tile) int64 {
	n := m.heldBytes(t.Prepared)
	if t.goal != None {
		n -= m.heldBytes(t.goal)
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
