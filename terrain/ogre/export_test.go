package ogre

import "github.com/vkterrain/vkterrain/terrain"

// Deflate makes a zlib stream.
func Deflate(src []byte) []byte { return new(compressor).deflate(nil, src) }

// AppendChunk appends a chunk to b.
func AppendChunk(b []byte, id string, version uint16, payload []byte) []byte {
	n := le.Uint32([]byte(id))
	return append(appendHeader(b, n, version, len(payload)), payload...)
}

// Checksum is that of a chunk header.
func Checksum(id string, version uint16, length uint32) uint32 {
	return checksum(le.Uint32([]byte(id)), version, length)
}

// AppendInfo and AppendTail append what they are called after, valid or not; the
// stops are where OGRE looks for another map.
func AppendInfo(b []byte, i *Info) []byte { return appendInfo(b, i) }

func AppendTail(b []byte, t *Tail) (out []byte, stops []int) { return t.append(b) }

// Level returns the heights and deltas of a level.
func (t *Terrain) LevelBytes(level int) []byte { return t.level(terrain.Level(level)) }
