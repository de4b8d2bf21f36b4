package chunkfile

import "github.com/vkterrain/vkterrain/terrain"

// Listed is what a manifest says of a shard.
type Listed struct {
	From, To int // rows of tiles
	Name     string
	Size     int64
	CRC      uint32
}

// Relist returns a manifest with another list of shards, and valid checksums.
func Relist(manifest []byte, change func([]Listed) []Listed) []byte {
	l, ok := TakeApart(manifest)
	w, all, msg := parseWorld(&cursor{b: l.World})
	shards, ok2 := parseShards(&cursor{b: l.Directory}, w)
	if !ok || msg != "" || !ok2 {
		panic("no manifest")
	}
	var list []Listed
	for _, s := range shards {
		list = append(list, Listed{s.tiles.y0, s.tiles.y1, s.name, s.size, s.crc})
	}
	shards = nil
	for _, s := range change(list) {
		shards = append(shards, shardEntry{rect{0, s.From, all.x1, s.To}, s.Size, s.CRC, s.Name})
	}
	l.Directory = appendShards(nil, shards)
	b := l.Build()
	h, err := parseHead(b, int64(len(b)))
	if err != nil {
		panic(err)
	}
	h.kind = kindManifest
	return append(h.append(nil), b[headLen:]...)
}

// BuildShard is Build of a shard; it returns the checksum of its tail too.
func (l Loose) BuildShard() ([]byte, uint32) {
	b := l.Build()
	h, err := parseHead(b, int64(len(b)))
	if err != nil {
		panic(err)
	}
	h.kind = kindShard
	return append(h.append(nil), b[headLen:]...), h.tailCRC
}

// AsManifest makes a manifest of a file.
func AsManifest(b []byte) []byte {
	h, err := parseHead(b, int64(len(b)))
	if err != nil {
		panic(err)
	}
	h.kind = kindManifest
	tail := b[h.tailOff : h.tailOff+h.tailLen]
	h.size, h.tailOff = headLen+h.tailLen, headLen
	return append(h.append(nil), tail...)
}

// BigDirectory makes a file of w whose directory is all zeros, with the fewest bytes of
// chunks that n tiles can have.
func BigDirectory(w *terrain.World, n int) []byte {
	nx, ny := w.Tiles()
	l := Loose{Chunks: make([]byte, n*leastChunk), World: appendWorld(nil, w, rect{0, 0, nx, ny})}
	l.Directory = append(DefaultTables().append(nil), make([]byte, n*(mostEntry(w)-4*w.Layout().Nodes()*w.Layout().Nodes()))...)
	return l.Build()
}
