package pipeline

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// risings remembers what levels of tiles are drawn, so that new ones can rise, and those
// that are to go can sink.
type risings struct {
	frames  uint64 // that a level takes; 0 is at once
	now     uint64 // frames prepared, and as many as frames
	value   uint64 // of the last of them
	until   uint64 // the frame from which on nothing moves
	sinking int    // levels that sink, or have sunk and are drawn still
	bySlot  []shown
	byKey   map[terrain.Key]Slot
}

// shown is what is drawn of a tile.
type shown struct {
	key   terrain.Key
	level terrain.Level
	known bool
	sinks uint16                    // bit l says that level l does
	since [terrain.MaxLevels]uint64 // frame in which a level began to rise, or to sink, 0 for those that do not
}

// tick is told which frame is prepared, once for each of its views.
func (r *risings) tick(value uint64) {
	if r.value != value {
		r.value = value
		r.now++
	}
}

// show is told what is drawn of a tile from this frame on.
func (r *risings) show(s Slot, k terrain.Key, level terrain.Level) {
	if r.frames == 0 {
		return
	}
	for len(r.bySlot) <= int(s) {
		r.bySlot = append(r.bySlot, shown{})
	}
	e := &r.bySlot[s]
	if !e.known {
		e.key, e.level, e.known = k, level, true
		r.byKey[k] = s
	}
	for e.level > level {
		e.level--
		r.begin(e, e.level, r.now)
	}
	for e.level < level {
		r.still(e, e.level)
		e.level++
	}
}

// drop is told that a level is taken away from a tile, seen or not: should it come again,
// it rises.
func (r *risings) drop(s Slot, level terrain.Level) {
	if int(s) >= len(r.bySlot) || !r.bySlot[s].known {
		return
	}
	e := &r.bySlot[s]
	for e.level <= level {
		r.still(e, e.level)
		e.level++
	}
}

// forget is told that a slot is given up.
func (r *risings) forget(s Slot) {
	if int(s) >= len(r.bySlot) || !r.bySlot[s].known {
		return
	}
	e := &r.bySlot[s]
	for level := range terrain.Level(terrain.MaxLevels) {
		r.still(e, level)
	}
	if r.byKey[e.key] == s {
		delete(r.byKey, e.key)
	}
	*e = shown{}
}

// begin lets a level move as if it had begun in a frame.
func (r *risings) begin(e *shown, level terrain.Level, since uint64) {
	e.since[level] = since
	r.until = max(r.until, since+r.frames)
}

// still ends that a level moves.
func (r *risings) still(e *shown, level terrain.Level) {
	if e.sinks>>level&1 != 0 {
		e.sinks &^= 1 << level
		r.sinking--
	}
	e.since[level] = 0
}

// left returns for how many frames a level has still to rise.
func (r *risings) left(e *shown, level terrain.Level) uint64 {
	if e.since[level] == 0 {
		return 0
	}
	gone := min(r.now-e.since[level], r.frames)
	if e.sinks>>level&1 != 0 {
		return gone
	}
	return r.frames - gone
}

// sink lets a level of a tile sink from where it is, and says whether a frame has been
// prepared in which it has.
func (r *risings) sink(s Slot, level terrain.Level) bool {
	if r.frames == 0 || int(s) >= len(r.bySlot) || !r.bySlot[s].known || r.bySlot[s].level > level {
		return true
	}
	e := &r.bySlot[s]
	if e.sinks>>level&1 == 0 {
		left := r.left(e, level)
		e.sinks |= 1 << level
		r.sinking++
		r.begin(e, level, r.now-left)
	}
	return r.left(e, level) == r.frames
}

// stay lets a level that sinks turn round where it is.
func (r *risings) stay(s Slot, level terrain.Level) {
	if int(s) >= len(r.bySlot) || r.bySlot[s].sinks>>level&1 == 0 {
		return
	}
	e := &r.bySlot[s]
	left := r.left(e, level)
	r.still(e, level)
	r.begin(e, level, r.now-(r.frames-left))
}

// moving says whether vertices may be elsewhere than they are at rest.
func (r *risings) moving() bool { return r.now < r.until || r.sinking > 0 }

// isNew says whether a level of a tile would rise if it were drawn from now on.
func (r *risings) isNew(s Slot, level terrain.Level) bool {
	return r.frames > 0 && int(s) < len(r.bySlot) && r.bySlot[s].known && r.bySlot[s].level > level
}

// of returns what rises of the tile at k and its neighbours, or sinks.
func (r *risings) of(k terrain.Key) (rise lodcpu.Rise) {
	if !r.moving() {
		return rise
	}
	for i := range rise {
		s, ok := r.byKey[terrain.Key{Zoom: k.Zoom, X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1}]
		if !ok {
			continue
		}
		e := &r.bySlot[s]
		rise[i].Finest = e.level
		for n := range rise[i].Left {
			if level := int(e.level) + n; level < len(e.since) {
				rise[i].Left[n] = uint8(255 * r.left(e, terrain.Level(level)) / r.frames)
			}
		}
	}
	return rise
}

// SetRise says over how many frames levels rise that have just been loaded, and sink by
// [Renderer.Sink]; 0 is at once. Call it before the first frame. It needs
// [Renderer.SetMorph].
func (r *Renderer) SetRise(frames int) {
	n := uint64(max(frames, 0))
	r.rise = risings{frames: n, now: n, until: n, byKey: map[terrain.Key]Slot{}}
}

// Rising says whether some level has not risen yet that was loaded, or has not sunk that
// is to.
func (r *Renderer) Rising() bool { return r.rise.now < r.rise.until }

// Sink lets a level sink that is drawn, and the finest of its tile. It returns true once
// a frame has been prepared in which it has: then it can be dropped, and nothing moves.
func (r *Renderer) Sink(s Slot, level terrain.Level) bool { return r.rise.sink(s, level) }

// Stay lets a level that sinks turn round and rise.
func (r *Renderer) Stay(s Slot, level terrain.Level) { r.rise.stay(s, level) }

// Rise returns what rises and sinks of a tile and its neighbours in the frame last
// prepared.
func (r *Renderer) Rise(k terrain.Key) lodcpu.Rise { return r.rise.of(k) }
