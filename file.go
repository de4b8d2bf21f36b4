package vkterrain

import (
	"fmt"
	"time"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// opened is a world file, and what looks whether its missing shards have come back.
type opened struct {
	*streaming.File
	more chan []*terrain.TileInfo // that have
	stop chan struct{}
	done chan struct{}
}

// lookPause is the time between two looks for missing shards.
var lookPause = time.Second

// watch looks for shards in the background until all are there.
func (o *opened) watch() {
	if len(o.Reader().Problems()) == 0 {
		return
	}
	o.more, o.stop, o.done = make(chan []*terrain.TileInfo, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(o.done)
		for len(o.Reader().Problems()) > 0 {
			select {
			case <-o.stop:
				return
			case <-time.After(lookPause):
			}
			more, _ := o.Look() // what is still missing was told at first
			if len(more) == 0 {
				continue
			}
			select {
			case <-o.stop:
				return
			case o.more <- more:
			}
		}
	}()
}

// close closes the file; if what looks at it does not return, it stays open.
func (o *opened) close() error {
	if o == nil {
		return nil
	}
	if o.stop != nil {
		close(o.stop)
		timeout := time.NewTimer(closeTimeout)
		defer timeout.Stop()
		select {
		case <-o.done:
		case <-timeout.C:
			return fmt.Errorf("looking for missing shards has not returned in %v", closeTimeout)
		}
	}
	return o.Close()
}

// takeShards adds the tiles of shards that have come back.
func (t *Terrain) takeShards() {
	if t.file == nil || t.file.more == nil {
		return
	}
	select {
	case more := <-t.file.more:
		t.loaded.Widen(more...)
		for _, info := range more {
			t.stream.Add(info)
		}
		t.field = nil
		t.plantOn(more)
	default:
	}
}

// renewed is a source that has more tiles than when it was looked at first.
type renewed struct{ source }

// plantOn finds out anew what stands on tiles.
func (t *Terrain) plantOn(infos []*terrain.TileInfo) {
	if t.planting == nil {
		return
	}
	t.source = &renewed{t.source}
	law, layout := lodcpu.FullLaw(t.world), t.world.Layout()
	for _, info := range infos {
		lo, hi := law.Bounds(layout, info)
		t.planting.remake(&area{lo[0], lo[2], hi[0], hi[2]})
	}
}
