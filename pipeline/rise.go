package pipeline

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
)

// risings remembers what levels of tiles are drawn, so that new ones can rise.
type risings struct {
	frames uint64 // that a level takes; 0 is at once
	now    uint64 // frames prepared
	until  uint64 // the frame from which on nothing rises
	bySlot []shown
	byKey  map[terrain.Key]Slot
}

// shown is what is drawn of a tile.
type shown struct {
	level terrain.Level
	known bool
	since [terrain.MaxLevels]uint64 // frame in which a level was drawn first, 0 for those that do not rise
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
		e.level, e.known = level, true
		r.byKey[k] = s
	}
	for e.level > level {
		e.level--
		e.since[e.level] = r.now
		r.until = max(r.until, r.now+r.frames)
	}
	for e.level < level {
		e.since[e.level] = 0
		e.level++
	}
}

// isNew says whether a level of a tile would rise if it were drawn from now on.
func (r *risings) isNew(s Slot, level terrain.Level) bool {
	return r.frames > 0 && int(s) < len(r.bySlot) && r.bySlot[s].known && r.bySlot[s].level > level
}

// of returns what rises of the tile at k and its neighbours.
func (r *risings) of(k terrain.Key) (rise lodcpu.Rise) {
	if r.now >= r.until {
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
			level := int(e.level) + n
			if level < len(e.since) && e.since[level] > 0 && r.now < e.since[level]+r.frames {
				rise[i].Left[n] = uint8(255 - 255*(r.now-e.since[level])/r.frames)
			}
		}
	}
	return rise
}

// SetRise says over how many frames levels rise that have just been loaded; 0 is at once.
// Call it before the first frame. It needs [Renderer.SetMorph].
func (r *Renderer) SetRise(frames int) {
	r.rise.frames, r.rise.byKey = uint64(max(frames, 0)), map[terrain.Key]Slot{}
}

// Rising says whether some level that was loaded has not risen yet.
func (r *Renderer) Rising() bool { return r.rise.now < r.rise.until }

// Rise returns what rises of a tile and its neighbours in the frame last prepared.
func (r *Renderer) Rise(k terrain.Key) lodcpu.Rise { return r.rise.of(k) }
