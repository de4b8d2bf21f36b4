package vkterrain

import (
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/edit"
	"github.com/vkterrain/vkterrain/vk"
)

// editing is what a Terrain knows of the edits of its world.
type editing struct {
	session  *edit.Session // nil if the world is not edited
	shown    *edit.Snapshot
	next     *edit.Snapshot                    // on its way, or nil
	slots    map[*streaming.Tile]pipeline.Slot // of tiles that are to become others
	exchange func(tile *streaming.Tile, levels uint16)
}

// OpenSession is [Open] of a world that is being edited. It draws the world as it is
// now, and follows every edit, from whatever goroutine it comes: Prepare sees a new
// snapshot, reads the tiles that have changed again in the background and uploads
// the levels that have, within the budget; when all of them have arrived they take
// the places of the old ones in one frame. So no frame shows a seam between an edited
// tile and one that is not yet. Edits that come meanwhile are taken up together
// afterwards. A frame never waits for any of that.
//
// The session must stay open until Close, and is the caller's to close.
func OpenSession(s *edit.Session, dev *vk.Device, o Options) (*Terrain, error) {
	t := &Terrain{editing: editing{session: s, shown: s.Now(), slots: map[*streaming.Tile]pipeline.Slot{}}}
	if err := t.open(t.editing.shown, dev, o); err != nil {
		return nil, err
	}
	return t, nil
}

// Shown is the snapshot of the session that is drawn; nil without a session. It is the
// newest one once the frames after an edit have brought everything.
func (t *Terrain) Shown() *edit.Snapshot { return t.editing.shown }

// follow begins to replace what has changed.
func (t *Terrain) follow() {
	e := &t.editing
	if e.session == nil || e.next != nil {
		return
	}
	now := e.session.Now()
	if now == e.shown {
		return
	}
	var list []streaming.Replacement
	var infos []*terrain.TileInfo
	for _, c := range now.Since(e.shown) {
		list = append(list, streaming.Replacement{Info: c.Info, Levels: uint16(c.Levels)})
		infos = append(infos, c.Info)
	}
	t.loaded.Widen(infos...)
	t.stream.Replace(now, list)
	e.next = now
	// Until then a law holds that is good for both: radii do not shrink.
	w := *now.World()
	w.Holes = w.Holes || e.shown.World().Holes
	t.setWorld(&w)
}

// exchange replaces what has changed, if all of it is there.
func (t *Terrain) exchange() {
	e := &t.editing
	if e.next == nil || !t.stream.Exchange(e.exchange) {
		return
	}
	clear(e.slots)
	changes := e.next.Since(e.shown)
	e.shown, e.next = e.next, nil
	t.source, t.field = e.shown, nil
	t.setWorld(e.shown.World())
	t.replant(changes)
	t.relief.start(t.source)
}

// nextSlot returns where levels go that are to take the places of a tile's.
func (t *Terrain) nextSlot(tile *streaming.Tile, info *terrain.TileInfo) pipeline.Slot {
	slot, ok := t.editing.slots[tile]
	if !ok {
		slot = t.addSlot(tile, info)
		t.editing.slots[tile] = slot
	}
	return slot
}

// onExchange draws what has been uploaded for a tile.
func (t *Terrain) onExchange(tile *streaming.Tile, levels uint16) {
	t.giveUp()
	if levels != 0 {
		t.leaving = append(t.leaving, leaving{levels: levels, value: t.frame.Value})
	}
	// A tile of which nothing was uploaded may have another base all the same.
	if slot, ok := tile.User.(pipeline.Slot); ok {
		t.renderer.Exchange(t.frame, slot, t.nextSlot(tile, tile.Info))
	}
}

// storedBytes returns the size of a chunk.
func (t *Terrain) storedBytes(k terrain.Key, level terrain.Level) uint64 {
	if t.paged.source != nil {
		return 0 // it is stored nowhere
	}
	if t.file == nil {
		return uint64(t.editing.shown.LevelBytes(k, level))
	}
	stored, _ := t.file.Reader().LevelBytes(k, level)
	return uint64(stored)
}
