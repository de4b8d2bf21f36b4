package streaming

import (
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Replacement says what a tile is to become.
type Replacement struct {
	Info   *terrain.TileInfo
	Levels uint16 // bit l says that vertices of level l are others than before
}

// swapping is the tiles that become others together.
type swapping struct {
	src   Source
	tiles []exchange
}

// exchange is one tile on the way to what it is to become.
type exchange struct {
	tile   *Tile
	info   *terrain.TileInfo
	levels uint16 // that differ

	cpu     *terrain.Tile // as far as the tile is prepared, once it has been read
	job     *job          // with a loader, or nil
	waiting uint16        // levels to upload
	sent    uint16        // levels on their way
	arrived uint16        // levels that the graphics queue can read

	attempts int
	retry    time.Time
}

// Replace makes src the source of all tiles: a world that differs from the one so far
// only in tiles, which are read again as far as they are prepared. Levels of them that
// differ are offered to Uploads once more, with [Upload].Info set, and reported to
// [Manager.Replaced] instead of Loaded. Until [Manager.Exchange] all tiles stay as they
// are, those that are to be replaced with the levels that they have, so that seams
// between old and new ones never show. Only their vertices may become more expensive:
// while they are replaced each is held twice.
//
// It panics while the tiles of an earlier call are on their way, see
// [Manager.Replacing].
func (m *Manager) Replace(src Source, tiles []Replacement) {
	if m.swapping != nil {
		panic("streaming: Replace while tiles are being replaced")
	}
	s := &swapping{src: src, tiles: make([]exchange, 0, len(tiles))}
	for _, r := range tiles {
		t := m.byKey[r.Info.Key]
		if t == nil {
			continue
		}
		s.tiles = append(s.tiles, exchange{tile: t, info: r.Info, levels: r.Levels})
		t.swap = &s.tiles[len(s.tiles)-1]
		m.recall(t) // it would only be read again
	}
	m.swapping = s
}

// Replacing says whether tiles are on their way to what Replace wants them to be.
func (m *Manager) Replacing() bool { return m.swapping != nil }

// readExchanges hands to the loaders what is to be read again, and returns how much.
func (m *Manager) readExchanges() (n int) {
	if m.swapping == nil {
		return 0
	}
	for i := range m.swapping.tiles {
		x := &m.swapping.tiles[i]
		t := x.tile
		if len(m.idle) == 0 {
			return n
		}
		if t.Prepared != None && x.cpu == nil && x.job == nil && !m.roomCPU(m.heldBytes(t.Prepared), 0) {
			m.press = max(m.press, m.heldBytes(t.Prepared))
			continue
		}
		if x.cpu != nil || x.job != nil || t.Prepared == None || t.job != nil || t.uploading > 0 ||
			x.attempts > 0 && m.opts.Now().Before(x.retry) {
			continue
		}
		j := m.fill(t, m.coarsest(), t.Prepared)
		j.src, j.info, j.swap = m.swapping.src, x.info, x
		j.setPiece(0, 0, 0)
		x.job = j
		m.send(j, rank{class: classReplace})
		n++
	}
	return n
}

// finishExchange takes what a loader has read again.
func (m *Manager) finishExchange(j *job) {
	x := j.swap
	m.stats.ReadingBytes -= m.heldBytes(j.level)
	if j.err == nil {
		m.stats.ReplacingBytes += m.heldBytes(j.level)
		x.job = nil
		m.stats.Reads++
		x.cpu = j.made
		for level := range terrain.Level(m.layout.Levels) {
			if level >= x.tile.taken {
				x.waiting |= x.levels & (1 << level)
			}
		}
		return
	}
	m.pool.put(j.level, j.made)
	m.exchangeFailed(x, j.level, j.err)
}

// exchangeFailed notes that a tile could not be read again.
func (m *Manager) exchangeFailed(x *exchange, level terrain.Level, err error) {
	x.job = nil
	m.stats.Failures++
	x.retry = m.opts.Now().Add(min(firstRetry<<min(x.attempts, 20), lastRetry))
	x.attempts++
	if told := m.opts.Listener.LevelFailed; told != nil && x.attempts == 1 {
		told(x.tile, level, err)
	}
}

// uploadExchanges offers levels of tiles that are to be replaced, coarsest first. It
// returns the bytes that were taken; ok is false if there is no room for more.
func (m *Manager) uploadExchanges(budget int64, take func(u Upload) bool) (spent int64, ok bool) {
	if m.swapping == nil {
		return 0, true
	}
	for i := range m.swapping.tiles {
		x := &m.swapping.tiles[i]
		for l := m.layout.Levels - 1; x.waiting != 0 && l >= 0; l-- {
			level := terrain.Level(l)
			if x.waiting>>level&1 == 0 {
				continue
			}
			bytes := m.levelBytes(level)
			if !m.roomGPU(bytes) {
				m.press = max(m.press, bytes)
				return spent, false
			}
			if budget > 0 && spent > 0 && spent+bytes > budget {
				return spent, false
			}
			lo, hi := m.layout.Range(level)
			if !take(Upload{Tile: x.tile, Level: level, First: lo, Verts: x.cpu.Verts[lo:hi:hi], Info: x.info}) {
				return spent, false
			}
			spent += bytes
			m.stats.GPUBytes += bytes
			x.waiting &^= 1 << level
			x.sent |= 1 << level
		}
	}
	return spent, true
}

// Replaced says that the graphics queue can read a level that was taken in Uploads with
// Info set. It panics if the level is not on its way.
func (m *Manager) Replaced(t *Tile, level terrain.Level) {
	if t.swap == nil || t.swap.sent>>level&1 == 0 {
		panic("streaming: a level is replaced that was not sent")
	}
	t.swap.sent &^= 1 << level
	t.swap.arrived |= 1 << level
}

// Exchange makes all tiles of Replace what they are to become, if everything that is
// needed has arrived, and says so. It calls take with each of them, and the levels that were
// uploaded for it: from here on those are drawn. The frames that are in flight may still read what they
// replace; once none does, call [Manager.Superseded]. Call Exchange before the frame's
// tiles are refined.
func (m *Manager) Exchange(take func(t *Tile, levels uint16)) bool {
	if m.swapping == nil || m.closed || !m.swapping.ready() {
		return false
	}
	s := m.swapping
	m.swapping, m.moved = nil, true
	m.setSource(s.src)
	law := lodcpu.FullLaw(s.src.World())
	for i := range s.tiles {
		x := &s.tiles[i]
		t, p := x.tile, &m.places[x.tile.index]
		t.Info, t.swap = x.info, nil
		lo, hi := law.Bounds(m.layout, t.Info)
		p.lo, p.hi, p.coef = lo, hi, t.Info.Coef
		if x.cpu != nil {
			m.stats.ReplacingBytes -= m.heldBytes(x.cpu.Level)
			m.replace(t, x.cpu)
		}
		m.superseded += m.levelsBytes(x.arrived)
		take(t, x.arrived)
		m.stats.Replaced++
		if f := m.opts.Listener.TileReplaced; f != nil {
			f(t)
		}
	}
	return true
}

// Superseded says that no frame reads any more what levels of a tile replaced in Exchange.
func (m *Manager) Superseded(levels uint16) {
	bytes := m.levelsBytes(levels)
	m.superseded -= bytes
	m.stats.GPUBytes -= bytes
	if m.superseded < 0 {
		panic("streaming: more is superseded than was exchanged")
	}
}

// levelsBytes returns the bytes of some levels of a tile.
func (m *Manager) levelsBytes(levels uint16) (bytes int64) {
	for level := range terrain.Level(m.layout.Levels) {
		if levels>>level&1 == 1 {
			bytes += m.levelBytes(level)
		}
	}
	return bytes
}

// ready says whether everything has arrived.
func (s *swapping) ready() bool {
	for i := range s.tiles {
		x := &s.tiles[i]
		if x.tile.job != nil || x.tile.Prepared != None && (x.cpu == nil || x.waiting|x.sent != 0) {
			return false
		}
	}
	return true
}

// loseExchange says that what was uploaded for a tile that is to be replaced is gone.
func (m *Manager) loseExchange(t *Tile) {
	x := t.swap
	if x == nil {
		return
	}
	m.stats.GPUBytes -= m.levelsBytes(x.sent | x.arrived)
	x.waiting, x.sent, x.arrived = 0, 0, 0
}

// replacingGPU returns the bytes on the GPU that tiles take, and will take, to become
// others.
func (m *Manager) replacingGPU() (bytes int64) {
	if m.swapping == nil {
		return 0
	}
	for i := range m.swapping.tiles {
		x := &m.swapping.tiles[i]
		bytes += m.levelsBytes(x.waiting | x.sent | x.arrived)
	}
	return bytes
}

// replacingCPU returns the bytes in CPU memory that what is to become of tiles takes, and
// will take.
func (m *Manager) replacingCPU() (bytes int64) {
	if m.swapping == nil {
		return 0
	}
	for i := range m.swapping.tiles {
		if t := m.swapping.tiles[i].tile; t.Prepared != None {
			bytes += m.heldBytes(t.Prepared)
		}
	}
	return bytes
}
