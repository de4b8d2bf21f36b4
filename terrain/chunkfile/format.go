package chunkfile

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/vkterrain/vkterrain/terrain"
)

// What is below is on disk: never change it, add a version instead.
const (
	magic   = "\x89VKT\r\n\x1a\n"
	version = 1

	prefixLen = 16  // magic, version, header length
	fixedLen  = 112 // header up to the radius table
	crcLen    = 4

	tileLen  = 24 // key, base, min, max
	levelLen = 24 // coefficient, offset, stored, heights, checksum
)

// Limits. They are checked before anything is allocated.
const (
	maxSide   = 1 << 30 // samples
	maxOrders = 64
	maxTiles  = 1 << 28
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var le = binary.LittleEndian

// entry is where the file holds one chunk.
type entry struct {
	off     int64
	stored  uint32 // bytes of both sections
	heights uint32 // bytes of the first section
	crc     uint32
}

// maxStream is the largest size of a stream of n bytes.
func maxStream(n int) int { return n + (n/blockLen+1)*blockHeaderLen }

// maxHeights and maxAttrs are the largest sizes of the sections of n samples.
func maxHeights(n int) int { return maxStream(n) + 2*n }
func maxAttrs(n int) int   { return attrStreams*maxStream(n) + gainsLen }

func headerLen(w *terrain.World) int { return fixedLen + 4*len(w.Radius) + crcLen }

func entryLen(l *terrain.Layout) int { return tileLen + levelLen*l.Levels }

func tileCount(w *terrain.World) int {
	nx, ny := w.Tiles()
	return nx * ny
}

// appendHeader appends the header of a file of size bytes.
func appendHeader(b []byte, w *terrain.World, size int64, dirCRC uint32) []byte {
	start := len(b)
	b = append(b, magic...)
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, uint32(headerLen(w)))
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint32(b, uint32(tileCount(w)))
	b = le.AppendUint32(b, uint32(entryLen(w.Layout())))
	b = le.AppendUint32(b, dirCRC)
	for _, v := range []int{w.Width, w.Height, w.TileSize, len(w.Radius)} {
		b = le.AppendUint32(b, uint32(v))
	}
	b = le.AppendUint32(b, uint32(w.Min))
	b = le.AppendUint32(b, uint32(w.Max))
	b = le.AppendUint32(b, 0)
	for _, v := range []float64{w.Spacing, w.Quantum, w.OriginX, w.OriginZ, w.MaxError, w.Mean} {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, r := range w.Radius {
		b = le.AppendUint32(b, math.Float32bits(r))
	}
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// header is what the header of a file says.
type header struct {
	world    *terrain.World
	len      int
	entryLen int // of the directory; not checked
	dirCRC   uint32
}

// parsePrefix checks magic and version and returns the header's length.
func parsePrefix(b []byte) (int, error) {
	if string(b[:8]) != magic {
		return 0, &FormatError{0, "header", "not a vkterrain world file", []error{ErrUnsupported}}
	}
	if v := le.Uint32(b[8:]); v != version {
		return 0, unsupported(8, "format version %d, this program reads version %d", v, version)
	}
	n := int(le.Uint32(b[12:]))
	if n < fixedLen+crcLen || n > fixedLen+4*maxOrders+crcLen {
		return 0, corrupt("header", 12, "header of %d bytes", n)
	}
	return n, nil
}

// parseHeader reads a whole header of a file of size bytes.
func parseHeader(b []byte, size int64) (*header, error) {
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
	if orders > maxOrders || len(b) != fixedLen+4*orders+crcLen {
		return nil, corrupt("header", 48, "%d radii in a header of %d bytes", orders, len(b))
	}
	w.Radius = make([]float32, orders)
	for i := range w.Radius {
		w.Radius[i] = math.Float32frombits(le.Uint32(b[fixedLen+4*i:]))
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
	return &header{w, len(b), int(le.Uint32(b[28:])), le.Uint32(b[32:])}, nil
}

// checkWorld says what is impossible about w, or nothing.
func checkWorld(w *terrain.World) string {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if w.Width < 2 || w.Height < 2 || w.Width > maxSide || w.Height > maxSide {
		return "impossible size in samples"
	}
	if terrain.CheckTileSize(w.TileSize) != nil {
		return "impossible tile size"
	}
	if nx, ny := w.Tiles(); int64(nx)*int64(ny) > maxTiles {
		return "too many tiles"
	}
	if terrain.CheckScale(w.Spacing, w.Quantum) != nil {
		return "impossible spacing or quantum"
	}
	if !finite(w.OriginX) || !finite(w.OriginZ) || !finite(w.MaxError) || w.MaxError < 0 || !finite(w.Mean) {
		return "impossible origin, error or mean"
	}
	if w.Min > w.Max {
		return "least height above the largest"
	}
	for _, r := range w.Radius {
		if !finite(float64(r)) || r < 0 {
			return "impossible radius"
		}
	}
	return ""
}

// checkTile says what is impossible about a tile of w, or nothing.
func checkTile(w *terrain.World, t *terrain.TileInfo) string {
	if t.Min > t.Max || t.Min < w.Min || t.Max > w.Max {
		return "heights outside those of the world"
	}
	if int64(t.Min) < int64(t.Base) || int64(t.Max) > int64(t.Base)+math.MaxUint16 {
		return "heights outside what 16 bits above the base hold"
	}
	for _, c := range t.Coef {
		if math.IsNaN(float64(c)) || c < 0 {
			return "impossible coefficient"
		}
	}
	return ""
}

// appendTile appends the directory entry of a tile.
func appendTile(b []byte, t *terrain.TileInfo, chunks []entry) []byte {
	for _, v := range []int32{t.Key.Zoom, t.Key.X, t.Key.Y, t.Base, t.Min, t.Max} {
		b = le.AppendUint32(b, uint32(v))
	}
	for l, c := range chunks {
		b = le.AppendUint32(b, math.Float32bits(t.Coef[l]))
		b = le.AppendUint64(b, uint64(c.off))
		b = le.AppendUint32(b, c.stored)
		b = le.AppendUint32(b, c.heights)
		b = le.AppendUint32(b, c.crc)
	}
	return b
}

// parseTile reads the directory entry of a tile into t and chunks.
func parseTile(b []byte, t *terrain.TileInfo, chunks []entry) {
	v := func(at int) int32 { return int32(le.Uint32(b[at:])) }
	t.Key = terrain.Key{Zoom: v(0), X: v(4), Y: v(8)}
	t.Base, t.Min, t.Max = v(12), v(16), v(20)
	for l := range chunks {
		b := b[tileLen+levelLen*l:]
		t.Coef[l] = math.Float32frombits(le.Uint32(b))
		chunks[l] = entry{int64(le.Uint64(b[4:])), le.Uint32(b[12:]), le.Uint32(b[16:]), le.Uint32(b[20:])}
	}
}
