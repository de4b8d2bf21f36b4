package vkterrain

import (
	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// sink lets a level sink that streaming gives up, and says whether it may go: nothing of it
// is above the coarser surface.
func (t *Terrain) sink(tile *streaming.Tile, level terrain.Level) bool {
	if t.unseen || !t.shows(tile, level) {
		return true
	}
	return t.renderer.Sink(tile.User.(pipeline.Slot), level)
}

// stay lets a level rise again that was to sink.
func (t *Terrain) stay(tile *streaming.Tile, level terrain.Level) {
	t.renderer.Stay(tile.User.(pipeline.Slot), level)
}

// shows says whether some view of the frame may show vertices that are not eligible without
// a level of a tile: those of that level, or, around it, finer ones.
func (t *Terrain) shows(tile *streaming.Tile, level terrain.Level) bool {
	for _, v := range t.views[:t.many] {
		if t.showsIn(v, tile, level) {
			return true
		}
	}
	return false
}

func (t *Terrain) showsIn(v *viewing, tile *streaming.Tile, level terrain.Level) bool {
	layout, frustum := t.world.Layout(), v.view.Frustum()
	law := &t.views[v.first].law
	needed, seen := false, false
	for i := range tile.Near {
		n := t.around(tile, i)
		if n == nil {
			continue
		}
		if i == lodcpu.Own {
			needed = needed || t.needs(law, n.Info, level)
		} else if level > 0 {
			needed = needed || t.needs(law, n.Info, level-1)
		}
		lo, hi := law.Bounds(layout, n.Info)
		seen = seen || frustum.Sees(lo, hi)
	}
	return needed && seen
}

// around returns a tile by its place in the neighbourhood of another, nil if nothing of
// it is loaded.
func (t *Terrain) around(tile *streaming.Tile, i int) *streaming.Tile {
	k := tile.Info.Key
	if tile.Near[i] == lodcpu.Absent {
		return nil
	}
	return t.stream.Tile(terrain.Key{Zoom: k.Zoom, X: k.X + int32(i%3) - 1, Y: k.Y + int32(i/3) - 1})
}

// needs says whether a mesh made by a law, or that of an anchor, needs a level of a tile.
func (t *Terrain) needs(law *lodcpu.Law, info *terrain.TileInfo, level terrain.Level) bool {
	layout := t.world.Layout()
	if shown := t.renderer.Anchored(); shown != nil && shown.Needs(layout, info) <= level {
		return true
	}
	return law.Needs(layout, info) <= level
}
