package streaming

import (
	"errors"
	"fmt"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Source is where levels come from; a [chunkfile.Reader] is one.
type Source interface {
	// World describes the terrain. It does not change.
	World() *terrain.World

	// Tiles returns all tiles there are, in a stable order. Others are holes, or come
	// by [Manager.Add]. They do not change.
	Tiles() []terrain.TileInfo

	// ReadLevel reads the level samples of level of tile k into verts, which
	// has exactly room for them after all coarser levels, which are there. It
	// changes nothing else in verts. Any number of loaders call it at a time,
	// each with its own decoder.
	ReadLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error
}

// Ranged is a [Source] whose levels are bytes of files. Then reads wait apart from
// decoding, so many at a time, and what lies close together is read at once. Its methods
// are called by any number of goroutines.
type Ranged interface {
	Source

	// Place returns where a level is: a file, by any number, and which bytes of it. A
	// level of 0 bytes is read by ReadLevel.
	Place(k terrain.Key, level terrain.Level) (file int, offset, size int64)

	// ReadRange fills b from offset on.
	ReadRange(file int, b []byte, offset int64) error

	// DecodeLevel is ReadLevel of bytes that have been read.
	DecodeLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level, chunk []byte) error
}

// Interrupter is a [Source] whose reads can be made to return, with an error: [Manager.Close]
// calls Interrupt when it does not want to wait for them.
type Interrupter interface{ Interrupt() }

// What becomes of reads, beside what a source says.
var (
	errCancelled = errors.New("cancelled")
	errMoved     = errors.New("the file was replaced while it was read")

	// ErrTimeout is the failure of a read that did not return in time. It is under way
	// still.
	ErrTimeout = errors.New("the read does not return")
)

// about returns err with the level that it is about, as a source names its own.
func about(k terrain.Key, level terrain.Level, err error) error {
	return fmt.Errorf("tile %v level %d: %w", k, level, err)
}
