package chunkfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"unsafe"

	"github.com/vkterrain/vkterrain/terrain"
)

// What is below is on disk: never change it, add a version instead.
const (
	magic      = "\x89VKT\r\n\x1a\n"
	oldVersion = 1
	version    = 2

	prefixLen = 16 // magic, version, header length
	headLen   = 64 // the header of version 2
	crcLen    = 4
)

// Kinds of files.
const (
	kindWorld    = iota // all tiles of a world
	kindShard           // some of them
	kindManifest        // none, but the names of shards
)

// Limits. They are checked before anything is allocated.
const (
	maxSide   = 1 << 30 // samples
	maxOrders = 64
	maxTiles  = 1 << 28
	maxString = 1 << 14
	maxShards = 1 << 16
	maxName   = 255 // bytes of a shard's name; more is no file's

	// leastChunk is less than any chunk of a coarsest level takes.
	leastChunk = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var le = binary.LittleEndian

// entry is where a file holds one chunk, or a layer of one.
type entry struct {
	off     int64
	stored  uint32 // bytes in all; 0 if there is none
	heights uint32 // bytes of the first section
	crc     uint32
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

func tileCount(w *terrain.World) int {
	nx, ny := w.Tiles()
	return nx * ny
}

// head is the header of a file of version 2.
type head struct {
	kind    uint32
	size    int64
	tailOff int64
	tailLen int64
	tailCRC uint32
}

func (h *head) append(b []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, headLen)
	b = le.AppendUint64(b, uint64(h.size))
	b = le.AppendUint64(b, uint64(h.tailOff))
	b = le.AppendUint64(b, uint64(h.tailLen))
	b = le.AppendUint32(b, h.tailCRC)
	b = le.AppendUint32(b, h.kind)
	b = append(b, make([]byte, headLen-crcLen-(len(b)-start))...)
	return le.AppendUint32(b, checksum(b[start:]))
}

// parseHead reads the header of a file of size bytes.
func parseHead(b []byte, size int64) (*head, error) {
	if checksum(b[:headLen-crcLen]) != le.Uint32(b[headLen-crcLen:]) {
		return nil, corrupt("header", 0, "checksum does not match")
	}
	h := &head{
		kind: le.Uint32(b[44:]), size: int64(le.Uint64(b[16:])), tailOff: int64(le.Uint64(b[24:])),
		tailLen: int64(le.Uint64(b[32:])), tailCRC: le.Uint32(b[40:]),
	}
	switch {
	case h.size > size:
		return nil, truncated("header", size, "the file is cut: %d of %d bytes", size, h.size)
	case h.size < size:
		return nil, corrupt("header", h.size, "%d bytes after the end", size-h.size)
	case h.kind > kindManifest:
		return nil, unsupported(44, "unknown kind %d of file", h.kind)
	case h.tailOff < headLen || h.tailLen < runHeaderLen || h.tailLen > size-h.tailOff || h.tailOff+h.tailLen != size:
		return nil, corrupt("header", 24, "impossible place of the directory")
	case !bytes.Equal(b[48:headLen-crcLen], make([]byte, headLen-crcLen-48)):
		return nil, unsupported(48, "unknown flags")
	}
	return h, nil
}

// rect are tiles of a world: columns x0 to x1-1 of rows y0 to y1-1.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) count() int { return (r.x1 - r.x0) * (r.y1 - r.y0) }

// appendWorld appends what is plain in the tail.
func appendWorld(b []byte, w *terrain.World, tiles rect) []byte {
	for _, v := range []int{w.Width, w.Height, w.TileSize, len(w.Radius), len(w.Layers), tiles.x0, tiles.y0, tiles.x1, tiles.y1} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint32(b, uint32(w.Min))
	b = le.AppendUint32(b, uint32(w.Max))
	for _, v := range []float64{w.Spacing, w.Quantum, w.OriginX, w.OriginZ, w.MaxError, w.Mean} {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, r := range w.Radius {
		b = le.AppendUint32(b, math.Float32bits(r))
	}
	var flags byte
	if w.Geo.Transform != nil {
		flags |= geoTransform
	}
	if w.Geo.PixelIsPoint {
		flags |= geoPoint
	}
	b = append(b, flags)
	if t := w.Geo.Transform; t != nil {
		for _, v := range t {
			b = le.AppendUint64(b, math.Float64bits(v))
		}
	}
	b = appendString(b, w.Geo.CRS)
	b = appendString(b, w.Geo.VerticalUnit)
	b = appendString(b, w.Note)
	for _, l := range w.Layers {
		b = appendString(b, l.Name)
		b = append(b, byte(l.Bytes))
	}
	return b
}

// Flags of a world's place.
const (
	geoTransform = 1 << iota
	geoPoint
)

func appendString(b []byte, s string) []byte {
	s = s[:min(len(s), maxString)]
	return append(le.AppendUint16(b, uint16(len(s))), s...)
}

// cursor takes values from the front of a slice.
type cursor struct {
	b     []byte
	short bool // something was not there
}

var zeroBytes [8]byte

func (c *cursor) take(n int) []byte {
	if n > len(c.b) {
		c.short, c.b = true, nil
		return zeroBytes[:min(n, len(zeroBytes))]
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u8() uint8    { return c.take(1)[0] }
func (c *cursor) u16() uint16  { return le.Uint16(c.take(2)) }
func (c *cursor) u32() uint32  { return le.Uint32(c.take(4)) }
func (c *cursor) u64() uint64  { return le.Uint64(c.take(8)) }
func (c *cursor) f32() float32 { return math.Float32frombits(c.u32()) }
func (c *cursor) f64() float64 { return math.Float64frombits(c.u64()) }

func (c *cursor) string() string {
	n := int(c.u16())
	if n > len(c.b) || n > maxString {
		c.short, c.b = true, nil
		return ""
	}
	return string(c.take(n))
}

// parseWorld is the inverse of appendWorld. It returns what is wrong in words, or "".
func parseWorld(c *cursor) (w *terrain.World, tiles rect, msg string) {
	w = &terrain.World{Width: int(c.u32()), Height: int(c.u32()), TileSize: int(c.u32())}
	radii, layers := int(c.u32()), int(c.u32())
	tiles = rect{int(c.u32()), int(c.u32()), int(c.u32()), int(c.u32())}
	w.Min, w.Max = int32(c.u32()), int32(c.u32())
	for _, v := range []*float64{&w.Spacing, &w.Quantum, &w.OriginX, &w.OriginZ, &w.MaxError, &w.Mean} {
		*v = c.f64()
	}
	if uint(radii) > maxOrders || uint(layers) > terrain.MaxLayers || c.short {
		return nil, tiles, "impossible numbers of radii or layers"
	}
	w.Radius = make([]float32, radii)
	for i := range w.Radius {
		w.Radius[i] = c.f32()
	}
	flags := c.u8()
	if flags&geoTransform != 0 {
		w.Geo.Transform = new([6]float64)
		for i := range w.Geo.Transform {
			w.Geo.Transform[i] = c.f64()
		}
	}
	w.Geo.PixelIsPoint = flags&geoPoint != 0
	w.Geo.CRS, w.Geo.VerticalUnit, w.Note = c.string(), c.string(), c.string()
	for range layers {
		w.Layers = append(w.Layers, terrain.Layer{Name: c.string(), Bytes: int(c.u8())})
	}
	if c.short {
		return nil, tiles, "description of the world is cut"
	}
	if msg := checkWorld(w); msg != "" {
		return nil, tiles, msg
	}
	nx, ny := w.Tiles()
	if tiles.x0 < 0 || tiles.y0 < 0 || tiles.x0 >= tiles.x1 || tiles.y0 >= tiles.y1 || tiles.x1 > nx || tiles.y1 > ny {
		return nil, tiles, "tiles outside the world"
	}
	return w, tiles, ""
}

// Flags of a tile.
const (
	tileHoles = 1 << iota
	tileNodes
)

// appendTile appends the directory entry of a tile.
func appendTile(b []byte, t *terrain.TileInfo, chunks, layers []entry) []byte {
	for _, v := range []int32{t.Base, t.Min, t.Max} {
		b = le.AppendUint32(b, uint32(v))
	}
	var flags byte
	if t.Holes {
		flags |= tileHoles
	}
	if t.Nodes != nil {
		flags |= tileNodes
	}
	b = append(b, flags)
	per := len(layers) / len(chunks)
	for l, c := range chunks {
		b = le.AppendUint32(b, math.Float32bits(t.Coef[l]))
		b = le.AppendUint32(b, c.stored)
		b = le.AppendUint32(b, c.heights)
		b = le.AppendUint32(b, c.crc)
		for _, c := range layers[l*per : (l+1)*per] {
			b = le.AppendUint32(b, c.stored)
			b = le.AppendUint32(b, c.crc)
		}
	}
	for _, n := range t.Nodes {
		b = le.AppendUint16(b, uint16(n.Min-t.Base))
		b = le.AppendUint16(b, uint16(n.Max-t.Base))
	}
	return b
}

// parseTile is the inverse of appendTile, but for where chunks are.
func parseTile(c *cursor, nodes int, t *terrain.TileInfo, chunks, layers []entry) bool {
	t.Base, t.Min, t.Max = int32(c.u32()), int32(c.u32()), int32(c.u32())
	flags := c.u8()
	t.Holes = flags&tileHoles != 0
	per := len(layers) / len(chunks)
	for l := range chunks {
		t.Coef[l] = c.f32()
		chunks[l] = entry{stored: c.u32(), heights: c.u32(), crc: c.u32()}
		for i := range per {
			layers[l*per+i] = entry{stored: c.u32(), crc: c.u32()}
		}
	}
	if flags&tileNodes != 0 {
		if len(c.b) < 4*nodes*nodes {
			return false
		}
		t.Nodes = make([]terrain.Bounds, nodes*nodes)
		for i := range t.Nodes {
			t.Nodes[i] = terrain.Bounds{Min: t.Base + int32(c.u16()), Max: t.Base + int32(c.u16())}
		}
	}
	return !c.short && flags <= tileHoles|tileNodes
}

// mostEntry is the largest length of a directory entry.
func mostEntry(w *terrain.World) int {
	l := w.Layout()
	return 13 + l.Levels*(16+8*len(w.Layers)) + 4*l.Nodes()*l.Nodes()
}

// What a directory may take in memory: no world needs a quarter as much, where not
// nearly all of it is lost.
const (
	freeMemory    = 64 << 20
	memoryPerByte = 16 // of the file
)

// tileMemory is how many bytes the directory entry of a tile takes, as it is read and
// as it is kept.
func tileMemory(w *terrain.World) int64 {
	l := w.Layout()
	kept := int(unsafe.Sizeof(terrain.TileInfo{})) + l.Nodes()*l.Nodes()*int(unsafe.Sizeof(terrain.Bounds{})) +
		l.Levels*(1+len(w.Layers))*int(unsafe.Sizeof(entry{}))
	return int64(mostEntry(w) + kept)
}

// mostTables is the largest length of tables.
const mostTables = 2*terrain.MaxLevels + books*classes*(1+3*tokens)

// shardEntry is what a manifest says of a shard.
type shardEntry struct {
	tiles rect
	size  int64
	crc   uint32 // of its tail
	name  string
}

func appendShards(b []byte, shards []shardEntry) []byte {
	b = le.AppendUint32(b, uint32(len(shards)))
	for _, s := range shards {
		for _, v := range []int{s.tiles.x0, s.tiles.y0, s.tiles.x1, s.tiles.y1} {
			b = le.AppendUint32(b, uint32(v))
		}
		b = le.AppendUint64(b, uint64(s.size))
		b = le.AppendUint32(b, s.crc)
		b = appendString(b, s.name)
	}
	return b
}

func parseShards(c *cursor, w *terrain.World) (shards []shardEntry, ok bool) {
	n := int(c.u32())
	nx, ny := w.Tiles()
	if n < 1 || n > maxShards || n > nx*ny {
		return nil, false
	}
	next := 0 // row
	for range n {
		s := shardEntry{tiles: rect{int(c.u32()), int(c.u32()), int(c.u32()), int(c.u32())}, size: int64(c.u64()), crc: c.u32(), name: c.string()}
		t := s.tiles
		if c.short || t.x0 != 0 || t.x1 != nx || t.y0 != next || t.y1 <= t.y0 || !plainName(s.name) {
			return nil, false
		}
		next = t.y1
		shards = append(shards, s)
	}
	return shards, next == ny && len(c.b) == 0
}

// mostShards is the largest length of the list of shards of w.
func mostShards(w *terrain.World) int64 {
	_, ny := w.Tiles()
	return 4 + int64(min(ny, maxShards))*(30+maxName)
}

// plainName says whether a file of this name lies beside its manifest.
func plainName(s string) bool {
	return s != "" && len(s) <= maxName && s != "." && s != ".." && !bytes.ContainsAny([]byte(s), "/\\:\x00")
}

// readTail checks the tail of a file and returns a reader of it.
func readTail(r io.ReaderAt, h *head) (*StreamReader, error) {
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.NewSectionReader(r, h.tailOff, h.tailLen))
	if err == nil && n < h.tailLen {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, readError("directory", h.tailOff, err)
	}
	if sum.Sum32() != h.tailCRC {
		return nil, corrupt("directory", h.tailOff, "checksum does not match")
	}
	return NewStreamReader(io.NewSectionReader(r, h.tailOff, h.tailLen)), nil
}
