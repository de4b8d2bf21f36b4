package streaming

import "github.com/vkterrain/vkterrain/terrain"

// Sinking lets levels sink to the coarser surface before they are not drawn any more.
// Its functions are called in [Manager.Evictions]; what the listener must not do, they
// must not either.
type Sinking struct {
	// Sink is asked in each call of Evictions about a level that is given up, the finest
	// loaded of its tile, until it says that the level may go: it has sunk, or nobody sees
	// it. Meanwhile the level is loaded and drawn.
	Sink func(t *Tile, level terrain.Level) (sunk bool)
	// Stay is told that a level stays after all of which Sink has said that it has not sunk
	// yet.
	Stay func(t *Tile, level terrain.Level)
}

// sink returns the level down to which t may be taken off the screen now, if it is to go
// down to level to: levels sink one after the other, each for some frames. What a budget
// needs the room of goes without that, and so does a tile that goes as a whole.
func (m *Manager) sink(t *Tile, to terrain.Level) terrain.Level {
	s := &m.opts.Sinking
	if s.Sink == nil || t.removed {
		m.sinks(t, None)
		return to
	}
	for level := t.taken; level < min(to, m.coarsest()); level++ {
		if s.Sink(t, level) {
			continue
		}
		if !t.squeezed {
			m.sinks(t, level)
			return level
		}
		m.stats.Abrupt++
	}
	m.sinks(t, None)
	return to
}

// sinks keeps which level of t sinks, None if none does.
func (m *Manager) sinks(t *Tile, level terrain.Level) {
	m.stats.Sinking += b2i(level != None) - b2i(t.sinking != None)
	t.sinking = level
}

// stay tells that the level of t that sinks stays.
func (m *Manager) stay(t *Tile) {
	if t.sinking == None {
		return
	}
	m.opts.Sinking.Stay(t, t.sinking)
	m.sinks(t, None)
}
