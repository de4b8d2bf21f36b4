package chunkfile

import (
	"bytes"
	"io"

	"github.com/vkterrain/vkterrain/terrain"
)

// Loose is a file of version 2 without what protects it: its chunks, what its tail
// says of the world, and the tables and directory.
type Loose struct{ Chunks, World, Directory []byte }

// TakeApart returns the parts of a file, or false if it is none of version 2.
func TakeApart(b []byte) (Loose, bool) {
	if len(b) < headLen || le.Uint32(b[8:]) != version {
		return Loose{}, false
	}
	h, err := parseHead(b, int64(len(b)))
	if err != nil {
		return Loose{}, false
	}
	s := NewStreamReader(bytes.NewReader(b[h.tailOff:]))
	tail, err := io.ReadAll(s)
	if err != nil || len(tail) < 4 || int(le.Uint32(tail)) > len(tail)-4 {
		return Loose{}, false
	}
	n := 4 + le.Uint32(tail)
	return Loose{bytes.Clone(b[headLen:h.tailOff]), tail[4:n], tail[n:]}, true
}

// Build makes a file of parts, with all checksums right as far as the directory can
// be read.
func (l Loose) Build() []byte {
	dir := bytes.Clone(l.Directory)
	l.sign(dir)
	tail := partly(append(le.AppendUint32(nil, uint32(len(l.World))), l.World...), dir)
	off := int64(headLen + len(l.Chunks))
	h := head{kind: kindWorld, size: off + int64(len(tail)), tailOff: off, tailLen: int64(len(tail)), tailCRC: checksum(tail)}
	return append(append(h.append(nil), l.Chunks...), tail...)
}

// sign makes the checksums of chunks right.
func (l Loose) sign(dir []byte) {
	w, tiles, msg := parseWorld(&cursor{b: l.World})
	_, rest, ok := parseTables(dir)
	if msg != "" || !ok || len(w.Layers) > 0 || tiles.count() > len(rest) {
		return
	}
	c, at := cursor{b: rest}, 0
	chunks := make([]entry, w.Layout().Levels)
	for range tiles.count() {
		begin := len(dir) - len(c.b)
		if !parseTile(&c, w.Layout().Nodes(), new(terrain.TileInfo), chunks, nil) {
			return
		}
		for level := len(chunks) - 1; level >= 0; level-- {
			n := int(chunks[level].stored)
			if uint(n) > uint(len(l.Chunks)-at) {
				return
			}
			le.PutUint32(dir[begin+13+16*level+12:], checksum(l.Chunks[at:at+n]))
			at += n
		}
	}
}

// ResealOld makes all checksums of a file of version 1 right again, as far as its
// header and directory still say where things are, and reports whether they do.
// Tests use it to reach what checksums otherwise protect.
func ResealOld(b []byte) bool {
	if len(b) < prefixLen || string(b[:8]) != magic || le.Uint32(b[8:]) != oldVersion {
		return false
	}
	n, err := parseOldPrefix(b)
	if err != nil || n > len(b) {
		return false
	}
	count, each := int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:]))
	if each >= oldTileLen && count <= int64(len(b)-n)/each {
		dir := b[n : int64(n)+count*each]
		for at := int64(0); at < count*each; at += each {
			for l := at + oldTileLen; l+oldLevelLen <= at+each; l += oldLevelLen {
				off, size := le.Uint64(dir[l+4:]), uint64(le.Uint32(dir[l+12:]))
				if off <= uint64(len(b)) && size <= uint64(len(b))-off {
					le.PutUint32(dir[l+20:], checksum(b[off:off+size]))
				}
			}
		}
		le.PutUint32(b[32:], checksum(dir))
	}
	le.PutUint32(b[n-crcLen:], checksum(b[:n-crcLen]))
	return true
}

// KeptSky is what is left of a sky view where one is kept.
func KeptSky(v uint8) uint8 {
	s, _ := unshade(skyOf(v))
	return s
}

// TempName is where the file for path grows.
func TempName(path string) string { return tempName(path) }

// CoefUp and OldSlopeNormal are predictions that have a slower twin.
func CoefUp(c float64) uint16 { return coefUp(c) }

func OldSlopeNormal(dx, dz int32, slope float64) [2]uint8 {
	return oldSlopeNormal(dx, dz, slope)
}

// PackStream and UnpackStream code one stream.
func PackStream(src []byte) []byte {
	p := newPacker()
	return p.append(nil, src)
}

func UnpackStream(dst, src []byte) ([]byte, error) {
	u := newUnpacker()
	return u.read(dst, src)
}

// Kill leaves w as a killed program does.
func Kill(w *Writer) { w.file.Close() }

// TablesLen is the length of the tables that a directory begins with.
func TablesLen(directory []byte) int {
	_, rest, _ := parseTables(directory)
	return len(directory) - len(rest)
}
