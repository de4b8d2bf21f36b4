package streaming

import (
	"context"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// Load is [Tile.Load] of the tile at column x and row y, any of them, and says whether
// there is one.
func (m *Manager) Load(x, y int32, level terrain.Level, sync bool) bool {
	t := m.at(x, y)
	if t != nil {
		t.Load(level, sync)
	}
	return t != nil
}

// IncreaseLevel is [Tile.IncreaseLevel] by column and row.
func (m *Manager) IncreaseLevel(x, y int32, sync bool) bool {
	t := m.at(x, y)
	if t != nil {
		t.IncreaseLevel(sync)
	}
	return t != nil
}

// DecreaseLevel is [Tile.DecreaseLevel] by column and row.
func (m *Manager) DecreaseLevel(x, y int32) bool {
	t := m.at(x, y)
	if t != nil {
		t.DecreaseLevel()
	}
	return t != nil
}

func (m *Manager) at(x, y int32) *Tile { return m.byKey[terrain.Key{X: x, Y: y}] }

// readNow reads t down to its target, here, after its loader is done with it.
func (m *Manager) readNow(t *Tile) {
	for t.wanting && t.swap == nil && !m.closed {
		if t.job != nil {
			if m.Wait(context.Background()) != nil {
				return
			}
			m.collect()
			m.expire()
			continue
		}
		if len(m.idle) == 0 {
			if m.Wait(context.Background()) != nil {
				return
			}
			m.collect()
			m.expire()
			continue
		}
		if t.states[m.finer(t.Prepared)] == Stuck {
			return
		}
		if !m.mayRead(m.finer(t.Prepared)) {
			return
		}
		m.readHere(t)
		if t.failure(m.finer(t.Prepared)) != nil {
			return
		}
	}
}

// Add makes tiles of info part of the world: of an endless one, say, as a camera comes
// near. info must not change. A tile that was removed and is not forgotten yet is taken
// back. It panics if there is such a tile.
func (m *Manager) Add(info *terrain.TileInfo) *Tile {
	if t := m.byKey[info.Key]; t != nil {
		if !t.removed {
			panic("streaming: Add of tile " + info.Key.String() + ", which is there already")
		}
		t.removed, t.prompt, m.moved = false, false, true
		m.leaving--
		return t
	}
	var t *Tile
	if n := len(m.spare); n > 0 {
		t, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		t = new(Tile)
	}
	m.add(t, info)
	return t
}

// reserve makes room for side×side tiles, so that adding that many allocates nothing.
func (m *Manager) reserve(side int) {
	n := side * side
	all := make([]Tile, max(n-len(m.tiles)-len(m.spare), 0))
	for i := range all {
		m.spare = append(m.spare, &all[i])
	}
	if len(m.byKey) == 0 {
		m.byKey = make(map[terrain.Key]*Tile, n)
	}
	for level := range m.byLevel {
		m.byLevel[level] = slices.Grow(m.byLevel[level], n)
	}
	m.tiles, m.places = slices.Grow(m.tiles, n), slices.Grow(m.places, n)
	m.shown, m.queue, m.spare = slices.Grow(m.shown, n), slices.Grow(m.queue, n), slices.Grow(m.spare, n)
}

// add puts a tile that is new into all lists.
func (m *Manager) add(t *Tile, info *terrain.TileInfo) {
	failures := t.failures[:0]
	*t = Tile{Info: info, m: m, index: len(m.tiles), Target: None, Prepared: None, Loaded: None, goal: None, keep: None, taken: None, sinking: None, failures: failures}
	if cap(failures) == 0 {
		t.failures = t.failed[:0]
	}
	for n := range t.Near {
		t.Near[n] = lodcpu.Absent
	}
	m.tiles = append(m.tiles, t)
	p := place{coef: info.Coef, levels: [2]terrain.Level{None, None}}
	law := lodcpu.FullLaw(m.src.World())
	p.lo, p.hi = law.Bounds(m.layout, info)
	m.places = append(m.places, p)
	m.byKey[info.Key] = t
	m.fix(t)
	m.link(t, t)
	m.count[Absent] += m.layout.Levels
	m.stats.Added++
	m.moved = true
}

// link makes t known to its neighbours as as, a tile or nil, and them to it.
func (m *Manager) link(t, as *Tile) {
	for n := range t.around {
		k := t.Info.Key
		x, y := int64(k.X)+int64(n%3)-1, int64(k.Y)+int64(n/3)-1
		if x != int64(int32(x)) || y != int64(int32(y)) {
			continue // beyond the last column there is nothing
		}
		o := m.byKey[terrain.Key{Zoom: k.Zoom, X: int32(x), Y: int32(y)}]
		if t.around[n] = o; o == nil {
			continue
		}
		o.around[8-n] = as
		if o.Loaded != None {
			t.Near[n] = int8(o.Loaded)
		}
	}
}

// Remove takes a tile out of the world: what there is of it is given up by the next calls of
// Evictions, and then it is forgotten, which the listener hears of. Until then it
// counts. If a loader has it, it is forgotten only when that gives it back: so what was
// read for it cannot come to another one.
func (m *Manager) Remove(t *Tile) {
	if t.removed {
		return
	}
	t.removed, t.prompt, m.moved = true, true, true
	t.Target, t.keep = None, None
	m.places[t.index].levels = [2]terrain.Level{None, None}
	m.leaving++
	t.goal = None
	m.review(t)
	m.recall(t)
}

// forget takes a tile out of all lists of which nothing is there any more, and says
// whether it has.
func (m *Manager) forget(t *Tile) bool {
	if !t.removed || t.job != nil || t.stuck > 0 || t.Prepared != None || t.swap != nil {
		return false
	}
	for level := range terrain.Level(m.layout.Levels) {
		if t.states[level] == Failed {
			m.step(t, level, drop)
		}
	}
	m.count[Absent] -= m.layout.Levels
	delete(m.byKey, t.Info.Key)
	m.link(t, nil)
	last := len(m.tiles) - 1
	m.tiles[t.index], m.places[t.index] = m.tiles[last], m.places[last]
	m.tiles[t.index].index = t.index
	m.tiles[last] = nil
	m.tiles, m.places = m.tiles[:last], m.places[:last]
	m.leaving--
	m.stale = true
	if f := m.opts.Listener.TileRemoved; f != nil {
		f(t)
	}
	t.User = nil
	m.spare = append(m.spare, t)
	return true
}
