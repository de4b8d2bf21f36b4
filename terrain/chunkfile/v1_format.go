package chunkfile

import (
	"hash/crc32"
	"io"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// Version 1: a header and a directory before the chunks.
const (
	oldFixedLen = 112 // header up to the radius table
	oldTileLen  = 24  // key, base, min, max
	oldLevelLen = 24  // coefficient, offset, stored, heights, checksum
)

// maxStream is the largest size of a stream of n bytes.
func maxStream(n int) int { return n + (n/blockLen+1)*blockHeaderLen }

// oldMaxHeights and oldMaxAttrs are the largest sizes of the sections of n samples.
func oldMaxHeights(n int) int { return maxStream(n) + 2*n }
func oldMaxAttrs(n int) int   { return attrStreams*maxStream(n) + oldGainsLen }

func oldEntryLen(l *terrain.Layout) int { return oldTileLen + oldLevelLen*l.Levels }

// oldHeader is what the header of a file says.
type oldHeader struct {
	world       *terrain.World
	len         int
	oldEntryLen int // of the directory; not checked
	dirCRC      uint32
}

// parseOldPrefix returns the header's length.
func parseOldPrefix(b []byte) (int, error) {
	n := int(le.Uint32(b[12:]))
	if n < oldFixedLen+crcLen || n > oldFixedLen+4*maxOrders+crcLen {
		return 0, corrupt("header", 12, "header of %d bytes", n)
	}
	return n, nil
}

// parseOldHeader reads a whole header of a file of size bytes.
func parseOldHeader(b []byte, size int64) (*oldHeader, error) {
	body, sum := b[:len(b)-crcLen], le.Uint32(b[len(b)-crcLen:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, corrupt("header", 0, "checksum does not match")
	}
	if n := le.Uint64(b[16:]); n > uint64(size) {
		return nil, truncated("header", size, "the file is cut: %d of %d bytes", size, n)
	} else if n < uint64(size) {
		return nil, corrupt("header", int64(n), "%d bytes after the end", uint64(size)-n)
	}
	f := func(at int) float64 { return math.Float64frombits(le.Uint64(b[at:])) }
	w := &terrain.World{
		Width: int(le.Uint32(b[36:])), Height: int(le.Uint32(b[40:])), TileSize: int(le.Uint32(b[44:])),
		Min: int32(le.Uint32(b[52:])), Max: int32(le.Uint32(b[56:])),
		Spacing: f(64), Quantum: f(72), OriginX: f(80), OriginZ: f(88), MaxError: f(96), Mean: f(104),
	}
	orders := int(le.Uint32(b[48:]))
	if uint(orders) > maxOrders || len(b) != oldFixedLen+4*orders+crcLen {
		return nil, corrupt("header", 48, "%d radii in a header of %d bytes", orders, len(b))
	}
	w.Radius = make([]float32, orders)
	for i := range w.Radius {
		w.Radius[i] = math.Float32frombits(le.Uint32(b[oldFixedLen+4*i:]))
	}
	if msg := checkWorld(w); msg != "" {
		return nil, corrupt("header", 36, "%s", msg)
	}
	if le.Uint32(b[60:]) != 0 {
		return nil, unsupported(60, "unknown flags %#x", le.Uint32(b[60:]))
	}
	if n := int(le.Uint32(b[24:])); n != tileCount(w) {
		return nil, corrupt("header", 24, "%d tiles, the world's size gives %d", n, tileCount(w))
	}
	return &oldHeader{w, len(b), int(le.Uint32(b[28:])), le.Uint32(b[32:])}, nil
}

// parseOldTile reads the directory entry of a tile into t and chunks.
func parseOldTile(b []byte, t *terrain.TileInfo, chunks []entry) {
	v := func(at int) int32 { return int32(le.Uint32(b[at:])) }
	t.Key = terrain.Key{Zoom: v(0), X: v(4), Y: v(8)}
	t.Base, t.Min, t.Max = v(12), v(16), v(20)
	for l := range chunks {
		b := b[oldTileLen+oldLevelLen*l:]
		t.Coef[l] = math.Float32frombits(le.Uint32(b))
		chunks[l] = entry{int64(le.Uint64(b[4:])), le.Uint32(b[12:]), le.Uint32(b[16:]), le.Uint32(b[20:])}
	}
}

// openOld opens a file of version 1.
func openOld(r io.ReaderAt, size int64) (*Reader, error) {
	prefix := make([]byte, prefixLen)
	if err := readFull(r, prefix, 0); err != nil {
		return nil, readError("header", 0, err)
	}
	n, err := parseOldPrefix(prefix)
	if err != nil {
		return nil, err
	}
	if int64(n) > size {
		return nil, truncated("header", size, "the file is cut: %d bytes", size)
	}
	b := make([]byte, n)
	if err := readFull(r, b, 0); err != nil {
		return nil, readError("header", 0, err)
	}
	h, err := parseOldHeader(b, size)
	if err != nil {
		return nil, err
	}
	return openOldDirectory(r, size, h)
}

// openOldDirectory reads and checks the directory.
func openOldDirectory(r io.ReaderAt, size int64, h *oldHeader) (*Reader, error) {
	count, each := tileCount(h.world), h.oldEntryLen
	start, length := int64(h.len), int64(count)*int64(each)
	if each < oldTileLen+oldLevelLen || int64(count) > (size-start)/int64(each) {
		return nil, corrupt("header", 28, "%d directory entries of %d bytes in a file of %d", count, each, size)
	}
	layout := h.world.Layout() // allocates what one tile needs
	if want := oldEntryLen(layout); each != want {
		return nil, corrupt("header", 28, "directory entries of %d bytes, the tile size gives %d", each, want)
	}
	nx, _ := h.world.Tiles()
	rd := &Reader{version: oldVersion, world: h.world, layout: layout, nx: nx, size: size, files: []file{{r: r, tiles: count}}}
	b := make([]byte, length)
	if err := readFull(r, b, start); err != nil {
		return nil, readError("directory", start, err)
	}
	if checksum(b) != h.dirCRC {
		return nil, corrupt("directory", start, "checksum does not match")
	}
	rd.tiles = make([]terrain.TileInfo, count)
	rd.chunks = make([]entry, count*rd.layout.Levels)
	next := start + length
	for i := range rd.tiles {
		at := start + int64(i*each)
		parseOldTile(b[i*each:], &rd.tiles[i], rd.tileChunks(i))
		if err := rd.checkOldEntry(i, at, &next); err != nil {
			return nil, err
		}
	}
	if next != size {
		return nil, corrupt("directory", start, "chunks end at byte %d, the file at %d", next, size)
	}
	return rd, nil
}

// checkOldEntry checks tile i, whose chunks must begin at *next.
func (r *Reader) checkOldEntry(i int, at int64, next *int64) error {
	t := &r.tiles[i]
	if want := (terrain.Key{X: int32(i % r.nx), Y: int32(i / r.nx)}); t.Key != want {
		return corrupt("directory", at, "tile %v where %v belongs", t.Key, want)
	}
	if msg := checkTile(r.world, t); msg != "" {
		return corrupt("directory", at, "tile %v: %s", t.Key, msg)
	}
	chunks := r.tileChunks(i)
	for level := len(chunks) - 1; level >= 0; level-- {
		lo, hi := r.layout.Range(terrain.Level(level))
		c := chunks[level]
		if c.off != *next || c.heights > c.stored || c.stored == 0 || int64(c.stored) > r.size-c.off ||
			int64(c.heights) > int64(oldMaxHeights(hi-lo)) ||
			int64(c.stored-c.heights) > int64(oldMaxAttrs(hi-lo)) {
			return corrupt("directory", at, "tile %v level %d: impossible place or size", t.Key, level)
		}
		*next += int64(c.stored)
	}
	return nil
}
